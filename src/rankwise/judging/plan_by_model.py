"""Plans of documents to judge next, chosen by a predictive model to decide which run is better."""

from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri, owens_t

from rankwise.arrays import ROUNDING, Bools, Floats, Ints
from rankwise.comparison.verdicts import difference_bounds
from rankwise.errors import CallError, did_you_mean, some_of
from rankwise.judging.plan import JudgmentPlan, heaviest, listed, parts_of
from rankwise.metrics import Metric
from rankwise.notes import Note, detail, note, warning
from rankwise.probable import RESAMPLES, Documents, Draws, draw_scores, effects_of, pool_of
from rankwise.progress import track
from rankwise.rankings import JudgedRankings, Possible
from rankwise.scores import score_judged
from rankwise.wording import Argument, Count, Remedy, is_or_are, percent

STEPS = 20  # after each step, the resolved variance is updated
PROGRESS = ["judged", "relevant", "unresolved", "misordered"]
SURE = 0.95  # an order with at least this probability counts as resolved
FARTHEST = 40.0  # expected differences are limited to this number of standard deviations
SLIGHT = 0.001  # documents that are expected to resolve fewer pairs of runs give a note
SHOWN_RISE = 0.05  # a smaller rise of the number of pairs does not show in the table
MOST_BOUNDED = 1000  # for more pairs of runs, bounds are not computed
MOST_OPEN = 3  # number of least certain pairs of runs that are listed
NEARLY = 0.01  # minimum unresolved fraction, so that nearly resolved pairs do not outweigh others
LIST_NOTES = (
    detail(
        "columns",
        "'chance' is the probability that the document is relevant. 'resolves' is the expected "
        "number of pairs of runs that a judgment of the document resolves: the sum, over all "
        "pairs, of the document's share of the remaining uncertainty times the probability that "
        "the pair is in the wrong order. 'runs' is the number of runs that retrieved the document. "
        "'best_rank' is the best rank of the document in these runs",
    ),
    detail(
        "order",
        "documents are chosen in batches, and each batch is ordered by 'resolves'. 'resolves' "
        "assumes that the documents of earlier batches are judged",
    ),
)
PROGRESS_NOTES = (
    detail(
        "columns",
        "'relevant' is the expected number of relevant documents among the judged documents of "
        "the list. 'unresolved' is the expected number of pairs of runs for which neither run is "
        f"better with a probability of {percent(SURE)} or more. 'misordered' is the expected "
        "number of pairs in the wrong order",
    ),
    note("model", "all numbers are estimates of a model fitted to the judgments"),
)


