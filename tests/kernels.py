"""Runs read with the kernel and without it, and kernels built with other settings."""

import importlib.util
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from calls import read_judged

import rankwise.native
from rankwise.errors import RankwiseError
from rankwise.native import feeding
from rankwise.native.availability import SWITCH
from rankwise.rankings import join_run
from rankwise.rankings.judged import JudgedRankings


@contextmanager
def without_kernel() -> Iterator[None]:
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SWITCH]
        else:
            os.environ[SWITCH] = before


def build_kernel(folder: Path, *flags: str) -> ModuleType:
    """A kernel compiled with these flags."""
    include = sysconfig.get_paths()["include"]
    if shutil.which("cc") is None or not (Path(include) / "Python.h").exists():
        pytest.skip("no compiler, or no headers of Python: no kernel is built for the test")
    names = ("kernel", "arrow", "module")
    sources = [str(Path(rankwise.native.__file__).parent / f"{name}.c") for name in names]
    library = folder / "_kernel.so"
    command = ["cc", "-std=c11", "-O2", "-shared", "-fPIC", f"-I{include}", *flags, *sources]
    subprocess.run([*command, "-o", str(library)], check=True)
    spec = importlib.util.spec_from_file_location("rankwise.native._kernel", library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(call: Callable[[], JudgedRankings]) -> Any:
    """Return what was read as plain values, or the text of the error."""
    try:
        judged = call()
    except RankwiseError as error:
        return type(error).__name__, str(error)
    names = [f.name for f in fields(judged) if f.name not in ("_kept", "of_topics")]
    found = {name: _list(getattr(judged, name)) for name in names}
    if (table := judged.retrieved) is not None:
        rows = [column.tolist() for column in table.by_code]
        found["retrieved"] = (table.names.to_list(), table.judgments, rows)
    return found


def _list(column: Any) -> Any:
    return column.tolist() if isinstance(column, np.ndarray) else column


def check_alike(*given: Any, **options: Any) -> Any:
    with_it = outcome(lambda: read_judged(*given, **options))
    with without_kernel():
        assert with_it == outcome(lambda: read_judged(*given, **options))
    return with_it


class Taken:
    """Numbers of runs that the kernel has read, and has left to the Python reader."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.clean = self.left = 0
        for name in ("run_of_text", "run_of_dict"):
            monkeypatch.setattr(join_run, name, self.counted(getattr(feeding, name)))
        monkeypatch.setattr(rankwise.native, "run_of_rows", self.counted(feeding.run_of_rows))

    def counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **options: Any) -> Any:
            found = function(*given, **options)
            self.clean += found is not None
            self.left += found is None
            return found

        return call
