"""Pairs of runs to compare, and statistics of each pair: differences, effect sizes, wins."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankwise.arrays import CANCELLATION, Bools, Floats, Ints
from rankwise.errors import CallError, TooLittle, did_you_mean
from rankwise.stats import cluster_sums, differences_of, effective_clusters, moments
from rankwise.wording import Argument

CELLS = 1 << 22  # number of pairs × topics in memory at once
FEW_TOPICS = 6  # with five, no permutation or sign test reaches p ≤ 0.05


class PairNumbers(NamedTuple):
    """Statistics of each pair, over the topics for which both runs have a score.

    The numbers of topics on which the first run wins, ties or loses add up to `topics`. `dropped`
    is the number of all other topics.
    """

    mean_a: Floats
    mean_b: Floats
    difference: Floats
    percent: Floats  # of mean_b; NaN where mean_b is not above 0
    effect: Floats
    wins: Ints
    ties: Ints
    losses: Ints
    topics: Ints
    dropped: Ints


def choose_pairs(runs: Sequence[str], baseline: str | None) -> tuple[Ints, Ints]:
    """Return the indices of the first run and of the second run of each pair, as two arrays.

    A difference is the score of the first run minus that of the second. With a baseline, each other
    run is paired with the baseline, which is the second run of the pair. Without a baseline, all
    pairs of three or more runs are returned, and the first run of a pair comes before the second in
    `runs`. Of only two runs, the later one is the first of the pair (new − old), because people
    name the older run first.
    """
    if len(runs) < 2:
        raise TooLittle(f"a comparison needs two runs or more; only one run is given ({runs[0]}).")
    if baseline is None and len(runs) == 2:
        return np.array([1]), np.array([0])
    if baseline is None:
        return np.triu_indices(len(runs), 1)
    if baseline not in runs:
        near = did_you_mean(baseline, runs)
        listed = f" The runs are {', '.join(runs)}." if len(runs) <= 10 else ""
        what = f": no run has this name.{near or listed}"
        raise CallError(Argument("baseline", baseline), what)
    base = runs.index(baseline)
    others = np.delete(np.arange(len(runs)), base)
    return others, np.full(len(others), base)


def pair_numbers(
    values: Floats, first: Ints, second: Ints, *, sign: int = 1, samples: Floats | None = None
) -> PairNumbers:
    """Return the statistics of each pair, from the scores of one metric (systems × topics).

    The effect size is Cohen's d_z: the mean of the differences divided by their standard deviation.
    The standard deviation is computed from `samples` (see `Scores.pseudo_values`), by default from
    `values`. If the standard deviation is 0, the effect size is NaN. `sign` is −1 if lower is
    better; the lower score then wins.
    """
    samples, parts = values if samples is None else samples, []
    for some in pieces_of(len(first), values.shape[1]):
        pair = first[some], second[some]
        differences = differences_of(values, *pair)
        shared = np.isfinite(differences)
        moment, sd = moments(differences), moments(differences_of(samples, *pair)).sd
        a, b = (moments(np.where(shared, values[side], np.nan)).mean for side in pair)
        size = np.abs(np.where(shared, differences, 0.0))
        tied = size <= CANCELLATION * size.max(axis=1, initial=0)[:, None]
        # The mean is 0 apart from rounding error: positive and negative differences cancel.
        zero = np.abs(moment.mean) <= CANCELLATION * size.sum(axis=1) / np.maximum(moment.topics, 1)
        difference = np.where(zero, 0.0, moment.mean)
        with np.errstate(divide="ignore", invalid="ignore"):
            percent = np.where(b > 0, 100 * difference / b, np.nan)
            effect = np.where(sd > 0, difference / sd, np.nan)
        wins, losses = (
            (shared & ~tied & (side * differences > 0)).sum(1) for side in (sign, -sign)
        )
        counts = (wins, moment.topics - wins - losses, losses, moment.topics)
        dropped = values.shape[1] - moment.topics
        parts.append((a, b, difference, percent, effect, *counts, dropped))
    return PairNumbers(*map(np.concatenate, zip(*parts, strict=True)))


def few_units(
    values: Floats, first: Ints, second: Ints, clusters: Ints | None, *, permuted: bool
) -> Bools:
    """Return a mask of the pairs with scores of both runs on fewer than six topics or clusters.

    `values` has the shape (systems, topics). Unless the test is a permutation test (`permuted`),
    pairs with an effective number of clusters below six are also marked.
    """
    defined = np.isfinite(values)
    counts = []
    for some in pieces_of(len(first), values.shape[1]):
        both = (defined[first[some]] & defined[second[some]]).astype(np.float64)
        sizes = both if clusters is None else cluster_sums(both, clusters)
        count = (sizes > 0).sum(axis=1)
        if clusters is not None and not permuted:
            count = np.minimum(count, effective_clusters(sizes))
        counts.append(count)
    return np.round(np.concatenate(counts), 9) < FEW_TOPICS


def pieces_of(pairs: int, topics: int, cells: int = CELLS) -> list[slice]:
    """Split pairs into slices, to limit memory.

    A slice has at most `cells` differences (pairs × topics), but at least one pair.
    """
    size = max(1, cells // max(topics, 1))
    return [slice(start, start + size) for start in range(0, max(pairs, 1), size)]
