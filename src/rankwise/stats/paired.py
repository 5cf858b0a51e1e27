"""Tests of paired differences: one two-sided p-value for each pair of systems.

`differences` has a row for each pair and a column for each topic; NaN excludes a topic from that
pair. All pairs are tested at once. Edge cases are the same for every test: with fewer than two
topics p is NaN; without any difference p is 1. A constant difference other than 0 has no
variance: the tests that need one, Student's and the studentised bootstrap, return NaN; the others
return a p-value.
"""

from typing import get_args

import numpy as np

from rankwise.arrays import CANCELLATION, Bools, Floats, Ints
from rankwise.errors import CallError, check_word
from rankwise.progress import track
from rankwise.stats.signed_ranks import SignedRanks
from rankwise.vocabulary import Zeros

LEAST_TOPICS = 2
EXACT_RANKS = 50  # as in scipy; for more the normal approximation is as good
AT_ONCE = 4_000_000  # numbers in a batch, 32 MB
IN_CACHE = 1 << 18  # the same where they are made and used up one batch at a time


def differences_of(values: Floats, first: Ints, second: Ints) -> Floats:
    """Return the differences first − second, pairs × topics, from systems × topics.

    Rounding errors are set to 0: tests of signs or ranks would count them as differences, and the
    t statistic of rounding errors is arbitrary.

    >>> differences_of(np.array([[0.1 + 0.2, 0.5], [0.3, 0.25]]), np.array([0]), np.array([1]))
    array([[0.  , 0.25]])
    """
    one, other = values[first], values[second]
    found: Floats = one - other
    found[np.abs(found) <= CANCELLATION * np.maximum(np.abs(one), np.abs(other))] = 0.0
    return found


def student_t(differences: Floats) -> Floats:
    """Student's paired t-test: t = mean / (deviation / √n), with n − 1 degrees of freedom.

    NaN if the standard deviation is 0 and the mean is not.

    >>> student_t(np.array([[0.1, 0.2, 0.0, 0.3], [0.0, 0.0, 0.0, 0.0], [0.1] * 4])).round(4)
    array([0.1027, 1.    ,    nan])
    """
    from scipy.special import stdtr

    freedom = np.maximum(_topics(differences) - 1.0, 1.0)
    return _where_enough(differences, 2 * stdtr(freedom, -np.abs(studentised(differences))))


def studentised(differences: Floats) -> Floats:
    """Return t of each pair: 0 without any difference, NaN for a constant difference."""
    count = np.maximum(_topics(differences), 1)
    given = np.nan_to_num(differences)
    mean = given.sum(axis=1) / count
    off = np.where(np.isnan(differences), 0.0, given - mean[:, None])
    off[np.abs(off).max(axis=1, initial=0) <= CANCELLATION * np.abs(mean)] = 0.0  # all the same
    mean[np.abs(mean) <= CANCELLATION * np.abs(given).sum(axis=1) / count] = (
        0.0  # as much up as down
    )
    deviation = np.sqrt((off**2).sum(axis=1) / np.maximum(count - 1, 1))
    t = np.divide(mean * np.sqrt(count), deviation, out=np.zeros_like(mean), where=deviation > 0)
    return np.where((deviation == 0) & (mean != 0), np.nan, t)


