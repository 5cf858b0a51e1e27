"""Estimation of RBP's p from a search log that has the last rank seen in each search."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats
from rankwise.errors import CallError, check_at_least
from rankwise.notes import Note, detail, note
from rankwise.results import Result
from rankwise.wording import Argument, Count, percent

LEVEL = 0.95  # confidence level of the interval
DEEPEST = 1_000_000  # the largest last rank that is accepted
LEAST_EXPECTED = 5.0  # count per rank in the test of fit; rarer ranks are pooled


@dataclass(frozen=True, eq=False, repr=False)
class Persistence(Result):
    """Estimate of RBP's p from a search log, for all users together and with p varying over users.

    `last` has the last rank viewed in each search. `goes_on` marks the searches that may have
    continued: their last rank is the largest in the log, and the end of a page. `low` and `high`
    are the confidence limits of `p`. `alpha` and `beta` are the parameters of a beta distribution
    of p over users.
    """

    _everyday = ("high", "low", "p")

    last: Floats
    goes_on: Bools
    p: float
    low: float
    high: float
    alpha: float
    beta: float
    log_likelihood: tuple[float, float]  # with one p for all users, and of the mixture
    fit: float  # p-value of a chi-squared test of one p for all users; NaN for a short log
    page: int | None = None  # results per page

    @property
    def frame(self) -> pl.DataFrame:
        """One row: the estimates, their log-likelihoods, and the p-value `fit` of the test of fit.

        `may go on` counts the searches that may have continued. `seen` is the mean number of
        documents seen. `log-likelihood` is for one p for all users, and `of mixture` for a beta
        distribution of p.
        """
        row = {
            "searches": len(self.last),
            "may go on": int(self.goes_on.sum()),
            "p": self.p,
            "low": self.low,
            "high": self.high,
            "seen": 1 / (1 - self.p),
            "alpha": self.alpha,
            "beta": self.beta,
            "mixture mean p": self.alpha / (self.alpha + self.beta),
            "log-likelihood": self.log_likelihood[0],
            "of mixture": self.log_likelihood[1],
            "fit": self.fit,
        }
        return pl.DataFrame([row]).fill_nan(None)

    @property
    def notes(self) -> list[Note]:
        columns = (
            f"'p' is the maximum likelihood estimate, and 'low' and 'high' are its "
            f"{percent(LEVEL)} confidence limits. 'seen' is the mean number of documents seen. "
            "'alpha' and 'beta' are the parameters of a beta distribution of p over users"
        )
        fit = (
            "'fit' is the p-value of a chi-squared test of the hypothesis that users stop at every "
            "rank with the same probability. If 'fit' is small, RBP with one p does not fit the log"
        )
        return [
            detail("columns", columns),
            note("fit", fit),
            *_about_the_end(self.last, self.goes_on, self.page),
        ]

    @property
    def caption(self) -> str:
        return f"RBP's p from {len(self.last):,} searches:"


def fit_persistence(last: Sequence[int], page: int | None = None) -> Persistence:
    """Estimate the p of RBP from the last rank that users saw in each of many searches.

    A search ends after rank d with probability (1 − p) p^(d−1). If the deepest rank of the log is
    the end of a page, searches with that last rank may have continued; their probability is
    p^(d−1). The confidence interval contains each p that the likelihood-ratio test does not reject.
    The result also has the parameters α and β of a beta distribution of p over users. With this
    distribution, the two probabilities are B(α + d − 1, β + 1) / B(α, β) and
    B(α + d − 1, β) / B(α, β), where B is the beta function.

    Parameters
    ----------
    last
        The last rank seen in each search.
    page
        Results per page, for a log that may have recorded only the first pages.

    >>> found = fit_persistence([1, 2, 1, 5, 3, 1, 1, 2])
    >>> round(found.p, 4)
    0.5
    """
    ranks, open_ended = _checked(last, page)
    steps, ends = float((ranks - 1).sum()), int((~open_ended).sum())
    p = steps / (steps + ends)
    low, high = _interval(steps, ends)
    alpha, beta, of_mixture = _mixture(ranks, open_ended)
    likelihood = (_log_likelihood(p, steps, ends), of_mixture)
    fit = _fit(ranks, open_ended, p)
    return Persistence(ranks, open_ended, p, low, high, alpha, beta, likelihood, fit, page)


def _about_the_end(ranks: Floats, goes_on: Bools, page: int | None) -> list[Note]:
    """Return a note on whether searches may have continued below the last rank of the log."""
    if page is None:
        return []
    count, deepest = int(goes_on.sum()), int(ranks.max())
    if count:
        searches = Count(count, "search that ended", "searches that ended")
        what = (
            f"the deepest rank in the log, {deepest}, is the end of a result page. The estimates "
            f"assume that {searches} there may have continued on the next page"
        )
        return [note("log-cut-off", what)]
    further = f"the deepest rank in the log, {deepest}, is not the end of a result page, so "
    complete = " has no effect: all searches count as complete"
    return [note("log-complete", further, Argument("page"), complete)]


@dataclass(frozen=True, eq=False, repr=False)
class TwoPersistences(Result):
    """Estimates of RBP2's p1 and p2, the probabilities of continuing after a document.

    `frame` has three rows: after `relevant` documents (p1), after `others`, the documents that are
    not relevant (p2), and after `all` documents (the p of RBP). `went on` and `stopped` count the
    documents after which users continued or stopped. `low` and `high` are the confidence limits of
    the probability. `differ` is the p-value of the likelihood-ratio test of p1 = p2.
    """

    _header = ("searches", "differ")

    frame: pl.DataFrame
    differ: float
    searches: int
    about_the_end: tuple[Note, ...] = ()

    @property
    def p1(self) -> float:
        """Probability of continuing after a relevant document."""
        return float(self.frame["p"][0])

    @property
    def p2(self) -> float:
        """Probability of continuing after a document that is not relevant."""
        return float(self.frame["p"][1])

    @property
    def notes(self) -> list[Note]:
        test = f"the likelihood-ratio test of p1 = p2 has the p-value {self.differ:.2g}"
        more = "If this p-value is small, users continue with different probabilities after "
        more += "relevant and after other documents, and RBP2 fits the log better than RBP"
        columns = (
            "'p' is p1 of RBP2 after relevant documents, p2 of RBP2 after other documents, and p "
            f"of RBP after all documents. 'low' and 'high' are {percent(LEVEL)} confidence limits"
        )
        return [detail("columns", columns), note("differ", f"{test}. {more}"), *self.about_the_end]

    @property
    def caption(self) -> str:
        return f"RBP2's p1 and p2 from {self.searches:,} searches:"


def fit_two_persistences(
    last: Sequence[int], relevant: Sequence[Sequence[int]], page: int | None = None
) -> TwoPersistences:
    """Estimate p1 and p2 of RBP2 from the last rank seen and the ranks of relevant documents.

    `relevant` has the ranks of the relevant documents of each search; ranks below the last rank
    seen are ignored. The user continues after a relevant document with probability p1, and after
    any other document with probability p2. In each search, the user continued after every document
    above the last rank seen, and stopped there, unless the search may have continued (see `page` of
    `fit_persistence`).

    >>> found = fit_two_persistences([3, 2, 4], [[1, 3], [2], [9]])
    >>> found.frame.select("after", "went on", "stopped").rows()
    [('relevant', 1, 2), ('others', 5, 1), ('all', 6, 3)]
    """
    from scipy.special import chdtrc

    ranks, open_ended = _checked(last, page)
    if len(relevant) != len(ranks):
        raise CallError(
            f"there are {Count(len(ranks), 'last rank')}, but "
            f"{Count(len(relevant), 'list')} of relevant documents. Give one of each per search."
        )
    groups = _after_each(ranks, relevant, open_ended)
    for after, counts in groups.items():
        if not any(counts):
            which, name = ("relevant", "p1") if after == "relevant" else ("non-relevant", "p2")
            raise CallError(
                f"no search in the log is known to continue or stop after a {which} document, so "
                f"{name} cannot be estimated."
            )
    groups["all"] = tuple(map(sum, zip(*groups.values(), strict=True)))
    rows = []
    for after, (steps, ends) in groups.items():
        p = steps / (steps + ends)
        ends_of_p = _interval(steps, ends)
        rows.append((after, steps, ends, p, *ends_of_p, _log_likelihood(p, steps, ends)))
    apart, together = rows[0][-1] + rows[1][-1], rows[2][-1]
    columns = ["after", "went on", "stopped", "p", "low", "high", "log-likelihood"]
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    differ = float(chdtrc(1, max(2 * (apart - together), 0.0)))
    about_the_end = tuple(_about_the_end(ranks, open_ended, page))
    return TwoPersistences(frame, differ, len(ranks), about_the_end)


def _after_each(
    ranks: Floats, relevant: Sequence[Sequence[int]], goes_on: Bools
) -> dict[str, tuple[int, ...]]:
    """Return how often users continued and stopped, {after: (continued, stopped)}.

    `after` is "relevant" (documents) or "others" (documents that are not relevant).
    """
    steps, ends = [0, 0], [0, 0]
    for end, found, may_go_on in zip(ranks.astype(int).tolist(), relevant, goes_on, strict=True):
        at = {rank for rank in found if 1 <= rank <= end}
        above = len(at - {end})
        steps[0] += above
        steps[1] += end - 1 - above
        ends[0 if end in at else 1] += not may_go_on
    counts = zip(steps, ends, strict=True)
    return dict(zip(("relevant", "others"), counts, strict=True))


def _checked(last: Sequence[int], page: int | None) -> tuple[Floats, Bools]:
    """Check the last ranks; return them and a mask of the searches that may have continued."""
    ranks = np.asarray(last, dtype=np.float64)
    if not len(ranks) or (ranks < 1).any() or (ranks != np.floor(ranks)).any():
        raise CallError("last ranks must be whole numbers of 1 or more, one per search.")
    if ranks.max() > DEEPEST:
        raise CallError(f"last rank {ranks.max():.0f}: ranks above {DEEPEST:,} are not supported.")
    check_at_least("page", page)
    # If the deepest rank of the log is a page end, searches that end there may have continued. If
    # some search goes below a page end, searches that end with this page have stopped.
    cut_off = page is not None and ranks.max() % page == 0
    open_ended = (ranks == ranks.max()) & cut_off
    if open_ended.all():
        what = "every search is censored (ends at the last recorded rank)"
        raise CallError(f"{what}, so p cannot be estimated.")
    return ranks, open_ended


def _log_likelihood(p: float, steps: float, ends: int) -> float:
    went = steps * np.log(p) if steps else 0.0
    return float(went + (ends * np.log1p(-p) if ends else 0.0))


def _interval(steps: float, ends: int) -> tuple[float, float]:
    """Return the smallest and the largest p that the likelihood-ratio test does not reject."""
    from scipy.optimize import brentq
    from scipy.special import chdtri

    p, tiny = steps / (steps + ends), 1e-12
    least = _log_likelihood(p, steps, ends) - chdtri(1, 1 - LEVEL) / 2

    def above(at: float) -> float:
        return _log_likelihood(at, steps, ends) - least

    low = 0.0 if steps == 0 else float(brentq(above, tiny, p))
    return low, 1.0 if ends == 0 else float(brentq(above, max(p, tiny), 1 - tiny))


def _mixture(ranks: Floats, goes_on: Bools) -> tuple[float, float, float]:
    from scipy.optimize import minimize
    from scipy.special import betaln

    def loss(logs: Floats) -> float:
        alpha, beta = np.exp(np.clip(logs, -10, 10))
        terms = betaln(alpha + ranks - 1, beta + ~goes_on) - betaln(alpha, beta)
        return -float(terms.sum())

    fits = []
    for spread, mean in product((1, 10), (0.5, 0.8)):
        start = np.log([spread * mean, spread * (1 - mean)])
        fits.append(minimize(loss, start, method="Nelder-Mead"))
    fit: Any = min(fits, key=lambda one: float(one.fun))
    alpha, beta = np.exp(np.clip(fit.x, -10, 10))
    return float(alpha), float(beta), -float(fit.fun)


def _fit(ranks: Floats, goes_on: Bools, p: float) -> float:
    """Return the p-value of a test of equal stopping probabilities at all ranks.

    The result is NaN if the log has too few searches or ranks for the test.

    The last rank is excluded if searches may have continued there. The deepest ranks, which few
    users see, are pooled, or excluded if still too few users see them. The test accounts for the
    estimation of p.
    """
    from scipy.special import chdtrc

    at_rank = np.bincount(ranks.astype(np.int64))
    at_rank_or_below = np.cumsum(at_rank[::-1])[::-1]
    rank = np.setdiff1d(np.arange(1, len(at_rank)), ranks[goes_on].astype(np.int64))
    stopped, may_stop = at_rank[rank], at_rank_or_below[rank]
    common = may_stop * min(p, 1 - p) >= LEAST_EXPECTED
    kept = len(rank) if common.all() else int(common.argmin())
    if kept < 2:
        return float("nan")  # too short a log
    groups = np.arange(kept)
    if may_stop[kept:].sum() * min(p, 1 - p) >= LEAST_EXPECTED:
        groups = np.arange(kept + 1)
    stopped, may_stop = (np.add.reduceat(counts, groups) for counts in (stopped, may_stop))
    off = stopped - may_stop * (1 - p)
    return float(chdtrc(len(groups) - 1, (off**2 / (may_stop * p * (1 - p))).sum()))
