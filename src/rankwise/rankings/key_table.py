"""Judgments made ready to meet any run there is: what the kernel's hash tables are, in Python.

A run is never joined as text: rows carry a 64-bit key of topic and document; a table of buckets
throws out most rows that are not judged, the keys of a bucket settle the rest, and the names of
what matched are compared at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Ints
from rankwise.lazy import pl
from rankwise.rankings.rows import Qrels, Run
from rankwise.threads import map_in_threads

Keys: TypeAlias = npt.NDArray[np.uint64]
HALF = np.uint64(32)  # bits of a key: its upper half says which bucket it is in


@dataclass(frozen=True, eq=False, repr=False)
class KeyTable:
    """Judgments by key, in buckets of which each topic has its own: eight for each judgment.

    The rows of a topic so look at few places, which stay in the cache. Bucket 0 is empty.
    """

    qrels: Qrels
    row_topic: Ints
    code_of: Mapping[str, int]

    @cached_property
    def size(self) -> Keys:
        """How many buckets each topic has; one more is of those without judgments."""
        return np.bincount(self.row_topic, minlength=len(self.code_of) + 1).astype(np.uint64) * 8

    @cached_property
    def base(self) -> Keys:
        """The first bucket of each topic; of those without judgments the empty one."""
        base = np.cumsum(self.size) - self.size + 1
        base[-1] = 0
        return base

    @cached_property
    def by_bucket(self) -> Ints:
        topic = self.row_topic.astype(np.uint64) << HALF
        return np.argsort(topic | self.qrels.keys >> HALF)

    @cached_property
    def keys(self) -> Keys:
        """By bucket, and one at the end for those who look behind the last."""
        return np.append(self.qrels.keys[self.by_bucket], np.uint64(0))

    @cached_property
    def starts(self) -> npt.NDArray[np.int32]:
        """Where the keys of each bucket start, and where the last end."""
        topic = self.row_topic
        buckets = self._buckets(self.qrels.keys, self.base[topic], self.size[topic])
        counts = np.bincount(buckets, minlength=int(self.size.sum()) + 1)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    @cached_property
    def filled(self) -> npt.NDArray[np.bool_]:
        """Which buckets hold a key: about one in eight."""
        return self.starts[1:] > self.starts[:-1]

    @cached_property
    def documents(self) -> pl.Series:
        return self.qrels.frame["document"].rechunk()

    def prepare(self) -> KeyTable:
        """Make all that threads would else make twice."""
        _ = self.filled, self.keys, self.documents
        return self

    def find(self, run: Run) -> tuple[Ints, Ints]:
        """The rows of the run that are judged, and the rows of the qrels that judge them."""
        lengths, names = run.stretches
        none = len(self.code_of)
        code = np.array([self.code_of.get(name, none) for name in names], np.int64)

        def of_piece(piece: tuple[slice, slice]) -> tuple[Ints, Ints]:
            stretches, rows = piece
            of_rows = (
                np.repeat(c[code[stretches]], lengths[stretches]) for c in (self.base, self.size)
            )
            found, judging = self._find_keys(run.keys[rows], *of_rows)
            return found + rows.start, judging

        found = list(map_in_threads(of_piece, run.pieces))
        nothing = np.zeros(0, np.int64)
        rows = np.concatenate([nothing, *(rows for rows, _ in found)])
        judging = np.concatenate([nothing, *(judging for _, judging in found)])
        if run.frame["document"].gather(rows).equals(self.documents.gather(judging)):
            return rows, judging
        return self._find_by_name(run)

    @staticmethod
    def _buckets(keys: Keys, base: Keys, size: Keys) -> Ints:
        """The bucket of each key, there being so many from the base on."""
        return (base + ((keys >> HALF) * size >> HALF)).view(np.int64)

    def _find_keys(self, keys: Keys, base: Keys, size: Keys) -> tuple[Ints, Ints]:
        buckets = self._buckets(keys, base, size)
        rows = np.flatnonzero(self.filled[buckets])
        buckets, wanted = buckets[rows], keys[rows]
        place, end = self.starts[buckets], self.starts[buckets + 1]
        while (go_on := (self.keys[place] != wanted) & (place < end)).any():
            place += go_on
        hit = place < end
        return rows[hit], self.by_bucket[place[hit]]

    def _find_by_name(self, run: Run) -> tuple[Ints, Ints]:
        """The same without keys: slower, for the day when two keys collide."""
        both = run.frame.with_row_index("row").join(
            self.qrels.frame.with_row_index("judging"), on=["topic", "document"]
        )
        return both["row"].to_numpy().astype(np.int64), both["judging"].to_numpy().astype(np.int64)
