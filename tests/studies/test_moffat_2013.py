"""The study's numbers are those of the functions it composes."""

from pathlib import Path

import pytest

import rankwise
from rankwise.experiments.properties import properties
from rankwise.studies import study

pytest.importorskip("altair")


def test_without_runs(tmp_path: Path) -> None:
    left = study("moffat-2013", None, (), tmp_path, parameters={"depth": 6})
    assert left.table("table-1")["10100"].round(2).to_list() == [1.5, 0.51, 0.7, 0.92]
    found = properties(depth=6)
    words = {True: "Yes", False: "No", None: "–"}
    expected = [tuple(words.get(cell, cell) for cell in row) for row in found.matrix().rows()]
    table = left.table("table-2")
    ours = table.drop("seven (paper)").rows()
    assert [tuple(cell.rstrip("ᵃᵇᶜᵈᵉᶠ") for cell in row) for row in ours] == expected
    short = ["".join(cell.replace("es", "").replace("o", "") for cell in row[1:8]) for row in ours]
    assert table["seven (paper)"].to_list() == short
    assert "agrees with 91 of these 91 answers" in (left.path / "index.html").read_text()
    states = left.table("status").filter(metric="RBP@k").row(0, named=True)
    assert (states["monotonic"], states["localized"]) == ("proved", "proved")
    assert states["realizable"] == "refuted"
    assert left.table("status").filter(metric="SP@k")["localized"].item() == "searched"
    rbp = left.table("table-2").row(-1, named=True)
    assert (rbp["metric"], rbp["monotonic"], rbp["realizable"]) == ("RBP@k", "Yesᵃ", "No")
    assert left.table("notes")["note"].to_list() == list("ᵃᵇᶜᵈᵉᶠ")
    assert "Yes$^{a}$" in (left.path / "table-2.tex").read_text()
    why = left.table("counterexamples")
    assert why.height == found.evidence().height and set(why["holds"]) == {"Yes", "No"}
    bounded, monotonic = (why.filter(metric="AP@k", property=name) for name in why["property"][:2])
    assert bounded["evidence"][0].endswith("cases, shapes to k = 4,096")
    assert monotonic["evidence"][0].endswith("cases to depth 6")


def test_on_a_simulated_collection(tmp_path: Path) -> None:
    made = rankwise.simulate(topics=6, systems=4, seed=1)
    left = study("moffat-2013", made.qrels, made.runs, tmp_path, parameters={"depth": 3})
    metrics = left.table("table-1")["method"].to_list()
    means = rankwise.score(made.qrels, made.runs, metrics).pivot().drop("run").mean().row(0)
    assert left.table("table-1")["mean"].to_list() == pytest.approx(list(means))
