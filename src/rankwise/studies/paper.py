"""What a study is made of: the tables and figures of a paper, each a function of the material."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any

import polars as pl

from rankwise.errors import CallError, did_you_mean
from rankwise.results.tables import format_cell
from rankwise.studies.material import Material


@dataclass(frozen=True)
class Figure:
    """A chart, and the numbers that it shows."""

    frame: pl.DataFrame
    chart: Any


Made = pl.DataFrame | Figure
Make = Callable[[Material], Made]


@dataclass(frozen=True)
class Part:
    """A table or a figure: `Table IV` under a heading of the paper, with its caption.

    `others` are the numbers of the paper's tables or figures that show the same of other
    collections. `digits` are those of all columns, but of those that `digits_of` names.
    `printed` has for some columns what the paper prints in each row.
    """

    title: str
    section: str
    caption: str
    make: Make
    digits: int
    others: tuple[str, ...] = ()
    digits_of: Mapping[str, int] = field(default_factory=dict)
    printed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """What it is called on pages: Table 5 (6, 7)."""
        return f"{self.title} ({', '.join(self.others)})" if self.others else self.title

    @property
    def name(self) -> str:
        """What its files are called: table-iv, figure-2."""
        return self.title.lower().replace(" ", "-")


@dataclass(frozen=True)
class Paper:
    """A paper's experimental section: its parts in the paper's order.

    `parameters` are what the paper chose (pool depths, numbers of resamples), by name,
    with the paper's choice as the default. `own_data` is what the first row of the first part
    holds, as printed to one decimal, where the data is the paper's own. `names` are the
    paper's, for charts, pages and LaTeX; csv files keep ours.
    """

    name: str
    citation: str
    about: str
    parameters: Mapping[str, str | int | float] = field(default_factory=dict)
    needs_runs: bool = True
    complete_runs: bool = False  # whether the paper left out incomplete runs
    names: Mapping[str, str] = field(default_factory=dict)
    own_data: Mapping[str, float] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What the paper is called: authors and a colon stand before it, a full stop after."""
        return self.citation.partition(": ")[2].partition(". ")[0]

    def part(
        self,
        title: str,
        *,
        section: str,
        digits: int = 4,
        others: tuple[str, ...] = (),
        digits_of: Mapping[str, int] | None = None,
        printed: Mapping[str, tuple[str, ...]] | None = None,
    ) -> Callable[[Make], Make]:
        """Make a function a part of the study; its docstring is the caption."""

        def add(make: Make) -> Make:
            caption = " ".join(cleandoc(make.__doc__ or "").split())
            if others:
                kind = title.split()[0]
                same = f"{kind}s {' and '.join(others)} of the paper"
                caption += f" {same} show the same of other collections."
            given = (digits, others, digits_of or {}, printed or {})
            self.parts.append(Part(title, section, caption, make, *given))
            return make

        return add

    def shown(self, part: Part, frame: pl.DataFrame) -> pl.DataFrame:
        """A part's numbers for people: with the paper's names, and its digits in text."""
        digits = {name: n for name, n in part.digits_of.items() if name in frame.columns}
        frame = frame.with_columns(
            pl.Series(name, [format_cell(cell, n) for cell in frame[name]], pl.String)
            for name, n in digits.items()
        )
        texts = [name for name, kind in frame.schema.items() if kind == pl.String]
        if self.names and texts:
            frame = frame.with_columns(pl.col(texts).replace(self.names))
        return frame.rename({old: new for old, new in self.names.items() if old in frame.columns})

    def is_own_data(self, first: pl.DataFrame) -> bool:
        """Whether the numbers of the first part are those of the data that the paper had."""
        if not self.own_data or not first.height or not set(self.own_data) <= set(first.columns):
            return False
        row = first.row(0, named=True)
        return all(abs(row[name] - value) < 0.06 for name, value in self.own_data.items())

    def with_defaults(self, given: Mapping[str, str | int | float]) -> dict[str, str | int | float]:
        """The parameters of the study: those given, each of its default's type, and the rest."""
        chosen = dict(self.parameters)
        for name, value in given.items():
            if name not in chosen:
                allowed = ", ".join(chosen) or "none"
                near = did_you_mean(name, chosen) or f" It has {allowed}."
                raise CallError(f"the study {self.name} has no parameter {name!r}.{near}")
            kind = type(chosen[name])
            try:
                chosen[name] = kind(value)
            except ValueError:
                raise CallError(f"{name}={value}: {name} must be {_article(kind)}.") from None
        return chosen


def _article(kind: type) -> str:
    return {"int": "a whole number", "float": "a number", "str": "text"}[kind.__name__]
