"""Files that are written whole or not at all."""

import os
from pathlib import Path

from rankwise.errors import CallError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it never exists in part, even if the disk fills up.

    What is there but no file, such as /dev/null or a pipe, is written to as it is.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            _replace(path.resolve(), content)
    except OSError as error:
        raise CallError(f"{path}: cannot be written: {error.strerror}.") from None


def _replace(path: Path, content: bytes) -> None:
    # Opened like any new file, so that the system applies the umask: to ask for it is to
    # change it, for all threads. A temporary file of the library would be private.
    part = path.with_name(f".{os.urandom(8).hex()}.part")
    with part.open("xb") as file:
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # else a power cut may leave the new name without content
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise


def compressed(content: bytes, path: Path) -> bytes:
    """The content as a file of this name holds it: the same bytes for the same content."""
    if path.suffix == ".zst":
        raise CallError(f"{path}: zstd is read, not written; .gz, .bz2 and .xz are.")
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
