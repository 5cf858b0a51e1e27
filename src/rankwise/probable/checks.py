"""Smaller pools inside the pool there is, from which it is predicted: by depth, and by runs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError
from rankwise.metrics import Metric
from rankwise.probable.documents import NEVER, Documents
from rankwise.probable.prediction import Prediction, mean_over_topics, predict

JUDGED = 0.5  # of the documents of a best rank, from which on the pool reaches down to there
SHALLOWER = (2, 4)  # times
SHALLOWEST = 2  # how relevance falls with depth cannot be learned from a pool of depth 1
LEAST_DEPTH = 4
CONTRIBUTED = 0.95  # of a run's documents down to the depth of the pool, judged
LEAST_RUNS = 4  # that have contributed: less cannot be halved


@dataclass(frozen=True, eq=False)
class Check:
    """What was predicted from a smaller pool, and what is judged: metrics × runs (× topics).

    `inside` says which runs the smaller pool is of, and `hidden` which others of the runs that
    have contributed; `new` are the documents predicted, and `share_new` how much of the larger
    pool they are.
    """

    ahead: Prediction
    by_topic: Floats
    inside: Bools
    hidden: Bools
    new: Bools
    share_new: float

    @property
    def found(self) -> Floats:
        return mean_over_topics(self.by_topic)

    @property
    def error(self) -> Floats:
        return np.asarray(self.found - self.ahead.expected)

    @property
    def off(self) -> Floats:
        """The size of the error in standard deviations."""
        return np.asarray(np.abs(self.error) / np.maximum(self.ahead.deviation, 1e-12))


@dataclass(frozen=True, eq=False)
class Checker:
    """What all checks of one pool have in common; `contributed` says which runs have to it."""

    documents: Documents
    metrics: tuple[Metric, ...]
    depth: int
    draws: int
    rng: np.random.Generator
    contributed: Bools

    @property
    def can_halve(self) -> bool:
        """Whether enough runs have contributed."""
        return int(self.contributed.sum()) >= LEAST_RUNS

    def by_depth(self) -> Iterator[Check]:
        """The pool from its upper half, and from its upper quarter."""
        best = self.documents.best
        everyone = np.ones(len(self.contributed), np.bool_)
        for shallow in depths_checked(self.depth):
            yield self._check(best <= shallow, best <= self.depth, everyone)

    def by_runs(self) -> Iterator[tuple[Check, Check]]:
        """From the pool of one half of the contributing runs that of all these, and conversely.

        First of the same depth, then from half the depth.
        """
        order = self.rng.permutation(np.flatnonzero(self.contributed))
        whole = _best_in(self.documents, self.contributed) <= self.depth
        for half in (order[::2], order[1::2]):
            inside = np.zeros(len(self.contributed), np.bool_)
            inside[half] = True
            best = _best_in(self.documents, inside)
            shallow = depths_checked(self.depth)[0]
            yield (
                self._check(best <= self.depth, whole, inside),
                self._check(best <= shallow, whole, inside),
            )

    def _check(self, small: Bools, large: Bools, inside: Bools) -> Check:
        documents = self.documents
        known = documents.is_judged & small
        new = documents.is_judged & large & ~known
        ahead = predict(documents, self.metrics, known, new, draws=self.draws, rng=self.rng)
        by_topic = documents.scores(self.metrics, documents.grade, known | new)
        share = new.sum() / max(1, (known | new).sum())
        return Check(ahead, by_topic, inside, self.contributed & ~inside, new, float(share))


def depths_checked(depth: int) -> list[int]:
    """A half and a quarter, where that is not too shallow to learn anything."""
    return [max(SHALLOWEST, depth // times) for times in SHALLOWER]


def pool_depth(documents: Documents, most: int) -> int:
    """Down to which best rank documents are judged, half of those of each rank at least.

    It is refused where that is hardly anything: such judgments are no pool.
    """
    ranks = np.arange(1, most + 1)
    near = documents.best <= most
    all_of, judged = (
        np.bincount(documents.best[which], minlength=most + 1)[1:]
        for which in (near, near & documents.is_judged)
    )
    enough = judged >= JUDGED * np.maximum(all_of, 1)
    depth = int(ranks[np.logical_and.accumulate(enough)].max(initial=0))
    if depth < LEAST_DEPTH:
        what = "these judgments are no pool: of the documents that runs have first few are judged"
        more = "`rankwise.judging.holes(QRELS, RUNS, 4)` lists what is missing"
        raise CallError(
            f"{what}; what is probable can be told from a pool of depth {LEAST_DEPTH} or more, and "
            f"{more}."
        )
    return depth


def contributed(documents: Documents, depth: int) -> Bools:
    """Which runs have their documents down to this depth judged, nearly all."""
    runs = len(documents.judged.runs)
    high = documents.rank <= depth
    run = documents.ranking[high] // len(documents.judged.topics)
    judged = np.bincount(run, documents.is_judged[documents.code[high]], runs)
    return np.asarray(judged >= CONTRIBUTED * np.maximum(np.bincount(run, minlength=runs), 1))


def _best_in(documents: Documents, runs: Bools) -> Ints:
    """The best rank of each document in any of these runs."""
    here = runs[documents.ranking // len(documents.judged.topics)]
    best = np.full(len(documents.topic), NEVER, np.int64)
    np.minimum.at(best, documents.code[here], documents.rank[here])
    return best
