"""Classes that all formats use: `File`, `Table`, `Format`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath
from typing import Any

import numpy as np

from rankwise.errors import (
    NO_FAULTS,
    STORED_FAULTS,
    CallError,
    Fault,
    Faults,
    InputError,
    shorten,
)
from rankwise.formats.source import BLANKS, COMMENT, Kind, Lines, Source, text_lines
from rankwise.lazy import pl
from rankwise.notes import Note, warning
from rankwise.wording import Argument, Count, Remedy

NO_ORDER = "no-order"  # kind of the note on runs without ranks; metrics that need ranks refuse them
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
# Suffixes of files that the native kernel must not read as TREC text.
OTHERS = {".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".ipc"}
PARQUET_START, ARROW_START = b"PAR1", b"ARROW1"
OTHER_STARTS = (b"{", b"[", PARQUET_START, ARROW_START)
# Surrogates (halves of a character) in JSON, escaped or not. Only unpaired surrogates are errors.
HALVES = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
DEEPEST = 64  # levels of nested lists and objects: polars' time grows with their square
SKIP_LINES = Remedy(Argument("lenient", True), "skip malformed lines")


@dataclass(frozen=True)
class Part:
    """Subset and split to read, for files with several of them, such as MTEB's predictions."""

    subset: str | None = None
    split: str | None = None


WHOLE = Part()


@dataclass(frozen=True)
class Details:
    """Values that some formats store in a file besides its rows.

    `name` is the name of the run or of the list of judgments. `index` is the Elasticsearch index
    that has the documents.
    """

    name: str
    index: str | None = None

    def required_index(self) -> str:
        if self.index is None:
            remedy = Remedy(Argument("index", "NAME"), "name it")
            what = "the Elasticsearch format needs the name of the index that has the documents."
            raise CallError(what, remedy=remedy)
        return self.index


@dataclass(frozen=True, eq=False, repr=False)
class WithColumns:
    """Runs or judgments, with the caller's names of their columns.

    `given` is a file, a data frame or another object. `part` has the subset and split to read.
    """

    given: Any
    columns: Mapping[str, tuple[str, ...]]
    part: Part = WHOLE


@dataclass(frozen=True, eq=False, repr=False)
class File:
    """An input file, with the properties by which its format is recognised.

    `columns` has the column names passed by the caller: {role: names}, for example {"topic":
    ("search_term",)}. `part` has the subset and split to read.
    """

    source: Source
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    part: Part = WHOLE

    @property
    def name(self) -> str:
        return self.source.name

    @cached_property
    def suffix(self) -> str:
        """Last suffix of the name that is not one of compression, in lower case, such as `.csv`."""
        parts = [part.lower() for part in PurePath(self.name).suffixes]
        return next((part for part in reversed(parts) if part not in COMPRESSED), "")

    @property
    def may_be_trec(self) -> bool:
        """Whether the file may be TREC text, according to its suffix and its first bytes.

        It is False if the caller named columns, because TREC text has none.
        """
        if self.suffix in OTHERS or self.columns:
            return False
        return not self.source.head.lstrip().startswith(OTHER_STARTS)

    @cached_property
    def first_line(self) -> str:
        """First line that is not blank; undecodable bytes become U+FFFD."""
        return self.source.first_line

    @cached_property
    def first_row(self) -> str:
        """First line that is neither blank nor a comment."""
        lines = (line for _, line in self.source.lines())
        return next((line for line in lines if not line.startswith(COMMENT)), "")

    @cached_property
    def has_json_lines(self) -> bool:
        """Whether each line is a JSON object, according to the suffix or the first line."""
        if self.suffix in {".jsonl", ".ndjson"}:
            return True
        if not self.first_line.startswith("{") or not self.first_line.endswith("}"):
            return False
        lines = self.source.lines()
        next(lines)
        if next(lines, None) is None:
            return False
        try:
            load_json(self.first_line)
        except ValueError as error:
            return isinstance(error, JsonFault)
        return True

    @cached_property
    def json(self) -> Any:
        """The parsed JSON document; None for JSON lines, and for files that are not JSON.

        A file that starts with a brace or a bracket, but is not valid JSON, is an error.
        """
        if not self.first_line.startswith(("{", "[")) or self.has_json_lines:
            return None
        try:
            document = load_json(self.source.data)
            return whole_text(document) if HALVES.search(self.source.data) else document
        except ValueError as error:
            raise InputError(self.name, f"cannot be read as JSON: {error}.") from None


class JsonFault(ValueError):
    """Error for JSON that is nested too deeply or has an object with duplicate names."""


