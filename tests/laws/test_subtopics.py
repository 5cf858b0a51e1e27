"""Metrics over subtopics: loops, bounds and verdicts against every way to judge."""

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from reference.subtopics import by_subtopic

import rankwise
from rankwise.comparison.verdicts import difference_bounds
from rankwise.metrics import parse
from rankwise.rankings import JudgedRankings, Needs

METRICS = [
    *["P_IA@2", "P_IA(rel=2)@3", "StRecall@2", "AP_IA", "AP_IA(rel=2)", "IA(nDCG@3)", "IA(RR)"],
    *["ERR_IA@3", "ERR_IA", "alpha_DCG@3", "alpha_DCG(alpha=0.2)", "NRBP(beta=0.8)", "D_nDCG@3"],
    *["alpha_nDCG@3", "alpha_nDCG", "nERR_IA@2", "nNRBP", "D_nDCG", "Dsharp_nDCG@3"],
]
NOT_TIGHT = {"alpha_nDCG@3", "alpha_nDCG", "nERR_IA@2", "nNRBP", "Dsharp_nDCG@3"}
EXACT = [example for example in METRICS if example not in NOT_TIGHT]
Grades = dict[str, tuple[int, ...]]


def table(judged: Grades) -> dict[str, list[Any]]:
    rows = [(d, s, g) for d, grades in judged.items() for s, g in enumerate(grades)]
    documents, subtopics, grades = zip(*rows, strict=True)
    columns = {"topic": ["1"] * len(rows), "subtopic": [f"s{s}" for s in subtopics]}
    return columns | {"document": list(documents), "grade": list(grades)}


def frame(judged: Grades) -> Any:
    import polars as pl

    return pl.DataFrame(table(judged))


def judged_of(judged: Grades, runs: dict[str, list[str]]) -> JudgedRankings:
    data = {name: {"1": list(documents)} for name, documents in runs.items()}
    return rankwise.read(frame(judged), data).judged(Needs(documents=True))


def at_random(random: Random, unjudged: int, subtopics: int) -> tuple[Grades, list[str]]:
    names = [f"d{at}" for at in range(random.randint(3, 5))]
    often = random.choice([[0, 1], [0, 0, 0, 1], [0, 1, 2]])
    judged = {name: tuple(random.choices(often, k=subtopics)) for name in names}
    ranking = [*random.sample(names, random.randint(1, len(names) - 1)), *NEW[:unjudged]]
    random.shuffle(ranking)
    return judged, ranking


NEW = ["u0", "u1"]
MOST = 100


def ways(example: str, judged: Grades, unjudged: list[str], subtopics: int) -> list[Grades]:
    seen = {grade for vector in judged.values() for grade in vector}
    grades = sorted({0, 1, parse(example).rel or 1, *seen})
    if len(grades) ** (subtopics * len(unjudged)) > MOST:  # some at random
        random = Random(len(unjudged))
        some = [[random.choices(grades, k=subtopics) for _ in unjudged] for _ in range(MOST)]
        return [judged | dict(zip(unjudged, map(tuple, way), strict=True)) for way in some]
    vectors = list(product(grades, repeat=subtopics))
    return [
        judged | dict(zip(unjudged, way, strict=True))
        for way in product(vectors, repeat=len(unjudged))
    ]


def expected(example: str, judged: Grades, ranking: list[str]) -> float:
    pool = [judged[name] for name in sorted(judged, reverse=True)]
    return by_subtopic(parse(example), [judged.get(name) for name in ranking], pool)


def cases(count: int) -> list[tuple[Grades, list[str], int]]:
    random = Random(36)
    sizes = [(1, 2), (2, 2), (1, 3), (2, 1), (0, 3)]
    found = []
    for at in range(count):
        unjudged, subtopics = sizes[at % len(sizes)]
        found.append((*at_random(random, unjudged, subtopics), subtopics))
    return found


@pytest.mark.parametrize("example", METRICS)
def test_columns_agree_with_plain_loops_over_subtopics(example: str) -> None:
    tried = 0
    for judged, ranking, _ in cases(80):
        if not any(map(any, judged.values())) or len(judged[next(iter(judged))]) == 1:
            continue
        found = rankwise.score(frame(judged), {"1": ranking}, example).value[0, 0, 0]
        assert found == pytest.approx(expected(example, judged, ranking), abs=1e-12, nan_ok=True)
        tried += not np.isnan(found)
    assert tried >= 12


