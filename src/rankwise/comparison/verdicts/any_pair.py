"""Bounds on the score difference of two runs over all possible judgments, and verdicts.

A form is a type of formula for which exact bounds are known. Metrics without a form have valid
bounds, which may be too wide. A search tightens them, until it has visited a maximum number of
documents.

differences.py         score differences of pairs of runs, their bounds, and verdicts
forms.py               base class of forms: exact bounds, topic by topic
weighted_sums.py       P, RBP, DCG: a sum of weights
normalised.py          nDCG: a sum of weights divided by the sum of the ideal ranking
relevant_count.py      Recall, R-precision, set F: weights that depend only on R
set_counts.py          SetAP, Shaw: a function of three counts of documents
first_relevant.py      RR, Success, O, P⁺: the rank of the first relevant document
subtopics.py           means over subtopics, from the bounds of each subtopic
any_metric.py          valid bounds for any metric, from the bounds of both scores
search.py              branch and bound, for metrics without a form: AP, Q, Bpref
trial_judgments.py     scores of two runs under many judgments at once
pair_documents.py      the unjudged documents of pairs of runs, topic by topic
identical_rankings.py  rankings with equal scores under any judgments

R is the number of relevant documents of the topic.
"""

from collections.abc import Sequence

import numpy as np

from rankwise.arrays import Ints
from rankwise.comparison.verdicts.any_metric import bounds_of_any_metric
from rankwise.comparison.verdicts.differences import Differences, Ends, Pairs
from rankwise.comparison.verdicts.first_relevant import FirstRelevant, FirstRelevantAndCount
from rankwise.comparison.verdicts.forms import Form, undecided_first
from rankwise.comparison.verdicts.normalised import NormalisedSum
from rankwise.comparison.verdicts.relevant_count import RelevantCount
from rankwise.comparison.verdicts.search import with_searched_ends
from rankwise.comparison.verdicts.set_counts import SetCounts
from rankwise.comparison.verdicts.subtopics import ends_over_subtopics
from rankwise.comparison.verdicts.weighted_sums import ends_of_weights
from rankwise.errors import CallError
from rankwise.metrics import ByCount, ByFirst, ByFirstAndCount, ByFound, Metric, Normalised
from rankwise.rankings import JudgedRankings, Possible
from rankwise.vocabulary import Assumption
from rankwise.wording import Argument, Remedy

__all__ = ["EFFORT", "Differences", "Ends", "difference_bounds"]

EFFORT = 50_000_000  # documents examined in the search of a metric; this takes some seconds
FORMS: dict[type, type[Form]] = {
    Normalised: NormalisedSum,
    ByCount: RelevantCount,
    ByFound: SetCounts,
    ByFirst: FirstRelevant,
    ByFirstAndCount: FirstRelevantAndCount,
}


def deepest_of_verdicts(metrics: Sequence[Metric], unjudged: str) -> int | None:
    """Return the rank below which verdicts need only the number of unjudged documents.

    The result is None if the documents at all ranks matter.
    """
    if Possible.parse(unjudged).top is not None:
        return None
    cutoffs = [
        None
        if metric.judged_only or metric.ties == "share" or metric.uses_subtopics
        else metric.cutoff
        for metric in metrics
        if not metric.is_diagnostic
    ]
    known = [cutoff for cutoff in cutoffs if cutoff is not None]
    return max(known, default=None) if len(known) == len(cutoffs) else None


def difference_bounds(
    judged: JudgedRankings,
    metric: Metric,
    first: Ints,
    second: Ints,
    unjudged: str = "retrieved",
    effort: int = EFFORT,
) -> Differences:
    """Return the bounds on the differences of pairs of runs, under judgments that both runs share.

    `judged` must include the retrieved documents (`Needs(documents=True)`). Unjudged documents may
    stay unjudged or get any grade, which is the same for all runs. Under `retrieved`, only
    documents that at least one of the runs in `judged` retrieved can be relevant. Under `open`, any
    number of other documents can be relevant too, and each ranking may continue below its end. For
    `top=K` and `extra=N` see `Possible`.

    If the metric has a form (a type of formula; see `Form`), the bounds are exact wherever the
    formula applies. With many pairs, only the pairs closest to a verdict have these exact bounds.
    Metrics without a form have valid bounds, from the bounds of both scores. Except under `open`, a
    search tightens the valid bounds. The search starts with the undecided pairs that are closest to
    a verdict, and ends after about `effort` documents. `Ends.gap` is the amount by which the bounds
    may still be too wide. There is no search for grades by subtopic and for preference judgments.
    """
    if judged.retrieved is None:
        raise CallError(
            "verdicts need the retrieved documents. Use Collection.judged(Needs(documents=True))."
        )
    possible = Possible.between_runs(unjudged)
    if possible.top is not None and metric.tells_unusable:
        remedy = Remedy(Argument("unjudged", "retrieved"), "compute verdicts for this metric")
        what = "there are no verdicts under top=K."
        raise CallError(what, source=str(metric), remedy=remedy)
    whole = judged.keep(("open to", possible), lambda: possible.applied(judged))
    judged = metric.to_depth(whole)
    pairs = Pairs(judged, np.asarray(first, np.int64), np.asarray(second, np.int64))
    with np.errstate(invalid="ignore"):  # infinity − infinity, and NaN for undefined scores
        ends = _ends(pairs, metric, possible.of_rankings, effort)
    about = (metric, str(possible), judged.runs, judged.topics)
    return Differences(*about, pairs.first, pairs.second, ends)


def _ends(pairs: Pairs, metric: Metric, unjudged: Assumption, effort: int) -> Ends:
    """Return the bounds on the differences of all pairs, by topic.

    Sums of weights and metrics with a form have the bounds of their formula. A mean over subtopics
    has the mean of the bounds of each subtopic. For all other metrics, valid bounds are computed
    from the bounds of both scores, and a search tightens these.
    """
    metric = metric.at_levels_of(pairs.judged)
    judged = pairs.judged
    form = metric.normalised or metric.exact_form(judged)
    if (mean := metric.over_subtopics) is not None:
        ends = ends_over_subtopics(
            pairs, mean, unjudged, lambda inner, of: _ends(inner, of, unjudged, effort)
        )
        if mean.inner.needs_relevant:
            return ends
    elif (weights := metric.sum_of_weights) is not None:
        return ends_of_weights(pairs, weights, unjudged)
    elif form is not None:
        return FORMS[type(form)](pairs, metric, form, unjudged).ends()
    else:
        ends = bounds_of_any_metric(pairs, metric, unjudged)
    second_key = metric.uses_subtopics and judged.subtopics is not None
    second_key |= judged.preferences is not None
    # The search gives each document a single grade, without grades by subtopic or preferences.
    if effort == 0 or unjudged == "open" or second_key:
        return ends
    order = undecided_first(ends, is_sum=metric.aggregate == "sum")
    return with_searched_ends(ends, pairs, metric, order, effort)
