"""The documents of runs in the order of their ranks, and those that two runs share."""

from collections.abc import Iterator
from dataclasses import dataclass

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
        place = start[rows.ranking(topics)] + rows.rank - 1
        columns = [np.zeros(int(start[-1]), np.int32) for _ in range(3)]
        end = np.minimum(rows.tie_last, length[rows.ranking(topics)])  # a tie may span the depth
        for column, values in zip(columns, (rows.code, rows.tie_first, end), strict=True):
            column[place] = values
        return cls(len(judged.runs), topics, rows.codes, start, *columns)

    @property
    def length(self) -> Ints:
        """The length of each ranking, runs × topics."""
        return np.diff(self.start).reshape(self.runs, self.topics)

    def of_run(self, run: int) -> slice:
        """The places of a run."""
        return slice(*(int(self.start[at * self.topics]) for at in (run, run + 1)))

    def ranks(self, run: int) -> Codes:
        """The rank of each place of a run."""
        here, start = self.of_run(run), self.start[run * self.topics : (run + 1) * self.topics]
        length = np.diff(self.start)[run * self.topics : (run + 1) * self.topics]
        places = np.arange(here.start, here.stop)
        return (places - np.repeat(start, length) + 1).astype(np.int32)

    def rankings(self, *, ties: bool) -> TiedRankings:
        """The ties of all rankings; without `ties` each document is alone at its rank."""
        if ties:
            first, last = self.tie_first.astype(np.int64), self.tie_last.astype(np.int64)
            return TiedRankings(self.start, first, last)
        ranks = np.concatenate([self.ranks(run) for run in range(self.runs)]).astype(np.int64)
        return TiedRankings(self.start, ranks, ranks)

    def shared_with(self, first: int, others: Ints) -> Iterator[SharedItems]:
        """Yield the documents that a run shares with each of the others.

        `pair` is the number of the topic; rows are by topic, then by the rank in the other run.
        """
        rank_of = np.zeros(self.codes, np.int32)
        rank_of[self.code[self.of_run(first)]] = self.ranks(first)
        for other in others.tolist():
            here = self.of_run(other)
            rank_a = rank_of[self.code[here]]
            both = np.flatnonzero(rank_a)
            length = self.length[other]
            topic = np.repeat(np.arange(self.topics), length)[both]
            yield SharedItems(topic, rank_a[both], self.ranks(other)[both])
