"""A table that comes in batches has the scores of the whole, and is never in memory whole."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import call, same_scores

import rankwise
from rankwise import InputError, score
from rankwise.rankings import batches as run_batches, judgments_by_topic

MADE = rankwise.simulate(topics=9, systems=3, seed=4)
METRICS = ["AP", "nDCG@10", "RBP(p=0.8,ties=share)", "NumRet", "INST"]
BY_RUN = pl.concat([run.frame.with_columns(run=pl.lit(run.name)) for run in MADE.runs])
BY_TOPIC = BY_RUN.sort("topic", maintain_order=True)


@pytest.fixture(autouse=True, params=[1, 700, 1 << 18], ids=["a topic", "a few", "all"])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many rows are judged at a time, at the least."""
    monkeypatch.setattr(run_batches, "PIECE", request.param)


def batches(frame: pl.DataFrame, rows: int = 137) -> Iterator[pl.DataFrame]:
    yield from frame.iter_slices(rows)


@pytest.mark.parametrize("rows", [BY_RUN, BY_TOPIC], ids=["by run", "by topic"])
@pytest.mark.parametrize("ways", [{}, {"order": "file", "depth": 7}, {"topics": "common"}])
def test_batches_score_as_the_whole(rows: pl.DataFrame, ways: dict[str, Any]) -> None:
    some = rows.filter((pl.col("run") != "system2") | (pl.col("topic") != "3"))
    whole = call(score, MADE.qrels, some, METRICS, bounds=True, **ways)
    same_scores(call(score, MADE.qrels, batches(some), METRICS, bounds=True, **ways), whole)


