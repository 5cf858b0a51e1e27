"""On a cluster every number is the one that `rankwise.score` gives, to the last bit.

RANKWISE_SPARK=all tries all runs of TREC-8, and sizes that take a while.
"""

import inspect
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import call, every_metric, same_scores
from pages import run_blocks
from polars.testing import assert_frame_equal

import rankwise
from rankwise import CallError, InputError, Run, Scores
from rankwise.cli import main

ALL = os.environ.get("RANKWISE_SPARK") == "all"
BOTH_WAYS = pytest.mark.parametrize(  # few judgments are sent to all, many go through the shuffle
    "shuffled", [False, True] if ALL else [False], ids="shuffled={}".format
)
# pyspark leaves sockets to be closed by whoever finds them.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

PAGE = Path(__file__).parents[2] / "docs" / "tools" / "spark.md"


def uneven(run: Run) -> Run:
    """Rankings of many lengths, so that no two parts have the same longest one."""
    length = (pl.col("topic").cast(pl.Int64) * 37) % 150 + 40
    return Run(run.frame.filter(pl.int_range(pl.len()).over("topic") < length), name=run.name)


WHOLE = rankwise.simulate(topics=12, systems=3, seed=5)
MADE = replace(WHOLE, runs=[uneven(run) for run in WHOLE.runs])
METRICS = ["AP", "nDCG@10", "RBP(p=0.8)", "NumRet", "AP(rel=3)", "ERR"]
ROWS = pl.concat([run.frame.with_columns(run=pl.lit(run.name)) for run in MADE.runs])
COLUMNS = ["run", "topic", "metric", "value", "low", "high"]


@pytest.fixture(scope="module")
def on(spark: Any) -> Any:
    """rankwise.spark, which needs pyspark to be imported."""
    import rankwise.spark

    assert spark is not None
    return rankwise.spark


@pytest.fixture(scope="module")
def runs(spark: Any) -> Any:
    return spark.createDataFrame(ROWS.to_arrow()).cache()


@pytest.fixture(scope="module")
def qrels(spark: Any) -> Any:
    return spark.createDataFrame(MADE.qrels.frame.to_arrow()).cache()


def rows_of(frame: Any) -> pl.DataFrame:
    found = pl.from_arrow(frame.toArrow())
    assert isinstance(found, pl.DataFrame)
    return found.sort("run", "metric", "topic")


NOT_TAKEN: dict[tuple[str, str], dict[str, str]] = {
    ("score", "score"): {
        "confidence": "asked of `summary`",
        "mean": "it gives scores by topic; `summary` and `collect` average them",
    },
    ("score", "collect"): {
        "confidence": "`rankwise.confidence` takes the scores",
    },
    ("compare", "compare"): {
        "effort": "a search is for all topics together, which no part sees",
    },
    ("read_runs", "read_runs"): {},
}


@pytest.mark.parametrize("names", NOT_TAKEN, ids=" ".join)
def test_it_takes_the_keywords_that_there_are_locally(on: Any, names: tuple[str, str]) -> None:
    """With the same defaults, all but those that are listed, with the reason."""
    local, there = (
        {
            name: one.default
            for name, one in inspect.signature(function).parameters.items()
            if one.kind is one.KEYWORD_ONLY
        }
        for function in (getattr(rankwise, names[0]), getattr(on, names[1]))
    )
    assert NOT_TAKEN[names].keys() <= local.keys()
    assert there == {name: one for name, one in local.items() if name not in NOT_TAKEN[names]}


