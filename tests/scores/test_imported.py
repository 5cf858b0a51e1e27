"""Scores that were made elsewhere."""

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from rankwise import InputError, compare, read_scores, score, simulate
from rankwise.errors import CallError
from rankwise.scores.imported import scores_from_matrices
from rankwise.scores.score_tables import long_form

MADE = Path(__file__).parents[1] / "formats" / "made"
RESULTS = MADE / "mteb" / "results"


def test_columns_and_rows_are_matched_by_name(tmp_path: Path) -> None:
    (tmp_path / "ap.csv").write_text("topic,a,b\n1,0.1,0.2\n2,0.3,0.4\n")
    (tmp_path / "rr.csv").write_text("topic,b,a\n2,4,3\n1,2,1\n")
    scores = scores_from_matrices({"AP": tmp_path / "ap.csv", "RR": tmp_path / "rr.csv"})
    assert scores.runs == ("a", "b") and scores.topics == ("1", "2")
    assert np.allclose(scores.value[1], 10 * scores.value[0])
    assert [str(metric) for metric in scores.metrics] == ["AP", "RR"]


def test_other_systems_are_refused() -> None:
    one = pl.DataFrame({"topic": ["1"], "a": [0.5]})
    other = pl.DataFrame({"topic": ["1"], "b": [0.5]})
    with pytest.raises(CallError, match="'AP' and 'RR' have different systems"):
        scores_from_matrices({"AP": one, "RR": other})


def test_scores_that_we_wrote_are_read_as_they_were(tmp_path: Path) -> None:
    made = simulate(topics=4, systems=3, seed=1)
    scores = score(made.qrels, made.runs, ["AP", "nDCG@10"])
    rows = pl.DataFrame(long_form(scores, by_topic=True))
    rows.write_csv(tmp_path / "scores.csv")
    rows.write_parquet(tmp_path / "scores.parquet")
    for given in (tmp_path / "scores.csv", tmp_path / "scores.parquet", rows, rows.to_pandas()):
        found = read_scores(given)
        assert found.runs == scores.runs and found.topics == scores.topics
        assert np.allclose(found.value, scores.value, rtol=0, atol=0)
        assert [str(metric) for metric in found.metrics] == ["AP", "nDCG@10"]
    one = read_scores({"nDCG@10": tmp_path / "scores.csv"})
    assert (one.value[0] == scores.value[1]).all()


def test_pyterriers_per_query_results_are_scores() -> None:
    scores = read_scores(MADE / "pyterrier" / "perquery.csv")
    assert scores.runs == ("bm25", "dense") and scores.topics == ("1", "2", "3")
    assert scores.pivot()["ndcg_cut_10"].to_list() == pytest.approx(
        [(0.8597186998521972 + 0.5 + 1) / 3, (0.66967181649423 + 1 + 0.5) / 3]
    )
    assert compare(scores).frame.height == 2  # one pair, by two metrics


