"""Scores of a run without the documents that only its own group contributed to the pool."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints, long_frame
from rankwise.errors import CallError, InputError, TooLittle, did_you_mean
from rankwise.experiments.stability.means import Means, Measured, order_kept
from rankwise.formats import read_pairs
from rankwise.judging import Cuttable
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note, note
from rankwise.rankings import Collection, QrelsLike, RunsLike, as_collection
from rankwise.results import Result, draw
from rankwise.scores import DEFAULT_METRICS, MetricsLike, check_shared_ties
from rankwise.threads import map_in_threads
from rankwise.vocabulary import ChartWidth, Mean

POOL_DEPTH = 100
Groups: TypeAlias = Mapping[str, str] | str | Path  # of each run, or a file of them


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Result):
    """Scores of each run with all judgments, and without those of its own group.

    `value` and `without` are metrics × runs; `lost` and `lost_relevant` have, for each run, the
    number of judgments that only its group contributed, over all topics.
    """

    _everyday = ("tau",)

    metrics: tuple[Metric, ...]
    runs: tuple[str, ...]
    groups: tuple[str, ...]
    value: Floats = field(repr=False)
    without: Floats = field(repr=False)
    lost: Ints = field(repr=False)
    lost_relevant: Ints = field(repr=False)
    input_notes: tuple[Note, ...] = ()
    topics: int = 0  # how many

    @property
    def tau(self) -> Floats:
        """Kendall's tau between the two system rankings, for each metric."""
        return np.array([order_kept(*two) for two in zip(self.value, self.without, strict=True)])

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric and run, largest losses first.

        `change` is (without − value) / value: a loss if negative (positive if lower is better).
        `lost` and `lost rel.` count judgments.
        """
        change = np.divide(
            self.without - self.value,
            self.value,
            out=np.full(self.value.shape, np.nan),
            where=self.value != 0,
        )
        names = [str(metric) for metric in self.metrics]
        columns = {"value": self.value, "without": self.without, "change": change}
        columns |= {"lost": self.lost, "lost rel.": self.lost_relevant}
        long = long_frame({"metric": names, "run": self.runs}, columns)
        long.insert_column(2, pl.Series("group", self.groups * len(names), dtype=pl.String))
        in_order = pl.col("metric").cast(pl.Enum(names))
        signs = np.repeat([metric.sign for metric in self.metrics], len(self.runs))
        gain = pl.Series(signs) * long["change"]
        return long.sort(in_order, gain, nulls_last=True, maintain_order=True)

    @property
    def notes(self) -> list[Note]:
        """Notes on the input, and on the correlation of the two system rankings."""
        taus = [
            note(
                "tau",
                "Kendall's tau between the system rankings with all judgments (value) and "
                "without those of each run's own group (without): "
                f"{'undefined' if np.isnan(tau) else f'{tau:.4f}'}",
                metric=metric,
            )
            for metric, tau in zip(self.metrics, self.tau, strict=True)
        ]
        return [*self.input_notes, *taus]

    @property
    def header(self) -> dict[str, Any]:
        """Metadata: metrics, number of topics, and method of reducing the judgments."""
        found: dict[str, Any] = {"metrics": [metric.record for metric in self.metrics]}
        return found | {"topics": self.topics, "by": "group"}

    @property
    def caption(self) -> str:
        """Numbers of runs and groups, as a caption."""
        groups = len(set(self.groups))
        return f"{len(self.runs)} runs, each without what only its own of {groups} groups found:"

    def chart(self, *, width: ChartWidth | None = None) -> Any:
        """Draw the score of each run without its group against that with it (Altair)."""
        return draw(self, width=width)


def leave_groups_out(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = None,
    metrics: "MetricsLike" = DEFAULT_METRICS,
    *,
    groups: Groups | None = None,
    pool_depth: int = POOL_DEPTH,
    rel: float = 1,
    mean: Mean = "arithmetic",
) -> LeftOut:
    """Score each run without the judged documents that only its own group found.

    Use it to test whether a system that did not contribute to the pool would be scored fairly.
    Zobel, SIGIR 1998; Voorhees, CLEF 2001.

    Parameters
    ----------
    data, runs, metrics
        As for `score`.
    groups
        {run: group}, or a file with lines `run group`; by default each run is its own group.
    pool_depth
        Pool depth: a group alone found the documents in the top `pool_depth` of one of its runs
        that are in the top of no other group's run.
    rel
        Relevance threshold, for `lost rel.` and for metrics without their own `rel`.
    mean
        As for `score`.

    Returns
    -------
    LeftOut
        One row per metric and run, largest losses first, and a chart.

    Examples
    --------
    >>> judged = {"1": {"a": 1, "b": 1}}
    >>> runs = {"one": {"1": {"a": 2, "b": 1}}, "two": {"1": {"b": 2, "c": 1}}}
    >>> left = leave_groups_out(judged, runs, "P@2", groups={"one": "X", "two": "Y"})
    >>> left.frame.select("run", "value", "without", "lost").rows()
    [('one', 1.0, 0.5, 1), ('two', 0.5, 0.5, 0)]
    """
    collection = as_collection(data, runs)
    means = Means(tuple(parse_all(metrics, rel)), collection.topics, mean)
    check_shared_ties(means.metrics, collection.depth)
    cuttable = Cuttable.of(collection)
    apart = Apart.of(cuttable, groups, pool_depth)
    lost, relevant = (np.empty(len(cuttable.whole.runs), np.int64) for _ in range(2))
    level = cuttable.whole.level_of(rel)
    for group, gone in zip(apart.members, apart.lost, strict=True):
        lost[group], relevant[group] = gone.sum(), (gone & (cuttable.grade >= level)).sum()
    full = means.of(cuttable.where(cuttable.all_judgments)).value
    without = apart.measured(means, cuttable.all_judgments).value
    return LeftOut(
        tuple(means.metrics),
        cuttable.whole.runs,
        apart.groups,
        full,
        without,
        lost,
        relevant,
        cuttable.whole.notes,
        len(cuttable.whole.topics),
    )


@dataclass(frozen=True, eq=False)
class Apart:
    """Runs of each group, to be scored without the judgments that only the group contributed.

    `members` has the runs of each group, `lost` the judgments removed with it: documents in the
    top of one of its runs that no run of another group has in its top.
    """

    groups: tuple[str, ...]
    members: tuple[Bools, ...]
    lost: tuple[Bools, ...]
    parts: tuple[Cuttable, ...]

    @classmethod
    def of(cls, cuttable: Cuttable, groups: Groups | None, pool_depth: int) -> "Apart":
        if pool_depth < 1:
            raise CallError(f"pool depth {pool_depth} is not 1 or more.")
        of_runs = groups_of(groups, cuttable.whole.runs)
        names = sorted(set(of_runs))
        if len(names) == 1:
            only = f"all runs are of one group, {names[0]!r}"
            raise TooLittle(f"{only}: without it there is no pool.")
        members = tuple(np.array([group == name for group in of_runs]) for name in names)

        def lost(group: Bools) -> Bools:
            own, others = cuttable.pool_depth(group), cuttable.pool_depth(~group)
            return (own <= pool_depth) & (others > pool_depth)

        gone = tuple(map_in_threads(lost, members))
        return cls(of_runs, members, gone, tuple(cuttable.where_runs(group) for group in members))

    def measured(self, means: Means, keep: Bools) -> Measured:
        """Return the means of each run without the documents that only its own group found."""
        by_group = [
            means.of(part.where(keep & ~lost))
            for part, lost in zip(self.parts, self.lost, strict=True)
        ]

        def together(parts: Sequence[Floats | None]) -> Floats | None:
            if parts[0] is None:
                return None
            whole = np.empty((len(means.metrics), len(self.groups)))
            for group, part in zip(self.members, parts, strict=True):
                whole[:, group] = part
            return whole

        value = together([one.value for one in by_group])
        assert value is not None
        low, high = (
            together([one.low for one in by_group]),
            together([one.high for one in by_group]),
        )
        undefined = np.max([one.undefined for one in by_group], axis=0)
        return Measured(value, low, high, undefined)


def groups_of(groups: Groups | None, runs: Sequence[str]) -> tuple[str, ...]:
    """Return the group of each run, from {run: group} or a file `run group`; default: its name."""
    if groups is None:
        return tuple(runs)
    named = "the groups" if isinstance(groups, Mapping) else str(groups)
    table = groups if isinstance(groups, Mapping) else read_pairs(groups, "run", "group")
    lacking = [run for run in runs if run not in table]
    if lacking:
        near = did_you_mean(lacking[0], [name for name in table if name not in runs])
        count = f" ({len(lacking)} runs have none)" if len(lacking) > 1 else ""
        raise InputError(named, f"has no group for run {lacking[0]!r}{count}.{near}")
    return tuple(str(table[run]) for run in runs)
