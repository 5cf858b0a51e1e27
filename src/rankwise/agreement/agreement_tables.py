"""The agreement of judges as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankwise.errors import CallError, some_of
from rankwise.notes import note
from rankwise.results import Table, format_p
from rankwise.wording import Argument

if TYPE_CHECKING:
    from rankwise.agreement.agreement import Agreement
    from rankwise.vocabulary import AgreementView

MANY_JUDGES = 3  # from here on the table has all judges together, not each pair
WEIGHTS_AND_LEVELS = {
    "agreement": "raw agreement",
    "kappa": "Cohen's kappa",
    "kappa linear": "  linear weights",
    "kappa quadratic": "  quadratic weights",
    "alpha nominal": "Krippendorff's alpha, nominal",
    "alpha ordinal": "  ordinal",
    "alpha interval": "  interval",
    "AC1": "Gwet's AC1",
    "AC2 linear": "Gwet's AC2, linear weights",
    "AC2 quadratic": "  quadratic weights",
    "overrating": "mean overrating",
}
AT = {
    "kappa at": "Cohen's kappa, grades ≥ {}",
    "precision at": "precision, grades ≥ {}",
    "recall at": "recall, grades ≥ {}",
    "F1 at": "F1, grades ≥ {}",
}
ORDER = ["agreement", "kappa", "kappa linear", "kappa quadratic", "kappa at", "Fleiss' kappa"]
ORDER += ["alpha nominal", "alpha ordinal", "alpha interval", "AC1", "AC2 linear"]
ORDER += ["AC2 quadratic", "precision at", "recall at", "F1 at", "overrating"]


def agreement_table(agreement: Agreement, show: AgreementView, rows: int, digits: int) -> Table:
    """The table of one view."""
    frame = agreement.view(show)
    if show == "labels":
        return _labels_table(agreement, frame, digits)
    if show == "confusion":
        return _confusion_table(agreement, frame, digits)
    if show in ("grades", "judges"):
        return _with_intervals(frame, agreement, digits)
    intervals = agreement.interval_notes(show)
    hidden = frame.height - rows
    more = (
        [note("rows", f"{hidden:,} more rows are not shown; csv and json have all rows")]
        if hidden > 0
        else []
    )
    one_pair = frame.select("first", "second").unique().height == 1
    frame = (frame.drop("first", "second") if one_pair else frame).head(rows)
    p_values = [name for name in frame.columns if name.endswith("p") and "group" not in name]
    shown = [pl.Series(name, [format_p(p, digits) for p in frame[name]]) for name in p_values]
    frame = frame.with_columns(shown)
    return Table(
        frame,
        p_values,
        agreement.caption,
        [*(note(show, text) for text in agreement.summary(show)), *more, *intervals],
        digits,
    )


def label(name: str, grade: float | None) -> str:
    """The name of a statistic as people write it."""
    if grade is not None and name in AT:
        return AT[name].format(f"{grade:g}")
    return WEIGHTS_AND_LEVELS.get(name, name)


def _labels_table(agreement: Agreement, frame: pl.DataFrame, digits: int) -> Table:
    """Two judges: all statistics. More: those of all judges, then the kappas of each pair."""
    if len(agreement.judges) < MANY_JUDGES:
        order = {name: place for place, name in enumerate(ORDER)}
        frame = frame.filter(pl.col("statistic").is_in(ORDER))
        rank = pl.col("statistic").replace_strict(order, return_dtype=pl.Int64)
        frame = frame.sort(rank, "grade", maintain_order=True)
        labels = [label(*row) for row in frame.select("statistic", "grade").rows()]
    else:
        wanted = pl.col("first").is_null() | (pl.col("statistic") == "kappa quadratic")
        frame = frame.filter(wanted & (pl.col("statistic") != "differs"))
        labels = [
            label(name, grade) if first is None else f"{first}, {second}: quadratic kappa"
            for name, first, second, grade in frame.select(
                "statistic", "first", "second", "grade"
            ).rows()
        ]
    cells = frame.select(pl.Series("statistic", labels), *_ends(frame, agreement, digits))
    right = [name for name in cells.columns if name != "statistic"]
    return Table(cells, right, agreement.caption, agreement.interval_notes("labels"), digits)


def _with_intervals(frame: pl.DataFrame, agreement: Agreement, digits: int) -> Table:
    ends = _ends(frame, agreement, digits)
    numbers = [name for name in frame.columns if name in ("documents", "topics")]
    kept = [name for name in ("first", "second", "judge", "grade") if name in frame.columns]
    if "second" in kept and len(agreement.judges) == 2:
        kept = [name for name in kept if name not in ("first", "second")]
    cells = frame.select(*kept, *ends, *numbers)
    if "grade" in kept:
        cells = cells.with_columns(pl.Series("grade", [f"{grade:g}" for grade in frame["grade"]]))
    notes = agreement.interval_notes("grades")
    return Table(cells, [end.name for end in ends], agreement.caption, notes, digits)


def _ends(frame: pl.DataFrame, agreement: Agreement, digits: int) -> list[pl.Series]:
    """The value, the interval over topics and the naive interval, as text."""

    def interval(low: str, high: str) -> list[str]:
        pairs = frame.select(low, high).rows()
        return [
            "–" if one is None or other is None else f"{one:.{digits}f} to {other:.{digits}f}"
            for one, other in pairs
        ]

    level = f"{100 * agreement.resampling.confidence:g} %"
    values = ["–" if one is None else f"{one:.{digits}f}" for one in frame["value"]]
    return [
        pl.Series("value", values),
        pl.Series(f"{level} CI (topics)", interval("low", "high")),
        pl.Series("naive CI", interval("naive_low", "naive_high")),
    ]


def _confusion_table(agreement: Agreement, frame: pl.DataFrame, digits: int) -> Table:
    """One row per grade of the first judge, one column per grade of the second."""
    judges = agreement.judges
    if len(judges) > 2:
        raise CallError(
            Argument("show", "confusion"),
            f" needs two judges; there are {len(judges)}: {some_of(judges)}. Give two of them.",
        )
    grades = pl.col("first_grade", "second_grade").map_elements(lambda g: f"{g:g}", pl.String)
    table = frame.with_columns(grades).pivot(
        on="second_grade", index="first_grade", values="documents"
    )
    total = table.drop("first_grade").sum_horizontal().alias("all")
    table = table.with_columns(total).rename({"first_grade": f"{judges[0]} \\ {judges[1]}"})
    return Table(table, caption=agreement.caption, digits=digits)
