"""The README, and the pages of the docs, show what the commands print."""

import re
import shlex
from functools import partial
from glob import glob
from pathlib import Path
from typing import Any

import pytest
from console_blocks import ASSETS, ROOT, STEP, as_it_is_now, output_of, pages, pictures
from faults import worker

import rankwise
from rankwise.cli import COMMANDS
from rankwise.metrics import REGISTRY

README = ROOT / "README.md"
PAGES = pages()
NEEDS_A_SHELL = re.compile(r"^(?!rankwise )|[|&;<>$`]")


def output_in_this_process(command: str) -> str:
    """Return the output of `rankwise`, in this process unless a shell is needed."""
    if NEEDS_A_SHELL.search(command):
        return output_of(command, Path.cwd())
    words = shlex.split(command.replace("\\\n", " "))[1:]
    args = [name for word in words for name in sorted(glob(word)) or [word]]  # noqa: PTH207
    done = worker.run(args)
    assert done["code"] != "traceback", done["err"]
    return f"{done['out']}{done['err']}"


def test_there_are_sessions_to_run() -> None:
    assert {"README.md", "quickstart.md", "track.md", "gate.md"} <= {page.name for page in PAGES}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert len(STEP.findall(text)) == len(re.findall(r"^\$ ", text, re.MULTILINE)) > 0, page


def _marked(page: Path) -> Any:
    slow = [pytest.mark.slow] if page.name == "gallery.md" else []  # it draws every chart
    return pytest.param(page, id=page.name, marks=slow)


@pytest.mark.parametrize("page", [_marked(page) for page in PAGES])
@pytest.mark.usefixtures("own_names")
def test_every_command_prints_what_the_page_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The README in a shell, as a reader does; the others in this process, as far as they can."""
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    run = partial(output_of, folder=tmp_path) if page == README else output_in_this_process
    assert as_it_is_now(text, run) == text, "run `make shown`, and read the difference"
    for name in pictures(text):
        assert (tmp_path / name).stat().st_size > 1000, name
        assert 1000 < (ASSETS / name).stat().st_size < 60_000, name


def test_the_readme_links_to_files_that_are_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert (README.parent / link).exists(), link


def test_the_readme_counts_the_metrics() -> None:
    assert f"the catalogue of {len(REGISTRY)} metrics" in README.read_text(encoding="utf-8")


def test_the_figures_of_the_readme_are_those_of_the_benchmarks() -> None:
    measured = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8")
    sentence = r"7 million lines take ([\d.]+ s); pytrec_eval needs ([\d.]+ s) \(`make bench`"
    figures = re.findall(sentence, README.read_text(encoding="utf-8"))
    assert len(figures) == 1
    ours, theirs = figures[0]
    assert f"| 7 million lines, in the process | {ours} | {theirs} |" in measured


def test_the_citation_names_this_version() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {rankwise.__version__}\n" in cited


def test_the_readme_lists_every_command() -> None:
    listed = re.findall(r"^\| `([\w-]+)` \|", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(COMMANDS)
