"""Scoring of the same rankings with several subsets of the judgments, after reading files once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from rankwise.arrays import Bools, Ints
from rankwise.rankings import Collection, JudgedRankings, Judgments, Needs, Rejudged

NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Cuttable:
    """Rankings that can be scored under subsets of the judgments.

    `whole` has the rankings at full length. `ranked` has the rankings down to the depth that is
    scored. `topic` and `grade` have the topic number and the grade of each judgment. Judgments are
    sorted by topic, highest grade first.
    """

    whole: JudgedRankings
    rejudged: Rejudged  # of `ranked`
    judgments: Judgments

    @classmethod
    def of(cls, collection: Collection, *, count_unjudged: bool = False) -> "Cuttable":
        """Join the judgments and runs of a collection.

        With `count_unjudged`, the number of distinct unjudged documents retrieved by any run is
        also stored for each topic, for bounds that need this number.
        """
        depth = collection.depth
        uncut = collection
        if depth is not None or collection.lengths is not None:
            uncut = replace(collection, depth=None, lengths=None)
        whole = uncut.judged(Needs(documents=count_unjudged))
        in_any_run, others = None, None
        if count_unjudged:
            rows = whole.retrieved
            assert rows is not None
            seen = rows if depth is None else rows.above(depth)
            has = np.zeros(rows.codes, np.bool_)
            has[seen.code] = True
            in_any_run = has[: rows.judgments]
            others = seen.distinct(len(whole.topics), unjudged=True)
        ranked = whole = replace(whole, retrieved=None)
        if depth is not None:
            shorter = whole.rows_where(whole.rank <= depth, judgments=True)
            ranked = replace(shorter, length=np.minimum(whole.length, depth))
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
        """Return `ranked` under a subset of the judgments; `keep` is a mask over judgments."""
        return self.rejudged.keep(keep)

    def blocks(self, keep: Bools, runs: int | None) -> Iterator[JudgedRankings]:
        """Yield `ranked` under a subset of the judgments, in blocks of at most `runs` runs.

        If `runs` is None, there is a single block. `keep` is a mask over judgments. Small blocks
        fit the processor's caches. Values that depend only on topics are computed once for all
        blocks.
        """
        rows, judged, topics = self.rejudged, self.ranked, len(self.ranked.topics)
        runs = runs or len(judged.runs)
        block = rows.where_places(np.zeros(0, np.int64)).keep(keep)  # judgments, without rows
        number = np.cumsum(keep) - 1
        topic = judged.topic[: runs * topics]
        for first in range(0, len(judged.runs), runs):
            names = judged.runs[first : first + runs]
            here = slice(first * topics, (first + len(names)) * topics)
            start, end = np.searchsorted(rows.ranking, [here.start, here.stop])
            places = start + np.flatnonzero(keep[rows.code[start:end]])
            code = rows.code.take(places)  # `take` is faster than an index
            block = replace(
                block,
                runs=names,
                ranking=rows.ranking.take(places) - here.start,
                rank=rows.rank.take(places),
                grade=rows.grade.take(code),
                tie_first=rows.tie_first.take(places),
                tie_last=rows.tie_last.take(places),
                judgment=number.take(code),
                length=judged.length[here],
                present=judged.present[here],
                topic=topic if len(names) == runs else judged.topic[here],
            )
            yield block

    @property
    def all_judgments(self) -> Bools:
        return np.ones(len(self.grade), np.bool_)

    def pool_depth(self) -> Ints:
        """Return the depth at which each judged document enters the pool of all runs.

        This depth is the best rank of the document in any run, or NOWHERE if no run has it.
        """
        assert self.whole.judgment is not None
        depth = np.full(len(self.grade), NOWHERE)
        np.minimum.at(depth, self.whole.judgment, self.whole.rank)
        return depth
