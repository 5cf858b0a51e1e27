"""Metrics whose users spend time or effort on a document that depends on its length."""

from types import MappingProxyType

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.bounds import ReadingTime
from rankwise.errors import CallError, some_of
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import Gains, above, at_least, cutoff, gains, rel, share
from rankwise.metrics.registry import register
from rankwise.rankings import JudgedRankings, Lengths
from rankwise.wording import Argument, Remedy

NOTHING = 1e-14  # a discount that is negligible


class Reader(Metric):
    """Metrics of the form Σ gain(i) × discount(cost spent before the gain at rank i).

    The cost of a document depends on its length and on its relevance. `length` is used for
    documents whose length is unknown. If `length` is None, a document of unknown length is an
    error.
    """

    score_range = (0.0, np.inf)
    bounds = ReadingTime()
    length: float | None = at_least(0, None)
    cutoff: int | None = cutoff()

    def cost(self, documents: Ints | int, length: Floats, *, relevant: bool) -> Floats:
        """Return the cost of reading `documents` documents whose lengths sum to `length`."""
        raise NotImplementedError

    def discounted(self, spent: Floats, own: Floats) -> Floats:
        """Return the discount of a document with cost `own`, after a total cost of `spent`."""
        raise NotImplementedError

    def compute(self, judged: JudgedRankings) -> Floats:
        rows = judged.relevant(self.lowest(judged))  # other documents have no gain
        return rows.total(self.contributions(rows))

    def contributions(self, judged: JudgedRankings) -> Floats:
        gain = self.worth(judged.grade, judged)
        length, above = self._lengths(judged)
        own = self.cost(1, length, relevant=True)
        more = np.where(gain > 0, own - self.cost(1, length, relevant=False), 0.0)
        spent = self.cost(judged.rank - 1, above, relevant=False) + judged.running(more) - more
        return gain * self.discounted(spent, own)

    def _lengths(self, judged: JudgedRankings) -> tuple[Floats, Floats]:
        """Return each row's document length, and the total length of the documents above it."""
        if judged.lengths is None:
            alike = np.full(len(judged.rank), self.length_of_all(), np.float64)
            return alike, alike * (judged.rank - 1)
        lengths, place = self.known_lengths(judged, judged.lengths), (judged.ranking, judged.rank)
        return lengths.of(*place), lengths.above(*place)

    def known_lengths(self, judged: JudgedRankings, lengths: Lengths) -> Lengths:
        """Return the document lengths, with `length` for unknown ones.

        If `length` is None, an unknown length is an error.
        """
        if self.length is not None:
            length = self.length
            return judged.keep(("lengths", length), lambda: lengths.filled(length))
        if lengths.lacking:
            have = "has" if lengths.lacking == 1 else "have"
            count = f"{lengths.lacking:,} of {lengths.documents:,} retrieved documents {have}"
            lack = f"{count} no length ({some_of(lengths.some_lacking)}). Add the missing lengths."
            remedy = f"{type(self).__name__}(length=N) assumes length N for documents without one."
            raise CallError(f"{self}: {lack} {remedy}")
        return lengths

    def length_of_all(self) -> float:
        if self.length is None:
            what = f"{self} needs the length of every retrieved document"
            same = f"{type(self).__name__}(length=N) assumes the same length for all documents"
            remedy = Remedy(Argument("lengths"), "give the lengths of documents")
            raise CallError(f"{what}. {same}.", remedy=remedy)
        return self.length

    @property
    def patience(self) -> float:
        """The cost after which the discount is negligible."""
        raise NotImplementedError


@register({"time_biased_gain": "TBG"})
class TBG(Reader):
    """Time-biased gain: gains discounted by the time T(k) that users need to reach rank k.

    TBG = Σ click × save × 2^(−T(k) / h) over the relevant documents, where k is the rank of the
    document, h the half-life of gains, and `save` the probability to save an opened relevant
    document. T(k) is the time spent on the documents above rank k. Each of these documents costs
    `summary` seconds. It is opened with probability `click` if it is relevant and `stray` if not.
    Opening it costs `visit` seconds plus `word` seconds per word. `length` is used for documents
    whose length is unknown.

    Use it when time matters and lengths are known, in words (argument `lengths`). Avoid it for
    rankings with duplicates: here they count as documents, but Smucker and Clarke count no time and
    no gain for them.
    Smucker and Clarke, SIGIR 2012, whose values are the defaults.

    >>> round(score_gains("TBG(length=500)", [1, 0, 1]), 4)
    0.9474
    """

    reads_lengths = "words"
    typical_parameters = MappingProxyType({"length": 500})
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
class U(Reader):
    """U-measure: gains discounted by the amount of text that users have read.

    U = Σ gain(k) × max(0, 1 − pos(k) / L). Users read `snippet` characters of every document,
    and a proportion `read` of the text of each document with positive gain. pos(k) is the number of
    characters read up to the end of the document at rank k, and from L on there is no gain.
    `length` is used for documents whose length is unknown.

    Use it when lengths are known, in characters (argument `lengths`). Avoid comparing it across
    collections: it is not normalised.
    Sakai and Dou, SIGIR 2013, whose values are the defaults.

    >>> round(score_gains("U(length=5000)", [1, 0, 1]), 4)
    1.9712
    """

    reads_lengths = "characters"
    typical_parameters = MappingProxyType({"length": 5000})
    L: float = above(0, 132000)
    snippet: float = at_least(0, 200)
    read: float = share(0.2)
    gains: Gains | None = gains()

    def cost(self, documents: Ints | int, length: Floats, *, relevant: bool) -> Floats:
        read = self.read if relevant else 0.0
        return np.asarray(documents * self.snippet + read * length)

    def discounted(self, spent: Floats, own: Floats) -> Floats:
        return np.maximum(0.0, 1 - (spent + own) / self.L)

    @property
    def patience(self) -> float:
        return self.L
