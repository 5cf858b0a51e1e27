"""Verdicts against every way to judge the documents that runs share."""

from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from calls import read_judged
from table import EXAMPLES

from rankwise.comparison.verdicts import Differences, difference_bounds
from rankwise.metrics import Metric, parse
from rankwise.rankings.judged import JudgedRankings

OF_TODAY = {"Judged", "Unjudged", "RBPResidual", "NumRet"}  # what is judged now
DOCUMENTS = [f"d{place}" for place in range(9)]
MOST = 256  # ways to judge


class Case(NamedTuple):
    """One topic: what is judged, and two runs."""

    known: dict[str, int]
    runs: dict[str, dict[str, float]]

    @property
    def unjudged(self) -> list[str]:
        retrieved = {name for run in self.runs.values() for name in run}
        return sorted(retrieved - self.known.keys())


def case_at_random(random: Random, grades: list[int], unjudged: int, ties: bool = False) -> Case:
    free = random.sample(DOCUMENTS, unjudged)
    known = {name: random.choice(grades) for name in DOCUMENTS if name not in free}
    known["never"] = grades[-1]  # so that all metrics have a score
    runs = {}
    for name in ("A", "B"):
        found = random.sample(DOCUMENTS, random.randint(1, len(DOCUMENTS)))
        scores = [random.randint(1, 3) if ties else -place for place in range(len(found))]
        runs[name] = dict(zip(found, map(float, scores), strict=True))
    return Case(known, runs)


def cases(ties: bool) -> list[Case]:
    random = Random(11)
    binary = [case_at_random(random, [0, 1], 1 + place % 6, ties) for place in range(6)]
    graded = [case_at_random(random, [-1, 0, 2, 3], 1 + place % 4, ties) for place in range(6)]
    return [*binary, *graded]


CASES = {ties: cases(ties) for ties in (False, True)}


def possible(metric: Metric, case: Case) -> tuple[int | None, ...]:
    """What an unjudged document may turn out to be, staying unjudged among it."""
    table = metric.gains or getattr(metric, "shares", None) or getattr(metric, "beta", None)
    given = {int(grade) for grade, _ in table} if isinstance(table, tuple) else {1}
    seen = {grade for grade in case.known.values() if grade > 0}
    grades = sorted({0, *given, metric.rel or 0} | seen)
    return (None, *grades) if metric.tells_unjudged else tuple(grades)


@cache
def every_way(ties: bool, place: int, grades: tuple[int | None, ...]) -> JudgedRankings:
    """All ways to judge what is not judged, each a topic of its own."""
    case = CASES[ties][place]
    every = list(product(grades, repeat=len(case.unjudged)))
    every = every if len(every) <= MOST else Random(5).sample(every, MOST)
    ways = {}
    for number, way in enumerate(every):
        new = dict(zip(case.unjudged, way, strict=True))
        ways[str(number)] = case.known | {name: g for name, g in new.items() if g is not None}
    return read_judged(ways, {name: dict.fromkeys(ways, run) for name, run in case.runs.items()})


@cache
def today(ties: bool, place: int) -> JudgedRankings:
    case = CASES[ties][place]
    runs = {name: {"1": run} for name, run in case.runs.items()}
    return read_judged({"1": case.known}, runs, retrieved=True)


def differences(judged: JudgedRankings, metric: Metric, unjudged: Any = "retrieved") -> Differences:
    """A − B and B − A."""
    return difference_bounds(judged, metric, np.array([0, 1]), np.array([1, 0]), unjudged)


MORE = ["Utility(c=-2)", "Utility(c=1,d=1,documents=99)"]
CHANGING = [e for e in EXAMPLES + MORE if type(parse(e)).__name__ not in OF_TODAY]


def of_today(judged: JudgedRankings, metric: Metric) -> Any:
    scores = metric.scores(judged).reshape(2, -1)
    return scores[0] - scores[1]


