"""Files that are written whole or not at all."""

import os
import tempfile
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
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        part = Path(file.name)
        try:
            file.write(content)
            file.flush()
            mask = os.umask(0)
            os.umask(mask)
            part.chmod(0o666 & ~mask)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
