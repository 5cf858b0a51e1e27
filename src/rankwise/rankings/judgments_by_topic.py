"""Judgments of a subset of the topics, for a piece of a stream or a partition in Spark.

Some metrics depend on the whole collection, for example on the highest grade in the qrels. Each
subset therefore gets an additional, artificial topic that has every grade of the qrels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from rankwise.arrays import Ints, joined_ranges
from rankwise.formats import to_polars
from rankwise.lazy import pl
from rankwise.notes import Note, add_counts
from rankwise.rankings.batches import PIECE, Stream
from rankwise.rankings.filters import ALL, Selection
from rankwise.rankings.judgments import Judgments, topic_order
from rankwise.rankings.reading import read_qrels
from rankwise.rankings.run import Qrels

EVERY_GRADE = "\0every grade"  # name of the artificial topic; real names have no zero byte
MANY = 1 << 20  # number of judgments above which they are read in pieces


def with_every_grade(qrels: pl.DataFrame, grades: Sequence[float]) -> pl.DataFrame:
    """Append an artificial topic with one document for each of these grades."""
    names = [str(at) for at in range(len(grades))]
    columns: dict[str, Any] = {"topic": EVERY_GRADE, "document": names, "grade": grades}
    columns |= {"iteration": "0"}
    more = pl.DataFrame({name: columns[name] for name in qrels.columns}, strict=False)
    return pl.concat([qrels, more.cast(qrels.schema)])


@dataclass(frozen=True, eq=False)
class TopicNames:
    """Topic names in display order, with a lookup of the index of a name.

    A dict would take six times the memory for ten million names.
    """

    names: tuple[str, ...]

    def codes(self, names: Sequence[str]) -> Ints:
        """Return the index of each topic, or -1 for unknown topics."""
        hashes, number = self._by_hash
        wanted = np.fromiter(map(hash, names), np.int64, len(names))
        places = np.searchsorted(hashes[:-1], wanted)
        found = np.where(hashes[places] == wanted, number[places], -1)
        for at, (name, code) in enumerate(zip(names, found.tolist(), strict=True)):
            if code >= 0 and self.names[code] != name:  # hash collision of two names
                found[at] = self._code_of.get(name, -1)
        return found

    @cached_property
    def _by_hash(self) -> tuple[Ints, Ints]:
        """Sorted hashes of all names and a last 0, and the index of each name and a last −1."""
        hashes = np.fromiter(map(hash, self.names), np.int64, len(self.names))
        number = np.argsort(hashes)
        return np.append(hashes[number], 0), np.append(number, -1)

    @cached_property
    def _code_of(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.names)}


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentsByTopic:
    """Judgments grouped by topic, for up to millions of topics.

    `start` and `count` have the first row and the number of rows of each topic in `qrels`.
    """

    qrels: Qrels  # without the column `topic`
    topics: TopicNames
    start: Ints
    count: Ints
    grades: tuple[int, ...]  # grades that occur

    @classmethod
    def read(
        cls, given: Any, gains: Any = None, lenient: bool = False, taken: Selection = ALL
    ) -> JudgmentsByTopic:
        """Read judgments like `read_qrels`; a large frame is read in pieces to save memory."""
        frame = to_polars(given)
        if frame is not None:
            plain = gains is None and not lenient and not taken.changes_qrels
            found = cls._read_in_pieces(frame) if plain and frame.height > MANY else None
            if found is not None:
                return found
            given = frame
        return cls.of(taken.of_qrels(read_qrels(given, gains=gains, lenient=lenient)))

    @classmethod
    def _read_in_pieces(cls, frame: pl.DataFrame) -> JudgmentsByTopic | None:
        """Read a frame in pieces.

        Return None if the rows of a topic are not consecutive, or if a grade is a fraction.
        """
        lengths, names, rows, notes = [], list[str](), [], list[Note]()
        for piece in Stream(frame.iter_slices(PIECE)).pieces("the qrels", {}):
            part = read_qrels(piece)
            if part.gains is not None:
                return None
            lengths.append(part.stretches[0])
            names += part.stretches[1]
            rows.append(part.frame.select("document", "grade"))
            notes += part.notes
        whole = Qrels(pl.concat(rows, rechunk=True), add_counts(notes))
        rows.clear()
        found = cls._of(whole, np.concatenate(lengths), names)
        return found if len(found.topics.names) == len(names) else None

    @classmethod
    def of(cls, qrels: Qrels) -> JudgmentsByTopic:
        frame = qrels.frame.select("document", "grade")
        return cls._of(replace(qrels, frame=frame), *qrels.stretches)

    @classmethod
    def _of(cls, qrels: Qrels, lengths: Ints, names: Sequence[str]) -> JudgmentsByTopic:
        ordered = topic_order(names)
        # Not a set, which takes more memory.
        if any(one == other for one, other in pairwise(ordered)):
            ordered = list(dict.fromkeys(ordered))
        topics = TopicNames(tuple(ordered))
        codes, frame = topics.codes(names), qrels.frame
        if len(ordered) < len(names):  # rows of a topic are not consecutive: group them
            frame = frame[np.argsort(np.repeat(codes, lengths), kind="stable")]
            lengths = np.bincount(codes, lengths).astype(np.int64)
            codes = np.arange(len(ordered))
        start, count = np.empty_like(lengths), np.empty_like(lengths)
        start[codes], count[codes] = np.cumsum(lengths) - lengths, lengths
        grades = tuple(frame["grade"].unique().sort().to_list())
        return cls(replace(qrels, frame=frame), topics, start, count, grades)

    def part(self, codes: Ints) -> Judgments:
        """Return the judgments of the topics with these indices, and of the artificial topic."""
        which, rows = joined_ranges(self.start[codes], self.count[codes])
        names = pl.Series("topic", [self.topics.names[code] for code in codes], pl.String)
        table = self.qrels.frame[rows].insert_column(0, names.gather(which))
        frame = with_every_grade(table, self.grades)
        return Judgments.of(replace(self.qrels, frame=frame, notes=()))
