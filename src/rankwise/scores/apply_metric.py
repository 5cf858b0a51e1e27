"""Apply a metric, validate its output, and attribute errors to it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from rankwise.arrays import LARGEST_SCORE, Floats, Ints
from rankwise.bounds import Bounds
from rankwise.errors import CallError, MetricError, RankwiseError
from rankwise.metrics import Metric
from rankwise.rankings import JudgedRankings, Possible
from rankwise.vocabulary import Assumption
from rankwise.wording import Argument, Count, Remedy


@contextmanager
def blaming(metric: Metric) -> Iterator[None]:
    """Return a context that converts exceptions to a MetricError that names the metric.

    For a metric defined by the user, the message has the file and line. For a built-in metric, only
    overflow and lack of memory are converted. Errors of rankwise are never converted.
    """
    try:
        with np.errstate(over="raise"):
            yield
    except RankwiseError:
        raise
    except FloatingPointError:
        what = "the score is not a finite number, because grades or gains are too large"
        raise MetricError(f"{metric}: {what}.") from None
    except MemoryError:
        raise MetricError(f"{metric}: not enough memory. Use a smaller cutoff.") from None
    except (Exception, SystemExit) as error:
        if metric.is_builtin:
            raise
        from traceback import extract_tb

        frame = extract_tb(error.__traceback__)[-1]
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise MetricError(f"{metric}: {what} ({frame.filename}:{frame.lineno})") from error


def scores_of(
    metric: Metric, judged: JudgedRankings, *, infinite: bool = False, by_formula: bool = False
) -> Floats:
    """Return the score of each ranking, or NaN where the metric is undefined for the topic.

    Scores above 1e100 in absolute value are an error, unless `infinite` is True. If the metric is
    defined for the topic, but its formula gives NaN for a ranking, the score is `Metric.worst` (if
    set), or NaN with `by_formula`.
    """
    if judged.preferences is not None and not (metric.uses_preferences or metric.is_diagnostic):
        raise CallError(
            f"{metric} needs a grade for each document, and these judgments are preferences. "
            "Use Compat or AgreedPairs, or convert them: rankwise convert prefs.csv graded.qrels."
        )
    metric = metric.at_levels_of(judged)
    with blaming(metric):
        found = _column(metric, metric.scores(judged, by_formula=by_formula), judged.count)
    too_large = np.abs(found) > LARGEST_SCORE
    if not infinite and too_large.any():
        place = int(too_large.argmax())
        run, topic = judged.runs[place // len(judged.topics)], judged.topics[judged.topic[place]]
        what = f"the score of run {run} on topic {topic} is {found[place]:g}."
        allowed = f"between −{LARGEST_SCORE:g} and {LARGEST_SCORE:g}, or NaN if undefined"
        raise MetricError(f"{metric}: {what} A score must be {allowed}.")
    return found


def bounds_of(metric: Metric, judged: JudgedRankings, unjudged: Assumption) -> Bounds | None:
    """Return the lower and upper bound of each ranking's score, or None if no bounds are known."""
    metric = metric.at_levels_of(judged)
    with blaming(metric):
        found = metric.bounds.of(metric, judged, unjudged)
        if found is None:
            return None
        low, high = (_column(metric, end, judged.count) for end in found)
    return low, high


def changes_with_other_runs(possible: Possible, metric: Metric) -> bool:
    """Return whether the bounds of a run can depend on the other runs of the call."""
    return possible.top is not None or (possible.basis == "retrieved" and metric.counts_missed)


def bounds_under(
    possible: Possible, metric: Metric, judged: JudgedRankings, open_to: JudgedRankings
) -> Bounds | None:
    """Return the bounds under the assumption `possible`, or None if no bounds are known.

    `open_to` is `possible.applied(judged)`, which the caller computes once for all metrics.
    """
    if possible.top is not None and metric.tells_unusable:
        if metric.is_diagnostic:  # it describes the current judgments
            return bounds_of(metric, judged, "retrieved")
        what = "no bounds are known under top=K, because the metric treats negative grades "
        what += "differently from 0"
        remedy = Remedy(Argument("unjudged", "retrieved"), "bound this metric")
        raise CallError(f"{what}.", source=str(metric), remedy=remedy)
    seen = metric.to_depth(open_to)
    elsewhere = _elsewhere(possible, metric, seen)
    if not elsewhere.any():
        return bounds_of(metric, seen, possible.of_rankings)
    if changes_with_other_runs(possible, metric):
        return bounds_with_other_runs(seen, metric, "retrieved")
    return bounds_with_elsewhere(replace(seen, elsewhere=elsewhere), metric, "retrieved")


