"""Provenance of a report: versions, options, files and their checksums."""

import platform
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from shlex import quote
from typing import Any

from rankwise import __version__
from rankwise.formats import WithColumns, checksum, files_of
from rankwise.notes import Note
from rankwise.rankings import Judges, NamedRun
from rankwise.wording import PYTHON, Argument, Wording


@dataclass(frozen=True)
class Request:
    """The command that produced a report, without folders, and how its options are written.

    `command` is empty if the report was made in Python.
    """

    command: str = ""
    wording: Wording = PYTHON

    def option(self, name: str) -> str:
        """Return the name of an option as written on the command line or in Python.

        >>> Request().option("only_topics")
        'only_topics'
        """
        return self.wording.name(Argument(name)).strip("`")


IN_PYTHON = Request()
requested_by: ContextVar[Request] = ContextVar("requested_by", default=IN_PYTHON)
# The files from which the scores were read, if the report is made from scores.
score_files: ContextVar[tuple[str, ...]] = ContextVar("score_files", default=())
LIBRARIES = ("numpy", "polars", "scipy")


MOST_FILES = 12  # of more consecutive files in a command, most are not shown


def command_line(words: Sequence[str]) -> str:
    """Return a command as typed, but with file names instead of paths.

    Of more than 12 consecutive files, for example the runs of a track, only the first two and the
    last are shown.
    """
    shown: list[str] = []
    row: list[str] = []
    for word in [*words, ""]:
        key, equals, value = word.rpartition("=")
        # The report itself may not exist yet, but its folder does.
        is_file = bool(value) and (
            Path(value).exists() or (Path(value).name != value and Path(value).parent.is_dir())
        )
        if is_file and not key.startswith("-") and (not shown or not shown[-1].startswith("-")):
            row.append(quote(f"{key}{equals}{Path(value).name}"))
            continue
        if len(row) > MOST_FILES:
            row = [row[0], row[1], f"… ({len(row) - 3:,} more files)", row[-1]]
        shown += [*row, quote(f"{key}{equals}{Path(value).name}" if is_file else word)]
        row = []
    return " ".join(shown[:-1])


def versions() -> dict[str, str]:
    found = {"rankwise": __version__, "Python": platform.python_version()}
    return found | {name: version(name) for name in LIBRARIES}


def checksums(given: Iterable[Any]) -> list[dict[str, Any]]:
    """Return name, size and SHA-256 of every file; input from memory or a pipe is ignored.

    Names have no folders, because a report is sent to others.
    """
    return [
        {"file": file.name, "bytes": file.stat().st_size, "sha256": checksum(file)}
        for file in paths_of(given)
    ]


def paths_of(given: Iterable[Any]) -> list[Path]:
    """Return the files of the input, with folders and patterns expanded to files."""
    paths = [one for one in map(_file, given) if isinstance(one, str | Path)]
    named = [Path(file) for path in paths for file in files_of(path)]
    return [file for file in named if file.is_file()]


def without_folders(notes: Iterable[Note], files: Iterable[Path]) -> list[Note]:
    """Return the notes with paths of these files replaced by file names."""
    names = {str(file): file.name for file in files}
    return [replace(each, source=names.get(each.source, each.source)) for each in notes]


def _file(given: Any) -> Any:
    """Return the source without the name or the columns attached to it."""
    return _file(given.given) if isinstance(given, NamedRun | WithColumns) else given


def sources_of(runs: Any) -> list[Any]:
    """Return the sources of the runs, or of the judgments of several judges, as a list."""
    if isinstance(runs, Judges):
        return sources_of(runs.qrels)
    if isinstance(runs, Mapping):
        return list(runs.values())
    if isinstance(runs, Sequence) and not isinstance(runs, str):
        return list(runs)
    return [runs]
