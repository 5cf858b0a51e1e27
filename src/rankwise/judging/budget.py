"""Which documents to judge next."""

from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError, check_word
from rankwise.judging.standing import (
    Candidates,
    Standing,
    candidates_of,
    rate_of_gain,
    separating_weight,
)
from rankwise.judging.targeted import TARGETED, order_by_standing
from rankwise.metrics import Metric, MetricLike, parse
from rankwise.rankings.accepted import Gains, QrelsLike, RunsLike
from rankwise.rankings.join import read_judged
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.possible import assumed
from rankwise.rankings.selection import DocumentMap, OnlyTopics
from rankwise.results.base import Result, Table
from rankwise.vocabulary import Assumption, Order, Weighing

# How to read the list of documents.
COLUMNS = (
    "weight: what a document could add to the scores of all runs together; runs: how many "
    "retrieved it; best_rank: its highest rank in one"
)
BY_WEIGHT = "the list is ordered by weight"
SEPARATING = (
    "the list is ordered not by weight, but by how far each document can bring the undecided "
    "pairs of runs to a verdict"
)
STEPS = 20  # after each the pairs that are by then decided are left out


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentPlan(Result):
    """Documents to judge, in order, and what that is expected to do.

    `frame`: topic, document, weight (what it could add to the scores of all runs), runs
    (that retrieved it), best_rank. `course`: a row for each tenth of the budget: judged,
    residual (what is still open of a score, in the mean over runs and topics: exact,
    whatever is found), score (expected: of the weight judged, the share `rate` is gained,
    as of that judged so far), undecided (pairs of runs that could still change places,
    expected likewise).
    """

    metric: Metric
    frame: pl.DataFrame = field(repr=False)
    course: pl.DataFrame
    rate: float
    separate: bool = False
    unjudged: Assumption = "retrieved"
    input_notes: tuple[str, ...] = ()
    weigh: Weighing = "equal"

    @property
    def header(self) -> dict[str, Any]:
        """The metric, and what bounds assume."""
        return {"metrics": [self.metric.record], "unjudged": self.unjudged}

    @property
    def caption(self) -> str:
        """How many documents, and by which metric."""
        return f"{self.frame.height:,} documents to judge next, by {self.metric}:"

    @property
    def notes(self) -> list[str]:
        """Notes on the input, and how the documents are ordered."""
        ordered = SEPARATING if self.separate else TARGETED.get(self.weigh, BY_WEIGHT)
        return [*self.input_notes, COLUMNS, ordered]

    def course_table(self) -> Table:
        """`course` as the command prints it, and how to read it."""
        notes = [
            "residual: what the unjudged documents could add to a score, in the mean over runs "
            f"and topics, if {assumed(self.unjudged)}",
            f"score: expected, if {self.rate:.0%} of the weight judged is gained, as so far",
            "undecided: pairs of runs that could change places, expected likewise",
        ]
        return Table(self.course, notes=notes, digits=5)


