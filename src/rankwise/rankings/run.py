"""`Run` and `Qrels`: the rows of a run or of judgments, in columns with checked values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rankwise.errors import STORED_FAULTS, Fault, Faults, InputError
from rankwise.formats import Lines
from rankwise.lazy import pl
from rankwise.notes import Note, warning
from rankwise.wording import Argument, Count, Remedy

if TYPE_CHECKING:
    from rankwise.rankings.preferences import Preferences
    from rankwise.rankings.subtopics import SubtopicWeights


FINGERPRINT = 12  # hexadecimal digits: 16^12, about 3 × 10^14 different fingerprints


class NamedRun(NamedTuple):
    """A run, or the judgments of one judge, with a name that the user gave."""

    name: str
    given: Any


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with a topic and a document each, and notes on reading these rows."""

    frame: pl.DataFrame = field(repr=False)
    notes: tuple[Note, ...] = ()

    def __getstate__(self) -> dict[str, object]:
        """Pickle only the fields; cached values are recomputed."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def stretches(self) -> tuple[npt.NDArray[np.int64], list[str]]:
        """Length and topic of each stretch of consecutive rows with the same topic."""
        lengths, topics = self.frame["topic"].rle().to_frame("r").unnest("r").get_columns()
        return lengths.to_numpy().astype(np.int64), topics.to_list()

    @property
    def keys(self) -> list[str]:
        """Names of the columns that identify a row: topic, document and, if present, subtopic."""
        return [name for name in ("topic", "document", "subtopic") if name in self.frame.columns]

    def repeats(self) -> pl.DataFrame:
        """Return the duplicate rows, those with the same `keys` as an earlier row.

        Column `row` has the index of a duplicate, `first` the index of the first equal row.
        """
        if self.frame.select(self.keys).n_unique() == self.frame.height:
            return pl.DataFrame(schema={"row": pl.UInt32, "first": pl.UInt32})
        return (
            self.frame.lazy()
            .select(self.keys)
            .with_row_index("row")
            .with_columns(first=pl.col("row").min().over(self.keys))
            .filter(pl.col("row") != pl.col("first"))
            .select("row", "first")
            .collect()
        )


R = TypeVar("R", bound=Rows)


@dataclass(frozen=True, eq=False)
class Qrels(Rows):
    """Judgments: columns `topic`, `document`, `grade`.

    `gains` maps grades to gains, for metrics without their own gains. It is None if the caller
    passed no gains and no grade is a fraction.

    Fractional grades are replaced by integers that increase with the gain. `fractions` maps these
    integers back to the original grades. Original grades with equal gains share an integer, which
    is mapped back to the highest of them.

    A negative grade marks a pooled document without a usable judgment, such as spam, a broken page,
    or a document that was not sampled. As in trec_eval, the document has no gain, and it does not
    count as judged non-relevant.

    Diversity qrels have `subtopics`, with columns `topic`, `subtopic`, `document`, `grade`, and
    optionally `weights` of the subtopics, {topic: {subtopic: weight}}. The grade of a document in
    `frame` is then its highest grade over subtopics.

    Preference judgments have `preferences`. The grade of a document is then its level in the ideal
    ranking: documents at the top have the highest grade. A document that is preferred to no other
    has grade 0.
    """

    gains: Mapping[int, float] | None = None
    fractions: Mapping[int, float] | None = None
    subtopics: pl.DataFrame | None = field(default=None, repr=False)
    weights: SubtopicWeights | None = field(default=None, repr=False)
    preferences: Preferences | None = field(default=None, repr=False)

    @property
    def as_read(self) -> pl.DataFrame:
        """`frame` with the grades of the input, which may be fractions."""
        return self._with_fractions(self.frame)

    @property
    def rows_as_read(self) -> pl.DataFrame:
        """`subtopics` or, without subtopics, `frame`, with the grades of the input."""
        return self._with_fractions(self.frame if self.subtopics is None else self.subtopics)

    def _with_fractions(self, frame: pl.DataFrame) -> pl.DataFrame:
        if self.fractions is None:
            return frame
        grade = pl.col("grade").cast(pl.Float64)
        fractions = {float(grade): label for grade, label in self.fractions.items()}
        return frame.with_columns(grade.replace(fractions))


@dataclass(frozen=True, eq=False)
class Run(Rows):
    """A run: columns `topic`, `document`, `score`, and `rank` if read with `order="rank"`.

    The rows are in the order of the input. `file` is the path, or the run's name if the run does
    not come from a file. `metadata_text` is the YAML of an ir_metadata block at the start of the
    file.
    """

    name: str = "run"
    file: str = ""
    metadata_text: str = field(default="", repr=False)


def without_repeats(
    rows: R,
    source: str,
    lines: Lines | None,
    best: str,
    lenient: bool,
    unit: str = "line",
) -> R:
    """Remove duplicate documents of a topic if `lenient`; otherwise raise an error for them.

    Of several rows of a document, the first one with the highest value in column `best` (score or
    grade) is kept. If rows have a `subtopic`, a document may occur once per subtopic. `lines` has
    the line number of each row; by default it is the index of the row + 1.
    """
    repeats = rows.repeats()
    if repeats.is_empty():
        return rows
    if not lenient:
        raise _repeats_error(rows, source, lines, repeats, unit, best)
    best_rows = (
        rows.frame.with_row_index("row")
        .sort(best, "row", descending=[True, False])
        .unique(rows.keys, keep="first", maintain_order=True)
        .sort("row")
        .drop("row")
    )
    text = (
        "skipped ",
        Count(repeats.height, "duplicate document"),
        f"; of each document, only the row with the highest {best} is kept",
    )
    skipped = warning("duplicates", *text, source=source)
    return replace(rows, frame=best_rows, notes=(*rows.notes, skipped))


def _repeats_error(
    rows: Rows, source: str, lines: Lines | None, repeats: pl.DataFrame, unit: str, best: str
) -> InputError:
    faults = []
    for row, first in repeats.head(STORED_FAULTS).rows():
        here, before = (row + 1, first + 1) if lines is None else (lines[row], lines[first])
        keys = rows.frame.select(rows.keys).row(row)
        topic, document, subtopic = (*keys, None)[:3]
        of_subtopic = "" if subtopic is None else f" for subtopic {subtopic}"
        what = f"duplicate document in topic {topic}{of_subtopic}"
        first_at = f", first at {unit} {before}"
        faults.append(Fault(int(here), what, document, first_at))
    remedy = Remedy(Argument("lenient", True), f"keep the one with the highest {best}")
    found = Faults.of(faults, repeats.height)
    each = "subtopic" if "subtopic" in rows.keys else "topic"
    what = f"A document may occur only once per {each}."
    return InputError(source, what, found, remedy=remedy, unit=unit)


def fingerprints(qrels: Qrels) -> dict[str, str]:
    """Return a fingerprint of the judgments of each topic, as {topic: 12 hexadecimal digits}.

    A fingerprint depends on the documents, their grades and the table of gains, but not on the
    order of rows.

    >>> from rankwise import read_qrels
    >>> one = fingerprints(read_qrels({"1": {"a": 1, "b": 0}, "2": {"a": 2}}))
    >>> other = fingerprints(read_qrels({"2": {"a": 1}, "1": {"b": 0, "a": 1}}))
    >>> {topic: one[topic] == other[topic] for topic in one}
    {'1': True, '2': False}
    """
    from hashlib import sha256

    gains = qrels.gains or {}
    rows = qrels.as_read.select("topic", "document", "grade").sort("topic", "document", "grade")
    numbers = qrels.frame.sort("topic", "document", "grade")["grade"].to_list()
    digests = {topic: sha256() for topic in rows["topic"].unique(maintain_order=True).to_list()}
    for (topic, document, grade), number in zip(rows.iter_rows(), numbers, strict=True):
        judgment = (document, float(grade), gains.get(number))
        digests[topic].update(f"{judgment!r}\n".encode("utf-8", "surrogatepass"))
    return {topic: digest.hexdigest()[:FINGERPRINT] for topic, digest in digests.items()}
