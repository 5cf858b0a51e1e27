"""Stability of scores and of the system ranking with fewer judgments."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints, long_frame
from rankwise.errors import CallError, check_at_least, check_word
from rankwise.experiments.stability.leave_out import (
    POOL_DEPTH,
    Groups,
    LeaveGroupOut,
    LeftOut,
    Means,
    Measured,
    leave_groups_out,
    order_kept,
)
from rankwise.experiments.stability.shards import SHARES as SHARDS, Sharding
from rankwise.judging import SHARES, Cuttable, Draw, check_share
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note, detail, note
from rankwise.progress import track
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    Needs,
    Possible,
    QrelsLike,
    RunsLike,
    as_collection,
    assumption_note,
)
from rankwise.results import Result, Table, draw
from rankwise.scores import DEFAULT_METRICS, MetricsLike, Scores, check_shared_ties, needs_of
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Assumption, ChartWidth, Cut, Mean
from rankwise.wording import Argument, Count

DEPTHS = (*range(1, 10), *range(10, 101, 10))
Level = float | None
Step = tuple[int, Level]  # a repeat and a level
REMOVE = ". Remove one of them."


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result):
    """Mean scores of runs at each level of judgments; the last level has all judgments.

    A level is a pool depth (None: all judgments), the fraction of judgments in a sample, or the
    fraction of documents in a shard. `value` has the scores, `low` and `high` their bounds, as
    means over topics of shape (metrics, levels, repeats, runs). `judged` and `relevant`, of shape
    (levels, repeats), are the mean numbers per topic of remaining judgments, and of relevant
    documents among them. `undefined`, of shape (metrics, levels), is the number of topics without a
    score (the largest over repeats and runs). If runs are scored without the judgments that only
    their own group contributed, `with_own` has the results with these judgments.
    """

    _everyday = ("by_run", "tau")
    _header = ("metrics", "topics", "by", "seed")

    by: Cut
    metrics: tuple[Metric, ...]
    runs: tuple[str, ...]
    levels: tuple[Level, ...]
    value: Floats = field(repr=False)
    low: Floats | None = field(repr=False)
    high: Floats | None = field(repr=False)
    undefined: Ints = field(repr=False)
    judged: Floats = field(repr=False)
    relevant: Floats = field(repr=False)
    seed: int = 0
    input_notes: tuple[Note, ...] = ()
    topics: int = 0  # number of topics
    with_own: "Stability | None" = field(default=None, repr=False)

    @property
    def level(self) -> str:
        """Name of the column of levels in `frame`."""
        return "depth" if self.by == "pool-depth" else "keep"

    @property
    def repeats(self) -> int:
        return self.value.shape[2]

    def where_metrics(self, keep: Sequence[bool]) -> "Stability":
        """Return the results of the metrics for which `keep` is true."""
        places = np.flatnonzero(keep)
        cubes: dict[str, Any] = {name: ends[places] for name, ends in self._bounds()}
        return replace(
            self,
            metrics=tuple(self.metrics[place] for place in places),
            value=self.value[places],
            undefined=self.undefined[places],
            with_own=self.with_own and self.with_own.where_metrics(keep),
            **cubes,
        )

    @property
    def tau(self) -> Floats:
        """Kendall's tau with the system ranking under all judgments: (metrics, levels, repeats)."""
        full = (self.with_own or self).value[:, -1, 0]
        return np.array([order_kept(*two) for two in zip(full, self.value, strict=True)])

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric and level.

        `value` is the mean over runs and repeats, `tau` the mean over repeats; `sd` and `tau sd`
        are the standard deviations over repeats, if there are several. `judged` and `relevant`
        count judgments per topic. A null `depth` means all judgments.
        """
        tau = self.tau
        again = self.repeats > 1
        columns = {"value": _in_order(self.value).mean(axis=(2, 3))}
        columns |= {"sd": _spread(_in_order(self.value).mean(axis=3))} if again else {}
        columns |= {name: _in_order(ends).mean(axis=(2, 3)) for name, ends in self._bounds()}
        columns |= {"tau": tau.mean(axis=2)}
        columns |= {"tau sd": _spread(tau)} if again else {}
        for name, count in (("judged", self.judged), ("relevant", self.relevant)):
            columns[name] = count.mean(axis=1)
        return long_frame(self._axes, columns)

    def by_run(self) -> pl.DataFrame:
        """Return one row per metric, level and run: means over topics and repeats."""
        columns = {"value": self.value.mean(axis=2)}
        columns |= {name: ends.mean(axis=2) for name, ends in self._bounds()}
        return long_frame(self._axes | {"run": self.runs}, columns)

    @property
    def _axes(self) -> dict[str, Sequence[str] | pl.Series]:
        kind = pl.Int64 if self.by == "pool-depth" else pl.Float64
        levels = pl.Series(list(self.levels), dtype=kind)
        return {"metric": [str(metric) for metric in self.metrics], self.level: levels}

    def _bounds(self) -> Iterator[tuple[str, Floats]]:
        for name, ends in (("low", self.low), ("high", self.high)):
            if ends is not None:
                yield name, ends

    @property
    def notes(self) -> list[Note]:
        notes = list(self.input_notes)
        for metric, counts in zip(self.metrics, self.undefined, strict=True):
            if counts.max() > counts[-1]:
                where = self.levels[int(counts.argmax())]
                at = f"{self.level} {'' if self.level == 'depth' else '= '}{where}"
                numbers = f"{Count(counts.max(), 'topic')} at {at}, {counts[-1]} with all judgments"
                what = f"topics with an undefined score are excluded from the means ({numbers})"
                notes.append(note("topics-undefined", what, metric=metric))
        if len(self.runs) == 1:
            notes.append(note("tau-undefined", "with one run, tau is undefined"))
        elif np.isnan(self.tau).any():
            what = "tau is undefined if all runs have the same mean, or if a run has no mean"
            notes.append(note("tau-undefined", what))
        if self.by != "pool-depth":
            what = f"each row uses {Count(self.repeats, f'random {self.by}')}; the random seed is "
            what += str(self.seed)
            notes.append(detail("seed", what))
        return notes

    @property
    def caption(self) -> str:
        if self.by == "shard":
            return f"Means of {len(self.runs)} runs on random subsets of the documents:"
        cut = "a pool of each depth" if self.by == "pool-depth" else "random samples"
        if self.with_own is not None:
            cut += ", without the documents that only a run's own group contributed"
        return f"Means of {len(self.runs)} runs with judgments cut to {cut}:"

    def table(self, *, digits: int = 4, by_run: bool = False) -> Table:
        """Return a table with one row per metric and level; with `by_run`, per run as well."""
        frame = self.by_run() if by_run else self.frame
        level = pl.col(self.level)
        if self.by == "pool-depth":
            shown = level.cast(pl.String).fill_null("all")
        else:  # a share needs no four decimals
            shown = level.map_elements("{:g}".format, pl.String)
        return Table(frame.with_columns(shown), ["depth", "keep"], digits=digits)

    def chart(self, *, by_run: bool = False, width: ChartWidth | None = None) -> Any:
        """Draw scores and tau by level; with `by_run`, the scores of each run (Altair)."""
        return draw(self, by_run=by_run, width=width)


def _in_order(values: Floats) -> Floats:
    """Sort over runs (the last axis), so that sums do not depend on the order of files."""
    return np.sort(values, axis=-1)


def _spread(values: Floats) -> Floats:
    """Return the standard deviation over repeats; exactly 0 if all values are equal."""
    return np.where(np.ptp(values, axis=2) == 0, 0.0, values.std(axis=2, ddof=1))


@overload
def stability(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = ...,
    metrics: "MetricsLike" = ...,
    *,
    by: Literal["pool-depth", "sample", "shard"] = ...,
    at: Iterable[float] | None = ...,
    resamples: int = ...,
    seed: int = ...,
    groups: Groups | None = ...,
    pool_depth: int | None = ...,
    rel: float = ...,
    mean: Mean = ...,
    bounds: bool = ...,
    unjudged: Assumption = ...,
) -> Stability: ...
@overload
def stability(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = ...,
    metrics: "MetricsLike" = ...,
    *,
    by: Literal["group"],
    groups: Groups | None = ...,
    pool_depth: int | None = ...,
    rel: float = ...,
    mean: Mean = ...,
) -> LeftOut: ...
def stability(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = None,
    metrics: "MetricsLike" = DEFAULT_METRICS,
    *,
    by: Cut = "pool-depth",
    at: Iterable[float] | None = None,
    resamples: int = 10,
    seed: int = 0,
    groups: "Groups | None" = None,
    pool_depth: int | None = None,
    rel: float = 1,
    mean: Mean = "arithmetic",
    bounds: bool = False,
    unjudged: Assumption = "retrieved",
) -> Stability | LeftOut:
    """Score runs with reduced sets of judgments, and compare the system rankings.

    A level is a pool depth, or a fraction of the judgments or documents (see `at`). All levels have
    the same topics. At each level, topics for which a metric is undefined are excluded from its
    mean, with a note.

    Parameters
    ----------
    data, runs, metrics
        As for `score`.
    by
        `pool-depth` keeps the judged documents in a pool of depth `at`, as in Figures 2, 4, 5 and 6
        of Moffat and Zobel (2008). `sample` keeps a random fraction of each topic's judgments, as
        in Figures 5 to 8 of Ahlgren and Grönqvist (2007). `shard` keeps a random fraction of the
        documents, in both runs and judgments, and renumbers the ranks, to simulate the same search
        on a smaller collection. `group` scores each run without the judgments of documents that
        only its own group contributed to the pool.
    at
        The levels: pool depths, or fractions of judgments or documents.
    resamples, seed
        Number of samples or shards at each level; their random seeds are seed, seed + 1, ….
    groups, pool_depth
        `groups` is {run: group}, or a file with lines `run group`. `pool_depth` is the depth to
        which the runs contributed to the pool, 100 by default.
        For `by="group"`, each run is its own group by default. For `pool-depth` and `sample`,
        groups simulate runs that did not contribute to the pool: each run is scored, at every
        level, without the judgments of documents that only its own group contributed. Kendall's tau
        still compares with the system ranking under all judgments.
    rel
        Relevance threshold, for sampling, for numbers of relevant documents and for metrics without
        their own `rel`.
    mean
        As for `score`.
    bounds, unjudged
        Whether to compute bounds too, and the assumption about unjudged documents.

    Returns
    -------
    Stability or LeftOut
        One row per metric and level, with Kendall's tau between the system rankings at this level
        and under all judgments, and charts. For `by="group"`, one row per metric and run.

    Examples
    --------
    >>> judged = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> runs = {"one": {"1": {"a": 3, "b": 2, "c": 1}}, "two": {"1": {"b": 3, "a": 2}}}
    >>> stability(judged, runs, "AP", at=[1]).frame.select("depth", "value", "tau").rows()
    [(1, 0.75, 1.0), (None, 0.5416666666666666, 1.0)]
    """
    check_word("by", by, get_args(Cut))
    check_word("unjudged", unjudged, get_args(Assumption))
    check_at_least("resamples", resamples)
    collection = as_collection(data, runs)
    means = Means(tuple(parse_all(metrics, rel)), collection.topics, mean, bounds, unjudged)
    check_shared_ties(means.metrics, collection.depth)
    depth = POOL_DEPTH if pool_depth is None else pool_depth
    if by == "group":
        if at is not None or bounds:
            other = Argument("bounds" if at is None else "at")
            raise CallError(Argument("by", "group"), " cannot be combined with ", other, REMOVE)
        return leave_groups_out(collection, means, groups, depth, rel)
    if by == "shard" and groups is not None:
        raise CallError(
            Argument("by", "shard"), " cannot be combined with ", Argument("groups"), REMOVE
        )
    if pool_depth is not None and groups is None:
        raise CallError(Argument("pool_depth"), " applies only with ", Argument("groups"), ".")
    levels = _checked_levels(by, at)
    repeats = range(1 if by == "pool-depth" else resamples)
    steps = track([(repeat, level) for repeat in repeats for level in levels], "levels")
    if by == "shard":
        fewer = _in_shards(collection, means, steps, seed)
    else:
        pooled = None if groups is None else (groups, depth)
        fewer = _with_fewer_judgments(collection, means, by, steps, pooled, rel, seed)
    whole = fewer.whole
    notes = [*whole.notes, *([assumption_note(means.unjudged)] if bounds else [])]
    longest = int(whole.length.max(initial=0))
    if by == "pool-depth" and any(level is not None and level > longest for level in levels):
        what = (
            f"no run has more than {longest:,} documents per topic, so larger depths give the same "
            "pool"
        )
        notes.append(note("depth-beyond-runs", what))
    parts, left = fewer.measured(means, rel)
    with_own, *without_own = (
        _assembled(by, means, whole, levels, one, left, seed, tuple(notes))
        for one in zip(*parts, strict=True)
    )
    return replace(without_own[0], with_own=with_own) if without_own else with_own


class FewerJudgments(NamedTuple):
    """Rankings with all judgments, masks that reduce the judgments, and a scoring function.

    `masks` yields a mask per step (a repeat and a level). A mask selects judgments or, for shards,
    documents. `every` is the mask that keeps everything. `scores` returns the scores under a mask.
    With groups it returns two results: with and without the judgments that only a run's own group
    contributed.
    """

    whole: JudgedRankings
    every: Bools
    masks: Iterator[Bools]
    scores: Callable[[Bools], tuple[Scores, ...]]

    def measured(self, means: Means, rel: float) -> tuple[list[list[Measured]], list[Floats]]:
        """Return, per step, the mean scores, and the numbers of judgments and relevant documents.

        Both numbers are means per topic, and count only the judgments that the step keeps.
        """
        whole = self.whole
        relevant = whole.topic_grades >= whole.level_of(rel)

        def at_step(keep: Bools) -> tuple[list[Measured], Floats]:
            kept = keep[: len(relevant)]
            left = np.array([kept.sum(), (kept & relevant).sum()]) / len(whole.topics)
            return [means.of(one) for one in self.scores(keep)], left

        by_all = at_step(self.every)
        done = map_in_threads(lambda keep: by_all if keep.all() else at_step(keep), self.masks)
        parts, left = zip(*done, strict=True)
        return list(parts), list(left)


def _in_shards(
    collection: Collection, means: Means, steps: Iterable[Step], seed: int
) -> FewerJudgments:
    whole = replace(collection, depth=None).judged(Needs(documents=True))
    sharding = Sharding.of(whole)

    def scores(keep: Bools) -> tuple[Scores, ...]:
        return (means.scores(sharding.blocks(keep, collection.depth, means.block)),)

    masks = (sharding.drawn(share or 1.0, seed + repeat) for repeat, share in steps)
    every = np.ones(len(sharding.document), np.bool_)
    return FewerJudgments(replace(whole, retrieved=None), every, masks, scores)


def _with_fewer_judgments(
    collection: Collection,
    means: Means,
    by: Cut,
    steps: Iterable[Step],
    pooled: tuple[Groups, int] | None,
    rel: float,
    seed: int,
) -> FewerJudgments:
    assumption = Possible.parse(means.unjudged) if means.bounds else None
    counted = needs_of(means.metrics, assumption).unjudged_counts
    cuttable = Cuttable.of(collection, count_unjudged=counted)
    leave_out = None if pooled is None else LeaveGroupOut.of(cuttable, *pooled)
    every = cuttable.all_judgments

    def scores(keep: Bools) -> tuple[Scores, ...]:
        if leave_out is not None:
            return leave_out.scores(means, keep)
        return (means.scores(cuttable.blocks(keep, means.block)),)

    if by == "sample":
        masks = _samples(cuttable, steps, cuttable.whole.level_of(rel), seed)
    else:
        entry = cuttable.pool_depth()
        masks = (every if depth is None else entry <= depth for _, depth in steps)
    return FewerJudgments(cuttable.whole, every, masks, scores)


def _checked_levels(by: Cut, at: Iterable[float] | None) -> list[Level]:
    """Return the levels in increasing order of judgments; the last has all judgments."""
    usual = {"pool-depth": DEPTHS, "sample": SHARES, "shard": SHARDS}
    asked = set(usual[by] if at is None else at)
    if by != "pool-depth":
        for share in asked:
            check_share(share, "at")
        return sorted(asked | {1.0})
    for depth in asked:
        if not depth >= 1 or depth != int(depth):
            raise CallError(Argument("at"), f" must be whole numbers, 1 or more, not {depth:g}.")
    return [*sorted(int(depth) for depth in asked), None]


def _samples(cuttable: Cuttable, steps: Iterable[Step], rel: int, seed: int) -> Iterator[Bools]:
    """Yield a mask of the sampled judgments for each step."""
    names = cuttable.judgments.names
    for repeat, several in groupby(steps, key=itemgetter(0)):
        draw = Draw.of(cuttable.topic, cuttable.grade, names, rel=rel, seed=seed + repeat)
        for _, share in several:
            yield draw.kept(share or 1.0)


def _assembled(
    by: Cut,
    means: Means,
    judged: JudgedRankings,
    levels: Sequence[Level],
    results: Sequence[Measured],
    left: Sequence[Floats],
    seed: int,
    notes: tuple[Note, ...],
) -> Stability:
    """Combine the results of all steps into arrays of shape (metrics, levels, repeats, …)."""

    def cube(parts: Sequence[Any]) -> Any:
        steps = np.array(parts)
        by_repeat = steps.reshape(-1, len(levels), *steps.shape[1:])
        return by_repeat.transpose(2, 1, 0, *range(3, by_repeat.ndim))

    count, relevant = cube(left)
    return Stability(
        by,
        tuple(means.metrics),
        judged.runs,
        tuple(levels),
        cube([one.value for one in results]),
        cube([one.low for one in results]) if means.bounds else None,
        cube([one.high for one in results]) if means.bounds else None,
        cube([one.undefined for one in results]).max(axis=2),
        count,
        relevant,
        seed,
        notes,
        topics=len(judged.topics),
    )
