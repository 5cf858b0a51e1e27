"""Scores that were made elsewhere: a matrix of topics × systems for each metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from rankwise.arrays import Floats
from rankwise.errors import CallError, RankwiseError
from rankwise.lazy import pl
from rankwise.metrics import Metric, parse
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.reading import read_matrix
from rankwise.scores.table import Scores


@dataclass(frozen=True, kw_only=True)
class GivenMetric(Metric):
    """The name of a metric whose scores are given; there is nothing to compute it from."""

    name: str = field(default="")

    def __post_init__(self) -> None:
        """The name is no parameter: there is nothing to check."""

    def __str__(self) -> str:
        return self.name

    @property
    def record(self) -> dict[str, Any]:
        return {"name": self.name, "parameters": {}}

    def compute(self, judged: JudgedRankings) -> Floats:
        raise CallError(f"{self}: its scores are given; it cannot score rankings.")


@dataclass(frozen=True, kw_only=True)
class GivenCost(GivenMetric):
    """One of which less is better."""

    less_is_better: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class GivenDiagnostic(GivenMetric):
    """One that says how much there was to measure."""

    is_diagnostic: ClassVar[bool] = True


def given_like(name: str, metric: Metric) -> GivenMetric:
    """A metric of this name that is to be read as another is."""
    if metric.is_diagnostic:
        return GivenDiagnostic(name=name)
    return GivenCost(name=name) if metric.less_is_better else GivenMetric(name=name)


def _named(name: str) -> GivenMetric:
    """A metric by the name of one of ours is read as ours is."""
    try:
        return given_like(name, parse(name))
    except RankwiseError:
        return GivenMetric(name=name)


def scores_from_matrices(matrices: Mapping[str, str | Path | pl.DataFrame]) -> Scores:
    """Scores from {metric: file or frame}, a row a topic, a column a system.

    All must have the same systems and topics.

    >>> ap = pl.DataFrame({"topic": ["1", "2"], "a": [0.5, 0.25], "b": [0.5, 1.0]})
    >>> scores_from_matrices({"AP": ap}).pivot().rows()
    [('b', 0.75), ('a', 0.375)]
    """
    if not matrices:
        raise CallError("no matrix of scores is given.")
    tables = {
        name: given if isinstance(given, pl.DataFrame) else read_matrix(given)
        for name, given in matrices.items()
    }
    (first, table), *others = tables.items()
    runs, topics = table.columns[1:], table["topic"].to_list()
    for name, other in others:
        if set(other.columns) != set(table.columns) or set(other["topic"]) != set(topics):
            raise CallError(f"the scores {name} and {first} are of other systems or topics.")
    place = {topic: at for at, topic in enumerate(topics)}
    cube = [
        other[np.argsort([place[topic] for topic in other["topic"]])].select(runs).to_numpy().T
        for other in tables.values()
    ]
    return Scores(
        tuple(_named(name) for name in tables),
        tuple(runs),
        tuple(topics),
        np.array(cube),
        present=np.ones((len(runs), len(topics)), np.bool_),
    )
