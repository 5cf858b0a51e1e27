"""`JudgmentPlan`: documents to judge, in order, and the expected effect of judging them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints
from rankwise.metrics import Metric
from rankwise.notes import Note
from rankwise.rankings import Retrieved
from rankwise.results import Charted, Table

SAME = 12  # digits to which values are compared
NOTHING = 1e-12  # smaller values are not shown


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentPlan(Charted):
    """Documents to judge, in order, and the expected effect of judging them.

    Documents are chosen either by their weight in a metric, or by a predictive model. `frame` has
    the columns topic, document, `runs` (the number of runs that retrieved the document) and
    `best_rank` (its best rank in any run). Plans by weight also have the column `weight`: the
    largest amount that the document could add to the scores of all runs together. Plans by a model
    also have `chance`, the probability of relevance, and `resolves`: the expected number of pairs
    of runs that judging the document resolves. `resolves` is a sum over pairs. Each pair adds the
    probability that it is in the wrong order, times the document's share of the remaining variance
    of the score difference.

    `progress` has one row before judging, and one after about each tenth of the list. `judged` is
    the number of listed documents judged so far. Plans by weight have these columns:

    - `residual`: the largest amount that unjudged documents could still add to a score, averaged
      over runs and topics. This amount does not depend on the grades that documents get.
    - `score`: mean score, under the assumption that each listed document adds the fraction `rate`
      of its weight to the scores. `rate` is the sum of all current scores, divided by the total
      weight of the retrieved documents that already have judgments.
    - `undecided`: number of pairs of runs whose order could still be changed by unjudged documents,
      under the same assumption.

    Plans by a model have these columns:

    - `relevant`: expected number of relevant documents among those judged.
    - `unresolved`: expected number of pairs of runs for which neither run is better with a
      probability of at least 95 %.
    - `misordered`: expected number of pairs of runs in the wrong order.

    Plans by a model also have `open_pairs`: the three pairs of runs that are most likely to stay
    unresolved after the whole list is judged, each with this probability, most likely first.
    `expected_reversals` has the pairs of runs (better, worse) that the model orders with a
    probability of at least 95 %, although their present scores have the opposite order.

    `chart` draws the columns of `progress` against the number of judgments: the numbers of
    unresolved and misordered pairs for a plan by a model, the residual for a plan by weight.
    """

    _everyday = ("progress",)
    _header = ("metrics", "topics", "unjudged")

    metric: Metric
    frame: pl.DataFrame = field(repr=False)
    progress: pl.DataFrame
    unjudged: str
    list_notes: tuple[Note, ...]
    progress_notes: tuple[Note, ...]
    rate: float | None = None
    input_notes: tuple[Note, ...] = ()
    progress_digits: int = 5
    topics: int = 0  # how many
    open_pairs: tuple[tuple[str, str, float], ...] = ()
    expected_reversals: tuple[tuple[str, str], ...] = ()

    @property
    def metrics(self) -> tuple[Metric]:
        return (self.metric,)

    @property
    def caption(self) -> str:
        return f"{self.frame.height:,} documents to judge next, by {self.metric}:"

    @property
    def notes(self) -> list[Note]:
        return [*self.input_notes, *self.list_notes]

    def table(self, *, digits: int = 4) -> Table:
        """Return the list as a table.

        `digits` is the number of decimals. Columns of values near 0 have two significant digits
        instead.
        """
        return _legible(self.frame, digits)

    def progress_table(self) -> Table:
        """Return `progress` as a table, with notes on its columns."""
        return _legible(self.progress, self.progress_digits, self.progress_notes)


def _legible(frame: pl.DataFrame, digits: int, notes: tuple[Note, ...] = ()) -> Table:
    """Return a table with `digits` decimals.

    Columns in which most values above 0 would show as 0 have two significant digits instead.
    """
    small = []
    for column in frame.select(pl.col(pl.Float64)):
        above = column.filter(column > 0)
        if len(above) and np.median(above) < 0.5 * 10.0**-digits:
            small.append(pl.Series(column.name, [_significant(value) for value in column]))
    return Table(frame.with_columns(small), [each.name for each in small], None, notes, digits)


def _significant(value: float | None) -> str:
    """Return a value with two significant digits, or "<1e-12" for a possible rounding error."""
    if value is None:
        return "–"
    return f"<{NOTHING:g}" if 0 < value < NOTHING else f"{value:.2g}"


def heaviest(value: Floats, count: int, topic: Ints, chosen_before: Bools | None = None) -> Ints:
    """Return the indices of the `count` documents with the largest values above 0, largest first.

    Among documents of equal value, one document of each topic precedes a second document of any
    topic. `topic` has the topic of each document. The mask `chosen_before` marks documents that are
    already chosen; topics with fewer of these come first.
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
    if chosen_before is not None:
        place += np.bincount(topic[chosen_before], minlength=topic.max(initial=0) + 1)[topic[worth]]
    chosen: Ints = worth[np.lexsort((topic[worth], place, -equal))[:count]]
    return chosen


def parts_of(budget: int, parts: int = 10) -> Ints:
    """Split the budget into about equal parts; return the number of documents up to each end.

    >>> parts_of(10, 4).tolist()
    [3, 5, 8, 10]
    """
    return np.unique(np.ceil(np.linspace(0, budget, parts + 1)[1:] - 1e-9).astype(np.int64))


def listed(rows: Retrieved, topics: tuple[str, ...], chosen: Ints, by: Any) -> pl.DataFrame:
    """Return a frame of the `chosen` documents, in this order, with the additional columns `by`.

    `chosen` has codes of documents: the numbers that identify documents in `rows`.
    """
    is_chosen = np.zeros(rows.codes, np.bool_)
    is_chosen[chosen] = True
    rows = rows.where(lambda some: is_chosen[some.code])
    first = np.searchsorted(rows.code, chosen.astype(np.int32))
    best = np.full(rows.codes, np.iinfo(np.int64).max)
    np.minimum.at(best, rows.code, rows.rank)
    names = pl.Series([topics[topic] for topic in rows.topic[first]], dtype=pl.String)
    runs = np.bincount(rows.code, minlength=rows.codes)[chosen]
    return pl.DataFrame(
        {"topic": names, "document": rows.names.gather(chosen), **by}
        | {"runs": runs, "best_rank": best[chosen]}
    )
