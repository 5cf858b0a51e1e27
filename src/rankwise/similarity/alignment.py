"""The documents of runs in the order of their ranks, and those that two runs share."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Ints
from rankwise.rankings import JudgedRankings
from rankwise.stats import SharedItems, TiedRankings

Codes = npt.NDArray[np.int32]

AT_A_TIME = 1 << 19  # places of a run: the columns of a block stay in the cache


@dataclass(frozen=True, eq=False, repr=False)
class Lists:
    """All rankings of all runs, each from rank 1 on: the code of the document at each rank.

    Ranking run × topics + topic has the places from `start[ranking]` to `start[ranking + 1]`;
    `tie_first` and `tie_last` are the ranks that tie with a place.
    """

    runs: int
    topics: int
    codes: int
    start: Ints
    code: Codes
    tie_first: Codes
    tie_last: Codes

    @classmethod
    def of(cls, judged: JudgedRankings) -> "Lists":
        """From rankings that hold their retrieved documents, cut to their depth."""
        judged = judged.cut_to_depth()
        rows = judged.retrieved
        assert rows is not None
        topics, length = len(judged.topics), judged.length
        start = np.concatenate([[0], np.cumsum(length)])
        place = start[rows.ranking(topics)]
        place += rows.rank
        place -= 1
        columns = [np.empty(int(start[-1]), np.int32) for _ in range(3)]
        for column, values in zip(columns, (rows.code, rows.tie_first, rows.tie_last), strict=True):
            column[place] = values
        # A tie may span the depth.
        np.minimum(columns[2], np.repeat(length.astype(np.int32), length), out=columns[2])
        return cls(len(judged.runs), topics, rows.codes, start, *columns)

    @property
    def length(self) -> Ints:
        """The length of each ranking, runs × topics."""
        return np.diff(self.start).reshape(self.runs, self.topics)

    def blocks(self) -> list[range]:
        """Split the topics so that the rankings of a run in a block fit the cache."""
        per_topic = len(self.code) / max(1, self.runs * self.topics)
        step = max(1, int(AT_A_TIME / max(1.0, per_topic)))
        return [range(at, min(at + step, self.topics)) for at in range(0, self.topics, step)]

    def of_run(self, run: int, topics: range) -> slice:
        """The places of a run on consecutive topics."""
        ends = (run * self.topics + topics.start, run * self.topics + topics.stop)
        return slice(*(int(self.start[at]) for at in ends))

    @cached_property
    def rank(self) -> Codes:
        """The rank of each place."""
        rank = np.arange(1, len(self.code) + 1, dtype=np.int32)
        rank -= np.repeat(self.start[:-1].astype(np.int32), np.diff(self.start))
        return rank

    def rankings(self, *, ties: bool) -> TiedRankings:
        """The ties of all rankings; without `ties` each document is alone at its rank."""
        if ties:
            return TiedRankings(self.start, self.tie_first, self.tie_last)
        return TiedRankings(self.start, self.rank, self.rank)

    def shared_with(self, first: int, others: Ints, topics: range) -> Iterator[SharedItems]:
        """Yield the documents that a run shares with each of the others on some topics.

        `pair` is the place of the topic in `topics`; rows are by topic, then by the rank in the
        other run.
        """
        rank_of = np.zeros(self.codes, np.int32)
        own = self.of_run(first, topics)
        rank_of[self.code[own]] = self.rank[own]
        for other in others.tolist():
            here = self.of_run(other, topics)
            rank_a = rank_of[self.code[here]]
            both = np.flatnonzero(rank_a)
            start = other * self.topics + topics.start
            length = np.diff(self.start[start : start + len(topics) + 1])
            topic = np.repeat(np.arange(len(topics)), length)
            yield SharedItems(topic[both], rank_a[both], self.rank[here][both])
