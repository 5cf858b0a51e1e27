"""How many of the documents looked at are relevant, and how many of the relevant are seen."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankwise.judged import Floats, Ints, JudgedRankings
from rankwise.metrics.base import Metric, WeightedPrecision
from rankwise.metrics.names import register
from rankwise.metrics.parameters import cutoff, flag, rel


@register({"Precision": "P", "Prec": "P", "P_*": "P@*"})
@dataclass(frozen=True, kw_only=True)
class P(WeightedPrecision):
    """The share of the first k documents that is relevant.

    P@k = (relevant documents in ranks 1 to k) / k, also where fewer than k are retrieved.

    Use it when a user looks at a page of k results and no further. Do not use it to
    compare topics with very different numbers of relevant documents, or when the order
    within the k matters.

    >>> score_gains("P@5", [1, 0, 1, 0, 0, 1])
    0.4
    """

    cutoff: int = cutoff(required=True)
    rel: int = rel()
    judged_only: bool = flag()

    def weight(self, rank: Ints) -> Floats:
        return np.where(rank <= self.cutoff, 1 / self.cutoff, 0.0)


@register({"R": "Recall", "recall_*": "Recall@*"})
@dataclass(frozen=True, kw_only=True)
class Recall(Metric):
    """The share of the topic's relevant documents found in the first k.

    Recall@k = (relevant documents in ranks 1 to k) / R; the whole ranking without k.

    Use it for first stages that feed a reranker, and where missing a document is costly.
    Do not use it where the judgments are few: R is then mostly unknown. What MS MARCO and
    some RAG papers call Recall@k is Success@k here.

    >>> score_gains("Recall@5", [1, 0, 1, 0, 0, 1])
    0.6666666666666666
    """

    needs_relevant: ClassVar[bool] = True
    cutoff: int | None = cutoff()
    rel: int = rel()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = np.diff(judged.relevant(self.rel).row_start)
        return found / np.maximum(judged.judged_count(self.rel), 1)


@register({"RPrec": "Rprec"})
@dataclass(frozen=True, kw_only=True)
class Rprec(Metric):
    """Precision after R documents, R being the number of relevant ones: R-precision.

    Rprec = (relevant documents in ranks 1 to R) / R.

    Use it as a summary that adapts to the topic and correlates with AP. Do not use it
    where R is badly estimated: the rank that it looks at moves with R.
    Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005.

    >>> score_gains("Rprec", [1, 0, 1, 0, 0, 1])
    0.6666666666666666
    """

    needs_relevant: ClassVar[bool] = True
    rel: int = rel()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        count = judged.judged_count(self.rel)
        found = judged.relevant(self.rel)
        in_reach = found.rank <= count[found.ranking]
        return found.total(in_reach) / np.maximum(count, 1)
