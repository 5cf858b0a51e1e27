"""Runs and judgments in columns, validated: the output of every reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rankwise.errors import STORED_FAULTS, Fault, Faults, InputError
from rankwise.formats import Lines
from rankwise.lazy import pl
from rankwise.notes import Note, warning
from rankwise.wording import Argument, Count, Remedy

MORE = " for further subtopics"


class NamedRun(NamedTuple):
    """A run with the name that the list gives it."""

    name: str
    given: Any


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows with a topic and a document each, without duplicates."""

    frame: pl.DataFrame = field(repr=False)
    notes: tuple[Note, ...] = ()

    def __getstate__(self) -> dict[str, object]:
        """Pickle the fields only: cached values are recomputed."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def stretches(self) -> tuple[npt.NDArray[np.int64], list[str]]:
        """Lengths of stretches of rows with the same topic, and their topics."""
        lengths, topics = self.frame["topic"].rle().to_frame("r").unnest("r").get_columns()
        return lengths.to_numpy().astype(np.int64), topics.to_list()

    def repeats(self) -> pl.DataFrame:
        """Duplicate rows (same topic and document), as columns `row` and `first`."""
        if self.frame.select("topic", "document").n_unique() == self.frame.height:
            return pl.DataFrame(schema={"row": pl.UInt32, "first": pl.UInt32})
        return (
            self.frame.lazy()
            .select("topic", "document")
            .with_row_index("row")
            .with_columns(first=pl.col("row").min().over("topic", "document"))
            .filter(pl.col("row") != pl.col("first"))
            .select("row", "first")
            .collect()
        )


R = TypeVar("R", bound=Rows)


@dataclass(frozen=True, eq=False)
class Qrels(Rows):
    """Judgments: columns `topic`, `document`, `grade`.

    `gains` is set if the grades of the file were not integers, or if the caller passed gains:
    metrics without their own gains use it. Fractional grades are renumbered from 1, and
    `fractions` has the original values.

    A negative grade marks a document that was seen but cannot be used (spam, a broken page, a
    document pooled but not sampled). As in trec_eval it gains nothing, and metrics that count
    judged non-relevant documents ignore it.
    """

    gains: Mapping[int, float] | None = None
    fractions: Mapping[int, float] | None = None

    @property
    def as_read(self) -> pl.DataFrame:
        """The frame with the original grades, including fractions."""
        if self.fractions is None:
            return self.frame
        grade = pl.col("grade").cast(pl.Float64)
        fractions = {float(grade): label for grade, label in self.fractions.items()}
        return self.frame.with_columns(grade.replace(fractions))


@dataclass(frozen=True, eq=False)
class Run(Rows):
    """A run: columns `topic`, `document`, `score` and, if requested, `rank`.

    The rows are in the order of the file. `metadata_text` is the YAML of an ir_metadata block at
    the head of the file.
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
    iteration: pl.Series | None = None,
    unit: str = "line",
) -> R:
    """Remove duplicate documents of a topic, or raise an error that lists them.

    With `lenient` the row with the highest `best` (score or grade) is kept, the first of equal
    ones. `lines` maps rows to line numbers if they differ from row + 1. `iteration` is the column
    of the qrels that has a subtopic in diversity qrels: there a document may be judged for
    several subtopics.
    """
    repeats = rows.repeats()
    if repeats.is_empty():
        return rows
    subtopics = _of_other_subtopics(repeats, iteration)
    if not lenient:
        if not subtopics.is_empty():
            raise _diversity_error(rows, source, lines, subtopics)
        raise _repeats_error(rows, source, lines, repeats, unit)
    kept = (
        rows.frame.with_row_index("row")
        .sort(best, "row", descending=[True, False])
        .unique(["topic", "document"], keep="first", maintain_order=True)
        .sort("row")
        .drop("row")
    )
    noun, what = ("duplicate document", "") if subtopics.is_empty() else ("judgment", MORE)
    text = ("skipped ", Count(repeats.height, noun), f"{what}, kept the best {best}")
    skipped = warning("duplicates", *text, source=source)
    return replace(rows, frame=kept, notes=(*rows.notes, skipped))


def _of_other_subtopics(repeats: pl.DataFrame, iteration: pl.Series | None) -> pl.DataFrame:
    """Return the duplicates with a different subtopic than the first, with both subtopics."""
    if iteration is None:
        return repeats.clear()
    pairs = repeats.with_columns(
        subtopic=iteration.gather(repeats["row"]), before=iteration.gather(repeats["first"])
    )
    return pairs.filter(pl.col("subtopic") != pl.col("before"))


def _diversity_error(
    rows: Rows, source: str, lines: Lines | None, subtopics: pl.DataFrame
) -> InputError:
    row, first, subtopic, before = subtopics.row(0)
    here, there = (row + 1, first + 1) if lines is None else (lines[row], lines[first])
    topic, document, *_ = rows.frame.row(row)
    return InputError(
        source,
        "these are diversity qrels: documents are judged for each subtopic of a topic "
        f"(document {document} of topic {topic} for subtopic {before} in line {there} and "
        f"{subtopic} in line {here}; lines like it: {subtopics.height:,}). No metric here tells "
        "subtopics apart. To score by topic, give qrels with one grade for each topic and "
        "document, such as its highest over the subtopics.",
    )


def _repeats_error(
    rows: Rows, source: str, lines: Lines | None, repeats: pl.DataFrame, unit: str
) -> InputError:
    faults = []
    for row, first in repeats.head(STORED_FAULTS).rows():
        here, before = (row + 1, first + 1) if lines is None else (lines[row], lines[first])
        topic, document, *_ = rows.frame.row(row)
        what, first_at = f"document twice in topic {topic}", f", first at {unit} {before}"
        faults.append(Fault(int(here), what, document, first_at))
    remedy = Remedy(Argument("lenient", True), "keep the best one")
    found = Faults.of(faults, repeats.height)
    what = "A document may occur only once per topic."
    return InputError(source, what, found, remedy=remedy, unit=unit)
