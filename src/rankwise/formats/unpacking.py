"""Decompression in pieces, so that a malicious file cannot fill the memory or take forever.

The file classes of gzip and zstandard are not used: the first reads the name in a header byte by
byte, the second does not report a truncated file. gzip files are decompressed by isal if it is
installed (the extra `fast`), otherwise by zlib.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from rankwise.errors import CallError, InputError
from rankwise.wording import Argument, Remedy

FRAME = b"\x28\xb5\x2f\xfd"  # the first bytes of zstd
GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
STARTS = (GZIP, BZIP2, XZ, FRAME)  # the first bytes of compressed files
GZIP_BITS = 31  # of zlib: with the header and the checksum of gzip
GZIP_STEP = 1 << 17  # bytes: threads wait for each other at each step, so steps are large
GZIP_MOST = 1 << 18  # most bytes of a piece, even if a step expands a thousandfold
ZSTD_STEP = 1 << 10  # bytes: each can expand to 32 kB, and a step is unpacked as a whole
OTHER_STEP = 1 << 18  # decompressed bytes

GIGABYTE = 1 << 30
# Runs and judgments shrink to a fifth or a tenth. A file that expands more than a hundredfold has
# other content, unless it is small.
MOST_TIMES = 100
MOST = 64 << 20  # decompressed bytes that are allowed for any file
SETTING = "RANKWISE_MAX_SIZE"
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": GIGABYTE, "T": 1 << 40}


def unpacked(file: Any) -> Iterator[bytes]:
    """Yield the decompressed content of an open file in pieces.

    Raise ValueError for a damaged file (bzip2: OSError, xz: LZMAError), EOFError for a truncated
    file, and ModuleNotFoundError for zstd if the package zstandard is missing.
    """
    head = file.read(8)
    file.seek(0)
    if head.startswith(GZIP):
        return _members(file, *_gzip(), GZIP_STEP, (GZIP_MOST,))
    if head.startswith(FRAME):
        import zstandard

        new = zstandard.ZstdDecompressor().decompressobj
        return _members(file, new, zstandard.ZstdError, ZSTD_STEP)
    if head.startswith(BZIP2):
        from bz2 import BZ2File as Other
    else:
        from lzma import LZMAFile as Other  # type: ignore[assignment]
    return iter(partial(Other(file).read, OTHER_STEP), b"")


def _gzip() -> tuple[Callable[[], Any], type[Exception]]:
    """Return a function that creates a decompressor for a gzip member, and its error class."""
    library: Any  # the two have the same interface
    try:
        from isal import isal_zlib

        library = isal_zlib
    except ImportError:
        import zlib

        library = zlib
    return partial(library.decompressobj, GZIP_BITS), library.error


def _members(
    file: Any,
    new: Callable[[], Any],
    error: type[Exception],
    step: int,
    most: tuple[int, ...] = (),
) -> Iterator[bytes]:
    """Yield the decompressed pieces of all members of a file.

    `new` returns a decompressor of one member, with zlib's interface, which raises `error` if the
    member is damaged. `most` has the greatest size of a piece, if the decompressor can limit it.
    """
    member: Any = None  # None before the first member and between two members
    while packed := file.read(step):
        is_full = False
        while packed or is_full:
            if member is None:
                packed = packed.lstrip(b"\0")  # some tools fill the last block of a tape with zeros
                if not packed:
                    break
                member = new()
            try:
                piece = member.decompress(packed, *most)
            except error as damage:
                raise ValueError(str(damage)) from None
            is_full = (len(piece),) == most and not member.eof
            packed = member.unconsumed_tail if most else b""
            if member.eof:
                packed, member = member.unused_data, None
            if piece:
                yield piece
    if member is not None:
        raise EOFError


def parse_size(text: str) -> int:
    """Parse a number of bytes such as 500M or 20G.

    >>> parse_size("20G")
    21474836480
    """
    found = re.fullmatch(r"(\d{1,9})\s*([KMGT]?)B?", text.strip().upper())
    if found is None:
        raise CallError(Argument("max_size"), f" {text!r} is not a size. Write it as 500M or 20G.")
    return int(found[1]) * UNITS[found[2]]


def most_bytes(packed: int) -> int:
    """Return the largest decompressed size allowed for a compressed input of this size."""
    given = os.environ.get(SETTING)
    return parse_size(given) if given else max(MOST, MOST_TIMES * packed)


def check_expansion(source: str, size: int, most: int) -> None:
    if size > most:
        unit = next(unit for unit in "TGMK" if most >= UNITS[unit] or unit == "K")
        largest = f"{most / UNITS[unit]:,.0f} {unit}B"
        what = f"is not read, because it is larger than {largest} when decompressed."
        argument = Argument("max_size", "20G", python=f"os.environ['{SETTING}'] = '20G'")
        raise InputError(source, what, remedy=Remedy(argument, "allow 20 GB"))
