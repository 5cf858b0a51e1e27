"""Several runs of one system: variance between runs, and what `compare` and `score` say of it."""

import numpy as np
import polars as pl
import pytest
import scipy.stats

from rankwise import Scores, TestOptions, compare
from rankwise.errors import CallError, InputError
from rankwise.scores import confidence, scores_from_matrices
from rankwise.stats.dependence import allow_for_runs, run_variances
from rankwise.stats.intervals import moments, t_interval_of
from rankwise.stats.paired import student_t

RNG = np.random.default_rng(3)
TOPICS = [str(topic) for topic in range(12)]
BASE = RNG.uniform(0.2, 0.6, 12)
RUNS = {f"a{seed}": BASE + RNG.normal(0.02 * seed, 0.03, 12) for seed in range(3)}
RUNS |= {f"b{seed}": BASE + RNG.normal(0, 0.03, 12) for seed in range(2)}
SYSTEMS = {run: run[0] for run in RUNS}


def scores(runs: dict[str, np.ndarray] = RUNS) -> Scores:
    return scores_from_matrices({"score": pl.DataFrame({"topic": TOPICS, **runs})})


def variance_by_hand(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Variance and Satterthwaite's degrees of freedom, with loops over runs and topics."""
    topics = first.shape[1]
    difference = [first[:, t].mean() - second[:, t].mean() for t in range(topics)]
    parts = [(float(np.var(difference, ddof=1)) / topics, topics - 1)]
    variance = parts[0][0]
    for runs in (first, second):
        count = len(runs)
        between = float(np.var([row.mean() for row in runs], ddof=1))
        square = 0.0
        for row in runs:
            for topic in range(topics):
                square += (row[topic] - row.mean() - runs[:, topic].mean() + runs.mean()) ** 2
        residual = square / (count - 1) / (topics - 1) / topics
        if between > residual:
            variance += (between - residual) / count
            parts.append((between / count, count - 1))
            parts.append((residual / count, (count - 1) * (topics - 1)))
    return variance, variance**2 / sum(part**2 / freedom for part, freedom in parts)


def test_variance_and_freedom_are_those_of_plain_loops() -> None:
    first = np.array([RUNS[f"a{seed}"] for seed in range(3)])
    second = np.array([RUNS[f"b{seed}"] for seed in range(2)])
    rows = (first.mean(axis=0) - second.mean(axis=0))[None]
    sides = [np.array([0]), np.array([1])]
    found = allow_for_runs(moments(rows), sides, run_variances([first, second]))
    variance, freedom = variance_by_hand(first, second)
    assert found.error[0] ** 2 == pytest.approx(variance, rel=1e-12)
    assert found.freedom[0] == pytest.approx(freedom, rel=1e-12)
    assert found.error[0] > moments(rows).error[0] * 1.2  # the runs of `a` differ in all topics
    t = float(found.mean[0]) / np.sqrt(variance)
    assert found.p[0] == pytest.approx(2 * scipy.stats.t.sf(abs(t), freedom), rel=1e-9)


def test_one_run_each_is_the_paired_t_test() -> None:
    rows = np.array([RUNS["a0"] - RUNS["b0"], np.zeros(12), np.full(12, 0.1)])
    sides = [np.array([0, 0, 0]), np.array([1, 1, 1])]
    single = run_variances([RUNS["a0"][None], RUNS["b0"][None]])
    found = allow_for_runs(moments(rows), sides, single)
    assert found.p == pytest.approx(student_t(rows), nan_ok=True)
    assert np.isnan(t_interval_of(found, 0.95)[0]).tolist() == [False, True, True]


def test_compare_averages_the_runs_of_a_system() -> None:
    found = compare(scores().of_systems(SYSTEMS))
    row = found.frame.row(0, named=True)
    first, second = (
        np.array([v for run, v in RUNS.items() if run[0] == name]) for name in ("b", "a")
    )
    variance, freedom = variance_by_hand(first, second)
    assert (row["a"], row["b"], row["topics"]) == ("b", "a", 12)
    assert row["difference"] == pytest.approx(first.mean() - second.mean())
    reach = scipy.stats.t.ppf(0.975, freedom) * np.sqrt(variance)
    assert row["conf_high"] - row["difference"] == pytest.approx(reach, rel=1e-9)
    between = np.std([v.mean() for v in second], ddof=1)
    notes = [str(each) for each in found.notes if each.kind == "between-runs"]
    assert len(notes) == 1 and f"is {between:.4f} for a (3 runs), " in notes[0]
    assert "(n = 12 topics; runs: b 2, a 3)" in found.sentence()
    assert "over topics and runs of systems" in found.caption


def test_several_systems_have_bonferroni_intervals_and_ranks() -> None:
    found = compare(scores(RUNS | {"c": BASE - 0.1}).of_systems(SYSTEMS))
    assert found.options.interval == "bonferroni"
    assert "simultaneous over the 3 comparisons" in found.intervals.words
    alone = compare(
        scores(RUNS | {"c": BASE - 0.1}).of_systems(SYSTEMS), test=TestOptions(interval="t")
    )
    wider = found.frame["conf_high"] - found.frame["difference"]
    assert (wider > alone.frame["conf_high"] - alone.frame["difference"]).all()
    assert found.leaderboard()["highest_rank"].to_list()[-1] == 3
    single = [str(each) for each in found.notes if each.kind == "single-runs"]
    assert len(single) == 1 and single[0].endswith("variance between runs is set to 0: c")


def test_equivalence_allows_for_runs() -> None:
    ways = TestOptions(margin=0.05)
    over_both = compare(scores().of_systems(SYSTEMS), test=ways).equivalence()
    means = {
        name: np.mean([v for run, v in RUNS.items() if run[0] == name], axis=0) for name in "ab"
    }
    by_topics = compare(scores(means), test=ways).equivalence()
    assert over_both["difference"][0] == pytest.approx(by_topics["difference"][0])
    assert over_both["p_equivalent"][0] > by_topics["p_equivalent"][0]
    assert over_both["tost_low"][0] < by_topics["tost_low"][0]


def test_means_have_the_deviation_between_runs_and_wider_intervals() -> None:
    found = scores().of_systems(SYSTEMS)
    row = found.mean().row(0, named=True)
    means = [RUNS[f"a{seed}"].mean() for seed in range(3)]
    assert (row["run"], row["runs"]) == ("a", 3)
    assert row["sd_runs"] == pytest.approx(np.std(means, ddof=1))
    assert row["value"] == pytest.approx(np.mean(means))
    assert found.table().frame.columns[:5] == ["run", "metric", "value", "sd_runs", "runs"]
    over_both = confidence(found, interval="t").frame
    averaged = {"a": np.mean([RUNS[f"a{seed}"] for seed in range(3)], axis=0)}
    by_topics = confidence(scores(averaged), interval="t").frame
    assert over_both["conf_low"][0] < by_topics["conf_low"][0]
    with pytest.raises(CallError, match="cannot be combined with systems"):
        confidence(found, interval="bootstrap")


def test_a_topic_that_one_run_lacks_is_averaged_over_the_others() -> None:
    lacking = RUNS["a0"].copy()
    lacking[0] = np.nan
    found = scores(RUNS | {"a0": lacking}).of_systems(SYSTEMS)
    assert found.value[0, 0, 0] == pytest.approx((RUNS["a1"][0] + RUNS["a2"][0]) / 2)
    assert any("1 topic has a score for only some runs" in str(each) for each in found.notes)
    groups = {topic: "one" if topic == "0" else "rest" for topic in TOPICS}
    parts = found.with_groups(groups).by_group
    assert [part.runs for part in parts["rest"].repetitions] == [("a0", "a1", "a2"), ("b0", "b1")]
    assert parts["rest"].repetitions[0].value.shape == (1, 3, 11)


def test_wrong_systems_are_refused() -> None:
    with pytest.raises(InputError, match="lists no run of the scores"):
        scores().of_systems({"x": "y"})
    with pytest.raises(InputError, match="'b0' is the name of a system and of a run"):
        scores().of_systems({"a0": "b0"})
    averaged = scores().of_systems(SYSTEMS)
    with pytest.raises(CallError, match="permutation'` cannot be combined with several runs"):
        compare(averaged, test="permutation")
    with pytest.raises(CallError, match="max-t'` cannot be combined with several runs"):
        compare(averaged, test=TestOptions(interval="max-t"))
    with pytest.raises(CallError, match="Remove `systems`"):
        compare(averaged).power()
    with pytest.raises(CallError, match="before you call of_systems"):
        Scores.concat([averaged, averaged])
