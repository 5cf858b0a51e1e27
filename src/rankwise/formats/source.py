"""Bytes from a path or standard input, decompressed, with errors that name the file."""

import bz2
import gzip
import lzma
import mmap
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rankwise.arrays import Ints
from rankwise.errors import InputError, did_you_mean

Lines = Ints  # the line number of each row
STDIN = "-"
BLANKS = " \t\r\x0b\x0c"
MARK = b"\xef\xbb\xbf"  # the UTF-8 mark that some editors put at the start
DAMAGED = "is compressed, but damaged or cut short"


@dataclass(frozen=True)
class Source:
    """The decompressed bytes of one input.

    `path` is set only where the file on disk holds exactly these bytes, so that polars
    can read it without a copy.
    """

    name: str
    data: bytes | mmap.mmap
    path: Path | None = None

    @property
    def for_polars(self) -> Path | bytes:
        # polars takes *?[ in a path for a pattern, and does not expect a mark before JSON.
        plain = self.data[:3] != MARK and not set("*?[") & set(str(self.path))
        return self.path if self.path and plain else bytes(self.data).removeprefix(MARK)

    @property
    def first_line(self) -> str:
        """The first line that is not blank; undecodable bytes show as U+FFFD."""
        return next((line for _, line in self.lines()), "")

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines that are not blank, stripped, each with its number."""
        start, number = 0, 0
        while start < len(self.data):
            end = self.data.find(b"\n", start)
            end = len(self.data) if end < 0 else end
            number += 1
            line = self.data[start:end].decode("utf-8-sig", "replace").strip(BLANKS)
            if line:
                yield number, line
            start = end + 1


def open_source(given: str | Path) -> Source:
    """Read a file, or standard input for `-`, undoing gzip, bzip2, xz and zstd.

    The compression is recognised by its first bytes, not by the file's name, so that
    compressed standard input works too.
    """
    if str(given) == STDIN:
        return _decompressed("standard input", sys.stdin.buffer.read())
    path, name = Path(given), str(given)
    try:
        if not path.exists():
            raise InputError(name, "no such file." + _similar_files(path))
        if path.is_dir():
            raise InputError(name, "is a directory; a file is needed." + _files_inside(path))
        with path.open("rb") as file:
            head = file.read(8)
            if _decompressor(head) or not head or not path.is_file():
                return _decompressed(name, head + file.read())
            return Source(name, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), path)
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror}.") from None


def _decompressed(name: str, data: bytes) -> Source:
    decompress = _decompressor(data[:8])
    if decompress is None:
        return Source(name, data)
    try:
        return Source(name, decompress(data))
    except pl.exceptions.PolarsError:  # which of the two, it does not say in every version
        raise InputError(name, f"{DAMAGED}, or holds no UTF-8 text.") from None
    except (EOFError, OSError, ValueError, zlib.error, lzma.LZMAError):
        raise InputError(name, f"{DAMAGED}.") from None


def _decompressor(head: bytes) -> Callable[[bytes], bytes] | None:
    known: dict[bytes, Callable[[bytes], bytes]] = {
        b"\x1f\x8b": gzip.decompress,
        b"BZh": bz2.decompress,
        b"\xfd7zXZ\x00": lzma.decompress,
        b"\x28\xb5\x2f\xfd": _unzstd,
    }
    return next((undo for magic, undo in known.items() if head.startswith(magic)), None)


def _unzstd(data: bytes) -> bytes:
    # The standard library has zstd only from Python 3.14 on; polars always has it.
    return "\n".join(lines_of(data).to_list()).encode()


def lines_of(data: bytes) -> pl.Series:
    """The lines of a text, blank ones too: `pl.read_lines`, which old versions lack."""
    # No text has a zero byte, so each line is one field; a blank one is null.
    table = pl.read_csv(
        data, has_header=False, separator="\0", quote_char=None, schema={"line": pl.String}
    )
    return table["line"].fill_null("")


def _similar_files(path: Path) -> str:
    if not path.parent.is_dir():
        return f" The folder {path.parent} does not exist either."
    return did_you_mean(path.name, (entry.name for entry in path.parent.iterdir()))


def _files_inside(path: Path) -> str:
    files = sorted(entry.name for entry in path.iterdir() if entry.is_file())
    return f" It holds {len(files):,} files: {path}/*" if files else " It is empty."
