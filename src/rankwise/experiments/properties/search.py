"""Search for rankings that refute a property of a metric; docs/properties.md defines properties."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise

import numpy as np

from rankwise.arrays import ROUNDING, Bools, Floats
from rankwise.experiments.properties.proofs import proved
from rankwise.experiments.properties.rankings import (
    SHAPE_DEPTHS,
    Case,
    Grades,
    Part,
    Scored,
    Space,
    Spaces,
    Step,
    at_depth,
    score_space,
    short_rankings,
)
from rankwise.metrics import Metric

NEVER_FALLS = "the score never decreases, but may stay the same"
NEVER_WORSE = "the score never gets worse, but may stay the same"  # where less is better

Pair = tuple[Case, Case]


@dataclass(frozen=True)
class Answer:
    """Whether a property `holds`, by a search; None if all scores to compare are undefined.

    `cases` is the number of comparisons.
    """

    holds: bool | None
    cases: int
    counterexample: Pair | None = None
    remark: str = ""
    proof: str = ""  # the argument, if the property follows from the metric's formula

    @property
    def status(self) -> str:
        """`refuted` by an example, `proved`, or `searched` and not refuted; empty if unknown."""
        if self.holds is None:
            return ""
        return "refuted" if not self.holds else "proved" if self.proof else "searched"


def equal(one: Floats, other: Floats) -> Bools:
    """Return whether scores are equal except for rounding; NaN is not equal to anything."""
    with np.errstate(invalid="ignore"):  # infinite less infinite
        apart = np.abs(one - other)
    near = apart <= ROUNDING * np.maximum(np.abs(one), np.abs(other))
    return (one == other) | (near & (apart < np.inf))


@dataclass
class Changes:
    """Comparison of scores before and after changes of rankings or of judgments.

    `cases` is the number of comparisons. `fell` is the first pair whose score got worse, `failed`
    the first counterexample. With `sign` −1, lower scores are better.
    """

    sign: int = 1
    cases: int = 0
    failed: Pair | None = None
    fell: Pair | None = None

    def look(self, before: Scored, after: Scored, step: Step, *, strictly: bool) -> None:
        """Compare the scores `before` and `after` a change, and keep the first counterexample.

        `step` has the indices of the compared scores. With `strictly`, equal scores are a
        counterexample too. Among binary rankings of one length, the first counterexample has the
        fewest relevant documents, then the fewest non-relevant documents.
        """
        old, new = before.value.ravel()[step[0]], after.value.ravel()[step[1]]
        both = ~np.isnan(old) & ~np.isnan(new)
        same = equal(old, new)
        falls = both & ~same & (self.sign * new < self.sign * old)
        self.cases += int(both.sum())
        self.fell = self.fell or _smallest(falls, before, after, step)
        self.failed = self.failed or (
            _smallest(falls | (both & same), before, after, step) if strictly else self.fell
        )

    def answer(self, remark: str = "") -> Answer:
        if self.failed is None:
            return Answer(True if self.cases else None, self.cases, None, remark)
        if self.fell is None:
            remark = NEVER_FALLS if self.sign > 0 else NEVER_WORSE
        elif self.fell != self.failed:
            verb = "falls" if self.sign > 0 else "gets worse"
            remark = f"the score even {verb}: {shown(self.fell)}"
        else:
            remark = ""
        return Answer(False, self.cases, self.failed, remark)


def _smallest(mask: Bools, before: Scored, after: Scored, step: Step) -> Pair | None:
    if not mask.any():
        return None
    at = int(mask.argmax())
    width = before.value.shape[1]
    first, second = (divmod(int(cells[at]), width) for cells in step)
    return before.case(*first), after.case(*second)


def shown(pair: Pair) -> str:
    """Format a pair as `10 → 11 (R=2 N=1): 1.0000 → 0.5000`; common parts are shown once.

    With grades: `20 → 203 (judged 332200): 0.7500 → 0.6364`.
    """
    scores = ["none" if np.isnan(case.score) else f"{case.score:.4f}" for case in pair]
    rankings = " → ".join(dict.fromkeys(case.ranking for case in pair))
    collections = " → ".join(
        dict.fromkeys(
            f"judged {case.judged}" if case.judged else f"R={case.relevant} N={case.others}"
            for case in pair
        )
    )
    return f"{rankings} ({collections}): {' → '.join(scores)}"


MOST_GRADES = 6


def binary_grades(metric: Metric) -> Grades:
    """Return 0 and the relevant grade with the highest gain.

    Without a table of gains, the relevant grade is the larger of `rel` and `max_rel`.
    """
    least = metric.rel or 1
    relevant = {grade: gain for grade, gain in _table(metric).items() if grade >= least}
    if relevant:
        return 0, max(relevant, key=relevant.__getitem__)
    return 0, max(least, metric.max_rel or 1)


def distinguished_grades(metric: Metric, grades: Grades, short: Callable[[int], Space]) -> Grades:
    """Return the grades that the metric distinguishes, from the lowest gain to the highest.

    Two grades are not distinguished if replacing one by the other changes no score of a short
    ranking: 1, 2 and 3 for AP, 0 and 1 for AP(rel=2). A metric with a table of gains is tested on
    the grades in it. `short` returns rankings of a given number of levels.
    """
    table = _table(metric)
    asked = sorted({0, *table} if table else grades, key=lambda grade: table.get(grade, grade))
    if len(asked) > MOST_GRADES:
        asked = [asked[place] for place in np.linspace(0, len(asked) - 1, MOST_GRADES, dtype=int)]
    if len(asked) < 2:
        return tuple(asked)
    space = short(len(asked))
    scored = score_space(metric, space, tuple(asked)).value
    kept = asked[:1]
    for grade in asked[1:]:
        merged = tuple(kept[-1] if each == grade else each for each in asked)
        other = score_space(metric, space, merged).value
        same = equal(scored, other) | (np.isnan(scored) & np.isnan(other))
        if not same.all():
            kept.append(grade)
    return tuple(kept)


def _table(metric: Metric) -> dict[int, float]:
    """Return the metric's own table of gains, by grade."""
    gains = metric.gains or ()
    return {int(grade): gain for grade, gain in gains if grade >= 0 and grade == int(grade)}