@pytest.mark.parametrize("example", CHANGING)
def test_no_shared_judgments_lead_outside_the_ends(example: str) -> None:
    metric, ties, tried = parse(example), "ties" in example, 0
    for place, case in enumerate(CASES[ties]):
        found = differences(today(ties, place), metric)
        ends = found.mean
        ways = of_today(every_way(ties, place, possible(metric, case)), metric)
        if np.isnan(ends.low[0]) or np.isnan(ways).all():
            continue
        low, high = np.nanmin(ways), np.nanmax(ways)
        assert ends.low[0] <= low + 1e-9, f"{metric} on {case}: {ends} {low}"
        assert ends.high[0] >= high - 1e-9, f"{metric} on {case}: {ends} {high}"
        assert (ends.low[1], ends.high[1]) == pytest.approx((-ends.high[0], -ends.low[0]))
        if (ends.gap == 0).all() and len(ways) < MOST:
            assert (ends.low[0], ends.high[0]) == pytest.approx((low, high), abs=1e-9)
        tried += 1
    assert tried >= 2, f"{tried} cases"


def went_on(random: Random, case: Case, grades: tuple[int | None, ...]) -> Case:
    """The case judged at random, each run going on with documents of any kind."""
    fresh = [f"f{place}" for place in range(12)]
    known = dict(case.known)
    for name in [*case.unjudged, *fresh]:
        grade = random.choice([*grades, 0, grades[-1]])
        known |= {} if grade is None else {name: grade}
    runs = {}
    for name, run in case.runs.items():
        others = [document for document in [*DOCUMENTS, *fresh, "never"] if document not in run]
        below = random.sample(others, random.randint(0, len(others)))
        runs[name] = run | {document: -100.0 - place for place, document in enumerate(below)}
    return Case(known, runs)


@cache
def ways_to_go_on(place: int, grades: tuple[int | None, ...]) -> JudgedRankings:
    random = Random(place)
    ways = [went_on(random, CASES[False][place], grades) for _ in range(60)]
    qrels = {str(number): way.known for number, way in enumerate(ways)}
    runs = {
        name: {str(number): way.runs[name] for number, way in enumerate(ways)}
        for name in ("A", "B")
    }
    return read_judged(qrels, runs)


@pytest.mark.parametrize("example", [example for example in CHANGING if "ties" not in example])
def test_open_ends_hold_whatever_lies_below(example: str) -> None:
    metric, tried = parse(example), 0
    for place in range(0, len(CASES[False]), 3):
        ends = differences(today(False, place), metric, "open").mean
        ways = of_today(ways_to_go_on(place, possible(metric, CASES[False][place])), metric)
        if np.isnan(ends.low[0]) or np.isnan(ways).all():
            continue
        assert ends.low[0] <= np.nanmin(ways) + 1e-9, f"{metric} on {CASES[False][place]}"
        assert ends.high[0] >= np.nanmax(ways) - 1e-9, f"{metric} on {CASES[False][place]}"
        tried += 1
    assert tried >= 4, f"{tried} cases"


@pytest.mark.parametrize(
    "example",
    ["P@10", "RBP(p=0.5)", "RBP(p=0.9,gains={1:0.25,2:0.5,3:1})@12", "DCG@11", "SDCG@10", "InvSq"],
)
def test_open_ends_are_reached_or_approached(example: str) -> None:
    """A goes on with relevant documents that B never has, and B with others."""
    metric, length = parse(example), getattr(parse(example), "cutoff", None) or 2000
    for place in (2, 5, 9):
        case = CASES[False][place]
        found = differences(today(False, place), metric, "open")
        best = max(grade for grade in possible(metric, case) if grade is not None)
        good = {f"good{number}": -100.0 - number for number in range(length)}
        bad = {f"bad{number}": -100.0 - number for number in range(length)}
        runs = {"A": {"1": case.runs["A"] | good}, "B": {"1": case.runs["B"] | bad}}
        known = case.known | dict.fromkeys(good, best) | dict.fromkeys(bad, 0)
        inner = difference_bounds(
            read_judged({"1": known}, runs, retrieved=True), metric, np.array([0]), np.array([1])
        )
        assert (found.mean.gap == 0).all()
        assert inner.mean.high[0] == pytest.approx(found.mean.high[0], abs=0.001)


@pytest.mark.slow
def test_runs_that_are_alike_are_equal_for_every_metric() -> None:
    run = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    judged = read_judged({"1": {"a": 1, "x": 1}}, {"A": run, "B": run}, retrieved=True)
    tried = 0
    for example in [example for example in CHANGING if "ties" not in example]:
        mean = differences(judged, parse(example)).mean
        if not np.isnan(mean.value[0]):
            assert list(mean.verdict) == ["equal", "equal"], example
            assert list(mean.to_resolve) == [0, 0]
            tried += 1
    assert tried >= 160, f"{tried} cases"
