"""The sound range at another p, which is valid for every ranking with the published score at p.

At another p′ < p the ratio con′(i) / con(i) of the weights of rank i at p′ and at p falls with i.
Consider all vectors with entries from 0 to 1 and score s at p. The vector that fills the ranks from
the top, the last rank partly, has the largest score at p′. The vector that fills them from the
bottom has the smallest (fractional knapsack). At p′ > p the largest and the smallest are exchanged.
The two ends hold for binary vectors too, and graded gains attain the ends. docs/inversion.md has
the proof, and why the same range holds for a mean over topics.
"""

import numpy as np
import numpy.typing as npt

from rankwise.arrays import ROUNDING, Floats
from rankwise.errors import CallError
from rankwise.published.published_score import Published
from rankwise.wording import Argument, Remedy

DECIDED = 10  # ranks of which all 1,024 combinations are tried, for a single ranking


def filled_from_top(p: float, at: float, score: npt.ArrayLike) -> Floats:
    """Return the score at p = `at` of the vector that fills ranks from the top to `score` at p.

    Let s be `score` and p′ be `at`. Ranks 1 to k = ⌊log(1 − s) / log p⌋ have value 1, and the next
    rank has a fraction f. The result is 1 − p′^k + f (1 − p′) p′^k. As a function of s it is
    continuous, rising, piecewise linear, and concave for p′ < p, convex for p′ > p. At p = 0 only
    the first rank is filled.

    >>> filled_from_top(0.5, 0.25, [0.5, 0.75, 0.875]).tolist()
    [0.75, 0.9375, 0.984375]
    """
    target = np.clip(np.asarray(score, dtype=np.float64), 0.0, 1.0)
    if p == 0:
        return np.asarray(target * (1.0 - at))
    left = np.maximum(1.0 - target, 1e-300)
    full = np.floor(np.log(left) / np.log(p))
    below, below_at = p**full, at**full  # weight of the ranks below the full ones
    part = (target - (1.0 - below)) / np.maximum((1.0 - p) * below, 1e-300)
    filled = 1.0 - below_at + np.clip(part, 0.0, 1.0) * (1.0 - at) * below_at
    return np.where(target >= 1.0, 1.0, filled)


def outer_range(
    p: float, at: float, lowest: npt.ArrayLike, highest: npt.ArrayLike, decided: int = 0
) -> tuple[Floats, Floats]:
    """Return bounds of RBP(p=`at`) if RBP(p=`p`) is between `lowest` and `highest`.

    With `decided` = 0 the bounds also hold for mean scores over topics. With `decided` = n they
    hold for single rankings only, and are narrower: all binary values of the first n ranks are
    tried, and only lower ranks may have fractional values.

    >>> low, high = outer_range(0.9, 0.8, 0.2523, 0.2543)
    >>> bool(low < 0.4006 < 0.4304 < high)
    True
    """
    # At p = 0.3 rank 30 weighs about 1e-16, like a rounding error, but a lot at p′ = 0.95.
    least = np.clip(np.asarray(lowest, dtype=np.float64) - ROUNDING, 0.0, 1.0)
    most = np.clip(np.asarray(highest, dtype=np.float64) + ROUNDING, 0.0, 1.0)
    least, most = np.broadcast_arrays(least, most)
    # Lower ranks weigh less than rounding errors.
    decided = min(decided, int(np.log(ROUNDING) / np.log(p))) if p else 0
    top_heavy = _top_heaviest(p, at, least, most, decided)
    # Exchange relevant and non-relevant documents: every score s becomes 1 − s.
    bottom_heavy = 1.0 - _top_heaviest(p, at, 1.0 - most, 1.0 - least, decided)
    low, high = (bottom_heavy, top_heavy) if at < p else (top_heavy, bottom_heavy)
    return np.clip(low - ROUNDING, 0.0, 1.0), np.clip(high + ROUNDING, 0.0, 1.0)


def _top_heaviest(p: float, at: float, lowest: Floats, highest: Floats, decided: int) -> Floats:
    """Return the score at p′ = `at` of the vector filled from the top, for each pair of limits.

    This score is the largest possible if `at` < p, and the smallest possible if `at` > p. `lowest`
    and `highest` limit the score at p.
    """
    aim, worst, better = (highest, -np.inf, np.maximum) if at < p else (lowest, np.inf, np.minimum)
    extreme = np.full(aim.shape, worst)
    bits = ((np.arange(2**decided)[:, None] >> np.arange(decided)) & 1).astype(np.float64)
    scores, worths = (bits @ ((1 - q) * q ** np.arange(decided)) for q in (p, at))
    step = max(1, 2**18 // max(1, aim.size))  # prefixes at once, to limit memory
    for start in range(0, 2**decided, step):
        score = scores[start : start + step].reshape(-1, *[1] * aim.ndim)
        worth = worths[start : start + step].reshape(score.shape)
        fits = (score <= highest + ROUNDING) & (score + p**decided >= lowest - ROUNDING)
        rest = filled_from_top(p, at, (aim - score)[fits] / p**decided)
        values = np.full(fits.shape, worst)
        values[fits] = np.broadcast_to(worth, fits.shape)[fits] + at**decided * rest
        extreme = better(extreme, better.reduce(values, axis=0))
    return extreme


def outer(given: Published, at: float) -> tuple[float, float]:
    """Return a sound range of RBP at p = `at` from a published score, its residual and rounding.

    Raise an error if no single ranking can have both the score and the residual.
    """
    if at == given.p:
        return given.lowest, given.highest
    if given.topics != 1 or given.graded:
        low, high = outer_range(given.p, at, given.lowest, given.highest)
        return float(low), float(high)
    # With a residual, unjudged documents count as relevant for the high end only.
    low, _ = outer_range(given.p, at, given.lowest, given.score + given.half, DECIDED)
    least_sum = given.most - given.half_of_sum
    _, high = outer_range(given.p, at, least_sum, given.highest, DECIDED)
    if low > high:  # a score with all unjudged documents relevant cannot be the lower one
        raise CallError(
            f"no ranking of one topic has score {given.score:g} and residual {given.unjudged:g} at "
            f"p = {given.p:g}. Check both numbers.",
            remedy=Remedy(Argument("topics", 50), "treat them as means over 50 topics"),
        )
    return float(low), float(high)
