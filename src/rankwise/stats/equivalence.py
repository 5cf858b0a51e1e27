"""Equivalence, non-inferiority and the region of practical equivalence of paired differences.

`differences` is pairs × topics; NaN excludes a topic. A pair without any difference is
equivalent; a constant difference other than 0 has no variance, and all results are NaN.
"""

from typing import NamedTuple

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.stats.intervals import Estimate, Moments, moments


class Equivalence(NamedTuple):
    """One-sided p-values of each pair.

    `above` is that of a mean difference of at most −margin: if it is small, the first system is
    not inferior. `below` is that of a mean difference of at least the margin.
    """

    above: Floats
    below: Floats

    @property
    def p(self) -> Floats:
        """p of the two one-sided tests (TOST): the larger of the two."""
        return np.maximum(self.above, self.below)


class Posterior(NamedTuple):
    """Probability that the mean difference is below, within and above ±margin."""

    worse: Floats
    equivalent: Floats
    better: Floats


def tost(differences: Floats, margin: float, estimate: Estimate | None = None) -> Equivalence:
    """Two one-sided paired t-tests (Schuirmann 1987): is the mean difference within ±margin?

    Equivalence at level α is shown if p ≤ α, that is if the 1 − 2α confidence interval lies
    within ±margin. An `estimate` replaces the moments of the differences.

    >>> found = tost(np.array([[0.01, -0.02, 0.0, 0.02, 0.01, -0.01]]), 0.02)
    >>> found.p.round(4)
    array([0.0142])
    """
    return Equivalence(*_tails(differences, margin, estimate))


def region_of_equivalence(
    differences: Floats, margin: float, estimate: Estimate | None = None
) -> Posterior:
    """Bayesian paired t-test with a region of practical equivalence (ROPE) of ±margin.

    With the prior 1 / σ² the posterior of the mean difference is Student's t around the observed
    mean, with scale s / √n and n − 1 degrees of freedom (Benavoli, Corani, Demšar and Zaffalon,
    JMLR 18(77), 2017, with correlation 0).

    >>> found = region_of_equivalence(np.array([[0.01, -0.02, 0.0, 0.02, 0.01, -0.01]]), 0.02)
    >>> [float(share.round(4)[0]) for share in found]
    [0.0077, 0.9781, 0.0142]
    """
    above, below = _tails(differences, margin, estimate)  # P(mean ≤ −margin), P(mean ≥ margin)
    return Posterior(above, 1 - above - below, below)


def _tails(differences: Floats, margin: float, estimate: Estimate | None) -> tuple[Floats, Floats]:
    """Student's tails below −margin and above the margin, around the observed means."""
    from scipy.special import stdtr

    found = moments(differences)
    by = found if estimate is None else estimate
    error = np.where(by.error > 0, by.error, np.nan)
    tails = (
        stdtr(by.freedom, -(by.mean + margin) / error),
        stdtr(by.freedom, (by.mean - margin) / error),
    )
    same = _identical(differences, found)
    return np.where(same, 0.0, tails[0]), np.where(same, 0.0, tails[1])


def _identical(differences: Floats, found: Moments) -> Bools:
    """Mark the pairs of at least two topics that do not differ on any."""
    none: Bools = (np.nan_to_num(differences) == 0).all(axis=1) & (found.topics > 1)
    return none
