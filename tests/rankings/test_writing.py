"""What is written reads back as it was."""

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, strategies as st

from rankwise import CallError, read_qrels, read_runs, score, simulate, write_qrels, write_run
from rankwise.vocabulary import Order

MADE = simulate(topics=4, systems=2, seed=3)
NAMES = st.text("abc1é-", min_size=1, max_size=3)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_runs_and_judgments_score_the_same_from_files(tmp_path: Path, suffix: str) -> None:
    qrels = tmp_path / f"qrels.txt{suffix}"
    write_qrels(MADE.qrels, qrels)
    files = [tmp_path / f"{run.name}.run{suffix}" for run in MADE.runs]
    for run, file in zip(MADE.runs, files, strict=True):
        write_run(run, file)
    before, after = score(MADE.qrels, MADE.runs), score(qrels, files)
    assert after.runs == before.runs and after.value.tolist() == before.value.tolist()


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, NUMBERS, min_size=1), min_size=1))
def test_every_score_reads_back_to_the_last_bit(run: dict[str, dict[str, float]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "written.run"
        write_run(run, path, name="x")
        [again] = read_runs(path)
        lines = [line.split() for line in path.read_text().splitlines()]
    rows = {(topic, document): value for topic, document, value in again.frame.rows()}
    assert rows == {(t, d): v for t, scores in run.items() for d, v in scores.items()}
    assert len(lines) == len(rows)
    for topic, scores in run.items():
        wanted = sorted(scores, key=lambda d: (scores[d], d.encode()), reverse=True)
        here = [(line[2], int(line[3])) for line in lines if line[0] == topic]
        assert here == [(document, rank) for rank, document in enumerate(wanted, 1)]


@pytest.mark.parametrize(
    ("order", "documents"), [("score", "cba"), ("rank", "abc"), ("file", "bac")]
)
def test_ranks_follow_the_order_asked_for(tmp_path: Path, order: Order, documents: str) -> None:
    given = tmp_path / "given.run"
    given.write_text("1 Q0 b 2 2 x\n1 Q0 a 1 1 x\n1 Q0 c 3 3 x\n")
    write_run(given, tmp_path / "out", order=order)
    lines = [line.split() for line in (tmp_path / "out").read_text().splitlines()]
    assert [line[2] for line in lines] == list(documents)
    assert [line[3] for line in lines] == ["1", "2", "3"]
    assert {line[5] for line in lines} == {"x"}


def test_what_cannot_be_written_is_said_and_leaves_no_file(tmp_path: Path) -> None:
    run = {"1": {"a": 1.0}}
    cases: list[tuple[Any, str, str, str]] = [
        ({"1": {"a b": 1.0}}, "x", "run", "document 'a b' has a blank in it"),
        (run, "my run", "run", "name 'my run' has a blank in it"),
        (run, "", "run", "name '' is empty"),
        ({"#1": {"a": 1.0}}, "x", "run", "topic '#1' begins with #"),
        (run, "x", "run.zst", "zstd files can be read, but not written"),
        ({"one": run, "two": run}, "x", "run", "write_run takes one run; 2 are given"),
    ]
    for wrong, name, suffix, message in cases:
        with pytest.raises(CallError, match=message):
            write_run(wrong, tmp_path / f"out.{suffix}", name=name)
    with pytest.raises(CallError, match="there is no folder"):
        write_qrels({"1": {"a": 1}}, tmp_path / "no" / "folder")
    assert not list(tmp_path.iterdir())


def test_the_same_judgments_make_the_same_file(tmp_path: Path) -> None:
    one, two = tmp_path / "one.gz", tmp_path / "two.gz"
    for path in (one, two):
        write_qrels({"1": {"a": 2, "b": -1}}, path)
    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()) == b"1 0 a 2\n1 0 b -1\n"
    assert read_qrels(one).frame.rows() == [("1", "a", 2), ("1", "b", -1)]
