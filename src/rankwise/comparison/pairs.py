"""Choice of pairs of runs, and their numbers: differences, effect sizes, counts of topics."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankwise.arrays import CANCELLATION, Bools, Floats, Ints
from rankwise.errors import CallError, TooLittle, did_you_mean
from rankwise.stats import cluster_sums, differences_of, effective_clusters, moments
from rankwise.wording import Argument

CELLS = 1 << 22  # pairs × topics that are worked on at a time
FEW_TOPICS = 6  # with five, no permutation or sign test reaches p ≤ 0.05


class PairNumbers(NamedTuple):
    """One number per pair, over the topics for which both runs have a score."""

    mean_a: Floats
    mean_b: Floats
    difference: Floats
    percent: Floats  # of mean_b; NaN where that is not above 0
    conf_low: Floats
    conf_high: Floats
    effect: Floats
    wins: Ints
    ties: Ints
    losses: Ints
    topics: Ints
    dropped: Ints


def choose_pairs(runs: Sequence[str], baseline: str | None) -> tuple[Ints, Ints]:
    """Return each run with the baseline, or all pairs, in the order of the runs.

    Two runs are compared as new − old: people type them in order of time. Differences can be
    negative: the sign, not the position, shows the better run.
    """
    if len(runs) < 2:
        raise TooLittle(
            f"a comparison needs two runs or more; only {runs[0]} is given. Give another run."
        )
    if baseline is None and len(runs) == 2:
        return np.array([1]), np.array([0])
    if baseline is None:
        return np.triu_indices(len(runs), 1)
    if baseline not in runs:
        near = did_you_mean(baseline, runs)
        listed = f" The runs are {', '.join(runs)}." if len(runs) <= 10 else ""
        raise CallError(Argument("baseline", baseline), f": no run has this name.{near or listed}")
    base = runs.index(baseline)
    others = np.delete(np.arange(len(runs)), base)
    return others, np.full(len(others), base)


def pair_numbers(
    values: Floats,
    first: Ints,
    second: Ints,
    *,
    ends: tuple[Floats, Floats],
    sign: int = 1,
    samples: Floats | None = None,
) -> PairNumbers:
    """Compute the numbers from the scores of one metric (systems × topics) and interval ends.

    The effect size is Cohen's d_z: the mean of the differences divided by their standard
    deviation, that of `samples` if given (`Scores.pseudo_values`). NaN if that is 0. `sign` is −1
    if lower is better: the lower score then wins.
    """
    samples = values if samples is None else samples
    parts = []
    for some in pieces_of(len(first), values.shape[1]):
        a, b, limits = first[some], second[some], (ends[0][some], ends[1][some])
        sd = moments(differences_of(samples, a, b)).sd
        parts.append(_numbers_of_piece(values, a, b, limits, sign, sd))
    return PairNumbers(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def few_units(
    values: Floats, first: Ints, second: Ints, clusters: Ints | None, *, permuted: bool
) -> Bools:
    """Return which pairs have fewer than six topics, or clusters, with a score of both runs.

    If the clusters are not `permuted`, their effective number must also be six.
    """
    defined = np.isfinite(values)
    found = []
    for some in pieces_of(len(first), values.shape[1]):
        both = (defined[first[some]] & defined[second[some]]).astype(np.float64)
        sizes = both if clusters is None else cluster_sums(both, clusters)
        count = (sizes > 0).sum(axis=1)
        found.append(count if permuted else np.minimum(count, effective_clusters(sizes)))
    return np.round(np.concatenate(found), 9) < FEW_TOPICS


def pieces_of(pairs: int, topics: int, cells: int = CELLS) -> list[slice]:
    """Return slices of pairs whose differences on all topics take little memory."""
    size = max(1, cells // max(topics, 1))
    return [slice(start, start + size) for start in range(0, max(pairs, 1), size)]


def _numbers_of_piece(
    values: Floats, first: Ints, second: Ints, ends: tuple[Floats, Floats], sign: int, sd: Floats
) -> PairNumbers:
    a, b = values[first], values[second]
    differences = differences_of(values, first, second)
    kept = np.isfinite(differences)
    found = moments(differences)
    means = [moments(np.where(kept, side, np.nan)).mean for side in (a, b)]
    size = np.abs(np.where(kept, differences, 0.0))
    even = size <= CANCELLATION * size.max(axis=1, initial=0)[:, None]
    # Up and down by as much in all, or even on all topics, but for rounding error.
    none = np.abs(found.mean) <= CANCELLATION * size.sum(axis=1) / np.maximum(found.topics, 1)
    difference = np.where(none, 0.0, found.mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = np.where(means[1] > 0, 100 * difference / means[1], np.nan)
        effect = np.where(sd > 0, difference / sd, np.nan)
    wins, losses = (
        (kept & ~even & (sign * differences > 0)).sum(1),
        (kept & ~even & (sign * differences < 0)).sum(1),
    )
    return PairNumbers(
        mean_a=means[0],
        mean_b=means[1],
        difference=difference,
        percent=percent,
        conf_low=ends[0],
        conf_high=ends[1],
        effect=effect,
        wins=wins,
        ties=found.topics - wins - losses,
        losses=losses,
        topics=found.topics,
        dropped=values.shape[1] - found.topics,
    )