SHRINKING = 0.75  # if each step is at most this times the step before, steps have a finite sum

LOW_END = "the score is the lower bound of a range, because the ranks below k are unknown"
ZERO = "the score is 0 where no document in the first k is relevant"
NOTHING_IN_K = "also undefined where R > 0 and no document in the first k is relevant"
ALSO_ELSEWHERE = "also undefined in some collections with R > 0"
ONLY_ABOVE = "the maximum is reached only if k ≤ R"
ONLY_BELOW = "the maximum is reached only if k ≥ R"


@dataclass(frozen=True, eq=False)
class MetricScores:
    """Scores of one metric on binary rankings and, if the metric is graded, on graded rankings."""

    metric: Metric
    parts: tuple[Part, ...]

    @property
    def every(self) -> list[Scored]:
        return [scored for part in self.parts for scored in [*part.every, *part.short]]

    @property
    def with_sparse(self) -> list[Scored]:
        each = ([*part.every, *part.sparse, *part.short] for part in self.parts)
        return list(chain.from_iterable(each))


def bounded(scores: MetricScores) -> Answer:
    each = [*scores.every, *(scored for part in scores.parts for scored in part.shaped)]
    seen = np.concatenate([scored.value[scored.defined] for scored in each])
    if not len(seen):
        return Answer(None, 0)
    if np.isinf(seen).any():
        # The smallest case with an infinite score, after the smallest with any score.
        scored = next(scored for scored in each if np.isinf(scored.value).any())
        pair = _first(scored, scored.defined), _first(scored, np.isinf(scored.value))
        return Answer(False, len(seen), pair, "infinite")
    for part in scores.parts:
        if found := _unbounded(part.shaped):
            return Answer(False, len(seen), *found)
    return Answer(True, len(seen), None, f"from {seen.min():.4g} to {seen.max():.4g}")


