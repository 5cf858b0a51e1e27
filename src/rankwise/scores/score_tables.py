"""Tables of scores: for display, and in the long form of CSV and JSON.

The tables are built from lists instead of frames, because importing polars would take longer than
printing the scores of a small file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING, Any

from rankwise.arrays import long_columns, with_nones
from rankwise.errors import CallError
from rankwise.results import Columns, Table, format_cell, format_count
from rankwise.wording import Argument

if TYPE_CHECKING:
    import polars as pl

    from rankwise.results import PaperColumn, PaperTable
    from rankwise.scores.scores import Scores

ALL = "all"  # name of the row with the mean, and of the group of all topics
# Columns of numbers, even if they are formatted as text.
NUMBERS = ["topics", "value", "low", "high", "conf_low", "conf_high", "both_low", "both_high"]
NUMBERS += ["sd_runs", "runs", "lowest_rank", "highest_rank"]

WITH_INTERVALS = (
    "sort, second, caption and label apply only to tables with one row per run. A table with "
    "bounds, confidence intervals or averaged runs has one row per run and metric. Remove these "
    "options."
)
OF_GROUPS = (
    "sort, second, caption and label apply only to tables with one row per run. A table of topic "
    "groups has one row per group and run. Remove these options."
)


def long_form(
    scores: Scores, *, by_topic: bool = False, means: pl.DataFrame | None = None
) -> Columns:
    """Return the means in long form: columns run, topic, metric, value, low, high, topics.

    In a row with a mean, `topic` is `all`, and `topics` is the number of topics averaged. `low` and
    `high` are missing if scores have no bounds. With `by_topic`, rows with the score of each topic
    come first. `means`, a frame with confidence intervals, replaces the means of `scores`. With
    topic groups, a column `group` comes first; its value `all` means all topics.
    """
    if scores.groups:
        return _by_group(scores, means, long_form, by_topic)
    if means is None:
        found = long_columns(scores.axes, scores.totals)
    else:
        found = means.to_dict(as_series=False)
    more = {name: values for name, values in found.items() if name not in ("undefined", "missing")}
    names = {"run": more["run"], "topic": [ALL] * len(more["run"]), "metric": more["metric"]}
    averaged = names | more
    if not by_topic:
        return averaged
    each = long_columns(scores.axes | {"topic": scores.topics}, scores.cubes)
    nothing = [None] * len(each["run"])
    return {name: each.get(name, nothing) + values for name, values in averaged.items()}


def _by_group(
    scores: Scores, means: pl.DataFrame | None, rows_of: Callable[..., Columns], by_topic: bool
) -> Columns:
    """Return the rows of all topics, followed by the means of each topic group.

    `rows_of` is the function that returns the rows of some topics.
    """
    parts = []
    for name, part in ({ALL: replace(scores, groups=())} | scores.by_group).items():
        of_group = None if means is None else means.filter(group=name).drop("group")
        rows = rows_of(part, by_topic=by_topic, means=of_group)
        labels: list[str | None] = [name] * len(rows["run"])
        if by_topic and name == ALL:
            group_of = dict(zip(scores.topics, scores.groups, strict=True)) | {ALL: ALL}
            labels = [group_of[topic] for topic in rows["topic"]]
        elif by_topic:
            means_only = [topic == ALL for topic in rows["topic"]]
            rows = {column: list(compress(of, means_only)) for column, of in rows.items()}
            labels = labels[: sum(means_only)]
        parts.append({"group": labels} | rows)
    columns = {name: [value for part in parts for value in part[name]] for name in parts[0]}
    if any(isinstance(count, str) for count in columns.get("topics", ())):  # for example 48–50
        columns["topics"] = [str(count) for count in columns["topics"]]
    return columns


def pivoted(scores: Scores, *, by_topic: bool = False) -> Columns:
    """Return one row per run, best first, and one column per metric.

    With `by_topic`, return one row per run and topic.
    """
    order = scores.best_first
    runs = [scores.runs[place] for place in order]
    if by_topic:
        columns: Columns = {
            "run": [run for run in runs for _ in scores.topics],
            "topic": list(scores.topics) * len(runs),
        }
        values = scores.value[:, order]
    else:
        columns, values = {"run": runs}, scores.totals["value"][:, order]
    rows = zip(scores.metrics, values, strict=True)
    return columns | {str(metric): with_nones(value) for metric, value in rows}


def row_order(scores: Scores, sort: str | None, baseline: str | None = None) -> list[int]:
    """Return the indices of the runs in the order that `sort` names.

    With `given`, the runs have the order of `scores`. With the name of a metric, the best run by
    this metric comes first. By default, it is the first metric. With `baseline`, the baseline comes
    before all other runs, which are sorted by the first metric.
    """
    if sort == "given":
        return list(range(len(scores.runs)))
    if sort == "baseline":
        if baseline is None:
            what = " needs a baseline. Name a run with "
            raise CallError(Argument("sort", "baseline"), what, Argument("baseline"), ".")
        first = scores.runs.index(baseline)
        return [first, *(place for place in scores.best_first if place != first)]
    if sort is None:
        return scores.best_first
    try:
        return scores[sort].best_first
    except CallError as error:
        text = (" Use ", Argument("sort", "given"), " to keep the order of the runs.")
        raise CallError(Argument("sort"), ": ", *error.text, *text) from None


def paper_columns(
    scores: Scores, order: Sequence[int], marks: Mapping[tuple[str, str], str]
) -> list[PaperColumn]:
    """Return one column per metric; `marks` has the significance mark of each (metric, run)."""
    from rankwise.results import PaperColumn

    totals = scores.totals["value"]
    return [
        PaperColumn(
            f"{metric.as_printed} (sum)" if metric.aggregate == "sum" else metric.as_printed,
            with_nones(totals[place, order]),
            [marks.get((str(metric), scores.runs[run]), "") for run in order],
            0 if metric.is_diagnostic else metric.sign,
            metric.aggregate == "sum",
        )
        for place, metric in enumerate(scores.metrics)
    ]


def scores_for_paper(
    scores: Scores,
    *,
    digits: int,
    sort: str | None,
    second: bool,
    caption: str | None,
    label: str | None = None,
) -> PaperTable | Table:
    """Return a table for a paper: one row per run, one column per metric, best in bold.

    With bounds, topic groups or averaged runs of systems, return the table of `score_table`.
    """
    from rankwise.results import LABEL, PaperTable

    if scores.low is not None or scores.groups or scores.repetitions:
        if second or not sort is caption is label is None:
            raise CallError(OF_GROUPS if scores.groups else WITH_INTERVALS)
        return score_table(scores, digits=digits)
    order = row_order(scores, sort)
    counts = scores.totals["topics"]
    over = "–".join(str(count) for count in dict.fromkeys([counts.min(), counts.max()]))
    names = ", ".join(metric.as_printed for metric in scores.metrics)
    about = f"{names} over {over} topics. {how_to_read(scores, second=second)}"
    return PaperTable(
        [scores.runs[place] for place in order],
        paper_columns(scores, order, {}),
        captioned(caption, about),
        digits=digits,
        second=second,
        label=label or LABEL,
    )


def captioned(caption: str | None, generated: str) -> str:
    """Return the user's caption, then the generated one; an empty user's caption gives ""."""
    return generated if caption is None else f"{caption} {generated}" if caption else ""


def how_to_read(scores: Scores, *, second: bool) -> str:
    """Return sentences on bold and underlined scores, and on metrics where lower is better."""
    less = [metric.as_printed for metric in scores.metrics if metric.less_is_better]
    below = ", second underlined" if second else ""
    return f"Best in bold{below}." + (f" Lower is better: {', '.join(less)}." if less else "")


def score_table(
    scores: Scores,
    *,
    by_topic: bool = False,
    digits: int = 4,
    means: pl.DataFrame | None = None,
) -> Table:
    """Return a table with one row per run, best first; with `by_topic`, also one per run and topic.

    With bounds, with `means` (a frame with confidence intervals), or if several runs of a system
    were averaged, the table has one row per run and metric.
    """
    return Table(_rows(scores, by_topic, digits, means), NUMBERS, digits=digits)


def _rows(
    scores: Scores, by_topic: bool, digits: int, means: pl.DataFrame | None = None
) -> Columns:
    if scores.groups:
        return _by_group(scores, means, partial(_rows, digits=digits), by_topic)
    sums = {str(metric) for metric in scores.metrics if metric.aggregate == "sum"}
    if scores.low is not None or means is not None or scores.repetitions:
        rows = _ranked(scores, long_form(scores, by_topic=by_topic, means=means), sums, digits)
        if not by_topic:
            del rows["topic"]
            rows["metric"] = [f"{n} (sum)" if n in sums else n for n in rows["metric"]]
        return rows
    rows = pivoted(scores)
    if by_topic:
        board = {"run": rows["run"], "topic": [ALL] * len(scores.runs)} | rows
        each = pivoted(scores, by_topic=True)
        rows = {name: values + board[name] for name, values in each.items()}
    rows = {name: _whole(values) if name in sums else values for name, values in rows.items()}
    if by_topic:
        return rows
    named = {f"{name} (sum)" if name in sums else name: values for name, values in rows.items()}
    topics = scores.totals["topics"][:, scores.best_first]
    ends = list(zip(topics.min(axis=0).tolist(), topics.max(axis=0).tolist(), strict=True))
    if all(least == most for least, most in ends):
        return named | {"topics": [most for _, most in ends]}
    shown = [str(most) if least == most else f"{least}–{most}" for least, most in ends]
    return named | {"topics": shown}  # "48–50" if the metrics have different numbers


def _ranked(scores: Scores, rows: Columns, sums: set[str], digits: int) -> Columns:
    """Return rows in long form sorted by run, best first; the metrics in `sums` are counts."""
    place = {scores.runs[run]: place for place, run in enumerate(scores.best_first)}
    order = sorted(range(len(rows["run"])), key=lambda row: place[rows["run"][row]])
    rows = {name: [values[row] for row in order] for name, values in rows.items()}
    if not sums:
        return rows

    def as_text(values: list[Any]) -> list[Any]:
        if not any(isinstance(value, float) for value in values):
            return values
        return [
            (format_count if metric in sums else format_cell)(value, digits)
            for metric, value in zip(rows["metric"], values, strict=True)
        ]

    return {name: as_text(values) for name, values in rows.items()}


def _whole(values: list[Any]) -> list[Any]:
    """Convert values to integers if all are whole numbers."""
    if all(value is None or float(value).is_integer() for value in values):
        return [None if value is None else int(value) for value in values]
    return values
