"""`plan_judgments`: plans of documents to judge next, by their weight in a metric or by a model.

In plans by weight, the value of a document is the sum, over runs, of the weight that the metric
gives to its rank. By default all runs count equally. Runs can also count in proportion to a factor
of Moffat, Webber and Zobel, SIGIR 2007. The factor `residual` is the largest amount that unjudged
documents could add to the run's score. The factor `score` is the residual times the cube of the
midpoint between the lower and the upper bound of the run's score, and prefers the best runs.
"""

from collections.abc import Callable
from typing import get_args

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError, check_at_least, check_word
from rankwise.judging.plan import JudgmentPlan, heaviest, listed, parts_of
from rankwise.judging.plan_by_model import plan_resolution
from rankwise.judging.state import (
    Candidates,
    Standing,
    candidates_of,
    rate_of_gain,
    separating_weight,
)
from rankwise.metrics import Metric, MetricLike, parse
from rankwise.notes import Note, detail, note
from rankwise.probable import check_predictable
from rankwise.progress import track
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
from rankwise.wording import Argument, Count, percent

SLIGHT = 0.0001  # a plan that can change a mean score by less than this has a note
POWER = 3  # exponent of the middle of the score range, as in the paper

TARGETED = {
    "residual": (
        "the list is ordered by weight; each run counts in proportion to its residual (the most "
        "that unjudged documents could add to its score)"
    ),
    "score": (
        "the list is ordered by weight; each run counts in proportion to its residual (the most "
        "that unjudged documents could add to its score) × the cube of the middle of its score "
        "range"
    ),
}


def in_steps(
    start: Standing,
    candidates: Candidates,
    rate: float,
    budget: int,
    best: Callable[[Standing, Bools, int], Ints],
) -> Ints:
    """Choose `budget` documents, or fewer, in steps. Return their codes, in order.

    In each step, `best` chooses documents, given the expected state of the runs, a mask of the
    documents chosen before, and the number to choose. After each step, the chosen documents count
    as judged, and each gains the fraction `rate` of its weight.
    """
    standing, is_chosen, chosen = start, np.zeros(candidates.count, np.bool_), []
    gain = np.full(candidates.count, rate)
    for size in track(np.diff(parts_of(budget, STEPS), prepend=0).tolist(), "steps of the plan"):
        batch = best(standing, is_chosen, size)
        chosen.append(batch)
        if len(batch) < size:
            break
        standing = standing.after(candidates.among(batch), gain)
        is_chosen[batch] = True
    return np.concatenate(chosen)


def worth_of_runs(standing: Standing, topics: int, weigh: Weighing) -> Floats:
    """Return the value of judging a unit of weight in each run: ε, or ε (S + ε / 2)³ for `score`.

    S is the run's mean score over `topics` topics, and ε its residual: the largest amount that
    unjudged documents could add to S.

    >>> one = np.array([0.5])
    >>> worth_of_runs(Standing(one, one, 0 * one, one[:, None]), 1, "score").tolist()
    [0.2109375]
    """
    residual = np.maximum(standing.open, 0.0) / topics + standing.below / topics
    if weigh == "residual":
        return residual
    return np.asarray(residual * (standing.score / topics + residual / 2) ** POWER)


