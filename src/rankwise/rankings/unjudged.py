"""The documents that runs retrieved and nobody judged, each known by name.

Scores need only the ranks of unjudged documents. What two systems share, and what to judge
next, needs to know which documents they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rankwise.arrays import Ints
from rankwise.lazy import pl


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

    def above(self, depth: int) -> Unjudged:
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
    def of(cls, parts: Sequence[UnjudgedOfRun]) -> Unjudged:
        """Names are compared, not hashes of them: an Enum numbers what is equal alike."""
        names = pl.concat([part.document for part in parts])
        distinct = names.unique().sort()
        name = names.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int64)
        topic = np.concatenate([part.topic for part in parts])
        sizes = [len(part.topic) for part in parts]
        run = np.repeat(np.arange(len(parts)), sizes)
        key = topic * max(1, len(distinct)) + name
        order = np.argsort(key, kind="stable")  # runs stay in order
        key = key[order]
        new = np.ones(len(key), np.bool_)
        new[1:] = key[1:] != key[:-1]

        def sorted_column(name: str) -> Ints:
            return np.concatenate([getattr(part, name) for part in parts])[order]

        return cls(
            run=run[order],
            topic=topic[order],
            document=np.cumsum(new) - 1,
            rank=sorted_column("rank"),
            tie_first=sorted_column("tie_first"),
            tie_last=sorted_column("tie_last"),
            names=distinct.gather(name[order][new]),
        )
