"""The study's numbers are those of the functions it composes."""

from pathlib import Path

import polars as pl
import pytest

import rankwise
from rankwise.studies import study
from rankwise.studies.material import Material
from rankwise.studies.moffat_zobel_2008 import METRICS, _systems

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def test_on_a_simulated_collection(tmp_path: Path) -> None:
    made = rankwise.simulate(topics=8, systems=5, seed=1)
    settings = {"pool_depth": 5}
    left = study("moffat-zobel-2008", made.qrels, made.runs, tmp_path, parameters=settings)

    judged = rankwise.judging.pool(made.runs, 5, qrels=made.qrels)
    shallow = rankwise.read_qrels(judged.select("topic", "document", "grade"))
    before = rankwise.score(shallow, made.runs, "AP").mean()["value"].to_list()
    figure = left.table("figure-2").filter(depth=5)
    assert figure["value"].to_list() == pytest.approx(before)

    tests = left.table("table-iv")
    for qrels, pool in ((shallow, "pool depth 5"), (made.qrels, "all judgments")):
        found = rankwise.discriminate(qrels, made.runs, METRICS, method="t", alpha=0.01)
        mine = tests.filter(pool=pool)["t 99%"].to_list()
        assert mine == found.frame["significant"].to_list()
        scores = rankwise.score(qrels, made.runs, METRICS)
        for column, raw in (("Wilcoxon 95%", True), ("tied 95%", False)):
            by_wilcoxon = rankwise.compare(
                scores, test=rankwise.TestOptions(test="wilcoxon", correction="none", raw_ranks=raw)
            ).frame
            expected = [by_wilcoxon.filter(metric=m)["significant"].sum() for m in METRICS]
            assert tests.filter(pool=pool)[column].to_list() == expected

    taus = rankwise.correlate(made.qrels, made.runs, ["RR", "AP"]).frame["value"][0]
    table = left.table("table-iii").filter(metric="AP", pool="all judgments")
    assert table["RR"][0] == pytest.approx(taus)

    curve = left.table("recall-and-precision").filter(metric="IPrec@0.3")
    levels = rankwise.score(made.qrels, made.runs, "IPrec@0.3").mean()
    levels = levels.filter(pl.col("run").is_in(curve["run"].to_list()))
    assert curve.height == 2
    assert curve.rows() == levels.select("run", "metric", "value").rows()

    system = left.table("figure-6")["run"][0]
    assert left.table("figure-5")["run"].unique().to_list() == [system]
    bounds = rankwise.score(shallow, made.runs, "RBP(p=0.5)", bounds=True, unjudged="open").mean()
    ends = bounds.filter(run=system).select("low", "high").row(0)
    at_half = left.table("figure-6").filter(pl.col("p") == 0.5, run=system)
    assert at_half.select("low", "high").row(0) == pytest.approx(ends)
    deepest = left.table("figure-5").filter(pool="pool depth 5", metric="RBP(p=0.5)", depth=1000)
    assert deepest.select("low", "high").row(0) == pytest.approx(ends)


def test_the_systems_of_figures_5_and_6_are_complete(trec8: Path) -> None:
    """READWARE2, the best of all by RBP, has few documents per topic."""
    names = ("READWARE2", "orcl99man", "ok8amxc")
    runs = [next((trec8 / "runs").glob(f"*{n}*")) for n in names]
    data = Material(rankwise.read(trec8 / "trec8.qrels.gz", runs))
    assert data.scores("RBP(p=0.8)").pivot()["run"][0] == "READWARE2"
    assert _systems(data) == ["orcl99man", "ok8amxc"]
