"""docs/architecture.md: its packages are the packages, its walks are the calls."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_architecture import MAY_IMPORT

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rankwise"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
COLLECTION = ROOT / "tests" / "frozen" / "collection"
PICTURE = PAGE.split("## The packages")[1].split("```")[1].strip().splitlines()
LAYERS = [re.split(r"\s{2,}", line)[0].split(" · ") for line in PICTURE]

# In a process of its own: threads that are there already would not be traced.
TRACER = """
import json, sys, threading
from rankwise.cli import main

calls = {}

def profile(frame, event, arg):
    if event == "call":
        calls.setdefault((frame.f_code.co_filename, frame.f_code.co_qualname))

threading.setprofile(profile)
sys.setprofile(profile)
try:
    main()
finally:
    sys.setprofile(None)
    print(json.dumps(list(calls)), file=sys.stderr)
"""


def walk(command: str) -> list[tuple[str, str]]:
    """Return the file and the function of each step, in the order of the page."""
    section = PAGE.split(f"## The walk of `{command}`\n")[1].split("\n## ")[0]
    steps = re.findall(r"^(\d+)\. \[`([\w.]+)`\]\(\.\./(src/[\w/]+\.py)\): ", section, re.MULTILINE)
    assert [int(number) for number, _, _ in steps] == list(range(1, len(steps) + 1))
    return [(file, name) for _, name, file in steps]


def first_calls(command: str, native: str) -> list[tuple[str, str]]:
    """Return the functions of rankwise that a command calls, each where it is first called."""
    runs = [str(COLLECTION / "runs" / f"system{number}.run") for number in (1, 2)]
    args = [command, str(COLLECTION / "qrels.txt"), *runs, "-m", "AP"]
    done = subprocess.run(
        [sys.executable, "-c", TRACER, *args],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"RANKWISE_NATIVE": native},
    )
    calls = json.loads(done.stderr.splitlines()[-1])
    inside = [(Path(file), name) for file, name in calls if Path(file).is_relative_to(SOURCE)]
    return [(file.relative_to(ROOT).as_posix(), name) for file, name in inside]


@pytest.mark.parametrize("native", ["1", "0"], ids=["kernel", "python"])
@pytest.mark.parametrize(("command", "least"), [("score", 15), ("compare", 15)])
def test_every_step_of_a_walk_is_called_in_the_order_of_the_page(
    command: str, least: int, native: str
) -> None:
    steps, calls = walk(command), first_calls(command, native)
    assert len(steps) >= least
    assert [step for step in steps if step not in calls] == []
    assert sorted(steps, key=calls.index) == steps


def test_the_picture_has_every_package_once() -> None:
    drawn = [name for layer in LAYERS for name in layer]
    assert sorted(drawn) == sorted([*MAY_IMPORT])


def test_a_package_imports_only_from_lines_below_its_own() -> None:
    for place, layer in enumerate(LAYERS):
        below = {name for lower in LAYERS[place + 1 :] for name in lower}
        for name in layer:
            assert MAY_IMPORT[name] <= below, name


def test_the_table_says_what_is_in_every_package() -> None:
    section = PAGE.split("## The packages")[1].split("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)
    packages = [path.parent.name for path in SOURCE.glob("*/__init__.py")]
    assert len(packages) > 15
    assert sorted(listed) == sorted(packages)


def test_every_file_that_is_linked_exists() -> None:
    links = re.findall(r"\]\(\.\./([\w/.]+)\)", PAGE)
    assert len(links) > 40
    assert [link for link in links if not (ROOT / link).is_file()] == []


def test_every_value_is_where_the_page_says() -> None:
    section = PAGE.split("## The values")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.+?) \|.*\]\(\.\./([\w/.]+)\) \|$", section, re.MULTILINE)
    assert len(rows) == 8
    for names, file in rows:
        text = (ROOT / file).read_text(encoding="utf-8")
        for name in re.findall(r"`(\w+)`", names):
            assert re.search(rf"^class {name}\b", text, re.MULTILINE), name
