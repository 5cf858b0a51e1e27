"""With the kernel and without it: the same arrays, or the same error."""

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import read_judged
from hypothesis import given, settings, strategies as st
from kernels import Taken, build_kernel, check_alike, outcome

import rankwise.native.availability
from rankwise.errors import InputError
from rankwise.native import feeding, kernel
from rankwise.rankings import read_judgments

pytestmark = pytest.mark.skipif(kernel() is None, reason="the kernel was not built")

QRELS = "1 0 a 1\n1 0 b 0\n2 0 c 2\n2 0 a 0\n"
RUN = "1 Q0 b 1 2.5 tag\n1 Q0 a 2 1.5 tag\n2 Q0 x 1 0.5 tag\n2 Q0 c 2 0.5 tag\n"


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Taken:
    return Taken(monkeypatch)


def files(folder: Path, qrels: str | bytes, run: str | bytes) -> tuple[Path, Path]:
    paths = folder / "qrels.txt", folder / "a.run"
    for path, text in zip(paths, (qrels, run), strict=True):
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return paths


CLEAN = {
    "plain": RUN,
    "instead of 5": RUN.replace(" tag", ""),
    "tabs and runs of blanks": RUN.replace(" ", " \t "),
    "carriage returns": RUN.replace("\n", "\r\n"),
    "no last line end": RUN.rstrip("\n"),
    "comments": "# a run\n" + RUN + "  # the end\n",
    "blank lines": "\n \n" + RUN.replace("\n", "\n\n"),
    "long numbers": RUN.replace("2.5", "2.50000000000000001").replace("1.5", "15e-1"),
    "a ranking out of order": RUN.replace("2.5", "-2.5"),
    "a topic without judgments": RUN + "9 Q0 a 1 3 tag\n",
    "letters of many bytes": RUN.replace(" x ", " né文😀 "),
    "another tag later": RUN.replace("0.5 tag", "0.5 other"),
    "vertical tabs and form feeds": RUN.replace(" ", "\v").replace("tag", "\ftag\f"),
    "a judged document in two topics": RUN.replace(" x ", " a "),
}
UNCLEAN = {
    "a document twice": RUN + "2 Q0 c 3 0.1 tag\n",
    "an unjudged document twice": RUN + "2 Q0 x 3 0.1 tag\n",
    "a document twice in a topic without judgments": RUN + "9 Q0 a 1 3 tag\n9 Q0 a 2 1 tag\n",
    "a topic in two places": RUN + "1 Q0 z 3 0.1 tag\n",
    "no number": RUN.replace("2.5", "much"),
    "infinite": RUN.replace("2.5", "1e999"),
    "a field too few": RUN.replace("2.5 tag", "2.5"),
    "a field too many": RUN.replace("2.5 tag", "2.5 tag too"),
    "a mark": b"\xef\xbb\xbf" + RUN.encode(),
    "no UTF-8": RUN.encode().replace(b" x ", b" \xff "),
    "a zero byte": RUN.replace(" x ", " \0 "),
    "a control character": RUN.replace(" x ", " \x01 "),
    "empty": "",
    "comments only": "# nothing\n",
    "judgments": QRELS,
    "JSON": '{"1": {"a": 1.0}}',
    "a line of ten megabytes": RUN + "3 Q0 " + "x" * 10_000_000 + " 1 1 tag\n",
    "ten megabytes without a line end": "x" * 10_000_000,
    "fields as in LETOR": RUN.replace("Q0", "qid:1"),
    "a brace": RUN.replace("1 Q0", "{1} Q0"),
    "a bracket": "\n" + RUN.replace("1 Q0", "[1] Q0"),
    "the first bytes of parquet": RUN.replace("1 Q0", "PAR1 Q0"),
    "LETOR": "2 qid:1 1:0.5 # 3\n" * 2,
}


@pytest.mark.parametrize("text", CLEAN.values(), ids=CLEAN)
@pytest.mark.parametrize("order", ["score", "rank", "file"])
def test_clean_runs_are_taken_and_read_alike(
    tmp_path: Path, taken: Taken, text: str, order: Any
) -> None:
    paths = files(tmp_path, QRELS, text)
    for depth in (None, 1):
        for retrieved in (False, True):
            found = check_alike(*paths, order=order, depth=depth, retrieved=retrieved)
            assert isinstance(found, dict)
    assert (taken.clean, taken.left) == (4, 0)


