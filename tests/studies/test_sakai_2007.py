"""The study's numbers are those of the functions it composes."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankwise
from rankwise.errors import CallError
from rankwise.studies import sakai_2007, study
from rankwise.studies.material import Material
from rankwise.studies.paper import Paper, TooLittleFor, printed_columns
from rankwise.studies.sakai_2007 import METRICS, PAPER, preferred_ranks

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def test_on_a_simulated_collection(tmp_path: Path) -> None:
    made = rankwise.simulate(topics=8, systems=6, seed=1)
    settings = {"systems": 4, "resamples": 100}
    left = study("sakai-2007", made.qrels, made.runs, tmp_path, parameters=settings, seed=2)

    order = rankwise.score(made.qrels, made.runs, "AP").pivot()["run"].to_list()
    best = [run for run in made.runs if run.name in order[:4]]
    assert left.table("figure-8")["run"].to_list() == order[:4]
    tables: list[tuple[str, Any]] = [("table-3", "swap"), ("table-4", "bootstrap")]
    for table, method in tables:
        found = rankwise.discriminate(
            made.qrels, best, METRICS, method=method, resamples=100, seed=2
        ).frame
        assert left.table(table)["difference"].to_list() == found["difference"].to_list()
    taus = rankwise.correlate(made.qrels, best, METRICS, coefficient="kendall-a").matrix()
    assert left.table("table-2")["Q"][:-1].to_list() == pytest.approx(taus["Q"].to_list())
    tex = (left.path / "table-3.tex").read_text()
    assert "P$^{+}$-measure &" in tex and "PPlus" not in tex and "AveP" in tex
    power = left.table("table-3").filter(metric="Q")["% reach"][0]
    assert f" & {power:.1f} " in tex, "percents with one digit"
    assert "P⁺30:20:10" in (left.path / "index.html").read_text()
    axis = json.loads((left.path / "figure-8.json").read_text())["encoding"]["y"]
    assert axis["title"] == "Mean AveP"
    flat = left.table("table-6").filter(metric="O(gains={1:1,2:1,3:1})")
    alone = rankwise.discriminate(
        made.qrels, best, "O(gains={1:1,2:1,3:1})", method="bootstrap", resamples=100, seed=2
    )
    assert flat["significant"][0] == alone.frame["significant"][0]
    assert left.table("table-7").height == 8
    halves = left.table("table-3-of-halves")
    columns: list[tuple[str, Any]] = [("difference", "swap")]
    columns += [("difference, disjoint", "disjoint-swap")]
    for column, method in columns:
        found = rankwise.discriminate(
            made.qrels, best, METRICS, method=method, resamples=100, sizes=[4], seed=2
        ).frame
        assert halves[column].to_list() == found["difference"].to_list()
    means = left.table("other-means").filter(metric="AP", of="geometric, paired")
    scores = rankwise.score(made.qrels, best, "AP", mean="geometric")
    logs = rankwise.discriminate(scores, method="log-bootstrap", resamples=100, seed=2)
    assert means["significant"][0] == logs.frame["significant"][0]


def test_other_gains_must_be_enough_for_the_grades(tmp_path: Path) -> None:
    qrels = {"1": {"a": 4, "b": 0, "c": 1}, "2": {"a": 4, "b": 1}}
    runs = {"x": {"1": {"a": 2, "b": 1}, "2": {"a": 1}}, "y": {"1": {"c": 1}, "2": {"b": 1}}}
    few: dict[str, str | int | float] = {"resamples": 20}
    with pytest.raises(CallError, match="grades up to 4"):
        study("sakai-2007", qrels, runs, tmp_path, parameters={**few, "gains": "3:2:1"})
    left = study("sakai-2007", qrels, runs, tmp_path / "more", parameters=few)
    assert "P⁺15:10:5:1" in (left.path / "index.html").read_text()


def test_the_papers_numbers_stand_beside_ours_where_the_data_is_the_papers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = rankwise.simulate(topics=6, systems=4, seed=1)
    asked: dict[str, Any] = {"systems": 4, "resamples": 50, "gains": sakai_2007.GAINS}
    data = Material(rankwise.read(made.qrels, made.runs), parameters=asked)

    def table(title: str) -> pl.DataFrame:
        made = PAPER.make(next(part for part in PAPER.parts if part.title == title), data)
        assert not isinstance(made, TooLittleFor)
        return made.frame

    assert not printed_columns(table("Table 2"))
    monkeypatch.setattr(Paper, "collection", lambda *_: "NTCIR-5 Japanese")
    taus = table("Table 2")
    assert taus.filter(metric="O")["AP (paper)"][0] == 0.3563, "as section 5.2 quotes it"
    assert taus["NWRR (paper)"].to_list() == [0.7839, *[None] * 7]
    gains = table("Table 5")
    row = gains.filter(metric="O(gains={1:1,2:1,3:1})").row(0, named=True)
    assert row["tau (paper)"] == 0.6506
    assert gains["tau (paper)"].count() == 12
    power = table("Table 6")
    row = power.filter(metric="PMeasure(gains={1:1,2:5,3:10})").row(0, named=True)
    assert (row["significant (paper)"], row["difference (paper)"]) == (85, 0.14)
    assert power["significant (paper)"].count() == 15
    monkeypatch.setattr(Paper, "collection", lambda *_: "NTCIR-3 Chinese")
    assert not printed_columns(table("Table 6")), "Table 6 has no such"


def test_the_copied_tables_agree_with_each_other() -> None:
    """A slip of the pen would show: tau-a of 30 runs is a whole number over 435, and Table 6
    repeats rows of Table 4."""
    printed = PAPER.printed
    columns = [column for by_metric in printed["Table 2"].values() for column in by_metric.values()]
    taus = [tau for column in columns for tau in column if tau is not None]
    taus += [tau for columns in printed["Table 5"].values() for tau in columns["tau"].values()]
    assert len(taus) == 4 * (21 + 12)
    odd = [tau for tau in taus if abs(435 * tau - round(435 * tau)) > 435 * 0.00005 + 1e-9]
    assert odd == [0.9899], "in the paper so: 430.6 pairs; 431 of 435 are 0.9908"
    for name, columns in printed["Table 6"].items():
        for column, rows in columns.items():
            for metric, known in zip(METRICS, printed["Table 4"][name][column], strict=True):
                default = f"{sakai_2007.GRADED.get(metric)}3:2:1"
                assert rows.get(default, known) == known
            assert len(rows) == 15


def test_preferred_ranks_by_hand() -> None:
    qrels = {"1": {"a": 1, "b": 2, "c": 3, "d": 1, "e": 0}, "2": {"a": 1}, "3": {"z": 1}}
    up = {"1": {"c": 9, "b": 8}, "2": {"x": 9, "a": 8}, "3": {"a": 1}}
    down = {"1": {"d": 9, "e": 8, "a": 7, "u": 6, "b": 5, "d2": 4}, "2": {"a": 1}, "3": {"b": 1}}
    judged = rankwise.Collection(
        rankwise.read_qrels(qrels), rankwise.read_runs({"up": up, "down": down})
    ).judged()
    assert preferred_ranks(judged).rows() == [
        ("1", "down", 5, 0, 1, 1, 1, 2, 2),
        ("2", "up", 2, 0, 0, 0, 0, 1, 1),
        ("3", None, None, None, 0, None, 0, None, 1),
    ]


def test_preferred_ranks_against_a_loop() -> None:
    made = rankwise.simulate(topics=40, systems=16, seed=11)
    simulated = rankwise.Collection(made.qrels, made.runs).judged()
    frame = preferred_ranks(simulated)
    topics, tried = len(simulated.topics), 0
    for topic, row in enumerate(frame.to_dicts()):
        deepest = 0
        for run in range(len(simulated.runs)):
            here = simulated.ranking == run * topics + topic
            graded = list(zip(simulated.rank[here], simulated.grade[here], strict=True))
            best = max((grade for _, grade in graded), default=0)
            if best >= 1:
                deepest = max(deepest, next(rank for rank, grade in graded if grade == best))
        assert row["rank"] == deepest
        tried += deepest > 0
    assert tried >= 10
