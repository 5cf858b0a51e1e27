"""Tables on standard output, notes on standard error, files written atomically."""

import sys
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.flags import Flags
from rankwise.cli.help import ALL_NOTES, command_of
from rankwise.cli.options.base import OptionSet, option
from rankwise.cli.stdio import print_bytes
from rankwise.errors import in_words, visible
from rankwise.notes import NOTES_BELOW, Note, below_table, note
from rankwise.wording import Count

if TYPE_CHECKING:
    import polars as pl

    from rankwise.results import Columns, Result, Table

FORMATS = ["table", "csv", "spreadsheet", "json", "latex", "markdown", "parquet"]
STYLE_OF_SUFFIX = {
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
}
FOR_PEOPLE = {"table", "latex", "markdown"}
# Keys of a click context.
FOOTNOTES, BELOW_TABLE = "rankwise.footnotes", "rankwise.below_table"
NOTES, OUTCOMES = "rankwise.notes", "rankwise.outcomes"


class OutputFile(click.types.StringParamType):
    """A file to write, or - for standard output; its folder must exist."""

    name = "file"
    writes = True

    def __init__(self, suffixes: Collection[str] = ()) -> None:
        self.suffixes = suffixes  # the known ones; all if empty

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not value:
            self.fail("the name is empty. Give a file.", param, ctx)
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


OUTPUT: dict[str, Any] = {"flags": "-o --output", "metavar": "FILE", "type": OutputFile()}


@dataclass(eq=False, repr=False)
class Output:
    """The destination and the format of a command's table.

    `for_people` is true if the format is for human readers, not for programs. `for_reading` is true
    if the table is printed, not written to a file, so that sentences may be printed with it.
    """

    style: str = "table"
    path: str | None = None  # None, or -: standard output
    digits: int = 4

    def __post_init__(self) -> None:
        self.for_people = self.style in FOR_PEOPLE
        self.for_reading = self.style == "table" and self.path is None
        self.to_file = self.path not in (None, "-")

    @property
    def width(self) -> int | None:
        """Width of the terminal; None if the output goes elsewhere."""
        if self.to_file or not sys.stdout.isatty():
            return None
        from rich.console import Console

        return Console().width

    def print(
        self,
        frame: "pl.DataFrame | Columns",
        *,
        of: "Result | None" = None,
        notes: Iterable[Note] | None = None,
        caption: str | None = None,
        right: Collection[str] = (),
    ) -> None:
        """Print a frame, or write it to the file; `right` are columns of formatted numbers.

        JSON has a header with the metadata of the result `of`, and with the notes: `notes`, or by
        default those of the result.
        """
        from rankwise.results import rendered

        if self.style == "json":
            self.print_json(rendered(frame, "json").decode().rstrip(), of=of, notes=notes)
            return
        self.write(
            rendered(frame, self.style, self.digits, width=self.width, caption=caption, right=right)
        )

    def print_json(
        self, rows: str, *, of: "Result | None" = None, notes: Iterable[Note] | None = None
    ) -> None:
        """Print rows of JSON below a header with the metadata of a result, and the notes.

        `rankwise schema` describes both.
        """
        import json

        from rankwise import __version__
        from rankwise.results import SCHEMA_VERSION

        ctx = click.get_current_context()
        header: dict[str, Any] = {"schema_version": SCHEMA_VERSION, "version": __version__}
        header["command"] = command_of(ctx)
        header |= {} if of is None else of.header
        if notes is None:
            notes = () if of is None else of.notes
        header["notes"] = [each.data(Flags(ctx.command)) for each in notes]
        text = json.dumps(header, ensure_ascii=False)
        self.write(f'{text[:-1]}, "rows": {rows}}}\n'.encode())

    def show(self, table: "Table") -> None:
        """Write a formatted table for people."""
        self.write(table.rendered(self.style, width=self.width).encode())

    def result(
        self,
        result: "Result",
        *,
        table: "Callable[[], Table] | None" = None,
        frame: "Callable[[], pl.DataFrame | Columns] | None" = None,
        notes: Iterable[Note | str] | None = None,
    ) -> None:
        """Show the table of a result to people, or print its frame as data; print its notes.

        `table`, `frame` and `notes` replace those of the result.
        """
        print_notes(result.notes if notes is None else notes)
        if self.for_people:
            self.show(result.table(digits=self.digits) if table is None else table())
        else:
            self.print(result.frame if frame is None else frame(), of=result)

    def write(self, content: bytes) -> None:
        """Write bytes to the file or to standard output."""
        from rankwise.formats import write_whole

        if self.path is not None and self.to_file:
            write_whole(Path(self.path), content)
            print_outcome(f"wrote {self.path}")
        else:
            print_bytes(content, for_people=self.style == "table")


