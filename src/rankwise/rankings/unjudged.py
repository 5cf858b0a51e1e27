"""The documents that runs retrieved and nobody judged, each known by name.

Scores need only the ranks of unjudged documents. What two systems share, and what to judge
next, needs to know which documents they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Ints
from rankwise.threads import map_in_threads

BLOCK = 1 << 15  # rows


class UnjudgedOfRun(NamedTuple):
    """One run's unjudged documents, in any order."""

    topic: Ints
    document: pl.Series
    rank: Ints
    tie_first: Ints
    tie_last: Ints


@dataclass(frozen=True, eq=False)
class Unjudged:
    """A row for each unjudged document of each ranking, by topic, then document, then run.

    `run` and `topic` are numbers; `rank`, `tie_first` and `tie_last` are as in
    JudgedRankings. `document` counts up from 0 in the order of the rows: the same document
    of the same topic has one number in all runs, and `names` has the name of each, in
    order of name within a topic.
    """

    run: Ints = field(repr=False)
    topic: Ints = field(repr=False)
    document: Ints = field(repr=False)
    rank: Ints = field(repr=False)
    tie_first: Ints = field(repr=False)
    tie_last: Ints = field(repr=False)
    names: pl.Series = field(repr=False)

    @property
    def count(self) -> int:
        """How many documents there are, over all topics."""
        return len(self.names)

    def ranking(self, topics: int) -> Ints:
        """The number of each row's ranking, there being so many topics; see JudgedRankings."""
        return self.run * topics + self.topic

    def above(self, depth: int) -> "Unjudged":
        """Only the documents that a ranking has down to this depth, numbered anew."""
        here = self.rank <= depth
        kept, number = np.unique(self.document[here], return_inverse=True)
        return Unjudged(
            run=self.run[here],
            topic=self.topic[here],
            document=number.reshape(-1),
            rank=self.rank[here],
            tie_first=self.tie_first[here],
            tie_last=self.tie_last[here],
            names=self.names.gather(kept),
        )

    @classmethod
    def of(cls, parts: Sequence[UnjudgedOfRun]) -> "Unjudged":
        """Some topics at a time, so that their names stay in the cache."""
        names = pl.concat([part.document for part in parts])
        topic = np.concatenate([part.topic for part in parts])
        by_topic = np.argsort(topic, kind="stable")  # runs stay in order
        topic = topic[by_topic]

        def arrange(rows: slice) -> tuple[Ints, Bools, pl.Series]:
            return _arranged(by_topic[rows], topic[rows], names)

        blocks = [rows for _, rows in blocks_of_topics(topic, BLOCK)]
        orders, news, distinct = zip(*map_in_threads(arrange, blocks), strict=True)
        order = np.concatenate(orders)
        run = np.repeat(np.arange(len(parts)), [len(part.topic) for part in parts])

        def sorted_column(name: str) -> Ints:
            return np.concatenate([getattr(part, name) for part in parts])[order]

        return cls(
            run=run[order],
            topic=topic,
            document=np.cumsum(np.concatenate(news)) - 1,
            rank=sorted_column("rank"),
            tie_first=sorted_column("tie_first"),
            tie_last=sorted_column("tie_last"),
            names=pl.concat(distinct),
        )


def _arranged(rows: Ints, topic: Ints, names: pl.Series) -> tuple[Ints, Bools, pl.Series]:
    """Rows, which stand by topic, in order of name; which have a new name, and these names."""
    # Names are compared, not hashes of them: an Enum numbers what is equal alike.
    here = names.gather(rows)
    distinct = here.unique().sort()
    name = here.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int64)
    key = topic * max(1, len(distinct)) + name
    order = np.argsort(key, kind="stable")
    new = np.ones(len(key), np.bool_)
    new[1:] = np.diff(key[order]) != 0
    return rows[order], new, distinct.gather(name[order][new])


def blocks_of_topics(
    topic: Ints, rows: int, topics: int | None = None
) -> Iterator[tuple[slice, slice]]:
    """Rows that stand by topic, some whole topics at a time: these topics, and their rows.

    As many as `rows` and `topics` allow, and one at least. There is always a block.
    """
    starts = np.searchsorted(topic, np.arange(topic.max(initial=0) + 2))
    start, last = 0, len(starts) - 1
    while start < last:
        fitting = int(np.searchsorted(starts, starts[start] + rows, "right")) - 1
        stop = max(start + 1, fitting if topics is None else min(fitting, start + topics))
        yield slice(start, stop), slice(int(starts[start]), int(starts[stop]))
        start = stop
