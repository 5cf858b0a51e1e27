"""Judging for the runs that matter: Moffat, Webber and Zobel, SIGIR 2007.

A document counts by its weight in each run. A run counts by the unresolved part of its score
(`residual`), or by that and its score (`score`): effort goes to runs about which little is known,
or to the best runs.
"""

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.judging.plan import heaviest, parts_of
from rankwise.judging.state import Candidates, Standing
from rankwise.progress import track
from rankwise.vocabulary import Weighing

STEPS = 20  # after each, runs are weighed anew
POWER = 3  # of the score half way up its range: the paper's choice

TARGETED = {
    "residual": "the list is ordered by weight; each run is weighted by its residual",
    "score": (
        "the list is ordered by weight; each run is weighted by its residual times the cube of the "
        "middle of its score range"
    ),
}


def order_by_standing(
    start: Standing, candidates: Candidates, rate: float, budget: int, topics: int, weigh: Weighing
) -> Ints:
    """Order documents by Σ weight × value of the run, in steps, largest first.

    After each step the chosen documents count as judged, with the expected gain.
    """
    standing, is_chosen, chosen = start, np.zeros(candidates.count, np.bool_), []
    gain = np.full(candidates.count, rate)
    for size in track(np.diff(parts_of(budget, STEPS), prepend=0).tolist(), "steps of the plan"):
        value = np.where(is_chosen, 0.0, candidates.total(worth_of_runs(standing, topics, weigh)))
        batch = heaviest(value, size, candidates.topic, is_chosen)
        chosen.append(batch)
        is_chosen[batch] = True
        standing = standing.after(candidates.among(batch), gain)
    return np.concatenate(chosen)


def worth_of_runs(standing: Standing, topics: int, weigh: Weighing) -> Floats:
    """Value of a unit of weight in each run: ε, or ε (S + ε / 2)³, of means over topics.

    >>> one = np.array([0.5])
    >>> worth_of_runs(Standing(one, one, 0 * one, one[:, None]), 1, "score").tolist()
    [0.2109375]
    """
    residual = np.maximum(standing.open, 0.0) / topics + standing.below / topics
    if weigh == "residual":
        return residual
    worth: Floats = residual * (standing.score / topics + residual / 2) ** POWER
    return worth
