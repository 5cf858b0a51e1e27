"""Tables of discriminative power, one for each set of columns."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from rankwise.notes import Note, detail, note
from rankwise.results import Table

if TYPE_CHECKING:
    from rankwise.experiments.discrimination.discrimination import Discrimination

# How to read the columns of each method; those of the tests say what they are.
OF_BEST = "'% of best': the difference in percent of the best mean"
REACH = "'% reach': percentage of comparisons with a difference at least this large"
COLUMNS = {
    "bootstrap": (
        "'difference': the difference in mean score that is enough for significance in every pair "
        "of runs (achieved significance level, ASL ≤ alpha)"
    ),
    "log-bootstrap": (
        "'difference': as for bootstrap, but of means of logarithms; exp(difference) is the ratio "
        "of two geometric means"
    ),
    "area-bootstrap": (
        "'difference': as for bootstrap, but of areas. An area is MAP(x), the mean over the worst "
        "x topics, averaged over x up to a quarter of the topics"
    ),
    "swap": (
        "'difference': the smallest difference above which no bin of width 0.01 has a swap rate "
        f"above alpha; 'best': the best mean of a run on a topic set; {OF_BEST}; {REACH}"
    ),
    "disjoint-swap": (
        "'difference': the smallest difference above which no bin of width 0.01 has a swap rate "
        "above alpha; 'best': the best mean of a run on a topic set (if extrapolated, over all "
        f"topics); {OF_BEST}; {REACH}"
    ),
    "error-rate": (
        "'difference': the smallest difference above which the swap rate is at most alpha; "
        f"'best': the best mean of a run over all topics; {OF_BEST}; 'variance', 'sd': variance "
        f"and standard deviation of the means of the runs; {REACH}"
    ),
}
NO_DIFFERENCE = "'–': no difference has a swap rate below alpha"
TAU = (
    "'tau': Kendall's tau with the system ranking under the first table of gains; '–': the metric "
    "has no gains"
)


def in_tables(
    results: "Sequence[Discrimination]",
    *,
    curve: bool = False,
    taus: Mapping[str, float] | None = None,
    digits: int = 4,
) -> list[Table]:
    """Return one table per set of columns; all tests share one.

    With `curve`, the tables of the curves. `taus`, by metric, are added as a column. The notes
    come with the first table.
    """
    frames = by_kind(results, curve=curve, taus=taus)
    notes = [] if curve else how_to_read(results, frames)
    return [
        Table(_short(frame), notes=notes if place == 0 else [], digits=digits)
        for place, frame in enumerate(frames)
    ]


def by_kind(
    results: "Sequence[Discrimination]",
    *,
    curve: bool = False,
    taus: Mapping[str, float] | None = None,
) -> list[pl.DataFrame]:
    """Return one frame per set of columns."""
    kinds: dict[tuple[str, ...], list[pl.DataFrame]] = {}
    for one in results:
        frame = one.curve if curve else one.frame
        if taus and not curve:
            tau = pl.col("metric").replace_strict(taus, default=None, return_dtype=pl.Float64)
            frame = frame.with_columns(tau.alias("tau"))
        kinds.setdefault(tuple(frame.columns), []).append(frame)
    return [pl.concat(frames) for frames in kinds.values()]


def how_to_read(results: "Sequence[Discrimination]", frames: Sequence[pl.DataFrame]) -> list[Note]:
    """Explain the columns of each method."""
    methods = [one.experiment.method for one in results if one.experiment.method in COLUMNS]
    several = len(results) > 1
    notes = [
        detail("columns", f"{method}: {COLUMNS[method]}" if several else COLUMNS[method])
        for method in methods
    ]
    if any("best" in frame.columns and frame["difference"].has_nulls() for frame in frames):
        notes.append(note("no-difference", NO_DIFFERENCE))
    return [*notes, *([detail("tau", TAU)] if "tau" in frames[0].columns else [])]


def _short(frame: pl.DataFrame) -> pl.DataFrame:
    """Round percentages to one decimal, and keep the decimals of alpha."""
    percents = [name for name in frame.columns if name.startswith("%") or name == "percent"]
    decimals = dict.fromkeys(percents, 1)
    if "alpha" in frame.columns:
        levels = [f"{alpha:f}".rstrip("0") for alpha in frame["alpha"]]
        decimals["alpha"] = max(len(alpha.partition(".")[2]) for alpha in levels)
    return frame.with_columns(
        pl.col(name).cast(pl.Decimal(20, count)) for name, count in decimals.items()
    )
