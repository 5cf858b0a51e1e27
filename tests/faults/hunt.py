"""Mutations through the command line, in worker processes; what goes wrong is saved, minimised.

`python -m faults.hunt --count 20000 --seed 1`, or `--minutes 10`.
"""

import argparse
import hashlib
import json
import os
import random
import re
import select
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from faults.mutators import mutated
from faults.seeds import Seed, seeds

FOUND = Path(__file__).with_name("found")
SECONDS = 20.0  # that a case may take, on a machine that others use too
# Words of our own insides, or of the libraries', that no message may have.
INTERNALS = re.compile(
    r"Traceback|panicked|PanicException|polars|SchemaMismatch|thrift|flatbuffer|ComputeError|"
    r"_csv|numpy|object at 0x|NoneType|dtype|ndarray|rayon|RUST_BACKTRACE|site-packages|\.py\b",
)
# Of a damaged table that polars did not foresee Rust prints a report, past Python. The library
# leaves standard error to the process, so this alone may stand before our message.
REPORT = re.compile(
    r"^\s*thread '[^\n]*' (?:\(\d+\) )?panicked at [^\n]*:\d+:\d+:\n[^\n]*\n(?: +[^\n]*\n)*"
    r"(?:stack backtrace:\n(?: +[^\n]*\n)*)?(?:note: [^\n]*\n)?",
    re.M,
)


@dataclass(frozen=True)
class Case:
    """A file and a call on it."""

    name: str
    content: bytes
    args: tuple[str, ...]


@dataclass
class Worker:
    """A worker process, started again when it died or was too slow."""

    native: bool = True
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def run(self, args: list[str]) -> dict[str, object]:
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps({"args": args}) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], SECONDS)
        line = process.stdout.readline() if ready else ""
        if line:
            found: dict[str, object] = json.loads(line)
            return found
        self.stop()
        return {"code": "hang" if not ready else "crash", "out": "", "err": ""}

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            environment = os.environ | {"RANKWISE_NATIVE": str(int(self.native))}
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
            self._process = subprocess.Popen(
                [sys.executable, "-m", "faults.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
            )
        return self._process

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()  # which closes the pipes, too
            self._process = None


def what_is_wrong(done: dict[str, object]) -> str:
    """Nothing where it is an answer, or one message and exit code 2."""
    code, err = done["code"], REPORT.sub("", str(done["err"]))
    if code not in (0, 2):
        last = err.strip().splitlines()[-1][:80] if err.strip() else ""
        where = re.findall(r'File "[^"]*rankwise/([^"]+)", line \d+, in (\w+)', err)
        return f"{code}: {re.sub('[0-9]+', '#', last.split(':')[0])} {where[-1] if where else ''}"
    said = re.sub(r"/\S+", "", err)  # names of files are the user's
    if inside := INTERNALS.search(said):
        return f"names internals: {inside[0]}"
    if code == 2 and not re.match(r"(note: .*\n)*rankwise: .", err):
        return "exit code 2 without a message"
    return "" if len(err) < 20_000 else "a message without end"


def cases(folder: Path, seed: int) -> Iterator[Case]:
    """Mutations of every format in turn, for ever."""
    known, rng = sound(folder), random.Random(seed)
    while True:
        for one in known:
            yield Case(one.name, mutated(one.content, rng), rng.choice(one.calls))


def sound(folder: Path) -> list[Seed]:
    """The files with the calls that take them as they are: a run is not read as judgments."""
    worker, found = Worker(), []
    for one in seeds(folder):
        cases = [Case(one.name, one.content, call) for call in one.calls]
        calls = [case.args for case in cases if tried(case, worker, folder)["code"] == 0]
        if calls:
            found.append(one._replace(calls=tuple(calls)))
    worker.stop()
    assert len(found) > 50
    return found


def tried(case: Case, worker: Worker, folder: Path) -> dict[str, object]:
    path = folder / case.name
    path.write_bytes(case.content)
    return worker.run([part.replace("{}", str(path)) for part in case.args])


def minimised(case: Case, wrong: str, worker: Worker, folder: Path, seconds: float = 30) -> Case:
    """Without whatever is not needed for the same thing to go wrong."""
    until, size = time.monotonic() + seconds, max(1, len(case.content) // 2)
    while size and time.monotonic() < until:
        start = 0
        while start < len(case.content) and time.monotonic() < until:
            less = case.content[:start] + case.content[start + size :]
            smaller = Case(case.name, less, case.args)
            if what_is_wrong(tried(smaller, worker, folder)) == wrong:
                case = smaller
            else:
                start += size
        size //= 2
    return case


def save(case: Case, wrong: str, folder: Path) -> Path:
    """The file, and beside it how it was called; the folder's own files are {folder}."""
    stem = hashlib.sha256(case.content + wrong.encode()).hexdigest()[:8]
    FOUND.mkdir(exist_ok=True)
    path = FOUND / f"{stem}-{case.name}"
    path.write_bytes(case.content)
    args = [part.replace(str(folder), "{folder}") for part in case.args]
    about = {"args": args, "was": wrong}
    (FOUND / f"{stem}-{case.name}.call").write_text(json.dumps(about, indent=1) + "\n")
    return path


def hunt(count: float, seconds: float, seed: int, *, keep: bool = True) -> tuple[Counter[str], int]:
    """How often what went wrong, and how many were accepted, of so many mutations."""
    wrongs: Counter[str] = Counter()
    accepted, until = 0, time.monotonic() + seconds
    workers = [Worker(native=True), Worker(native=False)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number, case in enumerate(cases(folder, seed)):
            if number >= count or time.monotonic() > until:
                break
            worker = workers[number % 2]
            done = tried(case, worker, folder)
            accepted += done["code"] == 0
            wrong = what_is_wrong(done)
            if wrong and not wrongs[wrong] and keep:
                smallest = minimised(case, wrong, worker, folder)
                print(f"{wrong}: saved as {save(smallest, wrong, folder)}", flush=True)
            wrongs[wrong] += 1
    for worker in workers:
        worker.stop()
    return wrongs, accepted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=float, default=float("inf"))
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    wrongs, accepted = hunt(given.count, 60 * given.minutes, given.seed)
    total = wrongs.total()
    print(f"{total:,} mutations, {accepted:,} accepted, {total - wrongs['']:,} findings")
    for wrong, times in wrongs.most_common():
        if wrong:
            print(f"{times:6,}  {wrong}")
    sys.exit(1 if total > wrongs[""] else 0)


if __name__ == "__main__":
    main()
