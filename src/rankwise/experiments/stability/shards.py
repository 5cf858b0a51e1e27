"""Shards: rankings and judgments of a subset of the documents."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Ints
from rankwise.rankings import JudgedRankings, Rejudged

SHARES = (0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True, eq=False)
class Sharding:
    """Rankings with all retrieved documents, to be restricted to a subset of the documents.

    `document` numbers the documents, by code: a document has one number for all topics, and is in
    a shard for all of them or for none.
    """

    judged: JudgedRankings
    document: Ints
    documents: int

    @classmethod
    def of(cls, judged: JudgedRankings) -> "Sharding":
        assert judged.retrieved is not None
        names = judged.retrieved.names
        distinct = names.unique().sort()  # so that the order of files cannot change a shard
        document = names.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int64)
        return cls(judged, document, len(distinct))

    def drawn(self, share: float, seed: int) -> Bools:
        """Draw a random fraction of the documents, by code; nested for the same seed."""
        place = np.random.default_rng(seed).permutation(self.documents)
        return np.asarray((place < share * self.documents)[self.document])

    def shard(self, kept: Bools, depth: int | None = None) -> JudgedRankings:
        """Return the rankings of a subset of the documents, ranks closed up, down to a depth."""
        judged, table = self.judged, self.judged.retrieved
        assert table is not None
        rows = table.only(kept[table.code])
        ranking = rows.ranking(len(judged.topics))
        order = np.lexsort((rows.rank, ranking))
        ranking, code, tie = (
            ranking[order],
            rows.code[order],
            rows.tie_first[order].astype(np.int64),
        )
        length = np.bincount(ranking, minlength=judged.count)
        rank, first, last = _closed_up(ranking, tie, length)
        above = np.ones(len(code), np.bool_) if depth is None else rank <= depth
        length = length if depth is None else np.minimum(length, depth)
        has = np.zeros(table.codes, np.bool_)
        has[code[above]] = True
        unjudged = self.topic_of_code[table.judgments :][has[table.judgments :]]
        seen = above & (code < table.judgments)
        return replace(
            self.rejudged.keep(kept[: table.judgments]),
            ranking=ranking[seen],
            rank=rank[seen],
            grade=judged.topic_grades[code[seen]],
            tie_first=first[seen],
            tie_last=last[seen],
            length=length,
            topic_unjudged=np.bincount(unjudged, minlength=len(judged.topics)),
        )

    @cached_property
    def topic_of_code(self) -> Ints:
        """Topic of each retrieved document, by its code."""
        table = self.judged.retrieved
        assert table is not None
        topic = np.zeros(table.codes, np.int64)
        topic[table.code] = table.topic
        return topic

    @cached_property
    def rejudged(self) -> Rejudged:
        """Rankings from which the judgments are taken."""
        return Rejudged.of(replace(self.judged, retrieved=None))


def _closed_up(ranking: Ints, tie: Ints, length: Ints) -> tuple[Ints, Ints, Ints]:
    """Return new ranks for rows sorted by ranking and old rank, and each tie's first and last."""
    before = (np.cumsum(length) - length)[ranking]
    new = np.ones(len(ranking) + 1, np.bool_)
    new[1:-1] = (np.diff(ranking) != 0) | (np.diff(tie) != 0)
    ends = np.flatnonzero(new)
    group = np.cumsum(new[:-1]) - 1
    rank = np.arange(1, len(ranking) + 1) - before
    return rank, ends[group] + 1 - before, ends[group + 1] - before
