"""Precision and recall at a cutoff, R-precision and relative precision."""

from typing import Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Floats, Ints
from rankwise.bounds import FoundShare, PrecisionWithinReach
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import at_least, cutoff, flag, rel, ties
from rankwise.metrics.registry import register
from rankwise.metrics.traits import ByCount, ExactForm
from rankwise.metrics.weighted import WeightedPrecision
from rankwise.rankings import JudgedRankings


@register({"Precision": "P", "Prec": "P", "P_#": "P@#"})
class P(WeightedPrecision):
    """Precision: the proportion of the first k documents that are relevant.

    P@k = (relevant documents in ranks 1 to k) / k. The divisor is k even if fewer than k documents
    are retrieved.

    Use it when users look at a page of k results and no further. Avoid it for topics with very
    different numbers of relevant documents, or when the order within the first k matters.
    Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005.

    >>> score_gains("P@5", [1, 0, 1, 0, 0, 1])
    0.4
    """

    cutoff: int = cutoff(required=True)
    rel: int = rel()
    judged_only: bool = flag()
    ties: str = ties()

    def weight(self, rank: Ints) -> Floats:
        return np.full(len(rank), 1 / self.cutoff)

    def lowest(self, judged: JudgedRankings) -> int:
        return self.rel

    def compute(self, judged: JudgedRankings) -> Floats:
        if self.ties == "share":
            return super().compute(judged)
        # A single division: a sum of terms 1/k can differ in the last bit and change a printed
        # digit.
        return np.diff(judged.relevant(self.rel).row_start) / self.cutoff


class FoundShareMetric(Metric):
    """Metrics that divide the number of relevant documents in the first k by a function of R.

    R is the number of documents relevant to the topic.
    """

    needs_relevant = True
    favours_the_top = True
    bounds = FoundShare()
    rel: int = rel()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        found = np.diff(judged.relevant(self.rel).row_start)
        return found / self.divisor(judged.judged_count(self.rel))

    def divisor(self, relevant: npt.NDArray[Any]) -> npt.NDArray[Any]:
        raise NotImplementedError

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        # In a condensed list, judging a document inserts it and shifts those below.
        return None if self.judged_only else ByCount(self.rel, self._weight, corners=self._corners)

    @property
    def _corners(self) -> tuple[int, ...]:
        return (1,)

    def _weight(self, retrieved: Ints, relevant: Ints) -> Floats:
        return 1 / self.divisor(relevant)


@register({"R": "Recall", "recall": "Recall", "recall_#": "Recall@#"})
class Recall(FoundShareMetric):
    """Recall: the proportion of the topic's relevant documents found in the first k.

    Recall@k = (relevant documents in ranks 1 to k) / R, where R is the number of documents relevant
    to the topic. Without k the whole ranking counts.

    Use it for first stages that feed a reranker, and when missing a document is costly. Avoid it
    with few judgments, because many relevant documents are then unknown. The Recall@k of MS MARCO
    and of some RAG papers is Success@k here.
    Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005.

    >>> score_gains("Recall@5", [1, 0, 1, 0, 0, 1])
    0.6666666666666666
    """

    cutoff: int | None = cutoff()

    def divisor(self, relevant: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.maximum(relevant, 1)

    def contributions(self, judged: JudgedRankings) -> Floats:
        count = self.divisor(judged.judged_count(self.rel))[judged.ranking]
        return (judged.grade >= self.rel) / count


@register({"RPrec": "Rprec", "Rprec_mult_#": "Rprec(mult=#)"})
class Rprec(Metric):
    """R-precision: the precision at rank R, the number of relevant documents.

    Rprec = (relevant documents in ranks 1 to R) / R. `mult` replaces rank R by mult × R, rounded up
    if its fractional part is 0.1 or more, as in trec_eval. With a cutoff k the rank is at most k.

    Use it as a summary that adapts to the topic and correlates with AP. Avoid it when R is badly
    estimated: the rank at which it is measured changes with R.
    Buckley and Voorhees, in TREC: Experiment and Evaluation, 2005; Moffat 2013 for @k.

    >>> score_gains("Rprec", [1, 0, 1, 0, 0, 1])
    0.6666666666666666
    """

    needs_relevant = True
    favours_the_top = True
    bounds = PrecisionWithinReach()
    rel: int = rel()
    mult: float = at_least(0.01, 1)
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def compute(self, judged: JudgedRankings) -> Floats:
        reach = self.reach(judged.judged_count(self.rel))
        found = judged.relevant(self.rel)
        return found.total(found.rank <= reach[found.ranking]) / np.maximum(reach, 1)

    def reach(self, count: npt.NDArray[Any]) -> Ints:
        reach = (self.mult * count + 0.9).astype(np.int64)
        return reach if self.cutoff is None else np.minimum(reach, self.cutoff)

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        return None if self.judged_only else ByCount(self.rel, self._weight, self.reach)

    def _weight(self, retrieved: Ints, relevant: Ints) -> Floats:
        return 1 / np.maximum(self.reach(relevant), 1)


@register({"relative_P_#": "RelP@#"})
class RelP(FoundShareMetric):
    """Relative precision: P@k divided by the highest possible P@k.

    RelP@k = (relevant documents in ranks 1 to k) / min(k, R), where R is the number of documents
    relevant to the topic.

    Use it when topics have fewer relevant documents than k. Avoid comparing it with P@k: they are
    equal only if at least k documents are relevant.
    trec_eval's relative_P.

    >>> score_gains("RelP@5", [1, 0, 1, 0, 0, 1])
    0.6666666666666666
    """

    cutoff: int = cutoff(required=True)

    def divisor(self, relevant: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.clip(relevant, 1, self.cutoff)

    @property
    def _corners(self) -> tuple[int, ...]:
        return (1, self.cutoff)
