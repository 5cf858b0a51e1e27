"""Text in pieces: nothing is lost, and no topic is cut where its lines stand together."""

import gzip
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from kernels import pieces_of, without_kernel

from rankwise.formats.pieces import last_topic, pieces_by_topic
from rankwise.formats.source import Source, open_source
from rankwise.rankings.join import judged_runs, read_judgments
from rankwise.rankings.run_join import judge_text
from rankwise.rankings.sources import run_loaders

topics = st.lists(
    st.tuples(st.sampled_from(["1", "10", "11", "2", "é"]), st.integers(1, 9)), max_size=9
)


def text_of(blocks: list[tuple[str, int]]) -> bytes:
    lines = [f"{topic} Q0 d{at} 1 0.5 t\n" for topic, count in blocks for at in range(count)]
    return "".join(lines).encode()


def texts(source: Source) -> list[bytes]:
    return [piece.data for piece in pieces_by_topic(source)]


def topic(line: bytes) -> bytes:
    return line.split()[0]


@given(topics, st.integers(1, 300), st.booleans())
def test_pieces_make_the_text_and_begin_where_a_topic_does(
    tmp_path_factory: pytest.TempPathFactory,
    blocks: list[tuple[str, int]],
    size: int,
    in_file: bool,
) -> None:
    text = text_of(blocks)
    source = Source("it", text)
    if in_file:
        path = tmp_path_factory.mktemp("pieces") / "a.run"
        path.write_bytes(text)
        source = open_source(path)
    with pieces_of(size):
        pieces = texts(source)
    assert b"".join(pieces) == text
    for one, other in pairwise(pieces):
        assert topic(one.splitlines()[-1]) != topic(other.splitlines()[0])


@given(topics, st.integers(0, 40), st.integers(0, 40))
def test_the_last_topic_is_found_in_a_text_that_was_cut_anywhere(
    blocks: list[tuple[str, int]], before: int, after: int
) -> None:
    once = [(name, count) for name, count in dict(blocks).items()]  # lines that stand together
    text = text_of(once)
    text = text[before : len(text) - after]
    found = last_topic(text)
    end = text.rfind(b"\n") + 1
    whole = text[text.find(b"\n") + 1 : end].splitlines(keepends=True)
    groups = [b"".join(lines) for _, lines in groupby(whole, topic)]
    assert found == (end - len(groups[-1]) if len(groups) > 1 else 0)


def test_a_topic_longer_than_a_piece_stays_whole() -> None:
    text = text_of([("1", 2), ("2", 5_000), ("3", 2)])
    with pieces_of(1_000):
        pieces = texts(Source("it", text))
    assert [len({topic(line) for line in piece.splitlines()}) for piece in pieces][-1] == 1
    assert sum(b"\n2 " in b"\n" + piece for piece in pieces) == 1


@pytest.mark.parametrize("packed", [False, True])
def test_clean_runs_are_read_in_pieces(tmp_path: Path, packed: bool) -> None:
    text = text_of([(str(number), 30) for number in range(40)])
    path = tmp_path / "a.run"
    path.write_bytes(gzip.compress(text, 0) if packed else text)
    with without_kernel(), pieces_of(2_000):
        pieces = texts(open_source(path))
        assert len(pieces) > 10 and b"".join(pieces) == text
        judgments = read_judgments({"7": {"d3": 1}, "none": {"d": 1}})
        [loader] = run_loaders(path)
        in_pieces = judge_text(judgments, "score", None, True, loader)
    assert in_pieces is not None
    with without_kernel(), pieces_of(None):
        [(origin, part)] = judged_runs(judgments, [loader], "score", None, retrieved=True)
    assert in_pieces[0] == origin and origin.name == "t"
    assert in_pieces[1].rank.tolist() == part.rank.tolist() != []
    assert in_pieces[1].length.tolist() == part.length.tolist() == [30, 0]
    assert sorted(in_pieces[1].unknown_topics) == sorted(part.unknown_topics)
