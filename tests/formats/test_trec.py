"""TREC text: whatever the white space, the compression and the order of lines, the same rows."""

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import given, strategies as st

from rankwise import read_qrels, read_runs, score
from rankwise.formats import trec
from rankwise.formats.source import Kind, Source

Write = Callable[[str, str | bytes], Path]
Row = tuple[str, str, float]

RUN = "7 Q0 d1 1 2.5 tag\n7 Q0 d2 2 1.25 tag\n007 Q0 d1 1 -3 tag\n"
RUN_ROWS: list[Row] = [("7", "d1", 2.5), ("7", "d2", 1.25), ("007", "d1", -3.0)]
QRELS = "7 0 d1 2\n7 0 d2 0\n007 0 d1 1\n"
QRELS_ROWS = [("7", "d1", 2), ("7", "d2", 0), ("007", "d1", 1)]
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
}
MESS: dict[str, Callable[[str], str]] = {
    "tabs and spaces": lambda text: text.replace(" ", "\t", 1),
    "several spaces": lambda text: text.replace(" ", "   "),
    "spaces and tabs together": lambda text: text.replace(" ", " \t "),
    "vertical tabs and form feeds": lambda text: text.replace(" ", "\x0b\x0c"),
    "leading blanks": lambda text: "  " + text.replace("\n", "\n\t", 1),
    "trailing blanks": lambda text: text.replace("\n", " \n"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CRLF without an end": lambda text: text.replace("\n", "\r\n").removesuffix("\r\n"),
    "a mark": lambda text: "\ufeff" + text,
    "a mark and a blank line": lambda text: "\ufeff\n" + text,
    "blank lines": lambda text: "\n \n" + text.replace("\n", "\n\n \t\n") + "\n\n",
}
CLEAN: dict[str, Callable[[str], str]] = {
    "spaces": lambda text: text,
    "tabs": lambda text: text.replace(" ", "\t"),
    "no final newline": lambda text: text.removesuffix("\n"),
}


def is_fast(path: Path, kind: Kind) -> bool:
    fields = trec.FIELD_NAMES[kind]
    value = "score" if kind == "run" else "grade"
    source = Source(str(path), path=path)
    return trec.parse_clean(source, fields, ["topic", "document", value]) is not None


@pytest.mark.parametrize("how", [*MESS, *CLEAN])
def test_white_space_does_not_matter(write: Write, how: str) -> None:
    change = (MESS | CLEAN)[how]
    run, qrels = write("run", change(RUN)), write("qrels", change(QRELS))
    [read] = read_runs(run)
    assert read.frame.rows() == RUN_ROWS
    assert read.name == "tag"
    assert read_qrels(qrels).frame.rows() == QRELS_ROWS
    assert is_fast(run, "run") == is_fast(qrels, "qrels") == (how in CLEAN)


@pytest.mark.parametrize("how", ["spaces", "tabs", "CRLF", "blank lines"])
def test_a_file_of_one_line_reads_like_any_other(write: Write, how: str) -> None:
    path = write("qrels", (MESS | CLEAN)[how]("1 0 d 3\n"))
    assert read_qrels(path).frame.rows() == [("1", "d", 3)]


def test_the_types_are_text_float64_and_int32(write: Write) -> None:
    for change in (CLEAN["spaces"], MESS["CRLF"]):
        [run] = read_runs(write("run", change(RUN)))
        assert run.frame.schema == {
            "topic": pl.String,
            "document": pl.String,
            "score": pl.Float64,
        }
        assert read_qrels(write("qrels", change(QRELS))).frame.schema["grade"] == pl.Int32


def test_comment_lines_in_qrels_are_skipped(write: Write) -> None:
    text = "# topic 0 document grade\n7 0 d#1 2\n  # another\n7 0 #2 0\n#\n"
    assert read_qrels(write("qrels", text)).frame.rows() == [("7", "d#1", 2), ("7", "#2", 0)]


def test_lines_of_a_run_that_begin_with_a_hash_are_comments(write: Write) -> None:
    text = "# 2 3 4 5 6\n#7 Q0 a 1 1 tag\n7 Q0 d#1 1 0.5 tag\n  # another\n7 Q0 #2 2 0.25 #\n"
    [run] = read_runs(write("run", text))
    assert run.frame.rows() == [("7", "d#1", 0.5), ("7", "#2", 0.25)]
    assert run.name == "tag"


def test_a_hash_inside_a_line_does_not_slow_reading_down(write: Write) -> None:
    assert is_fast(write("run", "7 Q0 d#1 1 0.5 #\n"), "run")
    assert not is_fast(write("run", "7 Q0 d#1 1 0.5 #\n# 2 3 4 5 6\n"), "run")


def test_quotes_commas_and_other_blanks_belong_to_names(write: Write) -> None:
    text = '"1 Q0 d"2,3 1 0.5 t\n"1 Q0 d\u00a04 2 0.25 t\n'
    for change in (CLEAN["tabs"], MESS["several spaces"]):
        [run] = read_runs(write("run", change(text)))
        assert run.frame.rows() == [('"1', 'd"2,3', 0.5), ('"1', "d\u00a04", 0.25)]
        assert run.name == "t"


def test_brackets_and_stars_in_a_file_name_are_no_pattern(write: Write) -> None:
    write("run1", "1 Q0 other 1 0.5 other\n")
    for name in ("run[1]", "run*", "run?"):
        [run] = read_runs(write(name, RUN))
        assert run.frame.rows() == RUN_ROWS


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files_read_like_plain_ones(write: Write, suffix: str) -> None:
    compress = COMPRESS[suffix]
    for change in (CLEAN["spaces"], MESS["CRLF"], MESS["a mark"]):
        [run] = read_runs(write(f"a.run.{suffix}", compress(change(RUN).encode())))
        assert run.frame.rows() == RUN_ROWS
        qrels = read_qrels(write(f"qrels.{suffix}", compress(change(QRELS).encode())))
        assert qrels.frame.rows() == QRELS_ROWS


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compression_is_known_by_content_and_may_come_in_parts(write: Write, suffix: str) -> None:
    first, rest = RUN.encode()[:20], RUN.encode()[20:]
    data = COMPRESS[suffix](first) + COMPRESS[suffix](rest)
    [run] = read_runs(write("plainly.txt", data))
    assert run.frame.rows() == RUN_ROWS


@pytest.mark.parametrize("compress", [bytes, *COMPRESS.values()])
def test_a_dash_is_standard_input(
    monkeypatch: pytest.MonkeyPatch, compress: Callable[[bytes], bytes]
) -> None:
    for change in (CLEAN["spaces"], MESS["a mark"]):
        stdin = io.TextIOWrapper(io.BytesIO(compress(change(RUN).encode())))
        monkeypatch.setattr(sys, "stdin", stdin)
        [run] = read_runs("-")
        assert run.frame.rows() == RUN_ROWS


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_pipe_is_read_like_a_file(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(compress(RUN.encode()),), daemon=True)
    writer.start()
    [run] = read_runs(pipe)
    writer.join()
    assert run.frame.rows() == RUN_ROWS


def test_topics_may_be_interleaved_and_lines_unsorted(write: Write) -> None:
    lines = [
        *["2 Q0 b 9 1 t", "1 Q0 a 9 1 t", "2 Q0 a 9 3 t", "1 Q0 c 9 3 t", "2 Q0 c 9 2 t"],
        *["1 Q0 b 9 2 t"],
    ]
    path = write("run", "\n".join(lines))
    [run] = read_runs(path)
    assert run.frame["document"].to_list() == ["b", "a", "a", "c", "c", "b"]  # as in the file
    qrels = write("qrels", "2 0 b 1\n1 0 b 1\n2 0 c 0\n1 0 a 0\n")
    found = score(qrels, path, ["RR"]).frame
    assert dict(zip(found["topic"], found["value"], strict=True)) == {"1": 1 / 2, "2": 1 / 3}


def test_the_rank_is_read_only_when_it_is_wanted(write: Write) -> None:
    path = write("run", "1 Q0 a first 0.5 t\n1 Q0 b second 0.7 t\n")
    assert read_runs(path)[0].frame.columns == ["topic", "document", "score"]
    for text in (RUN, MESS["CRLF"](RUN)):
        [run] = read_runs(write("ranked", text), order="rank")
        assert run.frame["rank"].to_list() == [1, 2, 1]


NAMES = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"], exclude_characters="#\ufeff"),
    min_size=1,
    max_size=6,
)
SCORES = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.from_regex(
    r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,2})?", fullmatch=True
).filter(str.isascii)
GRADES = st.integers(-(2**31), 2**31 - 1).map(str)
BLANK = st.text(" \t\x0b\x0c", min_size=1, max_size=3)
PADDING = st.text(" \t\r", max_size=2)


