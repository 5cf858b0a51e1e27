"""Text of topics in pieces, so that memory does not grow with the length of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from rankwise.formats.source import Source

PIECE = 1 << 22  # bytes: what is made of so many stays in the caches
SHORT = 2 * PIECE  # what is not longer is not cut
TAIL = 1 << 16  # where the last topic is looked for first


@dataclass(frozen=True, eq=False, repr=False)
class FilePart(Source):
    """Some bytes of a plain file, which are read when they are asked for."""

    file: Path = Path()
    start: int = 0
    stop: int = 0

    @cached_property
    def data(self) -> bytes:
        with self.errors(), self.file.open("rb", buffering=0) as file:
            file.seek(self.start)
            return file.read(self.stop - self.start)


def pieces_by_topic(source: Source) -> Iterator[Source]:
    """The lines of a text, many at a time, cut where a topic begins.

    Where the lines of a topic do not stand together, it may be in several pieces. What is not
    long is one piece, the source itself.
    """
    if source.packed_length <= SHORT:
        return iter([source])
    path = source.path if source.is_plain_file else None
    return _of_blocks(source) if path is None else _of_file(source, path)


def _of_file(source: Source, path: Path) -> Iterator[Source]:
    length, start = source.packed_length, 0
    part = partial(FilePart, source.name, None, None, path)
    for block in range(0, length, PIECE):
        stop = min(block + PIECE, length)
        if cut := _cut(lambda start, stop: part(start, stop).data, block, stop):
            yield part(start, cut)
            start = cut
    yield part(start, length)


def _of_blocks(source: Source) -> Iterator[Source]:
    """What is compressed, or was given as bytes."""
    held: list[bytes] = []
    for block in source.blocks(PIECE):
        cut = _cut(partial(_between, block), 0, len(block))
        if cut:
            yield Source(source.name, b"".join([*held, block[:cut]]))
            held.clear()
        held.append(bytes(block[cut:]))
    yield Source(source.name, b"".join(held))


def _between(block: memoryview, start: int, stop: int) -> bytes:
    return bytes(block[start:stop])


def _cut(read: Callable[[int, int], bytes], start: int, stop: int) -> int:
    """Where the last topic of a block begins; 0 where it may have begun before."""
    length = TAIL
    while True:
        first = max(start, stop - length)
        if cut := last_topic(read(first, stop)):
            return first + cut
        if first == start:
            return 0
        length *= 8


def last_topic(text: bytes) -> int:
    """Where the last topic of a text begins, if its lines stand together.

    The text may begin and end within a line. 0 where all its whole lines are of one topic.

    >>> last_topic(b"t\\n1 Q0 a 1 2.0 t\\n2 Q0 a 1 3.0 t\\n2 Q0 b 2 1.0 t\\n2 Q0")
    17
    """
    other = text.find(b"\n") + 1
    start = text.rfind(b"\n", 0, max(0, text.rfind(b"\n"))) + 1
    fields = text[start:].split(maxsplit=1)
    if start <= other or not fields:
        return 0
    topic = text[start : start + len(fields[0]) + 1]  # with the blank
    if text.startswith(topic, other):
        return 0
    while other < start:  # between them the topic begins
        middle = (other + start) // 2
        line = text.rfind(b"\n", 0, middle) + 1
        if text.startswith(topic, line):
            start = line
        else:
            other = text.find(b"\n", middle) + 1
    return start