def _unbounded(shaped: list[Scored]) -> tuple[Pair, str] | None:
    """Return the first doubling of the depth at which a growing score leaves [−1, 1], or None.

    A score is growing if at depths 1, 2, 4, … it leaves [−1, 1] in steps that do not shrink.
    """
    for shape, collection in np.argwhere(shaped[-1].space.valid):
        size = np.abs([scored.value[shape, collection] for scored in shaped])
        steps = np.diff(size[-3:])
        if size[-1] > 1 and steps[1] > 1e-9 and steps[1] > SHRINKING * steps[0]:
            place = int(np.flatnonzero(size[1:] > np.maximum(1, size[:-1]))[0])
            before, after = (each.case(shape, collection) for each in shaped[place:][:2])
            last = shaped[-1].value[shape, collection]
            return (before, after), f"{last:,.4g} at depth {SHAPE_DEPTHS[-1]:,}, and rising"
    return None


def monotonic(scores: MetricScores) -> Answer:
    changes = Changes(scores.metric.sign)
    for part in scores.parts:
        for kind in (part.every, part.sparse, part.short):
            for before, after in pairwise(kind):
                changes.look(before, after, before.space.extended, strictly=False)
    return changes.answer(_low_end(scores.metric))


def convergent(scores: MetricScores) -> Answer:
    changes = Changes(scores.metric.sign)
    for scored in scores.with_sparse:
        changes.look(scored, scored, scored.space.inserted, strictly=True)
    return changes.answer(_low_end(scores.metric))


def top_weighted(scores: MetricScores) -> Answer:
    return _lifted(scores.with_sparse, scores.metric.sign)


def swap(scores: MetricScores) -> Answer:
    # `mixed` has the shorter rankings with and without unjudged documents.
    each = (
        scored
        for part in scores.parts
        for scored in [*part.mixed, *part.every[len(part.mixed) :], *part.sparse, *part.short]
    )
    return _lifted(each, scores.metric.sign)


def _lifted(each: Iterable[Scored], sign: int) -> Answer:
    changes = Changes(sign)
    for scored in each:
        changes.look(scored, scored, scored.space.lifted, strictly=True)
    return changes.answer()


def localized(scores: MetricScores) -> Answer:
    cases, counterexample = 0, None
    for scored in scores.every:
        defined = scored.defined
        first = defined.argmax(axis=1)
        reference = np.take_along_axis(scored.value, first[:, None], axis=1)
        differs = defined & ~equal(scored.value, np.broadcast_to(reference, defined.shape))
        cases += int(np.maximum(defined.sum(axis=1) - 1, 0).sum())
        if counterexample is None and differs.any():
            collection, ranking = divmod(int(differs.T.argmax()), len(first))
            counterexample = (
                scored.case(ranking, int(first[ranking])),
                scored.case(ranking, collection),
            )
    if counterexample is not None:
        return Answer(False, cases, counterexample)
    return Answer(True if cases else None, cases, None, _low_end(scores.metric) or _zero(scores))


def complete(scores: MetricScores) -> Answer:
    cases, counterexample = 0, None
    elsewhere, in_k = False, True
    for scored in scores.every:
        space, missing = scored.space, scored.space.valid & ~scored.defined
        nothing = space.relevant == 0
        if space.levels > 2:  # without relevant documents the binary rankings are enough
            continue
        cases += int(space.valid[:, nothing].sum())
        if counterexample is None and missing[:, nothing].any():
            counterexample = (_first(scored, missing & nothing), _first(scored, scored.defined))
        left = missing & ~nothing
        empty = space.documents.sum(axis=1) == 0
        elsewhere |= bool(left.any())
        in_k &= bool((left == (space.valid & ~nothing & empty[:, None])).all())
    if counterexample is None:
        return Answer(True, cases, None, ALSO_ELSEWHERE if elsewhere else _zero(scores))
    remark = (NOTHING_IN_K if in_k else ALSO_ELSEWHERE) if elsewhere else ""
    return Answer(False, cases, counterexample, remark)


def _first(scored: Scored, where: Bools) -> Case:
    """Return the smallest of some cases, or of all valid cases if there are none."""
    some = where if where.any() else scored.space.valid
    collection, ranking = divmod(int(some.T.argmax()), len(some))
    return scored.case(ranking, collection)


def realizable(scores: MetricScores) -> Answer:
    sign = scores.metric.sign
    answers = [_realizable([*part.every, *part.short], sign) for part in scores.parts]
    lacking = [answer for answer in answers if not answer.holds]
    cases = sum(answer.cases for answer in answers)
    return replace(lacking[0] if lacking else answers[0], cases=cases)


