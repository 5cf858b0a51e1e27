"""Diversity qrels: recognised, kept with their subtopics, never squeezed into plain ones."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

import rankwise
from rankwise import CallError, InputError, Subtopics

TEXT = "1 x a 1\n1 y a 2\n1 y b 1\n2 x c 1\n"
RUN = {"1": ["a", "b"], "2": ["d", "c"]}


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "diversity.qrels"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_plain_metrics_take_the_highest_grade_and_a_note_says_so(qrels: Path) -> None:
    plain = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
    found = rankwise.score(qrels, RUN, "nDCG,AP")
    assert found.value.tolist() == rankwise.score(plain, RUN, "nDCG,AP").value.tolist()
    assert "highest grade" in " ".join(map(str, found.notes))


def test_subtopics_are_recognised_without_a_repeated_document(tmp_path: Path) -> None:
    path = tmp_path / "sparse.qrels"
    path.write_text("1 x a 1\n1 y b 1\n", encoding="utf-8")
    assert rankwise.score(path, {"1": ["a"]}, "StRecall@1").value.item() == 0.5
    path.write_text("1 0 a 1\n1 0 b 1\n", encoding="utf-8")
    assert rankwise.score(path, {"1": ["a"]}, "StRecall@1").value.item() == 1.0


def test_a_dataset_of_ir_datasets_may_have_subtopics() -> None:
    class SubtopicQrel(NamedTuple):  # as ir_datasets' TrecSubQrel
        query_id: str
        doc_id: str
        relevance: int
        subtopic_id: str

    class Dataset:
        def qrels_iter(self) -> Iterator[SubtopicQrel]:
            for line in TEXT.splitlines():
                topic, subtopic, document, grade = line.split()
                yield SubtopicQrel(topic, document, int(grade), subtopic)

    assert rankwise.score(Dataset(), {"1": ["b"]}, "StRecall@1").value.flat[0] == 0.5


def test_tables_records_and_streams_have_the_scores_of_the_file(qrels: Path) -> None:
    rows = [line.split() for line in TEXT.splitlines()]
    frame = pl.DataFrame(rows, ["topic", "subtopic", "document", "grade"], orient="row")
    frame = frame.with_columns(pl.col("grade").cast(pl.Int64))
    expected = rankwise.score(qrels, RUN, "alpha_nDCG@2,P_IA@1").value.tolist()
    runs = pl.DataFrame(
        [(t, d, -at) for t, ds in RUN.items() for at, d in enumerate(ds)],
        ["topic", "document", "score"],
        orient="row",
    )
    for judgments in (frame, frame.to_dicts(), frame.rename({"subtopic": "intent"})):
        for run in (RUN, iter([runs])):
            found = rankwise.score(judgments, run, "alpha_nDCG@2,P_IA@1")
            assert found.value.tolist() == expected


def test_written_qrels_keep_their_subtopics(qrels: Path, tmp_path: Path) -> None:
    for name in ("again.qrels", "again.csv", "again.parquet"):
        rankwise.convert(qrels, tmp_path / name, kind="qrels")
        again = rankwise.read_qrels(tmp_path / name)
        assert again.subtopics is not None
        assert sorted(again.subtopics.select("topic", "subtopic", "document", "grade").rows()) == [
            *[("1", "x", "a", 1), ("1", "y", "a", 2), ("1", "y", "b", 1), ("2", "x", "c", 1)]
        ]
    with pytest.raises(CallError, match="cannot store subtopics"):
        rankwise.convert(qrels, tmp_path / "again.json", kind="qrels")


def test_filters_keep_the_subtopics_of_what_they_keep(qrels: Path) -> None:
    data = rankwise.read(qrels, RUN, only_topics=["1"])
    assert rankwise.score(data, metrics="P_IA@1").value.tolist() == [[[1.0]]]


def test_a_document_judged_twice_for_a_subtopic_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "twice.qrels"
    path.write_text("1 x a 1\n1 y a 2\n1 x a 0\n", encoding="utf-8")
    with pytest.raises(InputError, match="duplicate document in topic 1 for subtopic x"):
        rankwise.read_qrels(path)


def test_a_table_that_mixes_plain_and_diversity_judgments_is_an_error() -> None:
    rows = {"topic": ["1", "1"], "document": ["a", "b"], "grade": [1, 1], "subtopic": ["x", None]}
    with pytest.raises(InputError, match="row 2 has no subtopic"):
        rankwise.read_qrels(pl.DataFrame(rows))


@pytest.mark.parametrize(
    ("weights", "what"),
    [
        ({"1": {"x": 1, "z": 1}, "2": {"x": 1}}, "no subtopic 'z'"),
        ({"1": {"x": 1}}, "topic 2 has no weight above 0"),
        ({"1": {"x": -1, "y": 2}, "2": {"x": 1}}, "topic 1 has a weight of -1"),
    ],
)
def test_weights_that_do_not_fit_are_errors(
    qrels: Path, weights: dict[str, dict[str, float]], what: str
) -> None:
    with pytest.raises(InputError, match=what):
        rankwise.read_qrels(Subtopics(qrels, weights))


def test_weights_from_a_file(qrels: Path, tmp_path: Path) -> None:
    path = tmp_path / "weights.txt"
    path.write_text("1 x 3\n1 y 1\n2 x 1\n", encoding="utf-8")
    found = rankwise.score(Subtopics(qrels, path), {"1": ["b"], "2": ["c"]}, "P_IA@1")
    assert found.value.ravel().tolist() == [0.25, 1.0]
    with pytest.raises(CallError, match="have no subtopics"):
        rankwise.read_qrels(Subtopics({"1": {"a": 1}}, path))
    path.write_text("1 x 3\n1 y 1\n2 x 1\n1 x 1\n", encoding="utf-8")
    with pytest.raises(InputError, match="subtopic x of topic 1 has two weights"):
        rankwise.read_qrels(Subtopics(qrels, path))


def test_explain_changes_a_document_for_all_of_its_subtopics(qrels: Path) -> None:
    found = rankwise.explain(qrels, {"1": ["u", "a", "b"]}, "P_IA@2", "1")
    assert found.frame["contribution"].to_list() == [None, 0.5, 0.0]
    assert found.frame["change_if_relevant"].to_list() == [0.5, None, None]


def test_a_smaller_pool_keeps_the_subtopics_of_its_documents(qrels: Path) -> None:
    import numpy as np

    from rankwise.metrics import parse
    from rankwise.rankings import Rejudged

    judged = rankwise.read(qrels, RUN).judged()
    names = {"a": 0, "b": 1, "c": 2}
    kept = Rejudged.of(judged).keep(np.array([name != "b" for name in names]))
    alone = rankwise.score(
        pl.DataFrame(
            {
                "topic": ["1", "1", "2"],
                "subtopic": ["x", "y", "x"],
                "document": ["a", "a", "c"],
                "grade": [1, 2, 1],
            }
        ),
        RUN,
        "alpha_nDCG@2",
    )
    assert parse("alpha_nDCG@2").scores(kept).tolist() == alone.value[0, 0].tolist()


def test_a_relevance_threshold_reaches_the_metric_inside(qrels: Path) -> None:
    inside, same = (
        rankwise.score(qrels, RUN, name, rel=2, bounds=True) for name in ("IA(AP(rel=2))", "IA(AP)")
    )
    assert same.metrics == inside.metrics
    assert same.value[0, 0, 0] == inside.value[0, 0, 0] == 1.0
    assert rankwise.score(qrels, {"1": ["b", "a"]}, "IA(AP)").value.flat[0] > 0.5
    assert rankwise.score(qrels, {"1": ["b", "a"]}, "IA(AP)", rel=2).value.flat[0] == 0.5


def test_a_duplicate_is_one_of_its_subtopic() -> None:
    rows = {"topic": ["1"] * 3, "subtopic": ["x", "y", "x"], "document": ["a"] * 3}
    with pytest.raises(InputError, match=r"for subtopic x.*\s.*only once per subtopic"):
        rankwise.read_qrels(pl.DataFrame(rows | {"grade": [1, 1, 0]}))
