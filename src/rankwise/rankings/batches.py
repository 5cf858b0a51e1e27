"""Runs that arrive in batches of rows, so that not all rows need to be in memory at once.

A batch may end within a ranking. Ranks and duplicate documents are known only for complete
rankings, so batches are regrouped into pieces of complete rankings.
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


@dataclass(eq=False, repr=False)
class Stream:
    """Batches of one table: Arrow record batches or frames. A stream can be read once."""

    batches: Iterable[Any]

    def pieces(self, source: str, columns: Columns) -> Iterator[Table]:
        """Yield tables of complete rankings, with rows numbered from the start of the stream.

        The rows must be grouped by topic, or by run and then by topic. This is not checked here.
        """
        waiting: list[pl.DataFrame] = []
        first, enough = 1, PIECE
        for frame in self._frames(source):
            waiting.append(frame)
            if sum(part.height for part in waiting) < enough:
                continue
            table = pl.concat(waiting, how="vertical_relaxed")
            end = _end_of_topics(table, source, columns)
            waiting = [table[end:]]
            # So that a long topic is not searched again for each batch.
            enough = max(PIECE, 2 * waiting[0].height)
            if end:
                yield Table(table[:end], np.arange(first, first + end))
                first += end
        rest = pl.concat(waiting, how="vertical_relaxed")
        yield Table(rest, np.arange(first, first + rest.height))

    def names_runs(self) -> bool:
        """Return whether the first batch of the stream has a column of run names."""
        from rankwise.formats import find_column, to_polars

        batches = iter(self.batches)
        first = list(islice(batches, 1))
        self.batches = chain(first, batches)
        table = to_polars(first[0]) if first else None
        return table is not None and find_column(table, "the run", "run", {}) is not None

    def whole(self, source: str) -> pl.DataFrame:
        return pl.concat(self._frames(source), how="vertical_relaxed")

    def _frames(self, source: str) -> Iterator[pl.DataFrame]:
        from rankwise.formats import to_polars

        found = None
        for batch in self.batches:
            found = to_polars(batch)
            if found is None:
                what = f"the stream has a value of type {type(batch).__name__}"
                raise InputError(source, f"{what}. Give a stream of data frames.")
            yield found
        if found is None:
            raise InputError(source, "has no rows.")


def _end_of_topics(table: pl.DataFrame, source: str, columns: Columns) -> int:
    """Return the index of the first row of the last topic, which may not be complete yet."""
    from rankwise.formats import find_column, missing_column

    name = find_column(table, source, "topic", columns)
    if name is None:
        raise missing_column(table, source, "topic")
    topics = table[name]
    others = topics.ne_missing(topics[-1]).arg_true()
    return int(others[-1]) + 1 if len(others) else 0
