"""Tables of properties: Y and N with the notes of Table 2, and the evidence."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from rankwise.experiments.properties.search import PROPERTIES
from rankwise.notes import note
from rankwise.results import LATEX_NEEDS, Table, latex_text, rendered

if TYPE_CHECKING:
    from rankwise.experiments.properties.table import Properties, Row

SHORT = ("bound", "mono", "conv", "top", "local", "compl", "real", "swap")
PRINTED = ("Bounded", "Monoton.", "Converg.", "Top-wgt.", "Localiz.", "Complete", "Realizb.")
RAISED = dict(zip("abcdef", "ᵃᵇᶜᵈᵉᶠ", strict=True))
WORDS = {True: "Y", False: "N", None: "–"}
IN_FULL = {True: "Yes", False: "No", None: "–"}  # as the paper prints them


@dataclass(frozen=True, repr=False, eq=False)
class PropertyTable(Table):
    """Table of Y and N; Markdown and LaTeX have the headings of the paper.

    With `counterexamples` a second table below has the evidence.
    """

    found: "Properties | None" = None
    counterexamples: bool = False

    def rendered(self, style: str, *, width: int | None = None) -> str:
        assert self.found is not None
        if style == "latex":
            content = _latex(self.found)
        else:
            heads = dict(zip(SHORT, (*PRINTED, "SWAP"), strict=True)) if style != "table" else {}
            content = rendered(self.frame.rename(heads), style, width=width).decode()
        if not self.counterexamples:
            return content
        return content + "\n" + rendered(_worded(self.found, style), style, width=width).decode()


def property_table(
    properties: "Properties", digits: int, *, counterexamples: bool
) -> PropertyTable:
    """Return the table, and the notes of Table 2 that apply."""
    return PropertyTable(
        _lettered(properties),
        notes=[note("remark", each) for each in _remarks(properties, in_full=properties.by_name)],
        digits=digits,
        found=properties,
        counterexamples=counterexamples,
    )


def _remarks(properties: "Properties", *, in_full: bool) -> list[str]:
    """Return the notes of Table 2 by their letters; in full, all findings next to an N."""
    used = {row.mark(name) for row in properties.rows for name in row.answers}
    if not in_full:
        return [
            f"{RAISED[letter]} {text}"
            for letter, text in properties.letters.items()
            if letter in used
        ]
    return [
        f"{row.name}, {name}: {answer.remark}"
        for row in properties.rows
        for name, answer in row.answers.items()
        if answer.remark and not answer.holds
    ]


def _lettered(properties: "Properties") -> pl.DataFrame:
    """Return Y and N, with the notes of Table 2 as superscript letters."""
    columns = {
        head: [
            WORDS[row.answers[name].holds] + RAISED.get(row.mark(name), "")
            for row in properties.rows
        ]
        for head, name in zip(SHORT, PROPERTIES, strict=True)
    }
    return pl.DataFrame({"metric": [row.name for row in properties.rows], **columns})


def _worded(properties: "Properties", style: str) -> pl.DataFrame:
    words = IN_FULL if style == "latex" else WORDS
    frame = properties.evidence()
    return frame.with_columns(pl.Series("holds", [words[holds] for holds in frame["holds"]]))


def _latex(properties: "Properties") -> str:
    """Format Table 2 as printed, with SWAP as the eighth column and the notes below."""
    head = " & ".join(["Metric", *PRINTED, "SWAP"]) + " \\\\\n"
    body = "".join(_latex_row(row) for row in properties.rows)
    return (
        f"{LATEX_NEEDS}\\begin{{tabular}}{{lcccccccc}}\n\\toprule\n{head}\\midrule\n{body}\\bottomrule\n"
        f"{_latex_notes(properties)}\\end{{tabular}}\n"
    )


def _latex_row(row: "Row") -> str:
    cells = [latex_text(row.name.removesuffix("@k")) + "@$k$" * row.name.endswith("@k")]
    for name, answer in row.answers.items():
        mark = row.mark(name)
        cells.append(latex_text(IN_FULL[answer.holds]) + (f"$^{{{mark}}}$" if mark else ""))
    return " & ".join(cells) + " \\\\\n"


def _latex_notes(properties: "Properties") -> str:
    notes = ""
    for remark in _remarks(properties, in_full=False):
        text = re.sub(r"\b([kR])\b", r"$\1$", remark)
        text = text.replace("≤", "$\\leq$").replace("≥", "$\\geq$").replace(">", "$>$")
        letter = next(plain for plain, raised in RAISED.items() if raised == remark[0])
        notes += f"\\multicolumn{{9}}{{l}}{{\\footnotesize $^{{{letter}}}${text[1:]}}} \\\\\n"
    return notes
