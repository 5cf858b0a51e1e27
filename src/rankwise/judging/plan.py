"""JudgmentPlan: documents to judge, in order, and what that is expected to do."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints
from rankwise.metrics import Metric
from rankwise.notes import Note
from rankwise.rankings import Retrieved
from rankwise.results import Result, Table

SAME = 12  # digits of values that are taken to be the same


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentPlan(Result):
    """Documents to judge, in order, and what that is expected to do.

    `frame` has topic, document, what the document is chosen by, runs (that retrieved it) and
    best_rank. By weight that is weight: what it could add to the scores of all runs. By the
    probable model it is chance (that it is relevant) and resolves (of how many pairs of runs the
    order is expected to get clear by it).

    `course` has a row for each tenth of the budget: judged, and what is then expected. By weight:
    residual (what is still open of a score, in the mean over runs and topics: exact, whatever is
    found), score (of the weight judged, the share `rate` is gained, as of that judged so far),
    undecided (pairs of runs that could still change places). By the probable model: relevant
    (documents found), doubtful (pairs of runs of which neither is then better with a probability
    of 95 %) and wrong (pairs whose order would be taken the wrong way round).
    """

    _everyday = ("course",)

    metric: Metric
    frame: pl.DataFrame = field(repr=False)
    course: pl.DataFrame
    unjudged: str
    list_notes: tuple[Note, ...]
    course_notes: tuple[Note, ...]
    rate: float | None = None
    input_notes: tuple[Note, ...] = ()
    course_digits: int = 5
    topics: int = 0  # how many

    @property
    def header(self) -> dict[str, Any]:
        """The metric, how many topics, and what can turn out relevant."""
        found = {"metrics": [self.metric.record], "topics": self.topics}
        return found | {"unjudged": self.unjudged}

    @property
    def caption(self) -> str:
        """How many documents, and by which metric."""
        return f"{self.frame.height:,} documents to judge next, by {self.metric}:"

    @property
    def notes(self) -> list[Note]:
        """Notes on the input, and how the documents are ordered."""
        return [*self.input_notes, *self.list_notes]

    def course_table(self) -> Table:
        """`course` as the command prints it, and how to read it."""
        return Table(self.course, notes=self.course_notes, digits=self.course_digits)


def heaviest(value: Floats, count: int, topic: Ints, taken: Bools | None = None) -> Ints:
    """Those of the greatest value above 0, greatest first.

    Of those of the same value one of each topic comes before a second of any; where some are
    `taken` before, that of a topic of which fewer are.
    """
    worth = np.flatnonzero(value > 0)
    equal = np.round(value[worth] / max(value.max(initial=0.0), 1e-300), SAME)
    order = np.lexsort((topic[worth], -equal))
    same = np.stack([equal[order], topic[worth][order].astype(np.float64)])
    new = np.ones(len(order), np.bool_)
    new[1:] = (same[:, 1:] != same[:, :-1]).any(axis=0)
    start = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - start
    if taken is not None:
        place += np.bincount(topic[taken], minlength=topic.max(initial=0) + 1)[topic[worth]]
    chosen: Ints = worth[np.lexsort((topic[worth], place, -equal))[:count]]
    return chosen


def parts_of(budget: int, parts: int = 10) -> Ints:
    """The budget in about equal parts: how many documents by the end of each."""
    return np.unique(np.ceil(np.linspace(0, budget, parts + 1)[1:] - 1e-9).astype(np.int64))


def listed(rows: Retrieved, topics: tuple[str, ...], chosen: Ints, by: Any) -> pl.DataFrame:
    """The documents chosen, by code, with the columns `by` which they were chosen."""
    first = np.searchsorted(rows.code, chosen)
    best = np.full(rows.codes, np.iinfo(np.int64).max)
    np.minimum.at(best, rows.code, rows.rank)
    names = pl.Series([topics[topic] for topic in rows.topic[first]], dtype=pl.String)
    runs = np.bincount(rows.code, minlength=rows.codes)[chosen]
    return pl.DataFrame(
        {"topic": names, "document": rows.names.gather(chosen), **by}
        | {"runs": runs, "best_rank": best[chosen]}
    )