def plan_judgments(
    qrels: "QrelsLike",
    runs: "RunsLike",
    metric: MetricLike,
    budget: int,
    *,
    separate: bool = False,
    weigh: Weighing = "equal",
    unjudged: Assumption = "retrieved",
    order: Order = "score",
    depth: int | None = None,
    gains: "Gains | None" = None,
    lenient: bool = False,
    complete_runs: bool = False,
    only_topics: OnlyTopics | None = None,
    drop_self: bool = False,
    map_documents: DocumentMap | None = None,
) -> JudgmentPlan:
    """The `budget` unjudged documents to judge next, over all runs and topics.

    By the weight they carry: the weights of a document in all runs are added up. No other
    choice of as many documents leaves a smaller residual, whatever they turn out to be,
    since each takes its own weight from it.

    For metrics that are a sum of weights. Others have no weight of a document to go by:
    what it does to a score depends on how the others are judged.
    Moffat, Webber and Zobel, SIGIR 2007, chose documents by their weight in RBP.

    Parameters
    ----------
    qrels, runs
        As for `score`.
    metric
        A sum of weights, as RBP, P@k or DCG@k.
    budget
        How many documents to list.
    separate
        Rather those that show runs to be different: see `order_to_separate`.
    weigh
        How the runs count that have a document: all `equal`; by what is open of their score
        (`residual`); or by that and how good they may be (`score`), which finds the best runs.
    unjudged
        What can turn out relevant: `retrieved` documents, or `open`, any.
    order, depth, gains, lenient, complete_runs
        As for `score`.
    only_topics, drop_self, map_documents
        As for `score`.

    Returns
    -------
    JudgmentPlan
        The documents in order, and what judging them is expected to do.

    Examples
    --------
    >>> runs = {"A": {"1": {"x": 2, "y": 1}}, "B": {"1": {"x": 2, "z": 1}}}
    >>> plan_judgments({"1": {"y": 0}}, runs, "RBP(p=0.5)", 1).frame.rows()
    [('1', 'x', 1.0, 2, 1)]
    """
    wanted = parse(metric)
    check_plannable(wanted, unjudged)
    check_word("weigh", weigh, get_args(Weighing))
    if separate and weigh != "equal":
        raise CallError("`separate=True` weighs pairs of runs: leave out weigh.")
    if budget < 1:
        raise CallError(f"budget {budget} is not 1 or more.")
    judged = read_judged(
        qrels,
        runs,
        order=order,
        depth=depth,
        gains=gains,
        lenient=lenient,
        complete_runs=complete_runs,
        only_topics=only_topics,
        drop_self=drop_self,
        map_documents=map_documents,
        retrieved=True,
        share_ties=wanted.shares_ties,
    )
    ways: dict[str, Any] = {"separate": separate, "weigh": weigh, "unjudged": unjudged}
    return plan_judged(judged, wanted, budget, **ways)


def check_plannable(metric: Metric, unjudged: Assumption) -> None:
    if metric.sum_of_weights is None:
        why = "its score is no sum of fixed weights, so that no document has a weight of its own"
        if metric.judged_only:
            why = "with judged_only a document that gets judged moves those below it"
        raise CallError(f"{metric}: {why}. Plan with RBP, P@k, DCG@k or another of that family.")
    below = metric.sum_of_weights.weight_below(np.array([1]))
    if unjudged == "open" and np.isinf(below).any():
        raise CallError(f"{metric}: its weights have no finite sum; give it a cutoff.")


def plan_judged(
    judged: JudgedRankings,
    metric: Metric,
    budget: int,
    *,
    separate: bool = False,
    weigh: Weighing = "equal",
    unjudged: Assumption = "retrieved",
) -> JudgmentPlan:
    """The same for rankings that are already judged, with their unjudged documents."""
    weights = metric.at_levels_of(judged).sum_of_weights
    assert weights is not None
    if separate and len(judged.runs) < 2:
        raise CallError("`separate=True` compares runs: give two or more.")
    candidates, rate = candidates_of(judged, weights), rate_of_gain(judged, weights)
    start = Standing.of(judged, weights, candidates, unjudged)
    plan = order_to_separate(start, candidates, rate, budget) if separate else None
    if weigh != "equal":
        plan = order_by_standing(start, candidates, rate, budget, len(judged.topics), weigh)
    chosen = order_by_weight(candidates, budget, topics_of(judged)) if plan is None else plan
    notes = list(judged.notes)
    if len(chosen) < budget:
        what = "could tell undecided runs apart" if separate else "carry any weight"
        notes.append(f"{len(chosen):,} unjudged documents {what}: fewer than the budget")
    return JudgmentPlan(
        metric,
        _listed(judged, candidates, chosen),
        _course(judged, start, candidates, chosen, rate),
        rate,
        separate,
        unjudged,
        tuple(notes),
        weigh,
    )


def order_by_weight(candidates: Candidates, budget: int, topic: Ints) -> Ints:
    """The documents that carry most weight over all runs, heaviest first.

    Of those that weigh the same, one of each topic comes before a second of any.
    """
    value = candidates.total()
    weighing = np.flatnonzero(value > 0)
    equal = np.round(value[weighing] / max(value.max(initial=0.0), 1e-300), 12)
    order = np.lexsort((topic[weighing], -equal))
    same = np.stack([equal[order], topic[weighing][order].astype(np.float64)])
    new = np.ones(len(order), np.bool_)
    new[1:] = (same[:, 1:] != same[:, :-1]).any(axis=0)
    start = np.maximum.accumulate(np.where(new, np.arange(len(order)), 0))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - start
    chosen: Ints = weighing[np.lexsort((topic[weighing], place, -equal))[:budget]]
    return chosen


