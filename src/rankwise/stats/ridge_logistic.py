"""Logistic regression with random group effects, also for ordered grades."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats, Ints

VARIANCE = 4.0  # prior variance of group effects; fixed, so that the fit needs only Newton steps
RIDGE = 1e-2  # prior precision of the shared coefficients, so that constant columns do no harm
STEPS = 50  # maximum number of Newton steps
HALVINGS = 20  # maximum number of halvings of one step
CONVERGED = 1e-8  # the fit ends when the log-posterior rises by less
LARGEST_LOG_ODDS = 30.0
FEWEST_ROWS = 10  # to learn how one grade differs from the next


@dataclass(frozen=True, eq=False)
class RidgeLogistic:
    """Logistic regression with random effects of groups, fitted by Laplace's method.

    `shared` has a coefficient for each column, the same in all groups. `effects`, with one row per
    group, has the deviations of each group from the first of these coefficients. The deviations
    have a normal prior with mean 0 and variance 4. `draw` draws `shared` and `effects` from the
    normal approximation of the posterior at its mode.
    """

    shared: Floats
    effects: Floats  # shape (groups, own)
    shared_root: Floats  # Cholesky factor of the covariance of the shared coefficients
    effect_roots: Floats  # Cholesky factor of the effects of each group, given `shared`
    coupling: Floats  # regression of the effects on the shared coefficients

    @classmethod
    def fit(
        cls, columns: Floats, success: Bools, group: Ints, groups: int, own: int
    ) -> "RidgeLogistic":
        """Fit the model: find the mode of the posterior, and the curvature at the mode.

        `success` has the outcome of each row, and `group` its group. The coefficients of the first
        `own` columns differ between the `groups` groups.
        """
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
        """Return each row's probability of success, under one random draw of the coefficients."""
        moved = self.shared_root @ rng.standard_normal(len(self.shared))
        noise = rng.standard_normal(self.effects.shape)
        effects = self.effects + np.einsum("gij,gj->gi", self.effect_roots, noise)
        effects -= np.einsum("gpi,p->gi", self.coupling, moved)
        return _probabilities(_log_odds(columns, group, self.shared + moved, effects))


@dataclass(frozen=True, eq=False)
class _Step:
    """A step of Newton's method, and the curvature at its starting point."""

    shared: Floats
    effects: Floats
    inverse: Floats  # inverse curvature of each group's effects
    reduced: Floats  # curvature of the shared coefficients with the effects eliminated
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
    """Return one Newton step, solved by blocks: only the shared coefficients link the groups."""
    groups, own = effects.shape
    precision = np.eye(own) / VARIANCE
    expected = _probabilities(_log_odds(columns, group, shared, effects))
    weight, left = expected * (1 - expected), success - expected
    by_group = _sums(columns[:, :own] * left[:, None], group, groups) - effects @ precision
    products = columns[:, :, None] * columns[:, None, :own] * weight[:, None, None]
    cross = _sums(products, group, groups)  # shape (groups, columns, own columns)
    inverse = np.asarray(np.linalg.inv(cross[:, :own] + precision), np.float64)
    coupling = np.einsum("gpi,gij->gpj", cross, inverse)
    curvature = (columns * weight[:, None]).T @ columns + RIDGE * np.eye(columns.shape[1])
    reduced = curvature - np.einsum("gpi,gqi->pq", coupling, cross)
    slope = columns.T @ left - RIDGE * shared - np.einsum("gpi,gi->p", coupling, by_group)
    step = np.asarray(np.linalg.solve(reduced, slope), np.float64)
    own_step = np.einsum("gij,gj->gi", inverse, by_group - np.einsum("gpi,p->gi", cross, step))
    return _Step(step, own_step, inverse, reduced, coupling)


def _sums(rows: Floats, group: Ints, groups: int) -> Floats:
    """Return the sum of the rows of each group."""
    flat = rows.reshape(len(rows), -1)
    sums = [np.bincount(group, column, groups) for column in flat.T]
    return np.stack(sums, axis=1).reshape(groups, *rows.shape[1:]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class GradeSteps:
    """Model of ordered grades: from each grade, the probability of a higher grade.

    `levels` are the grades, lowest first. `steps` has an entry for each grade but the highest: the
    probability of a higher grade, given at least this grade. The entry is a logistic regression or,
    with fewer than ten rows or only one outcome, the fraction of rows with a higher grade.
    """

    levels: Ints
    steps: list[RidgeLogistic | float]

    @classmethod
    def fit(
        cls, levels: Ints, grade: Ints, columns: Floats, group: Ints, groups: int
    ) -> "GradeSteps":
        """Fit, for each grade but the highest, the probability that a row has a higher grade.

        Only the rows with at least this grade are used.
        """
        steps: list[RidgeLogistic | float] = []
        for level in levels[:-1]:
            rows = np.flatnonzero(grade >= level)
            higher = grade[rows] > level
            step: RidgeLogistic | float = float(higher.mean()) if len(rows) else 0.0
            if len(rows) >= FEWEST_ROWS and 0 < higher.sum() < len(rows):
                step = RidgeLogistic.fit(columns[rows], higher, group[rows], groups, 1)
            steps.append(step)
        return cls(levels, steps)

    def draw(self, place: Ints, columns: Floats, group: Ints, rng: np.random.Generator) -> Ints:
        """Draw a grade for each row, at least `levels[place]`; return its index in `levels`.

        A row with `place` −1 has no grade of `levels`, and keeps −1.
        """
        place = place.copy()
        for at, step in enumerate(self.steps):
            rows = np.flatnonzero(place == at)
            chance: float | Floats = (
                step if isinstance(step, float) else step.draw(columns[rows], group[rows], rng)
            )
            place[rows] += rng.random(len(rows)) < chance
        return place
