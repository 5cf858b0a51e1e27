"""How runs meet their judgments: what is kept by name, and where rankings end."""

import rankwise
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
