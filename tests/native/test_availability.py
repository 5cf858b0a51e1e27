"""A kernel that was built from another version is not used."""

import hashlib
import importlib
import re
from pathlib import Path

import pytest

import rankwise.native
from rankwise.native import availability

SOURCES = Path(rankwise.native.__file__).parent

# The sources of each version. After a change: a new number in kernel.h and availability.py if
# the kernel reads or returns anything else, then the digest here.
VERSION, DIGEST = 3, "763a7b49b50634a2"


def test_a_change_of_the_sources_has_a_thought_for_the_version() -> None:
    digest = hashlib.sha256()
    for path in sorted(SOURCES.glob("*.[ch]")):
        digest.update(path.read_bytes())
    assert (availability.VERSION, digest.hexdigest()[:16]) == (VERSION, DIGEST)
    assert f"#define KERNEL_VERSION {VERSION}\n" in (SOURCES / "kernel.h").read_text()


def test_a_kernel_built_by_a_newer_python_works_with_an_older_one() -> None:
    """From Python 3.13 on, formats with `#` compile into calls that fail in 3.11 and 3.12."""
    sources = "".join(path.read_text() for path in SOURCES.glob("*.c"))
    assert sources.count("Py_BuildValue(") > 1
    assert not re.search(r'"[^"\n]*[syz]#[^"\n]*"', sources)


def test_an_older_kernel_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    built = pytest.importorskip("rankwise.native._kernel", reason="the kernel is not built")
    assert built.VERSION == VERSION
    try:
        monkeypatch.setattr(built, "VERSION", VERSION - 1)
        importlib.reload(availability)
        assert availability.kernel() is None
        assert "built from another version" in availability.about_kernel()
    finally:
        monkeypatch.undo()
        importlib.reload(availability)
    assert availability.kernel() is built
