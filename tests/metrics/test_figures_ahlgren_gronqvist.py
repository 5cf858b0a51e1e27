"""Ahlgren and Grönqvist, Evaluation of retrieval effectiveness with incomplete relevance data,
Information Processing and Management 44, 2008 (online 2007): the figures it prints."""

from itertools import combinations
from math import comb
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pytest
from scipy.stats import kendalltau

import rankwise
from rankwise import score_gains
from rankwise.arrays import Bools, Floats

M1 = [int(rank in {1, 14}) for rank in range(1, 31)]
M2 = [int(rank in {1, 30}) for rank in range(1, 31)]


def every_ranking(length: int, relevant: int) -> list[list[int]]:
    return [
        [int(place in chosen) for place in range(length)]
        for chosen in combinations(range(length), relevant)
    ]


def test_section_4_2_documents_not_retrieved_count_as_ranked_below() -> None:
    judged = [1, 1, 0, 0, 0, 0]
    assert score_gains("RankEff", [1, 1, 0, 0, 0, 0], judged=judged) == 1
    assert score_gains("RankEff", [1, 1, 0, 0], judged=judged) == 1


def test_section_4_3_relevant_documents_not_retrieved_contribute_nothing() -> None:
    judged = [1, 1, 1, 1] + [0] * 20
    assert score_gains("RankEff", [1, 1], judged=judged) == pytest.approx(2 / 4)
    assert score_gains("bpref-10", [1, 1], judged=judged) == pytest.approx(2 / 4)


def test_equation_4_divides_by_10_and_r_where_fewer_documents_are_judged_non_relevant() -> None:
    """N = 10, R = 1, the relevant document at rank 6: 1 − 5/11; by min(N, R + 10) 1 − 5/10."""
    ranking = [0] * 5 + [1] + [0] * 5
    assert score_gains("bpref-10", ranking) == pytest.approx(6 / 11)
    assert score_gains("bpref-10", ranking) == pytest.approx(0.5455, abs=5e-5)
    assert score_gains("Bpref(k=10)", ranking) == 0.5
    assert rankwise.parse("bpref-10") == rankwise.parse("Bpref(k=10,norm=full)")
    assert score_gains("Bpref(norm=full)", [0, 1, 1]) == pytest.approx(1 / 2)  # equation 1


def test_table_4_rankeff_tells_apart_what_bpref_10_does_not() -> None:
    assert score_gains("bpref-10", M1) == score_gains("bpref-10", M2) == 0.5
    assert score_gains("RankEff", M1) == pytest.approx((28 + 16) / (2 * 28))
    assert score_gains("RankEff", M1) == pytest.approx(0.786, abs=5e-4)
    assert score_gains("RankEff", M2) == 0.5


def test_section_5_bpref_is_rankeff_over_the_r_highest_nonrelevant_documents() -> None:
    rankings = list(every_ranking(8, 3))
    assert len(rankings) == comb(8, 3)
    for ranking in rankings:
        nonrelevant = np.cumsum(1 - np.array(ranking))
        kept = [
            grade if grade or above <= 3 else None
            for grade, above in zip(ranking, nonrelevant, strict=True)
        ]
        assert score_gains("Bpref", ranking) == pytest.approx(score_gains("RankEff", kept))


def test_section_5_they_are_one_where_half_of_the_judged_documents_are_relevant() -> None:
    rankings = list(every_ranking(8, 4))
    assert len(rankings) == comb(8, 4)
    for ranking in rankings:
        assert score_gains("Bpref", ranking) == pytest.approx(score_gains("RankEff", ranking))


def test_section_5_rankeff_needs_relevant_documents_and_others() -> None:
    assert np.isnan(score_gains("RankEff", [0, 0]))
    assert np.isnan(score_gains("RankEff", [1, 1]))


@pytest.mark.parametrize("metric", ["RankEff", "AP"])
def test_appendix_these_rise_on_every_swap(metric: str) -> None:
    tried = 0
    for ranking in every_ranking(7, 3):
        before = score_gains(metric, ranking)
        for high, low in combinations(range(7), 2):
            if (ranking[high], ranking[low]) == (0, 1):
                swapped = list(ranking)
                swapped[high], swapped[low] = 1, 0
                assert score_gains(metric, swapped) > before + 1e-9
                tried += 1
    assert tried == comb(7, 3) * 3 * 4 / 2  # half of the pairs of a 0 and a 1 are in this order


