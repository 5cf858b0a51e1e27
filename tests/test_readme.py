"""The README shows what the commands print."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_every_command_in_the_readme_prints_what_it_says(tmp_path: Path) -> None:
    blocks = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    steps = [step for block in blocks for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(steps) >= 5
    rankwise = Path(sys.executable).with_name("rankwise")
    for step in steps:
        command, _, expected = step.partition("\n")
        assert command.startswith("rankwise ")
        done = subprocess.run(
            f"{rankwise} {command.removeprefix('rankwise ')}",
            shell=True,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.stdout + done.stderr == expected, command


def test_the_readme_links_to_files_that_are_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert (README.parent / link).exists(), link
