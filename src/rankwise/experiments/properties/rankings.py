"""Artificial rankings of k documents, on which properties of metrics are tested.

A ranking is an array with the relevance level of each document: 0 for the least relevant documents,
1, 2 … for more relevant documents. The number after the highest level marks an unjudged document. A
collection has a number of judged documents of each level. A ranking is possible in each collection
that contains its documents. A cell is a pair of a ranking and a collection. All cells are scored at
once, as `JudgedRankings` in which each collection is a topic. The grade of a level depends on the
metric (see search.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, pairwise, product
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.metrics import Metric
from rankwise.rankings import JudgedRankings
from rankwise.scores import scores_of

M = TypeVar("M", bound=Metric)
T = TypeVar("T")
SPARSE_DEPTH = 24
SHAPE_DEPTHS = 2 ** np.arange(13)
BELOW = 4  # documents below rank k if there are more than two grades
SHORT_DEPTH = 3
LARGEST = 64  # documents of one grade, for short rankings
LONG_TEXT = 12
# Cells before and after changes, as indices of an array rankings × collections.
Step = tuple[Ints, Ints]
Grades = tuple[int, ...]


class Case(NamedTuple):
    """A ranking as text, with its collection and its score.

    Each character is a document: 1 relevant, 0 not relevant, - unjudged. With more than two grades,
    the character is the grade, and `judged` has all grades of the collection. `relevant` and
    `others` are the numbers of relevant and of non-relevant documents of the collection.
    """

    ranking: str
    relevant: int
    others: int
    score: float
    judged: str = ""


@dataclass(frozen=True, eq=False)
class Space:
    """Rankings of one length, and collections; `valid` (rankings × collections) marks the cells.

    Three changes lead from one ranking to another. `inserted`: a document is replaced by a better
    one from below the ranking's end. `lifted`: a document changes places with a less relevant one
    above it. `extended`: the ranking gets one more document; the result is in the next space.
    Changes are sorted by collection, then ranking.
    """

    documents: Ints
    counts: Ints  # collections × levels
    valid: Bools
    inserted: Step
    lifted: Step
    extended: Step
    _judged: dict[Grades, JudgedRankings] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        return self.documents.shape[1]

    @property
    def levels(self) -> int:
        return self.counts.shape[1]

    @property
    def relevant(self) -> Ints:
        """Number of relevant documents (R) of each collection."""
        return np.asarray(self.counts[:, 1:].sum(axis=1))

    def text(self, ranking: int, grades: Grades = (0, 1)) -> str:
        signs = [str(grade) for grade in grades] + ["-"]
        between = " " if max(map(len, signs)) > 1 else ""
        return between.join(signs[level] for level in self.documents[ranking])

    def judged(self, grades: Grades) -> JudgedRankings:
        """Return all valid cells as judged rankings (cached); level i is the i-th of `grades`."""
        if grades in self._judged:
            return self._judged[grades]
        ranking, collection = np.nonzero(self.valid)
        levels = self.documents[ranking]
        cell, place = np.nonzero(levels < self.levels)
        grade = np.array(grades)
        order = np.argsort(-grade)  # the best gain may be that of a lower grade
        rank = place + 1
        sizes = self.counts.sum(axis=1)
        self._judged[grades] = JudgedRankings(
            runs=("",),
            topics=tuple(map(str, range(len(self.counts)))),
            ranking=cell,
            rank=rank,
            grade=grade[levels[cell, place]],
            tie_first=rank,
            tie_last=rank,
            length=np.full(len(ranking), self.depth),
            present=np.ones(len(ranking), np.bool_),
            topic=collection,
            topic_grades=np.tile(grade[order], len(sizes)).repeat(self.counts[:, order].ravel()),
            topic_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        )
        return self._judged[grades]


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of a metric: rankings × collections, NaN where undefined."""

    space: Space
    value: Floats
    grades: Grades

    @property
    def defined(self) -> Bools:
        return ~np.isnan(self.value)

    def case(self, ranking: int, collection: int) -> Case:
        """Return a case for display, with the judged grades as 332200 or, if many, as 3×40 2×3."""
        counts = self.space.counts[collection].tolist()
        score = float(self.value[ranking, collection])
        if len(counts) == 2:
            return Case(self.space.text(ranking), counts[1], counts[0], score)
        pairs = sorted(zip(self.grades, counts, strict=True), reverse=True)
        if sum(counts) > LONG_TEXT or max(self.grades) > 9:
            judged = " ".join(f"{grade}×{count}" for grade, count in pairs if count)
        else:
            judged = "".join(str(grade) * count for grade, count in pairs)
        text = self.space.text(ranking, self.grades)
        return Case(text, sum(counts[1:]), counts[0], score, judged)


