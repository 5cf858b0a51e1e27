"""User models of metrics: the score follows from the probabilities to go on, and what lies below a
depth changes no score by more than the metric says.
"""

from itertools import product

import numpy as np
import pytest

import rankwise
from rankwise import parse, score_gains
from rankwise.arrays import Floats

RANKINGS = ([0, 2, 1, 4, 0, 1], [4, 4, 0, 0, 3, 1], [0, 0, 0, 0, 0, 1], [1, 2, 3, 3, 2, 1])
BINARY = ([0, 1, 1, 0, 0, 1], [1, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0])


def reached(going_on: Floats) -> Floats:
    """The probability to see each rank."""
    return np.cumprod([1.0, *going_on[:-1]])


@pytest.mark.parametrize("grades", RANKINGS)
@pytest.mark.parametrize(
    "name",
    [
        *("NERR8(max_rel=4)@6", "NERR9(max_rel=4)@5", "NERR10(p=0.7,max_rel=4)@6"),
        *("NERR11(T=2,max_rel=4)@6", "INST(T=2,max_rel=4)@6", "INST(T=1,max_rel=4)@4"),
    ],
)
def test_a_score_is_the_gain_per_document_seen(name: str, grades: list[int]) -> None:
    gain = np.array(grades) / 4
    seen = reached(parse(name).continuation(gain))  # type: ignore[arg-type]
    seen[parse(name).cutoff :] = 0.0
    assert score_gains(name, grades) == pytest.approx((seen * gain).sum() / seen.sum())


@pytest.mark.parametrize("relevant", BINARY)
@pytest.mark.parametrize("name", ["RBP(p=0.6)", "RBP2(p1=0.7,p2=0.4)", "RBP2(p1=0.3,p2=0.6)"])
def test_without_a_cutoff_too(name: str, relevant: list[int]) -> None:
    gain = np.array([*relevant, *[0] * 200], np.float64)
    seen = reached(parse(name).continuation(gain))  # type: ignore[arg-type]
    assert score_gains(name, relevant) == pytest.approx((seen * gain).sum() / seen.sum())


@pytest.mark.parametrize("grades", RANKINGS)
def test_err_is_the_expected_reciprocal_rank_where_users_stop(grades: list[int]) -> None:
    metric = parse("ERR(stop=linear,max_rel=4)@5")
    chance = np.array(grades) / 5
    going_on = metric.continuation(chance)
    assert going_on is not None and going_on[4:].tolist() == [0.0, 0.0]  # the cutoff
    stops = (reached(going_on) * chance)[:5]
    assert score_gains(str(metric), grades) == pytest.approx((stops / np.arange(1, 6)).sum())


@pytest.mark.parametrize("relevant", BINARY)
@pytest.mark.parametrize("name", ["AP", "RR", "RR(n=2)", "RR@3"])
def test_a_score_is_the_mean_utility_where_users_stop(name: str, relevant: list[int]) -> None:
    """The score at the stop is the precision for AP, and the reciprocal rank for RR."""
    gain, rank = np.array(relevant, np.float64), np.arange(1, 7)
    going_on = parse(name).continuation(gain)
    assert going_on is not None
    stops = reached(going_on) * (1 - going_on) * gain
    utility = np.cumsum(gain) / rank if name == "AP" else 1 / rank
    if name == "RR@3":
        utility[3:] = 0.0
    if name == "RR(n=2)":
        stops = np.where(np.cumsum(gain) == 2, stops, 0.0)
    assert score_gains(name, relevant) == pytest.approx((stops * utility).sum())


def test_most_metrics_have_no_user_model() -> None:
    assert parse("Bpref").continuation(np.ones(3)) is None and parse("Bpref").most_below(3) is None
    assert parse("nDCG").continuation(np.ones(3)) is None


DEPTH = 7
VECTORS = list(product((0, 1), repeat=DEPTH))
# Whether some two rankings of this length reach the bound.
REACHED = {
    **dict.fromkeys(["P@5", "RBP(p=0.5)@6", "RR@6", "RR(n=2)@6", "RR(k=3)@7"], True),
    **dict.fromkeys(["NERR8@6", "NERR9@6", "NERR10(p=0.6)@6", "NERR11@6", "INST@6"], False),
    **dict.fromkeys(["ERR(max_rel=1)@6", "InvSq@7", "INST(T=2)"], False),
    **dict.fromkeys(["RBP2(p1=0.4,p2=0.2)", "RBP2(p1=0.2,p2=0.4)", "RBP(p=0)"], False),
}


@pytest.mark.parametrize("name", REACHED)
def test_what_lies_below_a_depth_changes_a_score_by_at_most_so_much(name: str) -> None:
    """Against all rankings of seven documents, in pairs that are the same down to the depth."""
    documents = [f"d{place}" for place in range(DEPTH)]
    topics = {"".join(map(str, vector)): vector for vector in VECTORS}
    qrels = {t: dict(zip(documents, vector, strict=True)) for t, vector in topics.items()}
    runs = {"run": dict.fromkeys(topics, documents)}
    scores = rankwise.score(qrels, runs, name)
    value = dict(zip(scores.topics, np.nan_to_num(scores.value[0, 0]).tolist(), strict=True))
    metric, tight = parse(name), 0
    for depth in range(DEPTH + 1):
        most = metric.most_below(depth)
        assert most is not None
        by_top: dict[str, list[float]] = {}
        for topic in topics:
            by_top.setdefault(topic[:depth], []).append(value[topic])
        change = max(max(values) - min(values) for values in by_top.values())
        assert change <= most + 1e-12, depth
        tight += change == pytest.approx(most, abs=1e-12)
    assert tight == DEPTH + 1 or not REACHED[name]
