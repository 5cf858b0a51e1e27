"""Tables on standard output in six formats, notes on standard error, files whole or not at all."""

import functools
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterable
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
TO_THE_RIGHT = {"value", "share"}
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


def print_table(frame: "pl.DataFrame", style: str, output: str | None, digits: int) -> None:
    """Print a frame, or write it to a file, in one of the formats."""
    to_file = output is not None and output != "-"
    content = _render(frame, style, digits, wide=to_file)
    if to_file:
        assert output is not None
        write_whole(Path(output), content)
    else:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it never exists in part, even if the disk fills up.

    What is there but no file, such as /dev/null or a pipe, is written to as it is.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            _replace(path.resolve(), content)
    except OSError as error:
        raise click.UsageError(f"-o {path}: cannot be written: {error.strerror}.") from None


def _replace(path: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        part = Path(file.name)
        try:
            file.write(content)
            file.flush()
            mask = os.umask(0)
            os.umask(mask)
            part.chmod(0o666 & ~mask)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def _render(frame: "pl.DataFrame", style: str, digits: int, *, wide: bool) -> bytes:
    if style == "csv":
        return frame.write_csv().encode()
    if style == "json":
        return (frame.write_json() + "\n").encode()
    if style == "parquet":
        buffer = io.BytesIO()
        frame.write_parquet(buffer)
        return buffer.getvalue()
    cells = [[format_cell(value, digits) for value in row] for row in frame.rows()]
    # Numbers that a command has formatted itself stand in columns called so.
    numeric = [dtype.is_numeric() or name in TO_THE_RIGHT for name, dtype in frame.schema.items()]
    if style == "latex":
        return _latex(frame.columns, cells, numeric).encode()
    if style == "markdown":
        return _markdown(frame.columns, cells, numeric).encode()
    return _text(frame.columns, cells, numeric, wide).encode()


def format_cell(value: object, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return str(value)


def _text(columns: list[str], cells: list[list[str]], numeric: list[bool], wide: bool) -> str:
    """Aligned columns; on a terminal that is too narrow, in blocks below each other.

    Rich would cut numbers that do not fit; a cut number is a wrong one.
    """
    widths = [max(len(t) for t in (name, *column)) for name, *column in _turned(columns, cells)]
    room = 10**9
    if not wide and sys.stdout.isatty():
        from rich.console import Console

        room = Console().width
    labels = [place for place, is_number in enumerate(numeric) if not is_number]
    blocks: list[list[int]] = [labels.copy()]
    for place in range(len(columns)):
        if place in labels:
            continue
        used = sum(widths[p] + 2 for p in blocks[-1])
        if used + widths[place] > room and len(blocks[-1]) > len(labels):
            blocks.append(labels.copy())
        blocks[-1].append(place)
    lines = []
    for block in blocks:
        block = sorted(block)
        for row in [columns, *cells]:
            parts = [
                row[p].rjust(widths[p]) if numeric[p] else row[p].ljust(widths[p]) for p in block
            ]
            lines.append("  ".join(parts).rstrip())
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def _turned(columns: list[str], cells: list[list[str]]) -> list[list[str]]:
    return [list(column) for column in zip(columns, *cells, strict=True)]


def _markdown(columns: list[str], cells: list[list[str]], numeric: list[bool]) -> str:
    rule = ["---:" if is_number else "---" for is_number in numeric]
    rows = [columns, rule, *([text.replace("|", r"\|") for text in row] for row in cells)]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def _latex(columns: list[str], cells: list[list[str]], numeric: list[bool]) -> str:
    def line(row: list[str]) -> str:
        return " & ".join(_latex_text(text) for text in row) + r" \\" + "\n"

    body = "".join(line(row) for row in cells)
    kinds = "".join("r" if is_number else "l" for is_number in numeric)
    return (
        f"\\begin{{tabular}}{{{kinds}}}\n\\toprule\n{line(columns)}\\midrule\n"
        f"{body}\\bottomrule\n\\end{{tabular}}\n"
    )


def _latex_text(text: str) -> str:
    special = {c: f"\\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\^{}"}
    special["\\"] = r"\textbackslash{}"
    return "".join(special.get(c, c) for c in text).replace("–", "--")
