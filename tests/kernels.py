"""Runs read without the kernel for a while, and kernels built with other settings."""

import importlib.util
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

import rankwise.native
from rankwise.native.availability import SWITCH


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
    sources = [str(Path(rankwise.native.__file__).parent / f"{n}.c") for n in ("kernel", "module")]
    library = folder / "_kernel.so"
    command = ["cc", "-std=c11", "-O2", "-shared", "-fPIC", f"-I{include}", *flags, *sources]
    subprocess.run([*command, "-o", str(library)], check=True)
    spec = importlib.util.spec_from_file_location("rankwise.native._kernel", library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
