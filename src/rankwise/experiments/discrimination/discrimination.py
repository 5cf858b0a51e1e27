"""`discriminate`: discriminative power of metrics, by several methods."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, get_args

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.comparison import REPEATS
from rankwise.errors import (
    CallError,
    TooLittle,
    check_at_least,
    check_between,
    check_word,
    in_words,
    too_few_topics,
)
from rankwise.experiments.discrimination.sensitivity import (
    TESTS,
    Significance,
    Summary,
    bootstrap_sensitivity,
    pair_significance,
    place_of,
)
from rankwise.experiments.discrimination.swap import (
    Averaging,
    Swaps,
    bootstrap_swaps,
    error_rates,
    extrapolated_swaps,
)
from rankwise.metrics import Metric
from rankwise.notes import Note, detail, note
from rankwise.progress import label_progress
from rankwise.rankings import Collection, QrelsLike, RunsLike
from rankwise.results import Charted, Table
from rankwise.scores import DEFAULT_METRICS, MetricsLike, Scores, scores_of_input
from rankwise.stats import Ties, dense_ranks, kendall
from rankwise.vocabulary import Discriminator, Mean, SwapMethod
from rankwise.wording import Argument, Count, Remedy

BOOTSTRAPS = ("bootstrap", "log-bootstrap", "area-bootstrap")
SWAPS = get_args(SwapMethod)
METHODS = get_args(Discriminator)
RESAMPLES = 1_000
LEAST_TOPICS = 2
Outcome: TypeAlias = Significance | Swaps
# Explanation of the columns of each method; columns of tests need none.
NEEDED = (
    "that two runs need to be significantly different (achieved significance level, ASL ≤ alpha). "
    "It is the largest estimate over all pairs of runs, rounded to two significant figures"
)
SWAP_RATE = (
    "A swap rate is the fraction of comparisons in which two topic sets disagree on the better of "
    "two runs"
)
NO_SWAPS_FROM = (
    "'difference' is the smallest difference above which no bin (of width 0.01) has a swap rate "
    "above alpha"
)
BEST_OF_SETS = "'best' is the best mean of a run on any topic set"
OF_BEST = "'% of best' is 'difference' in percent of 'best'"
REACH = "'% reach' is the percentage of comparisons with at least this difference"
COLUMNS = {
    "bootstrap": f"'difference' is an estimate of the difference of mean scores {NEEDED}",
    "log-bootstrap": (
        f"'difference' is an estimate of the difference of mean logarithms {NEEDED}. "
        "The corresponding ratio of two geometric means is exp(difference)"
    ),
    "area-bootstrap": (
        f"'difference' is an estimate of the difference of areas {NEEDED}. The area of a run is "
        "MAP(x), the mean over its worst x topics, averaged over x up to a quarter of the topics"
    ),
    "swap": (
        f"{NO_SWAPS_FROM}. {BEST_OF_SETS}. {OF_BEST}. {REACH}. {SWAP_RATE}, or in which the runs "
        "tie on one of the sets"
    ),
    "disjoint-swap": (
        f"{NO_SWAPS_FROM}. {BEST_OF_SETS} (in the extrapolated row, over all topics). {OF_BEST}. "
        f"{REACH} (in the extrapolated row, of pairs of runs). {SWAP_RATE}"
    ),
    "error-rate": (
        "'difference' is the smallest difference δ for which the swap rate of all differences of "
        "at least δ is at most alpha. 'best' is the best mean of a run over all topics. "
        f"{OF_BEST}. 'variance' and 'sd' are the variance and the standard deviation of the means "
        f"of the runs. {REACH}. {SWAP_RATE}"
    ),
}
NO_DIFFERENCE = "'–' means that the swap rate is above alpha even for the largest differences"
TAU = (
    "'tau' is Kendall's tau with the system ranking under the first table of gains. '–' means that "
    "the metric has no gains"
)


@dataclass(frozen=True)
class Experiment:
    """A method of measuring discriminative power, and its options; see `rankwise.discriminate`."""

    method: str = "bootstrap"
    alpha: tuple[float, ...] = (0.05,)
    resamples: int | None = None
    sizes: tuple[int, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        check_word("method", self.method, METHODS)
        if not self.alpha:
            raise CallError("no alpha is given. Give at least one.")
        check_at_least("resamples", self.resamples)
        for alpha in self.alpha:
            check_between("alpha", alpha)
            if self.method in BOOTSTRAPS:
                place_of(alpha, self.resamples or RESAMPLES)
            elif self.resamples is not None and self.method in TESTS:
                place_of(alpha, self.resamples + 1)  # the observed difference counts, too
        if self.resamples is not None and not self.draws:
            what = f" applies only to methods that resample, not to {self.method}. Remove "
            raise CallError(Argument("resamples"), what, Argument("resamples"), ".")
        if self.sizes and self.method not in SWAPS:
            what = f" applies only to the methods {in_words(list(SWAPS))}. Remove "
            raise CallError(Argument("sizes"), what, Argument("sizes"), ".")
        if any(size < 1 for size in self.sizes):
            raise CallError(
                Argument("sizes"), f" must be whole numbers, 1 or more, not {min(self.sizes)}."
            )

    @property
    def draws(self) -> bool:
        """Whether the method uses random numbers."""
        return self.method not in TESTS or TESTS[self.method] in REPEATS

    def _summary(self, averaged: Mean) -> Summary:
        """Return the statistic that a bootstrap method compares."""
        if self.method == "bootstrap":
            return "geometric mean" if averaged == "geometric" else "mean"
        if self.method == "log-bootstrap" and averaged != "geometric":
            remedy = Remedy(Argument("mean", "geometric"), "compute them")
            what = " compares geometric means."
            raise CallError(Argument("method", "log-bootstrap"), what, remedy=remedy)
        if self.method == "area-bootstrap" and averaged == "geometric":
            geometric = Argument("mean", "geometric")
            what = " compares areas, not means. Remove "
            raise CallError(Argument("method", "area-bootstrap"), what, geometric, ".")
        return "logarithms" if self.method == "log-bootstrap" else "area"

    def outcome(self, metric: Metric, values: Floats, averaged: Mean) -> Outcome:
        """Apply the method to one metric; `values` is systems × topics without NaN."""
        if values.shape[1] < LEAST_TOPICS:
            raise too_few_topics(metric, values.shape[1], LEAST_TOPICS)
        with label_progress(str(metric)):
            return self._applied(metric, values, averaged)

    def _applied(self, metric: Metric, values: Floats, averaged: Mean) -> Outcome:
        if self.method in TESTS:
            if averaged == "geometric":
                text = f"the method {self.method} cannot be combined with the geometric mean. Use "
                raise CallError(f"{text}the method log-bootstrap, bootstrap or swap.")
            return pair_significance(
                values, self.method, alpha=self.alpha, count=self.resamples, seed=self.seed
            )
        count, rng = self.resamples or RESAMPLES, np.random.default_rng(self.seed)
        if self.method in BOOTSTRAPS:
            summary = self._summary(averaged)
            return bootstrap_sensitivity(
                values, summary=summary, alpha=self.alpha, count=count, rng=rng
            )
        swaps: dict[str, Callable[..., Swaps]] = {
            "swap": bootstrap_swaps,
            "disjoint-swap": extrapolated_swaps,
            "error-rate": error_rates,
        }
        averaging = Averaging(averaged, metric.less_is_better)
        return swaps[self.method](
            values, sizes=self.sizes, count=count, rng=rng, averaging=averaging
        )


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(Charted):
    """Discriminative power of each metric.

    `frame` has one row per metric and α (and, for swap methods, size of topic sets). `curve`, which
    `chart` draws, has the sorted p-values of all pairs, or the swap rate of each bin of
    differences. `outcomes` has the full results. `found_notes` has the notes on the scores and the
    method; `notes` adds the random seed.
    """

    _everyday = ("curve",)
    _header = ("metrics", "topics")

    experiment: Experiment
    runs: tuple[str, ...]
    outcomes: dict[str, Outcome]
    metrics: tuple[Metric, ...] = ()
    topics: int = 0
    found_notes: tuple[Note, ...] = ()

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric and α (and size of topic sets), with the results of the method."""
        rows = [
            {"method": self.experiment.method, "metric": metric, "alpha": alpha, **row}
            for alpha in self.experiment.alpha
            for metric, outcome in self.outcomes.items()
            for row in outcome.summary(alpha)
        ]
        return pl.DataFrame(rows).fill_nan(None)

    @property
    def curve(self) -> pl.DataFrame:
        """Sorted p-values of pairs, or swap rates of bins, for all metrics (concatenated)."""
        method = pl.lit(self.experiment.method).alias("method")
        parts = [
            outcome.curve(self.runs).select(method, pl.lit(metric).alias("metric"), pl.all())
            for metric, outcome in self.outcomes.items()
        ]
        return pl.concat(parts).fill_nan(None)

    @property
    def notes(self) -> list[Note]:
        method, seed = self.experiment.method, self.experiment.seed
        drawn = (
            [detail("seed", f"the random seed is {seed} ({method})")]
            if self.experiment.draws
            else []
        )
        return [*self.found_notes, *drawn]

    @property
    def header(self) -> dict[str, Any]:
        return super().header | {"alpha": self.experiment.alpha, "seed": self.experiment.seed}

    @property
    def caption(self) -> str:
        return f"{self.experiment.method} of {len(self.runs)} runs"

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with one row per metric and α."""
        return in_tables([self], digits=digits)[0]


def discriminate(
    data: "QrelsLike | Collection | Scores",
    runs: "RunsLike | None" = None,
    metrics: "MetricsLike" = DEFAULT_METRICS,
    *,
    method: Discriminator = "bootstrap",
    alpha: float | Sequence[float] = 0.05,
    resamples: int | None = None,
    sizes: Sequence[int] = (),
    seed: int = 0,
) -> Discrimination:
    """Measure discriminative power: the percentage of pairs of runs that differ significantly.

    Swap methods measure instead how often two sets of topics disagree on the better run. For each
    metric, only topics on which every run has a score are used. Metrics with the same topics use
    the same resamples. For geometric means, use `log-bootstrap` (paired), `bootstrap` (then
    unpaired) or a swap method.

    Parameters
    ----------
    data, runs, metrics
        As for `score`. `data` may also be `Scores`, which may have geometric means.
    method
        A bootstrap: `bootstrap` (Sakai's sensitivity, paired by topic), `log-bootstrap` (for
        geometric means, paired) or `area-bootstrap` (for the area measure of the TREC robust track,
        unpaired). A test: `t`, `wilcoxon`, `sign`, `permutation`, `tukey` or `randomised-tukey`. A
        swap method: `swap` (Sakai's, with replacement), `disjoint-swap` (Voorhees and Buckley's,
        extrapolated) or `error-rate` (Ahlgren and Grönqvist's).
    alpha
        Significance levels, or allowed swap rates.
    resamples
        Number of resamples. The default is 1,000, or 10,000 for permutation tests.
    sizes
        For swap methods: number of topics in each of the two sets, one size or several. `swap`
        draws the sets with replacement (default size: all topics); `disjoint-swap` and
        `error-rate` draw disjoint sets.
    seed
        The random seed.

    Returns
    -------
    Discrimination
        One row per metric and alpha, with curves, tables and a chart.

    Examples
    --------
    >>> qrels = {t: {"a": 1} for t in "1234"}
    >>> up = {t: {"a": 2, "b": 1} for t in "1234"}
    >>> down = {t: {"b": 2, "a": 1} for t in "123"} | {"4": {"c": 3, "b": 2, "a": 1}}
    >>> found = discriminate(qrels, {"up": up, "down": down}, "RR", method="t")
    >>> found.frame.rows()
    [('t', 'RR', 0.05, 1, 1, 100.0)]
    """
    levels = (alpha,) if isinstance(alpha, float | int) else tuple(dict.fromkeys(alpha))
    experiment = Experiment(method, levels, resamples, tuple(sizes), seed)
    scores = scores_of_input(data, runs, metrics)
    if len(scores.runs) < 2:
        raise TooLittle("a comparison needs two runs or more; there is only one.")
    # Topics with an undefined score of any run are excluded, so the notes on means do not apply.
    notes = replace(scores, value=np.nan_to_num(scores.value)).notes
    outcomes = {}
    for metric, values in zip(scores.metrics, scores.value, strict=True):
        kept = np.isfinite(values).all(axis=0)
        if not kept.all():
            of = f"{(~kept).sum()} of {len(kept)}"
            what = f"topics on which a run has no score are excluded ({of} topics)"
            notes.append(note("topics-undefined", what, metric=metric))
        if experiment.method in SWAPS and np.nanmax(np.abs(values), initial=0) > 1:
            what = (
                "some scores are above 1, so differences can be large. All differences above 0.2 "
                "are in the last bin"
            )
            notes.append(note("beyond-bins", what, metric=metric))
        outcome = experiment.outcome(metric, values[:, kept], scores.averaged)
        outcomes[str(metric)] = outcome
        if isinstance(outcome, Significance) and np.isnan(outcome.p).any():
            count, what = (
                int(np.isnan(outcome.p).sum()),
                " not tested: their difference is the same on",
            )
            pairs = Count(count, "pair of runs is", "pairs of runs are")
            text = (pairs, f"{what} every topic")
            notes.append(note("no-variance", *text, metric=metric))
    topics = len(scores.topics)
    return Discrimination(experiment, scores.runs, outcomes, scores.metrics, topics, tuple(notes))


def in_tables(
    results: Sequence[Discrimination],
    *,
    curve: bool = False,
    taus: Mapping[str, float] | None = None,
    digits: int = 4,
) -> list[Table]:
    """Return the results as tables. Results with the same columns share a table.

    With `curve`, the tables have the curves. Otherwise `taus`, {metric: tau}, adds a column. Only
    the first table has notes.
    """
    frames = by_kind(results, curve=curve, taus=taus)
    notes = [] if curve else _how_to_read(results, frames)
    return [
        Table(_short(frame), notes=notes if place == 0 else [], digits=digits)
        for place, frame in enumerate(frames)
    ]


def by_kind(
    results: Sequence[Discrimination],
    *,
    curve: bool = False,
    taus: Mapping[str, float] | None = None,
) -> list[pl.DataFrame]:
    """Return the results as frames. Results with the same columns share a frame.

    The arguments are as for `in_tables`.
    """
    kinds: dict[tuple[str, ...], list[pl.DataFrame]] = {}
    for one in results:
        frame = one.curve if curve else one.frame
        if taus and not curve:
            tau = pl.col("metric").replace_strict(taus, default=None, return_dtype=pl.Float64)
            frame = frame.with_columns(tau.alias("tau"))
        kinds.setdefault(tuple(frame.columns), []).append(frame)
    return [pl.concat(frames) for frames in kinds.values()]


def _how_to_read(results: Sequence[Discrimination], frames: Sequence[pl.DataFrame]) -> list[Note]:
    """Return notes that explain the columns of each method."""
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
    """Format percentages with one decimal, and alpha with all of its decimals."""
    percents = [name for name in frame.columns if name.startswith("%") or name == "percent"]
    decimals = dict.fromkeys(percents, 1)
    if "alpha" in frame.columns:
        levels = [f"{alpha:f}".rstrip("0") for alpha in frame["alpha"]]
        decimals["alpha"] = max(len(alpha.partition(".")[2]) for alpha in levels)
    return frame.with_columns(
        pl.col(name).cast(pl.Decimal(20, count)) for name, count in decimals.items()
    )


# Metrics crossed with tables of gains: Tables 5 and 6 of Sakai (2007).


def crossed(metrics: Sequence[Metric], tables: Sequence[Any]) -> list[Metric]:
    """Combine each metric that takes gains with each table; other metrics are kept once.

    >>> from rankwise.metrics import parse
    >>> [str(metric) for metric in crossed([parse("O"), parse("RR")], ["2:1", "9:1"])]
    ['O(gains={1:1,2:2})', 'O(gains={1:1,2:9})', 'RR']
    """
    if not any("gains" in metric.parameters for metric in metrics):
        names = ", ".join(str(metric) for metric in metrics)
        what = f"several tables of gains are given, but none of {names} uses gains. Give one table."
        raise CallError(what)
    settings: list[Metric] = []
    for metric in metrics:
        has_gains = "gains" in metric.parameters
        settings += [metric.altered(gains=t) for t in tables] if has_gains else [metric]
    return settings


def tau_with_first(scores: Scores, *, ties: Ties = "b") -> dict[str, float]:
    """Return Kendall's tau of each metric with the same metric's first table of gains.

    Table 5 of Sakai (2007) prints it as tau-a. Metrics with only one table of gains are excluded.
    """
    places: dict[Metric, list[int]] = {}
    for place, metric in enumerate(scores.metrics):
        if "gains" in metric.parameters:
            places.setdefault(metric.altered(gains=None), []).append(place)
    tau_by_metric: dict[str, float] = {}
    for group in places.values():
        if len(group) > 1:
            kept = np.isfinite(scores.value[group]).all(axis=(0, 1))
            values = scores.value[group][:, :, kept]
            averaging = Averaging(scores.averaged)
            ranks = [dense_ranks(averaging.overall(one)) for one in values]
            taus = kendall(ranks[0], np.array(ranks), ties=ties)
            names = (str(scores.metrics[at]) for at in group)
            tau_by_metric |= dict(zip(names, taus.tolist(), strict=True))
    return tau_by_metric
