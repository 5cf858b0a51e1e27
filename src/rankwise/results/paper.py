"""Tables for papers, in LaTeX (booktabs) and Markdown: one row per run, one column per metric.

The best number of a column is bold. In LaTeX, marks are superscripts after a number, and decimal
points are aligned in any font. The module uses lists and does not import polars.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rankwise.results.tables import (
    LATEX_NEEDS,
    format_cell,
    format_count,
    latex_text,
    markdown_rows,
    sentences,
    tabular,
)

LABEL = "tab:rankwise"


class PaperColumn(NamedTuple):
    """Column of one metric: a number and its significance marks for each row.

    `sign` is 1 if higher is better, −1 if lower is better, and 0 if neither is better.
    """

    name: str
    values: Sequence[float | None]
    marks: Sequence[str]
    sign: int = 1
    is_count: bool = False

    def texts(self, digits: int) -> list[str]:
        shown = format_count if self.is_count else format_cell
        return [shown(value, digits) for value in self.values]

    def places(self, texts: Sequence[str]) -> list[int]:
        """Return 1 for the best value as printed in `texts`, 2 for the second best, otherwise 0.

        All are 0 if neither higher nor lower is better, or if all values are equal as printed.
        """
        pairs = zip(self.values, texts, strict=True)
        known = [(value, text) for value, text in pairs if value is not None]
        ranked = sorted(known, key=lambda one: -self.sign * one[0]) if self.sign else []
        distinct = list(dict.fromkeys(text for _, text in ranked))[:2]
        alone = len(set(texts)) < 2  # if all texts are equal, no value is the best
        return [0 if alone or t not in distinct else distinct.index(t) + 1 for t in texts]


class Details(NamedTuple):
    """A table of texts below a `PaperTable`.

    The first `names` columns are left-aligned. All other columns have numbers.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1  # number of columns that are names

    def to_latex(self) -> str:
        kinds = "@{}" + "l" * self.names + "r" * (len(self.head) - self.names) + "@{}"
        rows = []
        for row in (self.head, *self.rows):
            numbers = [text.replace("-", "−") for text in row[self.names :]]
            rows.append([latex_text(text) for text in [*row[: self.names], *numbers]])
        return tabular(kinds, rows)

    def to_markdown(self) -> str:
        rule = ["---"] * self.names + ["---:"] * (len(self.head) - self.names)
        return markdown_rows([self.head, rule, *self.rows])


@dataclass(frozen=True)
class PaperTable:
    """A table for a paper: named rows, columns of numbers, and a caption.

    If significance marks are letters, `letters` has the letter that stands for each row. With
    `second`, the second best number of each column is underlined. `details` follows below the
    table. If the caption is empty, the LaTeX is only a tabular environment, without `details`.
    """

    names: Sequence[str]
    columns: Sequence[PaperColumn]
    caption: str
    letters: Sequence[str] = ()
    digits: int = 4
    second: bool = False
    label: str = LABEL
    details: Details | None = None

    def to_latex(self) -> str:
        """Return the table as LaTeX, with numbers aligned at the decimal point."""
        kinds = "@{}" + "l" * (1 + bool(self.letters)) + "r@{}l" * len(self.columns) + "@{}"
        head = [f"\\multicolumn{{2}}{{c}}{{{latex_text(one.name)}}}" for one in self.columns]
        names = [[latex_text(name)] for name in ("run", *self.names)]
        if self.letters:
            letters = ["", *(f"\\textit{{{letter}}}" for letter in self.letters)]
            names = [[letter, *name] for letter, name in zip(letters, names, strict=True)]
        cells = zip(*(self._latex_cells(column) for column in self.columns), strict=True)
        rows = [[*name, *row] for name, row in zip(names, [head, *cells], strict=True)]
        table = tabular(kinds, rows)
        if not self.caption:
            return LATEX_NEEDS + table
        above = f"\\caption{{{latex_text(sentences(self.caption))}}}\n\\label{{{self.label}}}\n"
        small = "\\smallskip\n\\centering\\footnotesize\n\\setlength{\\tabcolsep}{3pt}\n"
        below = "" if self.details is None else f"\\par\\medskip\n{self.details.to_latex()}"
        return f"{LATEX_NEEDS}\\begin{{table}}\n{above}{small}{table}{below}\\end{{table}}\n"

    def _latex_cells(self, column: PaperColumn) -> list[str]:
        texts = column.texts(self.digits)
        cells = []
        for text, place, mark in zip(texts, column.places(texts), column.marks, strict=True):
            whole, point, decimals = text.replace("-", "−").partition(".")
            parts = [latex_text(whole), point + decimals]
            second = r"\underline" if place == 2 and self.second else ""
            style = r"\textbf" if place == 1 else second
            styled = [f"{style}{{{part}}}" if style and part else part for part in parts]
            cells.append(f"{styled[0]} & {styled[1]}{_raised(mark)}")
        return cells

    def to_markdown(self) -> str:
        """Return the table as Markdown; marks that are letters are superscripts."""
        letters = [""] if self.letters else []
        names = [*letters, "run", *(column.name for column in self.columns)]
        rule = [*(["---"] * (1 + len(letters))), *(["---:"] * len(self.columns))]
        body = []
        cells = zip(*(self._markdown_cells(column) for column in self.columns), strict=True)
        for place, row in enumerate(cells):
            body.append([*self.letters[place : place + 1], self.names[place], *row])
        above = f"{sentences(self.caption)}\n\n" if self.caption else ""
        below = "" if self.details is None else f"\n{self.details.to_markdown()}"
        return above + markdown_rows([names, rule, *body]) + below

    def _markdown_cells(self, column: PaperColumn) -> list[str]:
        texts = column.texts(self.digits)
        cells = []
        for text, place, mark in zip(texts, column.places(texts), column.marks, strict=True):
            styled = f"**{text}**" if place == 1 else text
            styled = f"<u>{text}</u>" if place == 2 and self.second else styled
            cells.append(styled + (f"<sup>{mark}</sup>" if _is_letters(mark) else mark))
        return cells


def _raised(mark: str) -> str:
    """Return a mark as a LaTeX superscript; letters are in text mode, other marks in maths mode."""
    if _is_letters(mark):
        return f"\\textsuperscript{{{latex_text(mark)}}}"
    return f"$^{{{latex_text(mark).replace('$', '')}}}$" if mark else ""


def _is_letters(mark: str) -> bool:
    return mark.replace("–", "").isalpha()
