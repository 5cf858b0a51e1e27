"""Parts of a study: tables and figures of a paper, each computed by a function of the data."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from inspect import cleandoc
from typing import Any, TypeVar

import polars as pl

from rankwise.errors import CallError, TooLittle, did_you_mean
from rankwise.results import format_cell
from rankwise.studies.material import Material

PRINTED = " (paper)"  # ending of the names of columns with values that the paper prints
SAYS_PRINTED = "Columns marked (paper) have the values that the paper prints"


@dataclass(frozen=True)
class Figure:
    """A chart and its data."""

    frame: pl.DataFrame
    chart: Any
    remark: str = ""


@dataclass(frozen=True)
class Table:
    """Numbers, and a remark for the caption that is specific to these data."""

    frame: pl.DataFrame
    remark: str = ""


@dataclass(frozen=True)
class TooLittleFor:
    """The result of a table or figure that needs more runs or topics than the data have.

    `why` has the reason.
    """

    why: str


Made = Table | Figure
Make = Callable[[Material], pl.DataFrame | Made]
Maker = TypeVar("Maker", bound=Make)


@dataclass(frozen=True)
class Part:
    """A table or a figure of a study, such as Table IV, with its caption and the paper's section.

    `others` has the numbers of the paper's tables or figures that show the same for other
    collections. `digits` is the number of decimals of all columns except those in `digits_of`.
    """

    title: str
    section: str
    caption: str
    make_from: Make
    digits: int
    others: tuple[str, ...] = ()
    digits_of: Mapping[str, int] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """Title and, in brackets, the numbers in `others`, for example Table 5 (6, 7)."""
        return f"{self.title} ({', '.join(self.others)})" if self.others else self.title

    @property
    def name(self) -> str:
        """Base name of the output files of a table or figure, for example table-iv."""
        return self.title.lower().replace(" ", "-")


@dataclass(frozen=True)
class Paper:
    """A paper's experimental section: its tables and figures, in the paper's order.

    `parameters` has the parameters of the study (pool depths, numbers of resamples), with the
    paper's values as defaults. `names` has the paper's names of metrics, for charts, pages and
    LaTeX; CSV files have rankwise's names. `facts` is a function that computes numbers from the
    data; the paper's own collections are recognised by these numbers.
    """

    name: str
    citation: str
    about: str
    parameters: Mapping[str, str | int | float] = field(default_factory=dict)
    needs_runs: bool = True
    complete_runs: bool = False  # whether the paper left out incomplete runs
    names: dict[str, str] = field(default_factory=dict)
    facts: Callable[[Material], Sequence[object]] | None = None
    parts: list[Part] = field(default_factory=list)

    @cached_property
    def printed(self) -> dict[str, dict[str, Any]]:
        """The values that the paper prints: {table title: {collection: {column: values}}}.

        The values of a column are a list, or {name of the row in the paper: value}. The collection
        is "" if the values hold for any collection. The key `collections` has the numbers by which
        each collection is recognised. The values are read from a JSON file with the name of the
        study; the result is empty without a file.
        """
        file = files("rankwise.studies").joinpath(f"{self.name}.json")
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    def collection(self, data: Material) -> str:
        """Return the paper's name of the collection, or "" if the paper did not use it."""
        if self.facts is None:
            return ""
        own = list(self.facts(data))
        return next((name for name, row in self.printed["collections"].items() if row == own), "")

    def make(self, part: Part, data: Material) -> Made | TooLittleFor:
        """Compute a table or figure; a table also gets the values that the paper prints."""
        try:
            made = part.make_from(data)
        except TooLittle as error:
            return TooLittleFor(str(error))
        if isinstance(made, Figure):
            return made
        table = Table(made) if isinstance(made, pl.DataFrame) else made
        if part.title not in self.printed or printed_columns(table.frame):
            return table
        return self.beside(part.title, table, self.collection(data))

    def beside(self, title: str, table: Table, collection: str) -> Table:
        """Return a table with added columns: the values that the paper prints for the collection.

        Each added column comes after the column of the same name. The table is returned unchanged
        if the paper prints nothing for this collection.
        """
        by_collection = self.printed[title]
        name = "" if "" in by_collection else collection
        printed = by_collection.get(name)
        if printed is None:
            return table
        both = []
        for column in table.frame:
            both.append(column)
            if column.name in printed:
                values = printed[column.name]
                if isinstance(values, dict):
                    rows = table.frame.to_series(0)
                    values = [values.get(self.names.get(row, row)) for row in rows]
                both.append(pl.Series(column.name + PRINTED, values, strict=False))
        remark = f"{SAYS_PRINTED}{f' for {name}' if name else ''}. {table.remark}"
        return Table(pl.DataFrame(both), remark.strip())

    @property
    def title(self) -> str:
        """Title of the paper: the citation after the authors and a colon, up to the full stop."""
        return self.citation.partition(": ")[2].partition(". ")[0]

    def part(
        self,
        title: str,
        *,
        section: str,
        digits: int = 4,
        others: tuple[str, ...] = (),
        digits_of: Mapping[str, int] | None = None,
    ) -> Callable[[Maker], Maker]:
        """Return a decorator that registers a function as a table or figure of the study.

        The docstring of the function is the caption.
        """

        def add(make: Maker) -> Maker:
            caption = " ".join(cleandoc(make.__doc__ or "").split())
            if others:
                kind = title.split()[0]
                same = f"{kind}s {' and '.join(others)} of the paper"
                caption += f" {same} show the same for other collections."
            self.parts.append(Part(title, section, caption, make, digits, others, digits_of or {}))
            return make

        return add

    def shown(self, part: Part, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the numbers of a table or figure for display.

        Numbers are formatted, and metrics have the paper's names.
        """
        digits = {name: n for name, n in part.digits_of.items() if name in frame.columns}
        frame = frame.with_columns(
            pl.Series(name, [format_cell(cell, n) for cell in frame[name]], pl.String)
            for name, n in digits.items()
        )
        frame = frame.with_columns(
            pl.Series(name, ["–" if cell is None else f"{cell:g}" for cell in frame[name]])
            for name in printed_columns(frame)
            if frame[name].dtype.is_numeric()
        )
        texts = [name for name, kind in frame.schema.items() if kind == pl.String]
        if self.names and texts:
            frame = frame.with_columns(pl.col(texts).replace(self.names))
        names = self.names | {old + PRINTED: new + PRINTED for old, new in self.names.items()}
        return frame.rename({old: new for old, new in names.items() if old in frame.columns})

    def right(self, part: Part, frame: pl.DataFrame) -> list[str]:
        """Return the names of columns that `shown` formats as text although they hold numbers.

        These columns are right-aligned in tables.
        """
        return [*part.digits_of, *printed_columns(self.shown(part, frame))]

    def with_defaults(self, given: Mapping[str, str | int | float]) -> dict[str, str | int | float]:
        """Return all parameters of the study: the values in `given`, and defaults for all others.

        The values are converted to the types of the defaults.
        """
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
                article = {int: "a whole number", float: "a number", str: "text"}[kind]
                raise CallError(f"{name}={value}: {name} must be {article}.") from None
        return chosen


def printed_columns(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if name.endswith(PRINTED)]
