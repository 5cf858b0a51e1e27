"""Fewer judgments without a second join: the same as with the cut judgments in a file."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import call
from collections_at_random import Small, small_collections
from hypothesis import given, settings, strategies as st
from scipy.stats import kendalltau

import rankwise
from rankwise.errors import CallError
from rankwise.judging.cutting import Cuttable
from rankwise.metrics import parse_all
from rankwise.rankings.judgments import Judgments
from rankwise.scores.engine import score_judged

MADE = rankwise.simulate(topics=8, systems=9, depth=40, pool_depth=15, seed=11)
METRICS = [
    *["AP", "AP@10", "nDCG@10", "RBP(p=0.8)", "RBP(p=0.8,ties=share)", "bpref-10", "RankEff"],
    *["P@5", "Rprec", "ERR@20", "Judged@10", "AP(rel=2)", "nDCG(judged_only=True)", "infAP"],
]


def test_every_score_is_that_of_the_cut_judgments() -> None:
    """Score by score, bounds too, for judgments that are cut at random."""
    joined = Cuttable.of(rankwise.read(MADE.qrels, MADE.runs), count_unjudged=True)
    rng = np.random.default_rng(1)
    for share in (0.1, 0.5, 1.0):
        keep = rng.random(len(joined.grade)) < share
        keep[np.searchsorted(joined.topic, np.arange(8))] = True  # no topic without judgments
        ours = score_judged(joined.where(keep), parse_all(METRICS), unjudged="retrieved")
        cut = rankwise.Qrels(MADE.qrels.frame[np.sort(Judgments.of(MADE.qrels).by_topic[keep])])
        theirs = rankwise.score(cut, MADE.runs, METRICS, bounds=True)
        for name in ("value", "low", "high"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)


@pytest.mark.parametrize("by", ["pool-depth", "sample", "shard"])
def test_bounds_of_all_judgments_are_those_of_score(by: Any) -> None:
    """With what other runs retrieved, down to the depth that is scored."""
    metrics = ["AP", "RankEff", "nDCG", "P@5"]
    ways: dict[str, Any] = {"bounds": True, "depth": 20}
    made = rankwise.simulate(topics=8, systems=5, depth=40, pool_depth=5, seed=11)
    found = call(
        rankwise.stability, made.qrels, made.runs, metrics, by=by, at=[1], resamples=1, **ways
    )
    means = found.by_run()
    last = means.filter(means.to_series(1).is_null() if by == "pool-depth" else means["keep"] == 1)
    wanted = call(rankwise.score, made.qrels, made.runs, metrics, **ways).mean()
    for name in ("value", "low", "high"):
        np.testing.assert_allclose(last[name], wanted[name], atol=1e-12)
    own = call(rankwise.score, made.qrels, made.runs, metrics, unjudged="own", **ways).mean()
    assert (own["low"] > wanted["low"]).sum() == 15  # all but those of P@5


def test_a_run_without_its_group_keeps_what_all_runs_retrieved() -> None:
    made = rankwise.simulate(topics=8, systems=5, depth=40, pool_depth=5, seed=11)
    groups = {run.name: run.name for run in made.runs}
    ways: Any = {"bounds": True, "at": [3], "groups": groups}
    found = call(rankwise.stability, made.qrels, made.runs, "AP", **ways).by_run()
    held = rankwise.stability(made.qrels, made.runs, "AP", bounds=True, at=[3]).by_run()
    assert (found["low"] <= held["low"] + 1e-12).all() and (found["low"] < held["low"]).any()


@settings(max_examples=60, deadline=None)
@given(small=small_collections(), data=st.data())
def test_the_same_on_small_odd_collections(small: Small, data: st.DataObject) -> None:
    """Unusable documents, ties, gaps and missing topics; a topic keeps a judgment at least."""
    qrels = rankwise.read_qrels(small.qrels)
    if not set(small.run) & set(small.qrels):
        return
    joined = Cuttable.of(rankwise.read(qrels, small.run))
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=14 * 4, max_size=14 * 4)))
    keep = keep[: len(joined.grade)]
    keep[np.searchsorted(joined.topic, np.arange(len(joined.whole.topics)))] = True
    cut = rankwise.Qrels(qrels.frame[np.sort(Judgments.of(qrels).by_topic[keep])])
    ours = score_judged(joined.where(keep), parse_all(METRICS))
    theirs = rankwise.score(cut, small.run, METRICS)
    assert ours.topics == theirs.topics
    np.testing.assert_allclose(ours.value, theirs.value, atol=1e-12)


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"topics": "common", "mean": "geometric"},
        {"bounds": True},
        {"bounds": True, "unjudged": "open", "depth": 10},
    ],
)
def test_levels_are_what_pool_and_sample_write(how: dict[str, Any]) -> None:
    runs = [rankwise.Run(MADE.runs[0].frame[40:], name="lacks a topic"), *MADE.runs[1:]]
    metrics = ["AP", "RankEff", "RBP(p=0.8)"]
    by_depth = call(rankwise.stability, MADE.qrels, runs, metrics, at=[1, 7], **how)
    by_sample = call(
        rankwise.stability,
        MADE.qrels,
        runs,
        metrics,
        by="sample",
        at=[0.1, 0.5],
        resamples=2,
        seed=5,
        **how,
    )
    cuts: list[tuple[Any, tuple[int, int], Any]] = [
        (by_depth, (0, 0), rankwise.judging.pool(runs, 1, qrels=MADE.qrels)),
        (by_depth, (1, 0), rankwise.judging.pool(runs, 7, qrels=MADE.qrels)),
        (by_depth, (2, 0), MADE.qrels),
        (by_sample, (0, 0), rankwise.judging.sample_judgments(MADE.qrels, 0.1, seed=5)),
        (by_sample, (1, 1), rankwise.judging.sample_judgments(MADE.qrels, 0.5, seed=6)),
        (by_sample, (2, 1), MADE.qrels),
    ]
    for found, (level, repeat), qrels in cuts:
        expected = call(rankwise.score, qrels, runs, metrics, **how).mean()
        for name in ("value", "low", "high") if "bounds" in how else ("value",):
            mean = getattr(found, name)[:, level, repeat].ravel()
            assert mean == pytest.approx(expected[name].to_numpy(), abs=1e-12)


def test_tau_is_that_of_scipy() -> None:
    found = rankwise.stability(
        MADE.qrels, MADE.runs, ["AP", "RBP(p=0.8)"], by="sample", resamples=3
    )
    for metric, level, repeat in ((0, 0, 2), (1, 5, 0), (1, -1, 1)):
        by_all, by_some = found.value[metric, -1, 0], found.value[metric, level, repeat]
        tau = kendalltau(by_all, by_some).statistic
        assert found.tau[metric, level, repeat] == pytest.approx(tau, abs=1e-12)
    row = found.frame.filter(metric="AP", keep=0.01).row(0, named=True)
    means = found.value[0, 0].mean(axis=1)
    expected = [
        means.mean(),
        means.std(ddof=1),
        found.tau[0, 0].mean(),
        found.tau[0, 0].std(ddof=1),
    ]
    assert [row[name] for name in ("value", "sd", "tau", "tau sd")] == pytest.approx(expected)
    full = found.frame.filter(keep=1.0)
    assert full.select("sd", "tau", "tau sd").rows() == [(0.0, 1.0, 0.0)] * 2


def test_rbp_never_falls_as_the_pool_grows() -> None:
    """Section 4.4 of Moffat and Zobel (2008)."""
    found = rankwise.stability(MADE.qrels, MADE.runs, "RBP(p=0.95)", bounds=True)
    assert found.low is not None and found.high is not None
    assert (np.diff(found.value[0, :, 0], axis=0) >= 0).all()
    assert (np.diff(found.high[0, :, 0], axis=0) <= 1e-12).all()


def test_counts_of_what_is_left() -> None:
    found = rankwise.stability(MADE.qrels, MADE.runs, "AP", at=[3])
    pool = rankwise.judging.pool(MADE.runs, 3, qrels=MADE.qrels)
    row = found.frame.row(0, named=True)
    assert row["judged"] == pool.height / 8
    assert row["relevant"] == (pool["grade"] > 0).sum() / 8


def test_one_run_has_no_tau() -> None:
    found = rankwise.stability(MADE.qrels, MADE.runs[0], "AP", at=[1])
    assert np.isnan(found.tau).all()
    assert found.frame["tau"].to_list() == [None, None]
    assert "with one run, tau is undefined" in map(str, found.notes)


def test_topics_that_lose_all_relevant_documents_are_left_out_and_said() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}}
    runs = {"one": {"1": {"a": 2, "b": 1}, "2": {"d": 2, "c": 1}}, "two": {"1": {"a": 1}}}
    found = rankwise.stability(qrels, runs, ["AP", "P@1"], at=[1, 9])
    assert found.value[0, :, 0].tolist() == [[1.0, 1.0], [0.75, 0.5], [0.75, 0.5]]
    assert found.value[1, :, 0].tolist() == [[0.5, 0.5]] * 3
    deep, note, tied = map(str, found.notes)
    assert tied == "tau is undefined if all runs have the same mean, or if a run has no mean"
    excluded = "1 topic at depth 1, 0 with all judgments"
    without = "topics with an undefined score are excluded from the means"
    assert note == f"AP: {without} ({excluded})"
    assert deep == "no run has more than 2 documents per topic, so larger depths give the same pool"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"at": [0]}, "`at` must be whole numbers, 1 or more, not 0"),
        ({"at": [2.5]}, "`at` must be whole numbers, 1 or more, not 2.5"),
        ({"by": "sample", "at": [5]}, "`at` must be a fraction"),
        ({"by": "sample", "resamples": 0}, "`resamples` must be a whole number"),
        ({"by": "weather"}, "is not one of pool-depth, sample"),
        ({"depth": 0}, "`depth` must be a whole number, 1 or more, not 0"),
        ({"by": "sample", "rel": 0}, "`rel` must be above 0"),
    ],
)
def test_wrong_calls(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(CallError, match=message):
        call(rankwise.stability, MADE.qrels, MADE.runs, "AP", **wrong)


def test_ahlgren_and_gronqvist_on_trec8(trec8: Path) -> None:
    """Table 8, and what Section 6.3 says of Figures 5 and 6, over the 122 complete runs."""
    found = rankwise.stability(
        rankwise.read(
            trec8 / "trec8.qrels.gz", sorted((trec8 / "runs").iterdir()), complete_runs=True
        ),
        metrics=["AP", "bpref-10", "RankEff"],
        by="sample",
        at=[0.05, 0.1, 0.15, 0.5],
        resamples=3,
    )
    ap, bpref, rank_eff = found.value[:, -1, 0]
    pairs = ((ap, bpref), (ap, rank_eff), (bpref, rank_eff))
    assert [round(kendalltau(*two).statistic, 3) for two in pairs] == [0.932, 0.856, 0.823]
    tau = found.tau.mean(axis=2)
    # RankEff keeps the order best, AP worst, at every level.
    assert (tau[2, :-1] > tau[1, :-1]).all() and (tau[1, :-1] > tau[0, :-1]).all()
    # "We have to move to α = 10 before the value of τ drops below 0.9."
    assert tau[2, 1] < 0.9 < tau[2, 2]
    means = found.value.mean(axis=(2, 3))
    assert (np.diff(means[0]) > 0).all()  # AP falls as judgments are taken away
    assert (np.diff(means[1]) < 0).all()  # bpref-10 rises
    assert np.ptp(means[2]) < 0.02  # RankEff stays
    assert found.judged[-1, 0] == 1736.6


def test_moffat_and_zobel_on_trec8(trec8: Path) -> None:
    """What they say of Figures 2 and 4 holds on TREC-8: AP of shallow pools is too high."""
    metrics = ["AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"]
    files = sorted((trec8 / "runs").iterdir())
    found = rankwise.stability(trec8 / "trec8.qrels.gz", files, metrics, at=[10, 100])
    at_10, at_100 = found.value[:, 0, 0], found.value[:, 1, 0]
    assert (at_10[0] > at_100[0]).mean() > 0.95
    assert (at_10[1:] <= at_100[1:]).all()
    tau = found.tau[:, 0, 0]
    assert tau[1] > 0.999 and tau[1] > tau[2] > tau[3] > tau[0] > 0.9
    assert (found.value[:, 1] == found.value[:, 2]).all()  # all judged are in a pool of 100