def test_a_task_of_mteb_is_a_topic(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    shutil.copytree(RESULTS, folder)
    mine = RESULTS / "mteb__baseline-random-encoder" / "2"
    (folder / "me__mine" / "1").mkdir(parents=True)
    for task, factor in (("ToyRetrieval", "0.9"), ("OtherRetrieval", "0.25")):
        text = (mine / "ToyRetrieval.json").read_text().replace("0.6752", factor)
        (folder / "me__mine" / "1" / f"{task}.json").write_text(text.replace("ToyRetrieval", task))
    scores = read_scores({"ndcg_at_10": folder})
    # Files go by name, and a task that a model lacks has no score.
    assert scores.runs == ("me/mine", "mteb/baseline-random-encoder")
    assert scores.topics == ("OtherRetrieval", "ToyRetrieval")
    assert np.allclose(scores.value[0], [[0.25, 0.9], [np.nan, 0.6752]], equal_nan=True)
    assert any(
        "mteb/baseline-random-encoder on 1 of 2 topics" in note for note in map(str, scores.notes)
    )


def test_each_split_and_subset_of_a_task_is_a_topic(tmp_path: Path) -> None:
    text = (RESULTS / "mteb__baseline-random-encoder/2/ToyRetrieval.json").read_text()
    folder = tmp_path / "me__mine" / "1"
    folder.mkdir(parents=True)
    one = '{"hf_subset": "%s", "languages": ["eng-Latn"], "main_score": 0.5, "ndcg_at_10": 0.5}'
    listed = f'"scores": {{"test": [{one % "en"}, {one % "de"}]}}, "kg_co2'
    start, end = text.index('"scores"'), text.index('"kg_co2')
    (folder / "Toy.json").write_text(text[:start] + listed + text[end + 7 :])
    scores = read_scores(folder / "Toy.json")
    assert scores.topics == ("ToyRetrieval/test/en", "ToyRetrieval/test/de")
    assert [str(metric) for metric in scores.metrics] == ["main_score", "ndcg_at_10"]


def test_one_column_of_values_needs_the_name_of_its_metric(tmp_path: Path) -> None:
    file = tmp_path / "ap.csv"
    file.write_text("run,topic,value\na,1,0.5\nb,1,nan\nb,2,0.25\na,2,1\n")
    assert read_scores({"AP": file}).pivot().rows() == [("a", 0.75), ("b", 0.25)]
    with pytest.raises(InputError, match="has no column called metric"):
        read_scores(file)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("run,topic,metric,value\na,1,AP,good\n", "row 1: value 'good' is not a number"),
        (
            "run,topic,metric,value\na,1,AP,1\na,1,AP,1\n",
            "scores of the same run a, topic 1",
        ),
        ("run,topic,metric,value\na,all,AP,1\n", "has only means over topics"),
        ("topic,a,b\n1,0.5,0.25\n", "has no column called metric"),
    ],
)
def test_rows_that_are_no_scores_are_refused(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "scores.csv").write_text(text)
    with pytest.raises(InputError, match=what):
        read_scores(tmp_path / "scores.csv")


def test_a_metric_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(InputError, match=r"no scores of 'mapp'\. Metrics: map, ndcg_cut_10"):
        read_scores({"mapp": MADE / "pyterrier" / "perquery.csv"})
    with pytest.raises(InputError, match="has no results of MTEB"):
        read_scores(MADE / "vespa")


@pytest.mark.parametrize("name", ["*", "^.*$", "^a$"])
def test_names_that_polars_reads_as_patterns_are_names(name: str) -> None:
    matrix = pl.DataFrame({"topic": ["2", "1"], name: [0.25, 0.75], "a": [1.0, 0.5]})
    found = scores_from_matrices({"AP": matrix, "RR": matrix.reverse()})
    assert found.runs == (name, "a") and found.topics == ("2", "1")
    assert found.value.tolist() == [[[0.25, 0.75], [1.0, 0.5]]] * 2
    rows = pl.DataFrame({"run": [name, "a"], "topic": "1", "metric": "AP", "value": [0.75, 0.5]})
    assert read_scores(rows).value.tolist() == [[[0.75], [0.5]]]


def rows_of(values: dict[str, dict[str, float]]) -> pl.DataFrame:
    rows = [(run, "1", metric, value) for run, of in values.items() for metric, value in of.items()]
    return pl.DataFrame(rows, schema=["run", "topic", "metric", "value"], orient="row")


def test_some_metrics_are_kept_by_name_and_may_have_commas() -> None:
    table = rows_of({"a": {"AP": 0.1, "match,strict": 0.2, "latency": 3.0}})
    for names, kept in (
        ("match,strict", ["match,strict"]),
        ("latency,AP", ["latency", "AP"]),
        (["match,strict", "map"], ["match,strict", "AP"]),
    ):
        found = read_scores(table, metrics=names)
        assert [str(metric) for metric in found.metrics] == kept
        assert found.value.shape[0] == len(kept)
    with pytest.raises(CallError, match="no metric 'RR'"):
        read_scores(table, metrics="RR")


def test_the_direction_of_a_metric_can_be_given() -> None:
    table = rows_of({"a": {"AP": 0.1, "latency": 3.0, "Toxicity": 0.2, "SearchLength": 1.0}})
    found = read_scores(table, less_is_better="latency")
    assert [metric.less_is_better for metric in found.metrics] == [False, True, True, True]
    with pytest.raises(CallError, match="no metric 'cost'"):
        read_scores(table, less_is_better="cost")


def test_an_infinite_score_is_an_error_that_names_it() -> None:
    with pytest.raises(InputError, match="AP of run a on topic 1 is infinite"):
        read_scores(rows_of({"a": {"AP": np.inf}, "b": {"AP": 0.5}}))