# Meaning of the columns of the list of documents.
COLUMNS = detail(
    "columns",
    "'weight' is the largest amount that the document could add to the sum of the scores of all "
    "runs. 'runs' is the number of runs that retrieved the document. 'best_rank' is the best rank "
    "of the document in these runs",
)
BY_WEIGHT = "the list is ordered by weight"
SEPARATING = (
    "the list starts with the documents that are most useful to decide undecided pairs of runs"
)
STEPS = 20  # after each step, runs are weighted again, and decided pairs are excluded


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
    """Choose the `budget` unjudged documents to judge next, over all runs and topics.

    For metrics with fixed rank weights (RBP, P@k, DCG@k and similar metrics), documents are by
    default ranked by the sum of their weights in all runs. No other choice of `budget` documents
    leaves a smaller mean residual over runs. The residual of a run is the largest amount that
    unjudged documents could add to its score. Judging a document removes its weight from the
    residual. Moffat, Webber and Zobel, SIGIR 2007, chose documents by their weight in RBP.

    For other metrics, and for any metric with `probable` or `pair`, a predictive model is fitted to
    the current judgments. The chosen documents are those that are expected to decide which run is
    better, for as many pairs of runs as possible.

    Parameters
    ----------
    data, runs
        As for `score`. The predictive model needs at least one run whose first 2 documents are
        judged on almost every topic.
    metric
        A metric of quality, not a diagnostic such as NumRel or Judged.
    budget
        Maximum number of documents to list.
    separate
        Choose the documents that help most to prove which of two runs is better, no matter how the
        remaining unjudged documents are judged. Only for metrics with fixed rank weights.
    probable
        Use the predictive model for a metric with fixed rank weights too.
    pair
        Names of two runs. The predictive model then chooses the documents that are most likely to
        decide which of the two is better.
    seed
        The random seed of the model.
    weigh
        Factor of each run in the sum of weights, for metrics with fixed rank weights. `equal` is 1
        for all runs. `residual` is the residual ε of the run. `score`, to find the best runs, is ε
        (S + ε / 2)³ with the mean score S of the run.
    unjudged
        The assumption about unjudged documents. Without the model, `retrieved` (the default: only
        documents that a run retrieved can be relevant) or `open` (any document can). With the
        model, `top=K`: only documents in the top K of at least one run (default 100).

    Returns
    -------
    JudgmentPlan
        The documents in order, and the expected effect of judging them.

    Examples
    --------
    >>> runs = {"A": {"1": {"x": 2, "y": 1}}, "B": {"1": {"x": 2, "z": 1}}}
    >>> plan_judgments({"1": {"y": 0}}, runs, "RBP(p=0.5)", 1).frame.rows()
    [('1', 'x', 1.0, 2, 1)]
    """
    if metric is None:
        raise CallError("no metric is given. Use plan_judgments(qrels, runs, 'AP', 100).")
    collection = as_collection(data, runs)
    wanted = parse(metric)
    check_word("weigh", weigh, get_args(Weighing))
    check_at_least("budget", budget)
    by_model = probable or pair is not None or wanted.sum_of_weights is None
    methods = [(Argument("weigh"), weigh != "equal"), (Argument("separate", True), separate)]
    methods += [(Argument("pair"), pair is not None)]
    methods += [(Argument("probable", True), probable and pair is None)]
    if len(used := [argument for argument, is_used in methods if is_used]) > 1:
        raise CallError(used[0], " cannot be combined with ", used[1], ". Remove one of them.")
    if weigh != "equal" and by_model:
        what = " applies only to metrics with fixed rank weights, such as RBP and P@10. Remove "
        raise CallError(Argument("weigh"), what, Argument("weigh"), ".")
    possible = _possible(wanted, by_model, separate, unjudged)
    needs = Needs(
        documents=True,
        whole_ties=wanted.ties == "share",
        within=possible.top if by_model else None,
    )
    if by_model:
        return plan_resolution(
            collection.judged(needs), wanted, budget, possible=possible, pair=pair, seed=seed
        )
    judged, basis = collection.judged(needs), possible.of_rankings
    return plan_judged(judged, wanted, budget, separate=separate, weigh=weigh, unjudged=basis)