def test_appendix_bpref_10_need_not_rise_on_a_swap() -> None:
    """Ranks 14 and 30 of M2 change places: below the 10 + r highest non-relevant documents."""
    swapped = list(M2)
    swapped[13], swapped[29] = swapped[29], swapped[13]
    assert swapped == M1
    assert score_gains("bpref-10", swapped) == score_gains("bpref-10", M2)


class OnTrec8(NamedTuple):
    """The runs in one order of their documents; `kept` are those that Section 2 keeps."""

    judged: rankwise.JudgedRankings
    kept: Bools

    def of_kept(self, values: Floats) -> Floats:
        """Runs × topics."""
        return values.reshape(129, 50)[self.kept]

    def means(self, metric: str) -> Floats:
        return self.of_kept(rankwise.parse(metric).scores(self.judged)).mean(axis=1)


def read(folder: Path, order: Literal["rank", "score"]) -> OnTrec8:
    runs = rankwise.read_runs(sorted((folder / "runs").glob("*.gz")), order=order)
    judged = rankwise.Collection(
        rankwise.read_qrels(folder / "trec8.qrels.gz"), runs, order=order
    ).judged()
    length = judged.length.reshape(129, 50)
    kept = (length.sum(axis=1) >= 0.95 * 50 * 1000) & (length > 0).all(axis=1)
    return OnTrec8(judged, kept)


@pytest.fixture(scope="module")
def by_rank(trec8: Path) -> OnTrec8:
    """By the runs' own ranks: so the paper counted."""
    return read(trec8, "rank")


@pytest.fixture(scope="module")
def by_score(trec8: Path) -> OnTrec8:
    """By score, as trec_eval does: so the paper measured (by rank, tau would be 0.934)."""
    return read(trec8, "score")


def test_table_1_relevant_and_judged_documents(by_rank: OnTrec8) -> None:
    judged = by_rank.judged
    assert round(float(judged.judged_count(1)[:50].mean()), 1) == 94.6
    assert round(float(judged.judged_count(0)[:50].mean()), 1) == 1736.6


@pytest.mark.parametrize(
    ("depth", "digits", "printed"),
    [(1000, (1, 1, 1), [997.5, 53.2, 555.3]), (100, (2, 1, 2), [99.97, 21.0, 4.91])],
)
def test_tables_2_and_3_what_the_runs_retrieve(
    by_rank: OnTrec8, depth: int, digits: tuple[int, ...], printed: list[float]
) -> None:
    top = by_rank.judged.top(depth)
    retrieved, relevant = (rankwise.parse(name).scores(top) for name in ("NumRet", "NumRelRet"))
    unjudged = retrieved - rankwise.parse("Judged").scores(top) * retrieved
    found = [float(by_rank.of_kept(values).mean()) for values in (retrieved, relevant, unjudged)]
    assert by_rank.kept.sum() == 122
    assert [round(value, places) for value, places in zip(found, digits, strict=True)] == printed


@pytest.mark.parametrize(
    ("metric", "best", "variance"),
    [("AP", 0.413, 0.0081), ("bpref-10", 0.455, 0.0072), ("RankEff", 0.745, 0.0252)],
)
def test_table_5_the_best_run_and_the_spread(
    by_score: OnTrec8, metric: str, best: float, variance: float
) -> None:
    """The column headed σ, "standard deviation", holds the population variance.

    The last is 0.0252500 here, on the edge between 0.0252 and 0.0253.
    """
    means = by_score.means(metric)
    assert round(float(means.max()), 3) == best
    assert means.var() == pytest.approx(variance, abs=5.01e-5)


@pytest.mark.parametrize(
    ("one", "other", "tau"),
    [("AP", "bpref-10", 0.932), ("AP", "RankEff", 0.856), ("bpref-10", "RankEff", 0.823)],
)
def test_table_8_how_alike_the_metrics_order_the_runs(
    by_score: OnTrec8, one: str, other: str, tau: float
) -> None:
    found = kendalltau(by_score.means(one), by_score.means(other)).statistic
    assert round(float(found), 3) == tau
