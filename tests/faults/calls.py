"""The command line in a process of its own, and a small sound collection for it."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import rankwise

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
COMMAND = [sys.executable, "-m", "rankwise"]


def environment(**more: str) -> dict[str, str]:
    """As here, with the package that is tested, and nothing of the terminal's."""
    source = str(Path(rankwise.__file__).parents[1])
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHONIO", "RANKWISE_MAX"))}
    return plain | {"PYTHONPATH": source} | more


def sound(folder: Path) -> tuple[str, str, str]:
    """Qrels and two runs in the folder."""
    made = rankwise.simulate(topics=4, systems=2, depth=8, pool_depth=5, seed=5)
    made.write(folder / "sound")
    runs = [str(folder / "sound" / "runs" / f"{run.name}.run") for run in made.runs]
    return str(folder / "sound" / "qrels.txt"), runs[0], runs[1]


def run_named(run: str, name: str) -> str:
    """A copy of a run that is called so."""
    lines = [line.rsplit(" ", 1)[0] for line in Path(run).read_text().splitlines()]
    copy = Path(run).with_name("named.run")
    copy.write_text("".join(f"{line} {name}\n" for line in lines))
    return str(copy)
