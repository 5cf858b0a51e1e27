"""`Result`, the base class of all results, and `Table`, which commands print."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from rankwise.errors import CallError
from rankwise.notes import Note, below_table
from rankwise.results.tables import Columns, as_frame, format_p, rendered
from rankwise.vocabulary import ChartWidth
from rankwise.wording import Count

if TYPE_CHECKING:
    import polars as pl

SHOWN_ROWS = 40  # rows that a console or notebook displays; `table().frame` has all rows


@dataclass(frozen=True, repr=False, eq=False)
class Table:
    """A frame for display: the table that a command prints, with notes.

    `cells` is a frame, or a dict of lists. `right` names columns of text that are right-aligned,
    because they contain formatted numbers. `caption` is the caption in LaTeX, Markdown and HTML.
    `notes` explain the columns. `digits` is the number of decimals.
    """

    cells: "pl.DataFrame | Columns"
    right: Sequence[str] = ()
    caption: str | None = None
    notes: Sequence[Note] = ()
    digits: int = 4

    @property
    def frame(self) -> "pl.DataFrame":
        """The cells as a polars frame."""
        return as_frame(self.cells)

    def rendered(self, style: str, *, width: int | None = None) -> str:
        """Return the table as text in style `table`, `latex`, `markdown` or `html`."""
        found = rendered(
            self.cells, style, self.digits, width=width, caption=self.caption, right=self.right
        )
        return found.decode()

    def to_latex(self) -> str:
        return self.rendered("latex")

    def to_markdown(self) -> str:
        return self.rendered("markdown")

    def __str__(self) -> str:
        return self.rendered("table").rstrip("\n")

    def __repr__(self) -> str:
        return shown_text("", self, [])

    def _repr_html_(self) -> str:
        return shown_html("", self, [])


def table_with_p(
    frame: "pl.DataFrame",
    p_values: Sequence[str],
    caption: str | None = None,
    notes: Sequence[Note] = (),
    digits: int = 4,
) -> Table:
    """Return a table in which the columns named in `p_values` are formatted as 0.0312 or <0.0001.

    Names that are not columns of the frame are ignored.
    """
    import polars as pl

    there = [name for name in p_values if name in frame.columns]
    texts = [pl.Series(name, [format_p(p, digits) for p in frame[name]]) for name in there]
    return Table(frame.with_columns(texts), there, caption, notes, digits)


class Result:
    """Base class of all results.

    `frame` is a polars frame in long form with all values. `notes` has notes on the frame.
    `table()` returns the table that `rankwise` prints on the command line. A console or notebook
    displays the first rows of this table, followed by the most important notes.
    """

    # Names that completion shows in addition to the names that every result has. Names that only
    # other packages need are not listed.
    _everyday: ClassVar[tuple[str, ...]] = ()
    # Attributes that `header` has, in this order; metrics are written with their parameters.
    _header: ClassVar[tuple[str, ...]] = ()

    if TYPE_CHECKING:  # `frame` and `notes` are fields in some results and properties in others

        @property
        def frame(self) -> pl.DataFrame: ...

        @property
        def notes(self) -> Sequence[Note]: ...

    @property
    def caption(self) -> str:
        """The caption of the table; empty by default."""
        return ""

    @property
    def header(self) -> dict[str, Any]:
        """Metadata for programs, such as the metrics with their parameters, and the seed."""
        metadata: dict[str, Any] = {name: getattr(self, name) for name in self._header}
        if "metrics" in metadata:
            metadata["metrics"] = [metric.record for metric in metadata["metrics"]]
        return metadata

    def table(self, *, digits: int = 4) -> Table:
        """Return the result as a formatted table."""
        return Table(self.frame, digits=digits)

    def to_pandas(self) -> Any:
        """Return the frame as a pandas data frame."""
        try:
            import pandas as pd
        except ModuleNotFoundError as error:
            raise CallError(f"to_pandas needs {error.name}: pip install pandas.") from None
        return pd.DataFrame(self.frame.to_dict(as_series=False), columns=self.frame.columns)

    def to_latex(self, *, digits: int = 4) -> str:
        """Return the table as LaTeX (booktabs)."""
        return self.table(digits=digits).to_latex()

    def to_markdown(self, *, digits: int = 4) -> str:
        """Return the table as Markdown."""
        return self.table(digits=digits).to_markdown()

    def __dir__(self) -> list[str]:
        every = ["frame", "notes", "table", "to_latex", "to_markdown", "to_pandas"]
        chart = ["chart"] if hasattr(type(self), "chart") else []
        return sorted({*every, *chart, *self._everyday})

    def __repr__(self) -> str:
        return shown_text(self.caption, self.table(), self.notes)

    def _repr_html_(self) -> str:
        return shown_html(self.caption, self.table(), self.notes)


class Charted(Result):
    """A result with one chart."""

    def chart(self, *, width: ChartWidth | None = None) -> Any:
        """Draw the result (Altair)."""
        return draw(self, width=width)


def draw(result: "Result", *, width: ChartWidth | None = None, **options: bool | str | None) -> Any:
    """Return an Altair chart of a result, with this width.

    `rankwise.charts` has a function for each type of result. It depends on this package, so it is
    imported only when a chart is drawn.
    """
    from rankwise.charts import chart_of, sized

    return sized(chart_of(result, **options), width)


def shown_text(caption: str, table: Table, notes: Sequence[Note]) -> str:
    """Return a caption, the first rows of a table, and the most important notes as text."""
    first, more = _first_rows(table)
    from shutil import get_terminal_size

    width = get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else None
    text = first.rendered("table", width=width).rstrip("\n")
    shown, remaining = below_table([*notes, *table.notes])
    lines = [f"{'warning' if n.severity == 'warning' else 'note'}: {n}" for n in shown]
    below = [*more, *lines, *_about_remaining(remaining)]
    above = [caption, ""] if "\n" in caption else [caption] if caption else []
    return "\n".join([*above, text, *below])


def shown_html(caption: str, table: Table, notes: Sequence[Note]) -> str:
    """Return the content of `shown_text` as HTML for notebooks, with special characters escaped."""
    from html import escape

    first, more = _first_rows(table)
    tag = "pre" if "\n" in caption else "p"  # keeps line breaks
    above = f"<{tag}>{escape(caption)}</{tag}>\n" if caption else ""
    shown, remaining = below_table([*notes, *table.notes])
    lines = [*more, *map(str, shown), *_about_remaining(remaining)]
    items = "".join(f"<li>{escape(line)}</li>\n" for line in lines)
    below = f"<ul>\n{items}</ul>\n" if items else ""
    return above + replace(first, caption=None).rendered("html") + below


def _about_remaining(notes: Sequence[Note]) -> list[str]:
    return [f"{Count(len(notes), 'more note')}: see .notes and .table().notes"] if notes else []


def _first_rows(table: Table) -> tuple[Table, list[str]]:
    left = table.frame.height - SHOWN_ROWS
    if left <= 0:
        return table, []
    head = replace(table, cells=table.frame.head(SHOWN_ROWS))
    return head, [f"… and {left:,} more rows: see .frame and .table().frame"]
