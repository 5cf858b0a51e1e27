"""Ideal rankings: the judged documents of each topic in their best order."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats, Ints, sums_within
from rankwise.rankings.judged import JudgedRankings


@dataclass(frozen=True)
class Ideal:
    """For each topic its judged documents, best first: flat columns, topic by topic.

    Everything it answers is one number for each ranking, or for each row it is asked about.
    """

    judged: JudgedRankings
    gain: Floats
    topic: Ints
    rank: Ints

    @classmethod
    def of(cls, judged: JudgedRankings, gain_of_grade: Callable[[Ints], Floats]) -> "Ideal":
        """`gain_of_grade` may reorder the grades: the best is the one with most gain."""
        sizes = np.diff(judged.topic_start)
        topic = np.repeat(np.arange(len(sizes)), sizes)
        gain = gain_of_grade(judged.topic_grades)
        gain = gain[np.lexsort((-gain, topic))]
        rank = np.arange(1, len(gain) + 1) - judged.topic_start[:-1][topic]
        return cls(judged, gain, topic, rank)

    def total(self, weight: Callable[[Ints], Floats], cutoff: int | None = None) -> Floats:
        """Σ gain × weight(rank) to the cutoff, for each ranking."""
        gain, rank, topic = self.gain, self.rank, self.topic
        if cutoff is not None:
            kept = np.flatnonzero(rank <= cutoff)
            gain, rank, topic = gain[kept], rank[kept], topic[kept]
        totals = np.bincount(topic, gain * weight(rank), len(self.judged.topic_start) - 1)
        return totals.astype(np.float64, copy=False)[self.judged.topic]

    @property
    def size(self) -> Ints:
        """How many judged documents each ranking's topic has."""
        return np.diff(self.judged.topic_start)[self.judged.topic]

    def count_positive(self) -> Floats:
        """How many of them gain anything."""
        return self._count(self.gain > 0)

    def count_at(self, gain: float) -> Floats:
        """How many have exactly this gain."""
        return self._count(self.gain == gain)

    def count_from(self, gain: float) -> Floats:
        """How many have this gain or more."""
        return self._count(self.gain >= gain)

    def _count(self, mask: Bools) -> Floats:
        counts = np.bincount(self.topic, mask, len(self.judged.topic_start) - 1)
        return counts.astype(np.float64, copy=False)[self.judged.topic]

    def down_to(self, ranking: Ints, rank: Ints, weight: Callable[[Ints], Floats]) -> Floats:
        """Σ gain × weight over ranks 1 to `rank` of the ideal for each (ranking, rank)."""
        sums = sums_within(self.gain * weight(self.rank), self.judged.topic_start)
        sums = np.concatenate([np.zeros(1, sums.dtype), sums])
        topic = self.judged.topic[ranking]
        start = self.judged.topic_start[topic]
        size = self.judged.topic_start[topic + 1] - start
        last = np.minimum(rank, size)
        return np.where(last > 0, sums[start + last], 0.0).astype(np.float64)


def undiscounted(rank: Ints) -> Floats:
    """The weight of a rank where ranks do not matter."""
    return np.ones(len(rank))
