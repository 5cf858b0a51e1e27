"""Metrics of preferences: relevant documents ranked above judged non-relevant ones."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.judged import Floats, JudgedRankings
from rankwise.metrics.base import Metric
from rankwise.metrics.names import register
from rankwise.metrics.parameters import rel


@register({"BPref": "Bpref", "bpref": "Bpref"})
@dataclass(frozen=True, kw_only=True)
class Bpref(Metric):
    """How rarely judged non-relevant documents are ranked above relevant ones.

    bpref = (1/R) Σ 1 − min(n, R) / min(N, R) over the retrieved relevant documents, n
    being the judged non-relevant documents above, N all of the topic's. Unjudged and
    unusable documents play no part. The form of trec_eval, which is bpref with the
    denominator min(N, R) of Soboroff.

    Use it with incomplete judgments. Do not use it where most judged documents are
    relevant, or to see the top of the ranking: it does not favour it much.
    Buckley and Voorhees, SIGIR 2004.

    >>> score_gains("Bpref", [1, 0, 1, 0])
    0.75
    """

    needs_relevant: ClassVar[bool] = True
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        relevant = judged.grade >= self.rel
        above = judged.running((judged.grade >= 0) & ~relevant)[relevant]
        ranking = judged.ranking[relevant]
        count = judged.judged_count(self.rel)
        nonrelevant = judged.judged_count(0, self.rel)
        most = np.maximum(np.minimum(count, nonrelevant), 1)
        lost = np.minimum(above, count[ranking]) / most[ranking]
        return np.bincount(ranking, 1 - lost, judged.count) / np.maximum(count, 1)
