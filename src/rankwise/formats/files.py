"""Write files and folders atomically, and lock folders."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rankwise.errors import CallError

LOCK = ".rankwise.lock"  # the file that is locked in a folder on Windows
_unfinished: set[Path] = set()  # files and folders that are being written, under temporary names


def remove_unfinished() -> None:
    """Remove partly written files before the process ends."""
    import shutil

    for part in list(_unfinished):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically: after an error, such as a full disk, an old file is unchanged.

    A target that is not a regular file, such as /dev/null or a pipe, is written directly.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            _replace(path.resolve(), content)
    except FileNotFoundError:
        what = f"there is no folder {path.parent}. Create it, or give another path."
        if path.parent.is_dir():
            what = f"no file can be created in {path.parent}. Give another path."
        raise CallError(f"{path}: {what}") from None
    except OSError as error:
        raise CallError(f"{path}: cannot be written: {error.strerror}.") from None


def _replace(path: Path, content: bytes) -> None:
    # The system applies the umask to a new file: Python can read the umask only by changing it for
    # all threads. A file that replaces another is private until it has the mode of the old file.
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    part = path.with_name(f".{os.urandom(8).hex()}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    _unfinished.add(part)
    try:
        with os.fdopen(os.open(part, flags, 0o666 if mode is None else 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # without it a power cut may leave an empty file
        if mode is not None:
            part.chmod(mode)
        part.replace(path)  # closed before: Windows neither renames nor removes an open file
    finally:
        part.unlink(missing_ok=True)
        _unfinished.discard(part)


def write_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files {name: content} to a folder; a new folder appears only when it is complete.

    An existing folder is not replaced, because it may be a working directory. Its files are then
    written one by one, each atomically, in the given order.
    """
    try:
        whole = folder.resolve()
        if whole.exists():
            _write_each(whole, contents)
            return
        _make_folder(whole.parent)
        part = whole.with_name(f".{os.urandom(8).hex()}.part")
        _unfinished.add(part)
        try:
            _write_each(part, contents)
            part.replace(whole)
        finally:
            import shutil  # which loads every format of archives

            shutil.rmtree(part, ignore_errors=True)
            _unfinished.discard(part)
    except OSError as error:
        raise CallError(f"{folder}: cannot be written: {error.strerror}.") from None


def _write_each(folder: Path, contents: Mapping[str, bytes]) -> None:
    for name, content in contents.items():
        _make_folder((folder / name).parent)
        write_whole(folder / name, content)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:  # the path is a file, which this other error says clearly
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder) from error


@contextmanager
def held_folder(folder: Path) -> Iterator[None]:
    """Create the folder if it is missing, and lock it for this process.

    The system releases the lock when the process ends, even after a crash. Windows cannot lock
    folders, so there a file in the folder is locked.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number, lock = _opened_lock(folder)
    except OSError as error:
        raise CallError(f"{folder}: the folder cannot be created: {error.strerror}.") from None
    try:
        try:
            lock(number)
        except (BlockingIOError, PermissionError):  # on Linux and macOS; on Windows
            what = "another process is writing there. Wait for it, or give another folder"
            raise CallError(f"{folder}: {what}.") from None
        yield
    finally:
        os.close(number)


def _opened_lock(folder: Path) -> tuple[int, Callable[[int], None]]:
    """Open the folder, or on Windows its lock file; return a descriptor and a locking function."""
    try:
        import fcntl
    except ImportError:
        from importlib import import_module

        windows = import_module("msvcrt")
        number = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT)
        return number, lambda opened: windows.locking(opened, windows.LK_NBLCK, 1)
    number = os.open(folder, os.O_RDONLY)
    return number, lambda opened: fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)


def checksum(file: Path) -> str:
    import hashlib

    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise CallError(f"{file}: cannot be read: {error.strerror}.") from None


def compressed(content: bytes, path: Path) -> bytes:
    """Compress the content if the path ends in .gz, .bz2 or .xz; the output is deterministic."""
    if path.suffix == ".zst":
        raise CallError(f"{path}: zstd files can be read, but not written. Use .gz, .bz2 or .xz.")
    if path.suffix == ".gz":
        import gzip

        return gzip.compress(content, mtime=0)
    if path.suffix == ".bz2":
        import bz2

        return bz2.compress(content)
    if path.suffix == ".xz":
        import lzma

        return lzma.compress(content)
    return content
