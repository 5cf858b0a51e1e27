"""How a report was made: versions, options, files and their checksums."""

import hashlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rankwise import __version__
from rankwise.errors import CallError

LIBRARIES = ("numpy", "polars", "scipy", "altair", "vl-convert-python")


def versions() -> dict[str, str]:
    found = {"rankwise": __version__, "Python": platform.python_version()}
    return found | {name: version(name) for name in LIBRARIES}


def checksums(given: Iterable[Any]) -> list[dict[str, Any]]:
    """Name, size and SHA-256 of every file; what came in memory or by a pipe has none."""
    found = []
    for file in given:
        if isinstance(file, str | Path) and str(file) != "-" and Path(file).is_file():
            found.append({"file": str(file), **_checksum(Path(file))})
    return found


def sources_of(runs: Any) -> list[Any]:
    """What was given as runs, one by one."""
    if isinstance(runs, Mapping):
        return list(runs.values())
    if isinstance(runs, Sequence) and not isinstance(runs, str):
        return list(runs)
    return [runs]


def _checksum(file: Path) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise CallError(f"{file}: cannot be read: {error.strerror}.") from None
    return {"bytes": file.stat().st_size, "sha256": digest}