def _possible(metric: Metric, by_model: bool, separate: bool, unjudged: str | None) -> Possible:
    """Parse the assumption `unjudged`; raise an error if the planning method does not support it.

    `by_model` is whether a predictive model chooses the documents. The defaults are `top=100` with
    the model, and `retrieved` without.
    """
    if by_model:
        if separate:
            raise CallError(
                Argument("separate", True),
                f" needs a metric with fixed rank weights, and {metric} has none. Use for example "
                "RBP, P@10 or DCG@10, or remove ",
                Argument("separate", True),
                "; documents are then chosen by predicted scores.",
            )
        check_predictable((metric,))
        assumption = Possible.parse(unjudged or "top=100")
        if assumption.top is None or assumption.extra:
            what = f" {unjudged!r}: documents for {metric} are chosen by predicted scores"
            if metric.sum_of_weights is not None:
                what = f" {unjudged!r}: documents are chosen by predicted scores"
            raise CallError(Argument("unjudged"), f"{what}, which need top=K, for example top=100.")
        return assumption
    if unjudged is not None and str(unjudged).startswith("top"):
        model = Argument("probable", True)
        what = f" {unjudged!r} applies only with "
        raise CallError(
            Argument("unjudged"), what, model, ". Add ", model, ", or use retrieved or open."
        )
    check_word("unjudged", "retrieved" if unjudged is None else unjudged, get_args(Assumption))
    assumption = Possible.parse(unjudged or "retrieved")
    weights = metric.sum_of_weights
    assert weights is not None
    if assumption.basis == "open" and np.isinf(weights.weight_below(np.array([1]))).any():
        raise CallError(
            f"the rank weights of {metric} have no finite sum. Use a cutoff, e.g. {metric}@10."
        )
    return assumption


def plan_judged(
    judged: JudgedRankings,
    metric: Metric,
    budget: int,
    *,
    separate: bool = False,
    weigh: Weighing = "equal",
    unjudged: Assumption = "retrieved",
) -> JudgmentPlan:
    """Plan judgments for a metric with fixed rank weights.

    `judged` must include the retrieved documents that are not judged. The other arguments are those
    of `plan_judgments`.
    """
    weights = metric.at_levels_of(judged).sum_of_weights
    assert weights is not None and judged.retrieved is not None
    if separate and len(judged.runs) < 2:
        raise CallError(Argument("separate", True), " compares runs. Give two runs or more.")
    candidates, rate = candidates_of(judged, weights), rate_of_gain(judged, weights)
    start = Standing.of(judged, weights, candidates, unjudged)

    def best(standing: Standing, is_chosen: Bools, size: int) -> Ints:
        if separate:
            return best_to_separate(candidates, worth_of_pairs(standing), is_chosen, size)
        worth = worth_of_runs(standing, len(judged.topics), weigh)
        value = np.where(is_chosen, 0.0, candidates.total(worth))
        return heaviest(value, size, candidates.topic, is_chosen)

    if separate or weigh != "equal":
        chosen = in_steps(start, candidates, rate, budget, best)
    else:
        chosen = heaviest(candidates.total(), budget, candidates.topic)
    notes = list(judged.notes)
    if len(chosen) < budget:
        notes.append(_about_fewer(len(chosen), metric, start, separate=separate))
    by = {"weight": candidates.total()[chosen]}
    progress = _progress(judged, start, candidates, chosen, rate)
    notes += _about_slight(progress["residual"])
    return JudgmentPlan(
        metric,
        listed(judged.retrieved, judged.topics, chosen, by),
        progress,
        unjudged,
        (COLUMNS, detail("order", SEPARATING if separate else TARGETED.get(weigh, BY_WEIGHT))),
        _progress_notes(unjudged, rate),
        rate,
        tuple(notes),
        topics=len(judged.topics),
    )


def _about_fewer(chosen: int, metric: Metric, start: Standing, *, separate: bool) -> Note:
    """Return a note on a list of `chosen` documents that is shorter than the budget."""
    if not chosen and not separate:
        what = f"every retrieved document that counts in {metric} is judged"
        return note("fewer", f"nothing needs to be judged: {what}")
    if not chosen and not start.undecided_count:
        return note("fewer", "nothing needs to be judged: no pair of runs is undecided")
    what = "could decide undecided pairs of runs" if separate else f"can change {metric}"
    shorter = "so the list is shorter than the budget"
    return note("fewer", "only ", Count(chosen, "unjudged document"), f" {what}, {shorter}")


