"""Print every Python from 3.11 on that is on this machine, oldest first.

On the path (python3.11, python3.12, …) or of pyenv. `--others`: but not the version that
runs this script.
"""

import subprocess
import sys
from pathlib import Path
from shutil import which

VERSIONS = [(3, minor) for minor in range(11, 31)]
ASK = "import sys; print(*sys.version_info[:2])"


def is_version(python: str, version: "tuple[int, int]") -> bool:
    """Whether it runs (pyenv's shims may not) and is what its name says."""
    try:
        done = subprocess.run([python, "-c", ASK], capture_output=True, text=True)
    except OSError:
        return False
    return done.stdout.split() == [str(part) for part in version]


def find(version: "tuple[int, int]") -> "str | None":
    name = "{}.{}".format(*version)
    of_pyenv = sorted(Path.home().glob(f".pyenv/versions/{name}.*/bin/python3"))
    candidates = [which(f"python{name}"), *map(str, reversed(of_pyenv))]
    return next((one for one in candidates if one and is_version(one, version)), None)


if __name__ == "__main__":
    left_out = sys.version_info[:2] if "--others" in sys.argv else None
    found = [find(version) for version in VERSIONS if version != left_out]
    print(*(python for python in found if python))