def wilcoxon(
    differences: Floats,
    *,
    zeros: Zeros = "drop",
    correction: bool = True,
    exact: bool = True,
    raw: bool = False,
) -> Floats:
    """Wilcoxon's signed-rank test.

    The absolute differences are ranked, ties sharing their mean rank, and the ranks of the
    positive ones are summed. Differences of 0 are dropped (Wilcoxon), ranked and then dropped
    (`pratt`), or ranked and their ranks split between the two signs (`split`).

    Pairs of up to 50 topics without ties, and without zeros that are not dropped, get p from
    the exact distribution. For the others, and without `exact`, it is from the normal
    approximation, corrected for ties and, if `correction`, for continuity.

    In floating point 0.3 − 0.2 is not 0.2 − 0.1. Absolute differences tie if they differ by at
    most 1e-10 of the largest of the pair. `raw` ranks the differences with their rounding errors,
    as SciPy does, and always uses the normal approximation, since exact ties would appear untied:
    that reproduces Table IV of Moffat and Zobel (ACM TOIS 27(1), 2008). See docs/decisions.md.

    >>> wilcoxon(np.array([[0.5, 0.3, -0.1, 0.2, 0.6, 0.4]]))
    array([0.0625])
    >>> wilcoxon(np.array([[0.5, 0.3, -0.1, 0.2, 0.6, 0.4]]), exact=False).round(4)
    array([0.0592])
    >>> untied_by_rounding = np.array([[0.3 - 0.2, 0.1 - 0.2, 0.8 - 0.7, 0.9 - 0.7]])
    >>> wilcoxon(untied_by_rounding).round(4), wilcoxon(untied_by_rounding, raw=True).round(4)
    (array([0.3447]), array([0.3613]))
    """
    check_word("zeros", zeros, get_args(Zeros))
    ranks = SignedRanks(differences, zeros, raw=raw)
    p = ranks.normal(correction)
    if exact and not raw:
        fit = ranks.untied & (ranks.count <= EXACT_RANKS)
        p = np.where(fit, ranks.exact(EXACT_RANKS), p)
    return _where_enough(differences, p)


def sign(differences: Floats) -> Floats:
    """Sign test: binomial test of wins against losses. Zeros are dropped.

    >>> sign(np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.0, -0.1]])).round(4)
    array([0.2188])
    """
    from scipy.special import bdtr

    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    p = 2 * bdtr(np.minimum(wins, losses).astype(float), wins + losses, 0.5)
    return _where_enough(differences, np.minimum(1, p))