def topics_of(judged: JudgedRankings) -> Ints:
    """The topic of each code; of unjudged documents, for others it is 0."""
    assert judged.retrieved is not None
    rows = judged.retrieved.unjudged
    topic = np.zeros(rows.codes, np.int64)
    topic[rows.code] = rows.topic
    return topic


def order_to_separate(
    start: Standing, candidates: Candidates, rate: float, budget: int, steps: int = STEPS
) -> Ints:
    """Documents that set undecided pairs of runs apart, in steps.

    A document can move the difference of A and B by |wA − wB|, and the pair cannot be
    decided before min(−low, high) of that weight is settled (see `Ends.to_resolve`). So its
    worth is Σ |wA − wB| / min(−low, high) over the undecided pairs: how far it can bring
    each of them to a verdict. After each step the chosen documents count as judged, with
    the gain expected, and pairs that are then decided are left out.
    """
    standing, taken, chosen = start, np.zeros(candidates.count, np.bool_), []
    gain = np.full(candidates.count, rate)
    for size in np.diff(_tenths(budget, steps), prepend=0):
        batch = best_to_separate(candidates, worth_of_pairs(standing), taken, int(size))
        chosen.append(batch)
        if len(batch) < size:
            break
        standing = standing.after(candidates.among(batch), gain)
        taken[batch] = True
    return np.concatenate(chosen)


def best_to_separate(candidates: Candidates, worth: Floats, taken: Bools, count: int) -> Ints:
    """The documents of most value to the pairs.

    A document's value is at most Σ w × (the worth of all of the run's pairs), which is
    quick: once some values are known, most other documents need not be looked at.
    """
    most = np.where(taken, 0.0, candidates.total(worth.sum(axis=1)))
    some = _heaviest(most, 4 * count)
    value = separating_weight(candidates.among(some), worth)
    enough = np.sort(value[some])[-count] if len(some) >= count else 0.0
    rest = np.flatnonzero((most >= enough) & (most > 0))
    return _heaviest(separating_weight(candidates.among(rest), worth), count)


def worth_of_pairs(standing: Standing) -> Floats:
    """What a unit of weight is worth to each pair: 1 / what it needs, 0 if it is decided."""
    low, high = standing.ends
    need = np.minimum(-low, high)
    # A pair about to be decided must not outweigh all others: it is done with one document.
    least = np.median(need[standing.undecided]) / 100 if standing.undecided.any() else 1.0
    return np.where(standing.undecided, 1 / np.maximum(need, max(least, 1e-12)), 0.0)


def _heaviest(value: Floats, count: int) -> Ints:
    order = np.argsort(-value, kind="stable")[:count]
    return order[value[order] > 0]


def _tenths(budget: int, parts: int = 10) -> Ints:
    return np.unique(np.ceil(np.linspace(0, budget, parts + 1)[1:] - 1e-9).astype(np.int64))


def _listed(judged: JudgedRankings, candidates: Candidates, chosen: Ints) -> pl.DataFrame:
    assert judged.retrieved is not None
    rows = judged.retrieved.unjudged
    first = np.searchsorted(rows.code, chosen)
    best = np.full(rows.codes, np.iinfo(np.int64).max)
    np.minimum.at(best, rows.code, rows.rank)
    return pl.DataFrame(
        {
            "topic": pl.Series(
                [judged.topics[topic] for topic in rows.topic[first]], dtype=pl.String
            ),
            "document": rows.names.gather(chosen),
            "weight": candidates.total()[chosen],
            "runs": np.bincount(rows.code, minlength=rows.codes)[chosen],
            "best_rank": best[chosen],
        }
    )


def _course(
    judged: JudgedRankings, start: Standing, candidates: Candidates, chosen: Ints, rate: float
) -> pl.DataFrame:
    """What is expected today and after each tenth."""
    standing, topics, gain = start, len(judged.topics), np.full(candidates.count, rate)
    rows, before = [], 0
    for reached in [0, *_tenths(len(chosen)).tolist()]:
        batch = candidates.among(chosen[before:reached])
        standing, before = standing.after(batch, gain), reached
        score = float(standing.score.mean()) / topics
        rows.append((reached, standing.residual / topics, score, standing.undecided_count))
    schema = ["judged", "residual", "score", "undecided"]
    return pl.DataFrame(rows, schema=schema, orient="row").unique("judged", maintain_order=True)