@pytest.mark.parametrize("length", range(60, 69))
def test_lines_of_about_as_many_bytes_as_are_looked_at_at_once(
    tmp_path: Path, taken: Taken, length: int
) -> None:
    """Fields that end at the last of 64 bytes, or go on behind it."""
    name = "x" * (length - len("2 Q0  1 0.5 tag"))
    texts = [RUN.replace(" x ", f" {name} "), RUN.replace("0.5 tag", f"0.5 {name}")]
    for text in texts:
        assert isinstance(check_alike(*files(tmp_path, QRELS, text + "\n" * 99)), dict)
    assert (taken.clean, taken.left) == (len(texts), 0)


@pytest.mark.parametrize("place", ["in a field", "between fields", "at the start", "at the end"])
def test_every_blank_and_control_character(tmp_path: Path, taken: Taken, place: str) -> None:
    """Short lines with much behind them, which are looked at 64 bytes at once."""
    lines = {"in a field": "2 Q0 x{}x 1 0.5 tag", "between fields": "2 Q0{}x 1 0.5 tag"}
    lines |= {"at the start": "{}2 Q0 x 1 0.5 tag", "at the end": "2 Q0 x 1 0.5 tag{}"}
    for code in [*range(0x21), 0x7F, 0x80, 0xA0]:
        line = lines[place].format(chr(code))
        text = RUN.replace("2 Q0 x 1 0.5 tag", line) + "# behind it\n" * 9
        check_alike(*files(tmp_path, QRELS, text))
    assert taken.clean and taken.left


@pytest.mark.slow
@pytest.mark.parametrize("text", UNCLEAN.values(), ids=UNCLEAN)
@pytest.mark.parametrize("lenient", [False, True])
def test_unclean_runs_are_left_to_the_reader(
    tmp_path: Path, taken: Taken, text: str | bytes, lenient: bool
) -> None:
    check_alike(*files(tmp_path, QRELS, text), lenient=lenient)
    assert taken.clean == 0


@pytest.mark.parametrize(
    "qrels",
    [
        "2 0 c 2\n1 0 a 1\n2 0 a 0\n1 0 b 0\n",  # topics in several places
        "1\t0\ta\t-1\r\n\n# note\n 2 0 c 3",
        "1 0 a 1\n1 0 a 2\n",
        "1 0 a 0.5\n",
        "1 0 a 99999999999\n",
        "1 0 a\n",
        "1 a b c d 1\n",
        "007 0 a 1\n7 0 a 1\n",
        "",
    ],
)
def test_qrels_are_read_alike(tmp_path: Path, qrels: str) -> None:
    check_alike(*files(tmp_path, qrels, RUN + "007 Q0 a 1 1 tag\n7 Q0 b 1 1 tag\n"))


def test_qrels_that_begin_with_a_grade_of_0_are_read_by_the_kernel(tmp_path: Path) -> None:
    """Most qrels of TREC do: the fourth field of their first line repeats the second."""
    if kernel() is None:
        pytest.skip("no kernel")
    qrels, _ = files(tmp_path, "1 0 a 0\n1 0 b 0\n1 0 c 1\n", RUN)
    assert read_judgments(qrels).text is not None


names = st.text("ab é\t\n\r", min_size=0, max_size=3) | st.sampled_from(["1", "2", "a", "b"])
values = st.floats(-2, 2) | st.integers(-3, 3) | st.sampled_from([float("nan"), 10**400, True, "1"])
nested = st.dictionaries(names, st.dictionaries(names, values, max_size=5), max_size=4)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    qrels=st.dictionaries(
        names, st.dictionaries(names, st.integers(-1, 3) | values, max_size=4), max_size=4
    ),
    run=nested,
    order=st.sampled_from(["score", "rank", "file"]),
    retrieved=st.booleans(),
)
def test_dicts_are_read_alike(qrels: Any, run: Any, order: Any, retrieved: bool) -> None:
    check_alike(qrels, {"it": run}, order=order, retrieved=retrieved)


def test_dicts_of_text_and_numbers_are_taken(taken: Taken) -> None:
    found = check_alike({"1": {"a": 1}}, {"1": {"a": 1, "b": 2.0, "é": np.float64(3)}})
    assert (found["rank"], taken.clean) == ([3], 1)


