"""Metrics of users who read: a document costs what its length says, judged or not."""

from typing import ClassVar

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds.grid import Bounds, Grid
from rankwise.bounds.reading_time import bounds_of_readers
from rankwise.errors import CallError, some_of
from rankwise.metrics.base import Metric, metric
from rankwise.metrics.grades import gain_of, greatest_gain, lowest_gaining
from rankwise.metrics.parameters import Gains, above, at_least, cutoff, gains, rel, share
from rankwise.metrics.registry import register
from rankwise.metrics.scaled_gains import FAR
from rankwise.rankings.judged import JudgedRankings
from rankwise.rankings.lengths import Lengths

NOTHING = 1e-14  # a discount that makes no difference


@metric
class Reader(Metric):
    """Σ gain(i) × discount(what was spent until the gain at rank i).

    What a document costs depends on its length and on whether it is relevant. `length` is that
    of documents without one; if it is not given, that is an error.
    """

    score_range: ClassVar[tuple[float, float] | None] = (0.0, np.inf)
    open_range: ClassVar[tuple[float, float] | None] = (0.0, np.inf)
    length: float | None = at_least(0, None)
    cutoff: int | None = cutoff()

    def worth(self, grade: Ints, judged: JudgedRankings) -> Floats:
        raise NotImplementedError

    def most_worth(self, judged: JudgedRankings) -> float:
        """The most that a document can gain."""
        raise NotImplementedError

    def cost(self, documents: Ints | int, length: Floats, *, relevant: bool) -> Floats:
        """What so many documents of this length in all cost."""
        raise NotImplementedError

    def discounted(self, spent: Floats, own: Floats) -> Floats:
        """The discount at a document, by what those above it and it itself cost."""
        raise NotImplementedError

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.lowest(judged))  # the others gain nothing
        return rows.total(self.contributions(rows))

    def lowest(self, judged: JudgedRankings) -> int:
        """The lowest grade that can gain anything."""
        raise NotImplementedError

    def contributions(self, judged: JudgedRankings) -> Floats:
        gain = self.worth(judged.grade, judged)
        length, above = self._lengths(judged)
        own = self.cost(1, length, relevant=True)
        more = np.where(gain > 0, own - self.cost(1, length, relevant=False), 0.0)
        spent = self.cost(judged.rank - 1, above, relevant=False) + judged.running(more) - more
        return gain * self.discounted(spent, own)

    def _lengths(self, judged: JudgedRankings) -> tuple[Floats, Floats]:
        """The length of each row's document, and that of all documents above it."""
        if judged.lengths is None:
            alike = np.full(len(judged.rank), self._length_of_all(), np.float64)
            return alike, alike * (judged.rank - 1)
        lengths, place = self._known(judged, judged.lengths), (judged.ranking, judged.rank)
        return lengths.of(*place), lengths.above(*place)

    def _known(self, judged: JudgedRankings, lengths: Lengths) -> Lengths:
        """The lengths, none of which is missing."""
        if self.length is not None:
            length = self.length
            return judged.keep(("lengths", length), lambda: lengths.filled(length))
        if lengths.lacking:
            lack = (
                f"{lengths.lacking:,} of {lengths.documents:,} documents retrieved have no length"
            )
            remedy = f"{type(self).__name__}(length=…) sets that of all such"
            raise CallError(f"{self}: {lack} ({some_of(lengths.some_lacking)}); {remedy}.")
        return lengths

    def _length_of_all(self) -> float:
        if self.length is None:
            what = f"{self} needs the length of every document retrieved"
            remedy = "score and compare take `lengths`"
            alike = f"{type(self).__name__}(length=…) takes all to be as long"
            raise CallError(f"{what}: {remedy}; {alike}.")
        return self.length

    def open_more(self, judged: JudgedRankings) -> int | None:
        length = np.full(1, 0.0 if judged.lengths is not None else self._length_of_all())
        least = min(float(self.cost(1, length, relevant=found)[0]) for found in (True, False))
        number = np.ceil(self.patience / least) if least > 0 else np.inf
        return int(number) if number <= FAR else None

    @property
    def patience(self) -> float:
        """What is spent until a discount makes no difference."""
        raise NotImplementedError

    def bounds_on(self, grid: Grid) -> Bounds:
        gain = np.where(grid.judged, self.worth(grid.grade, grid.judgments), 0.0)
        possible = np.where(grid.unjudged, self.most_worth(grid.judgments), gain)
        length = self._lengths_on(grid)
        read, passed = (self.cost(1, length, relevant=found) for found in (True, False))
        known = np.where(gain > 0, read, passed)
        least, most = (
            np.where(grid.unjudged, end(read, passed), known) for end in (np.minimum, np.maximum)
        )
        return bounds_of_readers(gain, possible, least, most, lambda s: self.discounted(s, read))

    def _lengths_on(self, grid: Grid) -> Floats:
        """As given; what may come below the end of a ranking can be of any length, also 0."""
        lengths = grid.judgments.lengths
        if lengths is None:
            return np.full(grid.grade.shape, self._length_of_all(), np.float64)
        return self._known(grid.judgments, lengths).of(*grid.cells)