class Printed(OptionSet):
    """Options of commands that print a table: --format, -o and --digits."""

    style: str | None = option(
        "Output format. `spreadsheet` is csv that is safe to open in Excel: a cell that looks like "
        "a formula is escaped.  [default: by the suffix of FILE, or table]",
        "--format",
        choices=FORMATS,
    )
    output: str | None = option(
        "Write to FILE (atomically): .csv, .json, .tex, .md, .parquet, .txt.", **OUTPUT
    )
    digits: int = option(
        "Decimal places in table, latex and markdown.", default=4, type=click.IntRange(0, 17)
    )

    def check(self) -> None:
        suffix = "" if self.output == "-" else Path(self.output or "").suffix
        by_suffix = STYLE_OF_SUFFIX.get(suffix)
        if by_suffix is None and suffix not in ("", ".txt"):
            known = ", ".join(STYLE_OF_SUFFIX)
            raise click.UsageError(f"-o {self.output}: unknown suffix. Use {known} or .txt.")
        fitting = (None, "csv", "spreadsheet") if by_suffix == "csv" else (None, by_suffix)
        if by_suffix and self.style not in fitting:
            raise click.UsageError(
                f"-o {self.output} is a {by_suffix} file, but --format is {self.style}. Change one "
                "of them."
            )
        self.out = Output(self.style or by_suffix or "table", self.output, self.digits)
        if self.out.style == "parquet" and not self.out.to_file:
            what = "--format parquet is a binary format, which is not printed. Use -o FILE.parquet."
            raise click.UsageError(what)


def print_notes(notes: Iterable[Note | str]) -> None:
    """Print notes below the table when the command is done; a string becomes a note."""
    ctx = click.get_current_context()
    pending = ctx.find_root().meta.setdefault(NOTES, [])
    for each in notes:
        if isinstance(each, str):
            pending.append(note("remark", each))
        else:
            pending.append(Note(each.kind, (each.said(Flags(ctx.command)),), each.severity))


def all_notes_are_printed() -> bool:
    """Return whether the option --notes is given."""
    return bool(click.get_current_context().find_root().meta.get(ALL_NOTES, False))


def print_footnotes(texts: Iterable[str]) -> None:
    """Print explanations of marks in the table, before all sentences and notes."""
    click.get_current_context().find_root().meta.setdefault(FOOTNOTES, []).extend(texts)


def print_below_table(text: str) -> None:
    """Print a sentence on the outcome, such as one for a paper, before the notes."""
    click.get_current_context().find_root().meta.setdefault(BELOW_TABLE, []).append(text)


def print_outcome(text: str) -> None:
    """Print the outcome of a command, such as the file that it wrote, after its notes."""
    click.get_current_context().find_root().meta.setdefault(OUTCOMES, []).append(text)


def print_pending_notes(ctx: click.Context) -> None:
    """Print the first warnings and notes of a finished command; all of them with --notes.

    Sentences below the table take the place of one note.
    """
    for text in ctx.meta.pop(FOOTNOTES, []):
        print_wrapped(f"note: {text}")
    sentences = ctx.meta.pop(BELOW_TABLE, [])
    for place, text in enumerate(sentences):
        if place == 0 and sys.stderr.isatty():
            click.echo(err=True)
        print_wrapped(text, indent=0)
    shown, remaining = below_table(ctx.meta.pop(NOTES, []), NOTES_BELOW - bool(sentences))
    if ctx.meta.get(ALL_NOTES, False):
        shown, remaining = [*shown, *remaining], []
    for each in shown:
        print_wrapped(f"{'warning' if each.severity == 'warning' else 'note'}: {each}")
    if remaining:
        click.echo(f"{Count(len(remaining), 'more note')}: use --notes", err=True)
    for text in ctx.meta.pop(OUTCOMES, []):
        print_wrapped(text)


def print_wrapped(line: str, *, indent: int = 6) -> None:
    """Print a line on standard error, wrapped if standard error is a terminal."""
    text = visible(line)
    if sys.stderr.isatty():
        from shutil import get_terminal_size

        text = wrapped(text, get_terminal_size().columns, indent=indent)
    click.echo(text, err=True)


def wrapped(line: str, width: int, *, indent: int) -> str:
    """Wrap a line at its spaces, except between a number and a percent sign.

    >>> print(wrapped("Use --topic-groups: 3 % of topics", 20, indent=2))
    Use --topic-groups:
      3 % of topics
    """
    from textwrap import TextWrapper

    wrapper = TextWrapper(width, subsequent_indent=" " * indent)
    wrapper.break_on_hyphens = wrapper.break_long_words = False  # in options and paths
    return wrapper.fill(line.replace(" %", "\xa0%")).replace("\xa0%", " %")
