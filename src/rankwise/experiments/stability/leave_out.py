"""Mean scores of runs under several sets of judgments, and agreement of the system rankings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints, joined_ranges, long_frame
from rankwise.errors import InputError, TooLittle, check_at_least, did_you_mean, some_of
from rankwise.formats import read_pairs
from rankwise.judging import Cuttable
from rankwise.metrics import Metric
from rankwise.notes import Note, note
from rankwise.rankings import ROW_COLUMNS, Collection, JudgedRankings
from rankwise.results import Charted
from rankwise.scores import Scores, over_common_topics, score_judged
from rankwise.stats import dense_ranks, kendall
from rankwise.vocabulary import Assumption, Mean, Topics
from rankwise.wording import Count

RUNS = 16  # scored at a time: their rankings fit the processor's caches


class Measured(NamedTuple):
    """Mean scores over topics and their bounds, as metrics × runs.

    `undefined` is, per metric, the number of topics without a score (the largest over runs).
    """

    value: Floats
    low: Floats | None
    high: Floats | None
    undefined: Ints


@dataclass(frozen=True)
class Means:
    """Metrics, and the options for scoring runs and averaging over topics."""

    metrics: Sequence[Metric]
    topics: Topics = "all"
    mean: Mean = "arithmetic"
    bounds: bool = False
    unjudged: Assumption = "retrieved"

    @property
    def block(self) -> int | None:
        """Number of runs to score at a time; None means all, for metrics that may compare runs."""
        return RUNS if all(metric.is_builtin for metric in self.metrics) else None

    def score(self, judged: JudgedRankings) -> Scores:
        unjudged = self.unjudged if self.bounds else None
        return score_judged(judged, self.metrics, unjudged=unjudged)

    def scores(self, parts: Iterable[JudgedRankings]) -> Scores:
        """Score rankings that are passed in parts, a few runs at a time."""
        return joined([self.score(part) for part in parts])

    def of(self, scores: Scores) -> Measured:
        """Return the mean score of each run by each metric, and its bounds if there are any."""
        scores = replace(scores, averaged=self.mean)
        if self.topics == "common":
            scores = over_common_topics(scores)
        totals = scores.totals
        undefined = np.isnan(scores.value).sum(axis=2).max(axis=1, initial=0)
        return Measured(totals["value"], totals.get("low"), totals.get("high"), undefined)


def joined(parts: Sequence[Scores]) -> Scores:
    """Return the scores of all runs; each part has the scores of a few runs."""
    runs = [run for part in parts for run in part.runs]
    return replace(parts[0].joined(parts, runs), input_notes=parts[0].input_notes)


def order_kept(full: Floats, other: Floats) -> Floats:
    """Return Kendall's tau-b between the system rankings by `full` and by each row of `other`.

    Runs without a mean in `full` are excluded. Tau is NaN if a mean of the remaining runs in
    `other` is NaN, if fewer than two runs are left, or if all runs are tied.
    """
    known = np.isfinite(full)
    return kendall(dense_ranks(full[known]), dense_ranks(other[..., known]))


POOL_DEPTH = 100
Groups: TypeAlias = Mapping[str, str] | str | Path  # the group of each run, or a file with them


@dataclass(frozen=True, eq=False, repr=False)
class LeftOut(Charted):
    """Scores of each run, with all judgments and without those that only its own group contributed.

    `value` and `without` have shape (metrics, runs). `lost` is the number of judgments, over all
    topics, that only the run's group contributed to the pool. `lost_relevant` is the number of
    relevant documents among them.

    `chart` draws the score of each run without its group's judgments against its score with them.
    """

    _everyday = ("tau",)
    _header = ("metrics", "topics", "by")
    by = "group"

    metrics: tuple[Metric, ...]
    runs: tuple[str, ...]
    groups: tuple[str, ...]
    value: Floats = field(repr=False)
    without: Floats = field(repr=False)
    lost: Ints = field(repr=False)
    lost_relevant: Ints = field(repr=False)
    input_notes: tuple[Note, ...] = ()
    topics: int = 0  # number of topics

    @property
    def tau(self) -> Floats:
        """Kendall's tau between the system rankings by `value` and by `without`, per metric."""
        return np.array([order_kept(*two) for two in zip(self.value, self.without, strict=True)])

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric and run, largest losses first.

        `change` is (without − value) / value. A negative change is a loss, or a gain if lower is
        better. `lost` and `lost rel.` are numbers of judgments.
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
        taus = [
            note(
                "tau",
                "Kendall's tau between the system rankings by 'value' and by 'without' is "
                f"{'undefined' if np.isnan(tau) else f'{tau:.4f}'}. 'value' uses all judgments; "
                "'without' excludes the judged documents that only the run's own group contributed",
                metric=metric,
            )
            for metric, tau in zip(self.metrics, self.tau, strict=True)
        ]
        return [*self.input_notes, *taus]

    @property
    def caption(self) -> str:
        groups = len(set(self.groups))
        return (
            f"{len(self.runs)} runs in {groups} groups, each run without the documents that only "
            "its own group contributed:"
        )


