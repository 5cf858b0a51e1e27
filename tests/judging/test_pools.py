"""Pools against plain loops, and as judgments for everything else."""

from collections import defaultdict
from typing import Any

import polars as pl
import pytest

import rankwise
from rankwise.errors import CallError, InputError
from rankwise.judging import holes
from rankwise.vocabulary import Order

MADE = rankwise.simulate(topics=6, systems=8, depth=40, pool_depth=15, seed=5)


def slow_pool(runs: list[rankwise.Run], depth: int, by_name: bool = True) -> list[tuple[Any, ...]]:
    """Topic, document, best rank, number of runs and their names, as a pool is described."""
    ranks: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for run in runs:
        lists: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for topic, document, score in run.frame.rows():
            lists[topic].append((score, document))
        for topic, documents in lists.items():
            if by_name:
                documents.sort(reverse=True)
            for rank, (_, document) in enumerate(documents[:depth], 1):
                ranks[topic, document][run.name] = rank
    found = [
        (topic, document, min(places.values()), len(places), ", ".join(places))
        for (topic, document), places in ranks.items()
    ]
    return sorted(found, key=lambda row: (int(row[0]), row[1]))


@pytest.mark.parametrize("depth", [1, 2, 15, 40, 1000])
def test_pools_are_those_of_a_plain_loop(depth: int) -> None:
    shuffled = [
        rankwise.Run(run.frame.sample(fraction=1, shuffle=True, seed=1), name=run.name)
        for run in MADE.runs
    ]
    assert rankwise.judging.pool(MADE.runs, depth).rows() == slow_pool(MADE.runs, depth)
    assert rankwise.judging.pool(shuffled, depth).rows() == slow_pool(MADE.runs, depth)


def test_order_by_file() -> None:
    runs = [rankwise.Run(run.frame.reverse(), name=run.name) for run in MADE.runs]
    assert rankwise.judging.pool(rankwise.read(None, runs, order="file"), 3).rows() == slow_pool(
        runs, 3, by_name=False
    )


def test_order_by_rank() -> None:
    frame = pl.DataFrame({"topic": ["1"] * 3, "document": list("abc"), "score": [1.0, 2.0, 3.0]})
    ranked = frame.with_columns(rank=pl.Series([1, 2, 3]))
    assert rankwise.judging.pool(rankwise.read(None, ranked, order="rank"), 1)[
        "document"
    ].to_list() == ["a"]
    assert rankwise.judging.pool(ranked, 1)["document"].to_list() == ["c"]


def test_with_qrels_a_pool_is_the_judgments_of_it() -> None:
    grade = {(topic, document): grade for topic, document, grade in MADE.qrels.frame.rows()}
    expected = [
        (topic, document, grade[topic, document], *rest)
        for topic, document, *rest in slow_pool(MADE.runs, 4)
        if (topic, document) in grade
    ]
    found = rankwise.judging.pool(MADE.runs, 4, qrels=MADE.qrels)
    assert found.rows() == expected
    assert rankwise.read_qrels(found).frame.height == len(expected)


def test_topics_stand_by_number_and_a_run_may_lack_some() -> None:
    runs = {"a": {"10": {"x": 1.0}, "9": {"y": 1.0}}, "b": {"10": {"x": 2.0}}}
    expected = [("9", "y", 1, 1, "a"), ("10", "x", 1, 2, "a, b")]
    assert rankwise.judging.pool(runs, 5).rows() == expected


def test_without_qrels_that_judge_it_a_pool_is_what_is_left_to_judge() -> None:
    judged = {(topic, document) for topic, document, _ in MADE.qrels.frame.rows()}
    expected = [row for row in slow_pool(MADE.runs, 40) if row[:2] not in judged]
    assert expected
    assert rankwise.judging.pool(MADE.runs, 40, without=MADE.qrels).rows() == expected
    everything: dict[str, dict[str, int]] = {}
    for topic, document, *_ in slow_pool(MADE.runs, 2):
        everything.setdefault(topic, {})[document] = 0
    assert rankwise.judging.pool(MADE.runs, 2, without=everything).is_empty()


def test_runs_of_one_name_are_told_by_their_files() -> None:
    runs = [rankwise.Run(run.frame, name="same", file=f"{run.name}.run") for run in MADE.runs]
    found = rankwise.judging.pool(runs, 1)["found_by"]
    assert set(", ".join(found).split(", ")) == {run.name for run in MADE.runs}


def test_wrong_calls() -> None:
    with pytest.raises(CallError, match="`depth` must be a whole number, 1 or more"):
        rankwise.judging.pool(MADE.runs, 0)
    wrong: Order = "name"  # type: ignore[assignment]
    with pytest.raises(CallError, match="`order` 'name' is not one of"):
        rankwise.judging.pool(rankwise.read(None, MADE.runs, order=wrong), 1)
    with pytest.raises(CallError, match="`qrels` cannot be combined with `without`"):
        rankwise.judging.pool(MADE.runs, 1, qrels=MADE.qrels, without=MADE.qrels)
    with pytest.raises(InputError, match="no judged document is in the pool"):
        rankwise.judging.pool(MADE.runs, 1, qrels={"1": {"never seen": 1}})


def test_holes_are_the_pool_less_what_is_judged() -> None:
    made = rankwise.simulate(topics=7, systems=5, depth=20, pool_depth=5, seed=4)
    judged = set(made.qrels.frame.select("topic", "document").iter_rows())
    expected = [row for row in slow_pool(made.runs, 10) if row[:2] not in judged]
    found = holes(made.qrels, made.runs, 10).rows()
    assert sorted(found) == sorted(expected) and len(found) >= 20
    assert [row[2] for row in found] == sorted(row[2] for row in found)
    of_two = holes(rankwise.read(made.qrels, made.runs, only_topics=["3", "5"]), depth=10).rows()
    assert of_two == [row for row in found if row[0] in ("3", "5")] != []


def test_holes_take_what_is_selected() -> None:
    qrels, runs = {"1": {"a": 1}}, {"one": {"1": {"1": 3, "a#2": 2, "b#1": 1}}}
    assert [row[1] for row in holes(qrels, runs, 3).rows()] == ["1", "a#2", "b#1"]
    found = holes(
        rankwise.read(qrels, runs, drop_self=True, map_documents=r"^(.*?)(?:#|$)"), depth=3
    ).rows()
    assert found == [("1", "b", 2, 1, "one")]
