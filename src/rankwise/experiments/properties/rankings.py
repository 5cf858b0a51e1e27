"""Every ranking of k documents in every collection, as judged rankings that are scored at once.

A ranking is a row of 0 (not relevant), 1 (relevant) and 2 (unjudged). A collection is a pair:
R relevant documents and N others, all judged. A ranking takes part in the collections that
hold its documents; in JudgedRankings it is a run, and the collection a topic.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rankwise.judged import Bools, Floats, Ints, JudgedRankings
from rankwise.measuring import scores_of
from rankwise.metrics import Metric

M = TypeVar("M", bound=Metric)
SIGNS = np.array(["0", "1", "-"])
SPARSE_DEPTH = 24
SHAPE_DEPTHS = 2 ** np.arange(13)
Step = tuple[Ints, Ints]  # cells (ranking × collections + collection) before and after a change


class Case(NamedTuple):
    """A ranking as text (1 relevant, 0 not, - unjudged), its collection and its score."""

    ranking: str
    relevant: int
    others: int
    score: float


@dataclass(frozen=True, eq=False)
class Space:
    """Rankings of the same length × collections; `valid` says which go together.

    `inserted`, `lifted`: a 0 becomes a 1; a 1 changes places with a 0 above it.
    `extended`: the ranking gets one document more, the cell after is in the next space.
    Each is in order of the collection, then of the ranking.
    """

    documents: Ints
    relevant: Ints
    others: Ints
    valid: Bools
    inserted: Step
    lifted: Step
    extended: Step
    _judged: dict[int, JudgedRankings] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        return self.documents.shape[1]

    def text(self, ranking: int) -> str:
        return "".join(SIGNS[self.documents[ranking]])

    def judged(self, grade: int) -> JudgedRankings:
        """All of them, `grade` being that of a relevant document; made once."""
        if grade not in self._judged:
            self._judged[grade] = self._judge(grade)
        return self._judged[grade]

    def _judge(self, grade: int) -> JudgedRankings:
        rankings, collections = self.valid.shape
        known = self.valid[:, :, None] & (self.documents[:, None, :] < 2)
        run, topic, place = (where.astype(np.int64) for where in np.nonzero(known))
        sizes = np.column_stack([self.relevant, self.others])
        rank = place + 1
        return JudgedRankings(
            runs=tuple(map(str, range(rankings))),
            topics=tuple(map(str, range(collections))),
            ranking=run * collections + topic,
            rank=rank,
            grade=self.documents[run, place] * grade,
            tie_first=rank,
            tie_last=rank,
            # Where they do not go together all documents are unjudged: none is empty.
            length=np.full(rankings * collections, self.depth),
            present=np.ones(rankings * collections, np.bool_),
            topic=np.tile(np.arange(collections), rankings),
            topic_grades=np.repeat(np.tile([grade, 0], collections), sizes.ravel()),
            topic_start=np.concatenate([[0], np.cumsum(sizes.sum(axis=1))]).astype(np.int64),
        )


@dataclass(frozen=True, eq=False)
class Scored:
    """What a metric scores there: rankings × collections, NaN where it has no score."""

    space: Space
    value: Floats

    @property
    def defined(self) -> Bools:
        return ~np.isnan(self.value)

    def case(self, ranking: int, collection: int) -> Case:
        """One of them, for people to see."""
        space = self.space
        counts = int(space.relevant[collection]), int(space.others[collection])
        return Case(space.text(ranking), *counts, float(self.value[ranking, collection]))


def score_space(metric: Metric, space: Space) -> Scored:
    """The metric at depth k: its cutoff, if it has one, is the length of the rankings."""
    judged = space.judged(grade_of(metric))
    value = scores_of(at_depth(metric, space.depth), judged, infinite=True, by_formula=True)
    value = value.reshape(len(judged.runs), len(judged.topics))
    return Scored(space, np.where(space.valid, value, np.nan))


def at_depth(metric: M, depth: int) -> M:
    if not hasattr(metric, "cutoff"):
        return metric
    return metric.altered(cutoff=depth)


def grade_of(metric: Metric) -> int:
    """The grade of a relevant document: the one that the metric values most."""
    least = getattr(metric, "rel", None) or 1
    table = {int(grade): gain for grade, gain in getattr(metric, "gains", None) or ()}
    relevant = {grade: gain for grade, gain in table.items() if grade >= least}
    if relevant:
        return max(relevant, key=relevant.__getitem__)
    return max(least, getattr(metric, "max_rel", None) or 1)


def every_ranking(depth: int, most: int, *, unjudged: bool = False) -> Space:
    """All rankings of `depth` documents; R and N from 0 to `most`."""
    base = 3 if unjudged else 2
    powers = base ** np.arange(depth)[::-1]
    codes = np.arange(base**depth)
    documents = codes[:, None] // powers % base
    relevant, others = (pairs.ravel() for pairs in np.divmod(np.arange((most + 1) ** 2), most + 1))
    ones, zeros = ((documents == which).sum(axis=1)[:, None] for which in (1, 0))
    valid = (ones <= relevant) & (zeros <= others)
    code, place = np.nonzero(documents == 0)
    above, low = np.triu_indices(depth, 1)
    lifted, pair = np.nonzero((documents[:, above] == 0) & (documents[:, low] == 1))
    return Space(
        documents,
        relevant,
        others,
        valid,
        inserted=_cells(valid, code, code + powers[place]),
        lifted=_cells(valid, lifted, lifted + powers[above[pair]] - powers[low[pair]]),
        extended=_cells(valid, np.repeat(codes, 2), np.arange(2 * len(codes))),
    )


def _cells(valid: Bools, before: Ints, after: Ints) -> Step:
    """The cells of changes from rankings to rankings, in all collections of the former."""
    collection, change = np.nonzero(valid[before].T)
    width = valid.shape[1]
    return before[change] * width + collection, after[change] * width + collection


def sparse_rankings(depth: int) -> Space:
    """The rankings with at most one relevant document: ranking p has it at rank p, 0 nowhere.

    R is 1 or 2; of others there are enough for every depth.
    """
    place = np.arange(depth + 1)
    documents = (place[:, None] == place[1:]).astype(np.int64)
    valid = np.ones((depth + 1, 2), np.bool_)
    return Space(
        documents,
        relevant=np.array([1, 2]),
        others=np.array([SPARSE_DEPTH, SPARSE_DEPTH]),
        valid=valid,
        inserted=_cells(valid, np.zeros(depth, np.int64), place[1:]),
        lifted=_cells(valid, place[2:], place[1:-1]),
        extended=_cells(valid, np.append(place, 0), np.append(place, depth + 1)),
    )


def shapes(depth: int) -> Space:
    """A few rankings that go on to any depth: ranking i in collection i, which holds no more
    than its documents, and in the last one, which has as many of each kind as there are ranks.
    """
    rank = np.arange(depth)
    rows: list[Any] = [rank >= 0, rank < 0, rank == depth - 1, rank == 0]
    rows += [rank % 2 == 0, rank >= depth // 2]
    documents = np.array(rows, dtype=np.int64)
    ones = documents.sum(axis=1)
    none = (np.zeros(0, np.int64), np.zeros(0, np.int64))
    return Space(
        documents,
        relevant=np.append(ones, depth),
        others=np.append(depth - ones, depth),
        valid=np.column_stack([np.eye(len(ones), dtype=np.bool_), np.ones(len(ones), np.bool_)]),
        inserted=none,
        lifted=none,
        extended=none,
    )


@dataclass(frozen=True, eq=False)
class Spaces:
    """Every ranking to a depth, with and without unjudged documents, and some longer ones."""

    every: list[Space]
    mixed: list[Space]
    sparse: list[Space]
    shaped: list[Space]

    @classmethod
    def to(cls, depth: int) -> "Spaces":
        most = depth + 1
        return cls(
            [every_ranking(k, most) for k in range(1, depth + 1)],
            [every_ranking(k, most, unjudged=True) for k in range(1, mixed_depth(depth) + 1)],
            [sparse_rankings(k) for k in range(depth + 1, SPARSE_DEPTH + 1)],
            [shapes(int(k)) for k in SHAPE_DEPTHS],
        )


def mixed_depth(depth: int) -> int:
    """How deep rankings with unjudged documents go, to be no more than those without."""
    return int(depth * np.log(2) / np.log(3))


@dataclass(frozen=True, eq=False)
class MetricScores:
    """What one metric scores on all of them."""

    metric: Metric
    every: list[Scored]
    mixed: list[Scored]
    sparse: list[Scored]
    shaped: list[Scored]

    @classmethod
    def of(cls, metric: Metric, spaces: Spaces) -> "MetricScores":
        kinds = (spaces.every, spaces.mixed, spaces.sparse, spaces.shaped)
        return cls(metric, *([score_space(metric, space) for space in kind] for kind in kinds))
