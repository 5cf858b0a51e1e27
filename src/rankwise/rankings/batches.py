"""Runs that arrive in batches of rows and are never completely in memory.

A batch may end within a ranking. Batches are therefore regrouped into pieces with complete
rankings, so that ranks and duplicate documents are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.errors import InputError
from rankwise.formats import Table
from rankwise.lazy import pl

if TYPE_CHECKING:
    from rankwise.formats import Columns

PIECE = 1 << 18  # rows per piece, or more if one topic has more


@dataclass(frozen=True, eq=False, repr=False)
class Stream:
    """Batches of one table: Arrow record batches or frames. A stream can be read once."""

    batches: Iterable[Any]

    def pieces(self, source: str, columns: Columns) -> Iterator[Table]:
        """Yield tables with complete topics, in which each row has its number in the stream.

        The rows must be grouped by topic, or by run and then by topic. The caller records the
        rankings seen so far, and raises `comes_again` if one occurs again.
        """
        first = 1
        for piece in _cut_by_topic(self._frames(source), source, columns):
            yield Table(piece, np.arange(first, first + piece.height))
            first += piece.height

    def looked_into(self) -> tuple[Stream, bool]:
        """Return an equivalent stream that is still unread, and whether it has a column of runs."""
        from rankwise.formats import find_column, to_polars

        batches = iter(self.batches)
        first = list(islice(batches, 1))
        table = to_polars(first[0]) if first else None
        named = table is not None and find_column(table, "the run", "run", {}) is not None
        return Stream(chain(first, batches)), named

    def whole(self, source: str) -> pl.DataFrame:
        """Return all rows at once."""
        return pl.concat(self._frames(source), how="vertical_relaxed")

    def _frames(self, source: str) -> Iterator[pl.DataFrame]:
        from rankwise.formats import to_polars

        found = None
        for batch in self.batches:
            found = to_polars(batch)
            if found is None:
                what = f"a batch has the type {type(batch).__name__}. Give frames of rows."
                raise InputError(source, what)
            yield found
        if found is None:
            raise InputError(source, "holds no rows.")


def _cut_by_topic(
    frames: Iterator[pl.DataFrame], source: str, columns: Columns
) -> Iterator[pl.DataFrame]:
    """Split the rows into pieces that end at the end of a topic."""
    held: list[pl.DataFrame] = []
    enough = PIECE
    for frame in frames:
        held.append(frame)
        if sum(part.height for part in held) < enough:
            continue
        table = pl.concat(held, how="vertical_relaxed")
        end = _end_of_topics(table, source, columns)
        held = [table[end:]]
        # So that a long topic is not searched again for each batch.
        enough = max(PIECE, 2 * held[0].height)
        if end:
            yield table[:end]
    yield pl.concat(held, how="vertical_relaxed")


def _end_of_topics(table: pl.DataFrame, source: str, columns: Columns) -> int:
    """Return the first row of the last topic, which may continue in the next batch."""
    from rankwise.formats import find_column, missing_column

    name = find_column(table, source, "topic", columns)
    if name is None:
        raise missing_column(table, source, "topic")
    topics = table[name]
    others = topics.ne_missing(topics[-1]).arg_true()
    return int(others[-1]) + 1 if len(others) else 0


def comes_again(source: str, topic: str, run: str | None) -> InputError:
    """Return the error for a stream that is not grouped by topic; `run` is None if unnamed."""
    of_run = f" of run {run}" if run else ""
    return InputError(
        source,
        f"topic {topic}{of_run} occurs again after other topics. Sort the stream by topic, for "
        "example with ORDER BY. If every frame is a run, give a list of frames.",
    )