@pytest.mark.parametrize("example", METRICS)
@pytest.mark.parametrize("seen_elsewhere", [False, True])
def test_bounds_hold_every_judgment_of_every_subtopic(example: str, seen_elsewhere: bool) -> None:
    tried = 0
    for judged, ranking, subtopics in cases(20):
        if subtopics == 1:
            continue
        runs = {"a": ranking}
        new = [name for name in NEW if name in ranking]
        if seen_elsewhere:
            runs["b"] = ["u0", "d0"]
            new = sorted({*new, "u0"})
        data = {name: {"1": list(documents)} for name, documents in runs.items()}
        scores = rankwise.score(frame(judged), data, example, bounds=True)
        assert scores.low is not None and scores.high is not None
        low, high = scores.low[0, 0, 0], scores.high[0, 0, 0]
        possible = [
            expected(example, way, ranking) for way in ways(example, judged, new, subtopics)
        ]
        if np.isnan(possible).all():
            assert np.isnan(low)
            continue
        ends = np.nanmin(possible), np.nanmax(possible)
        assert low <= ends[0] + 1e-9 and high >= ends[1] - 1e-9, (judged, ranking, low, high, ends)
        if example in EXACT and len(possible) < MOST:
            assert (low, high) == pytest.approx(ends, abs=1e-9), (judged, ranking)
        assert (example in EXACT) == (parse(example).written() not in scores.outer)
        tried += 1
    assert tried >= 8


@pytest.mark.parametrize("example", METRICS)
def test_verdicts_hold_every_judgment_of_every_subtopic(example: str) -> None:
    tried = attained = 0
    for judged, ranking, subtopics in cases(16):
        if subtopics == 1:
            continue
        other = ["u1", *reversed(ranking), "d0"]
        runs = {"a": ranking, "b": list(dict.fromkeys(other))}
        found = difference_bounds(
            judged_of(judged, runs), parse(example), np.array([0]), np.array([1])
        ).by_topic
        new = [name for name in NEW if name in {*ranking, *other}]
        possible = [
            expected(example, way, runs["a"]) - expected(example, way, runs["b"])
            for way in ways(example, judged, new, subtopics)
        ]
        if np.isnan(possible).all():
            continue
        ends = np.nanmin(possible), np.nanmax(possible)
        low, high = found.low[0, 0], found.high[0, 0]
        assert low <= ends[0] + 1e-9 and high >= ends[1] - 1e-9, (judged, runs, low, high, ends)
        reached = found.reached_low[0, 0], found.reached_high[0, 0]
        if not np.isnan(reached).any() and len(possible) < MOST:
            assert ends[0] - 1e-9 <= reached[0] and reached[1] <= ends[1] + 1e-9, (judged, runs)
        tried += 1
        attained += bool(found.gap[0, 0] == 0)
    assert tried >= 8
    assert attained >= (4 if example in EXACT else 0)


def test_weights_of_subtopics_are_those_of_the_mean() -> None:
    judged: Grades = {"a": (1, 0), "b": (0, 1), "c": (1, 1)}
    weighted = rankwise.Subtopics(frame(judged), {"1": {"s0": 3, "s1": 1}})
    found = rankwise.score(weighted, {"1": ["a"]}, "P_IA@1,StRecall@1,D_nDCG@1,alpha_nDCG@1")
    assert found.value[:, 0, 0] == pytest.approx([0.75, 0.75, 0.75, 0.75])


def test_the_greedy_ideal_can_cover_less_with_more_judgments() -> None:
    """The new document ties with the others and is taken first, since its name is last."""
    today: Grades = {"a": (1, 1, 0, 0), "b": (0, 0, 1, 1)}
    runs = {"run": ["a", "b", "new"]}
    metric = parse("alpha_nDCG(alpha=1)")
    found = metric.bounds.of(metric, judged_of(today, runs))
    later = metric.scores(judged_of(today | {"new": (0, 1, 1, 0)}, runs))
    assert found is not None and metric.scores(judged_of(today, runs)) == pytest.approx(1)
    assert 1.04 < later <= found[1] < 1.25
