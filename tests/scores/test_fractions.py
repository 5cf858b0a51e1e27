"""Judgments that are fractions: their own gains, levels for what needs them, written as read."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rankwise import CallError, explain, overview, read, read_qrels, score, score_gains, write_qrels
from rankwise.errors import WrongParameter
from rankwise.judging import pool, sample_judgments
from rankwise.metrics import parse

LABELS = {"1": {"a": 0.3, "b": 0.5, "c": 1.0, "d": 0.0}, "2": {"a": 0.9, "b": 0.3, "e": -0.5}}
RUN = {"1": ["a", "b", "z", "d", "c"], "2": ["q", "b", "a", "e"]}


def value(metric: str, qrels: object = LABELS) -> list[float]:
    return [float(found) for found in score(qrels, RUN, metric).value.ravel()]  # type: ignore[call-overload]


def labels_of(topic: str) -> list[float]:
    """The label at each rank, 0 where there is none."""
    return [max(LABELS[topic].get(document, 0.0), 0.0) for document in RUN[topic]]


def test_a_fraction_is_its_own_gain() -> None:
    discount = 1 / np.log2(np.arange(2, 7))
    expected = [float(np.dot(labels_of(t), discount[: len(RUN[t])])) for t in LABELS]
    assert value("DCG") == pytest.approx(expected)
    weight = 0.5 ** np.arange(1, 6)
    expected = [float(np.dot(labels_of(t), weight[: len(RUN[t])])) for t in LABELS]
    assert value("RBP(p=0.5)") == pytest.approx(expected)


def test_what_is_above_zero_is_relevant() -> None:
    binary = {t: {d: int(label > 0) for d, label in row.items()} for t, row in LABELS.items()}
    for metric in ("AP", "P@2", "RR", "Recall@3", "Rprec", "Bpref"):
        assert value(metric) == value(metric, binary)


@pytest.mark.parametrize("rel", [0.2, 0.3, 0.4, 0.5, 0.7, 0.95])
@pytest.mark.parametrize("metric", ["AP", "P@2", "RR", "Recall@3", "NumRel", "Bpref"])
def test_relevance_starts_at_a_fraction(metric: str, rel: float) -> None:
    binary = {t: {d: int(label >= rel) for d, label in row.items()} for t, row in LABELS.items()}
    name, at, cutoff = metric.partition("@")
    found = value(f"{name}(rel={rel}){at}{cutoff}")
    assert found == pytest.approx(value(metric, binary), nan_ok=True)


@pytest.mark.parametrize("rel", [0.2, 0.3, 0.5])
def test_rbp_with_a_threshold_gains_one_from_there(rel: float) -> None:
    binary = {t: {d: int(label >= rel) for d, label in row.items()} for t, row in LABELS.items()}
    assert value(f"RBP(p=0.8,rel={rel})") == pytest.approx(value("RBP(p=0.8)", binary))


def test_a_threshold_between_whole_grades_is_the_next_grade() -> None:
    whole = {"1": {"a": 1, "b": 2}, "2": {"a": 2, "b": 1}}
    assert value("AP(rel=1.5)", whole) == value("AP(rel=2)", whole)


def test_a_threshold_has_no_meaning_where_gains_fall_with_grades() -> None:
    with pytest.raises(WrongParameter, match="gains that increase with the grades"):
        score(read({"1": {"a": 1, "b": 2}}, RUN, gains={1: 3, 2: 0.1}), metrics="AP(rel=0.5)")


def test_bounds_hold_with_a_threshold() -> None:
    found = score(LABELS, RUN, ["AP(rel=0.5)", "RBP(p=0.8,rel=0.5)", "nDCG"], bounds=True)
    assert found.low is not None and found.high is not None
    assert (found.low <= found.value + 1e-12).all() and (found.value <= found.high + 1e-12).all()
    assert (found.high > found.low).any()


def test_a_metric_prints_its_threshold_and_reads_it_back() -> None:
    assert str(parse("AP(rel=0.5)@10")) == "AP(rel=0.5)@10"
    assert str(parse("AP(rel=1.0)")) == "AP"


def test_a_note_says_what_fractions_are_taken_for() -> None:
    [note] = [note for note in map(str, score(LABELS, RUN, "AP").notes) if "fractional" in note]
    assert "(-0.5, 0.3, 0.5, …) are used directly as gains" in note
    assert not any(
        "fractional grades (" in n for n in map(str, score({"1": {"a": 1.0}}, RUN, "AP").notes)
    )


def test_gains_override_fractions_read_before_or_now() -> None:
    gains = {0.3: 0, 0.5: 2, 0.9: 2, 1: 5}
    now = score(read(LABELS, RUN, gains=gains), metrics="DCG").value
    before = score(read(read_qrels(LABELS), RUN, gains=gains), metrics="DCG").value
    assert now.tolist() == before.tolist() != score(LABELS, RUN, "DCG").value.tolist()
    with pytest.raises(CallError, match="already have gains"):
        score(read(read_qrels(LABELS, gains=gains), RUN, gains=gains), metrics="DCG")


def test_gains_beyond_one_are_refused_with_what_to_do() -> None:
    large = {"1": {"a": 0.5, "b": 2.5}}
    with pytest.raises(
        WrongParameter, match=r"gain 2\.5\. Use `gains` to set other gains, .* by 2\.5"
    ):
        score(large, RUN, "RBP(p=0.5)")
    scaled = score(read(large, RUN, gains={0.5: 0.2, 2.5: 1}), metrics="RBP(p=0.5)").value[0, 0, 0]
    assert scaled == pytest.approx(0.5 * 0.2 + 0.25 * 1)


def test_fractions_are_written_as_they_were_read(tmp_path: Path) -> None:
    write_qrels(LABELS, tmp_path / "qrels")
    again = read_qrels(tmp_path / "qrels")
    assert again.as_read.rows() == read_qrels(LABELS).as_read.rows()
    assert again.as_read["grade"].to_list() == [0.3, 0.5, 1.0, 0.0, 0.9, 0.3, -0.5]
    assert sample_judgments(LABELS, 1.0).as_read.rows() == again.as_read.rows()
    pooled = pool(RUN, 2, qrels=LABELS)
    assert pooled["grade"].to_list() == [0.3, 0.5, 0.3]
    assert explain(LABELS, RUN, "AP", "1").frame["grade"].to_list() == [0.3, 0.5, None, 0.0, 1.0]


def test_thousands_of_levels_are_read_and_scored() -> None:
    labels = np.random.default_rng(0).random(5000)
    qrels = {"1": {f"d{n}": float(label) for n, label in enumerate(labels)}}
    run = {"1": [f"d{n}" for n in range(5000)]}
    assert score(qrels, run, "DCG@3").value[0, 0, 0] == pytest.approx(
        float(np.dot(labels[:3], 1 / np.log2([2, 3, 4])))
    )


@pytest.mark.parametrize("metric", ["nDCG", "AP", "P@2", "Bpref", "RBP(p=0.5)", "ERR", "Recall@1"])
def test_grades_of_one_ranking_score_as_judgments_and_a_run_do(metric: str) -> None:
    grades = (-2, -0.5, 0, 0.25, 0.5, 1)
    vectors = [vector for n in (1, 2, 3) for vector in product(grades, repeat=n) if max(vector) > 0]
    vectors = [vector for vector in vectors if any(grade != int(grade) for grade in vector)]
    assert len(vectors) > 100
    pools = {
        str(topic): {f"d{at}": grade for at, grade in enumerate(vector)}
        for topic, vector in enumerate(vectors)
    }
    scores = score(pools, {topic: list(pool) for topic, pool in pools.items()}, metric)
    expected = dict(zip(scores.topics, scores.value.ravel().tolist(), strict=True))
    for topic, vector in enumerate(vectors):
        assert score_gains(metric, vector) == pytest.approx(expected[str(topic)], abs=1e-12), vector


@pytest.mark.parametrize("rel", [0.3, 0.5, 1, 1.5, 2, 2.5])
@pytest.mark.parametrize("grades", [(0, 1, 2), (0.0, 0.5, 2.0), (-1, 1, 3)])
def test_an_overview_counts_the_relevant_documents_that_metrics_count(
    grades: tuple[float, ...], rel: float
) -> None:
    qrels = {"1": dict(zip("abc", grades, strict=True)), "2": {"a": grades[1], "b": grades[1]}}
    runs = {"run": {"1": ["a", "b", "c"], "2": ["b", "a"]}}
    counted = score(qrels, runs, f"NumRel(rel={rel:g})").value.sum()
    assert overview(qrels, runs, rel=rel).by_topic["relevant"].sum() == counted
    if rel != 1:  # the default: every grade above 0 is relevant
        assert counted == sum(g >= rel for pool in qrels.values() for g in pool.values())
