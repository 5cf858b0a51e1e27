"""`rankwise convert`, and what else goes to other tools and comes from them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from calls import runs_of

CONSOLE = Path(sys.executable).with_name("rankwise")

MADE = Path(__file__).parents[1] / "formats" / "made"
PREDICTIONS = str(MADE / "mteb" / "ToyMultilingualRetrieval_predictions.json")


def test_a_run_goes_to_another_format_and_back(rankwise: Any, collection: Path) -> None:
    run = runs_of(collection)[0]
    done = rankwise("convert", run, "run.json", "--format", "mteb")
    assert (done.code, done.err) == (0, "note: wrote 1 run with 80 rows as mteb\n")
    assert rankwise("convert", "run.json", "again.run.gz").code == 0
    before = rankwise("score", str(collection / "qrels.txt"), run, "--format", "csv")
    after = rankwise("score", str(collection / "qrels.txt"), "again.run.gz", "--format", "csv")
    assert before.code == 0 and after.out == before.out


def test_a_file_is_not_converted_into_itself(rankwise: Any, collection: Path) -> None:
    run = runs_of(collection)[0]
    before = Path(run).read_bytes()
    done = rankwise("convert", run, f"{collection}/runs/../runs/{Path(run).name}")
    assert done.code == 2 and "this file is also an input" in done.err
    assert Path(run).read_bytes() == before


def test_judgments_go_to_elasticsearch(rankwise: Any, collection: Path) -> None:
    qrels = str(collection / "qrels.txt")
    asked = ("convert", qrels, "request.json", "--format", "elasticsearch")
    assert rankwise(*asked).err.endswith("that has the documents. Use --index NAME to name it.\n")
    assert rankwise(*asked, "--index", "shop").code == 0
    request = json.loads(Path("request.json").read_text())
    first = request["requests"][0]
    assert {"id", "template_id", "params", "ratings"} == first.keys()
    assert {"_index", "_id", "rating"} == first["ratings"][0].keys()


def test_what_could_be_either_is_asked_for_as_a_flag(rankwise: Any) -> None:
    Path("x.json").write_text('{"1": {"a": 1}}')
    done = rankwise("convert", "x.json", "x.csv")
    assert done.code == 2 and "Use --kind run or --kind qrels" in done.err
    assert rankwise("convert", "x.json", "x.csv", "--kind", "qrels").code == 0
    assert Path("x.csv").read_text() == "topic,document,grade\n1,a,1\n"


def test_columns_of_any_name_are_converted(rankwise: Any) -> None:
    Path("x.csv").write_text("search_term,code,stars\nshoes,007,3\n")
    names = "topic=search_term,document=code,grade=stars"
    assert rankwise("convert", "x.csv", "y.csv", "--columns", names).code == 0
    assert Path("y.csv").read_text() == "topic,document,grade\nshoes,007,3\n"


def test_a_subset_and_a_split_are_chosen_by_every_command_with_runs(rankwise: Any) -> None:
    Path("qrels.json").write_text('{"q1": {"d1": 1}, "q2": {"d2": 1}}')
    part = ("--subset", "de", "--split", "test")
    done = rankwise("convert", PREDICTIONS, "out.run", *part)
    assert done.code == 0 and Path("out.run").read_text().count("\n") == 6
    done = rankwise("score", "qrels.json", PREDICTIONS, "-m", "AP", "--format", "csv", *part)
    assert "mteb/baseline-random-encoder,all,AP,0.75,2" in done.out
    others = {
        "overview": ("qrels.json", PREDICTIONS),
        "explain": ("qrels.json", PREDICTIONS, "--topic", "q1", "-m", "AP"),
        "plan next": ("qrels.json", PREDICTIONS, "-m", "P@3", "--budget", "1"),
        "pool": (PREDICTIONS, "--depth", "1"),
        "compare": ("qrels.json", PREDICTIONS, "out.run", "-m", "AP"),
        "report": ("qrels.json", PREDICTIONS, "-o", "report.html"),
    }
    for command, given in others.items():
        assert rankwise(*command.split(), *given, *part).code == 0, command
        assert "Use --subset en" in rankwise(*command.split(), *given).err, command


@pytest.mark.parametrize("tool", ["quepid", "quepid-json", "opensearch", "elasticsearch"])
def test_a_pool_and_a_plan_are_templates_for_tools(
    tool: str, rankwise: Any, collection: Path
) -> None:
    qrels, runs = str(collection / "qrels.txt"), runs_of(collection)
    to = ("--for", tool, *(("--index", "shop") if tool == "elasticsearch" else ()))
    pool = ("pool", *runs, "--depth", "2")
    plan = ("plan", "next", qrels, *runs, "-m", "P@10", "--budget", "3")
    pooled = [line.split()[2] for line in rankwise(*pool).out.splitlines()]
    rankwise(*plan, "-o", "plan.csv")
    planned = [line.split(",")[1] for line in Path("plan.csv").read_text().splitlines()[1:]]
    assert len(pooled) > 5 and len(planned) == 3
    for command, documents in ((pool, pooled), (plan, planned)):
        done = rankwise(*command, *to)
        assert done.code == 0 and all(document in done.out for document in documents)
    # What is rated already is read back.
    assert rankwise(*pool, "--qrels", qrels, *to, "-o", "rated").code == 0
    assert rankwise("score", "rated", *runs, "-m", "P@2").code == 0


def test_an_index_without_elasticsearch_is_refused(rankwise: Any, collection: Path) -> None:
    done = rankwise("pool", *runs_of(collection), "--depth", "1", "--index", "x")
    assert done.code == 2 and "--index applies only with --for elasticsearch" in done.err


def test_scores_of_our_own_and_of_pyterrier_are_compared(rankwise: Any, collection: Path) -> None:
    asked = ("score", str(collection / "qrels.txt"), *runs_of(collection), "-m", "AP", "-m", "RR")
    assert rankwise(*asked, "--by-topic", "-o", "scores.csv").code == 0
    assert rankwise(*asked, "--by-topic", "-o", "scores.parquet").code == 0
    direct = rankwise("metrics", "correlate", *asked[1:], "--format", "csv")
    for file in ("scores.csv", "scores.parquet"):
        done = rankwise("metrics", "correlate", "--scores", file, "--format", "csv")
        assert done.code == 0 and done.out == direct.out
    done = rankwise("compare", "--scores", str(MADE / "pyterrier" / "perquery.csv"))
    assert done.code == 0 and "bm25" in done.out and "ndcg_cut_10" in done.out
    mixed = rankwise("compare", "--scores", "scores.csv", "--scores", "AP=scores.csv")
    assert mixed.code == 2 and "Give a name to all of them: AP=ap.csv." in mixed.err
    assert rankwise(*asked, "-o", "means.csv").code == 0
    done = rankwise("compare", "--scores", "means.csv")
    assert (
        done.code == 2
        and "has only means over topics. Use `rankwise score QRELS RUN... --by-topic`" in done.err
    )


def test_a_hyphen_is_standard_output(rankwise: Any, collection: Path) -> None:
    run = next(iter((collection / "runs").iterdir()))
    for form in ("trec", "csv", "parquet"):
        made = collection.parent / f"made.{form}"
        assert rankwise("convert", str(run), str(made), "--format", form, "--kind", "run").code == 0
        command = [str(CONSOLE), "convert", str(run), "-", "--format", form, "--kind", "run"]
        done = subprocess.run(command, capture_output=True, cwd=collection.parent)
        assert done.returncode == 0 and done.stdout == made.read_bytes()
        assert b"wrote 1 run with" in done.stderr
    assert not (collection.parent / "-").exists()


def test_negative_ratings_are_named(rankwise: Any, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b -1\n")
    asked = ("convert", "qrels.txt", "request.json", "--format", "elasticsearch", "--index", "shop")
    assert "1 grade is negative; DCG in Elasticsearch" in rankwise(*asked).err
