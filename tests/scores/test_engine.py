"""Many runs, scored a few at a time, have the scores of all at once."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from calls import call, read_judged

import rankwise
from rankwise import InputError, Run, score
from rankwise.rankings.collection import Collection
from rankwise.rankings.join import judged_runs, read_judgments
from rankwise.rankings.join_run import Join
from rankwise.rankings.loaders import run_loaders
from rankwise.scores import engine
from rankwise.scores.engine import score_judged

MADE = rankwise.simulate(topics=9, systems=7, seed=4)
METRICS = ["AP", "nDCG@10", "RBP(p=0.8,ties=share)", "NumRet", "INST", "Bpref", "Compat", "infAP"]


@pytest.fixture(autouse=True, params=[1, 3, 100], ids=["one", "a few", "all"])
def at_a_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "RUNS", request.param)


def runs_of_all_kinds() -> list[Any]:
    """One lacks a topic, one has a topic without judgments."""
    first, second, *others = MADE.runs
    lacking = first.frame.filter(pl.col("topic") != "3")
    more = second.frame.with_columns(topic=pl.lit("99"))[:5]
    unknown = pl.concat([second.frame, more])
    return [replace(first, frame=lacking), replace(second, frame=unknown), *others]


@pytest.mark.parametrize("ways", [{}, {"order": "file", "depth": 7}])
@pytest.mark.parametrize("unjudged", ["own", "retrieved", "extra=3", "open"])
def test_a_few_runs_at_a_time_score_as_all_at_once(unjudged: str, ways: dict[str, Any]) -> None:
    """Also bounds that other runs change, whose documents are counted before."""
    bounds: Any = {"bounds": True, "unjudged": unjudged}
    found = call(score, MADE.qrels, runs_of_all_kinds(), METRICS, **bounds, **ways)
    kept: Any = {"share_ties": True, "count_unjudged": True}
    judged = read_judged(MADE.qrels, runs_of_all_kinds(), **kept, **ways)
    whole = score_judged(judged, found.metrics, unjudged=unjudged)
    assert len(found.runs) == 7
    assert (found.runs, found.topics, found.outer) == (whole.runs, whole.topics, whole.outer)
    for name in ("value", "low", "high", "present"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))
    assert found.notes == whole.notes
    assert any("returned nothing for 1 of 9 topics" in note for note in map(str, found.notes))


def test_names_are_distinct_over_all_runs(tmp_path: Path) -> None:
    for name in "abcde":
        (tmp_path / name).write_text(f"1 Q0 {name} 1 1.0 bm25\n")
    found = score({"1": {"a": 1}}, [tmp_path / name for name in "abcde"], "RR")
    assert found.to_dict() == {name: {"RR": float(name == "a")} for name in "abcde"}


def test_a_run_of_other_topics_is_named() -> None:
    strange = {"7": {"a": 1.0}}
    with pytest.raises(InputError, match="strange: no topic in common"):
        score({"1": {"a": 1}}, {"good": {"1": {"a": 1.0}}, "strange": strange}, "RR")


def test_runs_are_taken_as_they_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a bar that shows progress needs it: not all before the first is judged."""
    monkeypatch.setattr("rankwise.threads.os.cpu_count", lambda: 1)
    taken: list[int] = []

    def each() -> Iterator[Run]:
        for number in range(20):
            taken.append(number)
            yield replace(MADE.runs[number % 7], name=str(number))

    next(judged_runs(Join(read_judgments(MADE.qrels)), run_loaders(each())))
    assert len(taken) < 20
    taken.clear()
    next(Collection(MADE.qrels, each()).joined_runs())
    assert 0 < len(taken) < 20
    assert len(score(MADE.qrels, each(), "AP").runs) == 20
