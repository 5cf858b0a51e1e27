"""The table of all retrieved documents: one code per document, shared by the runs."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import read_judged
from collections_at_random import Small, small_collections
from hypothesis import given, settings

from rankwise.rankings import documents as documents_module
from rankwise.rankings.documents import Retrieved, UnjudgedOfRun, in_some_top, ranking_of
from rankwise.rankings.judged import JudgedRankings

QRELS = {"1": {"a": 1, "never": 2}, "2": {"b": 0}, "9": {"a": 1}}  # no run has topic 9
RUNS = {
    "A": {"1": {"b": 1, "c": 1, "a": 1}, "2": {"c": 1, "é": 5}, "3": {"c": 1}},
    "B": {"2": {"b": 2, "c": 1}, "1": {"c": 0.1, "a": 0.05}},
}
# run, topic, document, rank, tie_first, tie_last
ROWS = {
    *{("A", "1", "c", 1, 1, 3), ("A", "1", "b", 2, 1, 3), ("A", "1", "a", 3, 1, 3)},
    *{("A", "2", "é", 1, 1, 1), ("A", "2", "c", 2, 2, 2)},
    *{("B", "1", "c", 1, 1, 1), ("B", "1", "a", 2, 2, 2)},
    *{("B", "2", "b", 1, 1, 1), ("B", "2", "c", 2, 2, 2)},
}


def joined(qrels: Any = QRELS, runs: Any = RUNS, **ways: Any) -> JudgedRankings:
    return read_judged(qrels, runs, retrieved=True, **ways)


def table_of(judged: JudgedRankings) -> Retrieved:
    assert judged.retrieved is not None
    return judged.retrieved


def documents_of(table: Retrieved) -> list[str]:
    return [table.names[code] for code in table.code.tolist()]


def rows_of(judged: JudgedRankings, table: Retrieved) -> list[tuple[Any, ...]]:
    runs, topics = ([names[at] for at in column] for names, column in _named(judged, table))
    places = (table.rank.tolist(), table.tie_first.tolist(), table.tie_last.tolist())
    return list(zip(runs, topics, documents_of(table), *places, strict=True))


def _named(judged: JudgedRankings, table: Retrieved) -> list[tuple[tuple[str, ...], list[int]]]:
    return [(judged.runs, table.run.tolist()), (judged.topics, table.topic.tolist())]


def test_each_document_of_each_ranking_has_a_row_with_its_name() -> None:
    judged = joined()
    rows = rows_of(judged, table_of(judged))
    assert len(rows) == len(ROWS) and set(rows) == ROWS  # topic 3 has no judgments


def test_a_document_has_one_code_in_all_runs_and_another_in_another_topic() -> None:
    table = table_of(joined())
    of_c = np.array(documents_of(table)) == "c"
    codes = table.code[of_c]
    assert sorted(zip(table.topic[of_c].tolist(), table.run[of_c].tolist(), strict=True)) == [
        *[(0, 0), (0, 1), (1, 0), (1, 1)]
    ]
    assert codes[0] == codes[1] != codes[2] == codes[3]


def test_the_code_of_a_judged_document_is_the_number_of_its_judgment() -> None:
    judged = joined()
    table = table_of(judged)
    assert table.judgments == len(judged.topic_grades) == 4
    assert table.names.to_list() == ["never", "a", "b", "a", "b", "c", "c", "é"]
    mine = table.code < table.judgments
    assert documents_of(table)[: mine.sum()] == ["a", "a", "b"]
    assert judged.judgment is not None
    ranking = table.ranking(len(judged.topics))
    of_table = zip(ranking[mine], table.rank[mine], table.code[mine], strict=True)
    assert sorted(of_table) == list(zip(judged.ranking, judged.rank, judged.judgment, strict=True))


def test_a_part_with_judged_and_unjudged_rows_is_divided() -> None:
    topic, code, rank = (np.array(column) for column in ([0, 0, 0], [0, 3, 1], [1, 2, 3]))
    rows = (documents_module.RowsOfRun(0, topic, code, rank, rank, rank),)
    unjudged = Retrieved(pl.Series(["a", "b", "c", "d"]), 2, rows).unjudged
    assert (unjudged.code.tolist(), unjudged.rank.tolist()) == ([3], [2])


def test_rankings_beyond_eight_bits_are_counted_in_more() -> None:
    """NumPy 1 would add a number to a column of 8 bits in 8 bits."""
    topic = np.array([0, 29], np.uint8)
    rows = documents_module.RowsOfRun(8, topic, topic, topic, topic, topic)
    assert ranking_of(rows, 30).tolist() == [240, 269]


def test_the_unjudged_rows_are_a_part_without_a_copy() -> None:
    judged = joined()
    table = table_of(judged)
    unsorted, whole, part = table.unjudged, table.rank, table.unjudged
    assert rows_of(judged, unsorted) == rows_of(judged, part)
    judged_rows = {("A", "1", "a", 3, 1, 3), ("B", "1", "a", 2, 2, 2), ("B", "2", "b", 1, 1, 1)}
    assert set(rows_of(judged, part)) == ROWS - judged_rows
    assert np.shares_memory(part.rank, whole)
    assert part.codes == table.codes == 8


def test_only_who_asks_pays() -> None:
    assert read_judged(QRELS, RUNS).retrieved is None


def test_where_nothing_or_everything_is_judged_the_other_part_is_empty() -> None:
    run = {"1": {"a": 2, "b": 1}}
    none, all_ = (
        table_of(joined({"1": {"x": 1}}, run)),
        table_of(joined({"1": {"a": 1, "b": 0}}, run)),
    )
    assert (none.code.tolist(), len(none.unjudged.code)) == ([1, 2], 2)
    assert (all_.code.tolist(), len(all_.unjudged.code)) == ([0, 1], 0)


def test_a_depth_cuts_rows_and_renumbers_nothing_within_the_table() -> None:
    judged = joined()
    cut, whole = table_of(judged).above(1), table_of(judged)
    assert set(rows_of(judged, cut)) == {row for row in ROWS if row[3] == 1}
    assert cut.names is whole.names
    assert whole.above(3) is whole


def test_a_depth_of_the_join_is_a_depth_of_the_table() -> None:
    judged = joined(depth=1)
    assert set(rows_of(judged, table_of(judged))) == {row for row in ROWS if row[3] == 1}


def test_a_tie_across_the_depth_is_held_whole_where_it_is_shared() -> None:
    judged = joined(depth=2, share_ties=True)
    assert set(rows_of(judged, table_of(judged))) == ROWS
    cut = judged.cut_to_depth()
    assert set(rows_of(cut, table_of(cut))) == {row for row in ROWS if row[3] <= 2}
    assert ("A", "1", "b", 2, 1, 3) in rows_of(cut, table_of(cut))  # its tie goes on below


def test_codes_are_the_same_after_pickling() -> None:
    judged = joined()
    again = pickle.loads(pickle.dumps(judged))
    assert rows_of(again, table_of(again)) == rows_of(judged, table_of(judged))


@settings(max_examples=60, deadline=None)
@given(small_collections(), small_collections())
def test_the_table_is_that_of_a_plain_loop(one: Small, other: Small) -> None:
    """By code, then run. Judgments are numbered by grade as they stand, others by name."""
    runs = {"A": one.run, "B": other.run | dict(list(one.run.items())[:1])}
    judged = joined(one.qrels, runs)
    codes: dict[tuple[str, str], int] = {}
    for topic in judged.topics:
        grades = one.qrels[topic]
        for document in sorted(grades, key=lambda name: -grades[name]):
            codes[topic, document] = len(codes)
    for topic in judged.topics:
        seen = {document for run in runs.values() for document in run.get(topic, {})}
        for document in sorted(seen - {*one.qrels[topic]}):
            codes[topic, document] = len(codes)
    expected = []
    for at, run in enumerate(runs.values()):
        for topic in {*run} & {*judged.topics}:
            scored = run[topic]
            ordered = sorted(scored, key=lambda name: (scored[name], name), reverse=True)
            number = judged.topics.index(topic)
            places = enumerate(ordered, start=1)
            expected += [(codes[topic, name], at, number, rank) for rank, name in places]
    table = table_of(judged)
    columns = (table.code, table.run, table.topic, table.rank)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == sorted(expected)
    assert table.names.to_list() == [document for _, document in codes]


@pytest.mark.parametrize("block", [1, 7, 1 << 15])
def test_unjudged_documents_stand_by_topic_name_and_run(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many topics are put in order at a time; some have none."""
    monkeypatch.setattr(documents_module, "BLOCK", block)
    random, names = Random(3), [f"d{place}" for place in range(12)]
    topics = [f"{place:02}" for place in range(9)]
    qrels = {topic: {"d3": 1, "d5": 0} for topic in topics}
    runs = {
        run: {topic: dict.fromkeys(random.sample(names, 6), 1.0) for topic in topics[place::2]}
        | {"08": {"d3": 1.0}}
        for place, run in enumerate(("A", "B", "C"))
    }
    table = read_judged(qrels, runs, retrieved=True).retrieved
    assert table is not None
    rows = table.unjudged
    expected = sorted(
        (topics.index(topic), document, run)
        for run, name in enumerate(runs)
        for topic, found in runs[name].items()
        for document in found
        if document not in qrels[topic]
    )
    documents = [rows.names[int(code)] for code in rows.code]
    columns = (rows.topic.tolist(), documents, rows.run.tolist())
    assert list(zip(*columns, strict=True)) == expected
    assert len(expected) > 40 and {topic for topic, *_ in expected} == set(range(8))
    pairs = sorted({(topic, document) for topic, document, _ in expected})
    assert rows.names[rows.judgments :].to_list() == [document for _, document in pairs]
    assert np.unique(rows.code).tolist() == [rows.judgments + n for n in range(len(pairs))]


