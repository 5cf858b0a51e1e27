"""Lengths of documents, judged or not: TBG and U by them, and what is said where they lack."""

from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from reference.reading_time import time_biased_gain, u_measure

import rankwise
from rankwise.errors import CallError, InputError
from rankwise.metrics import TBG, U

GRADES = (None, 0, 1, 2)


def collection(seed: int, topics: int = 6) -> tuple[dict[str, Any], dict[str, Any], dict[str, int]]:
    """Judgments, two runs that share documents, and a length for each document."""
    random = Random(seed)
    lengths = {f"d{at}": random.randrange(0, 3000) for at in range(20)}
    qrels: dict[str, Any] = {str(topic): {} for topic in range(topics)}
    runs: dict[str, Any] = {"a": {}, "b": {}}
    for topic, judged in qrels.items():
        for run in runs.values():
            names = random.sample(sorted(lengths), random.randrange(1, 12))
            run[topic] = {name: float(-at) for at, name in enumerate(names)}
        for name in lengths:
            if (grade := random.choice(GRADES)) is not None:
                judged[name] = grade
        judged["nobody has it"] = 1
    return qrels, runs, lengths


@pytest.mark.parametrize(
    ("metric", "loop"),
    [
        (TBG(), time_biased_gain),
        (TBG(h=40, rel=2, click=0.3, stray=0.6, cutoff=5), time_biased_gain),
        (U(), u_measure),
        (U(L=3000, snippet=100, read=0.5, gains=((1, 1), (2, 5))), u_measure),
    ],
)
@pytest.mark.parametrize("depth", [None, 4])
def test_scores_are_those_of_a_plain_loop(metric: Any, loop: Any, depth: int | None) -> None:
    qrels, runs, lengths = collection(1)
    found = rankwise.score(rankwise.read(qrels, runs, depth=depth, lengths=lengths), metrics=metric)
    for run, topic in product(runs, qrels):
        names = list(runs[run][topic])[: min(depth or 99, metric.cutoff or 99)]
        grades = [qrels[topic].get(name) for name in names]
        expected = loop(metric, grades, [lengths[name] for name in names])
        value = found.to_dict(by_topic=True)[run][str(metric)][topic]
        assert value == pytest.approx(expected, rel=1e-12)
    assert found.value.max() > 0


def test_time_passes_for_unjudged_documents_too() -> None:
    qrels, run = {"1": {"a": 1}}, {"1": {"new": 2.0, "a": 1.0}}
    short, long = (
        rankwise.score(
            rankwise.read(qrels, run, lengths={"a": 10, "new": new}), metrics="TBG"
        ).value.item()
        for new in (0, 5000)
    )
    assert short == pytest.approx(0.64 * 0.77 * 2 ** (-(4.4 + 0.39 * 7.8) / 224))
    assert long < short


@pytest.mark.parametrize("metric", ["TBG", "TBG(h=20)@3", "U(L=2000)", "U(gains={1:1,2:5})"])
@pytest.mark.parametrize("unjudged", ["retrieved", "top=2", "open"])
def test_bounds_hold_all_judgments_of_the_unjudged(metric: str, unjudged: str) -> None:
    tried = 0
    for seed in range(4):
        qrels, runs, lengths = collection(seed, topics=2)
        runs = {"a": {topic: dict(list(d.items())[:6]) for topic, d in runs["a"].items()}}
        found = rankwise.score(
            rankwise.read(qrels, runs, lengths=lengths),
            metrics=metric,
            bounds=True,
            unjudged=unjudged,
        )
        assert found.low is not None and found.high is not None
        for at, topic in enumerate(found.topics):
            names = list(runs["a"][topic])[: 2 if unjudged == "top=2" else None]
            new = [name for name in names if name not in qrels[topic]]
            for grades in product(GRADES, repeat=len(new)):
                judged = {n: g for n, g in zip(new, grades, strict=True) if g is not None}
                all_judged = qrels | {topic: qrels[topic] | judged}
                score = rankwise.score(
                    rankwise.read(all_judged, runs, lengths=lengths), metrics=metric
                ).value[0, 0, at]
                assert found.low[0, 0, at] - 1e-9 <= score <= found.high[0, 0, at] + 1e-9
                tried += 1
    assert tried >= 20


def test_verdicts_hold_all_judgments_that_two_runs_share() -> None:
    for seed in range(2):
        qrels, runs, lengths = collection(seed, topics=2)
        runs = {
            name: {topic: dict(list(d.items())[:4]) for topic, d in run.items()}
            for name, run in runs.items()
        }
        (row,) = rankwise.compare(
            rankwise.read(qrels, runs, lengths=lengths), metrics="TBG"
        ).frame.to_dicts()
        new = [(t, n) for t in qrels for n in {**runs["a"][t], **runs["b"][t]} if n not in qrels[t]]
        assert 0 < len(new) < 7
        for grades in product((None, 0, 1), repeat=len(new)):
            judged = {topic: dict(of) for topic, of in qrels.items()}
            for (topic, name), grade in zip(new, grades, strict=True):
                if grade is not None:
                    judged[topic][name] = grade
            a, b = rankwise.score(
                rankwise.read(judged, runs, lengths=lengths), metrics="TBG"
            ).mean()["value"]
            assert row["low"] - 1e-9 <= b - a <= row["high"] + 1e-9


