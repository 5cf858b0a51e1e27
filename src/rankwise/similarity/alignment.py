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

    def of_run(self, run: int) -> slice:
        """The places of a run."""
        return slice(*(int(self.start[at * self.topics]) for at in (run, run + 1)))

    @cached_property
    def rank(self) -> Codes:
        """The rank of each place."""
        places = np.arange(len(self.code)) - np.repeat(self.start[:-1], np.diff(self.start)) + 1
        return places.astype(np.int32)

    @cached_property
    def topic(self) -> Ints:
        """The topic of each place."""
        topics = np.tile(np.arange(self.topics), self.runs)
        return np.repeat(topics, np.diff(self.start))

    def rankings(self, *, ties: bool) -> TiedRankings:
        """The ties of all rankings; without `ties` each document is alone at its rank."""
        if ties:
            return TiedRankings(self.start, self.tie_first, self.tie_last)
        return TiedRankings(self.start, self.rank, self.rank)

    def shared_with(self, first: int, others: Ints) -> Iterator[SharedItems]:
        """Yield the documents that a run shares with each of the others.

        `pair` is the number of the topic; rows are by topic, then by the rank in the other run.
        """
        rank_of = np.zeros(self.codes, np.int32)
        own = self.of_run(first)
        rank_of[self.code[own]] = self.rank[own]
        for other in others.tolist():
            here = self.of_run(other)
            rank_a = rank_of[self.code[here]]
            both = np.flatnonzero(rank_a)
            yield SharedItems(self.topic[here][both], rank_a[both], self.rank[here][both])
