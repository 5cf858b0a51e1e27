"""Rankings under fewer judgments, without reading or joining again."""

from dataclasses import dataclass, replace

import numpy as np

from rankwise.arrays import Bools, Ints
from rankwise.rankings import Collection, JudgedRankings, Judgments, Needs, Rejudged

NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Cuttable:
    """Rankings that can be judged by a subset of the judgments.

    Judgments are numbered by topic, highest grade first; `topic` and `grade` are per judgment.
    `whole` has the rankings as joined, `ranked` the same down to the scored depth.
    """

    whole: JudgedRankings
    rejudged: Rejudged  # of `ranked`
    judgments: Judgments

    @classmethod
    def of(cls, collection: Collection, *, count_unjudged: bool = False) -> "Cuttable":
        """Join judgments and runs once.

        `count_unjudged`: also count the unjudged documents of each topic, over all runs.
        """
        depth = collection.depth
        uncut = replace(collection, depth=None, lengths=None)
        whole = uncut.judged(Needs(documents=count_unjudged))
        counts = _retrieved(whole, depth) if count_unjudged else (None, None)
        ranked = whole = replace(whole, retrieved=None)
        if depth is not None:
            shorter = whole.rows_where(whole.rank <= depth, judgments=True)
            ranked = replace(shorter, length=np.minimum(whole.length, depth))
        in_any_run, others = counts
        rejudged = replace(Rejudged.of(ranked), in_any_run=in_any_run, others=others)
        return cls(whole, rejudged, uncut.judgments)

    @property
    def ranked(self) -> JudgedRankings:
        return self.rejudged.judged

    @property
    def grade(self) -> Ints:
        return self.whole.topic_grades

    @property
    def topic(self) -> Ints:
        return self.rejudged.topic

    def where(self, keep: Bools) -> JudgedRankings:
        """Return the rankings under a subset of the judgments, selected by a mask."""
        return self.rejudged.keep(keep)

    def where_runs(self, keep: Bools) -> "Cuttable":
        """Return some runs; judgments keep their numbers, and documents of all runs still count."""
        whole, rows = _of_runs(self.whole, keep), self.rejudged
        ranked = Rejudged.of(_of_runs(rows.judged, keep))
        ranked = replace(ranked, in_any_run=rows.in_any_run, others=rows.others)
        return Cuttable(whole, ranked, self.judgments)

    @property
    def all_judgments(self) -> Bools:
        return np.ones(len(self.grade), np.bool_)

    def pool_depth(self, runs: Bools | None = None) -> Ints:
        """Return the depth at which each judged document enters the pool of (some of) the runs.

        That is its best rank in any of them; NOWHERE if none has it.
        """
        rank, number = self.whole.rank, self.whole.judgment
        assert number is not None
        if runs is not None:
            here = np.repeat(runs, len(self.whole.topics))[self.whole.ranking]
            rank, number = rank[here], number[here]
        depth = np.full(len(self.grade), NOWHERE)
        np.minimum.at(depth, number, rank)
        return depth


def _retrieved(judged: JudgedRankings, depth: int | None) -> tuple[Bools, Ints]:
    """Return a mask of the judged documents retrieved, and unjudged documents per topic."""
    rows = judged.retrieved
    assert rows is not None
    seen = rows if depth is None else rows.above(depth)
    has = np.zeros(rows.codes, np.bool_)
    has[seen.code] = True
    return has[: rows.judgments], seen.unjudged.distinct(len(judged.topics))


def _of_runs(judged: JudgedRankings, keep: Bools) -> JudgedRankings:
    """Return some of the runs, with the numbers of their rows' judgments."""
    assert judged.judgment is not None
    here = np.repeat(keep, len(judged.topics))[judged.ranking]
    return replace(judged.where_runs(keep.tolist()), judgment=judged.judgment[here])
