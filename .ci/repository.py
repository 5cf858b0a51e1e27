"""Change the address of the repository in every file that has it.

`python .ci/repository.py OWNER/NAME`: pyproject.toml has the address; other files repeat it, where
a reader copies it as it is. tests/test_release.py finds a file that was forgotten.
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = ["pyproject.toml", "CITATION.cff", "Dockerfile", "conda/recipe/meta.yaml"]
FILES += [".github/ISSUE_TEMPLATE/config.yml", ".github/workflows/release.yml"]
FILES += ["docs/ci.md", "docs/gate.md", "docs/plugins.md", "docs/releasing.md"]


def repository() -> str:
    """Return OWNER/NAME from the address in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["urls"]["Repository"]).removeprefix("https://github.com/")


def rename(new: str) -> None:
    """Replace the repository's name in all files that have it."""
    old = repository()
    for name in FILES:
        file = ROOT / name
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(old, new), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].count("/") != 1:
        sys.exit("usage: python .ci/repository.py OWNER/NAME")
    rename(sys.argv[1])
