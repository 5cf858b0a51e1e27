"""Grades on which a metric is tested: those that it distinguishes."""

from collections.abc import Callable

import numpy as np

from rankwise.experiments.properties.changes import equal
from rankwise.experiments.properties.rankings import Grades, Space, score_space
from rankwise.metrics import Metric

MOST_GRADES = 6


def binary_grades(metric: Metric) -> Grades:
    """Return 0 and the grade of a relevant document: the one with the highest gain."""
    least = metric.rel or 1
    relevant = {grade: gain for grade, gain in _table(metric).items() if grade >= least}
    if relevant:
        return 0, max(relevant, key=relevant.__getitem__)
    return 0, max(least, metric.max_rel or 1)


def told_apart(metric: Metric, grades: Grades, short: Callable[[int], Space]) -> Grades:
    """Return the grades that the metric distinguishes, from the lowest gain to the highest.

    Two grades are equivalent if exchanging them changes no score of a short ranking: 1, 2 and 3
    for AP, 0 and 1 for AP(rel=2). A metric with a table of gains is tested on the grades in it.
    `short` returns rankings of a given number of levels.
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
    """The metric's own gains by grade."""
    gains = metric.gains or ()
    return {int(grade): gain for grade, gain in gains if grade >= 0 and grade == int(grade)}
