"""Tests of paired differences: one two-sided p-value for each pair of systems.

`differences` has a row for each pair and a column for each topic; NaN excludes a topic from that
pair. Each function tests all pairs at once. With fewer than two topics p is NaN. If all differences
are 0, p is 1. If all differences have the same value other than 0, they have no variance. Student's
test and the studentised bootstrap, which need the variance, then return NaN. The other tests return
a p-value.
"""

from typing import get_args

import numpy as np

from rankwise.arrays import CANCELLATION, TIED, Bools, Floats, Ints
from rankwise.errors import check_at_least, check_word
from rankwise.progress import track
from rankwise.stats.correlation import dense_ranks
from rankwise.vocabulary import Zeros

LEAST_TOPICS = 2
EXACT_RANKS = 50  # as in SciPy; for more topics the normal approximation is as good
AT_ONCE = 4_000_000  # numbers in a batch (32 MB)
IN_CACHE = 1 << 18  # numbers in a batch that should stay in the cache


def differences_of(values: Floats, first: Ints, second: Ints) -> Floats:
    """Return values[first] − values[second], of shape (pairs, topics).

    Differences due to rounding are set to 0. Tests of signs or ranks would count them, and the t
    statistic of rounding errors is arbitrary.

    >>> differences_of(np.array([[0.1 + 0.2, 0.5], [0.3, 0.25]]), np.array([0]), np.array([1]))
    array([[0.  , 0.25]])
    """
    one, other = values[first], values[second]
    differences = np.asarray(one - other)
    size = np.maximum(np.abs(one), np.abs(other))
    differences[np.abs(differences) <= CANCELLATION * size] = 0.0
    return differences


def student_t(differences: Floats) -> Floats:
    """Return each pair's p by Student's t-test: t = mean / (sd / √n), n − 1 degrees of freedom.

    p is NaN if the standard deviation is 0 but the mean is not 0, or with fewer than two topics.

    >>> student_t(np.array([[0.1, 0.2, 0.0, 0.3], [0.0, 0.0, 0.0, 0.0], [0.1] * 4])).round(4)
    array([0.1027, 1.    ,    nan])
    """
    from scipy.special import stdtr

    freedom = np.maximum(_topics(differences) - 1.0, 1.0)
    return _where_enough(differences, 2 * stdtr(freedom, -np.abs(studentised(differences))))