def leave_groups_out(
    collection: Collection, means: Means, groups: Groups | None, pool_depth: int, rel: float
) -> LeftOut:
    """Score each run without the judged documents that only its own group contributed.

    Use it to test whether a system that did not contribute to the pool would be scored fairly. See
    Zobel, SIGIR 1998; Voorhees, CLEF 2001. A document is contributed by only one group if it is in
    the top `pool_depth` of at least one run of this group, and of no run of any other group.
    """
    cuttable = Cuttable.of(collection)
    leave_out, every = LeaveGroupOut.of(cuttable, groups, pool_depth), cuttable.all_judgments
    with_own, without = leave_out.scores(means, every)
    return LeftOut(
        tuple(means.metrics),
        cuttable.whole.runs,
        leave_out.groups,
        means.of(with_own).value,
        means.of(without).value,
        leave_out.count_lost(every),
        leave_out.count_lost(cuttable.grade >= cuttable.whole.level_of(rel)),
        cuttable.whole.notes,
        len(cuttable.whole.topics),
    )


@dataclass(frozen=True, eq=False)
class LeaveGroupOut:
    """Runs to be scored without the judgments that only their own group contributed.

    `group` has the number of each run's group. `owner` has, for each judgment, the only group with
    the document in the top `pool_depth` of a run, or −1 if there are several such groups or none.
    """

    groups: tuple[str, ...]
    group: Ints
    owner: Ints
    cuttable: Cuttable

    @classmethod
    def of(cls, cuttable: Cuttable, groups: Groups | None, pool_depth: int) -> "LeaveGroupOut":
        check_at_least("pool_depth", pool_depth)
        whole = cuttable.whole
        of_runs = groups_of(groups, whole.runs)
        names, group = np.unique(of_runs, return_inverse=True)
        if len(names) == 1:
            only = f"all runs are in the same group, {of_runs[0]!r}"
            raise TooLittle(f"{only}. At least two groups are needed.")
        assert whole.judgment is not None
        top = np.flatnonzero(whole.rank <= pool_depth)
        judgment, by = whole.judgment[top], group[whole.ranking[top] // len(whole.topics)]
        first, last = np.full(len(cuttable.grade), len(names)), np.full(len(cuttable.grade), -1)
        np.minimum.at(first, judgment, by)
        np.maximum.at(last, judgment, by)
        return cls(of_runs, group, np.where(first == last, first, -1), cuttable)

    def count_lost(self, judgments: Bools) -> Ints:
        """Return, per run, the number of judgments that only its own group contributed.

        `judgments` is a mask of the judgments to count.
        """
        lost = self.owner[judgments & (self.owner >= 0)]
        return np.bincount(lost, minlength=int(self.group.max()) + 1)[self.group]

    def scores(self, means: Means, keep: Bools) -> tuple[Scores, Scores]:
        """Score runs under some judgments, with and without those that only their group
        contributed.

        `keep` is the mask of the judgments to use.

        Only rankings whose topic loses a judgment are scored again.
        """
        owner, in_any_run = self.owner[keep], self.cuttable.rejudged.in_any_run
        in_any_run = None if in_any_run is None else in_any_run[keep]
        loses = np.zeros((int(self.group.max()) + 2, len(self.cuttable.whole.topics)), np.bool_)
        loses[owner, self.cuttable.topic[keep]] = True  # the last row (owner −1) is of no group
        with_own, without, first = [], [], 0
        for block in self.cuttable.blocks(keep, means.block):
            scores = means.score(block)
            with_own.append(scores)
            cubes: dict[str, Any] = {name: cube.copy() for name, cube in scores.cubes.items()}
            group = self.group[first : first + len(block.runs)]
            rankings = np.flatnonzero(loses[group])
            if len(rankings):
                of_rankings = group[rankings // len(block.topics)]
                variants = variants_of(block, rankings, of_rankings, owner, in_any_run)
                for name, cube in means.score(variants).cubes.items():
                    by_ranking = cubes[name].reshape(len(means.metrics), -1)
                    by_ranking[:, rankings] = cube[:, 0, -len(rankings) :]
            without.append(replace(scores, **cubes))
            first += len(block.runs)
        all_without = joined(without)
        for sole in self._sole_owners(keep):
            fewer = self.cuttable.blocks(keep & (self.owner != sole), means.block)
            members = self.group == sole
            for name, cube in means.scores(fewer).cubes.items():
                all_without.cubes[name][:, members] = cube[:, members]
        return joined(with_own), all_without

    def _sole_owners(self, keep: Bools) -> set[int]:
        """Return each group that alone contributed all documents of some grade.

        Without this group the grade does not occur, and some metrics depend on which grades occur.
        """
        grades, owners = self.cuttable.grade[keep], self.owner[keep]
        of_grades = [owners[grades == grade] for grade in np.unique(grades)]
        return {int(of[0]) for of in of_grades if of[0] >= 0 and (of == of[0]).all()}


def variants_of(
    block: JudgedRankings, rankings: Ints, group: Ints, owner: Ints, in_any_run: Bools | None
) -> JudgedRankings:
    """Return some rankings, each without the judgments that only its own group contributed.

    The result is a single run: an empty ranking for each topic of the collection, so that all
    grades occur, and then the rankings, each with a topic of its own. `group` is per ranking.
    `owner` and `in_any_run` are per judgment; `owner` is the only group that contributed the
    judgment, or −1.
    """
    assert block.judgment is not None
    topics, count = len(block.topics), len(block.topic_grades)
    topic = rankings % topics
    # Judgments of each variant: those of its topic, except those that only its group contributed.
    sizes = np.diff(block.topic_start)[topic]
    variant, origin = joined_ranges(block.topic_start[topic], sizes)
    lost = owner[origin] == group[variant]
    unjudged = block.topic_unjudged
    if unjudged is not None and in_any_run is not None:
        more = np.bincount(variant[lost & in_any_run[origin]], minlength=len(rankings))
        unjudged = np.concatenate([unjudged, unjudged[topic] + more])
    variant, origin = variant[~lost], np.concatenate([np.arange(count), origin[~lost]])
    start = count + np.cumsum(np.bincount(variant, minlength=len(rankings)))
    # Rows of these rankings, without those of the lost judgments.
    here, rows = block.rows_of(rankings)
    left = owner[block.judgment[rows]] != group[here]
    here, rows = here[left], rows[left]
    topic_of = np.concatenate([np.arange(topics), topic])
    subtopics, judgment = block.subtopics, None
    if subtopics is not None:
        same = np.ones(len(origin), np.bool_)
        subtopics = subtopics.moved(origin, same, block.topic_grades[origin], topic_of)
        keys = count * variant + origin[count:]  # in increasing order
        judgment = count + np.searchsorted(keys, count * here + block.judgment[rows])
    none = np.zeros(topics, np.int64)
    return replace(
        block,
        runs=("variants",),
        topics=tuple(block.topics[at] for at in topic_of),
        **{name: getattr(block, name)[rows] for name in ROW_COLUMNS} | {"ranking": topics + here},
        judgment=judgment,
        length=np.concatenate([none, block.length[rankings]]),
        present=np.concatenate([none > 0, block.present[rankings]]),
        topic=np.arange(len(topic_of)),
        topic_grades=block.topic_grades[origin],
        topic_start=np.concatenate([block.topic_start, start]),
        topic_unjudged=unjudged,
        subtopics=subtopics,
    )


def groups_of(groups: Groups | None, runs: Sequence[str]) -> tuple[str, ...]:
    """Return the group of each run, from {run: group} or a file `run group`; default: its name."""
    if groups is None:
        return tuple(runs)
    named = "the groups" if isinstance(groups, Mapping) else str(groups)
    table = groups if isinstance(groups, Mapping) else read_pairs(groups, "run", "group")
    lacking = [run for run in runs if run not in table]
    if lacking:
        near = did_you_mean(lacking[0], [name for name in table if name not in runs])
        add = "Add them." if len(lacking) > 1 else "Add it."
        have = Count(len(lacking), "run has", "runs have")
        raise InputError(named, f"{have} no group: {some_of(lacking)}. {add}{near}")
    return tuple(str(table[run]) for run in runs)
