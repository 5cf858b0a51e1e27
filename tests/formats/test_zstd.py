"""How large a zstd file can become, against what comes out of it."""

import io
import random
from collections.abc import Callable

import pytest
import zstandard

from rankwise.formats.zstd import LARGEST_BLOCK, greatest_size

TEXTS = {
    "nothing": b"",
    "a line": b"1 Q0 d 1 2.5 t\n",
    "one byte": b"x" * 3_000_000,
    "repeated lines": b"1 Q0 d 1 2.5 t\n" * 100_000,
    "noise": random.Random(1).randbytes(700_000),
}


def streamed(data: bytes, level: int) -> bytes:
    """Without its size in the header."""
    packed = io.BytesIO()
    with zstandard.ZstdCompressor(level, write_checksum=True).stream_writer(
        packed, closefd=False
    ) as to:
        to.write(data)
    return packed.getvalue()


def at_once(data: bytes, level: int) -> bytes:
    return zstandard.ZstdCompressor(level).compress(data)


@pytest.mark.parametrize("level", [1, 19])
@pytest.mark.parametrize("pack", [streamed, at_once])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_bound_holds_and_is_a_block_off_at_most(
    text: bytes, pack: Callable[[bytes, int], bytes], level: int
) -> None:
    packed = pack(text, level)
    assert len(text) <= greatest_size(packed) <= len(text) + LARGEST_BLOCK


def test_all_frames_are_counted_and_those_to_skip_are_not() -> None:
    one, other = at_once(TEXTS["repeated lines"], 3), streamed(TEXTS["noise"], 3)
    skipped = b"\x5a\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
    size = greatest_size(one) + greatest_size(other)
    assert greatest_size(one + skipped + other) == size


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_cut_or_damaged_ends_the_count(text: bytes) -> None:
    packed, rng = streamed(text, 3), random.Random(2)
    for cut in {*range(min(len(packed), 40)), *(rng.randrange(len(packed)) for _ in range(60))}:
        assert 0 <= greatest_size(packed[:cut]) <= greatest_size(packed)
        damaged = bytearray(packed)
        damaged[cut] ^= 1 << rng.randrange(8)
        assert greatest_size(bytes(damaged)) >= 0
