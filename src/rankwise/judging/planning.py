"""Which documents to judge next."""

from typing import get_args

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError, check_word
from rankwise.judging.plan import JudgmentPlan, heaviest, listed, parts_of
from rankwise.judging.plan_by_model import plan_resolution
from rankwise.judging.plan_by_run import TARGETED, order_by_standing
from rankwise.judging.state import (
    Candidates,
    Standing,
    candidates_of,
    rate_of_gain,
    separating_weight,
)
from rankwise.metrics import Metric, MetricLike, parse
from rankwise.notes import Note, note
from rankwise.probable import check_predictable
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    Needs,
    Possible,
    QrelsLike,
    RunsLike,
    as_collection,
    assumed,
)
from rankwise.vocabulary import Assumption, Weighing
from rankwise.wording import Argument, Count

# How to read the list of documents.
COLUMNS = note(
    "columns",
    "weight: what a document could add to the scores of all runs together; runs: how many "
    "retrieved it; best_rank: its highest rank in one",
)
BY_WEIGHT = "the list is ordered by weight"
SEPARATING = (
    "the list is ordered not by weight, but by how far each document can bring the undecided "
    "pairs of runs to a verdict"
)
STEPS = 20  # after each the pairs that are by then decided are left out


def plan_judgments(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = None,
    metric: MetricLike | None = None,
    budget: int = 100,
    *,
    separate: bool = False,
    probable: bool = False,
    pair: tuple[str, str] | None = None,
    seed: int = 0,
    weigh: Weighing = "equal",
    unjudged: str | None = None,
) -> JudgmentPlan:
    """The `budget` unjudged documents to judge next, over all runs and topics.

    By the weight they carry: the weights of a document in all runs are added up. No other
    choice of as many documents leaves a smaller residual, whatever they turn out to be,
    since each takes its own weight from it.

    A metric that is no sum of weights has no weight of a document to go by. For such a metric,
    and for any with `probable`, documents are chosen by how many pairs of runs they are expected
    to clear up the order of, under a model of the judgments at hand: see `plan_resolution`.
    Moffat, Webber and Zobel, SIGIR 2007, chose documents by their weight in RBP.

    Parameters
    ----------
    data, runs
        As for `score`. A prediction is learned from a pool of depth 2 or more.
    metric
        Any that tells how good a run is. By weight: RBP, P@k, DCG@k and their like.
    budget
        How many documents to list.
    separate
        Rather those that show runs to be different whatever else is found: see
        `order_to_separate`.
    probable
        By what they are expected to clear up, also for a sum of weights.
    pair
        Two runs: only what clears up which of these is better, by what is probable.
    seed
        The random seed of what is probable.
    weigh
        By weight, how the runs count that have a document: all `equal`; by what is open of their
        score (`residual`); or by that and how good they may be (`score`), which finds the best.
    unjudged
        What can turn out relevant: by weight `retrieved` documents, or `open`, any; by what is
        probable `top=K`, those that some run has in its first K (100).

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
    if metric is None:
        raise CallError("no metric is given: plan_judgments(qrels, runs, 'AP', 100).")
    collection = as_collection(data, runs)
    wanted = parse(metric)
    check_word("weigh", weigh, get_args(Weighing))
    if budget < 1:
        raise CallError(f"budget {budget} is not 1 or more.")
    by_model = probable or pair is not None or wanted.sum_of_weights is None
    if weigh != "equal" and (separate or by_model):
        of_pairs = (Argument("separate", True), " weighs pairs of runs")
        why = of_pairs if separate else (f"{wanted}: weigh is by weight",)
        raise CallError(*why, ": leave out ", Argument("weigh"), ".")
    possible = _possible(wanted, by_model, separate, unjudged)
    needs = Needs(
        documents=True,
        whole_ties=wanted.shares_ties,
        within=possible.top if by_model else None,
    )
    if by_model:
        return plan_resolution(
            collection.judged(needs), wanted, budget, possible=possible, pair=pair, seed=seed
        )
    return plan_judged(
        collection.judged(needs),
        wanted,
        budget,
        separate=separate,
        weigh=weigh,
        unjudged=possible.of_rankings,
    )


def _possible(metric: Metric, by_model: bool, separate: bool, unjudged: str | None) -> Possible:
    """What can turn out relevant, if it is one of what the way of planning knows."""
    if by_model:
        if separate:
            raise CallError(
                *(
                    f"{metric}: ",
                    Argument("separate", True),
                    " needs a metric with fixed weights, ",
                ),
                "as RBP, P@k or DCG@k; without it the plan is by what is probable.",
            )
        check_predictable((metric,))
        found = Possible.parse(unjudged or "top=100")
        if found.top is None or found.extra:
            what = f"unjudged {unjudged!r}: a plan by what is probable takes top=K"
            raise CallError(f"{what}, as top=100, what some run has in its first K.")
        return found
    check_word("unjudged", "retrieved" if unjudged is None else unjudged, get_args(Assumption))
    found = Possible.parse(unjudged or "retrieved")
    weights = metric.sum_of_weights
    assert weights is not None
    if found.basis == "open" and np.isinf(weights.weight_below(np.array([1]))).any():
        raise CallError(f"{metric}: its weights have no finite sum; give it a cutoff.")
    return found


def plan_judged(
    judged: JudgedRankings,
    metric: Metric,
    budget: int,
    *,
    separate: bool = False,
    weigh: Weighing = "equal",
    unjudged: Assumption = "retrieved",
) -> JudgmentPlan:
    """By weight, for rankings that are already judged, with their unjudged documents."""
    weights = metric.at_levels_of(judged).sum_of_weights
    assert weights is not None and judged.retrieved is not None
    if separate and len(judged.runs) < 2:
        raise CallError(Argument("separate", True), " compares runs: give two or more.")
    candidates, rate = candidates_of(judged, weights), rate_of_gain(judged, weights)
    start = Standing.of(judged, weights, candidates, unjudged)
    plan = order_to_separate(start, candidates, rate, budget) if separate else None
    if weigh != "equal":
        plan = order_by_standing(start, candidates, rate, budget, len(judged.topics), weigh)
    chosen = order_by_weight(candidates, budget) if plan is None else plan
    notes = list(judged.notes)
    if len(chosen) < budget:
        what = "could decide undecided pairs of runs" if separate else "carry any weight"
        count = Count(len(chosen), "unjudged document")
        notes.append(note("fewer", count, f" {what}: fewer than the budget"))
    by = {"weight": candidates.total()[chosen]}
    return JudgmentPlan(
        metric,
        listed(judged.retrieved.unjudged, judged.topics, chosen, by),
        _course(judged, start, candidates, chosen, rate),
        unjudged,
        (COLUMNS, note("order", SEPARATING if separate else TARGETED.get(weigh, BY_WEIGHT))),
        _course_notes(unjudged, rate),
        rate,
        tuple(notes),
        topics=len(judged.topics),
    )


def _course_notes(unjudged: Assumption, rate: float) -> tuple[Note, ...]:
    residual = "residual: what the unjudged documents could add to a score, averaged over runs"
    score = f"score: expected, if {rate:.0%} of the weight judged is gained, as so far"
    undecided = "undecided: pairs of runs that could change places, expected in the same way"
    return (
        note("residual", f"{residual} and topics, if {assumed(unjudged)}"),
        note("score", score),
        note("undecided", undecided),
    )


def order_by_weight(candidates: Candidates, budget: int) -> Ints:
    """The documents that carry most weight over all runs, heaviest first."""
    return heaviest(candidates.total(), budget, candidates.topic)


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
    for size in np.diff(parts_of(budget, steps), prepend=0):
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
    some = heaviest(most, 4 * count, candidates.topic)
    value = separating_weight(candidates.among(some), worth)
    enough = np.sort(value[some])[-count] if len(some) >= count else 0.0
    rest = np.flatnonzero((most >= enough) & (most > 0))
    value = separating_weight(candidates.among(rest), worth)
    return heaviest(value, count, candidates.topic, taken)


def worth_of_pairs(standing: Standing) -> Floats:
    """What a unit of weight is worth to each pair: 1 / what it needs, 0 if it is decided."""
    low, high = standing.ends
    need = np.minimum(-low, high)
    # A pair about to be decided must not outweigh all others: it is done with one document.
    least = np.median(need[standing.undecided]) / 100 if standing.undecided.any() else 1.0
    return np.where(standing.undecided, 1 / np.maximum(need, max(least, 1e-12)), 0.0)


def _course(
    judged: JudgedRankings, start: Standing, candidates: Candidates, chosen: Ints, rate: float
) -> pl.DataFrame:
    """What is expected today and after each tenth."""
    standing, topics, gain = start, len(judged.topics), np.full(candidates.count, rate)
    rows, before = [], 0
    for reached in [0, *parts_of(len(chosen)).tolist()]:
        batch = candidates.among(chosen[before:reached])
        standing, before = standing.after(batch, gain), reached
        score = float(standing.score.mean()) / topics
        rows.append((reached, standing.residual / topics, score, standing.undecided_count))
    schema = ["judged", "residual", "score", "undecided"]
    return pl.DataFrame(rows, schema=schema, orient="row").unique("judged", maintain_order=True)
