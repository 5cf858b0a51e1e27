"""Several judges of one collection, and how their grades become one."""

from collections import Counter
from pathlib import Path
from statistics import median_low

import numpy as np
import polars as pl
import pytest

from rankwise import CallError, InputError, Judges, read, read_qrels, score
from rankwise.rankings import NamedRun
from rankwise.rankings.judges import read_judges

Nested = dict[str, dict[str, int]]
JUDGES: dict[str, Nested] = {
    "ann": {"1": {"a": 2, "b": 0}, "2": {"a": 1}},
    "bob": {"1": {"a": 1, "b": 0, "c": 3}},
    "cid": {"1": {"a": 1}, "2": {"a": 3}},
}


def grades(combine: str) -> dict[tuple[str, str], float]:
    qrels = read_qrels(Judges(JUDGES, combine))  # type: ignore[arg-type]
    return {(topic, document): grade for topic, document, grade in qrels.as_read.rows()}


def test_each_way_to_combine() -> None:
    keys = [("1", "a"), ("1", "b"), ("2", "a"), ("1", "c")]
    expected = {
        "majority": [1, 0, 1, 3],
        "mean": [4 / 3, 0, 2, 3],
        "median": [1, 0, 1, 3],
        "max": [2, 0, 3, 3],
        "first": [2, 0, 1, 3],
    }
    for combine, values in expected.items():
        found = grades(combine)
        assert [found[key] for key in keys] == pytest.approx(values), combine


def test_majority_by_counting() -> None:
    rng = np.random.default_rng(4)
    table = rng.integers(0, 4, (60, 5))
    judges = {
        f"j{j}": {"1": {f"d{d}": int(g) for d, g in enumerate(c)}} for j, c in enumerate(table.T)
    }
    found = {d: g for _, d, g in read_qrels(Judges(judges, "majority")).frame.rows()}
    for document, row in enumerate(table.tolist()):
        counts = Counter(row)
        modes = [grade for grade, count in counts.items() if count == max(counts.values())]
        middle = median_low(row)
        assert found[f"d{document}"] == (middle if middle in modes else min(modes))


def test_a_contradiction_is_an_error_that_names_the_choices() -> None:
    with pytest.raises(
        InputError, match=r"disagree on 2 documents.*grades: ann 2, bob 1.*median, max"
    ):
        score(read(JUDGES, {"1": {"a": 1.0}}), metrics="P@1")
    agreeing = {"ann": {"1": {"a": 1}}, "bob": {"1": {"a": 1, "b": 0}}}
    assert read_qrels(agreeing).frame.rows() == [("1", "a", 1), ("1", "b", 0)]
    with pytest.raises(CallError, match="`combine` 'mode' is not one of majority"):
        Judges(JUDGES, "mode")  # type: ignore[arg-type]


def test_scores_under_combined_judgments() -> None:
    run = {"1": {"c": 3.0, "a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
    combined = score(read(Judges(JUDGES, "max"), run), metrics="DCG@3").to_dict()
    single = score({"1": {"a": 2, "b": 0, "c": 3}, "2": {"a": 3}}, run, "DCG@3").to_dict()
    assert combined == single


def test_files_are_judges_by_their_names(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        lines = [f"{t} 0 {d} {g}" for t, v in JUDGES[name].items() for d, g in v.items()]
        (tmp_path / f"{name}.qrels").write_text("\n".join(lines) + "\n")
    files = [str(tmp_path / "ann.qrels"), tmp_path / "bob.qrels"]
    found = read_judges(files)
    assert list(found) == ["ann", "bob"]
    assert found["bob"].frame.height == 3


def test_a_table_with_a_column_of_judges_and_repeats_of_one_judge() -> None:
    table = pl.DataFrame(
        {"topic": ["1", "1", "1"], "document": ["a", "a", "a"], "grade": [1, 2, 2]}
    ).with_columns(judge=pl.Series(["x", "y", "y"]))
    with pytest.raises(InputError, match="duplicate document in topic 1"):
        read_judges(table)
    assert read_qrels(Judges(table.head(2), "max")).frame["grade"].to_list() == [2]


def test_a_table_of_several_judges_beside_another_judge() -> None:
    table = pl.DataFrame(
        {"topic": ["1", "1"], "document": ["a", "a"], "grade": [1, 2], "judge": ["x", "y"]}
    )
    both = {"labels": table, "ann": JUDGES["ann"]}
    heights = {name: qrels.frame.height for name, qrels in read_judges(both).items()}
    assert heights == {"x": 1, "y": 1, "ann": 3}
    with pytest.raises(
        CallError, match=r"two judges are called 'x'\. Give each judge its own name"
    ):
        read_judges({"x": JUDGES["ann"], "labels": table})


def test_combined_judges_are_one_judge_beside_another() -> None:
    both = {"all": Judges(JUDGES, "max"), "ann": JUDGES["ann"]}
    assert [len(qrels.frame) for qrels in read_judges(both).values()] == [4, 3]


def test_a_judge_given_twice_is_not_called_a_run(tmp_path: Path) -> None:
    file = tmp_path / "ann.qrels"
    file.write_text("1 0 a 1\n")
    with pytest.raises(CallError, match=r"ann\.qrels is given twice"):
        read_judges([str(file), str(file)])
    with pytest.raises(CallError, match="two judges are called 'ann'"):
        read_judges([NamedRun("ann", str(file)), NamedRun("ann", str(file))])


def test_grades_on_different_scales_are_not_combined() -> None:
    tenfold = {"1": {"a": 10, "b": 20, "c": 30}}
    with pytest.raises(InputError, match=r"different scales: bob 1, 3 and cid 10, 20, 30\. Map"):
        read_qrels(Judges({"bob": JUDGES["bob"], "cid": tenfold}, "mean"))


def test_qrels_of_one_judge_are_read_as_before() -> None:
    assert read_qrels({"1": {"a": 1}}).frame.rows() == [("1", "a", 1)]
    assert read_qrels([{"query-id": "1", "corpus-id": "a", "score": 2}]).frame.rows() == [
        ("1", "a", 2)
    ]
    assert read_qrels({"topic": ["1"], "document": ["a"], "grade": [2]}).frame.height == 1
