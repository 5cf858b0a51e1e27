"""Logistic regression with effects of groups that have a fixed prior variance."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats, Ints

VARIANCE = 4.0  # of the effects of groups; fixed, so that fitting needs Newton steps only
RIDGE = 1e-2  # precision of the shared coefficients; constant columns do no harm
STEPS = 50  # of Newton's method, at most
HALVINGS = 20  # of one step
CONVERGED = 1e-8  # gain of the log-posterior below which the fit ends
LARGEST_LOG_ODDS = 30.0


@dataclass(frozen=True, eq=False)
class RidgeLogistic:
    """log-odds = columns · shared + first columns · effects of the group, by Laplace's method.

    The first `own` columns have an effect for each group, normal around 0 with variance
    `VARIANCE`. `draw` draws shared coefficients and effects from the normal approximation of
    the posterior at its mode.
    """

    shared: Floats
    effects: Floats  # groups × own
    shared_root: Floats  # Cholesky factor of the covariance of the shared coefficients
    effect_roots: Floats  # and of the effects of each group, given the shared ones
    coupling: Floats  # how effects follow from the shared coefficients

    @classmethod
    def fit(
        cls, columns: Floats, success: Bools, group: Ints, groups: int, own: int
    ) -> "RidgeLogistic":
        """Find the mode of the posterior and the curvature there."""
        shared, effects = np.zeros(columns.shape[1]), np.zeros((groups, own))
        level = _log_posterior(columns, success, group, shared, effects)
        for _ in range(STEPS):
            step = _newton(columns, success, group, shared, effects)
            length, gain = 1.0, 0.0
            for _ in range(HALVINGS):
                new = (shared + length * step.shared, effects + length * step.effects)
                gain = _log_posterior(columns, success, group, *new) - level
                if gain > 0:
                    shared, effects, level = *new, level + gain
                    break
                length /= 2
            if gain < CONVERGED:
                break
        step = _newton(columns, success, group, shared, effects)
        root = np.linalg.cholesky(np.linalg.inv(step.reduced))
        roots = np.linalg.cholesky(step.inverse)
        return cls(shared, effects, np.asarray(root), np.asarray(roots), step.coupling)

    def draw(self, columns: Floats, group: Ints, rng: np.random.Generator) -> Floats:
        """Probabilities of success of these rows under one draw of all coefficients."""
        moved = self.shared_root @ rng.standard_normal(len(self.shared))
        noise = rng.standard_normal(self.effects.shape)
        effects = self.effects + np.einsum("gij,gj->gi", self.effect_roots, noise)
        effects -= np.einsum("gpi,p->gi", self.coupling, moved)
        return _probabilities(_log_odds(columns, group, self.shared + moved, effects))


@dataclass(frozen=True, eq=False)
class _Step:
    """A step of Newton's method, and the curvature there."""

    shared: Floats
    effects: Floats
    inverse: Floats  # of the curvature of each group's effects
    reduced: Floats  # the curvature of the shared coefficients, effects following
    coupling: Floats


def _log_odds(columns: Floats, group: Ints, shared: Floats, effects: Floats) -> Floats:
    own = columns[:, : effects.shape[1]]
    odds = columns @ shared + (own * effects[group]).sum(axis=1)
    return np.clip(odds, -LARGEST_LOG_ODDS, LARGEST_LOG_ODDS)


def _probabilities(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-log_odds)))


def _log_posterior(
    columns: Floats, success: Bools, group: Ints, shared: Floats, effects: Floats
) -> float:
    odds = _log_odds(columns, group, shared, effects)
    fit = (success * odds - np.logaddexp(0, odds)).sum()
    return float(fit - RIDGE * (shared**2).sum() / 2 - (effects**2).sum() / VARIANCE / 2)


def _newton(columns: Floats, success: Bools, group: Ints, shared: Floats, effects: Floats) -> _Step:
    """Solve for one step by blocks: groups meet only in what they share."""
    groups, own = effects.shape
    precision = np.eye(own) / VARIANCE
    expected = _probabilities(_log_odds(columns, group, shared, effects))
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
    """Sum the rows of each group."""
    flat = rows.reshape(len(rows), -1)
    sums = [np.bincount(group, column, groups) for column in flat.T]
    return np.stack(sums, axis=1).reshape(groups, *rows.shape[1:]).astype(np.float64)
