"""Ideal rankings: the judged documents of each topic in their best order."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from rankwise.arrays import Bools, Floats, Ints, sums_within
from rankwise.rankings.judged import JudgedRankings


@dataclass(frozen=True, eq=False, repr=False)
class Ideal:
    """Judged documents of each topic by decreasing gain, as flat columns sorted by topic.

    `gain`, `topic` and `rank` have one entry per judged document. Methods that return sums or
    counts return one number per ranking, except `down_to`.
    """

    gain: Floats
    topic: Ints
    rank: Ints
    sizes: Ints  # number of judged documents of each topic
    ranking_topic: Ints  # the topic of each ranking
    _sums: dict[Callable[[Ints], Floats], Floats] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, judged: JudgedRankings, gain_of_grade: Callable[[Ints], Floats]) -> "Ideal":
        """Build the ideal rankings from the judged grades; `gain_of_grade` returns their gains."""
        sizes = np.diff(judged.topic_start)
        topic = np.repeat(np.arange(len(sizes)), sizes)
        gain = gain_of_grade(judged.topic_grades)  # grades fall within each topic
        if ((gain[1:] > gain[:-1]) & (topic[1:] == topic[:-1])).any():
            gain = gain[np.lexsort((-gain, topic))]
        rank = np.arange(1, len(gain) + 1) - judged.topic_start[:-1][topic]
        return cls(gain, topic, rank, sizes, judged.topic)

    @cached_property
    def gaining(self) -> "Ideal":
        """The ideal rankings without documents of gain 0, which add nothing to sums."""
        rows = np.flatnonzero(self.gain != 0)
        topic = self.topic[rows]
        sizes = np.bincount(topic, minlength=len(self.sizes))
        return Ideal(self.gain[rows], topic, self.rank[rows], sizes, self.ranking_topic)

    @cached_property
    def at_least_one(self) -> "Ideal":
        """The ideal rankings, with gains below 1 raised to 1."""
        return replace(self, gain=np.maximum(self.gain, 1))

    def total(self, weight: Callable[[Ints], Floats], cutoff: int | None = None) -> Floats:
        """Return, per ranking, Σ gain × weight(rank) over its ideal ranking, down to the cutoff."""
        gain, rank, topic = self.gaining.gain, self.gaining.rank, self.gaining.topic
        if cutoff is not None:
            kept = np.flatnonzero(rank <= cutoff)
            gain, rank, topic = gain[kept], rank[kept], topic[kept]
        totals = np.bincount(topic, gain * weight(rank), len(self.sizes))
        return totals.astype(np.float64, copy=False)[self.ranking_topic]

    @property
    def size(self) -> Ints:
        """Number of judged documents of each ranking's topic."""
        return self.sizes[self.ranking_topic]

    def count_positive(self) -> Floats:
        """Return the number of documents with a positive gain, per ranking."""
        return self.gaining.sizes[self.ranking_topic].astype(np.float64)

    def count_at(self, gain: float) -> Floats:
        """Return the number of documents with exactly this gain, per ranking."""
        rows = self.gaining if gain else self
        return rows._count(rows.gain == gain)

    def count_from(self, gain: float) -> Floats:
        """Return the number of documents with at least this gain, per ranking."""
        rows = self.gaining if gain > 0 else self
        return rows._count(rows.gain >= gain)

    def _count(self, mask: Bools) -> Floats:
        counts = np.bincount(self.topic, mask, len(self.sizes))
        return counts.astype(np.float64, copy=False)[self.ranking_topic]

    def down_to(self, ranking: Ints, rank: Ints, weight: Callable[[Ints], Floats]) -> Floats:
        """Return, for each (ranking, rank), Σ gain × weight(rank) down to `rank` of the ideal."""
        rows, topic = self.gaining, self.ranking_topic[ranking]
        last = np.minimum(rank, rows.sizes[topic])
        return np.where(last > 0, rows._running(weight)[rows._starts[topic] + last], 0.0)

    @cached_property
    def _starts(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self.sizes)])

    def _running(self, weight: Callable[[Ints], Floats]) -> Floats:
        """Return the cumulative sums of gain × weight within each topic, preceded by one 0."""
        if weight not in self._sums:
            sums = sums_within(self.gain * weight(self.rank), self._starts).astype(np.float64)
            self._sums[weight] = np.concatenate([[0.0], sums])
        return self._sums[weight]


def undiscounted(rank: Ints) -> Floats:
    return np.ones(len(rank))
