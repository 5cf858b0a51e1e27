"""Standard streams that are closed, full or old, readers that go away, and interrupts."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from faults.calls import COMMAND, Run, environment, sound

pytestmark = pytest.mark.slow

CALLS = [["metrics", "list"], ["metrics", "show", "nDCG"], ["score", "--help"], ["study"]]


@pytest.mark.parametrize("args", CALLS, ids=" ".join)
def test_a_full_disk_behind_standard_output_is_one_message(run: Run, args: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(*args, stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"rankwise: standard output cannot be written: No space left on device.\n"


@pytest.mark.parametrize("redirected", ["2>/dev/full", "2>&-"])
def test_messages_that_cannot_be_written_do_not_change_the_exit_code(
    tmp_path: Path, redirected: str
) -> None:
    """The verdict of a gate, and the code of wrong input."""
    qrels, first, second = sound(tmp_path)
    for verdict, *args in (
        (0, "gate", qrels, first, second, "--min", "P@10=0"),
        (1, "gate", qrels, first, second, "--min", "P@10=1"),
        (2, "gate", qrels, first, second, "--max-unjudged", "10=0", "--min", "P@10=0"),
        (0, "compare", qrels, first, second),
        (2, "gate", qrels, first, "missing", "--min", "P@10=0"),
        (2, "gate", qrels, first),
    ):
        called = list(map(str, args))
        done = shell(tmp_path, redirected, *called)
        assert done.returncode == verdict, called
        assert bool(done.stdout) == ("missing" not in called and len(called) > 3)


def shell(folder: Path, redirected: str, *args: str) -> "subprocess.CompletedProcess[bytes]":
    line = " ".join([*COMMAND, *args, redirected])
    return subprocess.run(
        ["sh", "-c", line], cwd=folder, env=environment(), capture_output=True, timeout=60
    )


def test_streams_that_the_shell_closed_are_no_traceback(tmp_path: Path) -> None:
    qrels, first, _ = sound(tmp_path)
    done = shell(tmp_path, ">&-", "score", qrels, first)
    assert done.returncode == 2 and b"standard output cannot be written" in done.stderr
    done = shell(tmp_path, ">&-", "score", qrels, first, "-o", "out.csv")
    assert done.returncode == 0 and (tmp_path / "out.csv").read_text().startswith("run,")
    done = shell(tmp_path, "<&-", "score", qrels, first)
    assert done.returncode == 0 and done.stdout
    done = shell(tmp_path, "<&-", "score", "-", first)
    assert (done.returncode, done.stderr) == (2, b"rankwise: standard input: is closed.\n")
    done = shell(tmp_path, "2>&-", "score", qrels, "missing")
    assert (done.returncode, done.stdout) == (2, b"")
    done = shell(tmp_path, "<&- >&- 2>&-", "score", qrels, first)
    assert done.returncode == 2


# Where Python says ascii, click writes UTF-8: so does nearly every terminal of LANG=C.
@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "utf-8"])
def test_letters_that_a_terminal_lacks_are_spelled_out(
    run: Run, tmp_path: Path, encoding: str
) -> None:
    qrels, *runs = sound(tmp_path)
    old = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = run("metrics", "show", "RBP", env=old)
    assert done.returncode == 0 and "Σ" in done.stdout.decode(encoding).replace("Sigma", "Σ")
    done = run("compare", qrels, *runs, "-m", "AP", env=old)
    assert done.returncode == 0 and done.stdout.decode(encoding)
    notes = done.stderr.decode(encoding)
    has_alpha = encoding in ("utf-8", "cp437")
    assert ("α = 0.05" in notes, "alpha = 0.05" in notes) == (has_alpha, not has_alpha)


def test_csv_is_utf8_whatever_the_terminal(run: Run, tmp_path: Path) -> None:
    qrels, first, _ = sound(tmp_path)
    text = Path(first).read_text().replace("system1", "система")
    Path(first).write_text(text)
    done = run("score", qrels, first, "--format", "csv", env={"PYTHONIOENCODING": "latin-1"})
    assert "система,all,AP" in done.stdout.decode()


@pytest.mark.parametrize("args", CALLS, ids=" ".join)
def test_a_reader_that_went_away_is_told_by_the_exit_code(run: Run, args: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run(*args, stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


def test_an_interrupt_exits_with_130(tmp_path: Path) -> None:
    qrels, *_ = sound(tmp_path)
    os.mkfifo(tmp_path / "slow")
    call = subprocess.Popen(
        [*COMMAND, "score", qrels, "slow"], cwd=tmp_path, env=environment(), stderr=subprocess.PIPE
    )
    with (tmp_path / "slow").open("wb") as pipe:  # opens when it is being read
        pipe.write(b"1 Q0 a 1 1 t\n")
        pipe.flush()
        time.sleep(0.2)
        call.send_signal(signal.SIGINT)
        _, said = call.communicate(timeout=30)
    assert call.returncode == 130 and b"Traceback" not in said


READY = """
import sys
from rankwise.cli import script
sys.argv = ["rankwise", *sys.argv[1:]]
print("ready", flush=True)
script()
"""


def interrupted(folder: Path, delay: float, *args: str) -> tuple[int, bytes, float]:
    """The exit code of a call that is interrupted, what it said, and how long that took."""
    command = [sys.executable, "-c", READY, *args]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=folder, env=environment(), **pipes) as call:
        assert call.stdout is not None and call.stdout.readline() == b"ready\n"
        time.sleep(delay)
        call.send_signal(signal.SIGINT)
        sent = time.monotonic()
        _, said = call.communicate(timeout=60)
    return call.returncode, said, time.monotonic() - sent


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_an_interrupt_is_one_line_during_imports_too(tmp_path: Path) -> None:
    qrels, *runs = sound(tmp_path)
    outcomes = [interrupted(tmp_path, at / 30, "compare", qrels, *runs) for at in range(1, 16)]
    # The call may be done before, or all but its end: everything is printed by then.
    ended = [(c, said) for c, said, _ in outcomes if c != 0 and b"use --notes" not in said]
    assert len(ended) > 5 and set(ended) == {(130, b"rankwise: interrupted.\n")}


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_a_long_call_of_numpy_hears_an_interrupt_within_a_second(tmp_path: Path) -> None:
    qrels, *runs = sound(tmp_path)
    many = ("metrics", "discriminate", qrels, *runs, "-m", "AP", "--resamples", "30000000")
    code, said, seconds = interrupted(tmp_path, 2, *many)
    assert (code, said.splitlines()[-1:]) == (130, [b"rankwise: interrupted."])
    assert seconds < 1


def test_what_is_half_written_is_removed_on_an_interrupt(tmp_path: Path) -> None:
    script = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from rankwise.cli.interrupts import end_on_interrupt\n"
        "from rankwise.formats.files import write_whole\n"
        "end_on_interrupt()\n"
        "os.fsync = lambda number: os.kill(os.getpid(), signal.SIGINT)\n"
        "write_whole(Path('out.csv'), b'new')\n"
    )
    (tmp_path / "out.csv").write_text("old")
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stderr) == (130, b"rankwise: interrupted.\n")
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]
    assert (tmp_path / "out.csv").read_text() == "old"


def test_who_ignores_interrupts_goes_on_doing_so(tmp_path: Path) -> None:
    script = (
        "import os, signal\n"
        "from rankwise.cli.interrupts import end_on_interrupt\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "end_on_interrupt()\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "print('goes on')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"goes on\n")
