"""Contribution of each document to a ranking's score, and the effect of unjudged documents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.errors import CallError, did_you_mean, some_of
from rankwise.lazy import pl
from rankwise.metrics import Metric, MetricLike, parse
from rankwise.notes import Note, note
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    Qrels,
    Rows,
    Run,
    as_collection,
    judge_one_at_a_time,
    rank_rows,
)
from rankwise.results import Result, Table
from rankwise.scores.apply_metric import blaming, check_shared_ties, scores_of
from rankwise.vocabulary import Order
from rankwise.wording import Argument, Count

if TYPE_CHECKING:
    from rankwise.rankings import QrelsLike, RunLike


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """Explanation of the score of one ranking.

    `frame` has one row per retrieved document, in rank order:

    - `rank`, `document`, and `grade` (null if unjudged).
    - `weight`: only for metrics with fixed weights, the weight of the rank divided by the weight of
      rank 1.
    - `contribution`, `share`: for a judged document, its contribution to the score, and this
      contribution divided by the score. Null if unjudged.
    - `change_if_relevant`: for an unjudged document, the change of the score if this document had
      the highest grade of the qrels. This change can be negative under AP and similar metrics.
      Null if judged.

    If the metric is a sum over documents, `additive` is True. If not, a contribution is the
    decrease of the score if the document had grade 0.
    """

    _everyday = ("score",)

    metric: Metric
    run: str
    topic: str
    score: float
    additive: bool
    frame: pl.DataFrame
    depth: int | None = None
    notes: list[Note] = field(default_factory=list)
    _relevant: pl.DataFrame | None = None  # document and grade

    @property
    def caption(self) -> str:
        """Line with the explained score."""
        return self.scored()

    @property
    def header(self) -> dict[str, Any]:
        """Metadata: metric, run, topic, depth, whether the metric is a sum, and score."""
        found: dict[str, Any] = {"metrics": [self.metric.record], "run": self.run}
        found |= {"topic": self.topic, "depth": self.depth, "additive": self.additive}
        return found | {"score": None if isnan(self.score) else self.score}

    def scored(self, digits: int = 4) -> str:
        """Return a line with the explained score, rounded to this number of digits."""
        cut = f" in the first {self.depth}" if self.depth else ""
        score = "undefined" if isnan(self.score) else f"{self.score:.{digits}f}"
        return f"{self.metric} of {self.run} on topic {self.topic}{cut}: {score}"

    def documents(self, *, relevant: bool = False, rows: int | None = None) -> pl.DataFrame:
        """Return the first `rows` documents (by default all) in rank order.

        With `relevant`, only documents whose contribution to the score is not 0 are returned.
        """
        documents = self.frame.filter(pl.col("contribution") != 0) if relevant else self.frame
        return documents.head(rows or documents.height)

    def table(self, *, digits: int = 4, relevant: bool = False, rows: int | None = None) -> Table:
        """Return the table of `documents`, with shares in percent.

        By default, the table of a metric with a cutoff has the ranks down to the cutoff or, if
        deeper, to the last document that contributes. Up to 10 relevant documents that are ranked
        lower or not retrieved follow.
        """
        percent = (pl.col("share") * 100).round(0).cast(pl.Int64).cast(pl.String) + "%"
        documents, notes = self.documents(relevant=relevant, rows=rows), list[Note]()
        if self.metric.cutoff is not None and rows is None and not relevant:
            documents, notes = self._to_cutoff(self.metric.cutoff)
        return Table(
            documents.with_columns(share=percent),
            notes=[*notes, *self._about_columns(documents)],
            digits=digits,
        )

    def _about_columns(self, documents: pl.DataFrame) -> list[Note]:
        about = []
        if not self.additive:
            about.append(
                "'contribution' is the decrease of the score if the document were not relevant. "
                "The sum of all contributions may differ from the score"
            )
        if documents["change_if_relevant"].count():
            about.append(
                "'change_if_relevant' is the change of the score if the unjudged document had the "
                "highest grade of the qrels"
            )
        return [note("columns", ". ".join(about))] if about else []

    def _to_cutoff(self, cutoff: int) -> tuple[pl.DataFrame, list[Note]]:
        """Return the ranks that can contribute, followed by missed relevant documents.

        Also return a note on missed documents and hidden ranks, if there are any.
        """
        contributing = self.frame.filter(pl.col("contribution") != 0)["rank"].to_list()
        last = max([cutoff, *contributing])
        top = self.frame.filter(pl.col("rank") <= last)
        below = self.frame.drop("grade")
        assert self._relevant is not None
        missed = self._relevant.join(top, on="document", how="anti", maintain_order="left")
        missed = missed.join(below, on="document", how="left", maintain_order="left")
        missed = missed.sort(
            "grade", "rank", descending=[True, False], nulls_last=True, maintain_order=True
        )
        few = missed.head(MISSED)
        shown = pl.concat([top, few.select(self.frame.columns)], how="vertical_relaxed")
        if few.is_empty() and shown.height == self.frame.height:
            return shown, []
        count = Count(missed.height, "relevant document is", "relevant documents are")
        shown_only = f"; the {MISSED} with the highest grades are shown"
        lacking = shown_only if missed.height > MISSED else ""
        not_retrieved = ". 'rank' is – if a document is not retrieved"
        not_retrieved = not_retrieved if few["rank"].null_count() else ""
        ranks = f"at ranks 1 to {last}" if last > 1 else "at rank 1"
        what = (count, f" not {ranks}{lacking}{not_retrieved}")
        every = (". Use ", Argument("rows", self.frame.height), " to show all ranks")
        return shown, [note("missed", *what, *(every if self.frame.height > last else ()))]


MISSED = 10  # maximum number of relevant documents in the table below the ranks that are shown


def explain(
    data: QrelsLike | Collection,
    run: RunLike | None = None,
    metric: MetricLike | None = None,
    topic: str | None = None,
) -> Explanation:
    """Explain the score of one run for one topic, document by document.

    Parameters
    ----------
    data, run
        As for `score`, with exactly one run.
    metric, topic
        The metric and the topic of the score to explain.

    Returns
    -------
    Explanation
        One row per retrieved document. A judged document has its contribution to the score. An
        unjudged document has the change of the score if this document had the highest grade of the
        qrels.

    Examples
    --------
    >>> found = explain({"1": {"a": 1, "b": 0}}, {"1": {"a": 3, "x": 2, "b": 1}}, "P@2", "1")
    >>> found.frame.select("document", "contribution", "change_if_relevant").rows()
    [('a', 0.5, None), ('x', None, 0.5), ('b', 0.0, None)]
    """
    if metric is None or topic is None:
        raise CallError("explain needs a metric and a topic. Use explain(qrels, run, 'AP', '401').")
    collection = as_collection(data, run)
    parsed, order, depth = parse(metric), collection.order, collection.depth
    check_shared_ties([parsed], depth)
    judgments, runs = collection.qrels_by_name(), collection.runs_by_name()
    if len(runs) != 1:
        raise CallError(f"explain takes exactly one run; {len(runs)} runs are given.")
    judged = Collection(judgments, runs, order=order, depth=depth).judged()
    ranking = _ranking_of(judged, str(topic))
    one = judged.where_rankings(np.array([ranking]))
    score = float(scores_of(parsed, one)[0])
    table = _ranked(runs[0], str(topic), order).head(int(one.length[0]))
    ranks = np.arange(1, table.height + 1)
    is_judged = np.isin(ranks, one.rank)
    grade = np.zeros(len(ranks), np.int64)
    grade[is_judged] = one.grade
    contribution = _contributions(parsed.at_levels_of(one), one)
    additive = contribution is not None
    if contribution is None:
        contribution = score - _rescored(
            parsed, one, table, one.rank, np.zeros(len(one.rank), np.int64)
        )
    best = max(1, int(judged.topic_grades.max(initial=1)))
    open_ranks = ranks[~is_judged]
    change = _rescored(parsed, one, table, open_ranks, np.full(len(open_ranks), best)) - score
    documents = pl.DataFrame(
        {
            "rank": ranks,
            "document": table["document"],
            "grade": _as_read(grade, judgments).set(pl.Series(~is_judged), None),
            **_relative_weights(parsed, ranks),
            "contribution": _spread(is_judged, contribution),
            "share": _spread(is_judged, contribution / score if score else contribution * 0),
            "change_if_relevant": _spread(~is_judged, change),
        }
    )
    notes = [*judgments.notes, *runs[0].notes]
    relevant = _relevant(judgments, str(topic), int(parsed.value_of("rel") or 1))
    explained = (parsed, runs[0].name, str(topic), score, additive)
    return Explanation(*explained, documents, depth, notes, relevant)


def _relevant(judgments: Qrels, topic: str, rel: int) -> pl.DataFrame:
    """Return the judged documents of a topic with a grade of at least `rel`."""
    frame = judgments.frame.filter((pl.col("topic") == topic) & (pl.col("grade") >= rel))
    frame = frame.select("document", "grade").sort("document")
    return frame.with_columns(grade=_as_read(frame["grade"].to_numpy(), judgments))


def _as_read(grade: Ints, judgments: Qrels) -> pl.Series:
    if judgments.fractions is None:
        return pl.Series(grade)
    return pl.Series([judgments.fractions.get(int(each), float(each)) for each in grade])


def _ranking_of(judged: JudgedRankings, topic: str) -> int:
    if topic not in judged.topics:
        near = did_you_mean(topic, judged.topics)
        raise CallError(
            f"topic {topic!r} is not in the qrels. Topics of the qrels: {some_of(judged.topics)}."
            f"{near}"
        )
    ranking = judged.topics.index(topic)
    if not judged.present[ranking]:
        there = [name for name, has in zip(judged.topics, judged.present, strict=True) if has]
        raise CallError(f"topic {topic!r} is not in the run. Topics of the run: {some_of(there)}.")
    return ranking


def _ranked(run: Run, topic: str, order: Order) -> pl.DataFrame:
    """Return the documents of a topic in rank order.

    Columns `tie_first` and `tie_last` are the first and the last rank of the document's tie group.
    """
    one = replace(run, frame=run.frame.filter(pl.col("topic") == topic))
    places = rank_rows(one, order).all_places()
    columns = {"document": one.frame["document"], **places._asdict()}
    return pl.DataFrame(columns).sort("rank").drop("rank")


def _contributions(metric: Metric, one: JudgedRankings) -> Floats | None:
    """Return the contribution of each judged document, or None if the metric is not a sum."""
    view = metric.view(one)
    with blaming(metric):
        found = metric.contributions(view)
    if found is None:
        return None
    rows = np.arange(len(one.rank))
    if metric.judged_only:
        rows = rows[one.grade >= 0]
    contribution = np.zeros(len(one.rank))
    contribution[rows[: len(found)]] = found  # rows below the cutoff contribute nothing
    return contribution


def _rescored(
    metric: Metric, one: JudgedRankings, table: pl.DataFrame, ranks: Ints, grades: Ints
) -> Floats:
    """Return one score per rank in `ranks`: the score if the document at this rank is regraded.

    The new grade is the corresponding one in `grades`. All other documents keep their judgments.
    """
    first, last = (
        table[name].to_numpy()[ranks - 1].astype(np.int64) for name in ("tie_first", "tie_last")
    )
    changed = Rows(np.zeros_like(ranks), ranks, grades, first, last)
    return scores_of(metric, judge_one_at_a_time(one, changed), infinite=True)


def _relative_weights(metric: Metric, ranks: Ints) -> dict[str, Floats]:
    weighted = metric.weighted
    if weighted is None:
        return {}
    return {"weight": weighted.weights(len(ranks)) / weighted.weights(1)[0]}


def _spread(mask: np.ndarray, values: Floats) -> pl.Series:
    column = np.full(len(mask), np.nan)
    column[mask] = values
    return pl.Series(column, nan_to_null=True)
