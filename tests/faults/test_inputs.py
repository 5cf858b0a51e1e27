"""Input that once ended in a traceback, a hang, too much memory or a silent guess."""

import gzip
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

import rankwise
from faults.calls import Run, environment, sound
from faults.hunt import REPORT
from rankwise.errors import InputError
from rankwise.formats import read_matrix
from rankwise.rankings.reading import read_qrels, read_runs


def refused(content: bytes | str, name: str, folder: Path) -> InputError:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    return caught.value


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_a_damaged_binary_table_is_one_message(
    form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"q.{form}"
    rankwise.write_qrels({"1": {f"d{n}": n % 2 for n in range(50)}}, path)
    sound_bytes, refusals = path.read_bytes(), 0
    for at in range(0, len(sound_bytes), 7):
        path.write_bytes(sound_bytes[:at] + b"\xff\x80\x7f" + sound_bytes[at + 3 :])
        try:
            read_qrels(path)
        except InputError as error:
            refusals += 1
            assert "thrift" not in str(error) and "polars" not in str(error)
    assert refusals > 20
    assert REPORT.sub("", capfd.readouterr().err).strip() == ""


@pytest.mark.parametrize(
    "nested", [[["a"], ["b"]], [{"x": "a"}, {"x": "b"}]], ids=["list", "struct"]
)
@pytest.mark.parametrize("column", ["topic", "document", "grade"])
def test_a_column_of_lists_or_objects_is_refused(nested: list[object], column: str) -> None:
    rows: dict[str, list[object]] = {"topic": ["1", "1"], "document": ["a", "b"], "grade": [1, 0]}
    with pytest.raises(InputError, match=f"column {column} has lists or objects"):
        read_qrels(pl.DataFrame(rows | {column: nested}))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("q.csv", "topic,document,grade\n1,a,1\n1,b\r,1\n", "q.csv:3: a carriage return"),
        ("q.csv", 'topic,document,grade\n1,a,1\n1,"b,1\n', "q.csv:3: unbalanced quotes"),
        ("q.csv", "topic,document,grade,grade\n1,a,1,0\n", "two columns called 'grade'"),
        ("q.csv", "topic,document,grade\n1,a,1\n1,b,2,3\n", "q.csv:3: 4 fields instead of 3"),
        (
            "q.tsv",
            'topic\tdocument\tgrade\n1\t"a\tb"\t1\n',
            "q.tsv:2: a quoted field that contains",
        ),
        ("q.tsv", 'topic\tdocument\tgrade\n1\t"a\t1\n1\tb"\t0\n', "q.tsv:2: a quoted field"),
        ("q.txt", "1 0 a 1\n\ufeff2 0 b 1\n", "q.txt:2: a byte-order mark inside"),
        ("q.json", "[" * 100_000, "nested more than"),
        ("q.jsonl", '{"topic":' * 100_000, "q.jsonl:1: its lists or objects are nested more"),
        ("q.json", '{"1": {"a": 1, "a": 0}}', "the name 'a' twice"),
        ("q.json", '{"1": {"\\ud800": 1}}', "half of a surrogate pair"),
        ("q.json", '{"1": [["a", 1], []]}', "for each document"),
        ("q.json", '{"1": [{"document": "a", "grade": 1}, 2]}', "is not the name of a document"),
    ],
)
def test_what_was_a_traceback_or_a_guess_is_a_message(
    name: str, text: str, said: str, tmp_path: Path
) -> None:
    assert said in str(refused(text, name, tmp_path))


def test_a_run_with_a_mark_inside_is_refused_too(tmp_path: Path) -> None:
    qrels, run, _ = sound(tmp_path)
    lines = Path(run).read_text().splitlines(keepends=True)
    Path(run).write_text("".join([*lines[:3], "\ufeff" + lines[3], *lines[4:]]))
    with pytest.raises(InputError, match=r":4: a byte-order mark inside"):
        rankwise.score(qrels, run, ["AP"])


