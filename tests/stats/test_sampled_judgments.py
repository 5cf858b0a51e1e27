"""Estimates from sampled judgments: plain loops, unbiasedness over all samples, and variances."""

from itertools import combinations, product

import numpy as np
import pytest

from rankwise import score_gains
from rankwise.arrays import Ints
from rankwise.stats.sampled_judgments import SampledTopic, inf_ndcg, stat_ap, x_inf_ap

GRADE = np.array([1, 0, 2, 0, 1, 0, 0, 1, 0, 0])
STRATUM = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1, 1])


def drawn(chosen: list[int]) -> SampledTopic:
    sampled = np.zeros(10, np.bool_)
    sampled[chosen] = True
    size = np.bincount(STRATUM)
    chance = np.bincount(STRATUM, sampled)[STRATUM] / size[STRATUM]
    return SampledTopic(STRATUM, sampled, GRADE, chance)


def every_sample(first: int, second: int) -> list[SampledTopic]:
    """All samples of so many documents of either stratum."""
    found = product(combinations(range(3), first), combinations(range(3, 10), second))
    return [drawn([*one, *other]) for one, other in found]


ORDER = np.array([2, 4, 3, 0, 5, 7, 9, 1])  # documents 6 and 8 are not retrieved
RANK = np.array([1, 2, 4, 5, 6, 8, 9, 12])  # ranks 3, 7, 10, 11 are outside the pool


def test_everything_sampled_gives_the_metric() -> None:
    topic = drawn(list(range(10)))
    gains = np.zeros(12)
    gains[RANK - 1] = GRADE[ORDER]
    judged = GRADE.tolist()
    ap = score_gains("AP", gains.tolist(), judged=judged)
    for estimate in (stat_ap, x_inf_ap):
        value, variance = estimate(topic, ORDER, RANK)
        assert value == pytest.approx(ap, abs=1e-4) and variance == pytest.approx(0, abs=1e-9)
    for cutoff in (None, 5):
        value, variance = inf_ndcg(topic, ORDER, RANK, cutoff=cutoff)
        name = "nDCG" if cutoff is None else f"nDCG@{cutoff}"
        assert value == pytest.approx(score_gains(name, gains.tolist(), judged=judged))
        assert variance == pytest.approx(0, abs=1e-12)


def test_the_numerator_of_stat_ap_is_unbiased_over_all_samples() -> None:
    samples = every_sample(2, 3)
    sums, counts = [], []
    for topic in samples:
        value, _ = stat_ap(topic, ORDER, RANK)
        total = topic.relevant(1)
        counts.append(total)
        sums.append(value * total if total else 0.0)
    gains = np.zeros(12)
    gains[RANK - 1] = GRADE[ORDER]
    truth = score_gains("AP", gains.tolist(), judged=GRADE.tolist())
    assert len(samples) == 105
    assert np.mean(counts) == pytest.approx(4)
    assert np.mean(sums) == pytest.approx(4 * truth)


def stat_ap_loop(topic: SampledTopic, document: Ints, rank: Ints) -> float:
    """The published program, product form: pairs are sampled independently."""
    up = seen = 0.0
    for who, place in zip(document, rank, strict=True):
        if topic.sampled[who] and topic.grade[who] > 0:
            up += (1 + seen) / place / topic.probability[who]
            seen += 1 / topic.probability[who]
    relevant = topic.sampled & (topic.grade > 0)
    return float(up / (1 / topic.probability[relevant]).sum())


def x_inf_ap_loop(topic: SampledTopic, document: Ints, rank: Ints) -> float:
    """sample_eval.pl, step by step."""
    up, relevant = 0.0, 0.0
    for stratum in (0, 1):
        here = topic.stratum == stratum
        weight = here.sum() / topic.sampled[here].sum()
        relevant += weight * (topic.sampled & here & (topic.grade > 0)).sum()
    pooled, sampled, good = ([0, 0] for _ in range(3))
    for who, place in zip(document, rank, strict=True):
        stratum = topic.stratum[who]
        if topic.sampled[who] and topic.grade[who] > 0:
            parts = [
                pooled[s] * (good[s] + 0.00001) / (sampled[s] + 0.00003)
                for s in (0, 1)
                if pooled[s]
            ]
            up += (1 + sum(parts)) / place / topic.probability[who]
            good[stratum] += 1
        pooled[stratum] += 1
        sampled[stratum] += int(topic.sampled[who])
    return float(up / relevant)


