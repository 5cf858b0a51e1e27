"""What is done to a sound file: to its bytes, its lines, its fields, its JSON, its columns."""

import bz2
import gzip
import io
import json
import lzma
import random
from collections.abc import Callable
from typing import Any

import polars as pl

from faults.seeds import json_of

TOKENS = [
    *["", "0", "-1", "1e309", "nan", "inf", "-0.0", "1e-400", "9" * 30, "0x10", "1_000", "٣", "½"],
    *["\x00", "\x1b[2J", "\ufeff", "\u2028", "\xa0", "\r", "\t", '"', "''", "#", "=1+1", "\\N"],
    *["</script><b>", "%s{}", "a" * 5000, "007", "1e3", "null", "true", "é", "é", "😀"],
    *["qid:1", "topic", "{", "]", ",", ";", "1,5", "-", "Q0", "~", "*", "../x", "NaN", "None"],
]
BYTES = [b"\x00", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\r", b"\n\n", b"\x1a", b'"', b"\xc3"]
BYTES += [b"\xed\xa0\x80", b"PAR1", b"ARROW1", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"(\xb5/\xfd"]
VALUES: list[Any] = [
    None,
    True,
    -1,
    1e308,
    "",
    "x",
    [],
    {},
    [[]],
    {"a": {}},
    10**400,
    [None],
    "NaN",
]
Mutator = Callable[[bytes, random.Random], bytes]


def flip_bits(content: bytes, rng: random.Random) -> bytes:
    found = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 8])):
        if found:
            found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def put_bytes(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(BYTES) * rng.choice([1, 1, 3]) + content[at:]


def cut_short(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def take_out(content: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(content) + 1)
    return content[:start] + content[start + rng.choice([1, 2, 8, 64]) :]


def copy_within(content: bytes, rng: random.Random) -> bytes:
    start, at = rng.randrange(len(content) + 1), rng.randrange(len(content) + 1)
    return content[:at] + content[start : start + rng.choice([1, 4, 40])] + content[at:]


def shuffle_lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.randrange(5)
    if change == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif change == 1:
        lines.insert(one, lines[other])
    elif change == 2:
        del lines[one]
    elif change == 3:
        lines[one] = lines[one] + lines[other]
    else:
        lines.insert(one, rng.choice([b"", b"# x", b" ", b"\t\r", b"\xef\xbb\xbf", b"x"]))
    return rng.choice([b"\n", b"\n", b"\n", b"\r\n", b"\r", b"\n\n"]).join(lines)


def put_field(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    row = rng.randrange(len(lines))
    sign = next((s for s in (b"\t", b",", b" ") if s in lines[row]), b" ")
    fields = lines[row].split(sign)
    place = rng.randrange(len(fields))
    token = rng.choice(TOKENS).encode()
    change = rng.randrange(4)
    if change == 0:
        fields[place] = token
    elif change == 1:
        fields.insert(place, token)
    elif change == 2:
        del fields[place]
    else:
        fields[place] = token + fields[place]
    lines[row] = sign.join(fields)
    return b"\n".join(lines)


def change_json(content: bytes, rng: random.Random) -> bytes:
    """A value somewhere in a JSON document, or in one of the lines, becomes another."""
    document = json_of(content)
    if document is not None:
        return json.dumps(_changed(document, rng)).encode()
    lines = content.split(b"\n")
    row = rng.randrange(len(lines))
    if (found := json_of(lines[row])) is None:
        return put_field(content, rng)
    lines[row] = json.dumps(_changed(found, rng)).encode()
    return b"\n".join(lines)


def _changed(part: Any, rng: random.Random) -> Any:
    if not isinstance(part, dict | list) or not part or rng.random() < 0.15:
        return rng.choice([*VALUES, rng.choice(TOKENS), [part], {"x": part}])
    if isinstance(part, list):
        place = rng.randrange(len(part))
        return [_changed(one, rng) if at == place else one for at, one in enumerate(part)]
    name = rng.choice(list(part))
    change = rng.randrange(6)
    if change == 0:
        return {key: value for key, value in part.items() if key != name}
    if change == 1:
        return {(rng.choice(TOKENS) if key == name else key): v for key, v in part.items()}
    return {key: _changed(value, rng) if key == name else value for key, value in part.items()}


def change_columns(content: bytes, rng: random.Random) -> bytes:
    """A column of a parquet or Arrow file becomes one of another type or name."""
    is_parquet = content[:4] == b"PAR1"
    if not is_parquet and content[:6] != b"ARROW1":
        return put_field(content, rng)
    frame = (pl.read_parquet if is_parquet else pl.read_ipc)(content)
    name = rng.choice(frame.columns)
    column = pl.col(name)
    text = column.cast(pl.String)
    changes = [column.implode().over(pl.int_range(pl.len())), pl.struct(name).alias(name)]
    changes += [pl.lit(None).alias(name), text.cast(pl.Binary), text.cast(pl.Categorical)]
    changes += [pl.lit(1.5).alias(name), pl.lit(True).alias(name), column.shift(1)]
    changes += [pl.lit("2020-01-01").str.to_date().alias(name), column.alias(rng.choice(TOKENS))]
    changes += [pl.lit(rng.choice(TOKENS)).alias(name), pl.lit(float("nan")).alias(name)]
    changed = frame.with_columns(rng.choice(changes))
    changed = changed.drop(name) if rng.random() < 0.1 else changed
    target = io.BytesIO()
    (changed.write_parquet if is_parquet else changed.write_ipc)(target)
    return target.getvalue()


def compress(content: bytes, rng: random.Random) -> bytes:
    """Compressed, and half of the time damaged."""
    compressors: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress]
    packed = rng.choice(compressors)(content)
    return flip_bits(packed, rng) if rng.random() < 0.3 else cut_or_whole(packed, rng)


def cut_or_whole(content: bytes, rng: random.Random) -> bytes:
    return cut_short(content, rng) if rng.random() < 0.3 else content


OF_TEXT: list[Mutator] = [flip_bits, put_bytes, cut_short, take_out, copy_within, compress]
OF_TEXT += [*[shuffle_lines] * 3, *[put_field] * 5, *[change_json] * 3]
OF_BINARY: list[Mutator] = [flip_bits, put_bytes, cut_short, take_out, copy_within, compress]
OF_BINARY += [change_columns] * 4


def mutated(content: bytes, rng: random.Random) -> bytes:
    """One to three changes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        binary = content[:4] == b"PAR1" or content[:6] == b"ARROW1"
        change = rng.choice(OF_BINARY if binary else OF_TEXT)
        try:
            content = change(content, rng)
        except Exception:
            continue  # what cannot be changed so stays
        except BaseException as error:  # polars' panic about a file that is damaged already
            if type(error).__name__ != "PanicException":
                raise
    return content