@pytest.mark.parametrize("shuffled", [False, True], ids=["sent to all", "shuffled"])
def test_every_metric_and_its_bounds_are_the_local_ones(
    on: Any, qrels: Any, runs: Any, shuffled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judgments that are few are sent to all executors, many go through the shuffle."""
    if shuffled:
        monkeypatch.setattr("rankwise.spark.job.BROADCAST", 0)
    metrics = every_metric()
    here = rankwise.score(MADE.qrels, MADE.runs, metrics, bounds=True)
    there = rows_of(on.score(qrels, runs, metrics, bounds=True))
    assert there.columns == COLUMNS
    assert_frame_equal(there, here.frame.sort("run", "metric", "topic"), check_exact=True)


WAYS: list[dict[str, Any]] = [
    {"gains": "1:0.7:0.3", "depth": 20, "undefined": "zero", "mean": "geometric"},
    {"topics": "common", "unjudged": "open"},
    {"order": "rank", "depth": 5},
]


@pytest.mark.parametrize("ways", WAYS, ids=["gains", "common", "rank"])
@BOTH_WAYS
def test_keywords_do_what_they_do_locally(
    on: Any, spark: Any, ways: dict[str, Any], shuffled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shuffled:
        monkeypatch.setattr("rankwise.spark.job.BROADCAST", 0)
    lacking = (pl.col("run") == "system2") & pl.col("topic").is_in(["3", "7"])
    ranked = ROWS.with_columns(rank=pl.int_range(pl.len()).over("run", "topic") + 1)
    given = ranked.filter(~lacking)
    judged = MADE.qrels.frame.with_columns(grade=pl.col("grade") / 4)  # fractions
    judged = MADE.qrels.frame if "gains" in ways else judged
    here = call(rankwise.score, judged, given, METRICS, bounds=True, **ways)
    frames = [spark.createDataFrame(frame.to_arrow()) for frame in (judged, given)]
    there = call(on.collect, frames[0], frames[1], METRICS, bounds=True, **ways)
    assert (here.runs, here.topics) == (there.runs, there.topics)
    for name in ("value", "low", "high", "present"):
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))
    assert here.mean().equals(there.mean())


@pytest.mark.parametrize(
    ("column", "values", "what"),
    [
        ("docid", [["a"], ["b"]], r"column docid has lists or objects \(array<string>\)"),
        ("docid", [{"x": "a"}, {"x": "b"}], r"column docid has lists or objects \(struct<"),
        ("qid", [["1"], ["1"]], r"column qid has lists or objects .* cannot be a topic"),
        ("score", [[1.0], [2.0]], r"column score has lists or objects .* cannot be a score"),
        ("score", [True, False], "column score has true or false, which cannot be a score"),
    ],
)
def test_columns_of_lists_objects_and_truths_are_refused(
    on: Any, spark: Any, column: str, values: list[Any], what: str
) -> None:
    columns: dict[str, list[Any]] = {"qid": ["1", "1"], "docid": ["a", "b"], "score": [2.0, 1.0]}
    run = spark.createDataFrame(pl.DataFrame(columns | {column: values}).to_arrow())
    with pytest.raises(InputError, match=what):
        on.score({"1": {"a": 1}}, run, "RR")
    if column != "score":
        grades = pl.DataFrame({**columns, column: values, "grade": [1, 0]}).drop("score")
        good = spark.createDataFrame(pl.DataFrame(columns).to_arrow())
        with pytest.raises(InputError, match=what):
            on.score(spark.createDataFrame(grades.to_arrow()), good, "RR")


def test_values_guessed_in_silence_are_refused_in_files_too(
    on: Any, spark: Any, tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    flat = '{"qid": "1", "docid": "a", "score": 1}'
    for odd, what in [
        ('{"qid": "1", "docid": "b", "score": 1, "score": 2}', "2: .*the name 'score' twice"),
        ('{"qid": "1", "docid": ["b"], "score": 1}', "2: column docid has a list"),
        ('{"qid": "1", "docid": "b", "score": true}', "2: column score has true"),
    ]:
        path.write_text(f"{flat}\n{odd}\n")
        with pytest.raises(InputError, match=what):
            on.collect({"1": {"a": 1}}, on.read_runs(spark, str(path)), "RR")


def test_columns_are_found_by_their_spellings(on: Any, spark: Any) -> None:
    judged = pl.DataFrame({"query_id": [1, 1], "doc_id": ["a", "b"], "relevance": ["1", "0"]})
    run = pl.DataFrame({"qid": [1, 1], "docno": ["b", "a"], "sim": [2, 1]})
    frames = [spark.createDataFrame(frame.to_arrow()) for frame in (judged, run)]
    assert on.collect(*frames, "RR").to_dict() == {"run": {"RR": 0.5}}
    wrong = [frames[0], frames[1].withColumnRenamed("qid", "what")]
    with pytest.raises(InputError, match=r"no column for the topic .* Columns: what, docno"):
        on.score(*wrong)
    fractions = frames[1].withColumn("qid", frames[1].qid.cast("double"))
    with pytest.raises(InputError, match="column qid has decimal numbers"):
        on.score(frames[0], fractions)


def test_tables_and_csv_with_a_header_are_taken(
    on: Any, spark: Any, runs: Any, tmp_path: Path
) -> None:
    """Of csv all columns are text."""
    MADE.qrels.frame.write_csv(tmp_path / "qrels.csv")
    runs.createOrReplaceTempView("retrieved")
    judged = spark.read.csv(str(tmp_path / "qrels.csv"), header=True)
    same_scores(
        on.collect(judged, spark.table("retrieved"), METRICS, bounds=True),
        rankwise.score(MADE.qrels, MADE.runs, METRICS, bounds=True),
    )


@pytest.mark.parametrize("mean", ["arithmetic", "geometric"] if ALL else ["geometric"])
def test_summaries_are_means_with_bounds_and_intervals(
    on: Any, qrels: Any, runs: Any, mean: rankwise.Mean
) -> None:
    """Some topics have no document of grade 3 and are undefined; sums are in another order."""
    asked = ["AP(rel=3)", "AP", "NumRet"]
    here = rankwise.score(MADE.qrels, MADE.runs, asked, bounds=True, mean=mean)
    assert here.mean()["undefined"].max()
    wanted = rankwise.confidence(here, 0.9).frame
    there = on.summary(on.score(qrels, runs, asked, bounds=True), 0.9, mean=mean)
    both = wanted.sort("metric", "run")
    assert there.select("run", "metric").equals(both.select("run", "metric"))
    for name in there.columns[2:]:
        one, other = (frame[name].cast(pl.Float64).to_numpy() for frame in (there, both))
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14, err_msg=name)


@pytest.mark.parametrize(
    "ways",
    [
        {"topic_groups": {"1": "a", "2": "a", "3": "b", "4": "b"}, "map_documents": "^(.*).$"},
        {"baseline": "system2", "test": "wilcoxon", "unjudged": "top=5"},
    ],
    ids=["groups, passages", "baseline"],
)
def test_comparisons_and_verdicts_are_the_local_ones(
    on: Any, qrels: Any, runs: Any, ways: dict[str, Any]
) -> None:
    here = call(rankwise.compare, MADE.qrels, MADE.runs, METRICS, effort=0, **ways)
    there = call(on.compare, qrels, runs, METRICS, **ways)
    assert "verdict" in here.frame.columns
    assert_frame_equal(there.frame, here.frame, check_exact=True)
    assert there.notes == here.notes
    assert there.by_group.keys() == here.by_group.keys()
    for name, part in here.by_group.items():
        assert_frame_equal(there.by_group[name].frame, part.frame, check_exact=True)


def test_faults_end_the_job_and_name_run_and_topic(on: Any, spark: Any, qrels: Any) -> None:
    twice = pl.concat([ROWS, ROWS[:1]])
    given = spark.createDataFrame(twice.to_arrow())
    document = f"system1: duplicate document in topic 1: {ROWS['document'][0]}"
    with pytest.raises(InputError, match=document):
        on.collect(qrels, given)
    none = twice.with_columns(score=pl.col("score").cast(pl.String)).with_columns(
        score=pl.when(pl.int_range(pl.len()) == 3).then(pl.lit("high")).otherwise("score")
    )
    given = spark.createDataFrame(none.to_arrow())
    with pytest.raises(
        InputError, match=r"score 'high' is not a finite number: system1, 1, .*high"
    ):
        on.summary(on.score(qrels, given))
    here = rankwise.score(rankwise.read(MADE.qrels, none, lenient=True), metrics=METRICS)
    there = on.collect(rankwise.read(qrels, given, lenient=True), metrics=METRICS)
    np.testing.assert_array_equal(here.value, there.value)
    kinds = {("the run", "malformed-lines", 1), ("system1", "duplicates", 1)}
    assert {(note.source, note.kind, note.count) for note in here.input_notes} == kinds
    assert set(here.input_notes) == set(there.input_notes) == set(on.dropped(qrels, given))


def own(rows: pl.DataFrame) -> pl.DataFrame:
    """With a row more for each topic, of the document that is called like it."""
    named = rows.unique(["topic"], keep="first", maintain_order=True)
    return pl.concat([rows, named.with_columns(document="topic")])


SELECTIONS: list[dict[str, Any]] = [
    {"only_topics": ["3", "7", "99"], "topic_groups": {"3": "odd", "7": "odd"}},
    {"drop_self": True, "topics": "common"},
    {"map_documents": "^(.*).$", "drop_self": True, "depth": 50},
]


@BOTH_WAYS
@pytest.mark.parametrize("ways", SELECTIONS, ids=["only_topics", "drop_self", "map"])
def test_what_is_left_out_and_noted_is_what_is_locally(
    on: Any, spark: Any, ways: dict[str, Any], shuffled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shuffled:
        monkeypatch.setattr("rankwise.spark.job.BROADCAST", 0)
    judged, given = own(MADE.qrels.frame), own(ROWS)
    frames = [spark.createDataFrame(frame.to_arrow()) for frame in (judged, given)]
    here = call(rankwise.score, judged, given, METRICS, bounds=True, **ways)
    there = call(on.collect, frames[0], frames[1], METRICS, bounds=True, **ways)
    assert any(
        "selected" in note or "removed" in note or "mapped" in note for note in map(str, here.notes)
    )
    same_scores(there, here)
    assert here.groups == there.groups


def test_notes_on_topics_are_the_local_ones(on: Any, spark: Any) -> None:
    """Topics without judgments, topics in which nothing is judged, and documents of their name."""
    judged = MADE.qrels.frame.filter(pl.col("topic").is_in(["1", "2", "3", "4", "5"]))
    other = pl.col("document") + pl.lit("?")
    strange = pl.when(pl.col("topic").is_in(["2", "3", "8"])).then(other).otherwise("document")
    given = own(ROWS).with_columns(document=strange)
    given = given.with_columns(
        document=pl.when(pl.col("run") == "system2").then(other).otherwise("document")
    )
    wanted: list[dict[str, Any]] = [{}, {"depth": 10}]
    for ways in wanted:
        here = call(rankwise.score, judged, given, "AP", **ways)
        frame = spark.createDataFrame(given.to_arrow())
        there = call(on.collect, judged, frame, "AP", **ways)
        kinds = ["topics without judgments", "no retrieved document is judged", "drop_self"]
        assert ways or all(any(kind in note for note in map(str, here.notes)) for kind in kinds)
        assert any("use the same document IDs" in note for note in map(str, here.notes)) or ways
        same_scores(there, here)
    compared = on.compare(judged, frame, "AP"), rankwise.compare(judged, given, "AP", effort=0)
    assert compared[0].notes == compared[1].notes


def test_what_cannot_be_asked_of_tables_is_said(on: Any, qrels: Any, runs: Any) -> None:
    with pytest.raises(CallError, match="order 'file': rows of a Spark table have no order"):
        on.score(rankwise.read(qrels, runs, order="file"))
    with pytest.raises(CallError, match="`depth` must be a whole number, 1 or more"):
        on.score(rankwise.read(qrels, runs, depth=0))
    with pytest.raises(CallError, match="`baseline='systen2'`: no run has this name"):
        on.compare(qrels, runs, baseline="systen2")
    with pytest.raises(CallError, match="no run is complete"):
        on.score(rankwise.read(qrels, runs, complete_runs=True))
    for ask in (on.score, on.collect):
        with pytest.raises(InputError, match="system1: `map_documents` 'zz' is not a file"):
            ask(rankwise.read(qrels, runs, map_documents="zz"))
    some = runs.where("run != 'system2' or topic != '3'")
    with pytest.raises(InputError, match=r"system2: has none of the selected topics"):
        on.score(rankwise.read(qrels, some, only_topics=["3"]))
    with pytest.raises(InputError, match="topic_groups: has a group named all"):
        on.score(rankwise.read(qrels, runs, topic_groups={"1": "all"}))


def test_groups_of_topics_are_a_column_as_locally(on: Any, qrels: Any, runs: Any) -> None:
    groups = {str(topic): "odd" if topic % 2 else "even" for topic in range(1, 10)}
    here = rankwise.score(rankwise.read(MADE.qrels, MADE.runs, topic_groups=groups), metrics="AP")
    there = on.score(rankwise.read(qrels, runs, topic_groups=groups), metrics="AP")
    assert there.columns == ["group", *COLUMNS]
    wanted = here.frame.sort("run", "metric", "topic")
    assert_frame_equal(rows_of(there).select(wanted.columns), wanted, check_exact=True)
    odd = on.summary(there.where("group = 'odd'")).sort("run")
    np.testing.assert_allclose(odd["value"], here.by_group["odd"].mean().sort("run")["value"])


def test_a_long_topic_and_many_short_ones(on: Any, spark: Any) -> None:
    from pyspark.sql import functions as sf

    count, deep = (100_000, 3_000_000) if ALL else (2_000, 300_000)
    name = sf.concat(sf.lit("d"), "id")
    short = spark.range(count * 3).select(
        (sf.col("id") % count).alias("topic"),
        name.alias("document"),
        (-sf.col("id")).alias("score"),
    )
    long = spark.range(deep).select(
        sf.lit(-1).alias("topic"), name.alias("document"), (-sf.col("id")).alias("score")
    )
    judged = {str(t): {f"d{t + count}": 1} for t in range(count)} | {"-1": {f"d{deep - 1}": 1}}
    found = on.collect(judged, short.union(long), ["RR", "NumRet"])
    values = found["RR"].value[0, 0]
    assert values[found.topics.index("-1")] == 1 / deep
    assert (np.delete(values, found.topics.index("-1")) == 0.5).all()
    assert found["NumRet"].value.sum() == deep + 3 * count


@pytest.mark.parametrize("order", ["score", "rank"] if ALL else ["rank"])
def test_topics_that_no_run_has_are_scored(on: Any, spark: Any, order: rankwise.Order) -> None:
    """Each of the eight parts has judgments; only one has rows of a run."""
    judged = {str(topic): {"a": 1} for topic in range(40)}
    rows = pl.DataFrame({"topic": ["7"], "document": ["a"], "score": [1.0], "rank": [1]})
    spark.conf.set("spark.sql.adaptive.coalescePartitions.enabled", "false")
    try:
        found = on.collect(
            rankwise.read(judged, spark.createDataFrame(rows.to_arrow()), order=order),
            metrics="RR",
        )
    finally:
        spark.conf.unset("spark.sql.adaptive.coalescePartitions.enabled")
    assert found.value.tolist() == [[[float(topic == 7) for topic in range(40)]]]
    assert (
        found.notes == rankwise.score(rankwise.read(judged, rows, order=order), metrics="RR").notes
    )
    elsewhere = rows.with_columns(topic=pl.lit("other"))
    said = r"Topics of the run: other\. Topics of the qrels: 0, 1, …"
    with pytest.raises(InputError, match=said):
        on.collect(judged, spark.createDataFrame(elsewhere.to_arrow()), "RR")


@pytest.mark.usefixtures("own_names")
def test_metrics_of_ones_own_travel_to_the_executors(
    on: Any, qrels: Any, runs: Any, tmp_path: Path
) -> None:
    file = tmp_path / "metrics_that_no_executor_has.py"
    file.write_text(
        "from rankwise import Metric, register\n\n"
        "@register()\nclass Found(Metric):\n"
        "    def compute(self, judged):\n        return judged.total(judged.grade > 0)\n"
    )
    rankwise.metrics.load_metrics(file)
    here = rankwise.score(MADE.qrels, MADE.runs, "Found")
    np.testing.assert_array_equal(on.collect(qrels, runs, "Found").value, here.value)


def test_partitioned_parquet_is_read_back_as_scores(
    on: Any, qrels: Any, runs: Any, tmp_path: Path
) -> None:
    found = on.score(qrels, runs, METRICS, bounds=True)
    found.write.partitionBy("run", "metric").parquet(str(tmp_path / "scores"))
    back = Scores.read_parquet(tmp_path / "scores")
    here = rankwise.score(MADE.qrels, MADE.runs, METRICS, bounds=True)
    wanted = here.frame.sort("run", "metric", "topic")
    assert_frame_equal(back.frame.sort("run", "metric", "topic"), wanted, check_exact=True)


def trec8_runs(trec8: Path) -> list[Path]:
    files = sorted((trec8 / "runs").glob("input.*.gz"))
    assert len(files) == 129
    return files if ALL else files[::65]


def test_trec_8_by_all_metrics(on: Any, spark: Any, trec8: Path) -> None:
    files = trec8_runs(trec8)
    given = on.read_runs(spark, [str(file) for file in files])
    there = on.collect(trec8 / "trec8.qrels.gz", given, every_metric(), bounds=True)
    read = sorted(rankwise.read_runs(files), key=lambda run: run.name)
    here = rankwise.score(trec8 / "trec8.qrels.gz", read, every_metric(), bounds=True)
    assert here.value.size >= len(files) * 50 * 60
    print(f"{here.value.size:,} scores, each with two bounds: {len(files)} runs")
    same_scores(there, here)


def test_the_command_line_prints_the_same(
    cluster: Any,
    spark: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With a run that is given a name, some of the topics, and groups of them."""
    assert spark is not None  # its session is the one that is taken
    monkeypatch.chdir(tmp_path)
    rankwise.write_qrels(MADE.qrels, "qrels.txt")
    for run in MADE.runs:
        rankwise.write_run(run, f"{run.name}.run")
    tables = [MADE.runs[0].frame.rename({"topic": "asked"}).with_columns(run=pl.lit("table"))]
    tables[0].write_parquet("table.parquet")
    Path("topics").write_text("1\n3\n4\n")
    Path("groups").write_text("1 a\n3 b\n")
    here = tmp_path  # Java started in another folder
    args = ["rankwise", "score", "qrels.txt", f"a={here}/system2.run", f"{here}/system1.run"]
    args += [f"{here}/table.parquet", "--columns", "topic=asked"]
    args += ["-m", "AP,nDCG@10,NumRet", "--bounds", "--by-topic", "--format", "csv"]
    args += ["--only-topics", "topics", "--topic-groups", "groups", "--drop-self"]
    args += ["--map-documents", "^(.*).$"]
    printed = []
    for more in ([], ["--engine", "spark", "--master", cluster.url]):
        monkeypatch.setattr(sys, "argv", [*args, *more])
        with suppress(SystemExit):
            main()
        printed.append(capsys.readouterr())
    locally, there = printed
    assert locally.out.count("\n") > 3 * 3 * 3
    assert (there.out, sorted(there.err.splitlines())) == (
        *(locally.out, sorted(locally.err.splitlines())),
    )


@pytest.mark.skipif(not ALL, reason="RANKWISE_SPARK=all starts Spark from the command line")
def test_the_command_line_starts_spark(spark: Any, tmp_path: Path) -> None:
    assert spark is not None  # pyspark and Java are here
    rankwise.write_qrels(MADE.qrels, tmp_path / "qrels.txt")
    rankwise.write_run(MADE.runs[0], tmp_path / "one.run")
    command = [sys.executable, "-m", "rankwise", "score", "qrels.txt", "one.run", "--bounds"]
    engine = ["--engine", "spark", "--master", "local[1]"]
    done = [
        subprocess.run([*command, *more], cwd=tmp_path, capture_output=True, text=True)
        for more in ([], engine)
    ]
    assert "nDCG@10" in done[0].stdout
    assert done[1].stdout == done[0].stdout, done[1].stderr


def test_runs_are_called_as_they_are_locally(on: Any, spark: Any, tmp_path: Path) -> None:
    """By their tags, and by their files where two have the same."""
    for name, tag in {"a": "bm25", "b": "bm25", "c": "splade"}.items():
        rankwise.write_run(Run(MADE.runs[0].frame, name=tag), tmp_path / f"{name}.run.gz")
    found = on.read_runs(spark, str(tmp_path)).select("run").distinct().toArrow()
    assert sorted(found["run"].to_pylist()) == ["a", "b", "splade"]
    named = on.read_runs(spark, {"one": str(tmp_path / "a.run.gz")}).select("run").distinct()
    assert named.toArrow()["run"].to_pylist() == ["one"]
    toy = Path(__file__).parents[1] / "formats/made/mteb/ToyMultilingualRetrieval_predictions.json"
    [german] = rankwise.read_runs(toy, subset="de", split="test")
    there = on.read_runs(spark, str(toy), subset="de", split="test").toArrow().to_pylist()
    assert {row["run"] for row in there} == {german.name} != {toy.stem}
    assert {(row["topic"], row["document"]) for row in there} == {
        row[:2] for row in german.frame.iter_rows()
    }
    with pytest.raises(InputError, match=r"a\.run\.gz: has no subsets or splits. Remove"):
        on.read_runs(spark, str(tmp_path / "a.run.gz"), subset="de")
    (tmp_path / "delta/_delta_log").mkdir(parents=True)
    ROWS.write_parquet(tmp_path / "delta/part.parquet")  # of which some rows may be deleted
    with pytest.raises(InputError, match="is a Delta table, which this Spark cannot read"):
        on.read_runs(spark, str(tmp_path / "delta"))
    (tmp_path / "d.run").write_text("1 Q0 x 1 0.5 d\n1 Q0 y 2 high d\n")
    given = on.read_runs(spark, str(tmp_path / "d.run"))
    with pytest.raises(Exception, match=r"d\.run:2: score 'high' is not a finite number"):
        given.count()
    lenient = on.read_runs(spark, str(tmp_path / "d.run"), lenient=True)
    judged = {"1": {"x": 1}}
    dropped = list(map(str, on.dropped(judged, lenient)))
    assert dropped == ["the run: skipped 1 malformed line"]
    assert on.collect(
        rankwise.read(judged, lenient, lenient=True), metrics="NumRet"
    ).value.tolist() == [[[1.0]]]


@pytest.mark.usefixtures("spark")
def test_the_page_on_spark_runs() -> None:
    run_blocks(PAGE)


def test_a_job_survives_the_death_of_a_worker(
    on: Any, spark: Any, cluster: Any, runs: Any, qrels: Any
) -> None:
    """The last test of all: one worker is left."""
    metrics = every_metric()
    job = on.score(qrels, slowed(runs), metrics, bounds=True)
    found: list[Any] = []
    work = threading.Thread(target=lambda: found.append(rows_of(job)))
    work.start()
    tracker = spark.sparkContext.statusTracker()

    def half_done() -> bool:
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        return any(0 < stage.numCompletedTasks < stage.numTasks for stage in stages if stage)

    wait_for(half_done)
    cluster.kill(cluster.processes[-1])
    assert work.is_alive()
    work.join(120)
    here = rankwise.score(MADE.qrels, MADE.runs, metrics, bounds=True)
    assert_frame_equal(found[0], here.frame.sort("run", "metric", "topic"), check_exact=True)


def slowed(frame: Any) -> Any:
    """The same rows, which take a while to come."""

    def pass_on(batches: Any) -> Any:
        time.sleep(0.5)
        yield from batches

    return frame.repartition(8).mapInArrow(pass_on, frame.schema)


def wait_for(what: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_runs_of_equal_scores_are_named_as_locally(on: Any, spark: Any) -> None:
    flat = pl.when(pl.col("run") == "system1").then(1.0).otherwise("score")
    given = own(ROWS).with_columns(score=flat)
    here = rankwise.score(MADE.qrels, given, "AP")
    there = on.collect(MADE.qrels, spark.createDataFrame(given.to_arrow()), "AP")
    said = "have the same score in run system1 on all "
    assert any(said in note for note in map(str, here.notes))
    same_scores(there, here)


SUBTOPIC_METRICS = "alpha_nDCG@5,ERR_IA@5,NRBP,P_IA@2,StRecall@1,D_nDCG@5,IA(nDCG@5),AP"


@pytest.mark.parametrize("shuffled", [False, True], ids=["sent to all", "shuffled"])
def test_subtopics_are_scored_as_locally(
    on: Any, spark: Any, shuffled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shuffled:
        monkeypatch.setattr("rankwise.spark.job.BROADCAST", 0)
    made = rankwise.simulate(topics=4, systems=3, depth=20, subtopics=3)
    assert made.qrels.subtopics is not None
    rows = pl.concat([run.frame.with_columns(run=pl.lit(run.name)) for run in made.runs])
    there = on.score(
        spark.createDataFrame(made.qrels.subtopics.to_arrow()),
        spark.createDataFrame(rows.to_arrow()),
        SUBTOPIC_METRICS,
        bounds=True,
    )
    here = rankwise.score(made.qrels, made.runs, SUBTOPIC_METRICS, bounds=True)
    expected = here.frame.sort("run", "metric", "topic")
    assert_frame_equal(rows_of(there), expected, check_exact=True)


def test_preferences_are_scored_as_locally(on: Any, spark: Any) -> None:
    made = rankwise.simulate(topics=4, systems=3, depth=20, preferences=30)
    rows = pl.concat([run.frame.with_columns(run=pl.lit(run.name)) for run in made.runs])
    assert made.preferences is not None
    names = "Compat,AgreedPairs"
    there = on.score(made.preferences, spark.createDataFrame(rows.to_arrow()), names, bounds=True)
    here = rankwise.score(made.preferences, made.runs, names, bounds=True)
    expected = here.frame.sort("run", "metric", "topic")
    assert_frame_equal(rows_of(there), expected, check_exact=True)