def _about_slight(residual: pl.Series) -> list[Note]:
    """Return a note if the listed documents can raise mean scores by less than 0.0001.

    `residual` is the column of `JudgmentPlan.progress`.
    """
    resolved = residual[0] - residual[-1]
    if not 0 < resolved < SLIGHT:
        return []
    what = f"all of them together can raise the mean score by only {resolved:.2g} (mean over runs)"
    return [note("slight", f"these documents are not worth judging: {what}")]


def _progress_notes(unjudged: Assumption, rate: float) -> tuple[Note, ...]:
    residual = (
        "'residual' is the largest amount that the unjudged documents could add to a score, "
        f"averaged over runs and topics. It assumes that {assumed(unjudged)}"
    )
    score = (
        "'score' is the expected mean score. It assumes that the listed documents gain the same "
        f"fraction of their weight as the retrieved documents judged so far ({percent(rate)})"
    )
    undecided = "'undecided' is the expected number of pairs of runs whose order could still change"
    return (
        detail("residual", residual),
        detail("score", score),
        detail("undecided", undecided),
    )


def best_to_separate(candidates: Candidates, worth: Floats, is_chosen: Bools, count: int) -> Ints:
    """Return the `count` documents with the largest value, largest first.

    The value of a document is Σ worth × |wA − wB| over the pairs of runs A and B. wA and wB are its
    weights in the two runs, and `worth` has a factor for each pair (runs × runs). The value is at
    most the sum, over runs, of the weight in the run times the total worth of the run's pairs. This
    upper bound is fast to compute. Once `count` values are known, documents with a smaller bound
    are skipped.
    """
    most = np.where(is_chosen, 0.0, candidates.total(worth.sum(axis=1)))
    some = heaviest(most, 4 * count, candidates.topic)
    value = separating_weight(candidates.among(some), worth)
    enough = np.sort(value[some])[-count] if len(some) >= count else 0.0
    rest = np.flatnonzero((most >= enough) & (most > 0))
    value = separating_weight(candidates.among(rest), worth)
    return heaviest(value, count, candidates.topic, is_chosen)


def worth_of_pairs(standing: Standing) -> Floats:
    """Return the factor 1 / min(−low, high) of each undecided pair of runs, and 0 for other pairs.

    low and high are the bounds of the difference of the pair. A document with weights wA and wB in
    runs A and B can change their difference by |wA − wB|. The pair cannot be decided before changes
    of min(−low, high) in total are known (see `Ends.to_resolve`). A document therefore decides
    about |wA − wB| / min(−low, high) of the pair. Values of min(−low, high) below 1 % of their
    median over undecided pairs are raised to 1 % of the median.
    """
    low, high = standing.ends
    need = np.minimum(-low, high)
    # A pair that is almost decided needs a single document, and must not outweigh all other pairs.
    least = np.median(need[standing.undecided]) / 100 if standing.undecided.any() else 1.0
    return np.where(standing.undecided, 1 / np.maximum(need, max(least, 1e-12)), 0.0)


def _progress(
    judged: JudgedRankings, start: Standing, candidates: Candidates, chosen: Ints, rate: float
) -> pl.DataFrame:
    """Return `JudgmentPlan.progress`: the state before judging and after each tenth of the list.

    Each judged document gains the fraction `rate` of its weight.
    """
    standing, topics, gain = start, len(judged.topics), np.full(candidates.count, rate)
    rows, before = [], 0
    for reached in [0, *parts_of(len(chosen)).tolist()]:
        batch = candidates.among(chosen[before:reached])
        standing, before = standing.after(batch, gain), reached
        score = float(standing.score.mean()) / topics
        rows.append((reached, standing.residual / topics, score, standing.undecided_count))
    schema = ["judged", "residual", "score", "undecided"]
    return pl.DataFrame(rows, schema=schema, orient="row").unique("judged", maintain_order=True)
