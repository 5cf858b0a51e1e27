"""The documents that may be judged next, what is known of them, and scores as if they were."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.metrics import Metric
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.evaluation import scores_of

OWN = 3  # columns that have an effect for each topic: the level, by depth, by share of runs
NEVER = np.iinfo(np.int32).max  # the best rank of a judged document that no run has there
SMOOTH = (1.0, 5.0)  # relevant and judged documents added to those of a run


class Unseen(NamedTuple):
    """Relevant documents that no run has: of each its topic and its grade."""

    topic: Ints
    grade: Ints


@dataclass(frozen=True, eq=False)
class Documents:
    """All judged documents, and those that some run has in its first `top`: by code.

    `grade` is 0 where there is none; `rows` are the places in rankings, of `code` at `rank` of
    `ranking`, in order.
    """

    judged: JudgedRankings
    topic: Ints
    grade: Ints
    is_judged: Bools
    best: Ints
    ranking: Ints
    rank: Ints
    code: Ints
    top: int

    @classmethod
    def of(cls, judged: JudgedRankings, top: int) -> "Documents":
        """`judged` must hold the retrieved documents, and have no depth of its own."""
        rows = judged.retrieved
        assert rows is not None
        sizes = np.diff(judged.topic_start)
        topic = np.zeros(rows.codes, np.int64)
        topic[: len(judged.topic_grades)] = np.repeat(np.arange(len(sizes)), sizes)
        topic[rows.code] = rows.topic
        grade = np.zeros(rows.codes, np.int64)
        grade[: len(judged.topic_grades)] = judged.topic_grades
        best = np.full(rows.codes, NEVER, np.int64)
        np.minimum.at(best, rows.code, rows.rank)
        ranking = rows.ranking(len(judged.topics))
        order = np.lexsort((rows.rank, ranking))
        order = order[(best[rows.code] <= top)[order] | (rows.code < rows.judgments)[order]]
        is_judged = np.arange(rows.codes) < rows.judgments
        places = (ranking[order], rows.rank[order], rows.code[order])
        return cls(judged, topic, grade, is_judged, best, *places, top)

    def columns(self, known: Bools) -> Floats:
        """What the probability of relevance is modelled by, for every code.

        The best rank in any run, the share of runs that have it, how good these runs are by
        what is `known`, and the last with the others.
        """
        runs, count = len(self.judged.runs), len(self.topic)
        high = np.flatnonzero(self.rank <= self.top)
        code, run = self.code[high], self.ranking[high] // len(self.judged.topics)
        found = np.maximum(np.bincount(code, minlength=count), 1)
        here = known[code]
        relevant = np.bincount(run[here], self.grade[code[here]] > 0, runs) + SMOOTH[0]
        share = relevant / (np.bincount(run[here], minlength=runs) + SMOOTH[1])
        odds = np.log(share / (1 - share))
        quality = np.bincount(code, (odds - odds.mean())[run], count) / found
        depth, spread = np.log(np.minimum(self.best, 10_000) / 10), np.log(found / runs)
        level = np.ones(count)
        return np.stack([level, depth, spread, quality, quality * spread, quality * depth], axis=1)

    def as_judged(
        self, grade: Ints, known: Bools, unseen: "Unseen | None" = None
    ) -> JudgedRankings:
        """The rankings if the documents `known`, and no others but the `unseen`, were judged so."""
        rows = np.flatnonzero(known[self.code])
        more = unseen or Unseen(np.zeros(0, np.int64), np.zeros(0, np.int64))
        grades = np.concatenate([grade[known], more.grade])
        topic = np.concatenate([self.topic[known], more.topic])
        sizes = np.bincount(topic, minlength=len(self.judged.topics))
        rank = self.rank[rows]
        return replace(
            self.judged,
            ranking=self.ranking[rows],
            rank=rank,
            grade=grade[self.code[rows]],
            tie_first=rank,
            tie_last=rank,
            topic_grades=grades[np.lexsort((-grades, topic))],
            topic_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            judgment=None,
            retrieved=None,
        )

    def scores(
        self,
        metrics: tuple[Metric, ...],
        grade: Ints,
        known: Bools,
        unseen: "Unseen | None" = None,
    ) -> Floats:
        """Metrics × runs × topics under these judgments."""
        judged = self.as_judged(grade, known, unseen)
        shape = (len(judged.runs), len(judged.topics))
        return np.array([scores_of(metric, judged).reshape(shape) for metric in metrics])
