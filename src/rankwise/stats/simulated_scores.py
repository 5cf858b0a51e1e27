"""Simulated scores of systems that are equal, or that differ by a known amount.

Permuted scores: the scores of each topic are permuted among the systems. Simulated scores: a
Gaussian copula models the dependence between systems, and all systems have the same marginal
distribution (Urbano and Nagler, SIGIR 2018; Urbano, Lima and Hanjalic, SIGIR 2019, with more
families of copulas).
"""

import numpy as np

from rankwise.arrays import Floats


def permuted_scores(values: Floats, rng: np.random.Generator) -> Floats:
    """Return the scores, permuted among the systems on each topic.

    `values` has shape (systems, topics). For two systems the permutation gives each difference a
    random sign. The null hypothesis that the systems do not differ is true for the permuted scores.
    """
    return rng.permuted(values, axis=0)


def normal_scores_correlation(values: Floats) -> Floats:
    """Return the correlation matrix of a Gaussian copula, computed from normal scores of the ranks.

    Tied values have their mean rank. A system with the same score on all topics is independent of
    the others.

    >>> values = np.array([[0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.4, 0.9], [0.5, 0.5, 0.5, 0.5]])
    >>> normal_scores_correlation(values).round(4).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores = ndtri(rankdata(values, axis=1) / (values.shape[1] + 1))
    centred = scores - scores.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    correlation = unit @ unit.T
    np.fill_diagonal(correlation, 1.0)
    return np.asarray(correlation)


def copula_uniforms(correlation: Floats, topics: int, rng: np.random.Generator) -> Floats:
    """Draw uniform values from 0 to 1 that depend on each other through a Gaussian copula.

    The result has shape (systems, topics). Systems are dependent, and topics independent.
    """
    from scipy.special import ndtr

    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0))
    return np.asarray(ndtr(root @ rng.standard_normal((len(correlation), topics))))


def tilted_weights(scores: Floats, shift: float) -> Floats | None:
    """Return weights of observed scores that raise their mean by `shift`; None if impossible.

    Exponential tilting uses weights proportional to exp(θ score). θ is chosen to reach the wanted
    mean. Of all distributions of the observed scores with this mean, the tilted distribution is
    closest to the observed distribution in relative entropy.

    >>> tilted_weights(np.array([0.0, 0.0, 1.0, 1.0]), 0.25).round(4).tolist()
    [0.125, 0.125, 0.375, 0.375]
    >>> tilted_weights(np.array([0.0, 0.5]), 0.3) is None
    True
    """
    from scipy.optimize import brentq

    if shift == 0:
        return np.full(len(scores), 1 / len(scores))
    target, spread = scores.mean() + shift, np.ptp(scores)
    inside = scores.min() < target < scores.max()
    if not inside or not spread > 0:
        return None

    def weights(theta: float) -> Floats:
        power = theta * scores / spread
        raised = np.exp(power - power.max())
        return np.asarray(raised / raised.sum())

    def excess(theta: float) -> float:
        return float(weights(theta) @ scores - target)

    reach = 1.0
    while excess(-reach) > 0 or excess(reach) < 0:
        reach *= 2
        if reach > 1e6:
            return None
    return weights(float(brentq(excess, -reach, reach, xtol=1e-12)))


def quantiles(scores: Floats, weights: Floats, uniforms: Floats) -> Floats:
    """Return the quantiles of a weighted sample of scores, at the levels `uniforms` from 0 to 1.

    If the levels are random and uniform, the quantiles are random draws of scores with these
    weights.
    """
    order = np.argsort(scores, kind="stable")
    upper = np.cumsum(weights[order])
    place = np.searchsorted(upper / upper[-1], uniforms, side="left")
    return np.asarray(scores[order][np.minimum(place, len(scores) - 1)])
