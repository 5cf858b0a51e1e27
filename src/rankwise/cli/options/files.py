"""Files that a command writes: the type of these options, and the protection of its inputs."""

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from rankwise.cli.options.base import flag_of, option
from rankwise.errors import in_words


class OutputFile(click.types.StringParamType):
    """A file to write, or - for standard output; its folder must exist."""

    name = "file"

    def __init__(self, suffixes: Collection[str] = ()) -> None:
        self.suffixes = suffixes  # the known ones; all if empty

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        path = Path(value)
        if self.suffixes and path.suffix.lower() not in self.suffixes:
            known = in_words(list(self.suffixes), "or")
            self.fail(f"{value}: unknown suffix. Use {known}.", param, ctx)
        if value != "-" and path.is_dir():
            self.fail(f"{value} is a directory. Give a file.", param, ctx)
        if value != "-" and not path.parent.is_dir():
            self.fail(
                f"{value}: there is no folder {path.parent}. Create it, or give another path.",
                param,
                ctx,
            )
        return value


def output_file(
    help: str, default: str | None = None, suffixes: Collection[str] = (), **settings: Any
) -> Any:
    """Declare the option -o FILE."""
    settings |= {"metavar": "FILE", "default": default, "type": OutputFile(suffixes)}
    return option(help, "-o", "--output", **settings)


def check_outputs(ctx: click.Context, given: Mapping[str, Any]) -> None:
    """Raise an error if an output is an input of the command, or the same file as another output.

    `given` has the arguments and options as typed, by name.
    """
    written: list[str] = []
    for parameter in ctx.command.params:
        if not isinstance(parameter.type, OutputFile):
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
    """Yield what may be the name of an input: FILE, or the end of NAME=FILE."""
    for parameter in ctx.command.params:
        is_output = isinstance(parameter.type, OutputFile)
        if is_output or parameter.metavar == "TEXT" or parameter.name not in given:
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
