"""Laws over the whole registry, and agreement with the plain loops."""

from collections import Counter
from dataclasses import fields

import numpy as np
import polars as pl
import pytest
from collections_at_random import Small, ranking_of, small_collections
from hypothesis import given, settings, strategies as st
from reference import SLOW
from sampling import examples
from table import EXAMPLES, LAWS, SHARING

import rankwise
from rankwise.metrics import REGISTRY, parse

LOOPED = [
    example
    for example in EXAMPLES
    if type(parse(example)).__name__ in SLOW and example not in SHARING  # which test_ties.py has
]


def test_every_metric_has_laws_and_a_plain_loop() -> None:
    assert set(REGISTRY) == set(LAWS)
    assert set(REGISTRY) == set(SLOW) | {"SearchLength"}  # which test_ties.py has


def test_every_parameter_is_tried() -> None:
    for name, laws in LAWS.items():
        defaults = {field.name: field.default for field in fields(REGISTRY[name])}
        tried = {
            parameter
            for example in laws.examples
            for parameter, default in defaults.items()
            if getattr(parse(example), parameter) != default
        }
        assert tried == set(defaults), f"{name}: {set(defaults) - tried} never differ from default"


@pytest.mark.parametrize("example", EXAMPLES)
def test_names_round_trip(example: str) -> None:
    metric = parse(example)
    assert parse(str(metric)) == metric
    assert hash(parse(str(metric))) == hash(metric)


def test_columns_agree_with_plain_loops() -> None:
    defined: Counter[str] = Counter()

    @given(small_collections())
    @settings(max_examples=examples(200), deadline=None)
    def law(small: Small) -> None:
        scores = rankwise.score(small.qrels, small.run, LOOPED)
        for example, metric, values in zip(LOOPED, scores.metrics, scores.value[:, 0], strict=True):
            for topic, found in zip(scores.topics, values, strict=True):
                pool = list(small.qrels[topic].values())
                expected = SLOW[type(metric).__name__](metric, ranking_of(small, topic), pool)
                if metric.zero_if_undefined and np.isnan(expected):
                    expected = 0.0  # asked for by trec_eval's name
                assert found == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), (
                    f"{metric} on topic {topic}"
                )
                defined[example] += not np.isnan(found)

    law()
    assert min(defined[example] for example in LOOPED) >= 10


@pytest.mark.slow
def test_scores_lie_where_they_should_and_within_their_bounds() -> None:
    bounded: Counter[str] = Counter()

    @given(small_collections())
    @settings(max_examples=max(12, examples(48)), deadline=None)
    def law(small: Small) -> None:
        for unjudged in ("retrieved", "open"):
            scores = rankwise.score(
                small.qrels, small.run, EXAMPLES, bounds=True, unjudged=unjudged
            )
            assert scores.low is not None and scores.high is not None
            for place, metric in enumerate(scores.metrics):
                laws = LAWS[type(metric).__name__]
                value, low, high = (c[place] for c in (scores.value, scores.low, scores.high))
                defined = np.isfinite(value)
                assert (value[defined] >= laws.least).all()
                assert (value[defined] <= laws.greatest + 1e-12).all()
                known = defined & ~np.isnan(low)
                assert (low[known] <= value[known] + 1e-12).all(), str(metric)
                assert (value[known] <= high[known] + 1e-12).all(), str(metric)
                assert (high[known] <= laws.greatest + 1e-12).all(), str(metric)
                bounded[EXAMPLES[place]] += int(known.sum())

    law()
    assert min(bounded[example] for example in EXAMPLES) >= 10


@given(small_collections(), st.randoms())
@settings(max_examples=examples(48), deadline=None)
def test_the_order_of_topics_and_lines_is_nothing(small: Small, random: object) -> None:
    rows = [(t, d, s) for t, documents in small.run.items() for d, s in documents.items()]
    random.shuffle(rows)  # type: ignore[attr-defined]
    shuffled = pl.DataFrame(rows, schema=["topic", "document", "score"], orient="row")
    turned = dict(reversed(small.qrels.items()))
    _same(
        rankwise.score(small.qrels, small.run, EXAMPLES), rankwise.score(turned, shuffled, EXAMPLES)
    )


@given(small_collections())
@settings(max_examples=examples(48), deadline=None)
def test_topics_can_be_split_and_joined(small: Small) -> None:
    whole = rankwise.score(small.qrels, small.run, EXAMPLES)
    for at, topic in enumerate(whole.topics):
        if topic in small.run:
            alone = rankwise.score({topic: small.qrels[topic]}, {topic: small.run[topic]}, EXAMPLES)
            np.testing.assert_allclose(alone.value[:, 0, 0], whole.value[:, 0, at], rtol=1e-12)
    assert small.run.keys() & set(whole.topics)


@given(small_collections())
@settings(max_examples=examples(48), deadline=None)
def test_names_of_documents_are_nothing_where_no_scores_tie(small: Small) -> None:
    def untied(documents: dict[str, float]) -> dict[str, float]:
        ranked = sorted(documents, key=lambda name: (documents[name], name))
        return {name: float(place) for place, name in enumerate(ranked)}

    run = {topic: untied(documents) for topic, documents in small.run.items()}
    renamed_run = {t: {f"x{n[::-1]}": s for n, s in d.items()} for t, d in run.items()}
    renamed = {t: {f"x{n[::-1]}": g for n, g in d.items()} for t, d in small.qrels.items()}
    _same(
        rankwise.score(small.qrels, run, EXAMPLES), rankwise.score(renamed, renamed_run, EXAMPLES)
    )


@given(small_collections())
@settings(max_examples=examples(48), deadline=None)
def test_runs_do_not_touch_each_other(small: Small) -> None:
    other = {topic: {"d1": 1.0, "d2": 0.5} for topic in small.qrels}
    both = rankwise.score(small.qrels, {"a": other, "b": small.run, "c": other}, EXAMPLES)
    alone = rankwise.score(small.qrels, small.run, EXAMPLES)
    np.testing.assert_allclose(both.value[:, 1], alone.value[:, 0], rtol=1e-12)


def _same(one: rankwise.Scores, other: rankwise.Scores) -> None:
    assert one.topics == other.topics
    np.testing.assert_allclose(one.value, other.value, rtol=1e-12, atol=1e-12)
