"""How runs meet their judgments: what is kept by name, and where rankings end."""

from random import Random

import numpy as np
import pytest

import rankwise
from rankwise.rankings import unjudged
from rankwise.rankings.join import read_judged


def test_a_topic_without_judgments_does_not_tie_with_the_one_before_it() -> None:
    """Scores that go on unchanged in the next topic are no tie."""
    run = {"1": {"b": 3.0, "a": 1.0}, "2": {"z": 1.0}, "3": {"y": 1.0}}
    found = rankwise.score({"1": {"a": 1}, "3": {"y": 1}}, {"r": run}, "RR")
    assert found.value.ravel().tolist() == [0.5, 1.0]


def test_the_unjudged_documents_are_known_by_name() -> None:
    qrels = {"1": {"a": 1}, "2": {"b": 0}}
    runs = {
        "A": {"1": {"b": 1, "c": 1, "a": 1}, "2": {"c": 1, "é": 5}, "3": {"c": 1}},
        "B": {"2": {"b": 2, "c": 1}, "1": {"c": 0.1}},
    }
    rows = read_judged(qrels, runs, unjudged=True).unjudged
    assert rows is not None
    names = [rows.names[int(code)] for code in rows.document]
    columns = (rows.topic, rows.run, rows.rank, rows.tie_first, rows.tie_last)
    found = set(zip(names, *(map(int, column) for column in columns), strict=True))
    assert found == {
        *{("b", 0, 0, 2, 1, 3), ("c", 0, 0, 1, 1, 3), ("c", 0, 1, 1, 1, 1)},
        *{("c", 1, 0, 2, 2, 2), ("c", 1, 1, 2, 2, 2), ("é", 1, 0, 1, 1, 1)},
    }
    assert rows.count == len(rows.names) == 4
    shallow = read_judged(qrels, runs, unjudged=True, depth=1).unjudged
    assert shallow is not None and len(shallow.rank) == 3 and (shallow.rank == 1).all()
    assert read_judged(qrels, runs).unjudged is None


@pytest.mark.parametrize("block", [1, 7, 1 << 15])
def test_unjudged_documents_stand_by_topic_name_and_run(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many topics are put in order at a time; some have none."""
    monkeypatch.setattr(unjudged, "BLOCK", block)
    random, names = Random(3), [f"d{place}" for place in range(12)]
    topics = [f"{place:02}" for place in range(9)]
    qrels = {topic: {"d3": 1, "d5": 0} for topic in topics}
    runs = {
        run: {topic: dict.fromkeys(random.sample(names, 6), 1.0) for topic in topics[place::2]}
        | {"08": {"d3": 1.0}}
        for place, run in enumerate(("A", "B", "C"))
    }
    rows = read_judged(qrels, runs, unjudged=True).unjudged
    assert rows is not None
    expected = sorted(
        (topics.index(topic), document, run)
        for run, name in enumerate(runs)
        for topic, found in runs[name].items()
        for document in found
        if document not in qrels[topic]
    )
    documents = [rows.names[int(code)] for code in rows.document]
    columns = (rows.topic.tolist(), documents, rows.run.tolist())
    assert list(zip(*columns, strict=True)) == expected
    assert len(expected) > 40 and {topic for topic, *_ in expected} == set(range(8))
    pairs = sorted({(topic, document) for topic, document, _ in expected})
    assert rows.names.to_list() == [document for _, document in pairs]
    assert np.unique(rows.document).tolist() == list(range(len(pairs)))
