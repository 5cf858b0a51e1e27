"""Metrics side by side: each column is what its own verb says."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import call
from scipy import stats

import rankwise
from rankwise.errors import CallError
from rankwise.experiments.metric_choice import MetricChoice, Resampled
from rankwise.stats import drawn_topics

MADE = rankwise.simulate(topics=25, systems=7, depth=60, pool_depth=30, seed=2)
# On its first topic nothing is relevant: AP and RankEff are undefined there.
FIRST = pl.col("topic") == MADE.qrels.frame["topic"][0]
JUDGED = MADE.qrels.frame.with_columns(grade=pl.when(FIRST).then(0).otherwise("grade"))
METRICS = ["AP", "P@5", "RR", "SearchLength", "RankEff"]


@pytest.mark.parametrize("method", ["tukey", "t", "bootstrap"])
def test_each_column_is_what_its_verb_says(method: Any) -> None:
    found = rankwise.which_metric(
        JUDGED, MADE.runs, METRICS, method=method, keep=0.3, resamples=4, seed=5
    ).frame
    rows = {row["metric"]: row for row in found.iter_rows(named=True)}
    assert set(rows) == set(METRICS)
    power = rankwise.discriminate(JUDGED, MADE.runs, METRICS, method=method, seed=5).frame
    sampled: dict[str, Any] = {"by": "sample", "at": [0.3], "resamples": 1}
    seeds = np.random.SeedSequence(5).generate_state(4).tolist()
    kept = [
        call(rankwise.stability, JUDGED, MADE.runs, METRICS, seed=seed, **sampled).frame
        for seed in seeds
    ]
    alike = rankwise.correlate(JUDGED, MADE.runs, METRICS).frame
    for metric, row in rows.items():
        [percent] = power.filter(metric=metric)["percent"]
        assert row["significant"] == percent
        taus = [one.filter(metric=metric, keep=0.3)["tau"][0] for one in kept]
        assert row["stability"] == pytest.approx(np.mean(taus))
        assert row["stability_se"] >= np.std(taus, ddof=1) / 2  # samples, and topics
        pairs = [
            v for a, b, v in alike.select("first", "second", "value").rows() if metric in (a, b)
        ]
        assert len(pairs) == len(METRICS) - 1
        assert row["agreement"] == pytest.approx(sum(pairs) / len(pairs))
        undefined = rankwise.score(JUDGED, MADE.runs, metric).mean()["undefined"][0]
        assert (row["topics"], row["undefined"]) == (25 - undefined, undefined)
    assert found["significant"].to_list() == sorted(found["significant"], reverse=True)
    assert (rows["AP"]["undefined"], rows["P@5"]["undefined"]) == (1, 0)


def test_standard_errors_are_those_of_resampled_topics() -> None:
    metrics, count = ["P@5", "SearchLength", "nDCG@10"], 12
    found = rankwise.which_metric(
        MADE.qrels, MADE.runs, metrics, method="t", resamples=2, topic_resamples=count, seed=5
    )
    scores = rankwise.score(MADE.qrels, MADE.runs, metrics)
    draws = drawn_topics(25, count, np.random.default_rng(5)).astype(int)
    first, second = np.triu_indices(7, 1)
    power, agreement = np.empty((3, count)), np.empty((3, count))
    for place, row in enumerate(draws):
        tables = np.repeat(scores.value, row, axis=2)
        for metric, table in enumerate(tables):
            p = stats.ttest_rel(table[first], table[second], axis=1).pvalue
            power[metric, place] = 100 * (p <= 0.05).mean()
        means = tables.mean(axis=2) * [[1], [-1], [1]]  # less is better in SearchLength
        for metric in range(3):
            others = [other for other in range(3) if other != metric]
            taus = [stats.kendalltau(means[metric].round(12), means[o].round(12)) for o in others]
            agreement[metric, place] = np.mean([tau.statistic for tau in taus])
    rows = {row["metric"]: row for row in found.frame.iter_rows(named=True)}
    for metric, name in enumerate(metrics):
        assert rows[name]["significant_se"] == pytest.approx(power[metric].std(ddof=1))
        assert rows[name]["agreement_se"] == pytest.approx(agreement[metric].std(ddof=1))
    assert found.pairs["se"][0] == pytest.approx((power[0] - power[1]).std(ddof=1))


def made_up(power: list[float], stable: list[float], error: float) -> MetricChoice:
    """A choice between AP, RR and P@5 with these properties."""
    rng = np.random.default_rng(1)
    metrics = tuple(map(rankwise.parse, ("AP", "RR", "P@5")))

    def of(values: list[float], by: float) -> Resampled:
        value = np.array(values)
        spread = rng.normal(0, 1, (3, 200))
        spread *= by / spread.std(axis=1, ddof=1, keepdims=True)
        return Resampled(value, spread.std(axis=1, ddof=1), value[:, None] + spread)

    counts = np.array([25, 25, 25])
    parts = of(power, 100 * error), of(stable, error), of(stable, error)
    return MetricChoice(metrics, *parts, (counts, 0 * counts), 0.05, "", {}, ())


def test_the_recommendation_says_where_no_difference_is_shown() -> None:
    clear = made_up([80, 50, 20], [0.9, 0.8, 0.7], 0.01)
    assert clear.pairs["outcome"].to_list() == ["a discriminates more"] * 3
    assert clear.sentence().startswith(
        "AP (80.0 % ± 1.0 of the pairs of runs) shows more significant differences than every"
    )
    alike = made_up([80, 79.9, 20], [0.5, 0.9, 0.7], 0.01)
    assert alike.pairs["outcome"][0] == "no difference shown"
    assert "do not show significantly fewer: RR (79.9 % ± 1.0)." in alike.sentence()
    assert alike.sentence().endswith("Of these metrics, RR has the most stable system ranking.")
    vague = made_up([60, 79.9, 50], [0.5, 0.9, 0.7], 0.5)
    assert set(vague.pairs["outcome"]) == {"no difference shown"}
    assert vague.sentence().endswith("choose the metric that fits your users.")
    assert (
        made_up([0, 0, 0], [1, 1, 1], 0.1)
        .sentence()
        .startswith("No metric shows a significant difference")
    )


def test_runs_are_read_once() -> None:
    once = iter(MADE.runs)
    found = rankwise.which_metric(JUDGED, once, ["AP", "RR"], resamples=2)
    assert next(once, None) is None and found.frame.height == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metrics": "AP"}, "two metrics or more"),
        ({"metrics": ["AP", "map"]}, "two metrics or more"),
        ({"metrics": ["AP", "Judged@10"]}, "Judged@10 counts documents"),
        ({"method": "swap"}, "`method='swap'` does not test pairs"),
        ({"keep": 0}, "`keep` must be a fraction"),
        ({"resamples": 0}, "`resamples` must be a whole number, 1 or more, not 0"),
        ({"topic_resamples": 1}, "`topic_resamples` must be a whole number, 2 or more, not 1"),
        ({"alpha": 2}, "`alpha` must be between 0 and 1"),
    ],
)
def test_wrong_calls(given: dict[str, Any], message: str) -> None:
    with pytest.raises(CallError, match=message):
        call(rankwise.which_metric, JUDGED, MADE.runs, **given)
    with pytest.raises(CallError, match="two runs or more; there is only one"):
        rankwise.which_metric(JUDGED, MADE.runs[0])


def test_the_command_prints_it(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    from rankwise.cli import main

    MADE.write(tmp_path / "made")
    runs = [str(path) for path in sorted((tmp_path / "made" / "runs").iterdir())]
    asked = ["metrics", "choose", str(tmp_path / "made" / "qrels.txt"), *runs, "-m", "AP,P@5,RR"]
    monkeypatch.setattr("sys.argv", ["rankwise", *asked, "--resamples", "2"])
    main()
    done = capsys.readouterr()
    assert done.out.split()[:3] == ["metric", "significant", "stability"]
    assert (
        "note: 7 runs; 'significant' is the percentage of pairs of runs that differ "
        "significantly (tukey" in done.err
    )
    assert "note: " in done.err and "significant differences" in done.err
    monkeypatch.setattr("sys.argv", ["rankwise", *asked, "--resamples", "2", "--pairs"])
    main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["a", "b", "difference", "se", "p", "outcome"] and len(lines) == 4
    monkeypatch.setattr("sys.argv", ["rankwise", *asked, "--mean", "geometric"])
    with pytest.raises(SystemExit):
        main()
