"""Files are written whole, with the rights of any new file."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rankwise.errors import CallError
from rankwise.formats.files import write_whole

WRITE = (
    "import pathlib, sys, rankwise.formats.files as f; "
    "f.write_whole(pathlib.Path(sys.argv[1]), b'new')"
)


@pytest.mark.skipif(os.name != "posix", reason="rights are a matter of POSIX")
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_file_has_the_rights_that_the_umask_leaves(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "a"
    subprocess.run([sys.executable, "-c", WRITE, path], umask=mask, check=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_the_umask_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the whole process's: another thread would write with no umask meanwhile."""
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the umask was changed"))
    write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_file_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(CallError, match="cannot be written: No space left on device"):
        write_whole(path, b"newer")
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("a", b"new")]


def test_a_link_stays_a_link_and_a_long_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250)
    write_whole(path, b"new")
    (tmp_path / "link").symlink_to(path)
    write_whole(tmp_path / "link", b"newer")
    assert (tmp_path / "link").is_symlink()
    assert path.read_bytes() == b"newer"