def copies(judged: JudgedRankings) -> tuple[Retrieved, Retrieved]:
    """The table as it was read, run by run, and another that is sorted already."""
    unsorted, by_code = replace(table_of(judged)), replace(table_of(judged))
    assert len(by_code.code) == unsorted.count  # the first column that is used sorts all
    assert isinstance(by_code.rows, documents_module.RowsByCode)
    assert not isinstance(unsorted.rows, documents_module.RowsByCode)
    return unsorted, by_code


@settings(max_examples=40, deadline=None)
@given(small_collections(), small_collections())
def test_rows_that_are_not_sorted_yet_are_the_same_rows(one: Small, other: Small) -> None:
    judged = joined(one.qrels, {"A": one.run, "B": other.run | dict(list(one.run.items())[:1])})
    topics = len(judged.topics)
    limit = np.arange(2 * topics).reshape(2, topics) % 4
    parts: list[Callable[[Retrieved], Retrieved]] = [
        lambda table: table,
        lambda table: table.above(2),
        lambda table: table.above(limit),
        lambda table: table.unjudged,
        lambda table: table.unjudged.above(1),
        lambda table: table.of_runs(np.array([False, True])),
        lambda table: table.where(lambda rows: rows.code % 2 == 0),
    ]
    for part in parts:
        unsorted, by_code = map(part, copies(judged))
        assert unsorted.count == by_code.count == len(by_code.code)
        assert unsorted.has_ties == by_code.has_ties
        for unjudged in (False, True):
            counts = [of.distinct(topics, unjudged=unjudged) for of in (unsorted, by_code)]
            assert counts[0].tolist() == counts[1].tolist()
        rows = [
            sorted(
                (int(ranking), *map(int, places))
                for piece in of.pieces()
                for ranking, *places in zip(ranking_of(piece, topics), *piece[2:], strict=True)
            )
            for of in (unsorted, by_code)
        ]
        assert rows[0] == rows[1]
        for ours, theirs in zip(unsorted.by_code, by_code.by_code, strict=True):
            assert ours.tolist() == theirs.tolist()