def permutation(
    differences: Floats,
    *,
    count: int = 10_000,
    rng: np.random.Generator,
) -> Floats:
    """Fisher's randomisation test: the fraction of random signs that give as large a mean.

    Exact, by all combinations of signs, if there are at most `count` of them (one sign is fixed
    by symmetry): up to 14 topics for 10,000. Otherwise `count` random combinations, the same for
    all pairs, and p = (1 + number as large) / (1 + count).

    >>> permutation(np.array([[0.5, 0.3, -0.1, 0.2]]), rng=np.random.default_rng(0))
    array([0.25])
    """
    check_count(count)
    given = np.nan_to_num(differences)
    given = given[:, (given != 0).any(axis=0)]  # 0 has no sign
    topics = given.shape[1]
    exact = 2 ** max(topics - 1, 0) <= count
    total = 2 ** max(topics - 1, 0) if exact else count
    least = np.abs(given.sum(axis=1)) - CANCELLATION * np.abs(given).sum(axis=1)
    as_large = np.zeros(len(given), np.int64)
    batch = max(1, IN_CACHE // max(1, *given.shape))
    starts = range(0, total, batch)
    for start in track(starts, "resamples"):
        stop = min(start + batch, total)
        if exact:  # the binary digits of each number
            flips = np.arange(start, stop)[:, None] >> np.arange(topics) & 1
        else:
            flips = rng.integers(0, 2, (stop - start, topics))
        as_large += (np.abs(given @ (1.0 - 2 * flips).T) >= least[:, None]).sum(axis=1)
    return _where_enough(differences, as_large / total if exact else (1 + as_large) / (1 + total))


def bootstrap(
    differences: Floats,
    *,
    count: int = 1_000,
    rng: np.random.Generator,
) -> Floats:
    """Sakai's studentised bootstrap test: the fraction of resamples with as large a |t|.

    With z the differences and w = z − mean(z), p (his ASL) is the share of resamples w* of
    the topics, drawn with replacement, that have |t(w*)| ≥ |t(z)|. All pairs share the
    topics drawn. No p is between 0 and 1 / count, and 0 only means less than that. NaN where
    z is one value, not 0, on all topics: t(z) has no variance to divide by.
    Sakai, IPSJ Digital Courier 3, 2007, Figures 5 and 6.

    >>> bootstrap(np.array([[0.5, 0.3, -0.1, 0.2]]), rng=np.random.default_rng(0))
    array([0.196])
    """
    check_count(count)
    given = differences[:, ~np.isnan(differences).all(axis=0)]
    as_large = np.zeros(len(given), np.int64)
    batch = min(count, max(1, AT_ONCE // max(1, given.shape[1])))
    step = max(1, AT_ONCE // (8 * batch))  # some eight arrays of pairs × draws are at work
    starts = range(0, count, batch)
    for first in track(starts, "resamples"):
        draws = drawn_topics(given.shape[1], min(batch, count - first), rng)
        for start in range(0, len(given), step):
            rows = slice(start, start + step)
            observed, t, _ = bootstrap_statistics(given[rows], draws)
            as_large[rows] += _as_large(t, observed).sum(axis=1)
    undefined = np.isnan(studentised(given))
    return _where_enough(differences, np.where(undefined, np.nan, as_large / count))


def share_as_large(statistics: Floats, observed: Floats) -> Floats:
    """Fraction of each row that is at least the observed value; NaN if that is undefined."""
    return np.where(np.isnan(observed), np.nan, _as_large(statistics, observed).mean(axis=1))


def _as_large(statistics: Floats, observed: Floats) -> Bools:
    found: Bools = statistics >= (observed * (1 - CANCELLATION))[:, None]
    return found


def drawn_topics(topics: int, count: int, rng: np.random.Generator) -> Floats:
    """Draw topics with replacement: frequency of each topic, shape resamples × topics."""
    even = np.full(max(topics, 1), 1 / max(topics, 1))
    return rng.multinomial(topics, even, count)[:, :topics].astype(np.float64)


def bootstrap_statistics(differences: Floats, draws: Floats) -> tuple[Floats, Floats, Floats]:
    """Return |t(z)| of each pair, and |t(w*)| and |mean(w*)| (pairs × resamples).

    The full distribution of `bootstrap`; pass some pairs at a time, since pairs × resamples must
    fit in memory. `draws` comes from `drawn_topics`. A drawn topic that is excluded from a pair
    is missing from its resample. t(z) is NaN if z is constant and not 0; t(w*) is 0 if w* is all
    0, and infinite if w* is another constant.
    """
    defined = (~np.isnan(differences)).astype(np.float64)
    count = np.maximum(defined.sum(axis=1), 1)
    given = np.nan_to_num(differences)
    off = (given - (given.sum(axis=1) / count)[:, None]) * defined
    off[np.abs(off) <= CANCELLATION * np.abs(given).max(axis=1, initial=0)[:, None]] = 0.0
    drawn = np.maximum(defined[: 1 if defined.all() else None] @ draws.T, 1)  # topics a resample
    mean, square = off @ draws.T / drawn, off**2 @ draws.T / drawn
    variance = square - mean**2
    variance[variance <= CANCELLATION * square] = 0.0  # one value over and over
    size = np.abs(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = size / np.sqrt(variance / np.maximum(drawn - 1, 1))
    t[square == 0] = 0.0
    return np.abs(studentised(differences)), t, size


def check_count(count: int) -> None:
    """Raise an error if the number of resamples is not a positive whole number."""
    if count < 1:
        raise CallError(f"{count} repeats: at least 1 is needed.")


def _topics(differences: Floats) -> Ints:
    """Number of topics of each pair."""
    return (~np.isnan(differences)).sum(axis=1)


def _where_enough(differences: Floats, p: Floats) -> Floats:
    """Return p, with NaN for pairs with fewer than two topics."""
    return np.where(_topics(differences) < LEAST_TOPICS, np.nan, p)
