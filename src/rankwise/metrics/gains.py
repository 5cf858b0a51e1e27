"""Gains of grades, and the grades that a document can get."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.errors import WrongParameter
from rankwise.metrics.parameters import Gains
from rankwise.rankings import JudgedRankings
from rankwise.wording import Argument, Remedy


def gain_of(grade: Ints, judged: JudgedRankings, gains: Gains | None) -> Floats:
    """Return the gain of each grade.

    The gain is taken from `gains`, the metric's table, or from the table of the qrels if `gains` is
    None. A grade that the table does not list is its own gain, as in trec_eval and ir_measures. A
    negative grade marks an unusable document, which gains 0 if the table does not list the grade.
    """
    worth = np.maximum(grade, 0).astype(np.float64)
    table = dict(gains) if gains is not None else (judged.gains or {})
    if not table:
        return worth
    levels, gain = np.array(sorted(table.items()), np.float64).T
    place = np.minimum(np.searchsorted(levels, grade), len(levels) - 1)
    return np.where(levels[place] == grade, gain[place], worth)


def unit_gain_of(
    metric: object,
    grade: Ints,
    judged: JudgedRankings,
    gains: Gains | None,
    max_rel: int | None = None,
    min_rel: int = 0,
) -> Floats:
    """Return gains between 0 and 1, from a table or as (grade − min_rel) / (max_rel − min_rel).

    The metric's table `gains` is used if it is set. Without `gains` and `max_rel`, the table of the
    qrels is used. Without any table, `max_rel` is by default the highest grade in the qrels. It is
    an error if a document has a gain above 1.
    """
    if gains is None and (judged.gains is None or max_rel is not None):
        best = max_rel or max(1, min_rel + 1, int(judged.topic_grades.max(initial=1)))
        return (np.clip(grade, min_rel, best) - min_rel) / (best - min_rel)
    worth = gain_of(grade, judged, gains)
    if worth.max(initial=0) > 1:
        most, name = worth.max(), type(metric).__name__
        what = f"{name} needs gains between 0 and 1, but a document has the gain {most:g}"
        how = f"set other gains, for example each gain divided by {greatest_gain(judged, gains):g}"
        raise WrongParameter(f"{what}.", source=str(metric), remedy=Remedy(Argument("gains"), how))
    return worth


def check_unit(metric: object, gains: Gains | None) -> None:
    if gains is not None and max(gain for _, gain in gains) > 1:
        name = type(metric).__name__
        raise WrongParameter(f"{metric}: the gains of {name} must be between 0 and 1.")


def check_range(metric: object, min_rel: int, max_rel: int | None) -> None:
    if max_rel is not None and min_rel >= max_rel:
        raise WrongParameter("min_rel must be less than max_rel.", source=str(metric))


def possible_grades(judged: JudgedRankings, gains: Gains | None, rel: int = 0) -> Ints:
    """Return the grades that an unjudged document can get: those of the qrels and of the gains.

    Grade 0 and the relevance threshold `rel` are included, so that any document can be relevant or
    not. Without a table of gains, grade 1 is included too.
    """
    table = dict(gains) if gains is not None else (judged.gains or {1: 1.0})
    seen = judged.keep_of_topics("grades seen", lambda: np.unique(judged.topic_grades))
    return np.unique([0, rel, *seen[seen > 0], *(int(grade) for grade in table)])


def greatest_gain(judged: JudgedRankings, gains: Gains | None) -> float:
    """Return the largest gain that a document can have."""
    return float(gain_of(possible_grades(judged, gains), judged, gains).max())


def in_best_order(
    judged: JudgedRankings, gain: Callable[[Ints, JudgedRankings], Floats]
) -> JudgedRankings:
    """Return each topic's judged documents as a ranking, sorted by decreasing gain.

    Sorting by grade is not enough, because a table can give a lower grade a higher gain.
    """
    ideal = judged.in_best_order()
    order = np.lexsort((-gain(ideal.grade, ideal), ideal.ranking))
    return replace(ideal, grade=ideal.grade[order])
