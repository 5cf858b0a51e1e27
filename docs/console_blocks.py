"""The shell sessions that the README and the docs show: `make shown` writes what they print now.

A session is the `console` blocks of a page, one after the other, in a folder of its own. A command
follows `$ ` and goes on after a backslash; what is below it is what it printed, standard output
before standard error. A picture that a session draws is the one of that name in docs/assets.
"""

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "docs" / "assets"
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
STEP = re.compile(r"^\$ ((?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", re.MULTILINE)


def pages() -> list[Path]:
    """Return the pages with console sessions."""
    every = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in every if BLOCK.search(page.read_text(encoding="utf-8"))]


def as_it_is_now(text: str, output_of: Callable[[str], str]) -> str:
    """Return the page with the current output of its commands."""
    return BLOCK.sub(
        lambda block: STEP.sub(lambda step: f"$ {step[1]}{output_of(step[1])}", block[1]), text
    )


def output_of(command: str, folder: Path) -> str:
    """Run a command in a shell, in the folder, and return its output."""
    beside = Path(sys.executable).parent  # the rankwise of this environment
    done = subprocess.run(
        f'PATH="{beside}:$PATH"\n{command}',
        shell=True,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout + done.stderr


def pictures(text: str) -> list[str]:
    return re.findall(r"\]\((?:docs/)?assets/([\w-]+\.svg)\)", text)


def write() -> None:
    for page in pages():
        text = page.read_text(encoding="utf-8")
        with TemporaryDirectory() as folder:
            shown = as_it_is_now(text, partial(output_of, folder=Path(folder)))
            for name in pictures(text):
                if (drawn := Path(folder, name)).exists():
                    copyfile(drawn, ASSETS / name)
        if shown != text:
            page.write_text(shown, encoding="utf-8")
            print(f"{page.relative_to(ROOT)} has changed")


if __name__ == "__main__":
    write()