@st.composite
def lines_of(draw: st.DrawFn, kind: Kind) -> list[list[str]]:
    pairs = draw(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=8, unique=True))
    if kind == "qrels":
        return [[topic, "0", document, draw(GRADES)] for topic, document in pairs]
    tag = draw(st.lists(NAMES, max_size=1))
    return [[topic, "Q0", document, "1", draw(SCORES), *tag] for topic, document in pairs]


@st.composite
def messy(draw: st.DrawFn, lines: list[list[str]]) -> str:
    text = draw(st.sampled_from(["", "\ufeff"]))
    for fields in lines:
        gaps = [draw(BLANK) for _ in fields[1:]]
        inside = "".join(gap + field for gap, field in zip(gaps, fields[1:], strict=True))
        blank_lines = "".join(draw(st.lists(PADDING.map(lambda pad: pad + "\n"), max_size=2)))
        text += blank_lines + draw(PADDING) + fields[0] + inside + draw(PADDING) + "\n"
    return text if draw(st.booleans()) else text.removesuffix("\n")


def plain_loop(text: str, kind: Kind) -> list[tuple[str, str, float]]:
    rows = []
    for line in text.removeprefix("\ufeff").split("\n"):
        if fields := line.split():
            value = float(fields[4]) if kind == "run" else int(fields[3])
            rows.append((fields[0], fields[2], value))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["run", "qrels"])
