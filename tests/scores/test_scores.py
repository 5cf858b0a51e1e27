"""Scores: means, pivots, missing and undefined topics, what notebooks show."""

import math

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

import rankwise
from rankwise import CallError, InputError

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}, "3": {"e": 0}}
RUN = {"1": {"a": 0.9, "b": 0.4}, "3": {"e": 0.3}, "9": {"z": 1.0}}
OTHER = {"1": {"b": 0.9, "a": 0.4}, "2": {"d": 1.0, "c": 0.5}}


def test_a_missing_topic_scores_zero_and_an_undefined_one_is_left_out() -> None:
    scores = rankwise.score(QRELS, RUN, ["AP", "RR"])
    assert scores.topics == ("1", "2", "3")
    assert scores.value[0, 0, :2].tolist() == [1.0, 0.0]
    assert math.isnan(scores.value[0, 0, 2])
    means = {row["metric"]: row for row in scores.mean().iter_rows(named=True)}
    assert means["AP"]["value"] == 0.5
    assert (means["AP"]["topics"], means["AP"]["undefined"], means["AP"]["missing"]) == (2, 1, 1)
    assert means["RR"]["value"] == pytest.approx(1 / 3)
    assert (means["RR"]["topics"], means["RR"]["undefined"]) == (3, 0)


def test_notes_say_what_was_missing_and_ignored() -> None:
    scores = rankwise.score(QRELS, RUN, ["RR", "AP"])
    assert list(map(str, scores.notes)) == [
        "run: 1 topic without judgments is ignored",
        "run: returned nothing for 1 of 3 topics; a missing topic counts as an empty ranking",
        "AP: undefined on 1 of 3 topics, usually because they have no relevant document; "
        "these topics are excluded from the mean",
        "the means of different metrics are over different numbers of topics: 3 for RR, 2 for AP",
    ]
    assert str(scores.notes[0]) in repr(scores)


def test_common_topics_are_those_of_all_runs() -> None:
    scores = rankwise.score(
        rankwise.read(QRELS, {"one": RUN, "two": OTHER}, topics="common"), metrics="RR"
    )
    assert scores.topics == ("1",)
    assert "2 of 3 topics are missing from at least one run and are excluded" in map(
        str, scores.notes
    )
    assert scores.pivot().rows() == [("one", 1.0), ("two", 0.5)]


def test_no_common_topic_is_an_error() -> None:
    with pytest.raises(CallError, match="no topic is in the judgments and in every run"):
        rankwise.score(
            rankwise.read(QRELS, {"a": {"1": {"a": 1}}, "b": {"2": {"c": 1}}}, topics="common")
        )


def test_a_run_without_any_judged_topic_is_an_error() -> None:
    with pytest.raises(InputError, match="no topic in common with the qrels"):
        rankwise.score(QRELS, {"9": {"z": 1.0}})


def test_counts_add_up_and_shares_are_averaged() -> None:
    means = rankwise.score(QRELS, OTHER, ["NumRet", "NumRel", "P@2"]).mean()
    assert means["value"].to_list() == [4.0, 3.0, pytest.approx((1 + 2 + 0) / 2 / 3)]


def test_a_leaderboard_is_sorted_by_the_first_metric() -> None:
    runs = {"worse": OTHER, "better": {**OTHER, "1": {"a": 2.0, "b": 1.0}}}
    assert rankwise.score(QRELS, runs, ["RR", "P@5"]).pivot()["run"].to_list() == [
        "better",
        "worse",
    ]


def test_frame_is_long_and_nan_is_null() -> None:
    frame = rankwise.score(QRELS, OTHER, ["AP", "RBP(p=0.5)"], bounds=True).frame
    assert frame.columns == ["run", "topic", "metric", "value", "low", "high"]
    assert frame.height == 6
    undefined = frame.filter(pl.col("topic") == "3", pl.col("metric") == "AP")
    assert undefined["value"].to_list() == [None]
    assert frame.filter(pl.col("metric") == "RBP(p=0.5)")["high"].null_count() == 0


def test_pivot_by_topic_has_a_row_a_topic() -> None:
    scores = rankwise.score(QRELS, {"a": RUN, "b": OTHER}, ["RR"])
    table = scores.by_topic()
    assert table.equals(scores.pivot(by_topic=True))
    assert table.columns == ["run", "topic", "RR"]
    assert table.height == 6


def test_what_notebooks_and_terminals_show() -> None:
    scores = rankwise.score(QRELS, {"bm25": OTHER}, ["RR"])
    assert "1 run × 3 topics × 1 metric" in repr(scores)
    assert "bm25" in repr(scores)
    assert "<table" in scores._repr_html_() and "bm25" in scores._repr_html_()


