"""Discounted cumulative gain (DCG) and its normalised variants."""

from functools import partial

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.bounds import RatioToBestOrder, RatioToIdeal, levels_of
from rankwise.errors import WrongParameter
from rankwise.metrics.gains import check_range, gain_of, greatest_gain, possible_grades
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import Gains, above, choice, cutoff, flag, gains, ties, whole
from rankwise.metrics.registry import register
from rankwise.metrics.traits import Normalised
from rankwise.metrics.weighted import WeightedPrecision
from rankwise.rankings import Ideal, JudgedRankings


class Discounted(Metric):
    """Metrics with a gain for each grade and a discount for each rank.

    The discount is 1 / log2(rank + 1). With `b` it is 1 down to rank b and 1 / log_b(rank) below,
    as first defined by Järvelin and Kekäläinen. If the parameter `rel` is set, the gain is binary:
    1 for grades from `rel` on, otherwise 0.
    """

    dcg: str = choice("log2", "exp-log2", default="log2")
    b: float | None = above(1, None)
    gains: Gains | None = gains()
    cutoff: int | None = cutoff()
    judged_only: bool = flag()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rel is not None and self.gains is not None:
            what = "rel and gains cannot be combined: with rel, every relevant document has gain 1"
            raise WrongParameter(f"{what}. Remove one of them.", source=str(self))

    @property
    def takes_gains(self) -> bool:
        return self.rel is None

    def worth(self, grade: Ints, judged: JudgedRankings) -> Floats:
        if self.rel is not None:
            return (grade >= self.rel).astype(np.float64)
        linear = gain_of(grade, judged, self.gains)
        return linear if self.dcg == "log2" else np.exp2(linear) - 1

    def discount(self, rank: Ints) -> Floats:
        if self.b is None:
            return 1 / np.log2(rank + 1)
        return np.log(self.b) / np.log(np.maximum(rank, self.b))

    @property
    def weights_fall(self) -> bool:
        return self.b is None  # with b the first b ranks have the same weight

    def lowest(self, judged: JudgedRankings) -> int:
        return super().lowest(judged) if self.rel is None else self.rel

    def discounted(self, judged: JudgedRankings) -> Floats:
        """Return the DCG of each ranking."""
        rows = judged.relevant(self.lowest(judged))
        discounts = self.discount(np.arange(1, rows.rank.max(initial=0) + 1))
        return rows.total(self.worth(rows.grade, judged) * discounts[rows.rank - 1])

    def ideal(self, judged: JudgedRankings) -> Ideal:
        key = (
            "ideal",
            type(self).worth,
            self.rel,
            self.dcg,
            self.gains,
        )  # for any cutoff
        return judged.keep_of_topics(
            key, lambda: Ideal.of(judged, lambda grade: self.worth(grade, judged))
        )

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return self.worth(grade, judged) > 0

    def is_defined(self, judged: JudgedRankings) -> Bools:
        if not self.needs_relevant:
            return super().is_defined(judged)
        return self.ideal(judged).count_positive() > 0  # does not depend on the cutoff


@register({"dcg": "DCG", "dcg_burges": "DCG(dcg=exp-log2)"})
class DCG(Discounted, WeightedPrecision):
    """Discounted cumulative gain: Σ gain(i) / log2(i + 1).

    `dcg=exp-log2` uses 2^gain − 1 as the gain. `rel` makes the gain binary: 1 for grades from `rel`
    on, otherwise 0. `b=2` is the first form of the metric: ranks 1 and 2 have no discount, and
    below them the gain is divided by log2(i).

    Use it as the numerator of nDCG. Avoid averaging it over topics: it has no upper
    bound, and a topic with many relevant documents outweighs the others.
    Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; the discount is Burges et al.'s, 2005.

    >>> round(score_gains("DCG@5", [1, 1, 0, 0, 0]), 2)
    1.63
    >>> round(score_gains("DCG(b=2)@100", [1] * 100), 2)
    21.79
    """

    rel: int | None = whole(1, None)
    ties: str = ties()

    score_range = (0.0, np.inf)

    def weight(self, rank: Ints) -> Floats:
        return self.discount(rank)

    def gain(self, judged: JudgedRankings) -> Floats:
        return self.worth(judged.grade, judged)

    def greatest(self, judged: JudgedRankings) -> float:
        best = 1.0 if self.rel is not None else greatest_gain(judged, self.gains)
        return best if self.dcg == "log2" else float(np.exp2(best) - 1)


