"""Tables on standard output in six formats, notes on standard error, files whole or not at all."""

import functools
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    import polars as pl

FORMATS = ["table", "csv", "json", "latex", "markdown", "parquet"]
STYLE_OF_SUFFIX = {
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
}
FOR_PEOPLE = {"table", "latex", "markdown"}
F = TypeVar("F", bound=Callable[..., Any])


def output_options(command: F) -> F:
    """--format, -o and --digits, which every command that prints a table takes.

    What is wrong with them is said before any work is done.
    """

    @functools.wraps(command)
    def checked(*args: Any, **given: Any) -> Any:
        output = given["output"]
        to_file = output is not None and output != "-"
        suffix = Path(output).suffix if to_file else ""
        given["style"] = given["style"] or STYLE_OF_SUFFIX.get(suffix, "table")
        if given["style"] == "parquet" and not to_file:
            raise click.UsageError("parquet is binary: give -o FILE.")
        if to_file and not Path(output).parent.is_dir():
            raise click.UsageError(f"-o {output}: there is no folder {Path(output).parent}.")
        return command(*args, **given)

    decorated: Any = checked
    for option in (
        click.option(
            "--digits",
            default=4,
            show_default=True,
            type=click.IntRange(0, 17),
            help="Decimals in table, latex and markdown; the other formats have all.",
        ),
        click.option(
            "-o",
            "--output",
            "output",
            metavar="FILE",
            type=click.Path(dir_okay=False, allow_dash=True),
            help="Write to a file (whole or not at all) instead of standard output.",
        ),
        click.option(
            "--format",
            "style",
            type=click.Choice(FORMATS),
            help="How to print.  [default: what FILE's name ends in, else table]",
        ),
    ):
        decorated = option(decorated)
    return cast(F, decorated)


def print_notes(notes: Iterable[str], limit: int = 10) -> None:
    notes = list(notes)
    for note in notes[:limit]:
        click.echo(f"note: {note}", err=True)
    if len(notes) > limit:
        click.echo(f"note: and {len(notes) - limit:,} more notes like these", err=True)


def print_table(
    frame: "pl.DataFrame",
    style: str,
    output: str | None,
    digits: int,
    caption: str | None = None,
    right: Collection[str] = (),
) -> None:
    """Print a frame, or write it to a file, in one of the formats."""
    from rankwise.rendering import rendered

    width = room_for(output)
    print_content(rendered(frame, style, digits, width=width, caption=caption, right=right), output)


def print_content(content: bytes, output: str | None) -> None:
    """Write to a file, or to standard output where there is none."""
    from rankwise.files import write_whole

    if output is not None and output != "-":
        write_whole(Path(output), content)
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def room_for(output: str | None) -> int | None:
    """How wide the terminal is; None where the output goes elsewhere."""
    if output not in (None, "-") or not sys.stdout.isatty():
        return None
    from rich.console import Console

    return Console().width