field = st.sampled_from(["1", "2", "Q0", "a", "b", "é", "0.5", "-1e2", "nan", "#", "9" * 20, "tag"])
blank = st.sampled_from([" ", " ", "\t", "  ", "\r", "\x0b", "\0", "\x1c", "\u00a0"])
line = st.builds(
    lambda fields, blank, end: blank.join(fields) + end,
    st.lists(field, max_size=7)
    | st.tuples(
        *(st.sampled_from(words) for words in (["1", "2", "3"], ["Q0"], list("abcdef"))),
        *(st.sampled_from(words) for words in (["1", "2"], ["1", "0.5", "-3", "1e1"], ["t"])),
    ).map(list),
    blank,
    st.sampled_from(["\n", "\n", "\n", "\r\n", ""]),
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(
    lines=st.lists(line, max_size=8),
    lenient=st.booleans(),
    order=st.sampled_from(["score", "rank"]),
)
def test_any_text_is_read_alike(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], lenient: bool, order: Any
) -> None:
    folder = tmp_path_factory.mktemp("text")
    check_alike(*files(folder, QRELS, "".join(lines)), lenient=lenient, order=order)


def random_run(seed: int, topics: int = 300, depth: int = 40) -> str:
    rng = np.random.default_rng(seed)
    lines = [
        f"{topic} Q0 d{document} {rank} {score} t\n"
        for topic in rng.permutation(topics)
        for rank, (document, score) in enumerate(
            zip(rng.permutation(90)[:depth], rng.integers(0, 9, depth), strict=True), 1
        )
    ]
    return "".join(lines)


def random_qrels(topics: int = 300) -> str:
    return "".join(f"{t} 0 d{d} {(t + d) % 3}\n" for t in range(0, topics, 2) for d in range(30))


@pytest.mark.parametrize("size", [100, 1_000, 5_000, 50_000])
def test_pieces_of_a_file_give_what_the_whole_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: Taken, size: int
) -> None:
    paths = files(tmp_path, random_qrels(), "# head\n" + random_run(1))
    whole = check_alike(*paths, retrieved=True)
    monkeypatch.setattr(feeding, "SMALLEST_PIECE", size)
    monkeypatch.setattr(feeding, "MOST_PIECES", 10**6)
    assert outcome(lambda: read_judged(*paths, retrieved=True)) == whole
    assert taken.clean == 2


def test_a_topic_in_two_pieces_is_not_clean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: Taken
) -> None:
    monkeypatch.setattr(feeding, "SMALLEST_PIECE", 2_000)
    for again in ("0 Q0 again 1 1 t\n", "1 Q0 again 1 1 t\n"):  # judged, and not
        check_alike(*files(tmp_path, random_qrels(), random_run(2) + again))
    assert taken.clean == 0


def test_compressed_runs_are_read_in_the_stream(tmp_path: Path, taken: Taken) -> None:
    qrels, run = files(tmp_path, random_qrels(), random_run(3))
    packed = tmp_path / "b.run.gz"
    packed.write_bytes(gzip.compress(run.read_bytes()))
    found, unpacked = check_alike(qrels, packed), check_alike(qrels, run)
    assert {**found, "runs": 0} == {**unpacked, "runs": 0} and taken.clean == 2
    packed.write_bytes(packed.read_bytes()[:-20])
    assert "damaged" in check_alike(qrels, packed)[1]


def test_a_file_that_shrinks_while_it_is_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = files(tmp_path, random_qrels(), random_run(4))
    reader = feeding.Joining.reader

    def shrinking(*given: Any) -> Any:
        os.truncate(paths[1], 10_000)
        return reader(*given)

    monkeypatch.setattr(feeding.Joining, "reader", shrinking)
    with pytest.raises(InputError, match="changed while it was read"):
        read_judged(*paths)


@pytest.mark.slow
def test_a_topic_of_five_million_documents_is_read(tmp_path: Path) -> None:
    count = 5_000_000
    run = "".join(f"1 Q0 d{place} 0 {-place} t\n" for place in range(count))
    judged = read_judged(*files(tmp_path, f"1 0 d{count - 1} 1\n1 0 d7 1\n", run))
    assert judged.rank.tolist() == [8, count] and judged.length.tolist() == [count]


@pytest.mark.slow
def test_names_whose_hashes_collide_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: Taken
) -> None:
    colliding = build_kernel(tmp_path, "-DHASH_MASK=1u", "-DMOST_PROBES=100000u")
    monkeypatch.setattr(rankwise.native.availability, "_built", colliding)
    check_alike(*files(tmp_path, random_qrels(60), random_run(5, topics=60)))
    assert taken.clean == 1


@pytest.mark.slow
def test_runs_by_several_threads_come_in_the_order_given(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text(random_qrels())
    runs = []
    for seed in range(12):
        runs.append(tmp_path / f"{seed}.run")
        runs[-1].write_text(random_run(seed).replace(" t\n", f" run{seed}\n"))
    assert check_alike(qrels, runs)["runs"] == tuple(f"run{seed}" for seed in range(12))
