"""Metrics of the set of retrieved documents, without their order."""

from typing import Any, ClassVar

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds import LinearCounts, ScoreBounds, SetCounts
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import at_least, cutoff, flag, number, rel, whole
from rankwise.metrics.registry import register
from rankwise.metrics.traits import ByCount, ByFound, ExactForm
from rankwise.rankings import JudgedRankings


class SetMetric(Metric):
    """Metrics of three counts: relevant, retrieved, and relevant retrieved documents.

    Scores of all these metrics except Utility never decrease if a retrieved document becomes
    relevant, although R, the number of relevant documents, increases too. They never increase if a
    document that is not retrieved becomes relevant.
    """

    linear = True  # for a fixed R each relevant document retrieved adds the same amount
    bounds: ClassVar[ScoreBounds[Any]] = SetCounts()
    rel: int = rel()
    judged_only: bool = flag()

    @property
    def ignores_order(self) -> bool:  # type: ignore[override]
        return self.cutoff is None

    def of_counts(self, found: Floats, retrieved: Floats, relevant: Floats) -> Floats:
        raise NotImplementedError

    def compute(self, judged: JudgedRankings) -> Floats:
        found = np.diff(judged.relevant(self.rel).row_start).astype(np.float64)
        # As in P@k, a ranking shorter than the cutoff counts as k documents.
        retrieved = judged.length if self.cutoff is None else np.full(judged.count, self.cutoff)
        relevant = judged.judged_count(self.rel).astype(np.float64)
        return self.of_counts(found, retrieved.astype(np.float64), relevant)

    def exact_form(self, judged: JudgedRankings) -> ExactForm | None:
        if self.judged_only:
            return None
        if self.linear:
            return ByCount(self.rel, self._weight)
        return ByFound(self.rel, self._of_tables)

    def _weight(self, retrieved: Ints, relevant: Ints) -> Floats:
        """Return the amount by which one more relevant document retrieved increases the score."""
        one, none = (self._of_tables(np.full(1, f), retrieved, relevant) for f in (1.0, 0.0))
        return one - none

    def _of_tables(
        self, found: Floats, retrieved: Floats | Ints, relevant: Floats | Ints
    ) -> Floats:
        """Return `of_counts` for arrays of any shape; with a cutoff k, `retrieved` counts as k."""
        length = retrieved if self.cutoff is None else np.full(1, self.cutoff)
        counts = np.broadcast_arrays(found, length, relevant)
        columns = (column.astype(np.float64).ravel() for column in counts)
        return self.of_counts(*columns).reshape(counts[0].shape)


def ratio(above: Floats, below: Floats) -> Floats:
    """Return above / below, and 0 for 0 / 0."""
    return np.divide(above, below, out=np.zeros(len(above)), where=below > 0)


@register({"set_P": "SetP"} | dict.fromkeys(["SetRelP", "set_relative_P"], "SetP(relative=True)"))
class SetP(SetMetric):
    """Set precision: the proportion of the retrieved documents that are relevant.

    With `relative` the score is divided by its highest possible value: it is (relevant retrieved) /
    min(retrieved, relevant).

    Use it for Boolean retrieval and classification. Use P@k for rankings.
    Van Rijsbergen, Information Retrieval, 1979.

    >>> score_gains("SetP", [1, 0, 0, 1])
    0.5
    """

    relative: bool = flag()

    @property
    def counts_missed(self) -> bool:
        return self.relative

    def of_counts(self, found: Floats, retrieved: Floats, relevant: Floats) -> Floats:
        return ratio(found, np.minimum(retrieved, relevant) if self.relative else retrieved)


@register({"set_recall": "SetR"})
class SetR(SetMetric):
    """Set recall: the proportion of the relevant documents that are retrieved, at any rank.

    It is the same as Recall without a cutoff.

    >>> score_gains("SetR", [1, 0, 0, 1], judged=[1, 1, 1, 1])
    0.5
    """

    needs_relevant = True
    favours_the_top = True

    def of_counts(self, found: Floats, retrieved: Floats, relevant: Floats) -> Floats:
        return ratio(found, relevant)


