"""Ahlgren and Grönqvist's sample of judgments, against their words in exact arithmetic."""

from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np
import polars as pl
import pytest

import rankwise
from rankwise.errors import CallError
from rankwise.judging.samples import SHARES, Draw

PERCENTS = [*range(1, 11), *range(15, 100, 5)]


def named(topic: np.ndarray) -> pl.Series:
    """A document for each judgment, in the order of names."""
    return pl.Series([f"d{place:05}" for place in range(len(topic))])


def size_by_the_paper(percent: int, count: int, least: int) -> int:
    """Section 6.3: x, or where x is no integer the greatest integer less than x + 0.5."""
    x = Fraction(percent, 100) * count
    size = int(x) if x.denominator == 1 else ceil(x + Fraction(1, 2)) - 1
    return min(max(size, least), count)


def test_the_levels_are_the_paper_s() -> None:
    assert list(SHARES) == [percent / 100 for percent in PERCENTS]


@pytest.mark.parametrize(("grade", "least"), [(1, 1), (0, 10)])
def test_sizes_are_the_paper_s_for_every_level_and_number(grade: int, least: int) -> None:
    counts = np.arange(400)
    topic = np.repeat(counts, counts)
    draw = Draw.of(topic, np.full(len(topic), grade), named(topic), rel=1, seed=0)
    for percent in PERCENTS:
        kept = np.bincount(topic[draw.kept(percent / 100)], minlength=400)
        assert kept.tolist() == [size_by_the_paper(percent, count, least) for count in range(400)]


def judged(relevant: int, others: int, unusable: int = 0) -> dict[str, dict[str, int]]:
    grades = [1 + place % 3 for place in range(relevant)] + [0] * others + [-1] * unusable
    return {"1": {f"d{place:03}": grade for place, grade in enumerate(grades)}}


def left(qrels: rankwise.Qrels) -> tuple[int, int, int]:
    grades = qrels.frame["grade"]
    return int((grades > 0).sum()), int((grades == 0).sum()), int((grades < 0).sum())


def test_the_example_of_the_paper() -> None:
    assert left(rankwise.judging.sample_judgments(judged(40, 200), 0.95)) == (38, 190, 0)


def test_minima_and_topics_that_have_fewer() -> None:
    assert left(rankwise.judging.sample_judgments(judged(40, 200, 50), 0.01)) == (1, 10, 0)
    assert left(rankwise.judging.sample_judgments(judged(0, 7), 0.01)) == (0, 7, 0)
    assert left(rankwise.judging.sample_judgments(judged(1, 0), 0.01)) == (1, 0, 0)


def test_relevant_is_a_grade_of_rel_or_more() -> None:
    qrels = judged(60, 100)
    grades = rankwise.judging.sample_judgments(qrels, 0.5, rel=3).frame["grade"]
    assert (grades >= 3).sum() == 10  # of 20
    assert (grades < 3).sum() == 70  # of 140


def test_a_smaller_share_is_part_of_a_greater_one_and_the_seed_decides() -> None:
    qrels = judged(40, 200)
    shares = [
        rankwise.judging.sample_judgments(qrels, share, seed=3).frame for share in (0.1, 0.5, 1.0)
    ]
    for small, large in pairwise(shares):
        assert set(small.rows()) < set(large.rows())
    assert shares[2].rows() == rankwise.read_qrels(qrels).frame.rows()
    assert rankwise.judging.sample_judgments(qrels, 0.5, seed=3).frame.equals(shares[1])
    assert not rankwise.judging.sample_judgments(qrels, 0.5, seed=4).frame.equals(shares[1])


def test_every_document_is_as_likely_as_every_other() -> None:
    topic, grade = np.zeros(30, np.int64), np.repeat([1, 0], [10, 20])
    draws = (Draw.of(topic, grade, named(topic), rel=1, seed=seed) for seed in range(2000))
    kept = sum(draw.kept(0.5).astype(int) for draw in draws)
    # Five standard errors of a share of 2,000.
    assert (np.abs(kept / 2000 - 0.5) < 0.06).all()


def test_strata_are_of_each_topic() -> None:
    qrels = judged(20, 40) | {"2": judged(6, 40)["1"]}
    rows = rankwise.judging.sample_judgments(qrels, 0.5).frame.filter(pl.col("grade") > 0)
    assert dict(rows["topic"].value_counts().rows()) == {"1": 10, "2": 3}


@pytest.mark.parametrize("keep", [0, -0.5, 1.01, float("nan")])
def test_a_share_is_more_than_0_and_at_most_1(keep: float) -> None:
    with pytest.raises(CallError, match="must be a fraction"):
        rankwise.judging.sample_judgments(judged(1, 1), keep)