def plan_resolution(
    judged: JudgedRankings,
    metric: Metric,
    budget: int,
    *,
    possible: Possible,
    pair: tuple[str, str] | None = None,
    baseline: str | None = None,
    seed: int = 0,
) -> JudgmentPlan:
    """Choose the documents whose judgments are expected to resolve the most pairs of runs.

    The pairs are all pairs, one `pair`, or the pairs with a `baseline`. The value of a document is
    a sum over pairs: the probability that the pair is in the wrong order times the document's share
    of the remaining variance of the pair's score difference. The variance due to a document is
    p (1 − p) (effect on A − effect on B)². p is its probability of relevance under the predictive
    model, and the effect is the change of a run's score if the document is relevant. The share is
    this variance divided by its sum over all documents that were not chosen in earlier steps.

    The model is approximate. For at most 1,000 pairs, bounds are therefore computed as well, if the
    metric has any. Pairs whose order no judgments can change are then excluded, even if the model
    is not sure of their order. `possible` must be of the form `top=K`.
    """
    wanted = _pairs_to_resolve(judged.runs, pair)
    if baseline is not None:
        with_baseline = np.array([run == baseline for run in judged.runs])
        wanted &= with_baseline[:, None] | with_baseline
    top, retrieved, topics, notes = possible.top, judged.retrieved, judged.topics, judged.notes
    assert top is not None and retrieved is not None
    wanted &= ~_guaranteed(judged, metric, wanted, f"top={top}")
    means = score_judged(judged, (metric,)).totals["value"][0]
    runs = judged.runs
    documents = Documents.of(judged.cut_to_depth(), top)
    del judged  # it is several times as large as `documents`
    pool_of(documents, needed=1)  # raises an error if there is nothing to learn from
    known, new = documents.is_judged, documents.unjudged
    rng = np.random.default_rng(seed)
    draws = draw_scores(documents, (metric,), known, new, draws=RESAMPLES, rng=rng)
    stakes = Stakes.of(documents, draws, metric)
    odds = draws.odds(0, metric.sign)
    doubt = Doubt.of(odds, wanted, stakes.variances())
    resolution = resolve(stakes, doubt, budget)
    reversals = _expected_reversals(odds, metric.sign * means, wanted, runs)
    chosen, progress = resolution.chosen, resolution.progress
    last = len(progress) - 1
    shown = [row for n, row in enumerate(progress) if last <= 10 or n % 2 == 0 or n == last]
    by = {"chance": stakes.chance[chosen], "resolves": resolution.resolves}
    return JudgmentPlan(
        metric,
        listed(retrieved, topics, stakes.code[chosen], by),
        pl.DataFrame(shown, schema=PROGRESS, orient="row"),
        f"top={top}",
        LIST_NOTES,
        (*PROGRESS_NOTES, *_about_rise(progress), detail("seed", f"the random seed is {seed}")),
        input_notes=(
            *notes,
            *_about_reversals(reversals, dict(zip(runs, means.tolist(), strict=True)), top),
            *_about_fewer(len(chosen), budget, top, len(stakes.code)),
            *_about_slight(resolution),
        ),
        progress_digits=1,
        topics=len(topics),
        open_pairs=_open_pairs(resolution.unresolved, runs),
        expected_reversals=reversals,
    )


@dataclass(frozen=True, eq=False)
class Resolution:
    """Documents to judge, in order, and the expected effect of judging them.

    `chosen` has the documents, as indices into the arrays of `Stakes`. `resolves` has the number of
    pairs of runs that each document is expected to resolve. A row of `progress` has the number of
    documents judged up to this point, the expected number of relevant documents among these, and
    the expected numbers of unresolved and of misordered pairs. `unresolved` has, for each pair of
    runs (runs × runs), the probability that the pair is unresolved after the whole list is judged.
    """

    chosen: Ints
    resolves: Floats
    progress: list[tuple[int, float, float, float]]
    unresolved: Floats


def resolve(stakes: "Stakes", doubt: "Doubt", budget: int, steps: int = STEPS) -> Resolution:
    """Choose `budget` documents in steps, and in each step those of highest `Stakes.values`.

    Documents of earlier steps count as judged. Only documents with a value above 0 are chosen.
    """
    chosen, resolves = [np.zeros(0, np.int64)], [np.zeros(0)]
    progress = [(0, 0.0, *doubt.expected())]
    is_chosen = np.zeros(len(stakes.chance), np.bool_)
    for size in track(np.diff(parts_of(budget, steps), prepend=0), "steps of the plan"):
        value = np.where(is_chosen, 0.0, stakes.values(doubt.worth()))
        batch = heaviest(value, int(size), stakes.topic, is_chosen)
        if not len(batch):
            break
        is_chosen[batch] = True
        chosen.append(batch)
        resolves.append(value[batch])
        doubt = replace(doubt, resolved=stakes.variances(is_chosen))
        relevant = float(stakes.chance[is_chosen].sum())
        progress.append((int(is_chosen.sum()), relevant, *doubt.expected()))
    return Resolution(np.concatenate(chosen), np.concatenate(resolves), progress, doubt.unresolved)


