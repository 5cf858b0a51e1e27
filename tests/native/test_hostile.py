"""Names chosen to collide, threads that meet in one object, memory that runs out."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import read_judged
from kernels import build_kernel, without_kernel

import rankwise
import rankwise.native.availability
from rankwise.native import kernel
from rankwise.rankings import reading
from rankwise.rankings.join import read_judgments

pytestmark = pytest.mark.skipif(kernel() is None, reason="the kernel was not built")

FACTOR = 0x9E3779B97F4A7C15
INVERSE = pow(FACTOR, -1, 1 << 64)
COLLIDING = 4_000
LARGEST_RATIO = 12  # of times: more than 100 without a seed and without a limit of probes


def colliding_names(count: int) -> list[str]:
    """Names of eight printable letters that all have one hash while the seed is 0.

    `hashed` in kernel.c, backwards: from 64 bits whose upper half is the hash to the text.
    """
    rng = np.random.default_rng(1)
    found: list[bytes] = []
    while len(found) < count:
        low = rng.integers(0, 1 << 32, 100_000, np.uint64)
        value = (np.uint64(0x12345678 << 32) | low) * np.uint64(INVERSE)
        value ^= (value >> np.uint64(29)) ^ (value >> np.uint64(58))
        value *= np.uint64(INVERSE)
        value ^= np.uint64(8 * FACTOR % (1 << 64))
        for place in range(8):
            letter = value.view(np.uint8)[place::8]
            value = value[(letter > ord(" ")) & (letter < 127)]
        found += [int(word).to_bytes(8, "little") for word in value]
    names = [name.decode() for name in dict.fromkeys(found)]
    assert len(names) >= count
    return names[:count]


@pytest.fixture(scope="module")
def colliding() -> list[str]:
    return colliding_names(COLLIDING)


@pytest.fixture(scope="module")
def unseeded(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """A kernel in which these names collide."""
    return build_kernel(tmp_path_factory.mktemp("unseeded"), "-DHASH_SEED=0u")


def plain_names() -> list[str]:
    return [f"{place:08d}" for place in range(COLLIDING)]


class Texts:
    """Qrels and a run with the same documents, and the names alone, as the kernel takes them."""

    def __init__(self, names: list[str]) -> None:
        self.qrels = "".join(f"1 0 {name} 1\n" for name in names).encode()
        self.run = "".join(f"1 Q0 {name} 1 1 t\n" for name in names).encode()
        self.names = "".join(f"{name}\n" for name in names).encode()
        self.topics = np.zeros(len(names), np.int32).tobytes()


def read_judged_names(native: ModuleType, texts: Texts) -> Any:
    lookup = native.Lookup()
    lookup.feed(texts.qrels)
    return None if lookup.finish() is None else read_names(native, texts, lookup)


def read_names(native: ModuleType, texts: Texts, lookup: Any = None) -> Any:
    if lookup is None:
        lookup = native.Lookup()
        assert lookup.feed(b"1 0 x 1\n") and lookup.finish()
    reader = native.Reader(lookup, 0, 0, False, 0, -1)
    reader.feed(texts.run)
    return reader.finish()


def count_names(native: ModuleType, texts: Texts) -> Any:
    return native.distinct_names([(texts.topics, texts.names)], 1)


def number_names_of(native: ModuleType, texts: Texts) -> Any:
    return native.number_names([(texts.topics, texts.names)], 1, True)


def seconds(call: Callable[[], Any]) -> float:
    """The least processor time of some tries."""
    times = []
    for _ in range(5):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("read", [read_names, read_judged_names, count_names, number_names_of])
def test_names_that_collide_take_no_longer_than_others(
    colliding: list[str], unseeded: ModuleType, read: Callable[..., Any]
) -> None:
    seeded = kernel()
    assert seeded is not None
    plain, hostile = Texts(plain_names()), Texts(colliding)
    usual = seconds(lambda: read(unseeded, plain))
    assert seconds(lambda: read(seeded, hostile)) < LARGEST_RATIO * usual
    assert seconds(lambda: read(unseeded, hostile)) < LARGEST_RATIO * usual
    # The names do collide: without the seed the kernel gives up, with it they are as any others.
    assert read(unseeded, hostile) is None and read(seeded, hostile) is not None


def test_what_the_kernel_gives_up_is_read_with_the_same_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, colliding: list[str], unseeded: ModuleType
) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("".join(f"1 0 {name} {at % 3}\n" for at, name in enumerate(colliding[::2])))
    run.write_text("".join(f"1 Q0 {name} 1 {at} t\n" for at, name in enumerate(colliding)))
    runs = {"a": run, "b": {"1": dict.fromkeys(colliding[::-3], 1.0)}}
    found = []
    for native in (kernel(), unseeded, None):
        monkeypatch.setattr(rankwise.native.availability, "_built", native)
        judged = read_judged(qrels, runs, count_unjudged=True)
        scores = rankwise.score(qrels, runs, ["AP", "nDCG@10"], bounds=True)
        assert judged.topic_unjudged is not None
        assert judged.judgment is not None
        columns = [judged.rank.tolist(), judged.judgment.tolist(), judged.topic_unjudged.tolist()]
        found.append((columns, scores.frame.rows()))
    assert found[0] == found[1] == found[2]


def finished_lookup(text: bytes = b"1 0 a 1\n") -> Any:
    native = kernel()
    assert native is not None
    lookup = native.Lookup()
    assert lookup.feed(text) and lookup.finish() is not None
    return lookup


def test_no_two_threads_are_in_one_reader() -> None:
    native = kernel()
    assert native is not None
    reader = native.Reader(finished_lookup(), 0, 0, False, 0, -1)
    receiver, sender = os.pipe()
    with os.fdopen(receiver), os.fdopen(sender, "wb", buffering=0) as pipe:
        thread = threading.Thread(target=reader.read_file, args=(receiver,))
        thread.start()
        pipe.write(b"1 Q0 a 1 1 t\n")
        wait_until_busy(lambda: reader.feed(b""))
        for call in (lambda: reader.feed(b""), lambda: reader.take_dict({}), reader.finish):
            with pytest.raises(ValueError, match="another thread"):
                call()
        pipe.close()
        thread.join()
    assert reader.finish()[7] == 6  # fields of the line: nothing that was refused did harm


def test_no_two_threads_are_in_one_lookup() -> None:
    native = kernel()
    assert native is not None
    lookup = native.Lookup()
    text = "".join(f"1 0 {place} 1\n" for place in range(300_000)).encode()
    thread = threading.Thread(target=lookup.feed, args=(text,))
    thread.start()
    wait_until_busy(lambda: lookup.feed(b""))
    for call in (lambda: lookup.take_dict({}), lookup.finish):
        with pytest.raises(ValueError, match="another thread"):
            call()
    thread.join()
    assert len(lookup.finish()[1]) == 4 * 300_000


def wait_until_busy(call: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            assert call()
        except ValueError:
            return
    pytest.fail("no other thread was in the object")


OUT_OF_MEMORY = """
import resource
from rankwise.native import _kernel