@register({"time_biased_gain": "TBG"})
@metric
class TBG(Reader):
    """Time-biased gain: relevant documents saved by a user who has read for T(k) seconds.

    TBG = Σ click × save × 2^(−T(k) / h) over the relevant documents. T(k) is what the
    documents above rank k took: `summary` seconds each, and, with probability `click` for a
    relevant one and `stray` for another, `visit` seconds and `word` seconds for each word.
    `length` is that of documents of which it is not known.

    Use it where time is what counts and lengths are known, in words (`--lengths FILE`,
    `lengths=`). Do not use it for rankings with duplicates: the paper takes no time and no
    gain for them, and here they are documents.
    Smucker and Clarke, SIGIR 2012, whose values are the defaults.

    >>> round(score_gains("TBG(length=500)", [1, 0, 1]), 4)
    0.9474
    """

    reads_lengths: ClassVar[str] = "words"
    h: float = above(0, 224)
    summary: float = at_least(0, 4.4)
    visit: float = at_least(0, 7.8)
    word: float = at_least(0, 0.018)
    click: float = share(0.64)
    stray: float = share(0.39)
    save: float = share(0.77)
    rel: int = rel()

    def lowest(self, judged: JudgedRankings) -> int:
        return self.rel

    def worth(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return np.where(grade >= self.rel, self.click * self.save, 0.0)

    def most_worth(self, judged: JudgedRankings) -> float:
        return self.click * self.save

    def cost(self, documents: Ints | int, length: Floats, *, relevant: bool) -> Floats:
        opened = self.click if relevant else self.stray
        return np.asarray(
            documents * (self.summary + opened * self.visit) + opened * self.word * length
        )

    def discounted(self, spent: Floats, own: Floats) -> Floats:
        return np.exp2(-spent / self.h)

    @property
    def patience(self) -> float:
        return float(-self.h * np.log2(NOTHING))


@register({"U-measure": "U"})
@metric
class U(Reader):
    """U-measure: gains by how much text was read, from the first snippet to the document's end.

    U = Σ gain(k) × max(0, 1 − pos(k) / L). Of every document a `snippet` is read, of those
    that gain anything also a share `read` of their text; pos(k) is what was read until the
    end of the document at rank k, in characters. `length` is that of documents of which it is
    not known.

    Use it where lengths are known, in characters (`--lengths FILE`, `lengths=`). Do not compare
    it over collections: it is no share of a best score.
    Sakai and Dou, SIGIR 2013, whose values are the defaults.

    >>> round(score_gains("U(length=5000)", [1, 0, 1]), 4)
    1.9712
    """

    reads_lengths: ClassVar[str] = "characters"
    L: float = above(0, 132000)
    snippet: float = at_least(0, 200)
    read: float = share(0.2)
    gains: Gains | None = gains()

    def lowest(self, judged: JudgedRankings) -> int:
        return lowest_gaining(judged, self.gains)

    def worth(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return gain_of(grade, judged, self.gains)

    def most_worth(self, judged: JudgedRankings) -> float:
        return greatest_gain(judged, self.gains)

    def cost(self, documents: Ints | int, length: Floats, *, relevant: bool) -> Floats:
        read = self.read if relevant else 0.0
        return np.asarray(documents * self.snippet + read * length)

    def discounted(self, spent: Floats, own: Floats) -> Floats:
        return np.maximum(0.0, 1 - (spent + own) / self.L)

    @property
    def patience(self) -> float:
        return self.L