def load_json(text: str | bytes, parse_constant: Callable[[str], Any] | None = None) -> Any:
    """Parse JSON; raise a JsonFault or, for malformed JSON, another ValueError."""
    import json

    try:
        document = json.loads(
            text, parse_constant=parse_constant, object_pairs_hook=_object_of_pairs
        )
        if not is_deep(document):
            return document
    except RecursionError:
        pass
    raise JsonFault(f"its lists or objects are nested more than {DEEPEST} deep")


def _object_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name, times in Counter(n for n, _ in pairs).items() if times > 1)
        raise JsonFault(f"an object has the name {shorten(twice)!r} twice")
    return values


def is_deep(document: Any) -> bool:
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(DEEPEST):
        inside = (v.values() if isinstance(v, dict) else v for v in level)
        level = [each for values in inside for each in values if isinstance(each, dict | list)]
    return bool(level)


def whole_text(document: Any) -> Any:
    """Return a parsed JSON value; raise an error if its text has an unpaired surrogate."""
    import json

    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        what = "it contains half of a surrogate pair, such as \\ud800"
        raise ValueError(what) from None
    return document


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows that a reader returns, with columns under any name that columns.py knows.

    `lines` has the line number of each row; None means that row i is line i + 1. `name` is the
    run's name, if the file has one. `notes` are shown to the user, for example if the meaning of a
    column was guessed. Malformed lines are `faults`, not rows; `line_is` is a sentence on what a
    valid line is. `dropped` is the number of malformed lines that were skipped because of
    `lenient`. `metadata` is the ir_metadata at the start of a run, as text (ir-metadata.org).
    """

    frame: pl.DataFrame
    lines: Lines | None = None
    name: str | None = None
    notes: tuple[Note, ...] = ()
    faults: Faults = NO_FAULTS
    line_is: str = ""
    unit: str = "line"  # what a row is in the file, for messages
    dropped: int = 0
    metadata: str = ""

    @property
    def numbers(self) -> Lines:
        """Line number of each row; the row's index + 1 if `lines` is None."""
        return np.arange(1, self.frame.height + 1) if self.lines is None else self.lines

    def notes_on(self, source: str) -> tuple[Note, ...]:
        """Return `notes`, and a warning if lines were dropped, as notes on the file `source`."""
        skipped = warning("malformed-lines", "skipped ", Count(self.dropped, "malformed line"))
        notes = (*self.notes, skipped) if self.dropped else self.notes
        return tuple(replace(each, source=source) for each in notes)

    def sound(self, source: str) -> pl.DataFrame:
        """Return `frame`; raise an error about the file `source` if there are faults."""
        if self.faults:
            raise InputError(source, self.line_is, self.faults)
        return self.frame


@dataclass(frozen=True, eq=False, repr=False)
class Format:
    """A file format of runs or judgments: functions that recognise and read a file."""

    name: str  # for messages
    recognises: Callable[[File], bool]
    read: Callable[[File, Kind], Table]
    suffixes: tuple[str, ...] = ()  # removed from a file's name if it becomes the run's name
    has_parts: bool = False  # whether a file may hold several subsets and splits


def split_lines(file: File, pattern: str, names: list[str]) -> tuple[pl.DataFrame, Faults]:
    """Split lines by a regular expression; return a frame of its groups, and the faults.

    `names` are the names of the groups' columns. An optional group without a match is null. Columns
    `number` and `line` have the line number and the text. Faults are lines that do not match. Blank
    lines and comments are skipped.
    """
    lines, faults = text_lines(file.source)
    rows = (
        lines.with_columns(pl.col("line").str.strip_chars(BLANKS))
        .filter(~pl.col("line").str.contains(r"^(#|$)"))
        .with_columns(pl.col("line").str.extract_groups(pattern).alias("field"))
        .unnest("field")
    )
    groups = [name for name in rows.columns if name not in ("number", "line")]
    rows = rows.rename(dict(zip(groups, names, strict=True)))
    bad = rows.filter(pl.col(names[0]).is_null())
    return rows.filter(pl.col(names[0]).is_not_null()), faults + bad_lines(bad, "")


def number_faults(rows: pl.DataFrame, *names: str) -> Faults:
    """Return a fault for each value in the text columns `names` that is not a finite number."""
    found = Faults()
    for name in names:
        is_number = pl.col(name).cast(pl.Float64, strict=False).is_finite().fill_null(False)
        bad = rows.filter(~is_number).head(STORED_FAULTS)
        lines = bad.select("number", name, "line").iter_rows()
        faults = (Fault(at, f"{name} {value!r} is not a number", line) for at, value, line in lines)
        found += Faults.of(faults, int(rows.select(~is_number).sum().item()))
    return found


def bad_lines(rows: pl.DataFrame, what: str) -> Faults:
    """Convert rows with columns `number` and `line` to faults with the message `what`."""
    some = rows.head(STORED_FAULTS).select("number", "line").iter_rows()
    return Faults.of((Fault(number, what, line) for number, line in some), rows.height)
