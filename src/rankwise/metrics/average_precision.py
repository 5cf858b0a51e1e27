"""Average precision and its relatives."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.judged import Floats, JudgedRankings
from rankwise.metrics.base import Metric
from rankwise.metrics.names import register
from rankwise.metrics.parameters import cutoff, flag, rel


@register({"MAP": "AP", "map": "AP", "map_cut_*": "AP@*"})
@dataclass(frozen=True, kw_only=True)
class AP(Metric):
    """The mean, over the topic's relevant documents, of the precision at the rank of each.

    AP = (1/R) Σ P@i over the ranks i of relevant documents; those not retrieved (or not
    in the first k) count 0. Its mean over topics is MAP.

    Use it with thorough judgments, where finding all relevant documents matters. Do not
    use it with few judgments: it divides by R, so finding one more relevant document
    elsewhere lowers the score of a ranking that did not change.

    >>> A = [1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0]
    >>> round(score_gains("AP", A), 4)
    0.6316
    """

    needs_relevant: ClassVar[bool] = True
    rel: int = rel()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = judged.relevant(self.rel)
        precisions = found.total(found.place / found.rank)
        return precisions / np.maximum(judged.judged_count(self.rel), 1)