@register({"set_map": "SetAP"})
class SetAP(SetMetric):
    """Set precision times set recall: AP with the set precision in place of each P@i.

    Use it to evaluate a set without an order. Use AP for rankings. It is trec_eval's set_map.

    >>> score_gains("SetAP", [1, 0, 0, 1], judged=[1, 1, 1, 1])
    0.25
    """

    needs_relevant = True
    linear = False
    favours_the_top = True

    def of_counts(self, found: Floats, retrieved: Floats, relevant: Floats) -> Floats:
        return ratio(found * found, retrieved * relevant)


@register({"set_F": "SetF", "set_F_#": "SetF(beta=#)", "F": "SetF", "F1": "SetF", "f1": "SetF"})
class SetF(SetMetric):
    """F-measure: the weighted harmonic mean of precision P and recall R.

    F = (β + 1) P R / (β P + R) for the whole set or, with @k, for the first k documents.
    As in trec_eval and ir_measures, β here is van Rijsbergen's β².

    Use it when one number must combine precision and recall. Avoid it when they matter differently
    and you cannot say by how much.
    Van Rijsbergen, Information Retrieval, 1979.

    >>> round(score_gains("F@2", [1, 0, 0, 1], judged=[1, 1, 1, 1]), 4)
    0.3333
    """

    needs_relevant = True
    favours_the_top = True
    beta: float = at_least(0, 1)
    cutoff: int | None = cutoff()

    def of_counts(self, found: Floats, retrieved: Floats, relevant: Floats) -> Floats:
        precision, recall = ratio(found, retrieved), ratio(found, relevant)
        return ratio((self.beta + 1) * precision * recall, self.beta * precision + recall)


@register()
class Shaw(SetMetric):
    """Shaw's combination of precision p and recall r: 1 / (1/p + 1/r − 1).

    It is the Jaccard coefficient of the retrieved and the relevant documents.

    Use it as a stricter F. Avoid it when the number of relevant documents is badly estimated.
    Shaw, JASIS 37(5), 1986; Moffat and Zobel 2008, Section 3.3.

    >>> round(score_gains("Shaw@2", [1, 0, 0, 1], judged=[1, 1, 1, 1]), 4)
    0.2
    """

    needs_relevant = True
    linear = False
    favours_the_top = True
    cutoff: int | None = cutoff()

    def of_counts(self, found: Floats, retrieved: Floats, relevant: Floats) -> Floats:
        return ratio(found, retrieved + relevant - found)


@register({"utility": "Utility"})
class Utility(SetMetric):
    """Linear utility: a weighted sum of the four cells of the contingency table.

    Utility = a × (relevant retrieved) + b × (non-relevant retrieved) + c × (relevant not retrieved)
    + d × (non-relevant not retrieved). `documents` is the number of documents in the collection.

    Use it for filtering, where each decision has a price. Avoid averaging it over topics with
    different numbers of relevant documents: it has no upper or lower limit.
    trec_eval's utility.

    >>> score_gains("Utility", [1, 0, 0])
    -1.0
    """

    bounds = LinearCounts()
    a: float = number(1)
    b: float = number(-1)
    c: float = number(0)
    d: float = number(0)
    documents: int = whole(0, 0)

    score_range = (-np.inf, np.inf)

    def of_counts(self, found: Floats, retrieved: Floats, relevant: Floats) -> Floats:
        rest = self.documents + found - retrieved - relevant
        return (
            self.a * found
            + self.b * (retrieved - found)
            + self.c * (relevant - found)
            + self.d * rest
        )

    @property
    def counts_missed(self) -> bool:
        return self.c != self.d  # otherwise a missed relevant document counts like any other
