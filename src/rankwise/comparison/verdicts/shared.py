"""The least and the greatest difference under judgments that two runs share."""

import numpy as np

from rankwise.arrays import Ints
from rankwise.comparison.verdicts.differences import Differences, Ends, Pairs
from rankwise.comparison.verdicts.exact import with_exact_ends
from rankwise.comparison.verdicts.any_metric import ends_of_intervals
from rankwise.comparison.verdicts.normalised import ends_of_ratio
from rankwise.comparison.verdicts.search import with_searched_ends
from rankwise.comparison.verdicts.weighted_sums import ends_of_weights
from rankwise.errors import CallError
from rankwise.metrics import Metric
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.possible import Possible

EFFORT = 50_000_000  # documents looked at: some seconds


def difference_bounds(
    judged: JudgedRankings,
    metric: Metric,
    first: Ints,
    second: Ints,
    unjudged: str = "retrieved",
    effort: int = EFFORT,
) -> Differences:
    """The least and the greatest difference of pairs of runs that judgments leave possible.

    `judged` must hold the retrieved documents (`read_judged(…, retrieved=True)`). Those that
    are unjudged may stay so or get any grade, the same in all runs. `retrieved`: only what one of
    the runs retrieved can turn out to be relevant. `open`: so can any number of other
    documents, and each ranking goes on below its end, with whatever documents. `top=K` and
    `extra=N` are those of `Possible`.

    **Weighted precision** (P, RBP, DCG …), exact. With w(d) the weight of a document in a
    run, 0 where it is not retrieved, and gains from 0 to g, the difference is today's plus
    Σ gain(d) × (wA(d) − wB(d)) over the unjudged documents. Each gain is free, so the
    greatest is today's plus g Σ max(0, wA − wB) and the least today's minus
    g Σ max(0, wB − wA). Below the ends, if that is `open`: A's tail adds between 0 and
    g × TA, TA being the weight of all ranks below A's end, and B's takes away between 0
    and g × TB, so the difference lies within g × TA and g × TB more. Both are reached at
    once: let A go on with documents that are relevant and that B never retrieves, and B
    with documents that are not relevant, of which there are enough elsewhere. A document
    of A's list that B lacks might stand in B's tail, but need not; the same bound counts
    it there at most as any other. So tails are never shared.

    **nDCG, Recall, R-precision and set metrics**, exact: for a given number of new relevant
    documents of each gain what they are divided by is given too, and the difference a sum of
    weights again. See `Quotient` and `extremes_by_count`.

    **RR and Success**, exact: one new relevant document is enough. See `extremes_by_first`.
    So are **O, P and P⁺** where all relevant documents have one grade: two are enough, and how
    many others. See `extremes_by_first_and_count`. Of **SetAP and Shaw** only numbers matter:
    see `extremes_by_found`.

    **Others**: the difference of the intervals that the runs have by themselves, once the
    documents that only other runs retrieved are counted among those that can turn out to
    be relevant: they change what a metric divides by. Rankings that are alike down to where
    the metric looks (same judged grades, same unjudged documents) differ by 0. Valid, not
    tight.

    What is not quick to compute is done as far as the `effort` goes, which is how many
    documents are looked at: for the undecided pairs first, those next to a verdict before
    others. `gap` says how much too wide the ends can be.
    """
    if judged.retrieved is None:
        raise CallError("verdicts need the retrieved documents: read_judged(…, retrieved=True).")
    possible = Possible.between_runs(unjudged)
    if possible.top is not None and metric.tells_unusable:
        raise CallError(
            f"{metric}: there are no verdicts under top=K; take `unjudged='retrieved'`."
        )
    whole = judged.keep(("open to", possible), lambda: possible.applied(judged))
    judged = whole if metric.shares_ties else whole.cut_to_depth()
    assert judged.retrieved is not None
    asked, metric = metric, metric.at_levels_of(judged)
    pairs = Pairs(judged, np.asarray(first, np.int64), np.asarray(second, np.int64))
    with np.errstate(invalid="ignore"):  # infinity − infinity, and NaN for the undefined
        if (weights := metric.sum_of_weights) is not None:
            ends = ends_of_weights(pairs, weights, judged.retrieved, possible.of_rankings)
        elif (ratio := metric.normalised) is not None:
            ends = ends_of_ratio(pairs, metric, ratio, judged.retrieved, possible.of_rankings)
        else:
            ends = ends_of_intervals(pairs, metric, judged.retrieved, possible.of_rankings)
        about = (asked, str(possible), judged.runs, judged.topics, pairs.first, pairs.second)
        found = Differences(*about, ends)
        if weights is not None or effort == 0:
            return found
        order = _undecided_first(found.mean)
        if metric.normalised is not None or metric.exact_form(judged) is not None:
            ends = with_exact_ends(ends, pairs, metric, possible.of_rankings, order, effort)
        elif possible.of_rankings == "retrieved":
            ends = with_searched_ends(ends, pairs, metric, order, effort)
        return Differences(*about, ends)


def _undecided_first(mean: Ends) -> Ints:
    """The pairs, those next to a verdict before other undecided ones, and the decided last."""
    need = np.where(np.isnan(mean.to_resolve), 1.0, mean.to_resolve)
    return np.argsort(np.where(mean.verdict == "undecided", need, 2.0), kind="stable")
