"""The page: a section a paper, a table a part."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from papers_page.data import Data
from papers_page.figures import Row

HEADER = "| what | printed | rankwise | remark |\n|---|---|---|---|"


@dataclass(frozen=True)
class Part:
    """A table of the page. `needs` is the data that it takes, `slow` if it takes a minute."""

    title: str
    rows: Callable[[Data], Sequence[Row]]
    text: str = ""
    needs: Literal["", "TREC-5", "TREC-8"] = ""
    slow: bool = False


@dataclass(frozen=True)
class Paper:
    title: str
    citation: str
    parts: tuple[Part, ...]
    unchecked: str

    def section(self, data: Data) -> str:
        rows = [part.rows(data) for part in self.parts]
        texts = [table(part, found) for part, found in zip(self.parts, rows, strict=True)]
        unchecked = f"### What cannot be checked\n\n{self.unchecked}"
        head = f"## {self.title}\n\n{self.citation}\n\n{counts(rows)}"
        return "\n\n".join([head, *texts, unchecked])


def table(part: Part, rows: Sequence[Row]) -> str:
    """A part in Markdown."""
    lines = "\n".join([HEADER, *(row.line for row in rows)])
    return "\n\n".join(filter(None, [f"### {part.title}", part.text, lines]))


def counts(parts: Sequence[Sequence[Row]]) -> str:
    rows = [row for part in parts for row in part]
    total, differing = sum(len(row.pairs) for row in rows), sum(row.differing for row in rows)
    return f"**{total} figures, {total - differing} equal as printed, {differing} explained.**"
