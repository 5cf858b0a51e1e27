"""Small files, written where the test runs."""

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a file and says where it is."""

    def to(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to


@pytest.fixture(autouse=True, scope="module")
def _each_reader(each_reader: None) -> None:
    """Every test here runs with the kernel and without it."""
