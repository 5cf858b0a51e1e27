"""Rules of Windows that can be checked on other systems: open files, locks, and names."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import rankwise
from rankwise.errors import CallError
from rankwise.formats.files import LOCK, held_folder, write_whole

CHECKOUT = Path(__file__).parents[2]
RESERVED = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(1, 10))}


def is_legal(name: str) -> bool:
    """Whether Windows can create a file or folder of this name."""
    stem = name.split(".")[0].lower()
    return not (re.search(r'[<>:"|?*\\]|[ .]$', name) or stem in RESERVED or len(name) > 120)


def test_the_rule_knows_illegal_names() -> None:
    assert not any(map(is_legal, ["a:b", "nul.txt", "con", "a.", "what?", 'a"b', "a\\b"]))
    assert all(map(is_legal, ["a.run", ".rankwise.lock", "console.py"]))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="descriptors are listed in /proc")
def test_a_file_is_closed_before_it_is_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []
    rename = Path.replace

    def replace(part: Path, target: Path) -> Path:
        opened = [str(each.resolve()) for each in Path("/proc/self/fd").iterdir()]
        assert str(part) not in opened, "Windows does not rename an open file"
        seen.append(part)
        return rename(part, target)

    monkeypatch.setattr(Path, "replace", replace)
    write_whole(tmp_path / "a.csv", b"new")
    assert len(seen) == 1 and (tmp_path / "a.csv").read_bytes() == b"new"


class Locks(ModuleType):
    """Windows' module of locks: a byte of a file, which one descriptor can lock."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.held: set[int] = set()

    def locking(self, descriptor: int, mode: int, size: int) -> None:
        assert mode == self.LK_NBLCK and size == 1
        inode = os.fstat(descriptor).st_ino
        if inode in self.held:
            raise PermissionError(13, "Permission denied")
        self.held.add(inode)


def test_a_folder_is_locked_by_a_file_where_folders_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", Locks())
    with held_folder(tmp_path / "out"):
        assert (tmp_path / "out" / LOCK).exists()
        with (
            pytest.raises(CallError, match="another process is writing there"),
            held_folder(tmp_path / "out"),
        ):
            pass


def test_files_that_rankwise_writes_by_itself_have_legal_names(tmp_path: Path) -> None:
    rankwise.simulate(topics=3, systems=2, depth=5, pool_depth=3, seed=1).write(tmp_path / "made")
    names = [part for file in tmp_path.rglob("*") for part in file.relative_to(tmp_path).parts]
    assert len(names) > 5 and all(map(is_legal, names))


def test_a_clone_is_possible_on_windows() -> None:
    listed: Any = subprocess.run(["git", "ls-files"], cwd=CHECKOUT, capture_output=True, text=True)
    names = listed.stdout.splitlines()
    if not names:
        pytest.skip("this is no clone: git lists no files")
    assert len(names) > 300
    assert [name for name in names if not all(map(is_legal, name.split("/")))] == []
    folded = Counter(name.lower() for name in names)
    assert [name for name, times in folded.items() if times > 1] == []
    assert max(map(len, names)) < 160
