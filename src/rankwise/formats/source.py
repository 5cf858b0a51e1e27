"""Bytes of files and standard input, decompressed; errors name the file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import IO, Literal

from rankwise.arrays import Ints
from rankwise.errors import STORED_FAULTS, CallError, Fault, Faults, InputError, in_words
from rankwise.formats.unpacking import STARTS, check_expansion, most_bytes, unpacked
from rankwise.lazy import pl
from rankwise.threads import read_ahead

Kind = Literal["run", "qrels"]  # what a file is read for
Lines = Ints  # the line number of each row
COMMENT = "#"  # at the start of a line
STDIN = "-"
BLANKS = " \t\r\x0b\x0c"
MARK = b"\xef\xbb\xbf"  # the UTF-8 mark that some editors put at the start
DAMAGED = "is compressed, but damaged or truncated"
HEAD = 1 << 16
BLOCK = 1 << 18  # fits the cache of a core; small enough for its memory to be reused
LARGE = 1 << 22  # bytes of a compressed file that are worth a thread of their own


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """One input: a file (`path`), or the bytes of a stream that has been read (`given`).

    The compression is recognised by the first bytes, not by the file's name, so compressed
    standard input works too.
    """

    name: str
    given: bytes | None = None  # standard input, a pipe, or bytes made elsewhere
    path: Path | None = None

    @cached_property
    def data(self) -> bytes:
        """All bytes of the input, decompressed."""
        with self.errors():
            data = (self.given or b"") if self.path is None else self.path.read_bytes()
            if not data.startswith(STARTS):
                return data
            return b"".join(self._unpacked(BytesIO(data), len(data)))

    def _unpacked(self, file: IO[bytes], size: int) -> Iterator[bytes]:
        """Yield the content of a compressed file of this size, in pieces."""
        most, total = most_bytes(size), 0
        for piece in unpacked(file):
            total += len(piece)
            check_expansion(self.name, total, most)
            yield piece

    @cached_property
    def head(self) -> bytes:
        """First bytes of the input, decompressed: at most 64 KiB."""
        return next((bytes(block[:HEAD]) for block in self.blocks(HEAD)), b"")

    @cached_property
    def is_compressed(self) -> bool:
        if self.path is None:
            return (self.given or b"").startswith(STARTS)
        with self.errors(), self.path.open("rb", buffering=0) as file:
            return file.read(8).startswith(STARTS)

    def blocks(self, size: int = BLOCK) -> Iterator[memoryview]:
        """Yield the decompressed data in blocks of about `size` bytes.

        A block is valid only until the next block is requested.
        """
        if self.path is None:
            for start in range(0, len(self.data), size):
                yield memoryview(self.data)[start : start + size]
            return
        with self.errors(), self.path.open("rb", buffering=0) as file:
            if self.is_compressed:
                yield from _gathered(self._unpacked(file, self.path.stat().st_size), size)
                return
            buffer = memoryview(bytearray(size))
            while count := file.readinto(buffer):
                yield buffer[:count]

    def blocks_ahead(self) -> Iterator[memoryview]:
        """Yield the same blocks as `blocks`, but decompress a large file in a separate thread."""
        if self.path is None or not self.is_compressed:
            return self.blocks()
        with self.errors():
            is_large = self.path.stat().st_size >= LARGE
        return read_ahead(self.blocks()) if is_large else self.blocks()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Return a context that turns errors of reading the file into InputErrors."""
        try:
            yield
        except InputError:
            raise
        except Exception as error:
            import lzma
            import zlib

            if isinstance(error, OSError) and error.strerror:
                what = f"cannot be read: {error.strerror}."
            elif isinstance(error, EOFError | OSError | ValueError | zlib.error | lzma.LZMAError):
                what = f"{DAMAGED}. Copy or download it again."
            elif isinstance(error, ModuleNotFoundError) and error.name == "zstandard":
                what = "is compressed with zstd, for which the package zstandard is not installed"
                what += ": pip install zstandard."
            else:
                raise
            raise InputError(self.name, what) from None

    @contextmanager
    def unchanged(self) -> Iterator[int]:
        """Yield the size of the file; raise an error if the file changes within this context."""
        assert self.path is not None
        with self.errors():
            before = self.path.stat()
        yield before.st_size
        with self.errors():
            after = self.path.stat()
        if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
            raise InputError(self.name, "changed while it was read. Run the command again.")

    @property
    def for_polars(self) -> bytes:
        """All bytes, without a byte order mark, for polars.

        polars is not given the path, because it would map the file into memory. If another process
        then truncated the file, this process would crash.
        """
        return self.data.removeprefix(MARK)

    @property
    def first_line(self) -> str:
        """First line that is not blank; undecodable bytes become U+FFFD."""
        return next((line for _, line in self.lines()), "")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield (line number, text) of the lines that are not blank, without outer white space.

        Bytes after the first 64 KiB are read only when their lines are requested.
        """
        end = self.head.rfind(b"\n") + 1
        yield from _lines_in(self.head[:end])
        yield from _lines_in(self.data, end, self.head.count(b"\n"))


def open_source(given: str | Path) -> Source:
    """Open a file, or standard input for `-`; gzip, bzip2, xz and zstd are decompressed."""
    if str(given) == STDIN:
        return Source("standard input", _standard_input())
    if not str(given):
        raise CallError("the name of a file is empty. Give a file.")
    try:
        path, name = Path(given), str(given)
    except TypeError:
        raise CallError(f"{given!r} is not the name of a file. Give a file.") from None
    try:
        path.stat()  # `exists` is False from Python 3.14 on for a name that is too long
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise InputError(name, NO_FILE + _similar_files(path)) from None
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror}.") from None
    try:
        if path.is_dir():
            raise InputError(name, "is a directory. Give a file" + _files_inside(path))
        if not path.is_file():  # a pipe: it can be read once
            return Source(name, path.read_bytes())
        with path.open("rb"):  # raises an error now if the file cannot be opened
            return Source(name, path=path)
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror}.") from None


def files_of(given: str | Path) -> list[str | Path]:
    """Return the files of a folder or of a pattern such as `runs/*.run`; otherwise [`given`].

    Hidden files such as .DS_Store are ignored.
    """
    path = Path(given)
    try:
        if path.is_dir():
            if (path / "_delta_log").is_dir():
                what = "is a Delta table, whose files still contain deleted rows."
                how = "Read it in Python with the package deltalake, and pass the data frame."
                raise InputError(str(given), f"{what} {how}")
            files = sorted(each for each in path.iterdir() if _is_shown(each))
            if not files:
                raise InputError(str(given), "is a directory without files. Give a file.")
            return [*files]
        if not set(str(given)) & set("*?[") or path.exists():
            return [given]
        found = sorted(each for each in path.parent.glob(path.name) if _is_shown(each))
    except (OSError, ValueError):  # the error is reported when the path is opened
        return [given]
    if not found:
        raise InputError(str(given), "no file matches this pattern.")
    return [*found]


def _is_shown(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".")


def _standard_input() -> bytes:
    if sys.stdin is None:  # the shell's <&-
        raise InputError("standard input", "is closed.")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError("standard input", f"cannot be read: {error.strerror}.") from None


def _gathered(pieces: Iterator[bytes], size: int) -> Iterator[memoryview]:
    """Yield blocks of at least this size; the last block may be smaller."""
    waiting: list[bytes] = []
    for piece in pieces:
        waiting.append(piece)
        if sum(map(len, waiting)) >= size:
            yield memoryview(b"".join(waiting))
            waiting.clear()
    if waiting:
        yield memoryview(b"".join(waiting))


def _lines_in(data: bytes, start: int = 0, number: int = 0) -> Iterator[tuple[int, str]]:
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        line = data[start:end].decode("utf-8-sig", "replace").strip(BLANKS)
        if line:
            yield number, line
        start = end + 1


def lines_of(data: bytes) -> pl.Series:
    """Split a text into lines, including blank lines."""
    # No text has a zero byte, so each line is one field; a blank one is null.
    table = pl.read_csv(
        data,
        has_header=False,
        separator="\0",
        quote_char=None,
        raise_if_empty=False,
        schema={"line": pl.String},
    )
    return table["line"].fill_null("")


PACKED = (".gz", ".bz2", ".xz", ".zst")  # suffixes of compressed files
NO_FILE = "no such file."


def text_lines(source: Source) -> tuple[pl.DataFrame, Faults]:
    """Return columns `number` (from 1) and `line`, and faults for lines that are not UTF-8."""
    data = source.data.removeprefix(MARK)
    if (place := data.find(b"\0")) >= 0:
        what = f"is not text in UTF-8 (byte {place:,} is zero). Give a text file in UTF-8."
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            what = "is text in UTF-16. Save it as UTF-8."
        elif source.name.lower().endswith(PACKED) and not source.is_compressed:
            suffix = source.name.rpartition(".")[2].lower()
            what = f"ends in .{suffix}, but is neither compressed in this way nor text."
        raise InputError(source.name, what)
    faults, count = [], 0
    try:
        data.decode()
    except UnicodeDecodeError:
        lines = data.split(b"\n")
        for row, line in enumerate(lines):
            if line != line.decode("utf-8", "ignore").encode():
                count += 1
                if count <= STORED_FAULTS:
                    text = line.decode("utf-8", "backslashreplace").strip()
                    faults.append(Fault(row + 1, "not UTF-8 text", text))
                lines[row] = b""
        data = b"\n".join(lines)
    found = lines_of(data).to_frame().with_row_index("number", offset=1)
    return found, Faults.of(faults, count)


def texts_of(lines: bytes) -> pl.Series:
    """Split bytes into lines of text; empty bytes give no line."""
    return lines_of(lines) if lines else pl.Series([], dtype=pl.String)


def _similar_files(path: Path) -> str:
    if not path.parent.is_dir():
        return f" The folder {path.parent} does not exist either."
    from difflib import get_close_matches

    names = [entry.name for entry in path.parent.iterdir()]
    near = get_close_matches(path.name, names, n=2, cutoff=0.7)  # a shared ending is not enough
    return f" Did you mean {in_words(near, 'or')}?" if near else ""


def _files_inside(path: Path) -> str:
    files = sorted(entry.name for entry in path.iterdir() if entry.is_file())
    return f", for example {path / files[0]}." if files else ". The directory has no files."
