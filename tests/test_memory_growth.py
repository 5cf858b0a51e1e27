"""Memory grows as docs/scale.md says: a collection of twice the size, and twice the resamples.

Peaks are those of NumPy's arrays and Python's objects (`tracemalloc`), so they do not depend on
the machine. The second call of a verb is measured, as the first imports what it needs, and in one
thread: with several the peak depends on which of them meet. Then peaks repeat to some 100 bytes.
"""

import concurrent.futures
import tracemalloc
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

import rankwise
from rankwise.judging import plan_judgments
from rankwise.simulation import Simulated

pytestmark = pytest.mark.slow

RUNS, TOPICS, DEPTH = 12, 20, 200
TWICE = 2.3  # verbs measure 1.2 to 2.05; what grows with the square would be 4
PAGE = Path(__file__).parents[1] / "docs" / "scale.md"

Verb: TypeAlias = Callable[[Simulated], Any]


@cache
def collection(runs: int = RUNS, topics: int = TOPICS, depth: int = DEPTH) -> Simulated:
    return rankwise.simulate(topics=topics, systems=runs, depth=depth, pool_depth=20, seed=1)


class InTurn(Executor):
    """Does each piece of work when it is submitted, so that peaks do not depend on threads."""

    def __init__(self, workers: int) -> None:
        pass

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(function(*arguments, **options))
        return done


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent.futures, "ThreadPoolExecutor", InTurn)


def peak(call: Callable[[], Any]) -> int:
    """Return the bytes in use at the most."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


VERBS: dict[str, Verb] = {
    "score": lambda made: rankwise.score(made.qrels, made.runs, ("AP", "nDCG@10"), bounds=True),
    "compare": lambda made: rankwise.compare(made.qrels, made.runs, ("AP", "nDCG"), effort=100_000),
    "predict": lambda made: rankwise.predict(made.qrels, made.runs, "AP", resamples=20),
    "plan": lambda made: plan_judgments(made.qrels, made.runs, "AP", 10),
    "overview": lambda made: rankwise.overview(made.qrels, made.runs),
    "correlate": lambda made: rankwise.correlate(made.qrels, made.runs),
    "which_metric": lambda made: rankwise.which_metric(
        made.qrels, made.runs, ("AP", "P@10"), resamples=10
    ),
    "stability, pool-depth": lambda made: rankwise.stability(made.qrels, made.runs, "AP"),
    "stability, sample": lambda made: rankwise.stability(
        made.qrels, made.runs, "AP", by="sample", at=(0.5,), resamples=3
    ),
    "stability, shard": lambda made: rankwise.stability(
        made.qrels, made.runs, "AP", by="shard", at=(0.5,), resamples=2
    ),
}


def growth(verb: Verb, small: Simulated, large: Simulated) -> float:
    once, twice = (peak(partial(verb, made)) for made in (small, large))
    assert once > 1_000_000  # else what does not grow would hide what does
    return twice / once


@pytest.mark.parametrize("verb", VERBS)
def test_twice_the_topics_take_twice_the_memory(verb: str) -> None:
    assert growth(VERBS[verb], collection(), collection(topics=2 * TOPICS)) <= TWICE


def half_and_all_runs() -> tuple[Simulated, Simulated]:
    """Return collections of the same judgments: a pool of more runs judges more of each."""
    runs = collection(runs=2 * RUNS)
    return replace(runs, runs=runs.runs[::2]), runs


@pytest.mark.parametrize("verb", VERBS)
def test_twice_the_runs_take_twice_the_memory(verb: str) -> None:
    """Pairs, of which there are four times as many, take little beside the rankings."""
    assert growth(VERBS[verb], *half_and_all_runs()) <= TWICE


def test_memory_of_all_pairs_of_rankings_is_noticed() -> None:
    def all_pairs(made: Simulated) -> Any:
        rankings = len(made.runs) * made.qrels.frame["topic"].n_unique()
        return np.ones((rankings, rankings, 4))

    assert growth(all_pairs, collection(), collection(topics=2 * TOPICS)) > TWICE
    assert growth(all_pairs, *half_and_all_runs()) > TWICE


# With so many pairs, topics and resamples an array of all three has hundreds of megabytes.
MANY_RUNS, MANY_TOPICS, MANY_DRAWS = 24, 40, 4_000
CUBE = MANY_RUNS * (MANY_RUNS - 1) // 2 * MANY_TOPICS * MANY_DRAWS * 8

TESTS = ("permutation", "bootstrap", "randomised-tukey")
METHODS = ("bootstrap", "swap", "disjoint-swap", "error-rate", "permutation", "randomised-tukey")


@cache
def many_scores() -> rankwise.Scores:
    made = collection(MANY_RUNS, MANY_TOPICS, 20)
    return rankwise.score(made.qrels, made.runs, "AP")


def compared(test: Any, draws: int) -> Any:
    return rankwise.compare(many_scores(), test=test, resamples=draws)


def discriminated(method: Any, draws: int) -> Any:
    return rankwise.discriminate(many_scores(), method=method, resamples=draws)


RESAMPLED: dict[str, Callable[[int], Any]] = {
    **{f"compare, {test}": partial(compared, test) for test in TESTS},
    **{f"discriminate, {method}": partial(discriminated, method) for method in METHODS},
}


@pytest.mark.parametrize("verb", RESAMPLED)
def test_no_array_of_pairs_topics_and_resamples_exists_at_once(verb: str) -> None:
    draws = (MANY_DRAWS, 2 * MANY_DRAWS)
    once, twice = (peak(partial(RESAMPLED[verb], n)) for n in draws)
    assert CUBE > 300_000_000
    assert once < CUBE / 5
    assert twice <= TWICE * once


def test_the_page_has_every_verb() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for verb in {name.split(",")[0] for name in (*VERBS, *RESAMPLED)}:
        assert f"`{verb}`" in page
