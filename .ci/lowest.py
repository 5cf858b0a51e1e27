"""Print the lowest version of everything that pyproject.toml allows, as pip's constraints."""

import re
import sys
import tomllib
from itertools import chain
from pathlib import Path

REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\w.]+)")


def lowest(pyproject: str) -> list[str]:
    """A line name==version for each requirement, which must be of the form name>=version."""
    project = tomllib.loads(pyproject)["project"]
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    matches = [(one, REQUIREMENT.fullmatch(one)) for one in wanted]
    unbounded = [one for one, match in matches if match is None]
    if unbounded:
        sys.exit(f"pyproject.toml: not of the form name>=version: {', '.join(unbounded)}")
    return sorted({"{}=={}".format(*match.groups()) for _, match in matches if match})


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    print(*lowest(text), sep="\n")
