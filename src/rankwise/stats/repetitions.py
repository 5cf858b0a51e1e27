"""Several runs of one system (seeds, trials): variance between runs beside that between topics."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankwise.arrays import CANCELLATION, Floats, Ints
from rankwise.stats.intervals import Estimate, Moments


class RunVariances(NamedTuple):
    """For each system, the variance of the mean scores of its runs, and its part due to topics.

    `residual` is what `between` would be if a run only had effects on single topics: the residual
    mean square of runs × topics, divided by the number of topics. Both are 0 for a single run.
    """

    runs: Ints
    between: Floats
    residual: Floats
    topics: Ints


def run_variances(systems: Sequence[Floats]) -> RunVariances:
    """Return the variances between the runs of each system, from its runs × topics.

    Only topics for which all runs of the system have a score are used.

    >>> found = run_variances([np.array([[0.1, 0.5], [0.3, 0.9]]), np.array([[0.2, 0.4]])])
    >>> found.between.round(4).tolist(), found.residual.round(4).tolist()
    ([0.045, 0.0], [0.005, 0.0])
    """
    rows = []
    for values in systems:
        table = values[:, ~np.isnan(values).any(axis=0)]
        runs, topics = table.shape
        if runs < 2 or topics < 2:
            rows.append((runs, 0.0, 0.0, topics))
            continue
        means = table.mean(axis=1)
        apart = table - means[:, None] - table.mean(axis=0) + table.mean()
        residual = float((apart**2).sum()) / ((runs - 1) * (topics - 1) * topics)
        between = float(means.var(ddof=1))
        equal = between <= (CANCELLATION * np.abs(means).max()) ** 2
        rows.append((runs, 0.0 if equal else between, residual, topics))
    runs_of, between_of, residual_of, topics_of = zip(*rows, strict=True)
    return RunVariances(
        np.array(runs_of), np.array(between_of), np.array(residual_of), np.array(topics_of)
    )


def allow_for_runs(found: Moments, sides: Sequence[Ints], variances: RunVariances) -> Estimate:
    """Add the variance between runs to the standard errors of means over topics.

    `found` is of rows averaged over the runs of their systems; `sides` has the systems of each
    row: one for a mean, two for a difference. Topics and runs are both samples, crossed within a
    system. With S² / n the variance of the mean over n topics, B the variance between the means
    of the R runs of a system and M the residual mean square of its runs × topics,

        variance = S² / n + Σ max(0, B − M / n) / R

    over the systems: S² / n has the effects of runs on single topics already, so that M / n is
    subtracted from B, as in two-way cluster-robust variances (Cameron, Gelbach and Miller,
    JBES 29(2), 2011). The degrees of freedom are Satterthwaite's, at least 1.
    """
    variance = found.error**2
    spread = variance**2 / np.maximum(found.topics - 1, 1)
    for side in sides:
        runs = variances.runs[side]
        between, residual = variances.between[side] / runs, variances.residual[side] / runs
        added = np.maximum(between - residual, 0.0)
        topics = np.maximum(variances.topics[side] - 1, 1)
        uncertain = (between**2 + residual**2 / topics) / np.maximum(runs - 1, 1)
        variance = variance + added
        spread = spread + np.where(added > 0, uncertain, 0.0)
    freedom = np.divide(variance**2, spread, out=np.ones_like(variance), where=spread > 0)
    return Estimate(found.mean, np.sqrt(variance), np.maximum(freedom, 1.0))