def _open_pairs(unresolved: Floats, runs: tuple[str, ...]) -> tuple[tuple[str, str, float], ...]:
    """Return the three pairs of runs that are most likely to stay unresolved.

    Each pair comes with its probability. Pairs with probability 0 are left out.
    """
    upper = np.triu(unresolved)
    order = np.argsort(-upper, axis=None, kind="stable")[:MOST_OPEN]
    pairs = zip(*np.unravel_index(order, upper.shape), strict=True)
    return tuple((runs[a], runs[b], float(upper[a, b])) for a, b in pairs if upper[a, b] > 0)


def _expected_reversals(
    odds: Floats, means: Floats, wanted: Bools, runs: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Return the pairs (better, worse) that the model orders against their present means.

    Only pairs in the mask `wanted` are considered, and only orders with a probability of at least
    95 %. Higher `means` are better. `odds` has, for each pair A, B (runs × runs), the expected
    difference A − B divided by its standard deviation.
    """
    sure = wanted & (np.nan_to_num(odds) >= ndtri(SURE))
    pairs = np.argwhere(sure & (means[:, None] < means))
    return tuple((runs[better], runs[worse]) for better, worse in pairs.tolist())


def _pairs_to_resolve(runs: tuple[str, ...], pair: tuple[str, str] | None) -> Bools:
    """Return a mask (runs × runs) of the pairs to resolve: all pairs, or only `pair`."""
    if len(runs) < 2:
        only = f"; only one run is given ({runs[0]})" if runs else ""
        default = " (the default for metrics without fixed rank weights)"
        raise CallError(Argument("probable", True), default, f" needs two runs or more{only}.")
    if pair is None:
        return ~np.eye(len(runs), dtype=np.bool_)
    if len(pair) != 2:
        raise CallError(Argument("pair"), f" {pair!r} is not a pair. Give the names of two runs.")
    for name in pair:
        if name not in runs:
            near = did_you_mean(name, runs)
            some = f" The runs are {', '.join(runs)}." if len(runs) <= 10 else ""
            raise CallError(Argument("pair"), f": no run is called {name!r}.{near or some}")
    first, second = (runs.index(name) for name in pair)
    if first == second:
        raise CallError(Argument("pair"), f": {pair[0]!r} is given twice. Give two different runs.")
    wanted = np.zeros((len(runs), len(runs)), np.bool_)
    wanted[[first, second], [second, first]] = True
    return wanted


def _guaranteed(judged: JudgedRankings, metric: Metric, wanted: Bools, unjudged: str) -> Bools:
    """Return a mask (runs × runs) of the `wanted` pairs whose order no judgments can change.

    No pair is marked if there are more than 1,000 pairs, or if the metric treats documents with a
    negative grade and unjudged documents differently. Bounds are not computed in these cases.
    """
    mask, pairs = np.zeros(wanted.shape, np.bool_), np.argwhere(np.triu(wanted))
    if len(pairs) > MOST_BOUNDED or metric.tells_unusable:
        return mask
    first, second = pairs.T
    ends = difference_bounds(judged, metric, first, second, unjudged, effort=0).mean
    mask[first, second] = (ends.low > ROUNDING) | (ends.high < -ROUNDING)
    return mask | mask.T


@dataclass(frozen=True, eq=False)
class Stakes:
    """Effect of each unjudged document on each run's score for its topic, if it is relevant.

    For each document, `code` has its code in `Documents`, `topic` the index of its topic, and
    `chance` its probability of relevance. For each topic, `parts` has the indices of the topic's
    documents in these arrays, and an array (documents × runs) of the effects of these documents.
    """

    code: Ints
    topic: Ints
    chance: Floats
    parts: list[tuple[Ints, Floats]]

    @classmethod
    def of(cls, documents: Documents, draws: Draws, metric: Metric) -> "Stakes":
        """Compute the effects of documents, averaged over the simulated judgments in `draws`."""
        effects, code = effects_of(documents, metric, draws.codes, draws.samples), draws.codes
        place = np.full(len(documents.topic), -1)
        place[code] = np.arange(len(code))
        places, topics = documents.rejudged, len(documents.topics)
        rows = np.flatnonzero(place[places.code] >= 0)
        run, of_topic = np.divmod(places.ranking[rows], topics)
        adds = effects.at(places.ranking[rows], places.rank[rows])
        missed = effects.missed.reshape(-1, topics)
        document = place[places.code[rows]]
        within, parts = np.zeros(len(code), np.int64), []
        members_of, rows_of = _by_topic(documents.topic[code], topics), _by_topic(of_topic, topics)
        for topic, (members, here) in enumerate(zip(members_of, rows_of, strict=True)):
            within[members] = np.arange(len(members))
            table = np.tile(missed[:, topic], (len(members), 1))
            table[within[document[here]], run[here]] = adds[here]
            parts.append((members, table))
        return cls(code, documents.topic[code], draws.chance, parts)

    @property
    def spread(self) -> Floats:
        """Variance p (1 − p) of the relevance of each document; p is its `chance`."""
        return np.asarray(self.chance * (1 - self.chance))

    def variances(self, only: Bools | None = None) -> Floats:
        """Return the variance of the score difference of each pair of runs (runs × runs).

        Differences are sums over topics. The variance is that due to the unknown relevance of the
        documents in the mask `only`, by default of all documents.
        """
        runs = self.parts[0][1].shape[1]
        total = np.zeros((runs, runs))
        for members, table in self.parts:
            if only is not None:
                members, table = members[only[members]], table[only[members]]
            total += (table * self.spread[members][:, None]).T @ table
        own = np.diag(total)
        return np.maximum(own[:, None] + own - 2 * total, 0.0)

    def values(self, worth: Floats) -> Floats:
        """Return Σ worth(A, B) × spread × (effect on A − effect on B)² for each document.

        The sum is over pairs of runs A and B. `worth` has a factor for each pair (runs × runs).
        """
        value = np.zeros(len(self.chance))
        of_run = worth.sum(axis=1)
        for members, table in self.parts:
            squares = (table**2) @ of_run - ((table @ worth) * table).sum(axis=1)
            value[members] = self.spread[members] * np.maximum(squares, 0.0)
        return value


def _by_topic(topic: Ints, topics: int) -> list[Ints]:
    """Return, for each topic number, the indices at which it occurs in `topic`."""
    order = np.argsort(topic, kind="stable")
    return np.split(order, np.searchsorted(topic[order], np.arange(1, topics)))


@dataclass(frozen=True, eq=False)
class Doubt:
    """Uncertainty of the order of each pair of runs. All arrays have the shape (runs, runs).

    `wanted` marks the pairs to resolve. `odds` is the absolute value of the expected score
    difference of the pair, divided by the standard deviation of this difference. `all` is the
    variance of the difference due to all unjudged documents. `resolved` is the part of this
    variance due to the documents chosen so far.
    """

    wanted: Bools
    odds: Floats
    all: Floats
    resolved: Floats

    @classmethod
    def of(cls, odds: Floats, wanted: Bools, variances: Floats) -> "Doubt":
        """Return the uncertainty before judging.

        `odds` may be negative, and NaN counts as 0. Pairs whose `variances` are 0 are not wanted,
        because judging cannot resolve them.
        """
        known = np.minimum(np.nan_to_num(np.abs(odds), nan=0.0), FARTHEST)
        return cls(wanted & (variances > 0), known, variances, np.zeros(wanted.shape))

    @property
    def share(self) -> Floats:
        """Resolved fraction of the variance of each pair's difference; 1 without variance."""
        share = np.divide(self.resolved, self.all, out=np.ones(self.all.shape), where=self.all > 0)
        return np.clip(share, 0.0, 1.0)

    @property
    def misordered(self) -> Floats:
        """Probability that the run that seems better after judging is worse.

        The expected difference after judging and the true difference are assumed normal, with mean
        `odds` (in standard deviations of the true difference) and correlation √share. Their signs
        differ with probability 2 T(odds, √((1 − share) / share)), where T is Owen's function.
        Before judging this is Φ(−odds).
        """
        share = np.maximum(self.share, 1e-12)
        chance = 2 * owens_t(self.odds, np.sqrt((1 - share) / share))
        return np.where(self.wanted, chance, 0.0)

    def worth(self) -> Floats:
        """Return the value of resolving a unit of variance of each pair of runs.

        The value is the probability that the pair is misordered, divided by its unresolved
        variance, which counts as at least 1 % of the variance before judging.
        """
        left = self.all * np.maximum(1 - self.share, NEARLY)
        return np.divide(self.misordered, left, out=np.zeros(left.shape), where=self.wanted)

    @property
    def unresolved(self) -> Floats:
        """Probability that a pair is unresolved: neither run is better at 95 % probability."""
        known, left = np.sqrt(np.maximum(self.share, 1e-12)), np.sqrt(1 - self.share)
        reach = ndtri(SURE) * left
        chance = ndtr((reach - self.odds) / known) - ndtr((-reach - self.odds) / known)
        return np.where(self.wanted, chance, 0.0)

    def expected(self) -> tuple[float, float]:
        """Return the expected numbers of unresolved pairs and of misordered pairs."""
        return float(self.unresolved.sum()) / 2, float(self.misordered.sum()) / 2


def _about_reversals(
    pairs: tuple[tuple[str, str], ...], means: dict[str, float], top: int
) -> list[Note]:
    """Return a warning if the model expects that judging reverses the order of some `pairs`.

    A pair has the run that is then better first. `means` are the present mean scores.
    """
    orders = [f"{a} (now {means[a]:.4f}) above {b} (now {means[b]:.4f})" for a, b in pairs]
    if not orders:
        return []
    what = f"the model expects that judging the first {top:,} documents of all runs reverses the "
    what += f"order of {Count(len(pairs), 'pair')} of runs: {some_of(orders)}"
    return [warning("expected-reversal", what)]


def _about_rise(progress: list[tuple[int, float, float, float]]) -> list[Note]:
    """Return a note if the expected number of unresolved pairs rises above its first value."""
    if max(row[2] for row in progress) < progress[0][2] + SHOWN_RISE:
        return []
    text = (
        "'unresolved' can increase before it decreases: after some judgments, the model may be "
        "less sure of the order of a pair of runs"
    )
    return [note("rise", text)]


def _about_fewer(count: int, budget: int, top: int, unjudged: int) -> list[Note]:
    """Return a note if the list of `count` documents is shorter than the budget.

    `unjudged` is the number of unjudged documents in the first `top` of the runs.
    """
    if count >= budget:
        return []
    if not unjudged:
        deeper = Remedy(Argument("unjudged", f"top={10 * top}"), "plan to a greater depth")
        what = f"no document is listed, because the first {top:,} documents of all runs are judged"
        return [note("fewer", what, remedy=deeper)]
    if not count:
        what = (
            f"no document is listed, because no unjudged document in the first {top:,} of a run is "
            "expected to make the order of two runs more certain"
        )
        return [note("fewer", what)]
    what = " could decide which of two runs is better, so the list is shorter than the budget of "
    return [note("fewer", "only ", Count(count, "unjudged document"), f"{what}{budget:,}")]


def _about_slight(resolution: Resolution) -> list[Note]:
    """Return a note if some documents are expected to resolve fewer than 0.001 pairs of runs."""
    slight = int((resolution.resolves < SLIGHT).sum())
    if not slight:
        return []
    each = f"expected to resolve fewer than {SLIGHT:g} pairs of runs each"
    if slight < len(resolution.chosen):
        last = f"the last {slight:,} of these documents {is_or_are(slight)} {each}"
        what = f"{last}; a smaller budget is enough"
        return [note("slight", what)]
    if resolution.progress[0][2] < SLIGHT:
        what = (
            "these documents are not worth judging: the model is already sure of the order of "
            "every pair of runs, and expects that the judgments confirm this order"
        )
        return [note("no-doubt", what)]
    more = "many more judgments would be needed to decide which run is better"
    return [note("slight", f"all of these documents are {each}; {more}")]
