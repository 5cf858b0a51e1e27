"""Clusters of topics: conversations, documents, users or variants of one query.

Topics of one cluster are not independent. Means are still over topics, but variances,
permutations and resamples are of whole clusters: each row of differences by topic is replaced by a
row with one value per cluster, which the tests and intervals then treat as a topic.
"""

from typing import NamedTuple

import numpy as np

from rankwise.arrays import Floats, Ints


class ClusterValues(NamedTuple):
    """Rows × clusters, with the means that the rows have over topics; NaN without a topic."""

    sums: Floats  # G / n × the sum of each cluster: their signs can be exchanged
    linearised: Floats  # their standard error is the cluster-robust one


def cluster_values(rows: Floats, clusters: Ints) -> ClusterValues:
    """Combine the topics of each cluster; `rows` is rows × topics, and NaN excludes a topic.

    `clusters` has the number of each topic's cluster. With G clusters, n topics, mean m and
    cluster sums S_g of n_g topics, the linearised values are m + G / n × (S_g − n_g m). Their
    mean is m, and their variance divided by G is G / (G − 1) × Σ (S_g − n_g m)² / n²: the
    sandwich estimator CR1 of the mean, as statsmodels has it with `cov_type="cluster"`. Student's
    test on them has G − 1 degrees of freedom. Liang and Zeger, Biometrika 73(1), 1986.

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
    """Return the sum of each row over the topics of each cluster: rows × clusters."""
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    return np.asarray(np.add.reduceat(rows[:, order], starts, axis=1))


def effective_clusters(sizes: Floats) -> Floats:
    """Return the effective number of clusters of each row of sizes, n² / Σ n_g².

    It is the number of clusters if all have the same size. Below about six, Student's test with
    cluster-robust errors rejects too often, however many clusters there are (Carter, Schnepel and
    Steigerwald, Review of Economics and Statistics 99(4), 2017; measured in docs/statistics.md).

    >>> effective_clusters(np.array([[2.0, 2.0, 2.0], [10.0, 1.0, 1.0]])).round(2)
    array([3.  , 1.41])
    """
    return np.asarray(sizes.sum(axis=1) ** 2 / np.maximum((sizes**2).sum(axis=1), 1))
