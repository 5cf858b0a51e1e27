"""Judgments that are taken away, without reading or joining anything again."""

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Ints
from rankwise.rankings.accepted import Gains, QrelsLike, RunsLike
from rankwise.rankings.join import check_depth, read_judged
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.lookup import Judgments
from rankwise.rankings.reading import Qrels, read_qrels
from rankwise.vocabulary import Order

NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Cuttable:
    """Rankings that know which judgment each of their rows is.

    Judgments are numbered by topic, highest grade first; `topic` and `grade` are of each.
    The join is done with these numbers in the place of grades, so that `whole.grade` says
    which judgment a row is; `ranked` is the same down to the depth that is scored.
    """

    whole: JudgedRankings
    ranked: JudgedRankings
    topic: Ints = field(repr=False)
    grade: Ints = field(repr=False)

    @classmethod
    def read(
        cls,
        qrels: QrelsLike,
        runs: RunsLike,
        *,
        order: Order = "score",
        depth: int | None = None,
        gains: Gains | None = None,
        lenient: bool = False,
        complete_runs: bool = False,
    ) -> "Cuttable":
        """Read judgments and runs, paths, frames or dicts, and join them once."""
        if depth is not None:
            check_depth(depth)
        given = read_qrels(qrels, gains=gains, lenient=lenient)
        topic, grade, order_of_rows = numbered(given)
        number = np.empty_like(order_of_rows)
        number[order_of_rows] = np.arange(len(number))
        carrying = replace(given, frame=given.frame.with_columns(pl.Series("grade", number)))
        whole = read_judged(
            *(carrying, runs), order=order, lenient=lenient, complete_runs=complete_runs
        )
        ranked = whole
        if depth is not None:
            shorter = whole.rows_where(whole.rank <= depth)
            ranked = replace(shorter, _kept={}, length=np.minimum(whole.length, depth))
        return cls(whole, ranked, topic, grade)

    def where(self, keep: Bools) -> JudgedRankings:
        """The rankings as they would be judged by some of the judgments only.

        A document whose judgment is taken away is unjudged; a topic that has none left
        stays, without judgments.
        """
        rows = self.ranked.rows_where(keep[self.ranked.grade])
        counts = np.bincount(self.topic[keep], minlength=len(self.whole.topics))
        return replace(
            rows,
            _kept={},
            grade=self.grade[rows.grade],
            topic_grades=self.grade[keep],
            topic_start=np.concatenate([[0], np.cumsum(counts)]),
        )

    @property
    def all_judgments(self) -> Bools:
        return np.ones(len(self.grade), np.bool_)

    def pool_depth(self, runs: Bools | None = None) -> Ints:
        """The depth at which each judged document enters the pool of (some of) the runs.

        That is its least rank in any of them; NOWHERE where none has it.
        """
        rank, number = self.whole.rank, self.whole.grade
        if runs is not None:
            here = np.repeat(runs, len(self.whole.topics))[self.whole.ranking]
            rank, number = rank[here], number[here]
        depth = np.full(len(self.grade), NOWHERE)
        np.minimum.at(depth, number, rank)
        return depth


def numbered(qrels: Qrels) -> tuple[Ints, Ints, Ints]:
    """Topic, grade and row of each judgment, by topic, highest grade first."""
    judgments = Judgments(qrels)
    rows = np.lexsort((-judgments.grades, judgments.row_topic))
    return judgments.row_topic[rows], judgments.grades[rows], rows
