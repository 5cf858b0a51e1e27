"""The study's numbers are those of the functions it composes."""

from pathlib import Path

import polars as pl
import pytest

import rankwise
from rankwise.published import Published, curve
from rankwise.studies import study
from rankwise.studies.zhang_park_moffat_2008 import trial_metrics, trial_on_scores

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def test_on_a_simulated_collection(tmp_path: Path) -> None:
    collection = rankwise.simulate(topics=5, systems=3, seed=1)
    left = study("zhang-park-moffat-2008", collection.qrels, collection.runs, tmp_path)
    known = rankwise.score(collection.qrels, collection.runs, trial_metrics())
    expected = trial_on_scores(known)
    as_text = pl.all().cast(pl.String)
    assert left.table("experiment").select(as_text).equals(expected.select(as_text))
    assert left.table("table-1").row(0) == (0.5, 8, 8, 15, 15, 28, 28)  # ours, the paper's
    score = rankwise.score(collection.qrels, collection.runs, "RBP(p=0.8,rel=1)").value[0]
    at = left.table("figure-2").filter(pl.col("p").round(9) == 0.8)
    assert abs(score - at["low"][0]).min() < 1e-4
    bounds = rankwise.score(collection.qrels, collection.runs, "RBP(p=0.8,rel=1)", bounds=True)
    run, topic = left.table("figure-4").select("run", "topic").cast(pl.String).row(0)
    place = bounds.runs.index(run), bounds.topics.index(topic)
    at = left.table("figure-4").filter(pl.col("p").round(9) == 0.8)
    assert bounds.low is not None and bounds.high is not None
    assert at["low"][0] == pytest.approx(bounds.low[0][place], abs=2e-4)
    assert at["high"][0] == pytest.approx(bounds.high[0][place], abs=2e-4)
    assert 0 < bounds.low[0][place] < bounds.high[0][place] < 1
    ends = bounds.low[0][place], bounds.high[0][place] - bounds.low[0][place]
    score, residual = (round(float(end), 4) for end in ends)
    one = curve(Published(0.8, score, residual, topics=1))
    assert left.table("figure-4")["high"].to_list() == pytest.approx(one["high"].to_list())
    assert {"R'_G", "R'_L"} <= set(left.table("figure-4").columns), "it has a residual"
