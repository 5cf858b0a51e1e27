"""Judgments that would change the better run of a pair: additional or corrected judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from rankwise.agreement import flips_of_judged
from rankwise.arrays import ROUNDING, Bools, Floats, Ints
from rankwise.comparison import Comparison
from rankwise.errors import CallError
from rankwise.metrics import Metric
from rankwise.rankings import Collection, JudgedRankings, Possible, Rejudged
from rankwise.reporting.collection import of_runs
from rankwise.reporting.pair_states import STATES, pair_states
from rankwise.scores import scores_of

# Limit of retrieved documents × examples; 129 runs of TREC-8 have 6 million documents.
MOST_ROWS = 50_000_000
MOST_TRIED_PAIRS = 60  # limit of pairs × metrics for which examples are constructed
MOST_EXAMPLES = 20  # after this number of examples, only examples up to MOST_LISTED are listed
# With more runs, wrong judgments are not counted. 50 runs take 1 s.
MOST_RUNS = 50
# Limit of judgments × pairs for metrics without a formula, which are scored again for each judgment
# that could be wrong. Bpref of ten TREC-8 runs would take 100 s.
MOST_TRIED = 40_000
MOST_LISTED = 100  # number of judgments in an example
SIZES = (1, 2, 3, 5, 10, 20, 50, 100, 1000)  # numbers of documents per topic that are tried
NOWHERE = np.iinfo(np.int64).max


def reversing_examples(
    judged: JudgedRankings, compared: Comparison, baseline: str, unjudged: str
) -> list[dict[str, Any]]:
    """Return examples of judgments that make the worse run of a pair the better run.

    Examples are constructed for up to `MOST_TRIED_PAIRS` pairs that can be reversed: first for the
    baseline and the best other run, then for other pairs with the baseline, then for other pairs;
    among these, smaller differences come first. After the first `MOST_EXAMPLES`, only examples of
    up to `MOST_LISTED` documents are returned. Each example is verified by scoring the runs with
    its judgments.
    """
    # A depth is not supported, because documents below it would have to be excluded.
    if judged.depth is not None:
        return []
    states = pair_states(compared).reshape(len(compared.metrics), -1)
    at = compared.scores.runs.index(baseline)
    with_it = (compared.first == at) | (compared.second == at)
    best = next(run for run in compared.scores.best_first if run != at)
    shown = with_it & ((compared.first == best) | (compared.second == best))
    place, pair = np.nonzero(states == STATES.index("reversible"))
    differences = compared.frame["difference"].to_numpy().reshape(states.shape)[place, pair]
    assert judged.retrieved is not None
    most = min(MOST_TRIED_PAIRS, MOST_ROWS // max(1, judged.retrieved.count))
    closest = np.lexsort((np.abs(differences), ~with_it[pair], ~shown[pair]))[:most]
    places = {topic: number for number, topic in enumerate(compared.scores.topics)}
    found: list[dict[str, Any]] = []
    for number, at in zip(place[closest].tolist(), pair[closest].tolist(), strict=True):
        a, b = int(compared.first[at]), int(compared.second[at])
        metric = compared.scores.metrics[number]
        example = _example(judged, metric, a, b, Possible.parse(unjudged).top)
        few = len(found) < MOST_EXAMPLES
        if example is not None and (few or example["count"] <= MOST_LISTED):
            topics = _listed(judged, example.pop("documents"), places)
            found.append({"metric": number, "a": a, "b": b, **example, "topics": topics})
    return found


def _listed(
    judged: JudgedRankings, documents: Mapping[int, list[str]], places: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return the documents of an example by topic, topics with the most documents first."""
    by_topic = [
        {"topic": places[judged.topics[topic]], "documents": names}
        for topic, names in documents.items()
        if judged.topics[topic] in places
    ]
    return sorted(by_topic, key=lambda one: -len(one["documents"]))


def _example(
    judged: JudgedRankings, metric: Metric, a: int, b: int, top: int | None
) -> dict[str, Any] | None:
    """Return judgments that reverse the difference of runs `a` and `b`, or None if none are found.

    Unjudged documents that the worse run ranks higher are judged relevant until this run is ahead.
    If these documents are not enough, unjudged documents that the better run ranks higher are also
    judged relevant, from the end of its ranking: a relevant document far down can lower its score.
    """
    two = of_runs(judged, sorted((a, b)))
    rejudged = Rejudged.of(two)

    def difference(known: Bools, grade: Ints) -> Floats:
        one, other = scores_of(metric, rejudged.assign(known, grade)).reshape(2, -1)
        found: Floats = metric.sign * (one - other if a < b else other - one)
        return found

    now = difference(rejudged.is_judged, rejudged.grade)
    mean = float(np.nanmean(now))
    if not abs(mean) > ROUNDING:
        return None
    behind = int((mean > 0) == (a < b))  # its place among the two
    level = max(1, int(two.topic_grades.max(initial=0)))
    grade = np.where(rejudged.is_judged, rejudged.grade, level)
    sign = 1 if mean > 0 else -1
    for both in (False, True):
        order = _candidates(judged, two, behind, top, both=both)
        place = np.concatenate([np.arange(len(codes)) for codes in order])
        code = np.concatenate(order)

        def losses(sizes: Ints, place: Ints = place, code: Ints = code) -> Floats:
            known = rejudged.is_judged.copy()
            known[code[place < sizes[rejudged.topic[code]]]] = True
            return sign * difference(known, grade)

        tried = [np.minimum(size, [len(codes) for codes in order]) for size in (0, *SIZES)]
        gains = [np.nan_to_num(sign * now - losses(sizes)) for sizes in tried]
        sizes = _chosen(np.array(tried), np.array(gains), abs(float(np.nansum(now))))
        if (after := float(np.nanmean(losses(sizes)))) < -ROUNDING:
            break
    else:
        return None
    assert judged.retrieved is not None
    names = judged.retrieved.names
    chosen = {
        topic: names.gather(codes[: sizes[topic]]).to_list()
        for topic, codes in enumerate(order)
        if sizes[topic]
    }
    return {
        "grade": (judged.gains or {}).get(level, level),
        "now": metric.sign * mean,
        "reversed": metric.sign * sign * after,
        "count": int(sizes.sum()),
        "documents": chosen,
    }


