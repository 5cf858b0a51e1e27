"""Each property decided by looking for a counterexample; docs/properties.md defines them."""

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

from rankwise.experiments.properties.changes import TOLERANCE, Answer, Changes, equal
from rankwise.experiments.properties.rankings import (
    SHAPE_DEPTHS,
    Case,
    MetricScores,
    Scored,
    Spaces,
    at_depth,
)
from rankwise.judged import Bools, Floats
from rankwise.metrics import Metric, WeightedPrecision

SHRINKING = 0.75  # of the step before: steps that shrink so add up to something finite

LOW_END = "the score is the low end of a range that the ranks below k leave open"
ZERO = "0 where nothing relevant is in the first k"
NOTHING_IN_K = "no score either where R > 0 and nothing relevant is in the first k"
ALSO_ELSEWHERE = "no score in some collections with R > 0 either"
ONLY_ABOVE = "attained only if k ≤ R"
ONLY_BELOW = "attained only if k ≥ R"


def bounded(scores: MetricScores) -> Answer:
    values = [scored.value[scored.defined] for scored in [*scores.every, *scores.shaped]]
    seen = np.concatenate(values)
    if not len(seen):
        return Answer(None, 0)
    if np.isinf(seen).any():
        return Answer(False, len(seen), _infinite(scores), "infinite")
    deepest = scores.shaped[-1]
    for shape, collection in np.argwhere(deepest.space.valid):
        series = np.array([scored.value[shape, collection] for scored in scores.shaped])
        if _grows(series):
            size = np.abs(series)
            place = int(np.flatnonzero(size[1:] > np.maximum(1, size[:-1]))[0])
            before, after = (each.case(shape, collection) for each in scores.shaped[place:][:2])
            deep = f"{series[-1]:,.4g} at depth {SHAPE_DEPTHS[-1]:,}, and rising"
            return Answer(False, len(seen), (before, after), deep)
    return Answer(True, len(seen), None, f"from {seen.min():.4g} to {seen.max():.4g}")


def _infinite(scores: MetricScores) -> tuple[Case, Case]:
    """The smallest case with an infinite score, after the smallest with any."""
    each = [*scores.every, *scores.shaped]
    scored = next(scored for scored in each if np.isinf(scored.value).any())
    return _first(scored, scored.defined), _first(scored, np.isinf(scored.value))


def _grows(series: Floats) -> bool:
    """Whether scores at depth 1, 2, 4, … leave [−1, 1] in steps that do not shrink."""
    size = np.abs(series)
    if np.isnan(size[-3:]).any() or size[-1] <= 1:
        return False
    steps = np.diff(size[-3:])
    return bool(steps[1] > 1e-9 and steps[1] > SHRINKING * steps[0])


def monotonic(scores: MetricScores) -> Answer:
    changes = Changes()
    for kind in (scores.every, scores.sparse):
        for before, after in pairwise(kind):
            changes.look(before, after, before.space.extended, strictly=False)
    return changes.answer(_low_end(scores.metric))


def convergent(scores: MetricScores) -> Answer:
    changes = Changes()
    for scored in [*scores.every, *scores.sparse]:
        changes.look(scored, scored, scored.space.inserted, strictly=True)
    return changes.answer(_low_end(scores.metric))


def top_weighted(scores: MetricScores) -> Answer:
    return _lifted([*scores.every, *scores.sparse])


def swap(scores: MetricScores) -> Answer:
    # Of the shorter rankings those with unjudged documents hold those without.
    return _lifted([*scores.mixed, *scores.every[len(scores.mixed) :], *scores.sparse])


def _lifted(kinds: Iterable[Scored]) -> Answer:
    changes = Changes()
    for scored in kinds:
        changes.look(scored, scored, scored.space.lifted, strictly=True)
    return changes.answer()


def localized(scores: MetricScores) -> Answer:
    cases, found = 0, None
    for scored in scores.every:
        defined = scored.defined
        first = defined.argmax(axis=1)
        reference = np.take_along_axis(scored.value, first[:, None], axis=1)
        differs = defined & ~equal(scored.value, np.broadcast_to(reference, defined.shape))
        cases += int(np.maximum(defined.sum(axis=1) - 1, 0).sum())
        if found is None and differs.any():
            collection, ranking = divmod(int(differs.T.argmax()), len(first))
            found = (scored.case(ranking, int(first[ranking])), scored.case(ranking, collection))
    if found is not None:
        return Answer(False, cases, found)
    return Answer(True if cases else None, cases, None, _low_end(scores.metric) or _zero(scores))


