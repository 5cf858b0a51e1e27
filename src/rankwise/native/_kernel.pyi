from collections.abc import Iterable

from typing_extensions import Buffer

VERSION: int

class Lookup:
    """Judgments by topic and document; see kernel.h."""

    def feed(self, block: Buffer, /) -> bool: ...
    def take_dict(self, judgments: object, /) -> bool: ...
    # A capsule of an Arrow stream, and the index of each column; -1 without grades.
    def take_rows(self, stream: object, topic: int, document: int, grade: int, /) -> bool: ...
    def finish(self) -> tuple[list[str], bytes, bytes] | None: ...
    # The document of each row, each followed by a line end; None if a name contains a line end.
    def names(self) -> bytes | None: ...

# Four columns of 32-bit numbers: topic, rank, tie_first and tie_last of each document.
Rows = tuple[bytes, bytes, bytes, bytes]

class Reader:
    """A run, or a piece of it; see kernel.h."""

    def __new__(
        cls, lookup: Lookup, order: int, depth: int, all: bool, start: int, stop: int, /
    ) -> Reader: ...
    def feed(self, block: Buffer, /) -> bool: ...
    def read_file(self, descriptor: int, /) -> bool: ...
    def take_dict(self, run: object, /) -> bool: ...
    # A capsule of an Arrow stream, and the index of each column; -1 if there is no such column.
    def take_rows(
        self, stream: object, topic: int, document: int, score: int, rank: int, tag: int, /
    ) -> bool: ...
    def is_done(self) -> bool: ...
    # The fields of native.feeding.JudgedText.
    def finish(
        self,
    ) -> (
        tuple[
            *tuple[Rows, bytes, Rows, bytes, bytes, list[str], list[str], int],
            *tuple[str | None, str | None, bool],
        ]
        | None
    ): ...

# Return freed memory to the operating system.
def release_memory() -> None: ...

# The number of distinct names of each topic, as 32-bit numbers. `lists` has, for each run, the
# topics of its names, as 32-bit numbers, and the names, each with a line end. None if the hashes of
# too many names collide.
def distinct_names(lists: Iterable[tuple[bytes, bytes]], topics: int, /) -> bytes | None: ...

# The counts of `distinct_names`, for each run the number of each name, and the distinct names, each
# with a line end. Names are numbered from 0, topic by topic, in the order of first occurrence, or
# sorted.
def number_names(
    lists: Iterable[tuple[bytes, bytes]], topics: int, sort: bool, /
) -> tuple[bytes, tuple[bytes, ...], bytes] | None: ...
