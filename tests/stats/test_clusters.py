"""Clusters of topics: against statsmodels and SciPy, and what `compare` and `score` say."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.stats

from rankwise import TestOptions, compare
from rankwise.errors import CallError
from rankwise.scores import confidence, scores_from_matrices
from rankwise.stats.dependence import cluster_values
from rankwise.stats.intervals import moments, t_interval
from rankwise.stats.paired import permutation, student_t

PEERS = json.loads(Path(__file__).with_name("statistics_peers.json").read_text())
VALUES = np.array([PEERS["x"], PEERS["y"]])
CLUSTERS = np.array(PEERS["clusters"])
MEAN_OF_X = [0.3252903609922413, 0.4646229723410922]


def differences(values: np.ndarray) -> np.ndarray:
    return values[:1] - values[1:]


def test_error_p_and_interval_are_those_of_statsmodels() -> None:
    peer = PEERS["statsmodels OLS(x - y, 1), cov_type=cluster, use_t"]
    rows = cluster_values(differences(VALUES), CLUSTERS).linearised
    assert moments(rows).mean[0] == pytest.approx((VALUES[0] - VALUES[1]).mean())
    assert moments(rows).error[0] == pytest.approx(peer["error"], rel=1e-9)
    assert student_t(rows)[0] == pytest.approx(peer["p"], rel=1e-9)
    ends = [float(end[0]) for end in t_interval(rows, 0.95)]
    assert ends == pytest.approx(peer["interval"], rel=1e-9)


def test_clusters_of_one_topic_change_nothing() -> None:
    found = cluster_values(VALUES, np.arange(30))
    assert found.sums == pytest.approx(VALUES) and found.linearised == pytest.approx(VALUES)


def test_a_permutation_exchanges_whole_clusters() -> None:
    """All 2⁹ signs of the nine sums of the clusters' differences."""
    rows = cluster_values(differences(VALUES), CLUSTERS).sums
    totals = [(VALUES[0] - VALUES[1])[one == CLUSTERS].sum() for one in np.unique(CLUSTERS)]
    signs = 1 - 2 * (np.arange(2 ** len(totals))[:, None] >> np.arange(len(totals)) & 1)
    expected = (np.abs(signs @ totals) >= abs(sum(totals)) - 1e-12).mean()
    assert permutation(rows, rng=np.random.default_rng(1))[0] == pytest.approx(expected)


def test_a_topic_without_a_score_leaves_its_cluster_smaller() -> None:
    rows = differences(VALUES)
    kept = np.arange(30) != 3
    only_one_topic = CLUSTERS == 0
    assert only_one_topic.sum() == 1
    missing = np.where(kept & ~only_one_topic, rows, np.nan)
    found = cluster_values(missing, CLUSTERS).linearised
    part = cluster_values(rows[:, kept & ~only_one_topic], CLUSTERS[kept & ~only_one_topic])
    assert np.isnan(found[:, 0]).all()
    assert found[:, 1:] == pytest.approx(part.linearised)
    assert student_t(found) == pytest.approx(student_t(part.linearised))


def compared(**options: object) -> pl.DataFrame:
    frame = pl.DataFrame({"topic": [str(t) for t in range(30)], "y": VALUES[1], "x": VALUES[0]})
    clusters = {str(topic): f"c{one}" for topic, one in enumerate(CLUSTERS)}
    ways = TestOptions(clusters=clusters, **options)  # type: ignore[arg-type]
    return compare(scores_from_matrices({"AP": frame}), test=ways).frame


def test_compare_uses_clusters() -> None:
    peer = PEERS["statsmodels OLS(x - y, 1), cov_type=cluster, use_t"]
    row = compared().row(0, named=True)
    assert row["p"] == pytest.approx(peer["p"], rel=1e-9)
    assert [row["conf_low"], row["conf_high"]] == pytest.approx(peer["interval"], rel=1e-9)
    assert (row["topics"], row["difference"]) == (30, pytest.approx((VALUES[0] - VALUES[1]).mean()))
    rows = cluster_values(differences(VALUES), CLUSTERS).sums
    exact = permutation(rows, rng=np.random.default_rng(0))
    assert compared(test="permutation")["p"][0] == pytest.approx(exact[0])


def test_wrong_uses_of_clusters_are_refused() -> None:
    for test in ("wilcoxon", "sign"):
        with pytest.raises(CallError, match="clusters"):
            compared(test=test)


