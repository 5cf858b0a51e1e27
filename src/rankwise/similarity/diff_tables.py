"""The tables and sentences of a RunDiff."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankwise.arrays import ROUNDING
from rankwise.metrics import as_printed
from rankwise.notes import Note, note
from rankwise.results import Table, format_p
from rankwise.wording import Argument

if TYPE_CHECKING:
    from rankwise.similarity.run_diff import RunDiff

# Sizes of differences on topics that a sentence can name, largest first.
SIZES = (*(tenth / 10 for tenth in range(9, 0, -1)), 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
LABELS = {"RBO": "RBO", "RBA": "RBA", "RBR": "RBR"}


def described(changes: "RunDiff") -> str:
    """Return the runs and the number of topics."""
    topics = f"{len(changes.topics):,} topics"
    if len(changes.runs) > 2:
        return f"{len(changes.first):,} pairs of {len(changes.runs)} runs over {topics}"
    return f"{changes.runs[0]} and {changes.runs[1]} over {topics}"


def sentence(changes: "RunDiff", metric: str | None) -> str:
    """Return the bound on the difference of two runs by one metric, in words."""
    a, b = changes.runs
    if changes.identical[0]:
        return f"{a} and {b} are identical on all {len(changes.topics):,} topics."
    name = str(changes.metrics[0]) if metric is None else metric
    limit = changes.limit(name)
    highest = changes.highest_grades.get(name, changes.settings.highest_grade)
    free = "any binary judgments" if highest == 1 else f"any judgments from 0 to {highest}"
    condition = f"Under {'any further judgments' if changes.settings.has_judgments else free}"
    what = f"{condition}, {as_printed(name)} of {a} and {b}"
    if np.isnan(limit.mean):
        return f"{what} can differ by an unknown amount: no bound is known."
    if limit.largest == 0:
        return f"{what} is the same on all {len(changes.topics):,} topics."
    text = f"{what} can differ by at most {limit.mean:.4g} on average over {limit.topics:,} topics"
    size = next((size for size in SIZES if changes.topics_above(size, name)), None)
    if size is not None:
        text += f", and by more than {size:g} on {changes.topics_above(size, name):,} of them"
    return f"{text}."


def about_churn(changes: "RunDiff") -> list[Note]:
    """Return a note on the number of topics with changed tops, of two runs."""
    if len(changes.runs) > 2:
        return []
    counts = [
        f"top {name.partition('@')[2]}: {np.nansum(similarity.value[0]):.0f}"
        for name, similarity in changes.similarity.items()
        if name.startswith("changed@")
    ]
    text = f"topics with a changed {', '.join(counts)} of {len(changes.topics):,}"
    return [note("changed-tops", text)] if counts else []


def about_identical(changes: "RunDiff") -> list[Note]:
    """Return notes on pairs of runs whose rankings are all the same."""
    topics = len(changes.topics)
    if len(changes.runs) > 2:
        count = int(changes.identical.sum())
        text = f"identical on all {topics:,} topics: {count:,} pairs of runs"
        return [note("identical", text)] if count else []
    a, b = changes.runs
    same = int(changes.identical_topics[0])
    which = f"all {topics:,}" if same == topics else f"{same:,} of {topics:,}"
    return [note("identical", f"{a} and {b} are identical on {which} topics")] if same else []


def about_gaps(changes: "RunDiff") -> list[Note]:
    """Return a note on metrics whose bounds are not tight."""
    wide = []
    for name in changes.bounds:
        widest = changes.widest_gap(name)
        if widest != 0:
            wide.append(f"{name} ({widest:.2g})" if np.isfinite(widest) else name)
    if not wide:
        return []
    what = f"the bounds on mean differences are valid, but not tight: {', '.join(wide)}"
    text = f"{what}; the true range may be narrower by that much; a larger "
    return [note("bounds-not-tight", text, Argument("effort"), " may help")]


def similarity_table(changes: "RunDiff", digits: int) -> Table:
    """Return one row per measure for two runs, one per pair for more."""
    if len(changes.runs) > 2:
        return pairs_table(changes, digits)
    p = f"p = {changes.settings.p:g}"
    frame = changes.frame.filter(pl.col("metric").is_null())
    label = (
        pl.when(pl.col("measure").is_in(list(LABELS)))
        .then(pl.col("measure") + f" ({p})")
        .otherwise(pl.col("measure"))
    )
    conf = f"{100 * (1 - changes.settings.alpha):g} % CI"
    kept = ["group"] if changes.groups else []
    columns = frame.select(
        *kept,
        label.alias("measure"),
        pl.col("value").alias("mean"),
        pl.col("conf_low").alias(f"{conf} low"),
        pl.col("conf_high").alias("high"),
        pl.col("low").alias("min"),
        pl.col("high").alias("max"),
        "topics",
    )
    return Table(columns, caption=described(changes), digits=digits)


def pairs_table(changes: "RunDiff", digits: int) -> Table:
    """Return one row per pair of runs: its similarity, and the bounds on mean differences."""
    frame = changes.frame
    kept = ["group"] if changes.groups else []
    size = pl.max_horizontal(pl.col("low").abs(), pl.col("high").abs())
    shown = frame.filter(pl.col("metric").is_null() | (pl.col("measure") == "MED")).with_columns(
        name=pl.when(pl.col("metric").is_null())
        .then(pl.col("measure"))
        .otherwise("max |Δ| " + pl.col("metric")),
        shown=pl.when(pl.col("metric").is_null()).then(pl.col("value")).otherwise(size),
    )
    table = shown.pivot("name", index=[*kept, "a", "b"], values="shown")
    return Table(table, caption=described(changes), digits=digits)


def bounds_table(changes: "RunDiff", digits: int) -> Table:
    """Return one row per metric: the most that any judgments could make of two runs."""
    rows: list[dict[str, object]] = []
    parts = {"all": changes, **changes.by_group} if changes.groups else {"": changes}
    for group, part in parts.items():
        for name in part.bounds:
            limit = part.limit(name)
            rows.append(
                ({"group": group} if group else {})
                | {
                    "metric": as_printed(name),
                    "mean, at most": limit.mean,
                    "MED": limit.med,
                    "one topic, at most": limit.largest,
                    "topic": limit.topic,
                    "topics > 0.1": part.topics_above(0.1, name),
                    "bounds": "exact" if limit.gap == 0 else "valid",
                }
            )
    return Table(
        pl.DataFrame(rows), caption="The most that any judgments could make", digits=digits
    )


def scores_table(changes: "RunDiff", digits: int) -> Table:
    """Return one row per metric: both means, their difference, and measures of reproduction."""
    frame = changes.frame.filter(pl.col("metric").is_not_null() & (pl.col("measure") != "MED"))
    kept = ["group"] if changes.groups else []
    table = frame.pivot("measure", index=[*kept, "metric"], values="value")
    bounds = changes.frame.filter(pl.col("measure") == "MED").select(*kept, "metric", "low", "high")
    table = table.join(bounds, on=[*kept, "metric"], how="left", maintain_order="left")
    order = [*kept, "metric", "difference", "low", "high"]
    table = table.select(*order, *(name for name in table.columns if name not in order))
    columns = [name for name in ("p", "unpaired p") if name in table.columns]
    shown = [pl.Series(name, [format_p(p, digits) for p in table[name]]) for name in columns]
    caption = f"{changes.runs[1]} − {changes.runs[0]}"
    return Table(table.with_columns(shown), columns, caption, digits=digits)


def side_by_side(
    a: str, b: str, list_a: Sequence[str], list_b: Sequence[str], depth: int
) -> pl.DataFrame:
    """Return two lists by rank, each with the rank that its documents have in the other."""
    rank_a, rank_b = (
        {name: rank for rank, name in enumerate(names, 1)} for names in (list_a, list_b)
    )
    rows = range(min(depth, max(len(list_a), len(list_b))))
    first = [list_a[row] if row < len(list_a) else None for row in rows]
    second = [list_b[row] if row < len(list_b) else None for row in rows]
    return pl.DataFrame(
        {
            "rank": [row + 1 for row in rows],
            a: pl.Series(first, dtype=pl.String),
            f"in_{b}": pl.Series([rank_b.get(name or "") for name in first], dtype=pl.Int64),
            b: pl.Series(second, dtype=pl.String),
            f"in_{a}": pl.Series([rank_a.get(name or "") for name in second], dtype=pl.Int64),
        }
    )


def verdicts(changes: "RunDiff", maximum: float) -> list[str]:
    """Return a line for each pair and metric: whether any judgments could exceed a maximum."""
    lines = []
    for pair, (a, b) in enumerate(
        zip(changes.first.tolist(), changes.second.tolist(), strict=True)
    ):
        runs = f"{changes.runs[a]} and {changes.runs[b]}: " if len(changes.runs) > 2 else ""
        for name in changes.bounds:
            limit = changes.limit(name, pair)
            most = f"a mean difference of {limit.mean:.4f}"
            if np.isnan(limit.mean):
                verdict = "fails: no bound is known"
            elif limit.mean <= maximum + ROUNDING:
                verdict = f"passes: any judgments give at most {most}, which is within {maximum:g}"
            elif limit.mean - limit.gap <= maximum:
                verdict = f"fails: not shown to be within {maximum:g}; the upper bound is {most}"
                verdict += f", which is not tight (by up to {limit.gap:.4f})"
            elif limit.gap <= ROUNDING:
                verdict = f"fails: some judgments give {most}, above {maximum:g}"
            else:
                least = f"a mean difference of {limit.mean - limit.gap:.4f} or more"
                verdict = f"fails: some judgments give {least}, above {maximum:g}; the upper bound "
                verdict += f"is {limit.mean:.4f}"
            lines.append(f"{runs}{name}: {verdict}")
    return lines
