"""Whether a difference that is significant now would stay so once more is judged."""

import numpy as np
from scipy.special import stdtr

from rankwise.arrays import Bools, Floats, Ints
from rankwise.stats.corrections import corrected
from rankwise.stats.paired import differences_of, student_t
from rankwise.vocabulary import Correction


def significant_now(
    scores: Floats, first: Ints, second: Ints, alpha: float, correction: Correction
) -> Bools:
    """By the paired t-test under the judgments there are; `scores` are runs × topics."""
    p = student_t(differences_of(scores, first, second))
    return np.asarray(corrected(p, correction) <= alpha)


def t_values(scores: Floats) -> Floats:
    """Student's t of each two runs over the topics that have a score: runs × runs."""
    there = scores[:, np.isfinite(scores).all(axis=0)]
    runs, topics = there.shape
    if topics < 2:
        return np.zeros((runs, runs))
    mean, covariance = there.mean(axis=1), np.atleast_2d(np.cov(there))
    own = np.diag(covariance)
    error = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 0.0) / topics)
    difference = mean[:, None] - mean
    return np.divide(difference, error, out=np.zeros((runs, runs)), where=error > 1e-12)


def chance_of_significance(
    t: Floats, signs: Floats, *, topics: int, alpha: float, correction: Correction
) -> Floats:
    """How often pairs are significant in the direction of `signs`: `t` is draws × pairs.

    The pairs of a draw are one family, as those of the judgments there are.
    """
    count = np.zeros(t.shape[1])
    for draw in t:
        p = 2 * stdtr(max(topics - 1, 1), -np.abs(draw))
        count += (corrected(p, correction) <= alpha) & (np.sign(draw) == signs)
    return count / len(t)