def studentised(differences: Floats) -> Floats:
    """Return Student's t of each pair.

    t is 0 if all differences are 0, and NaN if all differences have the same value other than 0.
    """
    count = np.maximum(_topics(differences), 1)
    filled = np.nan_to_num(differences)
    mean = filled.sum(axis=1) / count
    centred = np.where(np.isnan(differences), 0.0, filled - mean[:, None])
    # All differences are equal.
    centred[np.abs(centred).max(axis=1, initial=0) <= CANCELLATION * np.abs(mean)] = 0.0
    # Gains and losses cancel.
    mean[np.abs(mean) <= CANCELLATION * np.abs(filled).sum(axis=1) / count] = 0.0
    deviation = np.sqrt((centred**2).sum(axis=1) / np.maximum(count - 1, 1))
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
    """Return the p-value of each pair by Wilcoxon's signed-rank test.

    The absolute differences are ranked, with ties at their mean rank, and the ranks of the positive
    differences are summed. Differences of 0 are dropped before the ranking (`drop`, Wilcoxon's
    method) or after it (`pratt`), or their ranks are split between the two signs (`split`).

    The exact distribution is used for pairs with at most 50 ranked differences, without ties and
    without ranked zeros. For other pairs, and if `exact` is False, the normal approximation is
    used, corrected for ties and, with `correction`, for continuity.

    In floating point 0.3 − 0.2 and 0.2 − 0.1 are not equal. Absolute differences therefore tie if
    they differ by at most 1e-10 times the largest absolute difference of the pair. `raw` ranks the
    differences with their rounding errors, as SciPy does, and always uses the normal approximation,
    because exact ties would appear untied. `raw` reproduces Table IV of Moffat and Zobel (ACM TOIS
    27(1), 2008). See docs/decisions.md.

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
    """Return the p-value of the sign test for each pair: a binomial test without differences of 0.

    >>> sign(np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.0, -0.1]])).round(4)
    array([0.2188])
    """
    from scipy.special import bdtr

    wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
    p = 2 * bdtr(np.minimum(wins, losses).astype(float), wins + losses, 0.5)
    return _where_enough(differences, np.minimum(1, p))


def permutation(differences: Floats, *, count: int = 10_000, rng: np.random.Generator) -> Floats:
    """Return each pair's p by Fisher's randomisation test.

    The signs of the differences are flipped. p is the share of the combinations of signs for which
    |mean difference| is at least the observed one.

    Topics on which no pair differs are ignored. For n topics, one sign is fixed by symmetry, so
    there are 2ⁿ⁻¹ combinations. If there are at most `count` combinations, all of them are used,
    and the test is exact: 10,000 are enough for 14 topics. With more topics the test uses `count`
    random combinations, the same for all pairs, and p = (1 + number of combinations with as large a
    |mean|) / (1 + count).

    >>> permutation(np.array([[0.5, 0.3, -0.1, 0.2]]), rng=np.random.default_rng(0))
    array([0.25])
    """
    check_at_least("resamples", count)
    filled = np.nan_to_num(differences)
    filled = filled[:, (filled != 0).any(axis=0)]  # topics without any difference are dropped
    topics = filled.shape[1]
    exact = 2 ** max(topics - 1, 0) <= count
    total = 2 ** max(topics - 1, 0) if exact else count
    least = np.abs(filled.sum(axis=1)) - CANCELLATION * np.abs(filled).sum(axis=1)
    as_large = np.zeros(len(filled), np.int64)
    batch = max(1, IN_CACHE // max(1, *filled.shape))
    for start in track(range(0, total, batch), "resamples"):
        stop = min(start + batch, total)
        if exact:  # signs from the binary digits of each number
            flips = np.arange(start, stop)[:, None] >> np.arange(topics) & 1
        else:
            flips = rng.integers(0, 2, (stop - start, topics))
        as_large += (np.abs(filled @ (1.0 - 2 * flips).T) >= least[:, None]).sum(axis=1)
    return _where_enough(differences, as_large / total if exact else (1 + as_large) / (1 + total))


def bootstrap(differences: Floats, *, count: int = 1_000, rng: np.random.Generator) -> Floats:
    """Return each pair's p by Sakai's bootstrap test: the share of resamples with as large a |t|.

    Let z be the differences and w = z − mean(z). A resample w* has topics drawn with replacement,
    the same for all pairs. p is the share of resamples with |t(w*)| ≥ |t(z)| (the ASL of Sakai,
    IPSJ Digital Courier 3, 2007, Figures 5 and 6). p is a multiple of 1 / count, and 0 means less
    than 1 / count. p is NaN if z is constant and not 0, because t(z) is undefined in this case.

    >>> bootstrap(np.array([[0.5, 0.3, -0.1, 0.2]]), rng=np.random.default_rng(0))
    array([0.196])
    """
    check_at_least("resamples", count)
    used = differences[:, ~np.isnan(differences).all(axis=0)]
    as_large = np.zeros(len(used), np.int64)
    batch = min(count, max(1, AT_ONCE // max(1, used.shape[1])))
    step = max(1, AT_ONCE // (8 * batch))  # about eight arrays of pairs × draws are in memory
    for first in track(range(0, count, batch), "resamples"):
        draws = drawn_topics(used.shape[1], min(batch, count - first), rng)
        for start in range(0, len(used), step):
            rows = slice(start, start + step)
            observed, t, _ = bootstrap_statistics(used[rows], draws)
            as_large[rows] += _as_large(t, observed).sum(axis=1)
    undefined = np.isnan(studentised(used))
    return _where_enough(differences, np.where(undefined, np.nan, as_large / count))


def share_as_large(statistics: Floats, observed: Floats) -> Floats:
    """Return, per row, the fraction of `statistics` that are at least `observed`.

    The fraction is NaN if `observed` is NaN.
    """
    return np.where(np.isnan(observed), np.nan, _as_large(statistics, observed).mean(axis=1))


def _as_large(statistics: Floats, observed: Floats) -> Bools:
    return np.asarray(statistics >= (observed * (1 - CANCELLATION))[:, None])


def drawn_topics(topics: int, count: int, rng: np.random.Generator) -> Floats:
    """Draw `count` resamples of topics with replacement.

    Return how often each topic is drawn, of shape (resamples, topics).
    """
    even = np.full(max(topics, 1), 1 / max(topics, 1))
    return rng.multinomial(topics, even, count)[:, :topics].astype(np.float64)


def bootstrap_statistics(differences: Floats, draws: Floats) -> tuple[Floats, Floats, Floats]:
    """Return |t(z)| of each pair, and |t(w*)| and |mean(w*)| of shape (pairs, resamples).

    t is Student's statistic. z has the differences of a pair, and w* is a resample of w = z −
    mean(z), as in Sakai's bootstrap test. `draws` comes from `drawn_topics`. A topic with NaN for a
    pair is excluded from the resamples of this pair. t(z) is NaN if z is constant and not 0. t(w*)
    is 0 if w* is all 0, and infinite if w* is another constant. Arrays of pairs × resamples must
    fit in memory, so pass only a few pairs at a time.
    """
    defined = (~np.isnan(differences)).astype(np.float64)
    count = np.maximum(defined.sum(axis=1), 1)
    filled = np.nan_to_num(differences)
    centred = (filled - (filled.sum(axis=1) / count)[:, None]) * defined
    centred[np.abs(centred) <= CANCELLATION * np.abs(filled).max(axis=1, initial=0)[:, None]] = 0.0
    # Number of topics in each resample.
    drawn = np.maximum(defined[: 1 if defined.all() else None] @ draws.T, 1)
    mean, square = centred @ draws.T / drawn, centred**2 @ draws.T / drawn
    variance = square - mean**2
    variance[variance <= CANCELLATION * square] = 0.0  # a resample of equal values
    size = np.abs(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = size / np.sqrt(variance / np.maximum(drawn - 1, 1))
    t[square == 0] = 0.0
    return np.abs(studentised(differences)), t, size


def _topics(differences: Floats) -> Ints:
    return (~np.isnan(differences)).sum(axis=1)


def _where_enough(differences: Floats, p: Floats) -> Floats:
    """Return p, with NaN for pairs with fewer than two topics."""
    return np.where(_topics(differences) < LEAST_TOPICS, np.nan, p)


class SignedRanks:
    """Rank sum of the positive differences of each pair, and its null distribution.

    `count` is the number of ranked differences of each pair. `none` marks pairs whose differences
    are all 0. `untied` marks pairs for which the exact distribution is valid: without ties, and
    without zeros among the ranks. Absolute differences tie if they differ by at most `TIED` times
    the largest. With `raw`, only equal numbers tie.
    """

    def __init__(self, differences: Floats, zeros: Zeros, *, raw: bool = False) -> None:
        from scipy.stats import rankdata

        zero = differences == 0
        used = ~np.isnan(differences) & ~(zero & (zeros == "drop"))
        size = np.where(used, np.abs(differences), np.inf)
        codes = size if raw else dense_ranks(size, TIED)
        first, last = (rankdata(codes, method=end, axis=1) for end in ("min", "max"))
        rank, ties = (first + last) / 2, last - first + 1.0  # ties have their mean rank
        nonzero, kept_zero = used & ~zero, used & zero
        self.count = used.sum(axis=1)
        self.none = ~nonzero.any(axis=1)
        self.untied = ~(used & (ties > 1)).any(axis=1) & ~kept_zero.any(axis=1)
        self.positive = (rank * (nonzero & (differences > 0))).sum(axis=1)
        if zeros == "split":
            self.positive += (rank * kept_zero).sum(axis=1) / 2
        # Pratt: zeros have the lowest ranks, which do not vary.
        still = kept_zero.sum(axis=1) if zeros == "pratt" else np.zeros_like(self.count)
        varying = nonzero if zeros == "pratt" else used
        self.mean = (_sum_to(self.count) - _sum_to(still)) / 2
        tied = ((ties**2 - 1) * varying).sum(axis=1)  # Σ (t³ − t) over groups of t ties
        self.variance = (_squares_to(self.count) - _squares_to(still)) / 4 - tied / 48

    def normal(self, correction: bool) -> Floats:
        """Return two-sided p-values by the normal approximation; 1 if all differences are 0."""
        from scipy.special import ndtr

        off = self.positive - self.mean
        off -= np.sign(off) / 2 * correction
        z = np.divide(off, np.sqrt(self.variance), where=~self.none, out=np.zeros_like(off))
        return 2 * ndtr(-np.abs(z))

    def exact(self, most: int) -> Floats:
        """Return exact two-sided p-values for pairs with at most `most` ranked differences.

        Other pairs get 1. The p-values are computed from the number of subsets of the ranks 1 … n
        with each sum.
        """
        p = np.ones(len(self.count))
        chance = np.ones(1)  # probability of each sum of the ranks up to n
        for n in range(1, min(most, int(self.count.max(initial=0))) + 1):
            grown = np.concatenate([chance, np.zeros(n)])
            grown[n:] += chance
            chance = grown / 2
            here = self.count == n
            least = np.minimum(self.positive[here], _sum_to(np.array(n)) - self.positive[here])
            p[here] = np.minimum(1, 2 * chance.cumsum()[least.astype(np.int64)])
        return p


def _sum_to(n: Ints) -> Floats:
    return n * (n + 1) / 2.0


def _squares_to(n: Ints) -> Floats:
    return n * (n + 1) * (2 * n + 1) / 6.0
