"""Mutations of every format through the command line, and all that was ever found."""

import json
import sys
from pathlib import Path

import pytest

from faults.hunt import FOUND, Worker, hunt, what_is_wrong
from faults.seeds import seeds

CASES = sorted(FOUND.glob("*.call"))


@pytest.mark.skipif(sys.platform == "win32", reason="the limits are those of POSIX")
@pytest.mark.parametrize("count", [50, pytest.param(2_000, marks=pytest.mark.slow)])
def test_every_mutation_is_an_answer_or_one_message(count: int) -> None:
    wrongs, accepted = hunt(count, seconds=600, seed=20261116, keep=False)
    assert wrongs.total() == count and accepted > count / 10
    del wrongs[""]
    assert not wrongs


@pytest.mark.skipif(sys.platform == "win32", reason="the limits are those of POSIX")
def test_what_was_found_once_stays_mended(tmp_path: Path) -> None:
    seeds(tmp_path)
    worker = Worker()
    assert len(CASES) >= 5
    for call in CASES:
        args = json.loads(call.read_text())["args"]
        case = call.with_suffix("")
        (tmp_path / case.name).write_bytes(case.read_bytes())
        given = [a.replace("{folder}", str(tmp_path)) for a in args]
        done = worker.run([a.replace("{}", str(tmp_path / case.name)) for a in given])
        assert what_is_wrong(done) == "", case.name
    worker.stop()


@pytest.mark.parametrize(
    ("done", "wrong"),
    [
        ({"code": "traceback", "err": "Traceback\nValueError: x"}, "traceback: ValueError "),
        ({"code": "hang", "err": ""}, "hang:  "),
        ({"code": 2, "err": ""}, "exit code 2 without a message"),
        ({"code": 2, "err": "rankwise: x: SchemaMismatch\n"}, "names internals: SchemaMismatch"),
        ({"code": 0, "err": "thread '<unnamed>' panicked at x.rs"}, "names internals: panicked"),
        ({"code": 2, "err": "note: a\nrankwise: x: is empty.\n"}, ""),
        ({"code": 0, "err": ""}, ""),
    ],
)
def test_what_is_wrong_is_seen(done: dict[str, object], wrong: str) -> None:
    assert what_is_wrong(done) == wrong
