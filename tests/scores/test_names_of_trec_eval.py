"""Metrics asked for by a name of trec_eval count undefined topics as 0, as trec_eval does."""

import pickle

import pytest

import rankwise
from rankwise import parse

QRELS = {"1": {"a": 1}, "2": {"a": 1, "b": 1}, "3": {"a": 0}}
RUNS = {
    "old": {topic: {"b": 2.0, "a": 1.0} for topic in QRELS},
    "new": {topic: {"a": 2.0, "b": 1.0} for topic in QRELS},
}


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("map", "AP"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("recall_5", "Recall@5"),
        ("bpref", "Bpref"),
    ],
)
def test_undefined_topics_count_0_by_trec_evals_names(theirs: str, ours: str) -> None:
    excluded, counted = (rankwise.score(QRELS, RUNS, name) for name in (ours, theirs))
    zero = rankwise.score(rankwise.read(QRELS, RUNS, undefined="zero"), metrics=ours)
    assert counted.mean()["value"].to_list() == zero.mean()["value"].to_list()
    assert counted.mean()["topics"].to_list() == [3, 3]
    assert excluded.mean()["topics"].to_list() == [2, 2]
    [note] = [str(one) for one in counted.notes if one.kind == "undefined-as-zero"]
    assert note == (
        f"{ours}: the metric was requested by its trec_eval name, so topics without a relevant "
        f"document score 0 (1 of 3 topics). To exclude these topics, write {ours}"
    )
    assert parse(theirs) == parse(ours) and str(parse(theirs)) == ours


@pytest.mark.parametrize("name", ["MAP", "ndcg_at_10", "NDCG_CUT_10", "Rprec", "AP"])
def test_other_names_exclude_undefined_topics(name: str) -> None:
    assert rankwise.score(QRELS, RUNS, name).mean()["topics"].to_list() == [2, 2]


def test_comparisons_and_bounds_count_them_too() -> None:
    found = rankwise.compare(QRELS, RUNS, "map").frame.row(0, named=True)
    zero = rankwise.compare(rankwise.read(QRELS, RUNS, undefined="zero"), metrics="AP").frame
    assert found == zero.row(0, named=True)
    assert found["topics"] == 3
    bounds = rankwise.score(QRELS, RUNS, "map", bounds=True).mean()
    assert bounds["low"].to_list() <= bounds["value"].to_list() <= bounds["high"].to_list()


def test_the_name_stays_with_a_copy_and_the_first_of_two_names_wins() -> None:
    assert parse("map").altered(rel=2).zero_if_undefined
    assert pickle.loads(pickle.dumps(parse("map"))).zero_if_undefined
    assert not parse("AP").zero_if_undefined
    [first] = rankwise.metrics.parse_all("AP, map")
    assert not first.zero_if_undefined


def test_no_note_where_every_topic_has_a_relevant_document() -> None:
    found = rankwise.score({"1": {"a": 1}}, {"1": {"a": 1.0}}, "map")
    assert not any(one.kind == "undefined-as-zero" for one in found.notes)