@given(data=st.data())
def test_the_fast_path_the_slow_path_and_a_plain_loop_agree(
    kind: Kind, data: st.DataObject
) -> None:
    lines = data.draw(lines_of(kind))
    separator = data.draw(st.sampled_from([" ", "\t"]))
    clean = "\n".join(separator.join(fields) for fields in lines)
    clean += data.draw(st.sampled_from(["", "\n"]))
    mess = data.draw(messy(lines))
    fields = trec.FIELD_NAMES[kind][: len(lines[0])]
    wanted = ["topic", "document", "score" if kind == "run" else "grade"]

    source = Source("clean", clean.encode())
    fast = trec.parse_clean(source, fields, wanted)
    assert fast is not None or clean.encode()[0] == 0xEF  # as a mark begins
    slow, numbers, faults = trec._parse_lines(source, fields, wanted, more_fields=False)
    assert not faults
    assert fast is None or slow.equals(fast)
    assert slow.rows() == plain_loop(clean, kind)
    assert numbers.tolist() == list(range(1, len(lines) + 1))

    parsed = trec.parse_trec(Source("messy", mess.encode()), kind, wanted, lenient=False)
    assert parsed.frame.equals(slow)
    assert plain_loop(mess, kind) == slow.rows()


@given(st.text("a \t\n\r", min_size=1, max_size=30), st.integers(1, 8))
def test_blanks_are_counted_alike_whatever_the_size_of_the_pieces(text: str, step: int) -> None:
    if text[0].isspace() or any(a.isspace() and b.isspace() for a, b in pairwise(text)):
        expected = None
    else:
        expected = sum(c.isspace() for c in text) + (text[-1] != "\n")
    assert trec._count_single_blanks(text.encode(), step) == expected