def _candidates(
    judged: JudgedRankings, two: JudgedRankings, behind: int, top: int | None, *, both: bool
) -> list[Ints]:
    """Return, per topic, the unjudged documents that run `behind` ranks higher than the other run.

    With `both`, the unjudged documents that the other run ranks higher follow, from the end of its
    ranking. With `top`, only documents in the top `top` of at least one run of `judged` are
    returned.
    """
    whole, table = judged.retrieved, two.retrieved
    assert whole is not None and table is not None
    rank = np.full((2, table.codes), NOWHERE)
    rank[table.run, table.code] = table.rank
    own, other = rank[behind], rank[1 - behind]
    usable = (own != other) if both else own < other
    usable[: table.judgments] = False
    if top is not None:
        best = np.full(table.codes, NOWHERE)
        np.minimum.at(best, whole.code, whole.rank)
        usable &= best <= top
    of_topic = np.zeros(table.codes, np.int64)
    of_topic[table.code] = table.topic
    codes = np.flatnonzero(usable)
    order = np.where(own < other, own, -other)
    codes = codes[np.lexsort((order[codes], other[codes] < own[codes], of_topic[codes]))]
    starts = np.searchsorted(of_topic[codes], np.arange(len(two.topics) + 1))
    return [codes[start:end] for start, end in pairwise(starts.tolist())]


def _chosen(sizes: Ints, gains: Floats, needed: float) -> Ints:
    """Return the number of documents to judge in each topic so that the gains exceed `needed`.

    `sizes` and `gains` have shape (tried sizes, topics). The topic and size with the largest gain
    per additional document are chosen repeatedly. The gains may stay too small.
    """
    topics = np.arange(sizes.shape[1])
    at = np.zeros(len(topics), np.int64)
    while gains[at, topics].sum() <= needed:
        more = sizes - sizes[at, topics]
        better = gains - gains[at, topics]
        worth = np.where((more > 0) & (better > 0), better / np.maximum(more, 1), 0.0)
        step, topic = np.unravel_index(int(worth.argmax()), worth.shape)
        if worth[step, topic] <= 0:
            break
        at[topic] = step
    return np.asarray(sizes[at, topics])


def wrong_judgments(
    collection: Collection,
    judged: JudgedRankings,
    metrics: Sequence[Metric],
    runs: Sequence[str],
    topics: Sequence[str],
    baseline: str,
) -> dict[str, Any] | None:
    """Return the number of judgments that must be wrong to reverse each run's difference.

    Differences are from the baseline. Metrics over subtopics are excluded, because a wrong judgment
    concerns a single subtopic, and so are metrics that would take long. Return None if no metric is
    left, if there are too many runs, or if `flips` does not support the judgments.
    """
    is_quick = len(judged.topic_grades) * (len(runs) - 1) <= MOST_TRIED
    plain = [one for one in metrics if not (one.is_diagnostic or one.uses_subtopics)]
    counted = tuple(one for one in plain if is_quick or _has_formula(one))
    if not 2 <= len(runs) <= MOST_RUNS or not counted:
        return None
    try:
        found = flips_of_judged(collection, judged, tuple(counted), baseline)
    except CallError:
        return None
    names = [str(metric) for metric in metrics]
    places = {topic: number for number, topic in enumerate(topics)}
    rejudged = Rejudged.of(replace(judged, retrieved=None, subtopics=None, preferences=None))
    rows = []
    for row, changed in zip(found.frame.to_dicts(), found.examples, strict=True):
        metric, a, b = names.index(row["metric"]), runs.index(row["a"]), runs.index(row["b"])
        numbers = {"better": row["better"], "low": row["at_least"], "high": row["at_most"]}
        example = None
        if 0 < len(changed.codes) <= MOST_LISTED:
            listed = found.documents(row["metric"], (row["a"], row["b"]))
            columns = listed.select("topic", "document", "grade", "other_grade").rows()
            after = _after(rejudged, metrics[metric], a, b, changed.codes, changed.levels)
            labels = [[places.get(topic), *others] for topic, *others in columns]
            example = {"reversed": after, "judgments": labels}
        rows.append({"metric": metric, "a": a, "b": b, **numbers, "example": example})
    return {"judgments": max(found.frame["judgments"].to_list(), default=0), "rows": rows}


def _after(rejudged: Rejudged, metric: Metric, a: int, b: int, codes: Ints, levels: Ints) -> float:
    """Return the mean difference of runs `a` − `b` with other grades (`levels`) of judgments."""
    grade = np.maximum(rejudged.grade, 0)
    grade[codes] = levels
    changed = rejudged.assign(rejudged.is_judged, grade)
    values = scores_of(metric, changed).reshape(len(changed.runs), -1)
    return float(np.nanmean(values[a] - values[b]))


def _has_formula(metric: Metric) -> bool:
    """Return whether a formula gives the number of wrong judgments, without scoring again."""
    forms = (metric.sum_of_weights, metric.normalised, metric.mean_precision)
    return any(form is not None for form in forms)
