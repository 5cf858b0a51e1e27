"""Dependent scores: clusters of topics, and several runs of one system.

Topics of one cluster (a conversation, a document, a user, variants of one query) are not
independent. Means are still over topics, but variances, permutations and resamples are of whole
clusters. Each row of score differences, with one value per topic, is therefore replaced by a row
with one value per cluster. Tests and intervals then treat a cluster as a topic.

For several runs of one system (seeds, trials), the variance between runs is added to the variance
between topics.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankwise.arrays import CANCELLATION, Floats, Ints
from rankwise.stats.intervals import Estimate, Moments


class ClusterValues(NamedTuple):
    """Values of shape (rows, clusters), with the same mean per row as the values of the topics.

    A value is NaN if the row has no score on the cluster's topics.
    """

    sums: Floats  # scaled sums of the clusters, whose signs are exchangeable
    linearised: Floats  # values whose standard error is the cluster-robust one


def cluster_values(rows: Floats, clusters: Ints) -> ClusterValues:
    """Combine the topics of each cluster; `rows` has shape (rows, topics), NaN excludes a topic.

    `clusters` has the cluster number of each topic. Let there be G clusters, and n topics with mean
    m; cluster g has n_g topics with the sum S_g. The result has two values per cluster. `sums` is G
    / n × S_g. `linearised` is m + G / n × (S_g − n_g m). The mean of `linearised` over clusters is
    m, and its variance divided by G is G / (G − 1) × Σ (S_g − n_g m)² / n². This is the sandwich
    estimator CR1 of the mean, as in statsmodels with `cov_type="cluster"`. Student's test on the
    linearised values has G − 1 degrees of freedom. See Liang and Zeger, Biometrika 73(1), 1986.

    >>> found = cluster_values(np.array([[0.1, 0.3, 0.8]]), np.array([0, 0, 1]))
    >>> found.sums.round(4).tolist(), found.linearised.round(4).tolist()
    ([[0.2667, 0.5333]], [[0.1333, 0.6667]])
    """
    defined = ~np.isnan(rows)
    sizes = cluster_sums(defined.astype(np.float64), clusters)
    topics = np.maximum(sizes.sum(axis=1, keepdims=True), 1)
    share = (sizes > 0).sum(axis=1, keepdims=True) / topics
    sums = cluster_sums(np.where(defined, rows, 0.0), clusters)
    mean = sums.sum(axis=1, keepdims=True) / topics
    apart = cluster_sums(np.where(defined, rows - mean, 0.0), clusters)
    values = (share * sums, mean + share * apart)
    return ClusterValues(*(np.where(sizes > 0, value, np.nan) for value in values))


def cluster_sums(rows: Floats, clusters: Ints) -> Floats:
    """Return the sum of each row over the topics of each cluster, of shape (rows, clusters)."""
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    return np.asarray(np.add.reduceat(rows[:, order], starts, axis=1))


def effective_clusters(sizes: Floats) -> Floats:
    """Return the effective number of clusters of each row, n² / Σ n_g².

    `sizes`, of shape (rows, clusters), has the number of topics n_g of each cluster, and n is the
    sum of a row. If all clusters have the same size, the result is their number. If the effective
    number is below about six, Student's test with cluster-robust errors rejects too often, even
    with many clusters (Carter, Schnepel and Steigerwald, Review of Economics and Statistics 99(4),
    2017; measured in docs/statistics.md).

    >>> effective_clusters(np.array([[2.0, 2.0, 2.0], [10.0, 1.0, 1.0]])).round(2)
    array([3.  , 1.41])
    """
    return np.asarray(sizes.sum(axis=1) ** 2 / np.maximum((sizes**2).sum(axis=1), 1))


class RunVariances(NamedTuple):
    """Variances between the runs of each system.

    `between` is the variance of the mean scores of a system's runs. `residual` is the mean square
    of the interaction in a runs × topics ANOVA, divided by the number of topics. If runs have no
    main effect, `between` and `residual` have the same expected value. Both are 0 with fewer than
    two runs or two topics. `runs` and `topics` are the numbers of runs and topics used.
    """

    runs: Ints
    between: Floats
    residual: Floats
    topics: Ints


def run_variances(systems: Sequence[Floats]) -> RunVariances:
    """Return the variances between the runs of each system.

    `systems` has the scores of each system, of shape (runs, topics). Only topics for which all runs
    of the system have a score are used.

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
    return RunVariances(*map(np.array, zip(*rows, strict=True)))


def allow_for_runs(
    row_moments: Moments, sides: Sequence[Ints], variances: RunVariances
) -> Estimate:
    """Return means with standard errors that include the variance between runs.

    `row_moments` has the moments of scores averaged over the runs of each system. `sides` has the
    index of each row's system: one array for means, two arrays for differences. Topics and runs are
    crossed random effects within a system. Let S² / n be the variance of the mean over n topics, B
    the variance between the means of the R runs of a system, and M the interaction mean square of a
    runs × topics ANOVA of the system. Then

        variance = S² / n + Σ max(0, B − M / n) / R

    where the sum is over the systems of the row. S² / n already includes the effects of runs on
    single topics, so M / n is subtracted from B, as in two-way cluster-robust variances (Cameron,
    Gelbach and Miller, JBES 29(2), 2011). The degrees of freedom are Satterthwaite's, at least 1.
    """
    variance = row_moments.error**2
    spread = variance**2 / np.maximum(row_moments.topics - 1, 1)
    for side in sides:
        runs = variances.runs[side]
        between, residual = variances.between[side] / runs, variances.residual[side] / runs
        added = np.maximum(between - residual, 0.0)
        topics = np.maximum(variances.topics[side] - 1, 1)
        uncertain = (between**2 + residual**2 / topics) / np.maximum(runs - 1, 1)
        variance = variance + added
        spread = spread + np.where(added > 0, uncertain, 0.0)
    freedom = np.divide(variance**2, spread, out=np.ones_like(variance), where=spread > 0)
    return Estimate(row_moments.mean, np.sqrt(variance), np.maximum(freedom, 1.0))
