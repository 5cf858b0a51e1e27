"""`diff`: changes between runs, and bounds of the score differences, with or without judgments."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import get_args

import numpy as np

from rankwise.arrays import Bools
from rankwise.comparison.verdicts import EFFORT, Ends, difference_bounds
from rankwise.errors import CallError, check_at_least, check_between, check_word, some_of
from rankwise.formats import NO_ORDER
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note, note, warning
from rankwise.rankings import (
    GRADES_TOPIC,
    Collection,
    JudgedRankings,
    Needs,
    Possible,
    QrelsLike,
    RunsLike,
    check_common_topics,
    groups_of_topics,
    rank_without_judgments,
)
from rankwise.scores import MetricsLike, check_lengths, scores_of
from rankwise.similarity.measures import AT_DEPTH, Lists, Measure, similarities
from rankwise.similarity.run_diff import RunDiff, Settings
from rankwise.stats import check_persistence
from rankwise.threads import map_in_threads
from rankwise.vocabulary import TieTreatment
from rankwise.wording import Argument, Count

METRICS = ("nDCG@10", "P@10", "RR@10", "RBP(p=0.8)")
DEPTHS = (1, 3, 10)
P = 0.9  # persistence of RBO, RBA and RBR
ALPHA = 0.05
NEEDS_JUDGMENTS = " needs judgments. Give them with "


def diff(
    runs: "RunsLike | Collection",
    metrics: MetricsLike = METRICS,
    *,
    qrels: "QrelsLike | None" = None,
    measures: Iterable[str] | None = None,
    depths: Sequence[int] = DEPTHS,
    p: float = P,
    ties: TieTreatment = "name",
    highest_grade: int = 1,
    advanced: "RunsLike | None" = None,
    rel: float = 1,
    unjudged: str = "retrieved",
    effort: int = EFFORT,
    alpha: float = ALPHA,
) -> RunDiff:
    """Measure the changes between runs, and compute bounds on the score differences.

    The result has the similarity of the rankings of each topic. For each metric, it also has the
    maximised effectiveness difference (MED) of Tan and Clarke (IEEE TKDE 27(11), 2015): the largest
    absolute score difference of two runs under any judgments. Without judgments, every retrieved
    document can have any grade up to `highest_grade`. With judgments, only the grades of unjudged
    documents can vary. The result then also has the score differences and measures of
    reproducibility. A difference is the score of the second run minus the score of the first run.

    Parameters
    ----------
    runs
        Two or more runs, or the result of `rankwise.read`, which may have no judgments. All pairs
        are compared.
    metrics
        Metrics of the bounds and, with judgments, of the score differences, as for `score`.
    qrels
        Judgments, as for `score`. Omit them if `runs` is the result of `rankwise.read`.
    measures
        Similarity measures, by default all of these:

        - `RBO`, `RBA`, `RBR`: rank-biased overlap, alignment and recall.
        - `KTU`: Kendall's tau of the union of both rankings.
        - `overlap@k`: number of documents in the top k of both rankings, divided by k, or by the
          length of the longer ranking if both are shorter than k.
        - `Jaccard@k`: the same number, divided by the number of documents in the top k of at least
          one ranking.
        - `changed@k`: 1 if the top k documents or their order differ, otherwise 0.
    depths
        The depths k of the default measures.
    p
        The persistence p of RBO, RBA and RBR.
    ties
        Treatment of tied documents in RBO, RBA and RBR. `name`: tied documents are ordered by name,
        as for metrics. `w`, `a`, `b`: RBO is computed as RBO-w, RBO-a or RBO-b (Corsi and Urbano,
        SIGIR 2024); in RBA and RBR, tied documents have the mean weight of their ranks.
    highest_grade
        Without judgments: the highest grade that a document can get.
    advanced
        Two runs of an advanced system: the original and the reproduction. `runs` must then be the
        original and the reproduction of the baseline. The result also has the effect ratio and
        ΔRI, which compare the original and the reproduced improvement over the baseline. Judgments
        are needed.
    rel
        Relevance threshold, as for `score`.
    unjudged
        The assumption of the bounds: which unjudged documents can be relevant, as for `compare`.
    effort
        For metrics whose bounds have no exact formula: how many documents the search for tighter
        bounds may visit per metric.
    alpha
        Confidence intervals have level 1 − alpha.

    Returns
    -------
    RunDiff
        `frame` has one row per pair and measure. Methods return the values by topic and by group,
        tables and charts.

    Examples
    --------
    >>> old = {"1": {"a": 3, "b": 2, "c": 1}, "2": {"x": 2, "y": 1}}
    >>> new = {"1": {"a": 3, "c": 2, "b": 1}, "2": {"x": 2, "y": 1}}
    >>> found = diff({"old": old, "new": new}, metrics="P@2")
    >>> found.frame.filter(measure="changed@3")["value"].item()
    0.5
    >>> found.sentence()
    'Under any binary judgments, old and new differ in mean P@2 over 2 topics by at most 0.25. \
On 1 topic, the bound of the difference is above 0.4.'
    """
    collection = runs if isinstance(runs, Collection) else Collection(qrels, runs)
    if isinstance(runs, Collection) and qrels is not None:
        what = "the judgments of a collection must be passed to rankwise.read. Remove "
        raise CallError(what, Argument("qrels"), ".")
    wanted = parse_all(metrics, rel)
    _check(collection, wanted, p, ties, highest_grade, alpha)
    has_judgments = collection.qrels is not None
    basis = str(Possible.between_runs(unjudged))
    settings = Settings(p, ties, basis, alpha, highest_grade, has_judgments)
    chosen = _measures(measures, depths)
    whole = _changes(collection, wanted, chosen, settings, effort)
    if advanced is None:
        return whole
    if not has_judgments:
        raise CallError(Argument("advanced"), NEEDS_JUDGMENTS, Argument("qrels"), ".")
    if len(whole.runs) != 2:
        what = f" needs exactly two runs of the baseline; {len(whole.runs)} runs are given."
        raise CallError(Argument("advanced"), what)
    other = _changes(replace(collection, runs=advanced), wanted, chosen, settings, effort)
    if len(other.runs) != 2:
        raise CallError(Argument("advanced"), f" needs exactly two runs, not {len(other.runs)}.")
    return replace(whole, advanced=other)


def _changes(
    collection: Collection,
    metrics: Sequence[Metric],
    measures: Sequence[Measure],
    settings: Settings,
    effort: int,
) -> RunDiff:
    """Return the similarity of the rankings and the bounds of score differences for all pairs.

    With judgments, the result also has the scores.
    """
    judged, names_of = _rankings(collection, metrics, settings.highest_grade)
    _check_rankings(judged)
    whole, lists = _similar(judged, measures, settings)
    has_judgments, first, second = settings.has_judgments, whole.first, whole.second

    def bounds_of(metric: Metric) -> Ends:
        ends = difference_bounds(judged, metric, second, first, settings.unjudged, effort)
        undefined = collection.undefined if has_judgments else "zero"
        return ends.by_topic.counting_undefined(undefined)

    shape = (len(judged.runs), len(judged.topics))
    scores = {str(m): scores_of(m, judged).reshape(shape) for m in metrics if has_judgments}
    if collection.undefined == "zero":
        scores = {name: np.nan_to_num(table) for name, table in scores.items()}
    whole = replace(
        whole,
        metrics=tuple(metrics),
        bounds=dict(zip(map(str, metrics), map_in_threads(bounds_of, metrics), strict=True)),
        scores=scores,
        input_notes=(*judged.notes, *_about_runs(judged, lists)),
        source=names_of,
        highest_grades={str(m): int(m.possible_grades(judged).max()) for m in metrics},
    ).of_topics(_topics(judged, collection))
    if collection.topic_groups is None:
        return whole
    groups, about = groups_of_topics(collection.topic_groups, whole.topics)
    return replace(whole, groups=groups, input_notes=(*whole.input_notes, *about))


def _check(
    collection: Collection,
    metrics: Sequence[Metric],
    p: float,
    ties: str,
    highest_grade: int,
    alpha: float,
) -> None:
    check_persistence(p)
    check_word("ties", ties, get_args(TieTreatment))
    check_between("alpha", alpha)
    if isinstance(highest_grade, bool) or not 1 <= highest_grade <= 1000:
        what = f" must be a whole number between 1 and 1000, not {highest_grade}."
        raise CallError(Argument("highest_grade"), what)
    for metric in metrics:
        if metric.is_diagnostic:
            what = f"{metric} describes the data, not the quality of a ranking. Remove this metric."
            raise CallError(what)
    lengths = [] if collection.lengths is None else [Argument("lengths")]
    complete = [Argument("complete_runs", True)] if collection.complete_runs else []
    for argument in (*lengths, *complete) if collection.qrels is None else ():
        raise CallError(argument, NEEDS_JUDGMENTS, Argument("qrels"), ".")
    check_lengths(metrics, collection.lengths)


def _check_rankings(judged: JudgedRankings) -> None:
    if len(judged.runs) < 2:
        raise CallError(f"diff needs two runs or more; only one run is given ({judged.runs[0]}).")
    check_common_topics(judged)
    sets = next((each.source for each in judged.notes if each.kind == NO_ORDER), None)
    if sets is not None:
        what = "cited documents have no order, but diff compares rankings"
        raise CallError(f"{sets}: {what}. Use score with SetP, SetR or SetF.")


def _similar(
    judged: JudgedRankings, measures: Sequence[Measure], settings: Settings
) -> tuple[RunDiff, Lists]:
    """Return the similarity of all pairs of runs, and their rankings; metrics are not included."""
    first, second = np.triu_indices(len(judged.runs), 1)
    lists = Lists.of(judged)
    similarity, same_ranks = similarities(lists, first, second, measures, settings.p, settings.ties)
    whole = RunDiff(
        judged.runs,
        judged.topics,
        first,
        second,
        settings=settings,
        similarity=similarity,
        lengths=lists.length,
        same_ranks=same_ranks,
        source=partial(_lists_of, judged),
    )
    return whole, lists


def changed_rankings(judged: JudgedRankings) -> RunDiff:
    """Return the similarity of the rankings of all pairs of runs, without metrics and bounds.

    Topics that no run has are excluded.
    """
    settings = Settings(P, "name", "retrieved", ALPHA, 1, True)
    whole, _ = _similar(judged, _measures(None, DEPTHS), settings)
    present = judged.present.reshape(len(judged.runs), -1).any(axis=0)
    return whole.of_topics(np.asarray(present))


def _measures(measures: Iterable[str] | None, depths: Sequence[int]) -> list[Measure]:
    for depth in depths:
        check_at_least("depths", depth)
    if measures is None:
        whole = [Measure(name) for name in ("RBO", "RBA", "RBR", "KTU")]
        return [*whole, *(Measure(name, int(k)) for name in AT_DEPTH for k in depths)]
    names = [measures] if isinstance(measures, str) else measures
    return list(dict.fromkeys(Measure.parse(str(name)) for name in names))


def _rankings(
    collection: Collection, metrics: Sequence[Metric], highest_grade: int
) -> tuple[JudgedRankings, Callable[[str], list[list[str]]]]:
    """Return the rankings, and a function that lists the documents of each run for a topic.

    Without judgments, every retrieved document can have a grade up to `highest_grade`.
    """
    whole_ties = any(metric.ties == "share" for metric in metrics)
    if collection.qrels is not None:
        judged = collection.judged(Needs(documents=True, whole_ties=whole_ties))
        return judged, partial(_lists_of, judged)
    judged, documents = rank_without_judgments(collection, highest_grade, whole_ties=whole_ties)

    def unjudged_lists(topic: str) -> list[list[str]]:
        number, lists = judged.topics.index(topic), []
        for run in documents:
            at = np.flatnonzero(run.topic == number)
            at = at[np.argsort(run.rank[at])][: collection.depth]
            lists.append(run.document.gather(at).to_list())
        return lists

    return judged, unjudged_lists


def _topics(judged: JudgedRankings, collection: Collection) -> Bools:
    """Return a mask of the topics to average over.

    By default these are the topics of at least one run; with `topics="common"`, the topics of all
    runs.
    """
    present = judged.present.reshape(len(judged.runs), -1)
    keep = present.all(axis=0) if collection.topics == "common" else present.any(axis=0)
    if collection.topics == "common" and not keep.any():
        raise CallError("no topic is in all runs. Remove ", Argument("topics", "common"), ".")
    return keep & np.array([topic != GRADES_TOPIC for topic in judged.topics])


def _lists_of(judged: JudgedRankings, topic: str) -> list[list[str]]:
    """Return the names of the documents of each run for a topic, best first."""
    rows = judged.cut_to_depth().retrieved
    assert rows is not None
    at = np.flatnonzero(rows.topic == judged.topics.index(topic))
    at = at[np.lexsort((rows.rank[at], rows.run[at]))]
    names = rows.names.gather(rows.code[at]).to_list()
    ends = np.searchsorted(rows.run[at], np.arange(len(judged.runs) + 1))
    return [names[start:stop] for start, stop in pairwise(ends.tolist())]


def _about_runs(judged: JudgedRankings, lists: Lists) -> list[Note]:
    present = judged.present.reshape(len(judged.runs), -1)
    of_some, length = present.any(axis=0), lists.length
    notes: list[Note] = []
    for run, own in zip(judged.runs, present, strict=True):
        lacking = np.flatnonzero(of_some & ~own)
        if len(lacking):
            names = some_of([judged.topics[at] for at in lacking[:4].tolist()])
            what = f"{run} returned nothing for {len(lacking):,} of {of_some.sum():,} topics"
            text = (
                f"{what} ({names}). On these topics, the rankings count as completely different, "
                "and KTU is undefined"
            )
            notes.append(warning("topics-without-results", text))
    both = (length > 0).all(axis=0)
    if uneven := int((both & (length.min(axis=0) != length.max(axis=0))).sum()):
        of_runs = zip(judged.runs, length, strict=True)
        means = some_of([f"{run} {own[both].mean():,.1f}" for run, own in of_runs])
        what = f"the rankings of {Count(uneven, 'topic')} differ in length"
        what += f" (mean number of documents: {means})"
        rest = (
            "RBO extrapolates the agreement of the rankings. KTU ignores ranks below the end of "
            "the shorter ranking"
        )
        notes.append(note("lengths-differ", f"{what}. {rest}"))
    last, filled = np.zeros_like(length), length > 0
    last[filled] = lists.tie_last[lists.start[:-1][filled.ravel()]]
    tied = (last == length) & (length > 1)
    runs = [
        f"in run {run} on {own.sum():,} of {here.sum():,} topics"
        for run, own, here in zip(judged.runs, tied, present, strict=True)
        if own.sum() > 0.1 * here.sum()
    ]
    if runs:
        what = "all retrieved documents have the same score"
        text = (
            f"{what} {some_of(runs)}; tied documents are ordered by document ID. Check the scores"
        )
        notes.append(warning("all-scores-equal", text))
    return notes
