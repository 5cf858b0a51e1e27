"""TREC text: runs of six fields per line (five without a tag), and qrels of four.

Fields are separated by any white space. Lines that begin with # are comments, as in trec_eval 10.

A clean file (one separator, no blank lines, no errors) is parsed by polars in one pass. Any other
file is split line by line, to find every malformed line. For a valid file, both give the same
frame.

Comments at the start of a run may describe its origin, as YAML between `# ir_metadata.start` and
`# ir_metadata.end` (ir-metadata.org). Only `tag` is read here; for more, parse `Run.metadata_text`
as YAML.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.errors import STORED_FAULTS, CallError, Fault, Faults, InputError, shorten
from rankwise.formats.base import SKIP_LINES, Table
from rankwise.formats.source import BLANKS, COMMENT, MARK, Kind, Lines, Source, text_lines
from rankwise.lazy import pl
from rankwise.wording import Count

if TYPE_CHECKING:
    from polars._typing import PolarsDataType

BOM = MARK.decode()
LOOKED_AT = 1 << 22  # a file without a valid line in its first LOOKED_AT bytes is rejected
FIELD = rf"[^{BLANKS}]+"
FIELD_NAMES: dict[Kind, list[str]] = {
    "run": ["topic", "iteration", "document", "rank", "score", "tag"],
    "qrels": ["topic", "iteration", "document", "grade"],
}
OTHER_KIND: dict[Kind, Kind] = {"run": "qrels", "qrels": "run"}
# The polars types of numeric columns; other columns are text.
TYPES = {"rank": "Int64", "score": "Float64", "grade": "Float64", "count": "Float64"}
MUST_BE = {
    "rank": "an integer",
    "score": "a finite number",
    "grade": "a finite number",
    "count": "a finite number",
}


START, END = "ir_metadata.start", "ir_metadata.end"
VALUE = r"""(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'#][^\n]*?))"""  # in quotes, or plain
TAG = re.compile(rf"^tag:[ \t]+{VALUE}[ \t]*(?:[ \t]#.*)?$", re.M)


def columns_of_run(order: str) -> list[str]:
    """Return the columns to read from a run whose rankings are in the order `order`.

    The order is by "score", by "rank", or as in the "file". Only "rank" needs the column rank.
    """
    return ["topic", "document", "score", *(["rank"] if order == "rank" else [])]


def type_of(name: str) -> PolarsDataType:
    found: PolarsDataType = getattr(pl, TYPES.get(name, "String"))
    return found


def parse_trec(
    source: Source, kind: Kind, wanted: list[str], *, lenient: bool, as_trec_eval: bool = False
) -> Table:
    """Parse the `wanted` columns; `lenient` skips malformed lines, which are otherwise an error.

    With `as_trec_eval`, ignore fields of a run after the sixth, and use the tag of the last line.
    """
    if not source.first_line:
        raise InputError(source.name, "the file is empty.")
    fields, tag = FIELD_NAMES[kind], None
    if kind == "run":
        fields, tag = run_fields(source)
    more = as_trec_eval and kind == "run"
    if more:
        tag = last_tag(source) or tag
    head = _head(source)
    metadata = _metadata(head) if kind == "run" else ""
    tag = tag if more else _tag_in(metadata) or tag
    clean = parse_clean(source, fields, wanted)
    if clean is not None:
        lines = np.arange(clean.height) + 1 + len(head) if head else None
        return Table(clean, lines, tag, metadata=metadata)
    if not lenient and len(source.data) > 2 * LOOKED_AT:
        _give_up_early(source, kind, fields, wanted)
    frame, lines, faults = _parse_lines(source, fields, wanted, more_fields=more)
    if faults and not lenient:
        raise _faulty(source, kind, frame, faults)
    if frame.is_empty():
        what = "a run" if kind == "run" else "qrels"
        skipped = f" ({faults.count:,} skipped)" if faults else ""
        raise InputError(source.name, f"has no valid line of {what}{skipped}.")
    return Table(frame, lines, tag, dropped=faults.count, metadata=metadata)


def _give_up_early(source: Source, kind: Kind, fields: list[str], wanted: list[str]) -> None:
    """Raise an error if all of the first lines of a large file are malformed."""
    start = Source(source.name, source.data[: source.data.find(b"\n", LOOKED_AT) + 1])
    frame, _, faults = _parse_lines(start, fields, wanted, more_fields=True)
    if frame.is_empty() and faults:
        raise _faulty(source, kind, frame, faults, "Later lines were not checked.")


def _faulty(
    source: Source, kind: Kind, good: pl.DataFrame, faults: Faults, more: str = ""
) -> InputError:
    what = f"{more} A line of a {kind} file is: {' '.join(FIELD_NAMES[kind])}.".strip()
    fields, other = len(re.findall(FIELD, faults.first[0].text)), OTHER_KIND[kind]
    if good.is_empty() and fields == len(FIELD_NAMES[other]):
        has, wanted = ("a qrels file", "a run") if kind == "run" else ("a run", "a qrels file")
        hint = f"looks like {has}; {wanted} is expected here."
        return InputError(source.name, what, faults, hint=hint, expected=kind)
    if kind == "qrels" and good.is_empty() and fields == 3:
        hint = "has no grades. It looks like a pool of unjudged documents. Judge them first."
        return InputError(source.name, what, faults, hint=hint)
    hint = _hint(source, kind, faults.first[0])
    if hint.startswith(NO_HEADER):
        return InputError(source.name, hint)
    remedy = None if good.is_empty() else SKIP_LINES  # nothing would be left
    return InputError(source.name, what, faults, remedy=remedy, hint=hint)


def run_fields(source: Source) -> tuple[list[str], str | None]:
    """Return the names of a run's fields, guessed from 20 lines, and the first tag or None."""
    rows = (line for _, line in source.lines() if not line.startswith(COMMENT))
    lines = [re.findall(FIELD, line) for line in islice(rows, 20)]
    tags = [line[5] for line in lines if len(line) >= 6 and is_number(line[4])]
    untagged = sum(len(line) == 5 and is_number(line[4]) for line in lines)
    if untagged > len(tags):
        return FIELD_NAMES["run"][:5], None
    return FIELD_NAMES["run"], tags[0] if tags else None


def last_tag(source: Source) -> str | None:
    """Return the sixth field of the last line, or None; trec_eval uses it as the run's name."""
    end = len(source.data)
    while end > 0:
        start = source.data.rfind(b"\n", 0, end) + 1
        line = source.data[start:end].decode("utf-8", "replace").strip(BLANKS)
        if line and not line.startswith(COMMENT):
            return next(iter(re.findall(FIELD, line)[5:]), None)
        end = start - 1
    return None


def is_trec_line(line: str) -> bool:
    """Return whether a line may be of qrels (grade in field 4) or of a run (score in field 5).

    >>> is_trec_line("401 Q0 FT911-1 1 9.5 bm25"), is_trec_line("401: FT911-1 FT911-2 FT911-3")
    (True, False)
    """
    return any(map(is_number, line.split()[3:5]))


def is_number(value: Any) -> bool:
    """Return whether a value is a number, or the text of one."""
    try:
        float(value)
    except (OverflowError, TypeError, ValueError):
        return False
    return True


NO_HEADER = "the first line of a CSV file must name its columns"


def _hint(source: Source, kind: Kind, first: Fault) -> str:
    """Return a hint on CSV if the first malformed line has a comma or semicolon and no blank."""
    if len(re.findall(FIELD, first.text)) == 1 and re.search("[,;]", first.text):
        value = "score" if kind == "run" else "grade"
        header = f"topic,document,{value}"
        if source.name.lower().endswith((".csv", ".tsv")):
            return f"{NO_HEADER}, such as {header}."
        return f"looks like CSV. A CSV file needs the suffix .csv and a header such as {header}."
    return ""


def tag_of_metadata(source: Source) -> str | None:
    """Return the `tag` in the ir_metadata comments of a run, or None if there is none."""
    return _tag_in(_metadata(_head(source)))


def _head(source: Source) -> list[bytes]:
    """Return the comment lines at the start of a file, unchanged."""
    head, rest = _comments(source.head)
    return head if rest else _comments(source.data)[0]


def _comments(text: bytes) -> tuple[list[bytes], bool]:
    """Return the comment lines at the start of a text, and whether another line follows them."""
    head, start = [], 0
    while text[start : start + 1] == b"#" and (end := text.find(b"\n", start)) >= 0:
        head.append(text[start:end])
        start = end + 1
    return head, text[start : start + 1] not in (b"", b"#")


def parse_clean(source: Source, fields: list[str], wanted: list[str]) -> pl.DataFrame | None:
    """Parse the columns of a clean file (see the module); return None for any other file.

    Comments are skipped at the start; a file with a comment further down is not clean.
    """
    start = sum(len(line) + 1 for line in _head(source))
    # The search for a single byte is much faster than for two.
    if source.data.find(b"#", start) >= 0 and source.data.find(b"\n#", start) >= 0:
        return None
    blanks = _count_single_blanks(source.data, start=start)
    if blanks is None:
        return None
    end = source.data.find(b"\n", start)
    separator = "\t" if b"\t" in source.data[start:end] else " "
    last = fields[-1]
    columns = [pl.col(name) for name in wanted]
    try:
        frame = (
            pl.scan_csv(
                source.data[start:] if start else source.data,
                separator=separator,
                has_header=False,
                quote_char=None,
                schema={name: type_of(name) for name in fields},
            )
            .select(*columns, pl.col(last).is_null().alias("short"))
            .collect()
        )
    except pl.exceptions.PolarsError:
        return None
    # Blanks never touch, no line is short and the total fits: every line has all its fields.
    full = blanks == frame.height * len(fields) and not frame.drop_in_place("short").any()
    if not full or any(column.null_count() for column in frame.get_columns()):
        return None
    if MARK[:1] in source.data and frame["topic"].str.starts_with(BOM).any():
        return None
    for column in frame.select(name for name in wanted if TYPES.get(name) == "Float64"):
        # If the sum is finite, all numbers are; a sum is much faster.
        if not np.isfinite(float(column.sum())) and not np.isfinite(column.to_numpy()).all():
            return None
    return frame


def _count_single_blanks(data: bytes, step: int = 1 << 18, *, start: int = 0) -> int | None:
    """Count the bytes that are blanks or line ends; a missing final line end counts too.

    Return None if two of these bytes are adjacent, or if the text begins with a blank, a line end
    or a byte-order mark.
    """
    text = np.frombuffer(data, np.uint8)[start:]
    if not len(text) or text[0] <= 32 or text[0] == 0xEF:
        return None
    count = 0
    for start in range(0, len(text), step):
        blank = text[start : start + step + 1] <= 32
        if (blank[1:] & blank[:-1]).any():
            return None
        count += int(np.count_nonzero(blank[:step]))
    return count if text[-1] == 10 else count + 1


def _parse_lines(
    source: Source, fields: list[str], wanted: list[str], *, more_fields: bool
) -> tuple[pl.DataFrame, Lines, Faults]:
    """Return the valid rows of any text, their line numbers, and faults for malformed lines."""
    end = f"(?:[{BLANKS}].*)?$" if more_fields else "$"
    groups = f"[{BLANKS}]+".join(rf"(?P<{name}>{FIELD})" for name in fields)
    text = pl.col("line").str.strip_chars(BLANKS)
    lines, faults = text_lines(source)
    rows = (
        lines.with_columns(text)
        .filter(pl.col("line") != "", ~text.str.starts_with(COMMENT))
        .with_columns(pl.col("line").str.extract_groups(f"^{groups}{end}").alias("field"))
        .unnest("field")
    )
    parsed = [pl.col(name).cast(type_of(name), strict=False) for name in wanted if name in TYPES]
    rows = rows.with_columns(column.name.suffix("_parsed") for column in parsed)
    good = pl.col("topic").is_not_null() & ~pl.col("topic").str.starts_with(BOM)
    for name in wanted:
        if name in TYPES:
            good &= pl.col(f"{name}_parsed").is_not_null() & pl.col(f"{name}_parsed").is_finite()
    kept = rows.filter(good)
    bad = rows.filter(~good.fill_null(False))
    shown = (_fault(row, fields, wanted) for row in bad.head(STORED_FAULTS).iter_rows(named=True))
    faults += Faults.of(shown, bad.height)
    frame = kept.select(
        pl.col(f"{name}_parsed" if name in TYPES else name).alias(name) for name in wanted
    )
    return frame, kept["number"].to_numpy().astype(np.int64), faults


def _fault(row: dict[str, object], fields: list[str], wanted: list[str]) -> Fault:
    number, line = int(str(row["number"])), str(row["line"])
    if row["topic"] is None:
        count = len(re.findall(FIELD, line))
        return Fault(number, f"{Count(count, 'field')} instead of {len(fields)}", line)
    if str(row["topic"]).startswith(BOM):
        return Fault(number, "a byte-order mark inside the file, probably from joined files", line)
    for name in wanted:
        value: Any = row.get(f"{name}_parsed")
        if name in TYPES and (value is None or not np.isfinite(value)):
            given = shorten(str(row[name]), 60)
            return Fault(number, f"{name} {given!r} is not {MUST_BE[name]}", line)
    raise AssertionError(f"no fault found in line {number}")


def trec_lines(frame: pl.DataFrame) -> bytes:
    """Format the columns of a frame as lines of TREC text; numbers are read back exactly.

    >>> trec_lines(pl.DataFrame({"topic": ["1"], "0": ["0"], "document": ["a"], "grade": [2]}))
    b'1 0 a 2\\n'
    """
    faults = {"^$": "is empty", r"\s": "has a blank in it"}
    for column in frame.select(pl.col(pl.String)):
        # A line that begins with # is a comment.
        known = faults | ({"^#": "begins with #"} if column.name == frame.columns[0] else {})
        for pattern, fault in known.items():
            wrong = column.filter(column.str.contains(pattern))
            if len(wrong):
                what = f"{column.name} {wrong[0]!r} {fault}"
                raise CallError(f"{what}, which is not possible in TREC files.")
    return frame.write_csv(include_header=False, separator=" ", quote_style="never").encode()


def _metadata(comments: list[bytes]) -> str:
    """Return the ir_metadata (YAML) in the comments at the start of a run; "" without it."""
    lines = [line.decode("utf-8", "replace") for line in comments]
    bare = [re.sub(r"^\s*# ?", "", line).rstrip() for line in lines]
    marks = [line.strip() for line in bare]
    if START not in marks:
        return ""
    start = marks.index(START) + 1
    end = marks.index(END, start) if END in marks[start:] else len(marks)
    return "\n".join(bare[start:end])


def _tag_in(text: str) -> str | None:
    """Return the tag in the metadata, or None.

    >>> _tag_in("actor:\\n  tag: not this one\\ntag: 'bm25'  # as submitted\\n")
    'bm25'
    """
    found = TAG.search(text)
    return None if found is None else next(part for part in found.groups() if part is not None)