def test_files_frames_and_dicts_are_the_same(tmp_path: Path) -> None:
    qrels, runs, lengths = collection(2)
    columns = {"document": list(lengths), "length": list(lengths.values())}
    rows = [f"{name} {length}" for name, length in lengths.items()]
    (tmp_path / "lengths.txt").write_text("\n".join(rows) + "\n")
    commas = ["document,length", *(row.replace(" ", ",") for row in rows)]
    (tmp_path / "lengths.csv").write_text("\n".join(commas) + "\n")
    expected = rankwise.score(rankwise.read(qrels, runs, lengths=lengths), metrics="U").value
    given = [pl.DataFrame(columns), pd.DataFrame(columns)]
    given += [tmp_path / "lengths.txt", tmp_path / "lengths.csv"]
    for one in given:
        np.testing.assert_array_equal(
            rankwise.score(rankwise.read(qrels, runs, lengths=one), metrics="U").value, expected
        )


def test_documents_that_are_all_as_long_need_no_table() -> None:
    qrels, runs, lengths = collection(3)
    alike = dict.fromkeys(lengths, 700)
    for metric in (TBG(length=700), U(length=700)):
        plain = rankwise.score(qrels, runs, metric, bounds=True)
        table = rankwise.score(
            rankwise.read(qrels, runs, lengths=alike), metrics=metric, bounds=True
        )
        some = rankwise.score(
            rankwise.read(qrels, runs, lengths={"d1": 700}), metrics=metric, bounds=True
        )
        assert not any("without a length" in note for note in map(str, table.notes))
        assert any("lengths: no length is given for " in note for note in map(str, some.notes))
        for cube in ("value", "low", "high"):
            np.testing.assert_allclose(getattr(plain, cube), getattr(table, cube), rtol=1e-12)
            np.testing.assert_allclose(getattr(plain, cube), getattr(some, cube), rtol=1e-12)


def test_topics_keep_their_lengths_when_others_are_left_out() -> None:
    qrels, runs, lengths = collection(4)
    whole = rankwise.score(rankwise.read(qrels, runs, lengths=lengths), metrics="TBG", bounds=True)
    part = rankwise.score(
        rankwise.read(qrels, runs, only_topics=["3", "5"], lengths=lengths),
        metrics="TBG",
        bounds=True,
    )
    for cube in ("value", "low", "high"):
        np.testing.assert_array_equal(getattr(whole, cube)[:, :, [3, 5]], getattr(part, cube))


QRELS = {"1": {"a": 1}, "2": {"a": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0}}


@pytest.mark.parametrize(
    ("metrics", "lengths", "said"),
    [
        ("TBG", None, r"TBG needs the length of every retrieved document.* TBG\(length=N\)"),
        (
            "U",
            {"a": 3},
            r"U: 1 of 2 retrieved documents has no length \(b\)\. Add .* U\(length=N\)",
        ),
        ("U", {"a": 3, "c": 1}, r"U: 1 of 2 retrieved documents has no length \(b\)"),
        ("AP", {"a": 3, "b": 2}, "but only TBG and U use them"),
        (
            ["TBG", "U"],
            {"a": 3, "b": 2},
            "TBG needs words and U needs characters. Score these metrics in separate",
        ),
        ("U", 7, "`lengths` has the type int. Give a file, a frame or a dict"),
    ],
)
def test_a_call_that_does_not_fit_is_refused(metrics: Any, lengths: Any, said: str) -> None:
    for verb in (rankwise.score, rankwise.compare):
        with pytest.raises(CallError, match=said):
            verb(rankwise.read(QRELS, {"x": RUN, "y": RUN}, lengths=lengths), metrics=metrics)


@pytest.mark.parametrize(
    ("lengths", "said"),
    [
        (
            {"c": 3},
            "Documents with a length: c. Documents of the runs: a, b",
        ),
        ({"a": -1}, "the length of document a is -1. It must be a number"),
        ({"a": "long"}, "the length of document a is 'long'"),
        ({"a": float("nan")}, "the length of document a is nan"),
        ({"a": None}, "the length of document a is None"),
        (pl.DataFrame({"document": ["a", "a"], "length": [1, 2]}), "document a has two lengths"),
        (
            pl.DataFrame({"doc": ["a"], "length": [1]}),
            "needs the columns document and length. Columns: doc, length",
        ),
    ],
)
def test_lengths_that_cannot_be_used_are_refused(lengths: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        rankwise.score(rankwise.read(QRELS, RUN, lengths=lengths), metrics="TBG")
