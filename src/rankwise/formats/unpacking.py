"""gzip and zstd, unpacked as they are read: in time and memory that no header can drive up.

Python's own reader of gzip reads the name in a header byte by byte, and that of zstd says
nothing of a file that is cut short.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

FRAME = b"\x28\xb5\x2f\xfd"  # the first bytes of zstd
GZIP_BITS = 31  # of zlib: with the header and the checksum of gzip
GZIP_STEP = 1 << 14  # bytes, of which each can become 1 kB, and a step is unpacked whole
ZSTD_STEP = 1 << 10  # bytes, of which each can become 32 kB


class Unpacker(io.RawIOBase):
    """A stream of the bytes that a file of one or more compressed members holds.

    `new` gives an object that unpacks one member, with `eof` and `unused_data` as those of
    zlib, and raises `error` where it is damaged: that is a ValueError here. A file that ends
    within a member is an EOFError.
    """

    def __init__(
        self, file: Any, new: Callable[[], Any], error: type[Exception], step: int
    ) -> None:
        self.file, self.new, self.error, self.step = file, new, error, step
        self.member: Any = None  # None before the first, and between two
        self.packed = b""
        self.unpacked = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.unpacked:
            packed = self.packed or self.file.read(self.step)
            self.packed = b""
            if not packed:
                if self.member is not None:
                    raise EOFError
                return 0
            self._unpack(packed)
        count = min(len(buffer), len(self.unpacked))
        buffer[:count] = self.unpacked[:count]
        self.unpacked = self.unpacked[count:]
        return count

    def _unpack(self, packed: bytes) -> None:
        if self.member is None:
            packed = packed.lstrip(b"\0")  # some tools fill the last block of a tape with zeros
            if not packed:
                return
            self.member = self.new()
        try:
            self.unpacked = memoryview(self.member.decompress(packed))
        except self.error as error:
            raise ValueError(str(error)) from None
        if self.member.eof:
            self.packed, self.member = self.member.unused_data, None


def unpacked_gzip(file: Any) -> io.BufferedReader:
    """The content of an open gzip file."""
    new = partial(zlib.decompressobj, GZIP_BITS)
    return io.BufferedReader(Unpacker(file, new, zlib.error, GZIP_STEP))


def unpacked_zstd(file: Any) -> io.BufferedReader:
    """The content of an open zstd file; a ModuleNotFoundError without the package zstandard."""
    import zstandard

    new = zstandard.ZstdDecompressor().decompressobj
    return io.BufferedReader(Unpacker(file, new, zstandard.ZstdError, ZSTD_STEP))
