"""Judgments that are taken away, without reading or joining anything again."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankwise.arrays import Bools, Ints
from rankwise.rankings.collection import Collection, Needs
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.lookup import Judgments

NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Cuttable:
    """Rankings that can be judged by some of the judgments only.

    Judgments are numbered by topic, highest grade first; `topic` and `grade` are of each.
    `whole` are the rankings as they were joined, `ranked` the same down to the depth that
    is scored. `found` says, if it was asked for, what all runs have down to there.
    """

    whole: JudgedRankings
    ranked: JudgedRankings
    judgments: Judgments
    found: "Found | None" = None

    @classmethod
    def of(cls, collection: Collection, *, count_unjudged: bool = False) -> "Cuttable":
        """Join judgments and runs once.

        `count_unjudged`: also the number of unjudged documents of each topic, over all runs.
        """
        depth = collection.depth
        uncut = replace(collection, depth=None, lengths=None)
        whole = uncut.judged(Needs(documents=count_unjudged))
        found = Found.of(whole, depth) if count_unjudged else None
        ranked = whole = replace(whole, retrieved=None)
        if depth is not None:
            shorter = whole.rows_where(whole.rank <= depth, judgments=True)
            ranked = replace(shorter, length=np.minimum(whole.length, depth))
        return cls(whole, ranked, uncut.judgments, found)

    @property
    def grade(self) -> Ints:
        return self.whole.topic_grades

    @cached_property
    def topic(self) -> Ints:
        sizes = np.diff(self.whole.topic_start)
        return np.repeat(np.arange(len(sizes)), sizes)

    def where(self, keep: Bools) -> JudgedRankings:
        """The rankings as they would be judged by some of the judgments only: a mask.

        A document whose judgment is taken away is unjudged; a topic that has none left
        stays, without judgments.
        """
        assert self.ranked.judgment is not None
        rows = self.ranked.rows_where(keep[self.ranked.judgment])
        counts = np.bincount(self.topic[keep], minlength=len(self.whole.topics))
        start = np.concatenate([[0], np.cumsum(counts)])
        unjudged = None
        if self.found is not None:
            lost = self.topic[self.found.judged & ~keep]
            unjudged = self.found.unjudged + np.bincount(lost, minlength=len(counts))
        grades = self.grade[keep]
        return replace(rows, topic_grades=grades, topic_start=start, topic_unjudged=unjudged)

    def where_runs(self, keep: Bools) -> "Cuttable":
        """The same of some of the runs; judgments keep their numbers, and what all found counts."""
        whole = _of_runs(self.whole, keep)
        ranked = whole if self.ranked is self.whole else _of_runs(self.ranked, keep)
        return Cuttable(whole, ranked, self.judgments, self.found)

    @property
    def all_judgments(self) -> Bools:
        return np.ones(len(self.grade), np.bool_)

    def pool_depth(self, runs: Bools | None = None) -> Ints:
        """The depth at which each judged document enters the pool of (some of) the runs.

        That is its least rank in any of them; NOWHERE where none has it.
        """
        rank, number = self.whole.rank, self.whole.judgment
        assert number is not None
        if runs is not None:
            here = np.repeat(runs, len(self.whole.topics))[self.whole.ranking]
            rank, number = rank[here], number[here]
        depth = np.full(len(self.grade), NOWHERE)
        np.minimum.at(depth, number, rank)
        return depth


@dataclass(frozen=True, eq=False)
class Found:
    """What runs have together: how many unjudged documents of each topic, and which judged."""

    unjudged: Ints
    judged: Bools

    @classmethod
    def of(cls, judged: JudgedRankings, depth: int | None) -> "Found":
        rows = judged.retrieved
        assert rows is not None
        seen = rows if depth is None else rows.above(depth)
        has = np.zeros(rows.codes, np.bool_)
        has[seen.code] = True
        return cls(seen.unjudged.distinct(len(judged.topics)), has[: rows.judgments])


def _of_runs(judged: JudgedRankings, keep: Bools) -> JudgedRankings:
    """Some of the runs, with the numbers of their rows' judgments."""
    assert judged.judgment is not None
    here = np.repeat(keep, len(judged.topics))[judged.ranking]
    return replace(judged.where_runs(keep.tolist()), judgment=judged.judgment[here])
