"""The study's numbers are those of the functions it composes."""

from pathlib import Path

import pytest

import rankwise
from rankwise.errors import CallError
from rankwise.studies import study

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

METRICS = ["AP", "Bpref(k=10,norm='full')", "RankEff"]


def test_on_a_simulated_collection(tmp_path: Path) -> None:
    made = rankwise.simulate(topics=8, systems=5, seed=1)
    settings = {"splits": 50, "repeats": 2}
    left = study(
        *("ahlgren-gronqvist-2007", made.qrels, made.runs, tmp_path),
        parameters=settings,
        seed=3,
    )
    seen = rankwise.overview(made.qrels, made.runs, cutoffs=[100, 1000]).frame
    assert left.table("table-1").row(0) == (8, seen["relevant"][0], seen["judged"][0])
    top = seen.row(1, named=True)
    expected = (5, top["documents"], top["relevant"], top["unjudged"])
    assert left.table("table-3").row(0) == pytest.approx(expected)
    found = rankwise.discriminate(
        made.qrels, made.runs, METRICS, method="error-rate", resamples=50, seed=3
    )
    assert left.table("table-5")["difference"].to_list() == found.frame["difference"].to_list()
    taus = rankwise.correlate(made.qrels, made.runs, METRICS).frame["value"].to_list()
    assert left.table("table-8")["tau"].to_list() == pytest.approx(taus)
    levels = rankwise.stability(
        made.qrels, made.runs, METRICS, by="sample", resamples=2, seed=3
    ).frame
    assert left.table("figure-6")["tau"].to_list() == pytest.approx(levels["tau"].to_list())

    sizes = left.table("table-5-by-size")
    assert sizes["topics"].unique().to_list() == [1, 2, 3, 4]
    alone = rankwise.stability(
        made.qrels,
        made.runs,
        METRICS,
        by="sample",
        resamples=2,
        seed=3,
        groups={run.name: run.name for run in made.runs},
    )
    mine = left.table("figure-6-without-contributions")
    assert mine["value"].to_list() == pytest.approx(alone.frame["value"].to_list())


def test_all_runs_are_taken_where_none_is_complete_by_the_papers_rule(tmp_path: Path) -> None:
    made = rankwise.simulate(topics=3, systems=2, seed=1)
    few = {"splits": 5, "repeats": 1}
    left = study("ahlgren-gronqvist-2007", made.qrels, made.runs, tmp_path / "a", parameters=few)
    assert "all runs are used" in str(left.notes[0]) and left.table("table-2")["runs"][0] == 2
    again = study("ahlgren-gronqvist-2007", made.qrels, made.runs, tmp_path / "a", parameters=few)
    assert again.notes == left.notes  # also where all parts were there
    with pytest.raises(CallError, match="Use `complete_runs=False`"):
        study("ahlgren-gronqvist-2007", made.qrels, made.runs, tmp_path / "b", complete_runs=True)


def test_bpref_is_rankeff_over_the_r_highest_by_equation_6(tmp_path: Path) -> None:
    made = rankwise.simulate(topics=6, systems=4, seed=1)
    few = {"splits": 5, "repeats": 1}
    left = study("ahlgren-gronqvist-2007", made.qrels, made.runs, tmp_path, parameters=few)
    row = left.table("equation-6").row(0, named=True)
    assert row["greatest difference"] < 1e-12 and row["bpref"] != pytest.approx(row["RankEff"])
    assert row["RankEff, r highest"] == pytest.approx(row["bpref"])


def test_tables_on_trec8(trec8: Path, tmp_path: Path) -> None:
    """Tables 2, 5 (best) and 8 of the paper, from the study itself."""
    left = study(
        *("ahlgren-gronqvist-2007", trec8 / "trec8.qrels.gz", sorted((trec8 / "runs").iterdir())),
        tmp_path,
        parameters={"splits": 20, "repeats": 1},
    )
    found, printed = left.table("table-2"), [997.5, 53.2, 555.3]
    names = ["retrieved", "relevant", "unjudged"]
    assert found["runs"][0] == 122
    assert [round(found[name][0], 1) for name in names] == printed
    assert [found[f"{name} (paper)"][0] for name in names] == printed
    assert left.table("table-5")["best"].round(3).to_list() == [0.413, 0.455, 0.745]
    assert left.table("table-8")["tau"].round(3).to_list() == [0.932, 0.856, 0.823]
    assert left.table("table-8")["tau (paper)"].to_list() == [0.932, 0.856, 0.823]
    assert left.table("table-5")["difference (paper)"].to_list() == [0.030, 0.034, 0.038]
    assert left.record["remarks"]["table-8"].endswith(
        "have the values that the paper prints for TREC-8."
    )
    first = left.table("rank-changes").row(0)
    assert first == ("weaver2", 73, 79, 45, 34)