def score_space(metric: Metric, space: Space, grades: Grades) -> Scored:
    """Score a space; a cutoff of the metric is set to the length of the rankings."""
    value = np.full(space.valid.shape, np.nan)
    judged = space.judged(grades)
    at_this_depth = at_depth(metric, space.depth)
    value[space.valid] = scores_of(at_this_depth, judged, infinite=True, by_formula=True)
    return Scored(space, value, grades)


def at_depth(metric: M, depth: int) -> M:
    if "cutoff" not in metric.parameters:
        return metric
    return metric.altered(cutoff=depth)


# Rankings and collections.


def every_ranking(depth: int, signs: int) -> Ints:
    """Return all rankings of `depth` documents with levels below `signs`, in order."""
    powers = signs ** np.arange(depth)[::-1]
    return np.arange(signs**depth)[:, None] // powers % signs


def sparse_rankings(depth: int, levels: int) -> Ints:
    """Return the rankings with at most one document above level 0, in order."""
    place = np.repeat(np.arange(depth)[::-1], levels - 1)
    rankings = np.zeros((len(place) + 1, depth), np.int64)
    rankings[np.arange(1, len(rankings)), place] = np.tile(np.arange(1, levels), depth)
    return rankings


def graded_collections(most: int, levels: int) -> Ints:
    """Return all collections of 1 to `most` documents, as numbers of documents of each level."""
    chosen = [
        np.bincount(grades, minlength=levels)
        for size in range(1, most + 1)
        for grades in combinations_with_replacement(range(levels), size)
    ]
    return np.array(chosen)


def large_collections(levels: int) -> Ints:
    """Return collections of many documents of one level and three of each other level."""
    counts = [
        np.where(np.arange(levels) == level, count, SHORT_DEPTH)
        for level in range(levels)
        for count in range(SHORT_DEPTH + 1, LARGEST + 1)
    ]
    return np.array(counts)


def holding(documents: Ints, counts: Ints, below: int | None = None) -> Bools:
    """Return a mask of the collections that contain each ranking's documents.

    The mask has the axes rankings × collections. A collection may have at most `below` documents
    that the ranking does not retrieve (None: any number).
    """
    levels = np.arange(counts.shape[1])
    needed = (documents[:, :, None] == levels).sum(axis=1)
    valid: Bools = (needed[:, None, :] <= counts).all(axis=2)
    if below is not None:
        valid &= counts.sum(axis=1) - needed.sum(axis=1)[:, None] <= below
    return valid


# Spaces.


def chained(
    rankings: Iterable[Ints], counts: Ints, signs: int, below: int | None = None
) -> list[Space]:
    """Build spaces of increasingly long rankings in the same collections."""
    with_valid = [(documents, holding(documents, counts, below)) for documents in rankings]
    deepest = with_valid[-1][0].shape[1]
    nothing = np.zeros((0, deepest + 1), np.int64), np.zeros((0, len(counts)), bool)
    return [
        _space(documents, counts, valid, signs, longer)
        for (documents, valid), longer in pairwise([*with_valid, nothing])
    ]


def _space(
    documents: Ints, counts: Ints, valid: Bools, signs: int, longer: tuple[Ints, Bools]
) -> Space:
    levels, depth = counts.shape[1], documents.shape[1]
    powers = signs ** np.arange(depth)[::-1]
    codes = documents @ powers

    def step(before: Ints, code: Ints, codes: Ints, valid_after: Bools) -> Step:
        after = np.minimum(np.searchsorted(codes, code), max(0, len(codes) - 1))
        there = codes[after] == code if len(codes) else np.zeros(len(code), np.bool_)
        before, after = before[there], after[there]
        # The cells of changes between rankings, in collections that contain both.
        collection, change = np.nonzero((valid[before] & valid_after[after]).T)
        width = len(counts)
        return before[change] * width + collection, after[change] * width + collection

    better = np.arange(1, levels)
    one, place, new = np.nonzero(documents[:, :, None] < better)
    raised = codes[one] + (better[new] - documents[one, place]) * powers[place]
    high, low = np.triu_indices(depth, 1)
    above, below = documents[:, high], documents[:, low]
    other, pair = np.nonzero((above < below) & (below < levels))
    gap = (below - above)[other, pair]
    swapped = codes[other] + gap * (powers[high[pair]] - powers[low[pair]])
    more = np.repeat(np.arange(len(codes)), levels)
    appended = codes[more] * signs + np.tile(np.arange(levels), len(codes))
    longer_codes = longer[0] @ (signs ** np.arange(depth + 1)[::-1])
    return Space(
        documents,
        counts,
        valid,
        inserted=step(one, raised, codes, valid),
        lifted=step(other, swapped, codes, valid),
        extended=step(more, appended, longer_codes, longer[1]),
    )


