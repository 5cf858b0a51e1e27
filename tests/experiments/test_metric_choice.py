"""Metrics side by side: each column is what its own verb says."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import call

import rankwise
from rankwise.errors import CallError

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
        error = np.std(taus, ddof=1) / 2
        assert (row["stability"], row["error"]) == pytest.approx((np.mean(taus), error))
        pairs = [
            v for a, b, v in alike.select("first", "second", "value").rows() if metric in (a, b)
        ]
        assert len(pairs) == len(METRICS) - 1
        assert row["agreement"] == pytest.approx(sum(pairs) / len(pairs))
        undefined = rankwise.score(JUDGED, MADE.runs, metric).mean()["undefined"][0]
        assert (row["topics"], row["undefined"]) == (25 - undefined, undefined)
    assert found["significant"].to_list() == sorted(found["significant"], reverse=True)
    assert (rows["AP"]["undefined"], rows["P@5"]["undefined"]) == (1, 0)


def test_runs_are_read_once() -> None:
    once = iter(MADE.runs)
    found = rankwise.which_metric(JUDGED, once, ["AP", "RR"], resamples=2)
    assert next(once, None) is None and found.frame.height == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"metrics": "AP"}, "two metrics at least"),
        ({"metrics": ["AP", "map"]}, "two metrics at least"),
        ({"metrics": ["AP", "Judged@10"]}, "Judged@10 says how much there was to measure"),
        ({"method": "swap"}, "method swap tests no pairs"),
        ({"keep": 0}, "keep 0 is not a share"),
        ({"resamples": 0}, "resamples 0 is not 1 or more"),
        ({"alpha": 2}, "alpha 2 is not between 0 and 1"),
    ],
)
def test_wrong_calls(given: dict[str, Any], message: str) -> None:
    with pytest.raises(CallError, match=message):
        call(rankwise.which_metric, JUDGED, MADE.runs, **given)
    with pytest.raises(CallError, match="one run is given"):
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
    assert "note: 7 runs; significant: % of pairs (tukey, α = 0.05)" in done.err
    monkeypatch.setattr("sys.argv", ["rankwise", *asked, "--mean", "geometric"])
    with pytest.raises(SystemExit):
        main()