def test_a_matrix_with_a_carriage_return_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_bytes(b"topic,a\n1,0.5\n2,0\r.5\n")
    with pytest.raises(InputError, match=r"m.csv:3: a carriage return inside the line"):
        read_matrix(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", b"topic,document,grade\n1,a,1\n1,b,2,3\n1,c,0\n"),
        (
            "q.jsonl",
            b'{"topic":"1","document":"a","grade":1}\n{"topic":\n'
            b'{"topic":"1","document":"c","grade":0}\n',
        ),
        ("q.txt", b"1 0 a 1\n1 0 \xff 1\n1 0 c 0\n"),
    ],
)
def test_lenient_reaches_every_format(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    found = read_qrels(tmp_path / name, lenient=True)
    assert found.frame.rows() == [("1", "a", 1), ("1", "c", 0)]
    assert list(map(str, found.notes)) == [f"{tmp_path / name}: skipped 1 malformed line"]


def test_lenient_reaches_zstd(tmp_path: Path) -> None:
    compression = pytest.importorskip("zstandard")
    path = tmp_path / "q.txt.zst"
    path.write_bytes(compression.compress(b"1 0 a 1\n1 0 \xff 1\n1 0 c 0\n"))
    assert read_qrels(path, lenient=True).frame["document"].to_list() == ["a", "c"]


def test_an_order_of_systems_may_hold_a_blank_that_is_none(run: Run, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("x\n\xa0\n", encoding="utf-8")
    done = run("metrics", "correlate", "--orders", "a.txt", "b.txt")
    assert b"Traceback" not in done.stderr and done.returncode == 0


def test_a_file_of_another_format_is_given_up_early(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text(
        "".join(f"line {number} of a book that is no run\n" for number in range(600_000))
    )
    started = time.process_time()
    with pytest.raises(InputError) as caught:
        read_runs(path)
    assert "not checked" in str(caught.value)
    assert len(caught.value.faults) == 10 and 1_000 < caught.value.count < 300_000
    assert time.process_time() - started < 10


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_what_expands_without_end_is_stopped(
    pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    qrels, first, _ = sound(tmp_path)
    bomb = tmp_path / "bomb"
    bomb.write_bytes(pack(b"1 Q0 d 1 1 t\n" * 400_000))
    done = run("score", qrels, "bomb", "--max-size", "1M")
    assert done.returncode == 2
    assert (
        b"bomb: is not read, because it is larger than 1 MB" in done.stderr
        and b"--max-size 20G" in done.stderr
    )
    monkeypatch.setenv("RANKWISE_MAX_SIZE", "1M")
    with pytest.raises(InputError, match=r"os\.environ\['RANKWISE_MAX_SIZE'\] = '20G'"):
        read_runs(bomb)
    assert read_runs(first)  # a file that is not compressed is as large as it is


def test_long_lines_are_cut_in_messages(tmp_path: Path) -> None:
    path = tmp_path / "long.run"
    path.write_text("1 Q0 d 1 " + "x" * 10_000_000 + " t\n")
    with pytest.raises(InputError) as caught:
        read_runs(path)
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize("name", ["p.csv", "p.run"])
def test_a_named_pipe_is_read_once(run: Run, tmp_path: Path, name: str) -> None:
    qrels, first, _ = sound(tmp_path)
    os.mkfifo(tmp_path / name)
    rows = [line.split() for line in Path(first).read_text().splitlines()]
    text = "topic,document,score\n" + "".join(f"{r[0]},{r[2]},{r[4]}\n" for r in rows)
    content = Path(first).read_text() if name == "p.run" else text
    writer = threading.Thread(target=lambda: (tmp_path / name).write_text(content), daemon=True)
    writer.start()
    done = run("score", qrels, name, "-m", "AP", "--format", "csv")
    assert done.returncode == 0, done.stderr
    whole = run("score", qrels, first, "-m", "AP", "--format", "csv")
    assert done.stdout.split(b",")[-2] == whole.stdout.split(b",")[-2]


def test_a_named_pipe_is_not_converted_by_guessing(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.csv")
    done = run("convert", "p.csv", "out.txt")
    assert (
        done.returncode == 2
        and b"p.csv can be read only once, so its kind must be given. Use --kind run" in done.stderr
    )


FORKS = """
import multiprocessing, sys
import polars as pl
import rankwise
def child(): rankwise.score(sys.argv[1], sys.argv[2], ["AP"])
def main():
    pl.DataFrame({"a": list(range(100000))}).lazy().group_by("a").agg(pl.len()).collect()
    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(30)
    print("hangs" if process.exitcode is None else process.exitcode)
    process.kill()
main()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.parametrize("native", ["0", "1"])
def test_a_forked_child_says_that_it_cannot_go_on(tmp_path: Path, native: str) -> None:
    qrels, first, _ = sound(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", FORKS, qrels, first],
        env=environment(RANKWISE_NATIVE=native),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == "1", done.stderr
    assert "before this process was forked" in done.stderr and "spawn" in done.stderr