def _realizable(each: list[Scored], sign: int) -> Answer:
    """Decide realizability on the collections that contain a document of the highest grade."""
    values = [
        np.where(one.defined & (one.space.counts[:, -1] > 0), sign * one.value, -np.inf)
        for one in each
    ]
    greatest = max(float(value.max()) for value in values)
    if greatest == -np.inf:
        return Answer(None, 0)
    cases, greatest_case, counterexample = 0, None, None
    above = below = True
    for scored, value in zip(each, values, strict=True):
        best = value.max(axis=0)
        some = best > -np.inf
        attained = equal(best, np.full_like(best, greatest))
        cases += int(some.sum())
        depth, relevant = scored.space.depth, scored.space.relevant
        above &= bool((attained == (depth <= relevant))[some].all())
        below &= bool((attained == (depth >= relevant))[some].all())
        if greatest_case is None and attained.any():
            greatest_case = _best_case(scored, value, int(best.argmax()))
        if counterexample is None and (some & ~attained).any():
            counterexample = _best_case(scored, value, int((some & ~attained).argmax()))
    if counterexample is None or greatest_case is None:
        return Answer(True, cases)
    remark = ONLY_ABOVE if above else ONLY_BELOW if below else ""
    return Answer(False, cases, (counterexample, greatest_case), remark)


def _best_case(scored: Scored, value: Floats, collection: int) -> Case:
    """Return the last ranking with the best score: its relevant documents are at the top."""
    last_best = len(value) - 1 - int(value[::-1, collection].argmax())
    return scored.case(last_best, collection)


def _low_end(metric: Metric) -> str:
    """Return a remark if weights do not depend on k (as for RBP) and ranks below k have weight."""
    weighted = metric.weighted
    if weighted is None:
        return ""
    rank = np.array([1])
    first = [at_depth(weighted, k).weight(rank)[0] for k in (1, 2)]
    below = weighted.weight_after(rank)[0]
    return LOW_END if first[0] == first[1] and 0 < below < np.inf else ""


def too_fine(metric: Metric, depth: int) -> bool:
    """Return whether a rank's weight is so small, relative to rank 1, that rounding loses it."""
    weighted = metric.weighted
    if weighted is None:
        return False
    weights = np.abs(at_depth(weighted, depth).weights(depth))
    return bool(((weights > 0) & (weights < 10 * ROUNDING * weights[0])).any())


def _zero(scores: MetricScores) -> str:
    binary = scores.parts[0].every
    nothing = [scored.value[0][scored.space.valid[0]] for scored in binary]
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


@dataclass
class Search:
    """Search for counterexamples to properties of metrics, on rankings of up to `depth` documents.

    Metrics that distinguish more than two of `grades` are also tested on graded rankings. Graded
    rankings are shorter, so that there are at most about as many as binary rankings.
    """

    depth: int
    grades: Grades
    _spaces: dict[int, Spaces] = field(default_factory=dict)
    _short: dict[int, Space] = field(default_factory=dict)

    def answers(self, metric: Metric) -> tuple[dict[str, Answer], Grades]:
        """Return the answer of each property, and the grades tested."""
        parts = [Part.of(metric, self.spaces(2), binary_grades(metric))]
        levels = self.levels(metric)
        if len(levels) > 2:
            parts.append(Part.of(metric, self.spaces(len(levels)), levels))
        scores = MetricScores(metric, tuple(parts))
        reasons = proved(metric)
        answers = {name: decide(scores) for name, decide in PROPERTIES.items()}
        with_proofs = {
            name: replace(answer, proof=reasons.get(name, "")) if answer.holds else answer
            for name, answer in answers.items()
        }
        return with_proofs, levels

    def levels(self, metric: Metric) -> Grades:
        """Return the grades to test; 0 and 1 for a binary metric."""
        found = (
            distinguished_grades(metric, self.grades, self.short) if len(self.grades) > 2 else ()
        )
        return found if len(found) > 2 else (0, 1)

    def spaces(self, levels: int) -> Spaces:
        if levels not in self._spaces:
            self._spaces[levels] = Spaces.to(self.depth, levels)
        return self._spaces[levels]

    def short(self, levels: int) -> Space:
        if levels not in self._short:
            self._short[levels] = short_rankings(levels)
        return self._short[levels]
