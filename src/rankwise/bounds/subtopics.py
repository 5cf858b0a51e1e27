"""Bounds of metrics over the subtopics of a topic.

A document may be relevant to any set of subtopics, so the judgments of one subtopic do not restrict
those of another. The lower (upper) bound of a mean over subtopics is therefore the mean of the
lower (upper) bounds of the subtopics. A subtopic without a relevant document enters the mean only
if judgments make a document relevant to it (see `least_mean`).
"""

from typing import Any

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds.base import EXACT, EXACT_IF_RETRIEVED, UNIT, ScoreBounds
from rankwise.bounds.grid import Bounds, Grid
from rankwise.bounds.undefined import greatest_mean, least_mean
from rankwise.rankings import BySubtopic, JudgedRankings
from rankwise.vocabulary import Assumption


class MeanOverSubtopics(ScoreBounds[Any]):
    """Bounds of a mean over subtopics, computed from the bounds of each subtopic.

    They are exact if the bounds of the metric that is averaged are exact.

    This class reads `inner`, `parts` and `counted` of the metric.
    """

    def of(
        self, metric: Any, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> Bounds | None:
        parts, inner = metric.parts(metric.to_depth(judged)), metric.inner
        bounds = inner.bounds.where_defined(inner, parts.rankings, unjudged)
        if bounds is None:
            return None
        counted = metric.counted(parts)
        later = np.flatnonzero(~counted)
        if len(later):
            some = parts.rankings.where_rankings(later)
            once = inner.bounds.once_defined(inner, some, unjudged)
            if once is None:
                return None
            for end, new in zip(bounds, once, strict=True):
                end[later] = new
        low, high = (parts.table(end) for end in bounds)
        table = parts.table(counted.astype(np.float64)) == 1
        return (
            least_mean(low, table, weights=parts.weights),
            greatest_mean(high, table, weights=parts.weights),
        )

    def is_exact(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> bool:
        rankings = metric.parts(metric.to_depth(judged)).rankings
        return bool(metric.inner.bounds.is_exact(metric.inner, rankings, unjudged))

    def counts_elsewhere(self, metric: Any) -> bool:
        return bool(metric.inner.bounds.counts_elsewhere(metric.inner))


class SumOfTwo(ScoreBounds[Any]):
    """Bounds of a weighted sum of two metrics, as the sum of their bounds. They may not be tight.

    If a term is undefined under the current judgments, its bounds are those over all judgments that
    define it.

    This class reads `terms` of the metric.
    """

    def of(
        self, metric: Any, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> Bounds | None:
        low, high = np.zeros(judged.count), np.zeros(judged.count)
        for share, term in metric.terms:
            bounds = term.bounds.of(term, judged, unjudged)
            if bounds is None:
                return None
            low, high = low + share * bounds[0], high + share * bounds[1]
        return low, high


class NoveltyGain(ScoreBounds[Any]):
    """Bounds of the novelty-discounted gain of one subtopic: the metric `Novelty`.

    They are exact, except under the assumption `open` without a cutoff.

    One more relevant document at rank r, with j − 1 relevant documents above it, gains (1 −
    α)^(j−1) d(r), where d is the discount. It reduces the gain of the relevant documents below it
    by the share α, and this gain is at most (1 − α)^(j−1) d(r) / α. It therefore never lowers the
    score. The score is largest with all unjudged documents relevant, and smallest with none.

    This class reads `rel`, `novelty`, `discount` and `most` of the metric.
    """

    open_range = UNIT

    def on(self, metric: Any, grid: Grid) -> Bounds:
        discount, ends = metric.discount(grid.rank), []
        for relevant in (grid.relevant(metric.rel), grid.relevant(metric.rel) | grid.unjudged):
            place = np.maximum(np.cumsum(relevant, axis=1), 1)
            ends.append((relevant * metric.novelty(place) * discount).sum(axis=1) / metric.most)
        return ends[0], ends[1]

    def is_exact(self, metric: Any, judged: JudgedRankings, unjudged: Assumption) -> bool:
        return unjudged in (EXACT_IF_RETRIEVED if metric.cutoff is None else EXACT)


class RatioToGreedyIdeal(ScoreBounds[Any]):
    """Bounds of a sum over subtopics, divided by the sum of the greedy ideal ranking: alpha_nDCG.

    They may not be tight. The lower bound divides the smallest sum by the largest sum of the greedy
    ideal ranking. The upper bound divides the largest sum by the smallest sum of the greedy ideal
    ranking.

    The coverage c(k) of the first k documents is Σ w (1 − (1 − α)^n) / α over the subtopics, where
    n of these documents are relevant to the subtopic and w is its weight. If d(k) is the discount
    of rank k, the sum of a ranking is Σ (d(k) − d(k + 1)) c(k). Coverage is submodular, so the
    coverage of the greedy ranking is at least ρ(k) = 1 − (1 − 1/k)^k times the largest coverage
    (Nemhauser, Wolsey and Fisher 1978). With one subtopic ρ is 1. More relevant documents never
    lower the largest coverage. If n new documents are relevant to all subtopics, they raise it at
    most to W (1 − (1 − α)^n) / α + (1 − α)^n C. W is the total weight of the subtopics, and C the
    largest current coverage of k − n documents.

    This class reads `inner` and `coverage` of the metric.
    """

    def of(
        self, metric: Any, judged: JudgedRankings, unjudged: Assumption = "retrieved"
    ) -> Bounds | None:
        judged = metric.to_depth(judged)
        inner, score = metric.inner, metric.scores(judged)
        parts = judged.by_subtopic()
        earned = inner.bounds.of(inner, parts.rankings, unjudged)
        low, high = ((parts.weights * np.nan_to_num(parts.table(e))).sum(axis=1) for e in earned)
        new = np.full(judged.count, np.inf)
        if unjudged == "retrieved":
            new = judged.unjudged_count.astype(np.float64)
            new += 0 if judged.elsewhere is None else judged.elsewhere
        least, most, ratio = _ideals(metric, judged, parts, new)
        low = np.divide(low, most, out=np.zeros(judged.count), where=most > 0)
        high = np.minimum(np.divide(high, least, out=ratio.copy(), where=least > 0), ratio)
        known = new == 0
        return (
            np.where(known, score, np.fmin(low, score)),
            np.where(known, score, np.fmax(high, score)),
        )


def _ideals(
    metric: Any, judged: JudgedRankings, parts: BySubtopic, new: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the smallest and the largest sum of the ideal ranking, and the largest possible score.

    The sums are divided by `inner.most`. For a topic without relevant documents they are the sums
    under judgments that define its score.
    """
    inner, weights = metric.inner, parts.weights
    # `steps[topic, rank]` is the coverage that each rank of the ideal ranking adds.
    steps = metric.coverage(judged)
    depth = steps.shape[1]
    total = weights.sum(axis=1)
    rank = np.arange(1, depth + 1)
    falls = inner.discount(rank)
    falls[:-1] -= falls[1:]
    alone = ((weights > 0).sum(axis=1) == 1)[:, None]
    bound = np.where(alone, 1.0, 1 - (1 - 1 / rank) ** rank)
    if inner.cutoff is None:
        limit = np.where(alone[:, 0], 1.0, 1 - np.exp(-1))
    else:
        limit = np.where(alone[:, 0], 1.0, 1 - (1 - 1 / inner.cutoff) ** inner.cutoff)
    now = np.cumsum(steps, axis=1)[judged.topic]
    smallest = np.where(weights > 0, weights, np.inf).min(axis=1)
    # Summed in rank order down to the topic's own last judged document, so that other topics do not
    # change the result in the last digit.
    size = np.clip(np.diff(judged.topic_start)[judged.topic], 1, depth)[:, None]
    own = np.where(rank < size, falls, np.where(rank == size, inner.discount(rank), 0.0))
    least = np.cumsum(own * np.maximum(bound * now, smallest[:, None]), axis=1)[:, -1]
    if inner.cutoff is None:
        return least / inner.most, total, 1 / limit
    full = np.concatenate([[0.0], np.cumsum(inner.novelty(rank))])
    added = np.minimum(new[:, None], rank).astype(np.int64)
    before = np.concatenate([np.zeros((len(now), 1)), now / bound], axis=1)
    old = np.take_along_axis(before, rank - added, axis=1)
    old = np.minimum(
        np.minimum(old, now[:, -1:] / limit[:, None]), total[:, None] * full[rank - added]
    )
    kept = np.where(added > 0, inner.novelty(added + 1), 1.0)
    greatest = total[:, None] * full[added] + kept * old
    return least / inner.most, (falls * greatest).sum(axis=1) / inner.most, 1 / limit