def shapes(depth: int, levels: int) -> Space:
    """Return six rankings of `depth` documents, each with a pattern that continues to any depth.

    Ranking i is in collection i, which has no other documents, and in the last collection, which
    has `depth` documents of each level. The rankings consist of the best level and a low level: 0
    if there are two levels, otherwise 1.
    """
    rank = np.arange(depth)
    rows = [rank >= 0, rank < 0, rank == depth - 1, rank == 0, rank % 2 == 0, rank >= depth // 2]
    documents = np.where(rows, levels - 1, 0 if levels == 2 else 1)
    counts = np.array([np.bincount(row, minlength=levels) for row in documents])
    none = np.zeros(0, np.int64), np.zeros(0, np.int64)
    own = np.eye(len(documents), dtype=np.bool_)
    return Space(
        documents,
        counts=np.vstack([counts, np.full(levels, depth)]),
        valid=np.column_stack([own, np.ones(len(documents), np.bool_)]),
        inserted=none,
        lifted=none,
        extended=none,
    )


@dataclass(frozen=True, eq=False)
class Kinds(Generic[T]):
    """A value for each space of rankings, by the kind of rankings.

    `every`: all rankings to a depth. `mixed`: rankings with unjudged documents too. `sparse`:
    longer rankings with at most one relevant document. `short`: short rankings in large
    collections. `shaped`: a few shapes of rankings, to any depth.
    """

    every: list[T]
    mixed: list[T]
    sparse: list[T]
    short: list[T]
    shaped: list[T]


class Spaces(Kinds[Space]):
    """The rankings to search, for a number of levels and a depth."""

    @classmethod
    def to(cls, depth: int, levels: int = 2) -> "Spaces":
        """Build the spaces; with more levels, rankings are shorter, to limit their number."""
        deepest, mixed = depth_of(depth, levels), depth_of(depth, levels + 1)
        if levels == 2:
            pairs = product(range(depth + 2), repeat=2)  # R and N from 0 to depth + 1
            counts, below = np.array([(others, relevant) for relevant, others in pairs]), None
            few = np.array([(SPARSE_DEPTH, 1), (SPARSE_DEPTH, 2)])
        else:
            counts, below = graded_collections(deepest + BELOW, levels), BELOW
            few = np.array([(SPARSE_DEPTH, *[n] * (levels - 1)) for n in (1, 2)])

        def all_to(depth: int, counts: Ints, below: int | None, signs: int) -> list[Space]:
            rankings = [every_ranking(k, signs) for k in range(1, depth + 1)]
            return chained(rankings, counts, signs, below)

        longer = [sparse_rankings(k, levels) for k in range(deepest + 1, SPARSE_DEPTH + 1)]
        return cls(
            every=all_to(deepest, counts, below, levels),
            mixed=all_to(mixed, counts, below, levels + 1),
            sparse=chained(longer, few, levels),
            short=all_to(SHORT_DEPTH, large_collections(levels), None, levels),
            shaped=[shapes(int(k), levels) for k in SHAPE_DEPTHS],
        )


def depth_of(depth: int, signs: int) -> int:
    """Return the largest length up to `depth` with at most 2^`depth` rankings of `signs` levels."""
    return max(k for k in range(1, depth + 1) if k == 1 or signs**k <= 2**depth)


def short_rankings(levels: int) -> Space:
    """Return all rankings of three documents, in collections with a few documents below them."""
    counts = graded_collections(SHORT_DEPTH + BELOW, levels)
    return chained([every_ranking(SHORT_DEPTH, levels)], counts, levels, BELOW)[0]


class Part(Kinds[Scored]):
    """Scores of one metric on the rankings with a given number of grades."""

    @classmethod
    def of(cls, metric: Metric, spaces: Spaces, grades: Grades) -> "Part":
        kinds = (spaces.every, spaces.mixed, spaces.sparse, spaces.short, spaces.shaped)
        return cls(*([score_space(metric, space, grades) for space in kind] for kind in kinds))
