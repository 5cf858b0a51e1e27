"""Explanations: contributions, shares, what unjudged documents could add."""

import pytest

import rankwise
from rankwise.scores.explanation import explain

A = [1, 2, 6, 11, 17]
QRELS = {"1": {f"d{rank:02}": int(rank in A) for rank in range(1, 21)}}
RUN = {"1": {f"d{rank:02}": 100.0 - rank for rank in range(1, 21)}}


def test_moffat_zobel_table_i() -> None:
    found = explain(QRELS, RUN, "AP", "1")
    rows = [row for row in found.frame.rows(named=True) if row["contribution"]]
    printed = [0.3633, 0.1633, 0.0633, 0.0299, 0.0118]
    assert [row["rank"] for row in rows] == A
    assert [row["contribution"] for row in rows] == pytest.approx(printed, abs=5e-5)
    assert [round(row["share"] * 100) for row in rows] == [58, 26, 10, 5, 2]
    assert found.score == pytest.approx(0.6316, abs=5e-5)


@pytest.mark.parametrize(
    ("p", "weights", "total", "score"),
    [
        (0.5, [1, 0.5, 0.0313, 0.0010, 0.0000], 1.5322, 0.7661),
        (0.8, [1, 0.8, 0.3277, 0.1074, 0.0281], 2.2632, 0.4526),
        (0.95, [1, 0.95, 0.7738, 0.5987, 0.4401], 3.7626, 0.1881),
    ],
)
def test_moffat_zobel_table_ii(p: float, weights: list[float], total: float, score: float) -> None:
    found = explain(QRELS, RUN, f"RBP(p={p})", "1")
    rows = [row for row in found.frame.rows(named=True) if row["contribution"]]
    assert [row["weight"] for row in rows] == pytest.approx(weights, abs=6e-5)
    assert sum(row["weight"] for row in rows) == pytest.approx(total, abs=6e-5)
    assert found.score == pytest.approx(score, abs=5e-5)


GRADED = {"1": {"a": 3, "b": 0, "c": 1, "e": -1, "z": 2}, "2": {"q": 4}}
MIXED = {
    "1": {"a": 9.0, "x": 8.0, "b": 7.0, "y": 7.0, "c": 5.0, "e": 4.0, "w": 3.0},
    "2": {"q": 1.0},
}


@pytest.mark.parametrize(
    "name",
    [
        *["AP", "AP@3", "nDCG@4", "Recall@5", "RBP(p=0.9)", "RBP(ties=share)@3", "P@3", "DCG"],
        *["SDCG@4", "AP(judged_only=True)@2", "nDCG(judged_only=True)", "InvSq", "INSQ"],
    ],
)
def test_contributions_add_up_to_the_score(name: str) -> None:
    found = explain(GRADED, MIXED, name, "1")
    scored = rankwise.score(GRADED, MIXED, name)
    assert found.additive
    assert found.score == scored.value[0, 0, 0]
    assert found.frame["contribution"].sum() == pytest.approx(found.score)
    assert found.frame["share"].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["AP", "nDCG@4", "ERR", "RBP(ties=share)@3", "Bpref", "Q", "RR"])
def test_the_change_by_an_unjudged_document_is_that_when_it_is_judged(
    name: str,
) -> None:
    found = explain(GRADED, MIXED, name, "1")
    for document, could in found.frame.select("document", "change_if_relevant").rows():
        if could is not None:
            judged = {**GRADED, "1": {**GRADED["1"], document: 4}}
            after = rankwise.score(judged, MIXED, name).value[0, 0, 0]
            assert could == pytest.approx(after - found.score, abs=1e-12), document
    assert found.frame["change_if_relevant"].null_count() == 4  # a, b, c, e are judged


def test_where_a_metric_is_no_sum_a_contribution_is_what_would_be_lost() -> None:
    found = explain(GRADED, MIXED, "ERR(max_rel=4)", "1")
    assert not found.additive
    rows = {row["document"]: row for row in found.frame.rows(named=True)}
    without = {**GRADED, "1": {**GRADED["1"], "a": 0}}
    after = rankwise.score(without, MIXED, "ERR(max_rel=4)").value[0, 0, 0]
    assert rows["a"]["contribution"] == pytest.approx(found.score - after)


def test_orders_and_depth() -> None:
    assert explain(GRADED, MIXED, "P@3", "1").frame["document"].to_list() == list("axybcew")
    assert (
        explain(rankwise.read(GRADED, MIXED, order="file"), metric="P@3", topic="1").frame[
            "document"
        ][2]
        == "b"
    )
    assert explain(rankwise.read(GRADED, MIXED, depth=2), metric="P@3", topic="1").frame.height == 2


def test_topics_that_are_not_there() -> None:
    with pytest.raises(
        rankwise.CallError, match=r"'3' is not in the qrels\. Topics of the qrels: 1, 2\."
    ):
        explain(GRADED, MIXED, "AP", "3")
    with pytest.raises(
        rankwise.CallError, match=r"topic '2' is not in the run\. Topics of the run: 1\."
    ):
        explain(GRADED, {"1": MIXED["1"]}, "AP", "2")


def test_a_table_ends_at_the_cutoff_and_names_missed_relevant_documents() -> None:
    found = explain(QRELS | {"1": QRELS["1"] | {"x": 3}}, RUN, "P@2", "1")
    table = found.table()
    shown = table.frame.select("rank", "document").rows()
    assert shown == [(1, "d01"), (2, "d02"), (None, "x"), (6, "d06"), (11, "d11"), (17, "d17")]
    said = (
        "4 relevant documents are not at ranks 1 to 2. 'rank' is – if a document is not "
        "retrieved. Use `rows=20` to "
    )
    missed, *columns = map(str, table.notes)
    assert missed == said + "show all ranks"
    assert all(note.startswith("'c") for note in columns)  # contribution, change_if_relevant
    assert found.table(rows=20).frame.height == found.frame.height == 20
    many = {"1": {f"m{place:02}": 1 for place in range(12)}}
    only = explain(many, {"1": {"a": 1}}, "P@1", "1").table().notes[0]
    assert "12 relevant documents are not at rank 1; the 10 with the highest" in str(only)
