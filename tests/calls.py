"""Call a verb with the options of a test, which mix those of `rankwise.read` and of the verb.

And other functions that several tests share: every metric, two scores that are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

import rankwise
from rankwise import Scores
from rankwise.metrics import REGISTRY, Metric
from rankwise.rankings.collection import Needs
from rankwise.rankings.judged import JudgedRankings

T = TypeVar("T")
READING = set(signature(rankwise.read).parameters) - {"qrels", "runs"}
TESTING = {field.name for field in fields(rankwise.TestOptions)} - {"baseline"}
ONLY_TESTING = TESTING - set(signature(rankwise.compare).parameters)


def call(verb: Callable[..., T], qrels: Any, runs: Any, metrics: Any = None, **options: Any) -> T:
    """Call the verb on what `rankwise.read` makes of the options of reading."""
    reading = {name: options.pop(name) for name in READING & options.keys()}
    if ONLY_TESTING & options.keys():
        testing = {name: options.pop(name) for name in TESTING & options.keys()}
        options["test"] = rankwise.TestOptions(**testing)
    if metrics is not None:
        options["metrics"] = metrics
    return verb(rankwise.read(qrels, runs, **reading), **options)


def read_judged(
    qrels: Any,
    runs: Any,
    *,
    retrieved: bool = False,
    count_unjudged: bool = False,
    share_ties: bool = False,
    within: int | None = None,
    **reading: Any,
) -> JudgedRankings:
    """Join judgments and runs, with what a test needs of the rankings."""
    needs = Needs(retrieved, count_unjudged, share_ties, within)
    return rankwise.read(qrels, runs, **reading).judged(needs)


class Done(NamedTuple):
    """The outcome of a command."""

    code: int
    out: str
    err: str


def every_metric() -> list[Metric]:
    """With default parameters; where one is required, 10 (or recall 0.5)."""
    found = []
    for metric in REGISTRY.values():
        required = [field.name for field in fields(metric) if field.default is MISSING]
        required += ["length"] if metric.reads_lengths else []
        found.append(metric(**{name: 0.5 if name == "recall" else 10 for name in required}))
    assert len(found) > 60
    return found


def same_scores(one: Scores, other: Scores) -> None:
    """Check that two scores are equal to the last bit, with the same notes."""
    assert (one.runs, one.topics, one.metrics) == (other.runs, other.topics, other.metrics)
    for name in ("value", "low", "high", "present"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)
    assert one.notes == other.notes
    assert repr(one) == repr(other)


def runs_of(folder: Path) -> list[str]:
    """The files of the runs of a simulated collection."""
    return [str(path) for path in sorted((folder / "runs").iterdir())]
