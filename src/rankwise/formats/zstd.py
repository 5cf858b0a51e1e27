"""How large the text of a zstd file can become, from the headers of its blocks.

Nothing is decompressed: a small file that expands to all the memory there is, is known before
(RFC 8878 has the format).
"""

FRAME = b"\x28\xb5\x2f\xfd"
SKIPPED = b"\x2a\x4d\x18"  # after a byte from 0x50 to 0x5f
LARGEST_BLOCK = 128 << 10
DICTIONARY_BYTES = (0, 1, 2, 4)
SIZE_BYTES = (0, 2, 4, 8)
REPEATED, COMPRESSED = 1, 2  # kinds of blocks; others are as they are


def greatest_size(data: bytes) -> int:
    """At most so many bytes come out. What is damaged ends the count: it is not read further.

    >>> block = 1 | REPEATED << 1 | 100_000 << 3  # the last one: a byte, 100,000 times
    >>> greatest_size(FRAME + bytes([0, 0]) + block.to_bytes(3, "little") + b"x")
    100000
    """
    at, total = 0, 0
    while at < len(data):
        if data[at + 1 : at + 4] == SKIPPED and data[at] >> 4 == 5:
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        elif data[at : at + 4] == FRAME:
            at, size = _frame(data, at + 4)
            total += size
        else:
            break
    return total


def _frame(data: bytes, at: int) -> tuple[int, int]:
    """Where the frame ends whose header starts here, and how many bytes it has at most."""
    descriptor = int.from_bytes(data[at : at + 1], "little")
    is_single = bool(descriptor & 0x20)
    at += 1 + (not is_single) + DICTIONARY_BYTES[descriptor & 3]
    at += SIZE_BYTES[descriptor >> 6] or is_single
    total = 0
    while at + 3 <= len(data):
        header = int.from_bytes(data[at : at + 3], "little")
        is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        at += 3 + (1 if kind == REPEATED else size)
        total += LARGEST_BLOCK if kind == COMPRESSED else size
        if is_last:
            return at + (4 if descriptor & 4 else 0), total  # a checksum ends it
    return len(data), total
