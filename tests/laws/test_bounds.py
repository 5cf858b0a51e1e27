"""Bounds against every way to judge the unjudged documents, one by one."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations, product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from table import EXAMPLES, SHARING

import rankwise
from rankwise.metrics import Metric, parse
from rankwise.metrics.dcg import nDCG
from rankwise.rankings.judged import JudgedRankings

Grade = int | None
Ranking = list[Grade]

# They tell what is judged or retrieved today, and that does not change.
OF_TODAY = {"Judged", "Unjudged", "RBPResidual", "NumRet"}


CONDENSED = [
    *["AP(judged_only=True)@3", "AP(judged_only=True,rel=2)@2", "nDCG(judged_only=True)"],
    *["nDCG(judged_only=True,gains={1:3,2:1,3:0.5})@4", "DCG(judged_only=True)@4"],
]
BOUNDED = [
    example for example in EXAMPLES + CONDENSED if type(parse(example)).__name__ not in OF_TODAY
]
MOST = 1 << 14  # ways to judge one ranking: 14 documents, relevant or not
UNJUDGED = -99  # in place of a grade


class Case(NamedTuple):
    """A ranking (None is unjudged) and the grades of judged documents it does not hold."""

    ranking: Ranking
    missed: list[int]

    @property
    def seen(self) -> set[int]:
        return {grade for grade in [*self.ranking, *self.missed] if grade is not None}


def case_at_random(random: Random, grades: list[int], unjudged: int) -> Case:
    judged = random.choices(grades, k=random.randint(0, 8))
    ranking: Ranking = [*judged, *[None] * unjudged]
    random.shuffle(ranking)
    return Case(ranking, random.choices(grades, k=random.randint(1, 5)))


def cases() -> list[Case]:
    random = Random(4)
    often = [[0, 1], [0, 0, 0, 1], [0, 1, 1, 1]]  # how often documents are relevant
    sizes = [14, 13, 11, *[1 + place % 9 for place in range(18)]]
    binary = [case_at_random(random, often[at % 3], size) for at, size in enumerate(sizes)]
    some, all_relevant = [-1, 0, 1, 2, 3], [0, 2, 2]
    graded = [case_at_random(random, [some, all_relevant][at % 2], 1 + at % 7) for at in range(14)]
    undefined = [undefined_at_random(random, size) for size in (1, 2, 3, 5, 6, 9)]
    # What is known scores 1, and one more relevant document, of a lower grade, adds less.
    return [*binary, *graded, *undefined, Case([3, 0, 0, None], [0])]


def undefined_at_random(random: Random, unjudged: int) -> Case:
    """Nothing is relevant yet."""
    case = case_at_random(random, random.choice([[0], [-1, 0], [1, 0]]), unjudged)
    return Case([grade and min(grade, 0) for grade in case.ranking], [0] * random.randint(0, 2))


CASES = cases()


def possible(metric: Metric, case: Case) -> tuple[Grade, ...]:
    """What an unjudged document may turn out to be, staying unjudged among it."""
    table = metric.gains or getattr(metric, "beta", None) or getattr(metric, "shares", None)
    given = {int(grade) for grade, _ in table} if isinstance(table, tuple) else {1}
    grades = {0, *given, metric.rel or 0} | {g for g in case.seen if g > 0}
    matters = type(metric).__name__ in ("Bpref", "RankEff", "infAP")
    matters |= metric.judged_only
    return (*([None] if matters else []), *sorted(grades))


def codes(ranking: Ranking) -> np.ndarray:
    return np.array([UNJUDGED if grade is None else grade for grade in ranking], np.int64)


def judged_as(rankings: list[Ranking], missed: list[list[int]]) -> JudgedRankings:
    return judged_as_coded([codes(ranking) for ranking in rankings], missed)


def judged_as_coded(rankings: list[np.ndarray], missed: list[list[int]]) -> JudgedRankings:
    """Each ranking is a topic of its own, whose judged documents are those it has and `missed`."""
    lengths = np.array([len(ranking) for ranking in rankings])
    flat, is_judged = np.concatenate(rankings), np.concatenate(rankings) != UNJUDGED
    ranking = np.repeat(np.arange(len(rankings)), lengths)[is_judged]
    rank = np.concatenate([np.arange(1, length + 1) for length in lengths])[is_judged]
    elsewhere = np.array([grade for grades in missed for grade in grades], np.int64)
    pool = np.concatenate([flat[is_judged], elsewhere])
    topic = np.repeat(np.arange(len(rankings)), [len(grades) for grades in missed])
    topic = np.concatenate([ranking, topic])
    return JudgedRankings(
        runs=("given",),
        topics=tuple(map(str, range(len(rankings)))),
        ranking=ranking,
        rank=rank,
        grade=flat[is_judged],
        tie_first=rank,
        tie_last=rank,
        length=lengths,
        present=np.ones(len(rankings), np.bool_),
        topic=np.arange(len(rankings)),
        topic_grades=pool[np.lexsort((-pool, topic))],
        topic_start=np.cumsum([0, *np.bincount(topic, minlength=len(rankings))]),
    )


def filled(ranking: Ranking, way: tuple[Grade, ...]) -> Ranking:
    grades = iter(way)
    return [next(grades) if grade is None else grade for grade in ranking]


def judged_in_all_ways(case: Case, grades: tuple[Grade, ...]) -> JudgedRankings:
    """A ranking for each way to judge the unjudged documents of a case."""
    coded = np.array([UNJUDGED if grade is None else grade for grade in grades])
    place = [at for at, grade in enumerate(case.ranking) if grade is None]
    choices = np.indices((len(grades),) * len(place)).reshape(len(place), -1).T
    ways = np.tile([0 if grade is None else grade for grade in case.ranking], (len(choices), 1))
    ways[:, place] = coded[choices]
    pool = np.concatenate([ways, np.tile(np.array(case.missed), (len(ways), 1))], axis=1)
    pool = -np.sort(-pool, axis=1)
    ranking, column = np.nonzero(ways != UNJUDGED)
    return JudgedRankings(
        runs=("given",),
        topics=tuple(map(str, range(len(ways)))),
        ranking=ranking,
        rank=column + 1,
        grade=ways[ranking, column],
        tie_first=column + 1,
        tie_last=column + 1,
        length=np.full(len(ways), ways.shape[1]),
        present=np.ones(len(ways), np.bool_),
        topic=np.arange(len(ways)),
        topic_grades=pool[pool != UNJUDGED],
        topic_start=np.concatenate([[0], np.cumsum((pool != UNJUDGED).sum(axis=1))]),
    )


class Ways:
    """All ways to judge a case; many metrics share them."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, tuple[Grade, ...]], JudgedRankings] = {}

    def of(self, place: int, grades: tuple[Grade, ...]) -> JudgedRankings | None:
        if len(grades) ** CASES[place].ranking.count(None) > MOST:
            return None
        if (place, grades) not in self.made:
            self.made[place, grades] = judged_in_all_ways(CASES[place], grades)
        return self.made[place, grades]


@pytest.fixture(scope="module")
def ways() -> Ways:
    return Ways()


def bounds_of(metric: Metric, case: Case, unjudged: Any) -> tuple[float, float] | None:
    """None where no judgments give the topic a score."""
    found = metric.bounds.of(metric, judged_as([case.ranking], [case.missed]), unjudged)
    assert found is not None, f"{metric} has no bounds"
    low, high = float(found[0][0]), float(found[1][0])
    return None if np.isnan(low) else (low, high)


def is_exact(metric: Metric, case: Case, unjudged: Any) -> bool:
    return metric.bounds.is_exact(metric, judged_as([case.ranking], [case.missed]), unjudged)


@pytest.mark.parametrize("example", BOUNDED)
def test_bounds_hold_all_judgments_and_no_more_where_exact(example: str, ways: Ways) -> None:
    metric, tried = parse(example), 0
    for place, case in enumerate(CASES):
        every = ways.of(place, possible(metric, case))
        found = bounds_of(metric, case, "retrieved")
        if every is None:
            continue
        scores = metric.scores(every)
        assert (found is None) == bool(np.isnan(scores).all()), f"{metric} on {case}"
        if found is None:
            continue
        least, greatest = np.nanmin(scores), np.nanmax(scores)
        assert found[0] <= least + 1e-9, f"{metric} on {case}: {found[0]} > {least}"
        assert found[1] >= greatest - 1e-9, f"{metric} on {case}: {found[1]} < {greatest}"
        if is_exact(metric, case, "retrieved"):
            assert found == pytest.approx((least, greatest), abs=1e-9), f"{metric} on {case}"
        elif isinstance(metric, nDCG):  # a condensed list: its low end is exact
            assert found[0] == pytest.approx(least, abs=1e-9), f"{metric} on {case}"
        tried += 1
    assert tried >= 5, "too few cases"


def test_there_are_enough_bounds_to_try() -> None:
    """The lists above and below are filters: none of them may have run empty."""
    assert len(BOUNDED) >= 190 and len(OPEN_AND_EXACT) >= 100 and len(SHARING) >= 7
    tight = [e for e in BOUNDED if any(is_exact(parse(e), case, "retrieved") for case in CASES)]
    assert len(tight) >= 150


# Where staying unjudged matters there are too many ways to judge 14 documents.
@pytest.mark.parametrize(
    "example",
    ["Bpref", "Bpref(k=2)", "Bpref(norm=full)", "Bpref(k=2,norm=full)", "RankEff", "infAP"],
)
@pytest.mark.parametrize("grades", [(0, 1), (None, 1), (None, 0)])
def test_bounds_hold_two_of_three_ways(example: str, grades: tuple[Grade, ...], ways: Ways) -> None:
    metric, tried = parse(example), 0
    for place, case in enumerate(CASES):
        every, found = ways.of(place, grades), bounds_of(metric, case, "retrieved")
        scores = metric.scores(every) if every is not None else np.array([np.nan])
        if not np.isnan(scores).all():
            assert found is not None, f"{metric} on {case} has no bounds"
            assert found[0] <= np.nanmin(scores) + 1e-9, f"{metric} on {case}"
            assert found[1] >= np.nanmax(scores) - 1e-9, f"{metric} on {case}"
            tried += 1
    assert tried >= 30, f"{tried} cases"


FOR_ONE_NUMBER = ["AP", "Q", "Q(beta=5)@60", "NCUguBR", "binG", "G@80", "IPrec@0.4", "IPrec@1"]
FOR_ONE_NUMBER += ["AP(norm=min)@60", "Q(norm=min)@60"]
FOR_ONE_NUMBER += ["nERR(max_rel=3)", "Compat(p=0.9)", "YAAP", "SN-AP", "nDCG", "Rprec"]


@pytest.mark.parametrize("example", FOR_ONE_NUMBER)
def test_no_cut_of_a_long_ranking_is_left_out(example: str) -> None:
    """For each m the m highest or the m lowest: the few ways that matter, one by one."""
    metric, random = parse(example), Random(40)
    for often in (0.02, 0.1, 0.4):
        weights = [0.5, 0.5 - often / 2, often / 2]
        ranking: Ranking = [*random.choices([None, 0, 1], weights, k=220), 1]
        case = Case(ranking, [1, 0, 1])
        number = ranking.count(None)
        highest = [filled(ranking, (1,) * m + (0,) * (number - m)) for m in range(number + 1)]
        lowest = [filled(ranking, (0,) * (number - m) + (1,) * m) for m in range(number + 1)]
        scores = [
            metric.scores(judged_as(ways, [case.missed] * len(ways))) for ways in (lowest, highest)
        ]
        expected = (np.nanmin(scores[0]), np.nanmax(scores[1]))
        assert is_exact(metric, case, "retrieved")
        assert bounds_of(metric, case, "retrieved") == pytest.approx(expected, abs=1e-9)


def went_on(random: Random, case: Case, grades: tuple[Grade, ...]) -> tuple[Ranking, list[int]]:
    """The case judged at random, with more documents below its end and relevant ones elsewhere.

    Below the end may also stand judged documents that the ranking has not shown yet.
    """
    often = random.choice([(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)])

    def draw() -> Grade:
        return random.choice([random.choice(grades), *random.choices([0, grades[-1]], often)])

    ranking = [draw() if grade is None else grade for grade in case.ranking]
    missed = random.sample(case.missed, len(case.missed))
    shown = [missed.pop() for _ in range(random.randint(0, len(missed)))]
    below = [*shown, *(draw() for _ in range(random.choice([0, 0, 1, 4, 20])))]
    if random.random() < 0.5:
        random.shuffle(below)
    elsewhere = [random.choice(grades) or 0 for _ in range(random.choice([0, 0, 1, 5, 30]))]
    return [*ranking, *below], [*missed, *elsewhere]


@cache
def ways_to_go_on(place: int, grades: tuple[Grade, ...]) -> JudgedRankings:
    """Sixty ways that metrics with the same grades share."""
    random = Random(44 + place)
    ways = [went_on(random, GOING_ON[place], grades) for _ in range(60)]
    return judged_as([ranking for ranking, _ in ways], [missed for _, missed in ways])


@pytest.mark.parametrize("example", BOUNDED)
def test_open_bounds_hold_longer_rankings_and_more_relevant_documents(example: str) -> None:
    metric, tried = parse(example), 0
    for place, case in enumerate(GOING_ON):
        found = bounds_of(metric, case, "open")
        if found is None:
            continue
        scores = metric.scores(ways_to_go_on(place, possible(metric, case)))
        assert found[0] <= np.nanmin(scores) + 1e-9, f"{metric} on {case}"
        assert found[1] >= np.nanmax(scores) - 1e-9, f"{metric} on {case}"
        tried += 1
    assert tried >= 20, f"{tried} cases"


SHORT = [
    *[Case([0, None, 1], [1]), Case([None, 1, 0, 1], [1, 0]), Case([3, None], [1])],
    *[Case([0, 0], [3, 3]), Case([0, None, 0], [0]), Case([0, 2], [1, 3, 2]), Case([], [1, 1])],
    *[Case([0, 0, 0], []), Case([None, 0], [1, 2])],
]
GOING_ON = [*CASES[::3], *SHORT]
OPEN_AND_EXACT = [
    example
    for example in BOUNDED
    if any(is_exact(parse(example), case, "open") for case in SHORT)
    and not getattr(parse(example), "judged_only", False)
]


def best_of(metric: Metric, case: Case) -> int:
    """The grade that gains most."""
    table = dict(metric.gains or {})
    grades = [grade for grade in possible(metric, case) if grade is not None]
    return max(grades, key=lambda grade: (table.get(grade, grade), grade))


def shown_later(
    case: Case, longer: Ranking, grades: tuple[Grade, ...]
) -> Iterator[tuple[Ranking, list[int]]]:
    """Some judged documents that the case lacks come below its end, new ones around them."""
    free = len(longer) - len(case.ranking)
    for count in range(1, min(free, len(case.missed)) + 1):
        for places in combinations(range(free), count):
            for order in set(permutations(case.missed, count)):
                tail: Ranking = [None] * free
                for place, grade in zip(places, order, strict=True):
                    tail[place] = grade
                left = list((Counter(case.missed) - Counter(order)).elements())
                ranking = [*case.ranking, *tail]
                for way in product(grades, repeat=ranking.count(None)):
                    yield filled(ranking, way), left


MOST_BELOW = 1024  # ways to judge what a short ranking goes on with


def to_the_cutoff(case: Case, longer: Ranking, grades: tuple[Grade, ...]) -> list[Ranking]:
    """All judgments to the cutoff; where these are too many, of one grade below the end."""
    if len(grades) ** longer.count(None) <= MOST_BELOW:
        return [filled(longer, way) for way in product(grades, repeat=longer.count(None))]
    below = len(longer) - len(case.ranking)
    return [
        [*filled(case.ranking, way), *[grade] * below]
        for way in product(grades, repeat=case.ranking.count(None))
        for grade in grades
    ]


# SN-DCG comes near 0 only with the logarithm of the length.
@pytest.mark.parametrize("example", [e for e in OPEN_AND_EXACT if e != "SN-DCG"])
def test_open_bounds_are_reached_or_approached(example: str) -> None:
    """To the cutoff by all judgments; without one by a long tail of either kind."""
    metric, tried = parse(example), 0
    cutoff = metric.cutoff
    for case in SHORT:
        grades, best = possible(metric, case), best_of(metric, case)
        found = bounds_of(metric, case, "open")
        if found is None or not is_exact(metric, case, "open"):
            continue
        longer: Ranking = [*case.ranking, *[None] * ((cutoff or 0) - len(case.ranking))]
        every = [codes(ranking) for ranking in to_the_cutoff(case, longer, grades)]
        pools = [case.missed] * len(every)
        if cutoff is None:
            tails: list[Any] = [[best] * 4000, [0] * 4000, [0] * 4000 + [best] * 60]
            tails += [[0] * 12_000 + [best], [best] * 4000 + [0] * 4000, [*case.missed]]
            tails += [[grade] for grade in grades]
            for ranking, tail in product((every[0], every[-1]), tails):
                every.append(np.concatenate([ranking, codes(tail)]))
                pools.append([] if tail == case.missed else case.missed)
        if len(grades) ** longer.count(None) <= MOST_BELOW:
            for ranking, left in shown_later(case, longer, grades):
                every.append(codes(ranking))
                pools.append(left)
        more = [[*pool, *[best] * 400] for pool in pools]
        scores = [metric.scores(judged_as_coded(every, missed)) for missed in (pools, more)]
        assert _near(found[0], np.nanmin(scores)), f"{metric} on {case}: {found}"
        assert _near(found[1], np.nanmax(scores)), f"{metric} on {case}: {found}"
        tried += 1
    assert tried >= 3, f"{tried} cases"


def _near(bound: float, score: float) -> bool:
    return abs(score) > 2 and bound * score > 0 if np.isinf(bound) else abs(bound - score) < 0.03


@pytest.mark.parametrize("example", [*SHARING, "ESL", "ESL(n=2,rel=2)"])
def test_bounds_hold_where_scores_tie(example: str) -> None:
    metric, random, tried = parse(example), Random(404), 0
    names = "abcdef"
    for _ in range(8):
        run = {"1": {name: random.choice([0.0, 1.0]) for name in names}}
        grades = {name: random.choice([None, None, 0, 1, 2, 3]) for name in names}
        known = {"z": 0, "y": 3} | {n: grade for n, grade in grades.items() if grade is not None}
        unjudged = [name for name, grade in grades.items() if grade is None][:5]
        known |= {name: 0 for name in names if name not in known and name not in unjudged}
        today = rankwise.score({"1": known}, run, metric, bounds=True)
        every = list(product([0, 1, 2, 3], repeat=len(unjudged)))
        ways = {
            str(place): known | dict(zip(unjudged, way, strict=True))
            for place, way in enumerate(every)
        }
        scores = rankwise.score(ways, dict.fromkeys(ways, run["1"]), metric).value
        if np.isnan(today.value).all():
            continue
        assert today.low is not None and today.high is not None
        least, greatest = np.nanmin(scores), np.nanmax(scores)
        assert today.low.item() <= least + 1e-9 and today.high.item() >= greatest - 1e-9
        if metric.bounds.exact:
            assert (today.low.item(), today.high.item()) == pytest.approx((least, greatest))
        tried += 1
    assert tried >= 8, f"{tried} cases"


@pytest.mark.parametrize(
    ("example", "shown"), [("AP@5", 0.417), ("nDCG@5", 0.571), ("Recall@5", 1.0)]
)
def test_an_open_ranking_may_go_on_with_documents_judged_already(
    example: str, shown: float
) -> None:
    case = Case([0, 0], [3, 3])
    metric, going_on = parse(example), Case([0, 0, 3, 3], [])
    score = metric.scores(judged_as([going_on.ranking], [going_on.missed]))[0]
    assert score == pytest.approx(shown, abs=5e-4)
    found = bounds_of(metric, case, "open")
    assert found is not None and found[1] >= score


def test_open_bounds_hold_what_cut_runs_go_on_to_score() -> None:
    """Runs cut at depth 5 are within their open bounds when they are seen whole."""
    made = rankwise.simulate(topics=20, systems=4, seed=3)
    metrics = ["Recall@10", "AP@10", "Q@10", "nDCG@10", "RelP@10", "NCU@10", "YAAP@10", "O@10"]
    metrics += ["Shaw@10", "SetF@10", "nERR@10", "G@10", "NWRR@10", "Rprec@10", "nDCGRel@10"]
    whole = rankwise.score(made.qrels, made.runs, metrics)
    cut = rankwise.score(
        rankwise.read(made.qrels, made.runs, depth=5), metrics=metrics, bounds=True, unjudged="open"
    )
    assert cut.low is not None and cut.high is not None
    defined = np.isfinite(whole.value)
    assert defined.sum() > 1000
    assert (cut.low[defined] <= whole.value[defined] + 1e-9).all()
    assert (cut.high[defined] >= whole.value[defined] - 1e-9).all()