@register()
class SDCG(Discounted, WeightedPrecision):
    """Scaled DCG: DCG@k divided by the DCG@k of k documents that all have the highest gain.

    The highest gain is `max_rel` or, by default, the largest gain of any grade in the qrels or in
    `gains`. Without a table of gains, each grade is its own gain. Only the part of a gain above the
    gain of `min_rel` counts.

    Use it as a weighted precision of fixed depth that does not depend on the number of relevant
    documents. A topic with fewer than k relevant documents cannot reach 1.
    Moffat 2013.

    >>> round(score_gains("SDCG@5", [1, 1, 0, 0, 0]), 2)
    0.55
    """

    cutoff: int = cutoff(required=True)
    max_rel: int | None = whole(1, None)
    min_rel: int = whole(0, 0)
    ties: str = ties()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, self.min_rel, self.max_rel)

    def weight(self, rank: Ints) -> Floats:
        whole_weight = self.discount(np.arange(1, self.cutoff + 1)).sum()
        return self.discount(rank) / whole_weight

    def gain(self, judged: JudgedRankings) -> Floats:
        return self._scaled(judged.grade, judged)

    def greatest(self, judged: JudgedRankings) -> float:
        return float(self._scaled(possible_grades(judged, self.gains), judged).max())

    def _scaled(self, grade: Ints, judged: JudgedRankings) -> Floats:
        nothing = self.worth(np.array([self.min_rel]), judged)
        top = greatest_gain(judged, self.gains) if self.max_rel is None else self.max_rel
        best = top if self.dcg == "log2" else np.exp2(top) - 1
        if best <= nothing:  # no grade of these judgments is above min_rel
            return np.zeros(grade.shape)
        return np.clip((self.worth(grade, judged) - nothing) / (best - nothing), 0, 1)


@register(
    {"NDCG": "nDCG", "ndcg": "nDCG", "ndcg_cut_#": "nDCG@#", "MSnDCG": "nDCG"}
    | {"ndcg_burges": "nDCG(dcg=exp-log2)"}
)
class nDCG(Discounted):
    """DCG divided by the DCG of the topic's judged documents in the best order.

    nDCG@k = DCG@k / ideal DCG@k. It equals trec_eval's ndcg and ndcg_cut. With `gains` it equals
    NTCIREVAL's MSnDCG; NTCIREVAL's nDCG is nDCG(b=2). `dcg=exp-log2` uses 2^gain − 1 as the gain.
    `rel` makes the gain binary, 1 for grades from `rel` on: sentence-transformers' ndcg is
    nDCG(rel=1).

    Use it with graded judgments. Avoid it with few judgments: the ideal ranking lacks the relevant
    documents that were not judged, and the score is unreliable.
    Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.

    >>> round(score_gains("nDCG@6", [1, 1, 1, 1, 1, 0], judged=[1] * 6), 2)
    0.89
    """

    needs_relevant = True
    favours_the_top = True
    bounds = RatioToIdeal()
    rel: int | None = whole(1, None)

    def compute(self, judged: JudgedRankings) -> Floats:
        ideal = self.ideal(judged).total(self.discount, self.cutoff)
        return self.discounted(judged) / ideal

    @property
    def normalised(self) -> Normalised | None:
        if type(self) is not nDCG or self.judged_only:
            return None  # a subclass may use another discount; a condensed list shifts documents
        dcg = DCG(dcg=self.dcg, b=self.b, gains=self.gains, rel=self.rel, cutoff=self.cutoff)
        return Normalised(dcg, self.ideal, partial(levels_of, self))

    def contributions(self, judged: JudgedRankings) -> Floats:
        ideal = self.ideal(judged).total(self.discount, self.cutoff)
        return self.worth(judged.grade, judged) * self.discount(judged.rank) / ideal[judged.ranking]


@register({"SN-DCG": "SNDCG"})
class SNDCG(Discounted):
    """Self-normalised DCG: DCG@k divided by the DCG of the same k documents in the best order.

    The score is 0 if no document in the first k has gain.

    Included for comparison only; not recommended, because one more relevant document can lower the
    score: the ranking 10101 scores less than 10100.
    Moffat 2013 (which truncates 0.8855 to 0.88).

    >>> [round(score_gains("SN-DCG@5", v), 4) for v in ([1, 0, 1, 0, 0], [1, 0, 1, 0, 1])]
    [0.9197, 0.8855]
    """

    worst = 0.0
    needs_relevant = True
    favours_the_top = True
    bounds = RatioToBestOrder()

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.lowest(judged))
        worth = self.worth(rows.grade, judged)
        best = worth[np.lexsort((-worth, rows.ranking))]  # rows of a ranking stay together
        ideal = rows.total(best * self.discount(rows.place))
        return self.discounted(judged) / ideal
