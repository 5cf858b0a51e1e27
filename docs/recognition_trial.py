"""Fraction of certain verdicts that are recognised; brute force shows which are certain.

For `make_bounds_page.py`: short random rankings, where all judgments can be tried, and pairs of
runs of TREC-8, where they cannot.
"""

import time
from itertools import product
from random import Random
from typing import NamedTuple

import numpy as np

from rankwise import Metric, Qrels, Run, parse
from rankwise.arrays import Floats
from rankwise.comparison.verdicts import EFFORT, Differences, difference_bounds
from rankwise.rankings.collection import Collection, Needs
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.apply_metric import unjudged_by_topic

METRICS = [
    *["P@10", "RBP", "nDCG@10", "Recall", "Rprec", "SetF", "RR", "ESL", "ERR", "INST", "AP"],
    *["AP@10", "Q", "IPrecMean", "nDCGRel", "Bpref", "RankEff", "Accuracy", "Compat"],
]
HEADER = ["metric", "by", "certain", "by intervals", "recognised", "gap, depth 100", "topics exact"]
PAIRS = [("ok8amxc", "tno8d3"), ("READWARE2", "pir9Attd"), ("Scai8Adhoc", "MITSLStd")]
DEPTH = 100
CASES = 120
SEARCHED = ["AP", "Q", "SP", "ERR", "Bpref", "RankEff", "Compat"]
DEPTHS = (12, 14, 16, 20, 30, 50, 100)
SURE = 1e-9


class Case(NamedTuple):
    """Rankings with their judgments, and under every judgment of the unjudged documents."""

    now: JudgedRankings
    later: JudgedRankings
    ways: int


def case(seed: int) -> Case:
    """Return three runs of up to eight documents, up to four unjudged; a third has one grade."""
    random, names = Random(seed), [f"d{place}" for place in range(8)]
    grades = [0, 1] if seed % 3 == 0 else [0, 1, 2, 3]
    free = random.sample(names, random.randint(1, 4))
    known = {name: random.choice(grades) for name in names if name not in free}
    runs = {run: random.sample(names, random.randint(3, 8)) for run in "ABC"}
    unjudged = sorted({name for found in runs.values() for name in found} & set(free))
    every = product([None, *grades], repeat=len(unjudged))
    ways = [
        known
        | {name: grade for name, grade in zip(unjudged, way, strict=True) if grade is not None}
        for way in every
    ]
    seen = {f"x{grade}": grade for grade in grades}  # all grades are known from another topic

    def judged(topics: list[dict[str, int]]) -> JudgedRankings:
        names = [f"{place:04}" for place in range(len(topics))]
        found = {
            run: {topic: {name: -float(r) for r, name in enumerate(ranking)} for topic in names}
            for run, ranking in runs.items()
        }
        qrels = dict(zip(names, topics, strict=True)) | {"seen": seen}
        return Collection(qrels, found).judged(Needs(documents=True))

    return Case(judged([known]), judged(ways), len(ways))


def is_certain(metric: Metric, tried: Case) -> bool:
    """Return whether one of the first two runs is better under every judgment."""
    scores = metric.at_levels_of(tried.later).scores(tried.later)
    a, b = scores.reshape(3, -1)[:2, : tried.ways]
    apart: Floats = (a - b)[~np.isnan(a - b)]
    return len(apart) > 0 and bool(apart.min() > SURE or apart.max() < -SURE)


def is_recognised(metric: Metric, tried: Case, effort: int) -> bool:
    found = _differences(tried.now, metric, effort)
    return str(found.by_topic.verdict[0, 0]) in ("A", "B")


def _differences(judged: JudgedRankings, metric: Metric, effort: int = EFFORT) -> Differences:
    return difference_bounds(judged, metric, np.array([0]), np.array([1]), effort=effort)


def how(metric: Metric, judged: JudgedRankings) -> str:
    by_formula = metric.normalised or metric.exact_form(judged)
    return "weights" if metric.sum_of_weights else "formula" if by_formula else "search"


def recognised(metric: Metric, cases: list[Case]) -> list[str]:
    """Return the number of certain verdicts, and the percentage that is recognised."""
    certain = [each for each in cases if _tries_all(metric, each) and is_certain(metric, each)]
    shares = [
        f"{100 * np.mean([is_recognised(metric, each, effort) for each in certain]):.0f} %"
        for effort in (0, EFFORT)
    ]
    return [str(len(certain)), *shares]


def _tries_all(metric: Metric, tried: Case) -> bool:
    """Return whether the metric uses only grades that were tried."""
    return bool(metric.possible_grades(tried.now).max() <= tried.now.topic_grades.max())


def rows(pool: Qrels, runs: list[Run]) -> tuple[list[list[str]], float]:
    """Return one row per metric, and the processor seconds of the slowest pair."""
    cases = [case(seed) for seed in range(CASES)]
    by_name = {run.name: run for run in runs}
    pairs = [
        Collection(pool, [by_name[name] for name in pair], depth=DEPTH).judged(
            Needs(documents=True)
        )
        for pair in PAIRS
    ]
    table, slowest = [], 0.0
    for name in METRICS:
        metric, gaps, exact = parse(name), [], []
        for judged in pairs:
            start = time.process_time()
            found = _differences(judged, metric)
            slowest = max(slowest, time.process_time() - start)
            gaps.append(float(found.mean.gap[0]))
            exact.append(float((found.by_topic.gap[0] == 0).mean()))
        by, gap = how(metric, pairs[0].cut_to_depth()), max(gaps)
        shown = "0" if gap == 0 else f"{gap:.2g}"
        table.append([name, by, *recognised(metric, cases), shown, f"{100 * np.mean(exact):.0f} %"])
    return table, slowest


def by_depth(pool: Qrels, runs: list[Run]) -> list[list[str]]:
    """Return, per depth, the number of unjudged documents and the fraction of exact topics."""
    by_name, table = {run.name: run for run in runs}, []
    for depth in DEPTHS:
        exact, unjudged = np.zeros(len(SEARCHED)), 0.0
        for pair in PAIRS:
            two = [by_name[name] for name in pair]
            judged = Collection(pool, two, depth=depth).judged(Needs(documents=True))
            unjudged += unjudged_by_topic(judged.cut_to_depth()).mean() / len(PAIRS)
            for place, name in enumerate(SEARCHED):
                found = _differences(judged, parse(name))
                exact[place] += (found.by_topic.gap[0] == 0).mean() / len(PAIRS)
        table.append([str(depth), f"{unjudged:.0f}", *(f"{100 * share:.0f} %" for share in exact)])
    return table