@pytest.mark.parametrize("ways", [{}, {"lenient": True}, {"only_topics": ["2", "5"]}])
def test_many_judgments_are_read_in_pieces(
    ways: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where rows are not grouped by topic, where grades are fractions, and where not."""
    monkeypatch.setattr(judgments_by_topic, "MANY", 10)
    monkeypatch.setattr(judgments_by_topic, "PIECE", 50)
    grouped = MADE.qrels.frame
    mixed = grouped.sample(fraction=1, shuffle=True, seed=2)
    fractions = grouped.with_columns(grade=pl.col("grade") / 4)
    for judged in (grouped, mixed, fractions):
        if "lenient" in ways:
            judged = pl.concat([judged, judged[:3], judged[50:52]]).sort("topic")
        whole = call(score, judged, BY_TOPIC, METRICS, bounds=True, **ways)
        parts = call(score, judged, batches(BY_TOPIC), METRICS, bounds=True, **ways)
        assert sorted(map(str, parts.notes)) == sorted(map(str, whole.notes))
        np.testing.assert_array_equal(parts.low, whole.low)
        np.testing.assert_array_equal(parts.value, whole.value)


def test_a_fault_among_many_judgments_is_named_by_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgments_by_topic, "MANY", 10)
    monkeypatch.setattr(judgments_by_topic, "PIECE", 50)
    twice = pl.concat([MADE.qrels.frame, MADE.qrels.frame[-3:-2]])
    with pytest.raises(InputError) as fault:
        score(twice, batches(BY_TOPIC))
    assert f"the qrels:{twice.height}: duplicate document in topic 9" in str(fault.value)


def test_every_kind_of_batches_is_taken() -> None:
    pa = pytest.importorskip("pyarrow")
    table = BY_TOPIC.to_arrow()
    whole = score(MADE.qrels, BY_TOPIC, METRICS, bounds=True)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100))
    same_scores(score(MADE.qrels, reader, METRICS, bounds=True), whole)
    same_scores(
        score(MADE.qrels, iter(table.to_batches(max_chunksize=100)), METRICS, bounds=True), whole
    )
    [run] = rankwise.read_runs({"one": batches(MADE.runs[0].frame)})
    assert run.name == "one" and run.frame.equals(MADE.runs[0].frame)


class Batch:
    """Rows as another library than pyarrow gives them, as deltalake does."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def __arrow_c_array__(self, schema: Any = None) -> Any:
        return self.rows.__arrow_c_array__(schema)


def test_batches_of_any_library_are_taken() -> None:
    pytest.importorskip("pyarrow")
    given: Any = map(Batch, BY_TOPIC.to_arrow().to_batches(max_chunksize=100))
    same_scores(
        score(MADE.qrels, given, METRICS, bounds=True),
        score(MADE.qrels, BY_TOPIC, METRICS, bounds=True),
    )


def test_topics_that_one_side_lacks_are_scored_and_noted_as_of_the_whole() -> None:
    some = BY_TOPIC.filter(~pl.col("topic").is_in(["2", "7"]))
    judged = MADE.qrels.frame.filter(~pl.col("topic").is_in(["4", "9"]))
    whole = score(judged, some, METRICS, bounds=True)
    assert any("without judgments" in note for note in map(str, whole.notes))
    assert any("returned nothing" in note for note in map(str, whole.notes))
    same_scores(score(judged, batches(some), METRICS, bounds=True), whole)


def test_a_stream_has_the_name_that_it_is_given() -> None:
    plain = MADE.runs[0].frame
    for frame in (plain, plain.with_columns(run=pl.lit("other"))):
        same_scores(
            score(MADE.qrels, {"one": batches(frame)}, "AP", bounds=True),
            score(MADE.qrels, {"one": frame}, "AP", bounds=True),
        )


SELECTIONS: list[dict[str, Any]] = [
    {"only_topics": ["2", "5"]},
    {"map_documents": ".$"},
    {"drop_self": True},
]


@pytest.mark.parametrize("ways", SELECTIONS)
def test_batches_are_selected_from_as_the_whole(ways: dict[str, Any]) -> None:
    whole = call(score, MADE.qrels, BY_TOPIC, METRICS, bounds=True, **ways)
    same_scores(call(score, MADE.qrels, batches(BY_TOPIC), METRICS, bounds=True, **ways), whole)


def test_documents_named_like_their_topic_are_noted_of_batches() -> None:
    last = BY_TOPIC["topic"][-1]
    own = BY_TOPIC.head(1).with_columns(topic=pl.lit(last), document=pl.lit(last))
    rows = pl.concat([BY_TOPIC, own])
    whole = score(MADE.qrels, rows, METRICS, bounds=True)
    assert any("drop_self" in note for note in map(str, whole.notes))
    same_scores(score(MADE.qrels, batches(rows), METRICS, bounds=True), whole)


def test_verdicts_see_the_documents_of_all_batches() -> None:
    here = rankwise.compare(MADE.qrels, BY_TOPIC, METRICS, effort=1000)
    there = rankwise.compare(MADE.qrels, batches(BY_TOPIC), METRICS, effort=1000)
    assert there.frame.equals(here.frame)


def test_what_is_dropped_of_all_batches_is_counted() -> None:
    bad = BY_TOPIC.with_columns(
        score=pl.when(pl.int_range(pl.len()) % 400 == 3).then(None).otherwise("score")
    )
    twice = pl.concat([bad, BY_TOPIC.gather_every(500)]).sort("topic", maintain_order=True)
    whole = score(rankwise.read(MADE.qrels, twice, lenient=True), metrics=METRICS)
    parts = score(rankwise.read(MADE.qrels, batches(twice), lenient=True), metrics=METRICS)
    np.testing.assert_array_equal(parts.value, whole.value)
    assert len(whole.notes) > 2
    assert sorted(map(str, parts.notes)) == sorted(map(str, whole.notes))


def test_a_fault_is_named_by_its_row_in_the_stream() -> None:
    bad = BY_TOPIC.with_columns(
        score=pl.when(pl.int_range(pl.len()) == 1500).then(None).otherwise("score")
    )
    with pytest.raises(InputError, match=r"the run:1501: score is missing"):
        score(MADE.qrels, batches(bad))


def test_what_is_no_stream_is_said(request: pytest.FixtureRequest) -> None:
    if "all" not in request.node.name:  # one piece holds all rows: no harm is done
        shuffled = BY_TOPIC.sample(fraction=1, shuffle=True, seed=1)
        with pytest.raises(
            InputError, match=r"occurs again after other topics\. Sort the stream by"
        ):
            score(MADE.qrels, batches(shuffled))
    with pytest.raises(InputError, match="the stream has a value of type str"):
        mixed: Any = [BY_TOPIC, "a path"]
        score(MADE.qrels, iter(mixed))
    with pytest.raises(InputError, match="no column for the topic"):
        score(MADE.qrels, batches(BY_TOPIC.rename({"topic": "what"})))
    paths = (run for run in MADE.runs)  # an iterator of runs is still one of runs
    assert score(MADE.qrels, paths, "AP").runs == ("system1", "system2", "system3")