def complete(scores: MetricScores) -> Answer:
    cases, found = 0, None
    elsewhere, in_k = False, True
    for scored in scores.every:
        space, missing = scored.space, scored.space.valid & ~scored.defined
        nothing = space.relevant == 0
        cases += int(space.valid[:, nothing].sum())
        if found is None and missing[:, nothing].any():
            found = (_first(scored, missing & nothing), _first(scored, scored.defined))
        left = missing & ~nothing
        empty = space.documents.sum(axis=1) == 0
        elsewhere |= bool(left.any())
        in_k &= bool((left == (space.valid & ~nothing & empty[:, None])).all())
    if found is None:
        return Answer(True, cases, None, ALSO_ELSEWHERE if elsewhere else _zero(scores))
    return Answer(False, cases, found, _undefined_elsewhere(elsewhere, in_k))


def _undefined_elsewhere(elsewhere: bool, in_k: bool) -> str:
    if not elsewhere:
        return ""
    return NOTHING_IN_K if in_k else ALSO_ELSEWHERE


def _first(scored: Scored, where: Bools) -> Case:
    """The smallest of some cases; of all if there are none."""
    some = where if where.any() else scored.space.valid
    collection, ranking = divmod(int(some.T.argmax()), len(some))
    return scored.case(ranking, collection)


def realizable(scores: MetricScores) -> Answer:
    values = [
        np.where(each.defined & (each.space.relevant > 0), each.value, -np.inf)
        for each in scores.every
    ]
    greatest = max(float(value.max()) for value in values)
    if greatest == -np.inf:
        return Answer(None, 0)
    cases, found = 0, None
    above = below = True
    top = next(each for each in zip(scores.every, values, strict=True) if _has(each[1], greatest))
    for scored, value in zip(scores.every, values, strict=True):
        best = value.max(axis=0)
        some = best > -np.inf
        attained = equal(best, np.full_like(best, greatest))
        cases += int(some.sum())
        depth, relevant = scored.space.depth, scored.space.relevant
        above &= bool((attained == (depth <= relevant))[some].all())
        below &= bool((attained == (depth >= relevant))[some].all())
        if found is None and (some & ~attained).any():
            collection = int((some & ~attained).argmax())
            found = (scored.case(_last_best(value[:, collection]), collection), _case_of(*top))
    if found is None:
        return Answer(True, cases)
    return Answer(False, cases, found, ONLY_ABOVE if above else ONLY_BELOW if below else "")


def _has(value: Floats, greatest: float) -> bool:
    return bool(equal(value, np.full_like(value, greatest)).any())


def _case_of(scored: Scored, value: Floats) -> Case:
    collection = int(value.max(axis=0).argmax())
    return scored.case(_last_best(value[:, collection]), collection)


def _last_best(value: Floats) -> int:
    """Of the rankings that score most, the one with the relevant documents on top."""
    return len(value) - 1 - int(value[::-1].argmax())


def _low_end(metric: Metric) -> str:
    """RBP and its like: weights that k does not change, and some known weight is below it."""
    if not isinstance(metric, WeightedPrecision):
        return ""
    rank = np.array([1])
    first = [at_depth(metric, k).weight(rank)[0] for k in (1, 2)]
    below = metric.weight_after(rank)[0]
    return LOW_END if first[0] == first[1] and 0 < below < np.inf else ""


def too_fine(metric: Metric, depth: int) -> bool:
    """Whether the weight of some rank is lost beside that of the first."""
    if not isinstance(metric, WeightedPrecision):
        return False
    cut = at_depth(metric, depth)
    weights = np.abs(cut.weights(depth))
    return bool(((weights > 0) & (weights < 10 * TOLERANCE * weights[0])).any())


def _zero(scores: MetricScores) -> str:
    nothing = [scored.value[0][scored.space.valid[0]] for scored in scores.every]
    return ZERO if not np.concatenate(nothing).any() else ""


PROPERTIES: dict[str, Callable[[MetricScores], Answer]] = {
    "bounded": bounded,
    "monotonic": monotonic,
    "convergent": convergent,
    "top-weighted": top_weighted,
    "localized": localized,
    "complete": complete,
    "realizable": realizable,
    "SWAP": swap,
}
SEVEN = tuple(PROPERTIES)[:7]


def search(metric: Metric, spaces: Spaces) -> dict[str, Answer]:
    """The answer of each property."""
    scores = MetricScores.of(metric, spaces)
    return {name: decide(scores) for name, decide in PROPERTIES.items()}
