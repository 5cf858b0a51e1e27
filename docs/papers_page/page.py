"""Sections of the page (one per paper) and their tables."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple

from papers_page.data import Data
from papers_page.figures import Row

HEADER = "| figure | printed | rankwise | remark |\n|---|---|---|---|"


@dataclass(frozen=True)
class Part:
    """A table of the page. `needs` is the required data; `slow` if it takes a minute."""

    title: str
    rows: Callable[[Data], Sequence[Row]]
    text: str = ""
    needs: Literal["", "TREC-5", "TREC-8"] = ""
    slow: bool = False


class Counts(NamedTuple):
    """Numbers of figures: all, equal as printed, and explained."""

    figures: int
    equal: int
    explained: int

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "Counts":
        kept = list(rows)
        figures, explained = sum(len(r.pairs) for r in kept), sum(r.differing for r in kept)
        return cls(figures, figures - explained, explained)


class Section(NamedTuple):
    text: str
    counts: Counts


@dataclass(frozen=True)
class Paper:
    title: str
    citation: str
    parts: tuple[Part, ...]
    rest: str  # what is printed and not in the parts, and why

    def section(self, data: Data) -> Section:
        """Return the section of the paper in Markdown, and its counts."""
        rows = [part.rows(data) for part in self.parts]
        tables = [table(part, found) for part, found in zip(self.parts, rows, strict=True)]
        counts = Counts.of(chain.from_iterable(rows))
        said = "**{} figures, {} equal as printed, {} explained.**".format(*counts)
        rest = f"### Not in the tables\n\n{self.rest}"
        head = [f"## {self.title}", self.citation, said]
        return Section("\n\n".join([*head, *tables, rest]), counts)


def table(part: Part, rows: Sequence[Row]) -> str:
    """Return a part in Markdown."""
    lines = "\n".join([HEADER, *(row.line for row in rows)])
    return "\n\n".join(filter(None, [f"### {part.title}", part.text, lines]))
