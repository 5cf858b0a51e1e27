"""Input of the C kernel: text, tables and dicts. Text is read in blocks, to save memory."""

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwise.arrays import Ints, Shorts
from rankwise.formats import Source
from rankwise.native.availability import kernel
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Order

if TYPE_CHECKING:
    from rankwise.formats import ArrowRows
    from rankwise.native._kernel import Lookup, Reader

ORDERS: dict[Order, int] = {"score": 0, "rank": 1, "file": 2}  # numbers of kernel.h
BY_SINGLE = 3
INNER_MARK = "\ufeff"  # a byte-order mark in the middle of a file, from concatenated files
SMALLEST_PIECE = 1 << 23  # bytes
MOST_PIECES = 32
# Few pieces, because each also reads the end of its last topic from the next piece.
PIECES_OF_TABLE = os.cpu_count() or 1
SLICE = 1 << 18  # rows of a table read at once; polars writes Parquet row groups of this size
TAIL = 1 << 13  # rows read at once to find the end of the last topic of a piece


def _ints(column: bytes) -> Shorts:
    return np.frombuffer(column, np.int32)


class Rows(NamedTuple):
    """Retrieved documents: the topic number in the lookup, the rank from 1, and ranks of its tie.

    `tie_first` and `tie_last` are the first and the last rank of the documents with this score.
    """

    topic: Shorts
    rank: Shorts
    tie_first: Shorts
    tie_last: Shorts


class JudgedText(NamedTuple):
    """Judged and unjudged documents of a run after the join, and other information about the run.

    `row` has, for each judged document, the row of its judgment in the qrels. `unjudged` is empty
    unless it was requested; `unjudged_names` has the names of its documents, each followed by a
    line end. `length` has the number of retrieved documents for each topic of the judgments.
    """

    judged: Rows
    row: Shorts
    unjudged: Rows
    unjudged_names: bytes
    length: Shorts
    unknown_topics: list[str]
    first_topics: list[str]  # at most three topics, judged or not
    fields: int  # fields per line; 0 if there is no line
    first_tag: str | None
    last_tag: str | None
    holds_self: bool  # whether a document is named like its topic; not known for text


class JudgmentText(NamedTuple):
    """Judgments, one per row of the input; `row_topic` has the index of its topic in `topics`."""

    lookup: "Lookup"
    topics: list[str]
    row_topic: Ints
    grade: Ints


def judgments_of(given: "Source | ArrowRows | dict[Any, Any]") -> JudgmentText | None:
    """Read judgments from TREC text, a table, or {topic: {document: grade}}.

    Return None if the C kernel is missing, or cannot read a line, row or value. In a table without
    a column of grades, all grades are 0.
    """
    native = kernel()
    if native is None:
        return None
    lookup: Lookup = native.Lookup()
    if isinstance(given, Source):
        is_clean = all(lookup.feed(block) for block in given.blocks())
    elif isinstance(given, dict):
        is_clean = lookup.take_dict(given)
    else:
        streams = (_stream(given, start, SLICE) for start in range(0, given.height, SLICE))
        is_clean = all(s is not None and lookup.take_rows(s, *given.columns[:3]) for s in streams)
    found = lookup.finish() if is_clean else None
    if found is None:
        return None
    topics, row_topic, grade = found
    if any(topic.startswith(INNER_MARK) for topic in topics):
        return None
    return JudgmentText(lookup, topics, *(_ints(c).astype(np.int64) for c in (row_topic, grade)))


class Joining(NamedTuple):
    """The judgments with which a run is joined, and the options of the join.

    With `unjudged`, the result also has the unjudged documents of judged topics. With `single`,
    scores are rounded to single precision, as in trec_eval 9.
    """

    lookup: "Lookup"
    order: Order
    depth: int | None = None
    unjudged: bool = False
    single: bool = False

    def reader(self, start: int = 0, stop: int = -1) -> "Reader":
        """Return a reader of one piece of a run: the topics that begin from `start` to `stop`.

        Both are positions in the input, in bytes of a text or rows of a table. A `stop` of −1 is
        the end of the input.
        """
        native = kernel()
        assert native is not None
        by = BY_SINGLE if self.single else ORDERS[self.order]
        found: Reader = native.Reader(self.lookup, by, self.depth or 0, self.unjudged, start, stop)
        return found


