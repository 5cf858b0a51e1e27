"""User models of metrics: reading depth, documents seen, and gain.

A user sees rank 1, and after rank i continues to rank i + 1 with probability C(i). The probability
of seeing rank i is V(i) = C(1) … C(i−1). W(i) = V(i) / Σ V is the share of attention that rank i
gets. L(i) = V(i) − V(i + 1) is the probability that rank i is the last one seen. This is the C/W/L
framework of Moffat, Bailey, Scholer and Thomas, ACM TOIS 35(3), 2017.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import ROUNDING, Floats
from rankwise.errors import CallError
from rankwise.metrics import Metric, MetricLike, listed, parse
from rankwise.notes import Note, detail, note
from rankwise.results import Charted, Table
from rankwise.wording import Argument, Remedy

RANKS = 1 << 17  # number of ranks in a user model
STILL_THERE = 1e-6  # users count as never stopping if they see the last rank more often
ACCURACY = 0.0001
Continuation = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class User:
    """User model of one metric on one ranking.

    `gain` and `going_on`, the probability of continuing, are per rank. `most_below` gives the
    largest change of a score by documents below a depth, if known.
    """

    name: str
    gain: Floats
    going_on: Floats
    most_below: Callable[[int], float | None]

    @property
    def view(self) -> Floats:
        return np.concatenate([[1.0], np.cumprod(self.going_on)[:-1]])

    @property
    def seen(self) -> float:
        """Mean number of documents that the user sees; infinite if users never stop."""
        return float("inf") if self.view[-1] > STILL_THERE else float(self.view.sum())

    @property
    def half_life(self) -> int | None:
        """Last rank that at least half of the users see; None if at least half never stop."""
        half = self.view >= 0.5 - ROUNDING  # for DCG, the view of rank 3 is exactly one half
        return None if half[-1] else int(half.sum())

    @property
    def weight(self) -> Floats:
        """Weight of each rank: its share of the documents seen; 0 if users see infinitely many."""
        return self.view / self.seen

    @property
    def last(self) -> Floats:
        return self.view * (1 - self.going_on)

    def depth_for(self, accuracy: float) -> int | None:
        """Return the smallest depth below which the score changes by less than `accuracy`.

        None if no depth down to rank `RANKS` is enough, or if the change is unknown.
        """
        at_the_end = self.most_below(RANKS)
        if at_the_end is None or at_the_end >= accuracy:
            return None

        def is_enough(depth: int) -> bool:
            left = self.most_below(depth)
            return left is not None and left < accuracy

        return bisect_left(range(RANKS), True, key=is_enough)


@dataclass(frozen=True, eq=False, repr=False)
class UserModel(Charted):
    """User models of some metrics, on one ranking.

    `depth` is the number of ranks in `by_rank`, and `page` the number of results per page. The
    judging depth is the rank below which documents change the score by less than `accuracy`.

    `chart` draws the probability to see each rank, one line per metric.
    """

    _everyday = ("by_rank",)
    _header = ("metrics", "page", "accuracy")

    metrics: tuple[Metric, ...]
    users: tuple[User, ...]
    depth: int
    page: int
    accuracy: float

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric: documents viewed, probability of reaching pages 2 and 3, gain, depth.

        `seen` is the expected number of documents viewed, null if it is infinite. `half-life` is
        the last rank that at least half of the users view, null if at least half never stop.
        `gained` is the expected total gain, and `per document` the gain per document viewed.
        `depth` is the judging depth: documents below it change the score by less than `accuracy`.
        It is null if there is no such depth, or if it is unknown.
        """
        return pl.DataFrame([self._row(user) for user in self.users], infer_schema_length=None)

    def _row(self, user: User) -> dict[str, Any]:
        gained, seen = float((user.view * user.gain).sum()), user.seen
        finite = bool(np.isfinite(seen))
        return {
            "metric": user.name,
            "seen": seen if finite else None,
            "half-life": user.half_life,
            "page 2": float(user.view[self.page]),
            "page 3": float(user.view[2 * self.page]),
            "gained": gained,
            "per document": gained / seen if finite else None,
            "depth": user.depth_for(self.accuracy),
        }

    def by_rank(self) -> pl.DataFrame:
        """Return one row per metric and rank, with the user model and the residual.

        `continue`, `view`, `weight` and `last` are C, V, W and L of the C/W/L framework. `residual`
        is the largest change of a score by documents below the rank; null if unknown.
        """
        frames = []
        for user in self.users:
            rank = range(1, self.depth + 1)
            columns = {
                "metric": [user.name] * self.depth,
                "rank": np.array(rank),
                "gain": user.gain[: self.depth],
                "continue": user.going_on[: self.depth],
                "view": user.view[: self.depth],
                "weight": user.weight[: self.depth],
                "last": user.last[: self.depth],
                "residual": pl.Series(map(user.most_below, rank), dtype=pl.Float64),
            }
            frames.append(pl.DataFrame(columns))
        return pl.concat(frames)

    @property
    def notes(self) -> list[Note]:
        columns = (
            "'seen' is the mean number of documents that a user sees. 'half-life' is the last rank "
            "that at least half of the users see. 'page 2' and 'page 3' are the probabilities of "
            f"seeing the first result of that page ({self.page} results per page). 'gained' is the "
            "expected gain from this ranking. 'per document' is 'gained' divided by 'seen'"
        )
        depth = (
            f"all documents below rank 'depth' together change the score by less than "
            f"{self.accuracy:g}. '–' means that no depth is enough, or that the depth is unknown"
        )
        return [detail("columns", columns), note("depth", depth)]

    @property
    def caption(self) -> str:
        return f"Users of {', '.join(user.name for user in self.users)}:"

    def table(self, *, digits: int = 4, by_rank: bool = False) -> Table:
        """Return a table with one row per metric or, with `by_rank`, per metric and rank."""
        return Table(self.by_rank() if by_rank else self.frame, digits=digits)


