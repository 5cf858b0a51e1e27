"""JSON of every command says what it was made with; csv and parquet are rows only."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rankwise import __version__
from rankwise.simulation import simulate

pytestmark = pytest.mark.slow

COMMANDS: dict[str, list[str]] = {
    "score": ["-m", "AP(rel=2)", "-m", "nDCG@10", "--confidence", "0.9", "--seed", "3"],
    "compare": ["-m", "AP(rel=2)", "-m", "nDCG@10", "--test", "permutation", "--seed", "3"],
    "metrics discriminate": [
        "-m",
        "AP(rel=2)",
        "-m",
        "nDCG@10",
        "--resamples",
        "20",
        "--seed",
        "3",
    ],
    "metrics stability": ["-m", "AP(rel=2)", "-m", "nDCG@10", "--by", "sample", "--seed", "3"],
    "metrics choose": ["-m", "AP(rel=2)", "-m", "nDCG@10", "--seed", "3"],
    "metrics correlate": ["-m", "AP(rel=2)", "-m", "nDCG@10"],
    "plan next": ["-m", "P@10", "--budget", "5"],
    "overview": [],
}
OTHERS = {
    "published invert": ["--p", "0.8", "--score", "0.41"],
    "published compare": ["--a", "p=0.8,score=0.9", "--b", "p=0.95,score=0.01"],
    "metrics list": [],
    "metrics properties": ["-m", "P@1", "--depth", "2"],
}


@pytest.fixture
def made(tmp_path: Path) -> list[str]:
    simulate(topics=6, systems=3, depth=20, pool_depth=8, seed=3).write(tmp_path / "made")
    runs = sorted((tmp_path / "made" / "runs").iterdir())
    return [str(tmp_path / "made" / "qrels.txt"), *map(str, runs)]


@pytest.mark.parametrize("command", [*COMMANDS, *OTHERS])
def test_json_has_a_header_and_csv_the_same_rows(
    rankwise: Any, made: list[str], command: str
) -> None:
    given = [*made, *COMMANDS[command]] if command in COMMANDS else OTHERS[command]
    asked = [*command.split(), *given]
    every_note = [] if command == "metrics list" else ["--notes"]
    done = rankwise(*asked, "--format", "json", *every_note)
    assert done.code == 0
    read = json.loads(done.out)
    assert (read["version"], read["command"]) == (__version__, command)
    assert list(read)[-2:] == ["notes", "rows"] and len(read["rows"]) > 0
    said = done.err.splitlines()
    # Sentences of compare say what these notes say.
    in_sentences = {"summary", "assumption"} if command == "compare" else set[str]()
    notes = [note for note in read["notes"] if note["kind"] not in in_sentences]
    texts = [note["text"] for note in notes[:5]]
    assert sum(any(text in line for line in said) for text in texts) == len(texts)
    if command == "metrics list":  # JSON describes each metric in full
        return
    table = pl.read_csv(rankwise(*asked, "--format", "csv").out.encode(), infer_schema_length=None)
    assert table.columns == list(read["rows"][0]) and table.height == len(read["rows"])


@pytest.mark.parametrize("command", [*COMMANDS])
def test_a_header_says_of_how_many_topics(rankwise: Any, made: list[str], command: str) -> None:
    read = json.loads(rankwise(*command.split(), *made, *COMMANDS[command], "--format", "json").out)
    assert read["topics"] == 6


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if COMMANDS[name][:2] == ["-m", "AP(rel=2)"]]
)
def test_metrics_come_with_all_their_parameters(
    rankwise: Any, made: list[str], command: str
) -> None:
    done = rankwise(*command.split(), *made, *COMMANDS[command], "--format", "json")
    read = json.loads(done.out)
    assert command == "metrics correlate" or read["seed"] == 3
    first, second = read["metrics"]
    assert first["name"] == "AP(rel=2)" and first["parameters"]["rel"] == 2
    assert first["parameters"]["cutoff"] is None  # defaults too
    assert second["name"] == "nDCG@10" and second["parameters"]["cutoff"] == 10


def test_scores_made_elsewhere_have_the_name_of_their_metric(rankwise: Any) -> None:
    Path("m.csv").write_text("topic,a,b\n1,0.1,0.2\n2,0.4,0.1\n3,0.5,0.6\n")
    done = rankwise("compare", "--scores", "Mine=m.csv", "--format", "json")
    assert json.loads(done.out)["metrics"] == [{"name": "Mine", "parameters": {}}]
