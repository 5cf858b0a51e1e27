"""Measures whose definition is trec_eval 10's own, and differs from the metric's."""

from dataclasses import dataclass

import numpy as np

from rankwise.judged import Floats, JudgedRankings
from rankwise.metrics import Metric
from rankwise.metrics.grades import gain_of
from rankwise.metrics.interpolated_precision import precision_from
from rankwise.metrics.parameters import Gains, at_least, between, gains, rel
from rankwise.metrics.rbp import RBPResidual


@dataclass(frozen=True, kw_only=True)
class RoundedIPrec(Metric):
    """IPrec with recall × R rounded to the nearest; up to version 9 it was up from a tenth on."""

    recall: float = at_least(0)
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        found, share = judged.relevant(self.rel), self.recall * judged.judged_count(self.rel)
        wanted = np.maximum(np.trunc(share) + (share % 1 >= 0.5), 1)
        best = judged.keep(("precision_from", self.rel), lambda: precision_from(judged, self.rel))
        return found.total(np.where(found.place == wanted[found.ranking], best, 0.0))


@dataclass(frozen=True, kw_only=True)
class SeenResidual(Metric):
    """RBPResidual, but 0 where nothing unjudged is retrieved: trec_eval then drops the tail."""

    p: float = between(0, 1)

    def compute(self, judged: JudgedRankings) -> Floats:
        unjudged = judged.length > judged.total(judged.grade >= 0)
        return np.where(unjudged, RBPResidual(p=self.p).compute(judged), 0.0)


@dataclass(frozen=True, kw_only=True)
class ScaledRBP(Metric):
    """RBP with the gains of each topic divided by the greatest that it has, if that is over 1."""

    p: float = between(0, 1)
    gains: Gains | None = gains()

    def compute(self, judged: JudgedRankings) -> Floats:
        best = np.full(len(judged.topics), max([1.0, *dict(self.gains or ()).values()]))
        topics = np.repeat(np.arange(len(judged.topics)), np.diff(judged.topic_start))
        np.maximum.at(best, topics, gain_of(judged.topic_grades, judged, self.gains))
        scaled = gain_of(judged.grade, judged, self.gains) / best[judged.topic][judged.ranking]
        weights = np.cumprod([1.0, *[self.p] * int(judged.rank.max(initial=0))])
        return (1 - self.p) * judged.total(scaled * weights[judged.rank - 1])