def user_model(
    metrics: MetricLike | Iterable[MetricLike] = (),
    ranking: Sequence[float] = (),
    *,
    continuation: Continuation | None = None,
    depth: int = 30,
    page: int = 10,
    accuracy: float = ACCURACY,
) -> UserModel:
    """Describe the user models of metrics: reading depth, documents viewed, and gain.

    Parameters
    ----------
    metrics
        Metrics with a user model: RBP, BetaRBP, RBP2, P, DCG, SDCG, InvSq, INSQ, INST, ERR, NERR8
        to NERR11, RR, and AP as interpreted by Robertson (2008); or your own metric that declares
        `continuation`.
    ranking
        Gains of the documents from rank 1 on, each from 0 to 1, for user models that depend on
        relevance. Documents below the end of `ranking` have gain 0. By default all documents have
        gain 0.
    continuation
        Your own user model: a function from the gains of all ranks to the continuation probability
        after each rank.
    depth
        Number of ranks in `by_rank` and the chart.
    page
        Number of results per page.
    accuracy
        The judging depth is the rank below which documents change the score by less than
        `accuracy`.

    Returns
    -------
    UserModel
        One row per metric, with all ranks in `by_rank()` and a chart.

    Examples
    --------
    >>> found = user_model("RBP(p=0.95)").frame.select("seen", "page 2", "page 3", "depth")
    >>> [round(number, 4) for number in found.row(0)]
    [20.0, 0.5987, 0.3585, 180]
    >>> user_model("RR", [0, 0, 1]).frame.select("seen", "per document").rows()
    [(3.0, 0.3333333333333333)]
    """
    for name, number in (("depth", depth), ("page", page)):
        if not 1 <= number <= RANKS // 3:
            raise CallError(Argument(name), f" must be from 1 to {RANKS // 3:,}, not {number}.")
    gain = np.zeros(RANKS)
    gains = np.asarray(ranking, dtype=np.float64)
    if len(gains) > RANKS or not ((gains >= 0) & (gains <= 1)).all():
        what = " has a value that is not between 0 and 1. Give the gain of each document."
        raise CallError(Argument("ranking"), what)
    gain[: len(gains)] = gains
    named = tuple(parse(metric) for metric in listed(metrics))
    users = [_user_of(metric, gain) for metric in named]
    if continuation is not None:
        chances = checked(np.asarray(continuation(gain), dtype=np.float64), "continuation")
        users.append(_by_weights(User("own", gain, chances, Metric().most_below)))
    if not users:
        raise CallError("no metric is given. Give metrics, or a function as continuation.")
    return UserModel(named, tuple(users), depth, page, accuracy)


def _user_of(metric: Metric, gain: Floats) -> User:
    chances = metric.continuation(gain)
    if chances is None:
        some = "RBP, RBP2, P, DCG, InvSq, INSQ, INST, ERR, NERR8 to NERR11, RR or AP"
        raise CallError(f"the user model of {metric} is not known. Use for example {some}.")
    if metric.weighted is None and not gain.any() and metric.needs_relevant:
        argument = Argument("ranking", "1,0,1", python="ranking=[1, 0, 1]")
        remedy = Remedy(argument, "give the relevance at ranks 1, 2, 3")
        what = f"{metric}'s user model depends on the relevance of the documents."
        raise CallError(what, remedy=remedy)
    user = User(str(metric), gain, checked(chances, str(metric)), metric.most_below)
    if metric.is_builtin or metric.most_below(1) is not None:
        return user
    none, all_relevant = (metric.continuation(np.full(RANKS, gain)) for gain in (0.0, 1.0))
    depends_on_relevance = not np.array_equal(np.asarray(none), np.asarray(all_relevant))
    return user if depends_on_relevance else _by_weights(user)


def _by_weights(user: User) -> User:
    """Set `most_below` to the total weight of the ranks below a depth, if users stop."""
    if not np.isfinite(user.seen):
        return user
    left = np.concatenate([user.weight[::-1].cumsum()[::-1], [0.0]])
    return replace(user, most_below=lambda depth: float(left[depth]))


def checked(chances: Floats, of: str) -> Floats:
    if chances.shape != (RANKS,) or not ((chances >= 0) & (chances <= 1)).all():
        text = f"must return a probability from 0 to 1 for each of the {RANKS:,} ranks."
        raise CallError(f"{of} {text}")
    return chances
