"""Rank-biased precision: what a user of given patience gains per document seen."""

from dataclasses import dataclass

import numpy as np

from rankwise.errors import WrongParameter
from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.metrics.base import WeightedPrecision, gain_of, greatest_gain
from rankwise.metrics.names import register
from rankwise.metrics.parameters import Gains, between, cutoff, flag, gains, rel


@register({"rbp": "RBP(p=0.8)"})
@dataclass(frozen=True, kw_only=True)
class RBP(WeightedPrecision):
    """Gain per document seen by a user who moves on to the next with probability p.

    RBP = (1 − p) Σ gain(i) p^(i−1). The gain is 1 from grade `rel` on, or what `gains`
    gives, between 0 and 1. The weight below depth d is p^d, so a score comes with a
    residual: what the unjudged documents and the rest of the ranking could still add.

    Use it with partly judged data, and choose p for the user you have in mind: 0.5 looks
    at two documents on average, 0.8 at five, 0.95 at twenty. Do not compare scores at
    different p, and do not expect 1: a topic with few relevant documents cannot reach it.
    Moffat and Zobel, ACM TOIS 27(1), 2008.

    >>> score_gains("RBP(p=0.5)", [1, 1, 0, 0, 0, 1])
    0.765625
    """

    p: float = between(0, 1, default=0.8, always=True)
    rel: int = rel()
    gains: Gains | None = gains()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gains is not None and max(gain for _, gain in self.gains) > 1:
            raise WrongParameter(f"{self}: RBP needs gains between 0 and 1, else it leaves [0, 1].")

    def weight(self, rank: Ints) -> Floats:
        return (1 - self.p) * np.power(float(self.p), rank - 1)

    def weight_after(self, depth: Ints) -> Floats:
        return np.power(float(self.p), depth)

    def gain(self, judged: JudgedRankings) -> Floats:
        if self.gains is None:
            return super().gain(judged)
        return gain_of(judged.grade, judged, self.gains)

    def greatest(self, judged: JudgedRankings) -> float:
        return 1.0 if self.gains is None else greatest_gain(judged, self.gains)