def limit():
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (24 << 20), resource.RLIM_INFINITY))

def fill(taker, line):
    reserve = [bytearray(1 << 20) for _ in range(8)]
    for row in range(0, 10**8, 1000):
        try:
            block = b"".join([line % (row + i) for i in range(1000)])
        except MemoryError:  # Python's: the kernel's is wanted
            reserve.pop()
            continue
        try:
            assert taker.feed(block)
        except MemoryError:
            return
    raise SystemExit("there was memory for all")

lookup = _kernel.Lookup()
limit()
fill(lookup, b"%d 0 document 1\\n")
assert not lookup.feed(b"") and lookup.finish() is None
try:
    _kernel.Reader(lookup, 0, 0, False, 0, -1)
except ValueError as error:
    assert "not clean" in str(error)
else:
    raise SystemExit("a reader takes a lookup that is not clean")
del lookup
small = _kernel.Lookup()
assert small.feed(b"1 0 a 1\\n") and small.finish()
reader = _kernel.Reader(small, 0, 0, True, 0, -1)
limit()
fill(reader, b"1 Q0 d%d 1 1 t\\n")
assert not reader.feed(b"") and reader.finish() is None
print("done")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux only")
def test_what_ran_out_of_memory_is_not_clean() -> None:
    done = subprocess.run([sys.executable, "-c", OUT_OF_MEMORY], capture_output=True, text=True)
    assert done.stdout == "done\n", done.stderr


def test_a_reader_takes_only_orders_that_exist() -> None:
    native = kernel()
    assert native is not None
    for order in (-1, 4):
        with pytest.raises(ValueError, match=f"no order {order}"):
            native.Reader(finished_lookup(), order, 0, False, 0, -1)


def test_topics_that_are_no_numbers_of_32_bits_are_refused() -> None:
    native = kernel()
    assert native is not None
    with pytest.raises(ValueError, match="32 bits"):
        native.distinct_names([(b"\0\0\0\0\0", b"a\n")], 1)


def test_a_lookup_hands_out_its_names_in_the_order_of_the_rows() -> None:
    text = "2 0 b 1\n1 0 é文 0\n2 0 a-name-of-more-than-sixteen-bytes 2\n1 0 b 1\n"
    names = ["b", "é文", "a-name-of-more-than-sixteen-bytes", "b"]
    assert finished_lookup(text.encode()).names().decode().splitlines() == names
    native = kernel()
    assert native is not None
    with pytest.raises(ValueError, match="not finished"):
        native.Lookup().names()


@pytest.mark.parametrize("name", ["two\nlines", "a\rb", "a\0b"])
def test_names_with_line_ends_are_those_of_the_dict(name: str) -> None:
    qrels, runs = {"1": {name: 1, "b": 0}}, {"r": {"1": {name: 1.0, f"{name}2": 0.5, "c": 0.1}}}
    judged = read_judged(qrels, runs, retrieved=True)
    with without_kernel():
        plain = read_judged(qrels, runs, retrieved=True)
    assert judged.retrieved is not None and plain.retrieved is not None
    assert judged.retrieved.names.to_list() == plain.retrieved.names.to_list()
    assert name in judged.retrieved.names


def test_the_qrels_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("2 0 b 1\n1 0 a 0\n2 0 a 2\n1 0 c 1\n")
    run.write_text("1 Q0 c 1 3 t\n1 Q0 x 2 2 t\n2 Q0 a 1 1 t\n")
    with without_kernel():
        expected = read_judgments(qrels).names.to_list()
    assert expected == ["c", "a", "a", "b"]

    def read_again(*_: Any, **__: Any) -> pl.DataFrame:
        raise AssertionError("the qrels are read a second time")

    monkeypatch.setattr(reading, "read_qrels", read_again)
    assert read_judgments(qrels).names.to_list() == expected
    assert rankwise.compare(qrels, {"a": run, "b": {"1": {"a": 1.0}}}, "nDCG@10").frame.height
