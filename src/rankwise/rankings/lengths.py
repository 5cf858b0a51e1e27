"""Document lengths, for metrics that model the reading time of a user.

Reading an unjudged document takes time, too. If `lengths` are passed, the lengths of all documents
of all rankings are therefore stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankwise.arrays import Floats, Ints, sums_within
from rankwise.errors import CallError, InputError, shorten, some_of
from rankwise.formats import read_pairs, to_polars
from rankwise.notes import note
from rankwise.wording import Argument

if TYPE_CHECKING:
    from rankwise.rankings.judged import JudgedRankings
    from rankwise.rankings.types import Frame

    # A file with lines `document length`, {document: length}, or a frame with these columns.
    DocumentLengths: TypeAlias = str | Path | Mapping[str, float] | Frame

COLUMNS = ("document", "length")
SHOWN = 3  # names shown in a message


@dataclass(frozen=True, eq=False, repr=False)
class Lengths:
    """Length of each document of each ranking, in the unit of the input.

    `value[start[r]:end[r]]` has the lengths of the documents of ranking r, best rank first; NaN is
    an unknown length. `sums` has the cumulative sums of `value` within each ranking. `groups` has
    the start of each ranking, followed by the size of `value`. A subset of rankings keeps `value`,
    `sums` and `groups` of all rankings. `documents` is the number of distinct documents. `lacking`
    is the number of distinct documents of unknown length; `some_lacking` names some of them.
    """

    start: Ints
    end: Ints
    value: Floats
    sums: Floats
    groups: Ints
    documents: int
    lacking: int
    some_lacking: tuple[str, ...]

    def of(self, ranking: Ints, rank: Ints) -> Floats:
        """Return the length of the document at each (ranking, rank), or 0 below the last rank."""
        place = self.start[ranking] + rank - 1
        is_retrieved = place < self.end[ranking]
        lengths = np.zeros(place.shape)
        lengths[is_retrieved] = self.value[place[is_retrieved]]
        return lengths

    def above(self, ranking: Ints, rank: Ints) -> Floats:
        """Return, for each (ranking, rank), the total length of the documents at better ranks."""
        place = self.start[ranking] + rank - 1
        return self.sums[place] - self.value[place]

    def filled(self, length: float) -> Lengths:
        """Return a copy in which every unknown length is replaced by `length`."""
        if not self.lacking:
            return self
        value = np.where(np.isnan(self.value), length, self.value)
        return replace(self, value=value, sums=_sums(value, self.groups), lacking=0)

    def where_rankings(self, rankings: Ints) -> Lengths:
        return replace(self, start=self.start[rankings], end=self.end[rankings])


def with_lengths(judged: JudgedRankings, given: DocumentLengths) -> JudgedRankings:
    """Return rankings with document lengths; `judged.retrieved` must be set.

    It is an error if no document has a length.
    """
    retrieved = judged.retrieved
    assert retrieved is not None
    called = str(given) if isinstance(given, str | Path) else "lengths"
    table = _checked(_pairs_in(given, called), called)
    length = np.array([table.get(name, np.nan) for name in retrieved.names.to_list()])
    codes = np.unique(retrieved.code)  # a document has a code for each of its topics
    documents = retrieved.names.gather(codes).n_unique()
    names = retrieved.names.gather(codes[np.isnan(length[codes])]).unique(maintain_order=True)
    lacking, some = len(names), tuple(names.head(SHOWN + 1).to_list())
    if lacking == documents:
        its, theirs = some_of(list(table), SHOWN), some_of(some, SHOWN)
        raise InputError(
            called,
            f"no document of the runs has a length. Documents with a length: {its}. Documents of "
            f"the runs: {theirs}. Check that both use the same document IDs.",
        )
    groups = np.concatenate([[0], np.cumsum(judged.length)])
    value = np.full(int(groups[-1]), np.nan)
    ranking = retrieved.ranking(len(judged.topics))
    value[groups[ranking] + retrieved.rank - 1] = length[retrieved.code]
    columns = (groups[:-1], groups[1:], value, _sums(value, groups), groups)
    of = f"{lacking:,} of {documents:,} retrieved documents ({some_of(some, SHOWN)})"
    default = "for these documents, the parameter length of the metric is used"
    lacks = note("lengths-missing", f"no length is given for {of}; {default}", source=called)
    notes = [lacks] if lacking else []
    lengths = Lengths(*columns, documents, lacking, some)
    return replace(judged, lengths=lengths, notes=(*judged.notes, *notes))


def _sums(value: Floats, groups: Ints) -> Floats:
    return sums_within(value, groups).astype(np.float64)


def _pairs_in(given: Any, called: str) -> Iterable[tuple[Any, Any]]:
    if isinstance(given, Mapping):
        return given.items()
    if isinstance(given, str | Path):
        return read_pairs(given, *COLUMNS).items()
    frame = to_polars(given)
    if frame is None:
        kind = type(given).__name__
        raise CallError(
            Argument("lengths"), f" has the type {kind}. Give a file, a frame or a dict."
        )
    if not set(COLUMNS) <= set(frame.columns):
        has = some_of(frame.columns, 6)
        what = f"needs the columns document and length. Columns: {has}."
        raise InputError(called, what)
    return zip(*(frame[name].to_list() for name in COLUMNS), strict=True)


def _checked(pairs: Iterable[tuple[Any, Any]], called: str) -> dict[str, float]:
    """Return {document: length}.

    It is an error if a length is not a finite number of 0 or more, or if a document has two.
    """
    table: dict[str, float] = {}
    for document, length in pairs:
        try:
            number = float(length)
        except (TypeError, ValueError):
            number = -1.0
        if not isfinite(number) or number < 0:
            said = shorten(repr(length))
            what = f"the length of document {document} is {said}. It must be a number, 0 or more."
            raise InputError(called, what)
        if table.setdefault(str(document), number) != number:
            two = f"{table[str(document)]:g} and {number:g}"
            raise InputError(called, f"document {document} has two lengths: {two}.")
    return table
