"""Documents of each topic, over runs: counted and put in order by the kernel as without it."""

from pathlib import Path

import numpy as np
import pytest
from calls import read_judged
from hypothesis import given, strategies as st
from kernels import without_kernel

from rankwise.native import kernel
from rankwise.rankings import documents
from rankwise.rankings.documents import UnjudgedOfRun, code_names, distinct_by_topic

pytestmark = pytest.mark.skipif(kernel() is None, reason="the kernel was not built")

name = st.sampled_from(["a", "b", "é文", "a name that is longer than sixteen bytes", "1234567"])
rows = st.lists(st.tuples(st.integers(0, 3), name | st.text("abc", min_size=1, max_size=20)))


def as_read(run: list[tuple[int, str]]) -> UnjudgedOfRun:
    none = np.zeros(0, np.int64)
    names = "".join(f"{document}\n" for _, document in run).encode()
    return UnjudgedOfRun(np.array([topic for topic, _ in run], np.int64), names, none, none, none)


def distinct_rows(run: list[tuple[int, str]]) -> list[tuple[int, str]]:
    return list(dict.fromkeys(run))


@given(st.lists(rows, max_size=4))
def test_they_are_counted_as_by_sets(runs: list[list[tuple[int, str]]]) -> None:
    found = distinct_by_topic([as_read(run) for run in runs], 5)
    every = {row for run in runs for row in run}
    assert found.tolist() == [sum(topic == each for topic, _ in every) for each in range(5)]


@given(st.lists(rows, min_size=1, max_size=4))
def test_they_are_put_in_order_as_by_sorting(runs: list[list[tuple[int, str]]]) -> None:
    read = [as_read(run) for run in runs]
    coding = documents.Coding.of(read)
    every = {row for run in runs for row in run}
    distinct = sorted(every, key=lambda row: (row[0], row[1].encode()))
    for run, names in zip(runs, read, strict=True):
        assert coding.codes_of(names).tolist() == [distinct.index(row) for row in run]
    assert coding.names.to_list() == [name for _, name in distinct]


@given(st.lists(st.lists(rows.map(distinct_rows), min_size=1, max_size=3), min_size=1, max_size=3))
def test_names_that_were_coded_a_few_runs_at_a_time_have_the_same_order(
    batches: list[list[list[tuple[int, str]]]],
) -> None:
    plain = [[as_read(run) for run in batch] for batch in batches]
    coded = [run for batch in plain for run in code_names(batch)]
    together = [run for batch in plain for run in batch]
    assert all(isinstance(run.names, documents.CodedNames) for run in coded)
    for one, other in zip(together, coded, strict=True):
        assert one.document.to_list() == other.document.to_list()
    some, whole = map(documents.Coding.of, (coded, together))
    for one, other in zip(together, coded, strict=True):
        assert some.codes_of(other).tolist() == whole.codes_of(one).tolist()
    assert some.names.to_list() == whole.names.to_list()
    counts = [distinct_by_topic(runs, 5).tolist() for runs in (coded, together)]
    counts.append(distinct_by_topic([run.without_places() for run in coded], 5).tolist())
    assert counts[0] == counts[1] == counts[2]


def test_without_the_kernel_documents_are_numbered_the_same(tmp_path: Path) -> None:
    one, two = tmp_path / "one.run", tmp_path / "two.run"
    one.write_text("1 Q0 a 1 2 t\n1 Q0 é 2 1 t\n2 Q0 z 1 1 t\n2 Q0 c 2 1 t\n")
    two.write_text("2 Q0 c 1 1 t\n1 Q0 e 1 3 t\n1 Q0 z 2 2 t\n1 Q0 é 3 2 t\n")
    qrels = {"1": {"a": 1}, "2": {"x": 1}}
    runs = {"one": one, "two": two}
    natively = read_judged(qrels, runs, retrieved=True).retrieved
    with without_kernel():
        plainly = read_judged(qrels, runs, retrieved=True).retrieved
    assert natively is not None and plainly is not None
    for column in documents.RowsByCode._fields:
        ours, theirs = getattr(natively, column), getattr(plainly, column)
        assert ours.dtype == theirs.dtype == np.int32
        assert list(ours) == list(theirs)
    assert (
        natively.names.to_list() == plainly.names.to_list() == ["a", "x", "e", "z", "é", "c", "z"]
    )


@pytest.mark.parametrize(
    ("topics", "names"),
    [([0], b""), ([0], b"a"), ([0], b"a\nb\n"), ([0, 1], b"a\n"), ([5], b"a\n"), ([-1], b"a\n")],
)
def test_what_does_not_fit_is_an_error(topics: list[int], names: bytes) -> None:
    native = kernel()
    assert native is not None
    for call, *sort in ((native.distinct_names,), (native.number_names, False)):
        with pytest.raises(ValueError, match="do not fit"):
            call([(np.array(topics, np.int32).tobytes(), names)], 5, *sort)
        with pytest.raises(TypeError):
            call([names], 5, *sort)


def test_runs_of_files_and_of_dicts_are_counted_together(tmp_path: Path) -> None:
    one, two = tmp_path / "one.run", tmp_path / "two.run"
    one.write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 c 1 1 t\n")
    two.write_text("2 Q0 c 1 1 t\n1 Q0 e 1 3 t\n1 Q0 b 2 1 t\n")
    qrels = {"1": {"a": 1}, "2": {"x": 1}}
    in_memory = {"1": {"b": 1.0, "d": 0.5}, "2": {"x": 1.0}}
    for runs, expected in (([one, two], [2, 1]), ([one, two, in_memory], [3, 1])):
        named = {f"run {at}": run for at, run in enumerate(runs)}
        found = read_judged(qrels, named, count_unjudged=True).topic_unjudged
        with without_kernel():
            plain = read_judged(qrels, named, count_unjudged=True).topic_unjudged
        assert found is not None and plain is not None
        assert found.tolist() == plain.tolist() == expected


@given(st.lists(rows, max_size=4))
def test_names_are_numbered_by_topic_as_they_come(runs: list[list[tuple[int, str]]]) -> None:
    native = kernel()
    assert native is not None
    texts = [
        (
            np.array([topic for topic, _ in run], np.int32).tobytes(),
            "".join(f"{document}\n" for _, document in run).encode(),
        )
        for run in runs
    ]
    found = native.number_names(texts, 5, False)
    assert found is not None
    counts, numbers, names = found
    met = dict.fromkeys(row for run in runs for row in run)
    expected = sorted(met, key=lambda row: row[0])  # stable
    for run, column in zip(runs, numbers, strict=True):
        assert np.frombuffer(column, np.int32).tolist() == [expected.index(row) for row in run]
    assert names.decode() == "".join(f"{name}\n" for _, name in expected)
    topics = [topic for topic, _ in expected]
    assert np.frombuffer(counts, np.int32).tolist() == [topics.count(each) for each in range(5)]
