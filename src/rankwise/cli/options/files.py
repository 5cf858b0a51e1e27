"""Protection of the inputs of a command: no output overwrites them."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from rankwise.cli.options.base import flag_of


def is_output(parameter: click.Parameter) -> bool:
    """Return whether a parameter is a file to write: its type then has the attribute `writes`."""
    return getattr(parameter.type, "writes", False)


def check_outputs(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Raise an error if an output is an input of the command, or the same file as another output.

    `given` has the arguments and options as typed, by name.
    """
    written: list[str] = []
    for parameter in ctx.command.params:
        if not is_output(parameter):
            continue
        for path in _texts(ctx.params[parameter.name or ""]):
            if path == "-":
                continue
            if any(Path(path).resolve() == Path(other).resolve() for other in written):
                raise click.UsageError(f"{path} is given for two outputs. Give another file.")
            written.append(path)
            exists = Path(path).is_file()
            if exists and any(_contains(Path(text), Path(path)) for text in _inputs(ctx, given)):
                what = f"{flag_of(parameter)} {path}: this file is also an input"
                raise click.UsageError(f"{what}. Give another output.")


def _inputs(ctx: click.Context, given: Mapping[str, Any]) -> Iterator[str]:
    """Yield all texts that may be the name of an input: FILE, or the end of NAME=FILE."""
    for parameter in ctx.command.params:
        if is_output(parameter) or parameter.metavar == "TEXT" or parameter.name not in given:
            continue
        for text in _texts(given[parameter.name]):
            yield text
            if "=" in text:
                yield text.partition("=")[2]


def _texts(value: Any) -> list[str]:
    if isinstance(value, list | tuple):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


def _contains(given: Path, path: Path) -> bool:
    """Return whether a file, folder, pattern or standard input contains the file `path`."""
    try:
        if str(given) == "-":
            return os.path.samestat(os.fstat(0), path.stat())
        if given.is_dir():
            return path.resolve().is_relative_to(given.resolve())
        if given.exists():
            return given.samefile(path)
        return any(each.samefile(path) for each in given.parent.glob(given.name))
    except (OSError, ValueError, NotImplementedError):  # not the name of a file
        return False
