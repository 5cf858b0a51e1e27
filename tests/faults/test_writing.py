"""A process that is killed while it writes leaves files that are whole, or none."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
from html import escape
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from faults.calls import environment, sound
from faults.killed import COPY_AT_EVERY_PLACE
from rankwise.errors import CallError
from rankwise.formats.files import held_folder, write_folder, write_whole
from rankwise.studies import study
from rankwise.studies.folder import Folder
from rankwise.studies.paper import Paper, Table

pytest.importorskip("altair")
TESTS = Path(__file__).parents[1]


def killed(place: int, folder: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    where = environment()
    where["PYTHONPATH"] += f":{TESTS}"
    command = [sys.executable, "-m", "faults.killed", str(place), str(folder), *args]
    return subprocess.run(command, env=where, capture_output=True, text=True, timeout=120)


def files(folder: Path) -> dict[str, bytes]:
    """What is there by name; parts of files that were never finished have hidden names."""
    found = (file for file in folder.rglob("*") if file.is_file())
    names = {str(file.relative_to(folder)): file for file in found}
    return {name: file.read_bytes() for name, file in names.items() if ".part" not in name}


def places_of(folder: Path, *args: str, copies: bool = False) -> int:
    done = killed(COPY_AT_EVERY_PLACE if copies else 0, folder, *args)
    assert done.returncode == 0, done.stderr
    return int(re.findall(r"places: (\d+)", done.stderr)[0])


CALLS = {
    "-o": ("score", "{0}", "{1}", "-m", "AP", "-o", "out.csv"),
    "-o parquet": ("score", "{0}", "{1}", "-m", "AP", "-o", "out.parquet"),
    "--chart": ("score", "{0}", "{1}", "{2}", "-m", "AP", "--chart", "out.svg", "-o", "out.csv"),
    "report": ("report", "{0}", "{1}", "{2}", "-m", "AP", "-o", "out.html"),
    "convert": ("convert", "{1}", "out.json.gz", "--kind", "run"),
    "simulate": ("simulate", "-o", "made", "--topics", "2", "--systems", "2", "--depth", "5"),
}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux names open files")
@pytest.mark.parametrize("call", CALLS)
def test_a_killed_process_leaves_the_old_file_or_the_new_one(call: str, tmp_path: Path) -> None:
    """At every place: what is on the disk then is what a kill leaves."""
    inputs = sound(tmp_path)
    args = [part.format(*inputs) for part in CALLS[call]]
    before = [part for part in args if part.startswith("out.")]
    folder = tmp_path / "whole"
    folder.mkdir()
    for name in before:
        (folder / name).write_bytes(b"old")
    places = places_of(folder, *args, copies=True)
    wanted = files(folder)
    assert places >= 3 and wanted and b"old" not in wanted.values()
    held = {place: files(tmp_path / f"whole.{place}") for place in range(1, places + 1)}
    for left in held.values():
        assert all(content in (b"old", wanted[name]) for name, content in left.items())
        assert not left if call == "simulate" else left.keys() == wanted.keys()
    parts = [file for file in tmp_path.glob("whole.*/**/*") if ".part" in str(file)]
    assert parts, "something was half written"


@pytest.mark.parametrize("place", [2, 3])  # synced, and renamed
def test_a_process_that_is_really_killed_leaves_the_old_file(place: int, tmp_path: Path) -> None:
    qrels, run, _ = sound(tmp_path)
    folder = tmp_path / "killed"
    folder.mkdir()
    (folder / "out.csv").write_bytes(b"old")
    done = killed(place, folder, "score", qrels, run, "-m", "AP", "-o", "out.csv")
    assert done.returncode == 9, done.stderr
    assert files(folder) == {"out.csv": b"old"}


@pytest.mark.slow
def test_a_study_that_was_killed_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    args = ("study", "moffat-2013", "-o", "out")
    whole = tmp_path / "whole"
    whole.mkdir()
    places = places_of(whole, *args)
    wanted = files(whole)
    assert places > 20 and len(wanted) == 14
    for place in (places // 3, places - 1):
        folder = tmp_path / str(place)
        folder.mkdir()
        assert killed(place, folder, *args).returncode == 9
        for name, content in files(folder).items():
            if name.endswith("study.json"):
                assert json.loads(content)["paper"] == "moffat-2013"
            else:
                assert content == wanted[name]
        assert killed(0, folder, *args).returncode == 0
        assert files(folder) == wanted
        shutil.rmtree(folder)


def test_two_studies_cannot_write_to_one_folder_at_once(tmp_path: Path) -> None:
    with (
        held_folder(tmp_path / "out"),
        pytest.raises(CallError, match="another process is writing"),
    ):
        study("moffat-2013", None, None, tmp_path / "out")


def test_a_folder_is_free_again_when_its_holder_is_done(tmp_path: Path) -> None:
    for _ in range(2):
        with held_folder(tmp_path / "out"):
            assert (tmp_path / "out").is_dir()


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    seen: list[set[str]] = []
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            if (tmp_path / "new").exists():
                seen.append({file.name for file in (tmp_path / "new").iterdir()})

    watcher = threading.Thread(target=watch)
    watcher.start()
    write_folder(tmp_path / "new", {f"{number}": b"x" for number in range(50)})
    done.set()
    watcher.join()
    assert {len(names) for names in seen} <= {50}
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_study_shows_names_as_they_are(tmp_path: Path) -> None:
    names = ["1e3", "007", "nan", "true", "null", "+1", "<b>"]
    frame = pl.DataFrame({"run": names, "n": range(7), "value": [0.5, None, 1e-9, 2.0, 3, 4, 5]})
    paper = Paper("p", "c", "a")
    paper.part("Table I", section="s")(lambda _: frame)
    record: dict[str, Any] = {"finished": [], "columns": {}, "inputs": {}, "seed": 0}
    record |= {"parameters": {}, "scoring": {}, "versions": {}}
    record |= {"remarks": {}, "left_out": {}, "notes": []}
    left = Folder(tmp_path, paper, record)
    left.add(paper.parts[0], Table(frame))
    left.close([])
    assert left.table("table-i").equals(frame, null_equal=True)
    shown = (tmp_path / "index.html").read_text()
    cells = re.findall(r"<td>(.*?)</td>", shown)
    assert cells == [escape(name) for name in names]
    assert "default-src 'none'" in shown and "<script" not in shown


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_a_file_keeps_its_mode_and_is_never_more_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    path, link = tmp_path / "out.csv", tmp_path / "link.csv"
    path.write_text("old")
    path.chmod(mode)
    link.symlink_to(path)
    seen = []
    monkeypatch.setattr(os, "fsync", lambda number: seen.append(os.fstat(number).st_mode & 0o777))
    write_whole(link, b"new")
    assert path.read_bytes() == b"new" and stat.S_IMODE(path.stat().st_mode) == mode
    assert link.is_symlink() and seen == [0o600]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_that_the_umask_leaves(
    tmp_path: Path, umask: int, mode: int
) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "new", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode
