"""The seven numeric properties (Moffat, AIRS 2013) and SWAP (Ahlgren and Grönqvist 2008)."""

import math
import re
from collections.abc import Callable
from dataclasses import fields
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankwise import Metric, WeightedPrecision, score, score_gains
from rankwise.arrays import Floats, Ints
from rankwise.errors import CallError, MetricError
from rankwise.experiments.properties import PROPERTIES, SEVEN, Properties, properties
from rankwise.experiments.properties.proofs import proved
from rankwise.experiments.properties.rankings import (
    BELOW,
    Case,
    Grades,
    Space,
    Spaces,
    at_depth,
    depth_of,
    score_space,
)
from rankwise.experiments.properties.search import Search, binary_grades, equal
from rankwise.experiments.properties.table import TABLE_2, wanted
from rankwise.metrics import parse
from rankwise.metrics.parameters import cutoff
from rankwise.rankings.judged import JudgedRankings, from_vectors

# Table 2 as it is printed: bounded, monotonic, convergent, top-weighted, localized,
# complete, realizable; a letter is the note that stands there.
PRINTED = """
DCG@k    N  Y  Y  Y  Y  Y  N
SP@k     N  Y  Y  Y  Y  Y  N
RPrec@k  Y  N  N  N  N  N  Y
SN-DCG@k Y  N  N  Y  Y  Nd Y
SN-AP@k  Y  N  N  Y  Y  Nd Y
Prec@k   Y  N  Y  N  Y  Y  Ne
NDCG@k   Y  N  Y  Y  N  N  Y
SDCG@k   Y  N  Y  Y  Y  Y  Ne
HIT@k    Y  Y  Nb Nb Y  Y  Y
RR@k     Y  Y  Nb Nb Yc Yc Y
Recall@k Y  Y  Y  N  N  N  Nf
AP@k     Y  Y  Y  Y  N  N  Nf
RBP@k    Y  Ya Ya Y  Ya Y  N
"""


@pytest.fixture(scope="module")
def thirteen() -> Properties:
    return properties(grades=(0, 1))


@pytest.fixture(scope="module")
def catalogue() -> Properties:
    return properties("all", depth=8)


def of(metric: Metric, case: Case, grades: Grades = (0, 1)) -> float:
    """The score of a case, one ranking at a time, with the cutoff at its end.

    Where there are grades, another topic has the best one: some metrics ask for it.
    """
    if not case.judged:
        _, grade = binary_grades(metric)
        vector = [{"0": 0, "1": grade, "-": None}[sign] for sign in case.ranking]
        judged = [grade] * case.relevant + [0] * case.others
        one = from_vectors([vector], [judged])
        return float(at_depth(metric, len(vector)).scores(one, by_formula=True)[0])
    vector = [None if sign == "-" else int(sign) for sign in case.ranking]
    return scored(metric, vector, all_judged(case), max(grades))


def scored(metric: Metric, vector: list[int | None], judged: list[int], best: int) -> float:
    both = from_vectors([vector, [best]], [judged, [best]])
    return float(at_depth(metric, len(vector)).scores(both, by_formula=True)[0])


def all_judged(case: Case) -> list[int]:
    """332200, or 3×40 2×3."""
    runs = re.findall(r"(\d)×(\d+)", case.judged)
    if runs:
        return [int(grade) for grade, count in runs for _ in range(int(count))]
    return [int(grade) for grade in case.judged]


def letters(found: Properties) -> dict[str, list[str]]:
    return {
        row.name: [("Y" if row.answers[name].holds else "N") + row.mark(name) for name in SEVEN]
        for row in found.rows
    }


@pytest.mark.parametrize("grades", [(0, 1), (0, 1, 2, 3)])
def test_table_2_comes_out_as_printed_91_of_91(grades: Grades) -> None:
    """In the paper's binary reading; DCG, SDCG, NDCG and SN-DCG have the same on grades."""
    found = letters(properties(grades=grades))
    printed = {line.split()[0]: line.split()[1:] for line in PRINTED.strip().splitlines()}
    assert found == printed
    assert list(found) == list(printed) == list(TABLE_2)
    assert sum(len(row) for row in found.values()) == 91


# On grades 0–3 where 0 and 1 show none, but for IPrecMean: R = 21 is the least that does.
COUNTEREXAMPLES = """
Q         top-weighted  031 130   310     0.7619 0.7500
Q         SWAP          031 130   310     0.7619 0.7500
NCU       top-weighted  031 130   310     0.7619 0.7500
NCU       SWAP          031 130   310     0.7619 0.7500
PMeasure  monotonic     10 102    2210    0.6667 0.6250
PPlus     monotonic     10 102    2210    0.6667 0.6458
BPM@1     monotonic     1 10      10      0.3333 0.1667
NERR8@1   monotonic     1 10      10      0.3333 0.2000
NERR9@1   monotonic     1 10      10      0.3333 0.2500
NERR10    monotonic     1 10      10      0.3333 0.2083
NERR11    monotonic     1 10      10      0.3333 0.2571
Rndcg     monotonic     100 1000  21000   0.4400 0.4201
NWRR      localized     1 1       1:21    1.0000 0.8889
Compat    convergent    01 02     210     0.2436 0.2436
Compat    top-weighted  01 10     210     0.2436 0.2436
nDCGRel   convergent    003 013   3100    0.4131 0.3803
nDCGRel   top-weighted  031 130   310     0.5901 0.5650
G         top-weighted  123 132   321     0.7500 0.7321
IPrecMean convergent    10 11     R21     0.0909 0.0909
"""


@pytest.mark.slow
@pytest.mark.parametrize("line", COUNTEREXAMPLES.strip().splitlines())
def test_what_no_binary_ranking_of_ten_shows(line: str, catalogue: Properties) -> None:
    name, which, before, after, judged, *printed = line.split()
    row = next(row for row in catalogue.rows if type(row.metric) is type(parse(name)))
    answer = row.answers[which]
    assert answer.holds is False and answer.counterexample is not None
    pair = answer.counterexample
    assert [case.ranking for case in pair] == [before, after]
    collections = [case.judged or f"R{case.relevant}" for case in pair]
    assert list(dict.fromkeys(collections)) == judged.split(":")
    assert [f"{of(row.metric, case, row.grades):.4f}" for case in pair] == printed


@pytest.mark.parametrize(
    ("name", "before", "after", "judged", "old", "new"),
    [
        ("Q", [0, 3, 1], [1, 3, 0], [3, 1, 0], 16 / 21, 3 / 4),
        ("PMeasure", [2, 0], [2, 0, 3], [3, 3, 2, 2, 0, 0], 3 / 4, 7 / 11),
    ],
)
def test_counterexamples_by_hand(
    name: str, before: list[int], after: list[int], judged: list[int], old: float, new: float
) -> None:
    """Q: (0 + (3 + 1)/(4 + 2) + (4 + 2)/(4 + 3)) / 2 = 16/21, ((1 + 1)/(3 + 1) + 6/6) / 2 = 3/4.
    P: (2 + 1)/(3 + 1) at rank 1; (5 + 2)/(8 + 3) at rank 3."""
    assert score_gains(name, before, judged=judged) == pytest.approx(old)
    assert score_gains(name, after, judged=judged) == pytest.approx(new)


def test_metrics_are_tried_on_the_grades_that_they_tell_apart() -> None:
    expected = {
        "AP": (0, 1),
        "AP(rel=2)": (0, 1),
        "AP(rel=7)": (0, 1),
        "nDCG": (0, 1, 2, 3),
        "SDCG(max_rel=2)@5": (0, 1, 2),
        "INSQ(max_rel=3,min_rel=1)@5": (0, 2, 3),
        "RBP": (0, 1),
        "RBP(gains={1:0.5,2:1})": (0, 1, 2),
        "nDCG(gains={1:1,2:5,3:2})": (0, 1, 3, 2),
        "nDCG(gains={1:1,2:1,4:3})": (0, 1, 4),
    }
    search = Search(4, (0, 1, 2, 3))
    assert {name: search.levels(parse(name)) for name in expected} == expected
    for depth in (2, 12):  # whatever the depth
        assert Search(depth, (0, 1, 2, 3, 4, 5)).levels(parse("Rndcg")) == (0, 1, 2, 3, 4, 5)
    assert properties("nDCG", depth=2, grades=range(6)).rows[0].grades == (0, 1, 2, 3, 4, 5)
    assert Search(4, (0, 1)).levels(parse("nDCG")) == (0, 1)
    assert Search(4, (0, 2, 5)).levels(parse("nDCG")) == (0, 2, 5)


class GradedHit(Metric):
    """HIT@k of the paper's Section 2: the greatest r of the first k, r = grade / 3."""

    def compute(self, judged: JudgedRankings) -> Floats:
        best = np.zeros(judged.count)
        np.maximum.at(best, judged.ranking, judged.grade / 3)
        return best


def test_hit_of_graded_relevance_is_as_in_table_2() -> None:
    """Why realizable asks of collections with a document of the best grade only."""
    (row,) = properties(GradedHit(), depth=6).rows
    assert row.grades == (0, 1, 2, 3)
    assert [bool(row.answers[name].holds) for name in SEVEN] == [True, True, *[False] * 2] + [
        True
    ] * 3


def test_the_notes_of_table_2_say_what_was_found(thirteen: Properties) -> None:
    """Note e of Prec and f of AP, from scores alone; note b: equal scores, never less."""
    for k in range(1, 6):
        for total in range(1, 8):
            best = "1" * min(k, total) + "0" * (k - total)
            case = Case(best, total, 9, 0.0)
            assert (of(parse("P@1"), case) == 1) == (k <= total)
            assert (of(parse("AP"), case) == pytest.approx(1)) == (k >= total)
    for name in ("HIT@k", "RR@k"):
        row = next(row for row in thirteen.rows if row.name == name)
        for one in ("convergent", "top-weighted"):
            before, after = row.answers[one].counterexample or (None, None)
            assert before and after and before.score == after.score


def check_counterexample(
    metric: Metric, name: str, pair: tuple[Case, Case], grades: Grades
) -> None:
    """That two cases are what the property speaks of, and that they break it."""
    first, second = pair
    for case in pair:
        assert of(metric, case, grades) == pytest.approx(case.score, nan_ok=True)
        held = all_judged(case) or [1] * case.relevant + [0] * case.others
        for grade in set(case.ranking) - {"-"}:
            assert case.ranking.count(grade) <= held.count(int(grade))
    together = first[1:3] == second[1:3] and first.judged == second.judged
    before, after = (metric.sign * case.score for case in pair)
    if name == "monotonic":
        assert second.ranking[:-1] == first.ranking
        assert together and after < before
    elif name == "convergent":
        changed = [a + b for a, b in zip(first.ranking, second.ranking, strict=True) if a != b]
        assert len(changed) == 1 and changed[0][0] < changed[0][1]
        assert together and after <= before + 1e-12
    elif name in ("top-weighted", "SWAP"):
        changed = [a + b for a, b in zip(first.ranking, second.ranking, strict=True) if a != b]
        assert (
            len(changed) == 2 and changed[0] == changed[1][::-1] and changed[0][0] < changed[0][1]
        )
        assert together and after <= before + 1e-12
    elif name == "localized":
        assert first.ranking == second.ranking and not together
        assert abs(first.score - second.score) > 1e-12
    elif name == "complete":
        assert first.relevant == 0 and math.isnan(first.score)
    elif name == "realizable":
        assert before < after and min(first.relevant, second.relevant) >= 1
    else:
        assert name == "bounded" and abs(second.score) > max(1, abs(first.score))


def test_every_counterexample_is_one(thirteen: Properties, catalogue: Properties) -> None:
    checked = 0
    for row in [*thirteen.rows, *catalogue.rows]:
        for name, answer in row.answers.items():
            if answer.holds is False:
                assert answer.counterexample is not None
                check_counterexample(row.metric, name, answer.counterexample, row.grades)
                checked += 1
    assert checked > 200


def test_the_papers_own_counterexamples_are_among_those_tried() -> None:
    """Section 4: 11111 → 111110, 10000 → 10001, 01000 → 01100, 10001 → 11000."""

    def tried(space: Space, after: Space, step: tuple[Ints, Ints]) -> set[tuple[str, str]]:
        width = len(space.relevant)
        return {
            (space.text(one), after.text(other))
            for one, other in {
                (int(a) // width, int(b) // width) for a, b in zip(*step, strict=True)
            }
        }

    *_, five, six = Spaces.to(6).every
    assert ("11111", "111110") in tried(five, six, five.extended)
    inserted, lifted = tried(five, five, five.inserted), tried(five, five, five.lifted)
    assert {("10100", "10101"), ("10000", "10001"), ("01000", "01100")} <= inserted
    assert ("10001", "11001") in inserted
    assert ("10001", "11000") in lifted
    assert len(lifted) == 5 * 4 // 2 * 2**3  # two ranks, and any three others


def test_self_normalised_metrics_even_fall(thirteen: Properties) -> None:
    rows = {row.name: row for row in thirteen.rows}
    for name, printed in (("SN-DCG@k", "0.9197"), ("SN-AP@k", "0.8333")):
        remark = rows[name].answers["convergent"].remark
        assert remark == f"the score even falls: 100 → 101 (R=2 N=2): 1.0000 → {printed}"


def test_no_metric_has_all_seven(thirteen: Properties, catalogue: Properties) -> None:
    """Monotonic and convergent exclude realizable; of the three any two go together."""
    three = ("monotonic", "convergent", "realizable")
    held = {
        tuple(bool(row.answers[name].holds) for name in three)
        for row in [*thirteen.rows, *catalogue.rows]
    }
    assert (True, True, True) not in held
    assert {(True, True, False), (True, False, True), (False, True, True)} <= held
    assert not any(row.has_all_seven for row in catalogue.rows)
    six = [r.name for r in catalogue.rows if sum(bool(r.answers[n].holds) for n in SEVEN) == 6]
    assert {"RBP(p=0.8)@k", "InvSq@k"} <= set(six)


def test_the_clash_at_k_1_and_r_2(catalogue: Properties) -> None:
    """The proof: 1 ≤ 10 by monotonicity, 10 < 11 by convergence: 1, the best of its depth, is
    not the greatest score."""
    checked = 0
    for row in catalogue.rows:
        if row.answers["monotonic"].holds and row.answers["convergent"].holds:
            one, two, both = (of(row.metric, Case(text, 2, 1, 0)) for text in ("1", "10", "11"))
            assert one <= two < both, row.name
            checked += 1
    assert checked >= 10


def test_swap_of_ahlgren_and_gronqvist() -> None:
    """Propositions 1 to 3 of their appendix."""
    rows = {row.name: row.answers for row in properties(["RankEff", "AP", "bpref-10"]).rows}
    assert rows["RankEff"]["SWAP"].holds and rows["AP@k"]["SWAP"].holds
    answer = rows["Bpref(k=10,norm='full')"]["SWAP"]
    assert answer.holds is False and answer.counterexample is not None
    # R = 1: the 11 + 1st non-relevant document is below the 10 + R that count.
    assert [case.ranking for case in answer.counterexample] == ["0" * 12 + "1", "0" * 11 + "10"]


# A slow literal loop for each property.

Ranking = tuple[int | None, ...]  # None is unjudged
Collection = tuple[int, ...]  # the grades of all judged documents, highest first
Broken = list[tuple[str, tuple[int, int], str]]  # rankings as text, R and N, all grades


class Slow:
    """All rankings of some grades to a depth, one at a time, as the definitions read."""

    def __init__(self, metric: Metric, depth: int, grades: Grades) -> None:
        self.metric, self.grades = metric, grades
        binary = len(grades) == 2
        self.depth, self.mixed = (depth_of(depth, len(grades) + more) for more in (0, 1))
        self.below = 2 * depth + 2 if binary else BELOW
        if binary:
            most = range(depth + 2)
            self.collections = [
                (*[grades[1]] * relevant, *[grades[0]] * others)
                for relevant, others in product(most, repeat=2)
            ]
        else:
            self.collections = [
                tuple(sorted(taken, reverse=True))
                for size in range(1, self.depth + BELOW + 1)
                for taken in combinations_with_replacement(grades, size)
            ]
        self.known = self.all_scores()

    def all_scores(self) -> dict[tuple[Ranking, Collection], float]:
        """Of every ranking in every collection that holds it."""
        found: dict[tuple[Ranking, Collection], float] = {}
        for k in range(1, self.depth + 1):
            signs = (*self.grades, None) if k <= self.mixed else self.grades
            keys = [
                (ranking, collection)
                for ranking in self.rankings(k, signs)
                for collection in self.collections
                if self.holds(collection, ranking)
            ]
            rankings = [list(ranking) for ranking, _ in keys]
            judged = [list(collection) for _, collection in keys]
            best = [max(self.grades)]
            both = from_vectors([*rankings, best], [*judged, best])
            values = at_depth(self.metric, k).scores(both, by_formula=True)
            scores = (self.metric.sign * values[:-1]).tolist()
            found |= dict(zip(keys, scores, strict=True))
        return found

    def holds(self, collection: Collection, ranking: Ranking) -> bool:
        enough = all(ranking.count(grade) <= collection.count(grade) for grade in self.grades)
        judged = len(ranking) - ranking.count(None)
        return enough and len(collection) - judged <= self.below

    def score(self, ranking: Ranking, collection: Collection) -> float:
        """NaN also where the collection does not hold the documents."""
        return self.known.get((ranking, collection), math.nan)

    def rankings(self, depth: int, signs: tuple[int | None, ...] = ()) -> list[Ranking]:
        return list(product(signs or self.grades, repeat=depth))

    def less(self, one: int | None, other: int | None) -> bool:
        """Whether both are judged and the first is less relevant."""
        if one is None or other is None:
            return False
        return self.grades.index(one) < self.grades.index(other)

    def first_break(
        self, changes: Callable[[int], list[tuple[Ranking, Ranking]]], last: int, strictly: bool
    ) -> Broken | None:
        for k in range(1, last + 1):
            pairs = changes(k)
            for collection in self.collections:
                for before, after in pairs:
                    old, new = self.score(before, collection), self.score(after, collection)
                    if math.isnan(old) or math.isnan(new):
                        continue
                    same = math.isclose(old, new, rel_tol=1e-12)
                    if (same and strictly) or (not same and new < old):
                        return [self.shown(before, collection), self.shown(after, collection)]
        return None

    def shown(self, ranking: Ranking, collection: Collection) -> tuple[str, tuple[int, int], str]:
        """As a counterexample has it; of 0 and 1 without grades."""
        relevant = sum(grade != self.grades[0] for grade in collection)
        graded = len(self.grades) > 2
        signs: dict[int | None, str] = {None: "-"}
        signs |= {g: str(g if graded else place) for place, g in enumerate(self.grades)}
        judged = "".join(map(str, collection)) if graded else ""
        text = "".join(signs[grade] for grade in ranking)
        return text, (relevant, len(collection) - relevant), judged

    def monotonic(self) -> Broken | None:
        def changes(k: int) -> list[tuple[Ranking, Ranking]]:
            return [(b, (*b, grade)) for b in self.rankings(k) for grade in self.grades]

        return self.first_break(changes, self.depth - 1, strictly=False)

    def convergent(self) -> Broken | None:
        def changes(k: int) -> list[tuple[Ranking, Ranking]]:
            return [
                (b, (*b[:i], grade, *b[i + 1 :]))
                for b in self.rankings(k)
                for i in range(k)
                for grade in self.grades
                if self.less(b[i], grade)
            ]

        return self.first_break(changes, self.depth, strictly=True)

    def top_weighted(self) -> Broken | None:
        return self.first_break(self.swaps(()), self.depth, strictly=True)

    def swap(self) -> Broken | None:
        """With unjudged documents as far as there are such rankings, then without."""
        unjudged = self.first_break(self.swaps((*self.grades, None)), self.mixed, strictly=True)
        return unjudged or self.top_weighted()

    def swaps(
        self, signs: tuple[int | None, ...]
    ) -> Callable[[int], list[tuple[Ranking, Ranking]]]:
        def changes(k: int) -> list[tuple[Ranking, Ranking]]:
            return [
                (b, (*b[:i], b[j], *b[i + 1 : j], b[i], *b[j + 1 :]))
                for b in self.rankings(k, signs)
                for i in range(k)
                for j in range(i + 1, k)
                if self.less(b[i], b[j])
            ]

        return changes

    def scores(self, ranking: Ranking) -> list[float]:
        found = [self.score(ranking, collection) for collection in self.collections]
        return [value for value in found if not math.isnan(value)]

    def localized(self) -> bool:
        for k in range(1, self.depth + 1):
            for ranking in self.rankings(k):
                scores = self.scores(ranking)
                if scores and not math.isclose(min(scores), max(scores), rel_tol=1e-12):
                    return False
        return True

    def complete(self) -> bool:
        nothing = self.grades[0]
        return not any(
            math.isnan(self.score((nothing,) * k, (nothing,) * others))
            for k in range(1, self.depth + 1)
            for others in range(k, self.depth + 2)
        )

    def realizable(self) -> bool | None:
        best = []
        for k in range(1, self.depth + 1):
            for collection in self.collections:
                scores = [self.score(ranking, collection) for ranking in self.rankings(k)]
                scores = [value for value in scores if not math.isnan(value)]
                if self.grades[-1] in collection and scores:
                    best.append(max(scores))
        return all(math.isclose(value, max(best), rel_tol=1e-12) for value in best)


CHANGES = {
    "monotonic": Slow.monotonic,
    "convergent": Slow.convergent,
    "top-weighted": Slow.top_weighted,
    "SWAP": Slow.swap,
}
SLOW_METRICS = list(wanted("all")[0])
assert len(SLOW_METRICS) >= 50


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SLOW_METRICS, "nDCG(gains={1:1,2:5,3:2})", "AP(rel=2)"])
def test_a_slow_loop_finds_the_same(name: str) -> None:
    """Of 0 and 1 to depth 5, of three grades to depth 3: the same smallest counterexamples."""
    metric, depth = parse(name.replace("@k", "@1")), 5
    found, levels = Search(depth, (0, 1, 2)).answers(metric)
    loops = [Slow(metric, depth, binary_grades(metric))]
    if len(levels) > 2:
        loops.append(Slow(metric, depth, levels))
    for which, loop in CHANGES.items():
        pair = found[which].counterexample
        if pair is None or within(pair, loops):
            broken = next(filter(None, map(loop, loops)), None)
            assert broken == (pair and [(c.ranking, c[1:3], c.judged) for c in pair])
        else:  # a long ranking, or a large collection, before any of grades
            assert loop(loops[0]) is None
    for which in ("localized", "complete", "realizable"):
        held = all(getattr(loop, which)() for loop in loops)
        if held and not found[which].holds:
            pair = found[which].counterexample
            assert pair and not within(pair, loops)
        else:
            assert found[which].holds == held


def within(pair: tuple[Case, Case], loops: list[Slow]) -> bool:
    """Whether the loops go as far as a counterexample does."""
    loop = loops[1 if pair[0].judged else 0]
    largest = max(len(collection) for collection in loop.collections)
    return all(
        len(case.ranking) <= loop.depth
        and max(case.relevant, case.others) <= largest / (1 if case.judged else 2)
        for case in pair
    )


@pytest.mark.parametrize("name", TABLE_2.values())
def test_a_slow_loop_finds_the_same_bounds(name: str) -> None:
    """Six shapes at k = 1, 2, 4, … 4,096, by score_gains."""
    metric, grows = parse(name), False
    for shape in range(6):
        sizes = []
        for k in (2**power for power in range(13)):
            half = k // 2
            vector = [
                *[[1] * k, [0] * k, [0] * (k - 1) + [1], [1] + [0] * (k - 1)],
                *[[1 - i % 2 for i in range(k)], [0] * half + [1] * (k - half)],
            ][shape]
            sizes.append(abs(score_gains(at_depth(metric, k), vector)))
        before, step = sizes[-2] - sizes[-3], sizes[-1] - sizes[-2]
        grows |= sizes[-1] > 1 and step > 0.75 * before
    assert properties(metric, depth=2).rows[0].answers["bounded"].holds == (not grows)


def test_the_cases_are_all_there_are() -> None:
    """Σ over rankings of the collections that hold them, counted one by one."""
    spaces = Spaces.to(5)
    for space, signs in (
        (spaces.every[2], "01"),
        (spaces.every[4], "01"),
        (spaces.mixed[2], "01-"),
    ):
        texts = ["".join(ranking) for ranking in product(signs, repeat=space.depth)]
        assert [space.text(place) for place in range(len(texts))] == texts
        assert space.valid.sum() == sum((7 - t.count("1")) * (7 - t.count("0")) for t in texts)
    for space in Spaces.to(6, levels=4).every:  # up to four documents below, in any of 70 ways
        assert space.valid.sum() == 4**space.depth * 70


def test_the_swaps_are_all_there_are() -> None:
    """To depth 5, R and N to 6: swaps × collections; from 6 to 24 one relevant, R 1 or 2; to
    depth 3 in the 122 collections of 3 and 4 … 64."""
    texts = ["".join(ranking) for k in range(1, 6) for ranking in product("01", repeat=k)]

    def swaps(text: str) -> int:
        return sum(text[:place].count("0") for place, sign in enumerate(text) if sign == "1")

    every = sum((7 - t.count("1")) * (7 - t.count("0")) * swaps(t) for t in texts)
    sparse = sum(2 * k * (k - 1) // 2 for k in range(6, 25))
    short = sum(122 * swaps(text) for text in texts if len(text) <= 3)
    found = properties("DCG", depth=5, grades=(0, 1)).rows[0].answers["top-weighted"]
    assert found.cases == every + sparse + short


@pytest.mark.slow
def test_all_rankings_at_once_score_as_one_by_one(catalogue: Properties) -> None:
    """The shared collections are topics that metrics look up: any cell is as score_gains says."""
    rng = np.random.default_rng(0)
    binary, graded = Spaces.to(5), Spaces.to(8, levels=4)
    defined = 0
    for row in catalogue.rows:
        tried = [(space, binary_grades(row.metric)) for space in (binary.every[4], binary.mixed[2])]
        tried += [(space, (0, 1, 2, 3)) for space in (graded.every[3], graded.mixed[2])]
        tried += [(space, (0, 1, 2, 3)) for space in (graded.sparse[2], graded.short[2])]
        for space, grades in tried:
            scored = score_space(row.metric, space, grades)
            cells = np.argwhere(space.valid)
            for ranking, collection in rng.permutation(cells)[:12]:
                case = scored.case(ranking, collection)
                again = of(row.metric, case, grades)
                assert again == pytest.approx(case.score, nan_ok=True), row.name
                defined += not math.isnan(again)
    assert defined >= 3000


@pytest.mark.parametrize(
    ("setting", "plain"),
    [
        ("AP(rel=2)", "AP"),
        ("SDCG(max_rel=3)@9", "SDCG@1"),
        ("nDCG(gains={1:1,2:5,3:2})@20", "nDCG"),
        ("P(judged_only=True)@3", "P@1"),
        ("RBP(p=0.95)@7", "RBP"),
    ],
)
def test_settings_do_not_matter(setting: str, plain: str) -> None:
    """A relevant document has the best grade; a cutoff is k."""
    rows = properties([setting, plain], depth=6).rows
    answers = [[a.holds for n, a in row.answers.items() if n != "SWAP"] for row in rows]
    assert answers[0] == answers[1]


# Metrics of one's own, and the edges.


class Harmonic(WeightedPrecision):
    """Weights 1 / i: their sum grows with the logarithm of the depth."""

    def weight(self, rank: Ints) -> Floats:
        return 1 / rank


class Nothing(Metric):
    """Never has a score."""

    def compute(self, judged: JudgedRankings) -> Floats:
        return np.full(judged.count, np.nan)


class Infinite(Metric):
    """1 / R: infinite where nothing is relevant."""

    def compute(self, judged: JudgedRankings) -> Floats:
        with np.errstate(divide="ignore"):
            return 1 / judged.judged_count(1).astype(np.float64)


class Raising(Metric):
    def compute(self, judged: JudgedRankings) -> Floats:
        raise KeyError("broken")


def test_bounded_is_about_the_whole_of_depths() -> None:
    harmonic = properties(Harmonic(), depth=4).rows[0].answers["bounded"]
    assert harmonic.holds is False and harmonic.counterexample is not None
    assert [case.ranking for case in harmonic.counterexample] == ["1", "11"]
    assert harmonic.remark.startswith("8.895 at depth 4,096")  # ln 4096 + γ
    for name, range_ in (("RBP(p=0.9999)", ""), ("WRR", "from 0 to 2"), ("YAAP", None)):
        answer = properties(name, depth=4).rows[0].answers["bounded"]
        assert answer.holds == (range_ is not None), name
        assert not range_ or answer.remark == range_


def test_a_metric_without_scores_has_no_answers() -> None:
    answers = properties(Nothing(), depth=3).rows[0].answers
    assert {name for name, answer in answers.items() if answer.holds is None} == {*PROPERTIES} - {
        "complete"
    }
    assert answers["complete"].holds is False


def test_infinite_scores_are_scores() -> None:
    answers = properties(Infinite(), depth=3).rows[0].answers
    assert answers["bounded"].holds is False
    assert answers["complete"].holds and answers["localized"].holds is False
    assert equal(np.array([np.inf, np.inf, 1.0]), np.array([np.inf, 1.0, np.inf])).tolist() == [
        True,
        False,
        False,
    ]


def test_what_is_wrong_is_said() -> None:
    for depth in (1, 13):
        with pytest.raises(CallError, match="2 to 12"):
            properties("AP", depth=depth)
    wrong: list[Any] = [(0,), (0, 1, 1), (0, -1), (0, 1.5), range(9)]
    for grades in wrong:
        with pytest.raises(CallError, match="2 to 6 different whole numbers, 0 or more"):
            properties("AP", grades=grades)
    with pytest.raises(CallError, match=r"grade 0 \(not relevant\) is missing"):
        properties("AP", grades=(1, 2))
    with pytest.raises(CallError, match="no metric"):
        properties([])
    with pytest.raises(MetricError):
        properties("ngcd")
    with pytest.raises(MetricError, match="Raising"):
        properties(Raising(), depth=3)


def test_weights_that_vanish_are_noted() -> None:
    notes = properties("RBP(p=0.001)", depth=6).notes
    assert any(note.kind == "too-fine" and note.severity == "warning" for note in notes)
    assert not any("64 bits" in note for note in map(str, properties("RBP(p=0.5)", depth=6).notes))


def test_the_frame_holds_everything(thirteen: Properties) -> None:
    frame = thirteen.frame
    assert frame.height == 13 * 8
    lacking = frame.filter(~frame["holds"])
    assert lacking["first_ranking"].null_count() == 0
    assert lacking.filter(lacking["first_score"].is_null())["property"].unique().to_list() == [
        "complete"
    ]
    assert frame.filter(frame["holds"])["first_ranking"].null_count() == frame["holds"].sum()
    assert (frame["cases"] > 0).all()


def test_the_page_shows_what_is_found(catalogue: Properties) -> None:
    """docs/properties.md has the table of `rankwise metrics properties --all`."""
    page = (Path(__file__).parents[2] / "docs" / "properties.md").read_text(encoding="utf-8")
    assert len(catalogue.rows) >= 50
    missing = []
    for row in catalogue.rows:
        cells = [row.name, *("Y" if a.holds else "N" for a in row.answers.values())]
        line = "| " + " | ".join(cells) + " |"
        if line not in page:
            missing.append(line)
    assert not missing, "run `rankwise metrics properties --all --format markdown` and put these in"


def test_on_trec_8_no_monotonic_score_falls(trec8: Path, thirteen: Properties) -> None:
    """Every eighth run, 50 topics, k = 5, 10, 20: where it says Y none falls, where N some do."""
    runs = sorted((trec8 / "runs").iterdir())[::8]
    depths = (5, 10, 20)
    metrics = [at_depth(row.metric, k) for row in thirteen.rows for k in depths]
    found = score(trec8 / "trec8.qrels.gz", runs, metrics).value
    by_metric = found.reshape(len(thirteen.rows), len(depths), -1)
    for row, values in zip(thirteen.rows, by_metric, strict=True):
        steps = np.diff(values, axis=0)
        assert np.isfinite(steps).sum() > 1000, row.name
        fell = bool((steps[~np.isnan(steps)] < -1e-12).any())
        assert fell != row.answers["monotonic"].holds, row.name


def test_what_is_proved_no_search_refutes(catalogue: Properties) -> None:
    """And of metrics whose gains are scaled by the collection's best grade it is not proved."""
    proofs = {row.name: set(proved(row.metric)) for row in catalogue.rows}
    for row in catalogue.rows:
        assert all(row.answers[name].holds for name in proofs[row.name]), row.name
    assert sum(map(len, proofs.values())) > 25
    assert {"localized", "complete"} <= proofs["RBP(p=0.8)@k"] & proofs["P@k"]
    assert "localized" not in proofs["SDCG@k"] and "localized" in proved(parse("SDCG(max_rel=3)@5"))


class HalvedInTheMiddle(WeightedPrecision):
    """Weights 1/i², halved for cutoffs from 30 to 40."""

    cutoff: int | None = cutoff()

    def weight(self, rank: Ints) -> Floats:
        top = 0.5 if self.cutoff and 30 <= self.cutoff <= 40 else 1.0
        return top / np.asarray(rank, dtype=np.float64) ** 2

    @property
    def weights_fall(self) -> bool:
        return True

    def weight_after(self, depth: Ints) -> Floats:
        return 2.0 / (np.asarray(depth, dtype=np.float64) + 1.0)


def test_nothing_is_proved_of_a_metric_whose_formula_is_not_known() -> None:
    metric = HalvedInTheMiddle()
    falls = [score_gains(HalvedInTheMiddle(cutoff=k), [1] * 40) for k in (29, 30)]
    assert falls == pytest.approx([1.6110, 0.8061], abs=1e-4)  # so it is not monotonic
    found = properties(metric, depth=4)
    assert not proved(metric) and "proved" not in found.frame["status"].to_list()
    reasons = dict(found.evidence().select("property", "evidence").rows())
    assert re.fullmatch(r"no counterexample in [\d,]+ cases to depth 4", reasons["monotonic"])


def test_weights_said_not_to_change_with_k_never_read_the_cutoff(
    catalogue: Properties, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof of *monotonic*: a formula that does not contain k is the same for every k."""
    reads: list[str] = []

    def watched(metric: Metric, name: str) -> object:
        reads.append(name)
        return object.__getattribute__(metric, name)

    tried = 0
    for row in catalogue.rows:
        weights = row.metric.sum_of_weights
        if weights is None or not proved(row.metric):
            continue
        at_ten = at_depth(weights, 10)
        with monkeypatch.context() as watching:
            watching.setattr(type(at_ten), "__getattribute__", watched, raising=False)
            reads.clear()
            at_ten.weight(np.arange(1, 11))
        assert ("cutoff" in reads) != ("monotonic" in proved(row.metric)), row.name
        tried += 1
    assert tried >= 7


@pytest.mark.parametrize("name", ["AP", "RR", "nDCG", "P@1", "RBP", "Bpref", "SetF", "Utility"])
def test_a_metric_turned_upside_down_has_the_same_properties(name: str) -> None:
    """Where less is better, to rise is to fall: the properties are of how good a score is."""
    metric = parse(name)
    kind = type(metric)

    def compute(self: Metric, judged: JudgedRankings) -> Floats:
        return -kind.compute(self, judged)

    made = type(f"Less{kind.__name__}", (kind,), {"compute": compute, "less_is_better": True})
    mirrored = made(**{field.name: getattr(metric, field.name) for field in fields(metric)})
    up, down = (properties(one, depth=5).rows[0].answers for one in (metric, mirrored))
    assert {name: one.holds for name, one in down.items()} == {
        name: one.holds for name, one in up.items()
    }
    for one, other in zip(up.values(), down.values(), strict=True):
        assert one.cases == other.cases
        assert (one.counterexample is None) == (other.counterexample is None)


def test_monotonic_means_the_same_where_less_is_better() -> None:
    """A longer ranking never scores worse: true of the search length, not of a count of misses."""
    found = properties(["SearchLength", "NumNonrelRet"], depth=5)
    length, misses = (row.answers["monotonic"] for row in found.rows)
    assert length.holds and misses.holds is False and misses.counterexample is not None
    assert [(case.ranking, case.score) for case in misses.counterexample] == [("0", 1), ("00", 2)]
    assert found.rows[1].answers["convergent"].holds