def test_unjudged_documents_take_as_few_bytes_as_hold_them() -> None:
    names = [f"d{place}" for place in range(300)]
    untied = {"1": {name: float(place) for place, name in enumerate(names)}}
    tied = {"1": dict.fromkeys(names, 1.0)}
    table = table_of(joined({"1": {"x": 1}}, {"untied": untied, "tied": tied}))
    assert not isinstance(table.rows, documents_module.RowsByCode)
    one, other = (part for part in table.rows if len(part.code))
    assert one.tie_first is one.tie_last is one.rank  # one array
    assert other.tie_first is not other.rank and other.tie_last.tolist() == [300] * 300
    widths = [column.itemsize for column in (one.topic, one.code, one.rank, other.tie_first)]
    assert widths == [1, 4, 2, 1]


def test_runs_of_the_kernel_and_of_python_have_a_top_together() -> None:
    """The kernel counts topics in 32 bits."""
    ranks = np.array([1, 9])
    runs = [
        UnjudgedOfRun(np.array([0, 0], kind), pl.Series(names), ranks, ranks, ranks)
        for kind, names in ((np.int32, ["a", "b"]), (np.int64, ["b", "c"]))
    ]
    kept = [run.document.to_list() for run in in_some_top(runs, 5)]
    assert kept == [["a", "b"], ["b"]]
