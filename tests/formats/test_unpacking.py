"""Compressed files: what comes out, and how much time and memory a hostile one can take."""

import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard

from rankwise import InputError, read_runs, score
from rankwise.formats import source, unpacking
from rankwise.formats.source import Source, open_source
from rankwise.formats.unpacking import _gzip
from rankwise.threads import read_ahead

PACKERS = [gzip.compress, bz2.compress, lzma.compress, zstandard.compress]
TEXTS = {
    "nothing": b"",
    "a line": b"1 Q0 d 1 2.5 t\n",
    "one byte": b"x" * 3_000_000,
    "repeated lines": b"1 Q0 d 1 2.5 t\n" * 100_000,
    "noise": random.Random(1).randbytes(700_000),
}


@pytest.fixture(params=["isal", "zlib"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """gzip by each of the two libraries."""
    if request.param == "zlib":
        monkeypatch.setitem(sys.modules, "isal", None)
    assert _gzip()[0].func.__module__.startswith(request.param)  # type: ignore[attr-defined]


@pytest.fixture(autouse=True, scope="module")
def _each_reader() -> None:
    """Files are unpacked before they are read: one reader will do."""


def streamed(data: bytes) -> bytes:
    """zstd without the size in the header, and with a checksum."""
    packed = io.BytesIO()
    with zstandard.ZstdCompressor(write_checksum=True).stream_writer(packed, closefd=False) as to:
        to.write(data)
    return packed.getvalue()


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("pack", [*PACKERS, streamed])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_all_comes_out_of_one_member_or_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "it"
    for packed, expected in ((pack(text), text), (pack(text) + pack(b"") + pack(text), 2 * text)):
        path.write_bytes(packed)
        assert open_source(path).data == Source("it", packed).data == expected
        assert b"".join(map(bytes, open_source(path).blocks(1000))) == expected
        monkeypatch.setattr(source, "LARGE", 0)
        assert b"".join(map(bytes, open_source(path).blocks_ahead())) == expected


@pytest.mark.usefixtures("library")
def test_zeros_after_the_last_member_of_gzip_are_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "it"
    path.write_bytes(gzip.compress(b"text") + b"\0" * 100_000)
    assert open_source(path).data == b"text"


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("pack", [*PACKERS, streamed])
def test_what_is_cut_short_or_changed_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(source, "LARGE", 0)
    path = tmp_path / "it"
    packed = pack(TEXTS["noise"])
    middle = len(packed) // 2
    for damaged in (packed[:-5], packed[:middle], packed + b"more"):
        path.write_bytes(damaged)
        if pack in (bz2.compress, lzma.compress) and damaged.endswith(b"more"):
            continue  # Python's readers of these take no notice of what follows
        for each in (open_source(path), Source("it", damaged)):
            with pytest.raises(InputError, match="damaged or truncated"):
                _ = each.data
        with pytest.raises(InputError, match="damaged or truncated"):
            list(open_source(path).blocks())
        with pytest.raises(InputError, match="damaged or truncated"):
            list(open_source(path).blocks_ahead())


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("field", [b"\x08", b"\x10"], ids=["name", "comment"])
def test_a_long_text_in_the_header_of_gzip_takes_no_time(tmp_path: Path, field: bytes) -> None:
    plain = gzip.compress(b"1 Q0 d 1 2.5 t\n", mtime=0)
    packed = plain[:3] + field + plain[4:10] + b"n" * 20_000_000 + b"\0" + plain[10:]
    path = tmp_path / "a.run.gz"
    path.write_bytes(packed)
    start = time.process_time()
    assert read_runs(path)[0].frame.height == 1
    assert time.process_time() - start < 5  # Python's own reader: 14 s and more


MEASURE = """
import resource, sys
from rankwise import InputError, read_runs, score
used = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
read_runs({"1": {"a": 1.0}})
before = used()
try:
    read_runs(sys.argv[1])
except InputError as error:
    assert "larger than 64 MB when decompressed" in str(error), error
else:
    raise SystemExit("it was read")
print((used() - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is measured on Linux")
@pytest.mark.parametrize("pack", PACKERS)
def test_a_small_file_that_expands_without_end_takes_little_memory(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(pack(b"\0" * (unpacking.MOST // 2)) * 3)
    assert path.stat().st_size < 200_000
    command = [sys.executable, "-c", MEASURE, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 400  # MB


def test_zstd_without_its_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.run.zst"
    path.write_bytes(zstandard.compress(b"1 Q0 d 1 2.5 t\n"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError, match=r"pip install zstandard"):
        read_runs(path)


def test_a_thread_that_reads_ahead_ends_with_its_reader() -> None:
    before, produced = threading.active_count(), []

    def numbers() -> Iterator[int]:
        for number in range(1, 1_000_000):
            produced.append(number)
            yield number

    ahead = read_ahead(numbers(), 4)
    assert [next(ahead), next(ahead)] == [1, 2]
    ahead.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before and len(produced) < 20
    assert list(read_ahead(range(1, 100), 4)) == list(range(1, 100))


def test_a_file_that_is_not_clean_leaves_no_thread_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "LARGE", 0)
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run.gz"
    qrels.write_text("1 0 d1 1\n")
    lines = ["1 Q0 d1 1 much t\n", *(f"1 Q0 d{n} {n} {-n} t\n" for n in range(2, 200_000))]
    run.write_bytes(gzip.compress("".join(lines).encode(), 1))
    before = threading.active_count()
    with pytest.raises(InputError, match="much"):
        score(qrels, run)
    assert threading.active_count() == before
