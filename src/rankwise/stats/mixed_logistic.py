"""Logistic regression in which groups have effects of their own, drawn from one distribution."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats, Ints

ROUNDS = 25  # of the variances; two steps of Newton's method in each
RIDGE = 1e-2  # on what all groups share, so that columns that do not vary do no harm
PRIOR, PRIOR_VARIANCE = 3.0, 0.25  # as many groups as if seen before, and the variance of these
STEEPEST = 30.0  # log-odds beyond which nothing changes


@dataclass(frozen=True, eq=False)
class MixedLogistic:
    """log-odds = columns · shared + own columns · effects of the group, by Laplace's method.

    The first `own` columns have an effect for each group, normal around 0 with a covariance
    that is estimated too (empirical Bayes), so that groups with few rows borrow from others.
    `draw` draws shared and own effects from their approximate posterior.
    """

    own: int
    shared: Floats
    effects: Floats
    shared_covariance: Floats
    effect_roots: Floats  # a Cholesky factor for each group
    coupling: Floats  # how effects follow from the shared

    @classmethod
    def fit(
        cls, columns: Floats, success: Bools, group: Ints, groups: int, own: int
    ) -> "MixedLogistic":
        width = columns.shape[1]
        shared, effects = np.zeros(width), np.zeros((groups, own))
        covariance = np.eye(own) / 2
        for _ in range(ROUNDS):
            precision = np.asarray(np.linalg.inv(covariance), np.float64)
            for _ in range(2):
                step = _newton(columns, success, group, shared, effects, precision)
                shared, effects = shared + step.shared, effects + step.effects
            spread = effects.T @ effects + step.inverse.sum(axis=0)
            prior = PRIOR * PRIOR_VARIANCE * np.eye(own)
            covariance = (spread + prior) / (groups + PRIOR)
        roots = np.asarray(np.linalg.cholesky(step.inverse), np.float64)
        spread = np.asarray(np.linalg.inv(step.reduced), np.float64)
        return cls(own, shared, effects, spread, roots, step.coupling)

    def draw(self, columns: Floats, group: Ints, rng: np.random.Generator) -> Floats:
        """Probabilities of these rows under one draw of all effects."""
        shared = rng.multivariate_normal(self.shared, self.shared_covariance)
        noise = rng.standard_normal(self.effects.shape)
        effects = self.effects + np.einsum("gij,gj->gi", self.effect_roots, noise)
        effects -= np.einsum("gpi,p->gi", self.coupling, shared - self.shared)
        return _probabilities(columns, group, shared, effects)


@dataclass(frozen=True, eq=False)
class _Step:
    """A step of Newton's method, and the curvature there."""

    shared: Floats
    effects: Floats
    inverse: Floats  # of the curvature of each group's effects
    reduced: Floats  # the curvature of the shared, effects following
    coupling: Floats


def _probabilities(columns: Floats, group: Ints, shared: Floats, effects: Floats) -> Floats:
    own = columns[:, : effects.shape[1]]
    odds = columns @ shared + (own * effects[group]).sum(axis=1)
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -STEEPEST, STEEPEST))))


def _newton(
    columns: Floats, success: Bools, group: Ints, shared: Floats, effects: Floats, precision: Floats
) -> _Step:
    """Solved by blocks: groups meet only in what they share."""
    groups, own = effects.shape
    expected = _probabilities(columns, group, shared, effects)
    weight, left = expected * (1 - expected), success - expected
    by_group = _sums(columns[:, :own] * left[:, None], group, groups) - effects @ precision
    products = columns[:, :, None] * columns[:, None, :own] * weight[:, None, None]
    cross = _sums(products, group, groups)  # groups × columns × own columns
    inverse = np.asarray(np.linalg.inv(cross[:, :own] + precision), np.float64)
    coupling = np.einsum("gpi,gij->gpj", cross, inverse)
    curvature = (columns * weight[:, None]).T @ columns + RIDGE * np.eye(columns.shape[1])
    reduced = curvature - np.einsum("gpi,gqi->pq", coupling, cross)
    slope = columns.T @ left - RIDGE * shared - np.einsum("gpi,gi->p", coupling, by_group)
    step = np.asarray(np.linalg.solve(reduced, slope), np.float64)
    own_step = np.einsum("gij,gj->gi", inverse, by_group - np.einsum("gpi,p->gi", cross, step))
    return _Step(step, own_step, inverse, reduced, coupling)


def _sums(rows: Floats, group: Ints, groups: int) -> Floats:
    """The rows of each group, added up."""
    flat = rows.reshape(len(rows), -1)
    sums = [np.bincount(group, column, groups) for column in flat.T]
    return np.stack(sums, axis=1).reshape(groups, *rows.shape[1:]).astype(np.float64)