def is_exact_under(
    possible: Possible, metric: Metric, judged: JudgedRankings, open_to: JudgedRankings
) -> bool:
    """Return whether the bounds that `bounds_under` returns are tight for every ranking."""
    level = metric.at_levels_of(judged)
    if not metric.bounds.is_exact(level, judged, possible.of_rankings):
        return False
    seen = metric.to_depth(open_to)
    exact = metric.bounds.counts_elsewhere(metric) and metric.bounds.exact_elsewhere
    return exact or not _elsewhere(possible, metric, seen).any()


def _elsewhere(possible: Possible, metric: Metric, judged: JudgedRankings) -> Ints:
    """Return the number of documents outside each ranking that may be relevant under `possible`.

    If the bounds do not depend on the other runs, only the `extra` documents are counted.
    """
    if not changes_with_other_runs(possible, metric):
        return np.full(judged.count, possible.extra)
    others: Ints = unjudged_by_topic(judged)[judged.topic] - judged.unjudged_count
    return others


def bounds_with_elsewhere(judged: JudgedRankings, metric: Metric, unjudged: Assumption) -> Bounds:
    """Return the bounds of each ranking's score if documents outside it may be relevant too.

    `judged.elsewhere` is the number of these documents for each ranking. If the metric's bounds
    cannot use this number, rankings with a number above 0 get the wider bounds under the assumption
    `open`. Unknown bounds are NaN.
    """
    assert judged.elsewhere is not None
    unknown = (np.full(judged.count, np.nan), np.full(judged.count, np.nan))
    found = bounds_of(metric, judged, unjudged) or unknown
    if metric.bounds.counts_elsewhere(metric):
        return found
    alone = replace(judged, elsewhere=None)
    widest = bounds_of(metric, alone, "open") or unknown
    low, high = (np.where(judged.elsewhere > 0, w, f) for w, f in zip(widest, found, strict=True))
    return low, high


def bounds_with_other_runs(judged: JudgedRankings, metric: Metric, unjudged: Assumption) -> Bounds:
    """Return the bounds of each ranking's score if unjudged documents of any run may be relevant.

    Unknown bounds are NaN. The bounds are cached, because scores and verdicts use the same bounds.
    """

    def compute() -> Bounds:
        elsewhere = unjudged_by_topic(judged)[judged.topic] - judged.unjudged_count
        return bounds_with_elsewhere(replace(judged, elsewhere=elsewhere), metric, unjudged)

    return judged.keep(("with other runs", metric.at_levels_of(judged), unjudged), compute)


def unjudged_by_topic(judged: JudgedRankings) -> Ints:
    """Return the number of unjudged documents of each topic that may be relevant."""
    if judged.topic_unjudged is not None:
        return judged.topic_unjudged + judged.extra
    if (retrieved := judged.retrieved) is not None:
        topics = len(judged.topics)
        count = judged.keep("unjudged by topic", lambda: retrieved.distinct(topics, unjudged=True))
        return count + judged.extra
    if len(judged.runs) > 1:
        what = "bounds need the number of unjudged documents of all runs. Join the rankings with "
        raise CallError(f"{what}Needs(unjudged_counts=True).")
    return judged.unjudged_count + judged.extra


def check_lengths(metrics: Iterable[Metric], lengths: object) -> None:
    """Raise an error if no metric uses the given lengths, or if metrics need different units."""
    units = {metric.reads_lengths: metric for metric in metrics if metric.reads_lengths}
    if lengths is None:
        return
    if not units:
        what = " are given, but only TBG and U use them. Add TBG or U, or remove "
        raise CallError(Argument("lengths"), what, Argument("lengths"), ".")
    if len(units) > 1:
        needed = " and ".join(f"{metric} needs {unit}" for unit, metric in units.items())
        what = f" must have one unit, but {needed}. Score these metrics in separate calls."
        raise CallError(Argument("lengths"), what)


def check_shared_ties(metrics: Iterable[Metric], depth: int | None) -> None:
    """Raise an error if rankings are cut at a depth and a metric shares gains among ties."""
    for metric in metrics:
        if depth is not None and metric.ties == "share":
            what = f"{metric} needs all documents of a tie, but rankings are cut at depth {depth}."
            raise CallError(f"{what} Remove the depth, or use a cutoff of the metric instead.")


def _column(metric: Metric, values: Any, count: int) -> Floats:
    column = np.asarray(values)
    if column.shape != (count,) or np.iscomplexobj(column):
        what = f"an array of {column.dtype} with shape {column.shape} for {Count(count, 'ranking')}"
        raise MetricError(f"{metric}: returned {what}. Return one real number per ranking.")
    return column.astype(np.float64, copy=False)
