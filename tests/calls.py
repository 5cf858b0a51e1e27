"""Call a verb with the options of a test, which mix those of `rankwise.read` and of the verb."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from inspect import signature
from typing import Any, TypeVar

import rankwise
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