def inf_dcg_loop(topic: SampledTopic, document: Ints, rank: Ints) -> float:
    """The estimated DCG of sample_eval.pl."""
    found = 0.0
    for stratum in (0, 1):
        rows = [(w, r) for w, r in zip(document, rank, strict=True) if topic.stratum[w] == stratum]
        judged = [(w, r) for w, r in rows if topic.sampled[w]]
        gain = sum(topic.grade[w] / np.log2(r + 1) for w, r in judged)
        found += len(rows) * gain / len(judged) if judged else 0.0
    return float(found)


def test_estimates_are_those_of_the_published_programs() -> None:
    tried = 0
    for topic in every_sample(2, 4):
        loose = SampledTopic(
            topic.stratum, topic.sampled, topic.grade, topic.probability, whole=False
        )
        if not topic.relevant(1) > 0:
            continue
        tried += 1
        assert stat_ap(loose, ORDER, RANK)[0] == pytest.approx(stat_ap_loop(topic, ORDER, RANK))
        assert x_inf_ap(topic, ORDER, RANK)[0] == pytest.approx(x_inf_ap_loop(topic, ORDER, RANK))
        ideal = ideal_dcg(topic)
        expected = inf_dcg_loop(topic, ORDER, RANK) / ideal
        assert inf_ndcg(topic, ORDER, RANK)[0] == pytest.approx(expected)
    assert tried > 90


def ideal_dcg(topic: SampledTopic) -> float:
    """The ideal DCG of estimated counts, in steps of a thousandth of a document."""
    left = {g: float(topic.weight[topic.sampled & (topic.grade == g)].sum()) for g in (2, 1)}
    found, rank = 0.0, 0.0
    for grade, count in left.items():
        end = rank + count
        while rank < end - 1e-9:
            step = min(np.floor(rank + 1e-9) + 1, end) - rank
            found += grade * step / np.log2(np.floor(rank + 1e-9) + 2)
            rank += step
    return found


@pytest.mark.parametrize("estimate", [stat_ap, x_inf_ap, inf_ndcg])
def test_variances_are_about_those_over_samples(estimate: object) -> None:
    """A larger topic: 300 documents in three strata, 400 samples."""
    rng = np.random.default_rng(7)
    size = np.array([30, 70, 200])
    stratum = np.repeat(np.arange(3), size)
    chance = np.array([0.6, 0.25, 0.1])[stratum]
    grade = (rng.random(300) < np.array([0.5, 0.3, 0.1])[stratum]).astype(np.int64)
    order = rng.permutation(300)[:250]
    order = order[np.argsort(stratum[order] + rng.random(250), kind="stable")]
    rank = np.sort(rng.permutation(400)[:250]) + 1
    values, variances = [], []
    for _ in range(400):
        sampled = np.zeros(300, np.bool_)
        for one in range(3):
            rows = np.flatnonzero(stratum == one)
            count = round(chance[rows[0]] * len(rows))
            sampled[rng.choice(rows, count, replace=False)] = True
        exact = (np.bincount(stratum, sampled) / size)[stratum]
        found = estimate(SampledTopic(stratum, sampled, grade, exact), order, rank)  # type: ignore[operator]
        values.append(found[0])
        variances.append(found[1])
    whole = SampledTopic(stratum, np.ones(300, np.bool_), grade, np.ones(300))
    truth = estimate(whole, order, rank)[0]  # type: ignore[operator]
    assert np.mean(values) == pytest.approx(truth, rel=0.05)
    assert np.sqrt(np.mean(variances)) == pytest.approx(np.std(values), rel=0.2)
    inside = np.abs(np.array(values) - truth) <= 1.96 * np.sqrt(variances)
    assert inside.mean() > 0.88


def test_no_relevant_document_in_the_sample_is_undefined() -> None:
    topic = drawn([1, 3])
    for estimate in (stat_ap, x_inf_ap, inf_ndcg):
        assert np.isnan(estimate(topic, ORDER, RANK)).all()