def test_depth_cuts_every_ranking() -> None:
    assert rankwise.score(rankwise.read(QRELS, OTHER, depth=1), metrics="RR").value[
        0, 0
    ].tolist() == [0, 1, 0]
    with pytest.raises(CallError, match="`depth` must be a whole number"):
        rankwise.score(rankwise.read(QRELS, OTHER, depth=0), metrics="RR")


def test_orders() -> None:
    frame = pl.DataFrame(
        {
            "topic": ["1", "1", "1"],
            "document": ["x", "a", "b"],
            "score": [0.1, 0.2, 0.3],
            "rank": [2, 1, 3],
        }
    )
    found = {
        order: rankwise.score(
            rankwise.read({"1": {"a": 1}}, frame, order=order), metrics="RR"
        ).value.item()
        for order in ("score", "rank", "file")
    }
    assert found == {"score": 0.5, "rank": 1.0, "file": 0.5}
    with pytest.raises(CallError, match="`order` 'random' is not one of score, rank, file"):
        rankwise.score(rankwise.read(QRELS, OTHER, order="random"))  # type: ignore[arg-type]


def test_gains_of_fractional_grades_reach_the_metric() -> None:
    qrels = {"1": {"a": 0.5, "b": 1.0, "c": 0.0}}
    gains = {0: 0, 0.5: 0.4, 1: 1}
    run = {"1": {"a": 3, "b": 2, "c": 1}}
    found = rankwise.score(rankwise.read(qrels, run, gains=gains), metrics=["DCG@1", "P@2"])
    assert found.value.ravel().tolist() == [0.4, 1.0]
    found = rankwise.score(qrels, run, ["DCG@1", "P@2"])
    assert found.value.ravel().tolist() == [0.5, 1.0]


def test_no_metric_is_an_error() -> None:
    with pytest.raises(CallError, match="no metric is given"):
        rankwise.score(QRELS, RUN, [])


def test_one_metric_of_the_scores() -> None:
    scores = rankwise.score(QRELS, {"one": RUN, "two": OTHER}, ["RR", "AP"], bounds=True)
    alone = rankwise.score(QRELS, {"one": RUN, "two": OTHER}, "AP", bounds=True)
    for name in ("AP", "map", rankwise.parse("AP")):
        assert scores[name].frame.equals(alone.frame) and scores[name].notes == alone.notes
    with pytest.raises(CallError, match=r"no metric 'nDCG'; they have RR, AP\."):
        scores["nDCG"]


def test_scores_as_dicts() -> None:
    scores = rankwise.score(QRELS, {"one": RUN, "two": OTHER}, ["RR", "AP"])
    means = {(run, metric): mean for run, metric, mean, *_ in scores.mean().rows()}
    plain = scores.to_dict()
    assert {(run, name): plain[run][name] for run in plain for name in plain[run]} == means
    deep = scores.to_dict(by_topic=True)
    rows = [(r, t, m, deep[r][m][t]) for r in deep for m in deep[r] for t in deep[r][m]]
    assert sorted(map(str, rows)) == sorted(map(str, scores.frame.rows()))


@pytest.mark.usefixtures("own_names")
def test_bounds_that_are_not_known_are_not_said_to_be_valid() -> None:
    @rankwise.register()
    class NumberRelevant(rankwise.Metric):
        def compute(self, judged: rankwise.JudgedRankings) -> npt.NDArray[np.float64]:
            return judged.total(judged.grade > 0)

    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1}}
    runs = {name: {"1": {"a": 2.0, "x": 1.0}, "2": {"y": 1.0}} for name in "AB"}
    kinds = {"bounds-unknown"}
    for some in (runs, {"A": runs["A"]}):
        notes = rankwise.score(qrels, some, "NumberRelevant", bounds=True).notes
        assert {note.kind for note in notes if "bounds" in str(note)} == kinds
    both = rankwise.score(qrels, runs, "NumberRelevant,Bpref", bounds=True).notes
    assert sum("bounds" in str(note) for note in both) > 1
    assert not any("NumberRelevant" in str(n) for n in both if n.kind != "bounds-unknown")


def test_a_topic_that_only_some_runs_have_a_score_for_is_no_lack_of_relevant_documents() -> None:
    rows = [("a", "1", 0.5), ("a", "2", 0.6), ("b", "1", 0.4)]
    frame = pl.DataFrame(rows, schema=["run", "topic", "value"], orient="row")
    scores = rankwise.read_scores(frame.with_columns(metric=pl.lit("AP")))
    said = "; ".join(map(str, scores.about_undefined()))
    assert said == (
        "AP: no score for b on 1 of 2 topics, although other runs have a score there. The "
        "mean of each run is over the topics on which this run has a score"
    )
