"""Logs of searches, read with the limits and messages of all other files."""

import gzip
from pathlib import Path

import pytest

from rankwise import InputError
from rankwise.formats.logs import read_log


def log(folder: Path, text: str | bytes, name: str = "log.csv") -> str:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def test_ranks_and_those_of_relevant_documents_are_read(tmp_path: Path) -> None:
    path = log(tmp_path, 'user,rank,found\nx,3,1 3\ny,10,\nz,1,"1,2"\n')
    assert read_log(path) == ([3, 10, 1], None)
    assert read_log(path, "rank", "found") == ([3, 10, 1], [[1, 3], [], [1, 2]])
    packed = log(tmp_path, gzip.compress(b"last\n4\n"), "log.csv.gz")
    assert read_log(packed, "last").last == [4]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rank\n1\nmany\n", r"log\.csv:3: column 'rank' must have a rank"),
        ("rank\n1\n0\n", r"log\.csv:3: column 'rank' must have a rank"),
        ("rank\n1\n-2\n", r"log\.csv:3: column 'rank' must have a rank"),
        ("rank\n1.5\n", r"log\.csv:2: column 'rank' must have a rank"),
        ("rank,x\n,1\n", r"log\.csv:2: column 'rank' must have a rank"),
        ("rank\n99999999999999999999999\n", r"log\.csv:2: column 'rank' must have a rank"),
        ("rank\n1,2,3\n", r"log\.csv:2: 3 fields instead of 1"),
        ("ranks\n1\n", r"has no column 'rank'\..*ranks"),
        ("rank\n", "has a header but no rows"),
        ("", "has no header"),
        (b"rank\n\xff\n", r"log\.csv:2: not UTF-8 text"),
        (b"rank\n\0\n", "log"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read_log(log(tmp_path, text))
    assert "polars" not in str(caught.value) and "dtype" not in str(caught.value)
    with pytest.raises(InputError, match=r"log\.csv:2: column 'r' must have ranks"):
        read_log(log(tmp_path, "rank,r\n1,one\n"), relevant="r")


def test_a_log_that_expands_without_end_is_not_read(tmp_path: Path) -> None:
    path = log(tmp_path, gzip.compress(b"\0" * (80 << 20)), "log.csv.gz")
    with pytest.raises(InputError, match="larger than 64 MB when decompressed"):
        read_log(path)