def run_of_text(source: Source, joining: Joining) -> JudgedText | None:
    """Read a run from TREC text and join it with the judgments; None if a line has a fault.

    Several threads read pieces of a large file, unless it is compressed. A piece ends between two
    topics.
    """
    if source.path is None or source.is_compressed:
        reader = joining.reader()
        return _joined([_judged_text(reader, all(map(reader.feed, source.blocks_ahead())))])
    path = source.path

    def read_piece(piece: tuple[int, int]) -> JudgedText | None:
        # The byte before shows whether a line starts here.
        start, stop = max(0, piece[0] - 1), piece[1]
        reader = joining.reader(start, stop)
        with source.errors(), path.open("rb", buffering=0) as file:
            file.seek(start)
            return _judged_text(reader, reader.read_file(file.fileno()))

    with source.unchanged() as length:
        size = max(SMALLEST_PIECE, length // MOST_PIECES)
        cuts = [0, *range(size, length - size // 2, size), -1]
        return _joined(list(map_in_threads(read_piece, pairwise(cuts))))


def run_of_rows(rows: "ArrowRows", joining: Joining) -> JudgedText | None:
    """Read a run from a table and join it with the judgments.

    Return None if a row has a fault, or if the table has several runs. Several threads read pieces
    of a large table.
    """

    def read_piece(piece: tuple[int, int]) -> JudgedText | None:
        start, stop = piece
        reader = joining.reader(start, stop)
        end = rows.height if stop < 0 else stop
        while start < rows.height and not reader.is_done():
            count = min(SLICE, end - start) if start < end else TAIL
            stream = _stream(rows, start, count)
            if stream is None or not reader.take_rows(stream, *rows.columns):
                return None
            start += count
        return _judged_text(reader)

    size = SLICE * max(1, rows.height // (PIECES_OF_TABLE * SLICE))
    cuts = [0, *range(size, rows.height - size // 2, size), -1]
    pieces = list(map_in_threads(read_piece, pairwise(cuts)))
    tags = {piece.first_tag for piece in pieces if piece is not None and piece.fields}
    return _joined(pieces) if len(tags) == 1 else None


def _stream(rows: "ArrowRows", start: int, count: int) -> object:
    """Return a capsule with an Arrow stream of `count` rows, or None if they cannot be read.

    In the latter case, the Python reader reports the error.
    """
    try:
        return rows.part(start, count).__arrow_c_stream__()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        return None  # an Exception, or a panic of polars, which is not an Exception


def run_of_dict(run: object, joining: Joining) -> JudgedText | None:
    """Read a run from {topic: {document: score}} and join it; None if the kernel cannot read it."""
    reader = joining.reader()
    found = _judged_text(reader, reader.take_dict(run))
    return found if found is not None and found.first_topics else None


def _judged_text(reader: "Reader", is_clean: bool = True) -> JudgedText | None:
    """Return the rows read by the kernel as arrays, or None if the input was not clean."""
    found = reader.finish() if is_clean else None
    if found is None:
        return None
    judged, row, unjudged, names, length = found[:5]
    unknown, first, fields, first_tag, last_tag, holds_self = found[5:]
    if any(name.startswith(INNER_MARK) for name in unknown):
        return None
    return JudgedText(
        Rows(*map(_ints, judged)),
        _ints(row),
        Rows(*map(_ints, unjudged)),
        names,
        _ints(length),
        unknown,
        first,
        fields,
        first_tag,
        last_tag,
        holds_self,
    )


def _joined(pieces: Sequence[JudgedText | None]) -> JudgedText | None:
    """Join the pieces of a run.

    Return None if a piece was not clean, if no piece has rows, if the pieces have different numbers
    of fields, or if a topic is in two pieces.
    """
    clean = [piece for piece in pieces if piece is not None]
    filled = [piece for piece in clean if piece.fields]
    if len(clean) < len(pieces) or not filled or len({piece.fields for piece in filled}) > 1:
        return None
    if len(filled) == 1:
        return filled[0]
    unknown = [name for piece in filled for name in piece.unknown_topics]
    times = np.sum([piece.length > 0 for piece in filled], axis=0)
    if (times > 1).any() or len(set(unknown)) < len(unknown):
        return None
    return JudgedText(
        judged=_one_below_another([piece.judged for piece in filled]),
        row=np.concatenate([piece.row for piece in filled]),
        unjudged=_one_below_another([piece.unjudged for piece in filled]),
        unjudged_names=b"".join(piece.unjudged_names for piece in filled),
        length=np.sum([piece.length for piece in filled], axis=0),
        unknown_topics=unknown,
        first_topics=[name for piece in filled for name in piece.first_topics][:3],
        fields=filled[0].fields,
        first_tag=filled[0].first_tag,
        last_tag=filled[-1].last_tag,
        holds_self=any(piece.holds_self for piece in filled),
    )


def _one_below_another(parts: Sequence[Rows]) -> Rows:
    return Rows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