def test_fewer_than_six_clusters_have_no_marks() -> None:
    topics = [str(topic) for topic in range(30)]
    frame = pl.DataFrame({"topic": topics, "x": VALUES[0], "y": VALUES[0] + 0.2 + VALUES[1] / 50})
    scores = scores_from_matrices({"AP": frame})
    for count, marked in ((5, False), (6, True)):
        clusters = {topic: f"c{int(topic) % count}" for topic in topics}
        found = compare(scores, test=TestOptions(clusters=clusters))
        assert found.frame["p"][0] < 0.001
        assert found.frame["significant"].to_list() == [marked]
        assert f"over 30 topics in {count} clusters" in found.caption


def test_clusters_of_very_unequal_size_have_marks_only_by_permutation() -> None:
    """One cluster of 20 topics and ten of one: the effective number is 2.1."""
    topics = [str(topic) for topic in range(30)]
    frame = pl.DataFrame({"topic": topics, "x": VALUES[0], "y": VALUES[0] + 0.2 + VALUES[1] / 50})
    clusters = {topic: "large" if int(topic) < 20 else topic for topic in topics}
    for test, marked in (("t", False), ("bootstrap", False), ("permutation", True)):
        ways = TestOptions(test, clusters=clusters)  # type: ignore[arg-type]
        found = compare(scores_from_matrices({"AP": frame}), test=ways)
        assert found.frame["significant"].to_list() == [marked]
        few = [str(each) for each in found.notes if each.kind == "few-clusters"]
        assert bool(few) != marked
        assert all("clusters of unequal size" in text and "permutation" in text for text in few)


def test_groups_of_topics_keep_their_clusters() -> None:
    topics = [str(topic) for topic in range(30)]
    frame = pl.DataFrame({"topic": topics, "y": VALUES[1], "x": VALUES[0]})
    clusters = {str(topic): f"c{one}" for topic, one in enumerate(CLUSTERS) if topic < 20}
    groups = {topic: "first" if int(topic) < 20 else "last" for topic in topics}
    scores = scores_from_matrices({"AP": frame})
    found = compare(scores.with_groups(groups), test=TestOptions(clusters=clusters))
    alone = compare(scores.where_topics(np.arange(30) < 20), test=TestOptions(clusters=clusters))
    assert found.by_group["first"].frame["p"][0] == pytest.approx(alone.frame["p"][0])
    plain = compare(scores.where_topics(np.arange(30) >= 20))
    assert found.by_group["last"].frame["p"][0] == pytest.approx(plain.frame["p"][0])
    lacking = [str(each) for each in found.notes if each.kind == "topics-unclustered"]
    assert len(lacking) == 1 and "10 topics are in no cluster (20, 21" in lacking[0]


def test_equivalence_allows_for_clusters() -> None:
    peer = PEERS["statsmodels OLS(x - y, 1), cov_type=cluster, use_t"]
    frame = pl.DataFrame({"topic": [str(t) for t in range(30)], "y": VALUES[1], "x": VALUES[0]})
    clusters = {str(topic): f"c{one}" for topic, one in enumerate(CLUSTERS)}
    ways = TestOptions(clusters=clusters, margin=0.03)
    row = compare(scores_from_matrices({"AP": frame}), test=ways).equivalence().row(0, named=True)
    mean = (VALUES[0] - VALUES[1]).mean()
    t = [(mean + side * 0.03) / peer["error"] for side in (1, -1)]
    below, above = scipy.stats.t.sf(t[0], 8), scipy.stats.t.cdf(t[1], 8)
    assert row["p_equivalent"] == pytest.approx(max(below, above), rel=1e-9)


def test_the_interval_of_a_mean_is_that_of_statsmodels() -> None:
    """statsmodels 0.15.0: OLS(x, 1).fit(cov_type="cluster", use_t=True).conf_int()."""
    frame = pl.DataFrame({"topic": [str(t) for t in range(30)], "x": VALUES[0]})
    clusters = {str(topic): f"c{one}" for topic, one in enumerate(CLUSTERS)}
    scores = scores_from_matrices({"my score": frame})
    row = confidence(scores, interval="t", clusters=clusters).frame.row(0, named=True)
    assert [row["conf_low"], row["conf_high"]] == pytest.approx(MEAN_OF_X, rel=1e-9)
    plain = confidence(scores, interval="t").frame
    each = {str(topic): str(topic) for topic in range(30)}
    same = confidence(scores, interval="t", clusters=each)
    assert same.frame["conf_low"][0] == pytest.approx(plain["conf_low"][0])
    assert "cluster-robust: 30 clusters" in str(same.notes[-1])
