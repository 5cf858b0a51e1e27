"""A table of gains reaches every metric that has gains, and the others say that it does not."""

from dataclasses import fields

import numpy as np
import pytest

import rankwise
from rankwise.metrics import REGISTRY, parse

QRELS = {"1": {"a": 2, "b": 1, "c": 0, "d": 1}, "2": {"a": 1, "e": 2}}
RUN = {"1": {"b": 3.0, "c": 2.0, "a": 1.0}, "2": {"x": 2.0, "a": 1.0, "e": 0.5}}
TABLE: dict[float, float] = {0: 0, 1: 0.3, 2: 0.9}
WITH_GAINS = [
    name for name, metric in REGISTRY.items() if "gains" in {f.name for f in fields(metric)}
]


def written(name: str, gains: str = "") -> str:
    needs_cutoff = REGISTRY[name].__dataclass_fields__.get("cutoff")
    at = "@3" if needs_cutoff is not None else ""
    given = [f"gains={gains}"] if gains else []
    given += ["length=500"] if REGISTRY[name].reads_lengths else []
    return f"{name}({','.join(given)}){at}" if given else f"{name}{at}"


def test_there_are_metrics_to_try() -> None:
    assert len(WITH_GAINS) > 20
    assert {"RBP", "InvSq", "INSQ", "INST", "BPM", "NERR8", "ERR", "nERR", "nDCG"} <= {*WITH_GAINS}


@pytest.mark.parametrize("least", [2, 3])
def test_a_topic_without_a_grade_above_min_rel_scores_0(least: int) -> None:
    found = rankwise.score(QRELS, RUN, f"SDCG(min_rel={least})@3", bounds=True)
    assert found.low is not None and found.high is not None
    assert not found.value.any() and not found.low.any() and not found.high.any()


@pytest.mark.parametrize("name", WITH_GAINS)
def test_the_gains_of_the_qrels_are_those_of_the_metric(name: str) -> None:
    metrics = [written(name), written(name, "{0:0,1:0.3,2:0.9}")]
    given = rankwise.score(rankwise.read(QRELS, RUN, gains=TABLE), metrics=metrics[0], bounds=True)
    own = rankwise.score(QRELS, RUN, metrics[1], bounds=True)
    for cube in ("value", "low", "high"):
        np.testing.assert_allclose(getattr(given, cube), getattr(own, cube), rtol=1e-12)
    assert not [note for note in map(str, given.notes) if "gains" in note]
    plain = rankwise.score(QRELS, RUN, metrics[0])
    flat = rankwise.score(
        rankwise.read(QRELS, RUN, gains={0: 0, 1: 0.9, 2: 0.3}), metrics=metrics[0]
    )
    assert not (plain.value == flat.value).all(), "the table makes no difference"


@pytest.mark.parametrize("name", ["AP", "P@3", "RBP(rel=2)", "ERR(max_rel=2)", "INSQ(max_rel=2)"])
def test_a_metric_that_does_not_use_the_gains_says_so(name: str) -> None:
    found = rankwise.score(rankwise.read(QRELS, RUN, gains=TABLE), metrics=[name, "nDCG"])
    assert found.value[0].tolist() == rankwise.score(QRELS, RUN, name).value[0].tolist()
    what = "only whether a document is relevant, not its grade"
    if "max_rel" in name:  # which scales the grades
        what = "the grades themselves, not the gains"
    assert f"{parse(name)} uses {what}" in map(str, found.notes)


@pytest.mark.parametrize("name", ["RBP", "ERR", "INST", "BPM@3"])
def test_gains_above_one_are_refused_where_a_score_would_leave_its_range(name: str) -> None:
    with pytest.raises(rankwise.errors.WrongParameter, match="needs gains between 0 and 1"):
        rankwise.score(rankwise.read(QRELS, RUN, gains="5:1"), metrics=name)


def test_gains_reach_qrels_that_are_read_already() -> None:
    qrels = rankwise.read_qrels(QRELS)
    given = rankwise.score(rankwise.read(qrels, RUN, gains=TABLE), metrics="nDCG").value.tolist()
    assert (
        given
        == rankwise.score(rankwise.read(QRELS, RUN, gains=TABLE), metrics="nDCG").value.tolist()
    )
    with pytest.raises(rankwise.CallError, match="already have gains"):
        rankwise.score(
            rankwise.read(rankwise.read_qrels(QRELS, gains=TABLE), RUN, gains=TABLE), metrics="nDCG"
        )


def test_a_fraction_as_rel_is_the_lowest_gain_that_is_relevant() -> None:
    judged = rankwise.read(QRELS, RUN, gains=TABLE).judged()
    for rel, grade in ((0.2, 1), (0.3, 1), (0.31, 2), (0.9, 2), (0.95, 3)):
        found = parse(f"AP(rel={rel})").at_levels_of(judged)
        assert found == parse(f"AP(rel={grade})"), rel
    assert parse("AP(rel=2)").at_levels_of(judged) == parse("AP(rel=2)")
    assert parse("nDCG").at_levels_of(judged) == parse("nDCG")
    inner = parse("IA(AP(rel=0.5))").at_levels_of(judged)
    assert inner == parse("IA(AP(rel=2))")
    # RBP would otherwise take the table of the qrels for its gains.
    assert parse("RBP(rel=0.2)").at_levels_of(judged) == parse("RBP(rel=1,gains={1:1,2:1})")
    turned = rankwise.read(QRELS, RUN, gains={1: 0.9, 2: 0.3}).judged()
    with pytest.raises(rankwise.errors.WrongParameter, match="gains that increase with the grades"):
        parse("AP(rel=0.5)").at_levels_of(turned)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("DCG(gains={0:0.5,1:1})", 0.5 + 1 / np.log2(3)),
        ("nDCG(gains={0:0.5,1:1})", (0.5 + 1 / np.log2(3)) / (1 + 0.5 / np.log2(3))),
        ("RBP(p=0.5,gains={0:0.5,1:1})", 0.5 * 0.5 + 0.25),
        ("ERR(gains={0:0.2,1:0.5})", 0.2 + 0.8 * 0.5 / 2),
        ("NERR8(gains={0:0.2,1:0.5})@2", (0.2 + 0.8 * 0.5) / (1 + 0.8)),
        ("iRBU(p=0.9,gains={0:0.5,1:1})", 0.9 * 0.25 + 0.81 * 0.75 * 0.5),
        ("U(length=100,L=1000,snippet=100,read=0,gains={0:0.5,1:1})", 0.5 * 0.9 + 0.8),
        ("BestGain(gains={0:2,1:1})@2", 2.0),
    ],
)
def test_a_table_may_give_grade_0_a_gain(metric: str, expected: float) -> None:
    assert rankwise.score_gains(metric, [0, 1]) == pytest.approx(expected)
    own = parse(metric).gains
    plain = parse(metric).altered(gains=None)
    of_qrels = rankwise.read({"1": {"a": 0, "b": 1}}, {"1": ["a", "b"]}, gains=dict(own or ()))
    assert rankwise.score(of_qrels, metrics=[plain]).value.item() == pytest.approx(expected)
