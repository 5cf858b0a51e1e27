"""Range of a published RBP score at another p, and comparison of two published RBP scores."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from math import ceil, floor
from textwrap import wrap
from typing import Any, get_args

import numpy as np
import polars as pl

from rankwise.errors import CallError, check_word
from rankwise.notes import Note, detail, note
from rankwise.published.inner import BUDGET, inner
from rankwise.published.outer import outer
from rankwise.published.published_score import (
    GRADED,
    NOT_PRINTED,
    Published,
    check_persistence,
    published,
)
from rankwise.published.vectors import (
    MOST,
    Vectors,
    bounding_vectors,
    contribution,
    every_vector,
    score_at,
)
from rankwise.results import Charted, Table
from rankwise.vocabulary import InversionMethod, Verdict
from rankwise.wording import Argument

LINE = 70
MOST_LISTED = 24  # intervals of ranks


def _drawn(name: str, marks: str) -> list[str]:
    """Write a vector as one mark per rank or, if that is too wide, as a list of relevant ranks."""
    if len(marks) <= 4 * LINE:
        parts = [marks[start : start + LINE] for start in range(0, len(marks), LINE)]
        return [f"{name if part is parts[0] else '':<5}{part}" for part in parts]
    ranks = [rank for rank, mark in enumerate(marks, 1) if mark == "1"]
    return wrap(f"{name}  relevant at ranks {_listed(ranks)}", LINE + 5, subsequent_indent="     ")


def _listed(ranks: list[int]) -> str:
    """Format ranks as intervals: 1–3, 7, 9–45."""
    words = []
    for _, group in groupby(enumerate(ranks), key=lambda pair: pair[1] - pair[0]):
        run = [rank for _, rank in group]
        words.append(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}")
    more = len(words) - MOST_LISTED
    return ", ".join(words[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


ABOUT_VECTORS = detail(
    "vectors",
    "R_G and R_L are the lexicographically largest and smallest relevance vectors with this score. "
    "A rank is a choice if both 0 and 1 at this rank fit the score, given the ranks above",
)
OFTEN_USED = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)  # the p of the paper's Table 1
GRID = tuple(step / 100 for step in range(1, 100))


@dataclass(frozen=True, eq=False, repr=False)
class Inversion(Charted):
    """A published RBP score, its bounding vectors R_G and R_L, and its range at other values of p.

    R_G and R_L are the lexicographically largest and smallest relevance vectors with the published
    score (Zhang, Park and Moffat 2008). With a residual, R′_G, R′_L, R″_G and R″_L are these
    vectors with some ranks unjudged.

    `frame` has one row per value of p, with the range from `low` to `high`. With the method
    `sound`, `inner_low` and `inner_high` are scores in this range that a ranking (or a mean over
    topics) attains; null if none was found. For one ranking with binary relevance, `frame` also has
    the score of each vector. `vectors` is None for a mean over several topics and for graded gains.

    `chart` draws the range of the score against p.
    """

    _everyday = ("all_vectors", "greatest", "least", "ranks")

    printed: Published
    method: InversionMethod
    frame: pl.DataFrame
    vectors: Vectors | None

    @property
    def caption(self) -> str:
        """Printed score, the number of ranks that determine it, and the vectors R_G and R_L.

        In a vector, 1 is relevant, 0 is not relevant, and ? is unjudged.
        """
        given, vectors = self.printed, self.vectors
        first = f"ranks 1–{given.depth:,} determine the score"
        title = f"{given}, rounded to {given.precision:g}: {first}"
        if vectors is None:
            mean = f"a mean over {given.topics} topics has no single relevance vector"
            return f"{title}; {'gains are from 0 to 1' if given.graded else mean}"
        lines = [title, ""]
        for name, bits, unjudged in [
            ("R_G", vectors.greatest[0], vectors.greatest_unjudged[0]),
            ("R_L", vectors.least[0], vectors.least_unjudged[0]),
        ]:
            kinds = 2 * bits.astype(int) + unjudged
            lines += _drawn(name, "".join("0?1"[kind] for kind in kinds.tolist()))
        for name, ranks in self.ranks.items():
            if ranks:
                lines += wrap(f"{name}: {_listed(ranks)}", LINE + 5, subsequent_indent="     ")
        return "\n".join(lines)

    @property
    def greatest(self) -> list[int] | None:
        """The lexicographically largest relevance vector R_G, as a list of 0 and 1.

        It is None for a mean over several topics and for graded gains. `least` is the smallest
        vector R_L.
        """
        return None if self.vectors is None else self.vectors.greatest[0].astype(int).tolist()

    @property
    def least(self) -> list[int] | None:
        return None if self.vectors is None else self.vectors.least[0].astype(int).tolist()

    def table(self, *, digits: int = 4) -> Table:
        """Return `frame` as a table without the columns R''_G and R''_L."""
        return Table(self.frame.select(pl.exclude("R''_G", "R''_L")), digits=digits)

    def all_vectors(self, most: int = MOST) -> pl.DataFrame:
        """Return all relevance vectors with the published score, from R_G down to R_L.

        The columns are `vector`, `score`, and the score at each p of `frame`, such as `at 0.5`. A
        vector has the ranks that determine the published score; documents below them count as not
        relevant. Raises CallError if there are more than `most` vectors, if the score has a
        residual above 0 or graded gains, or if it is a mean over several topics.
        """
        printed = self.printed
        if not printed.is_one_vector or printed.residual:
            what = (
                "the relevance vectors can be listed only for the score of one topic, with binary"
            )
            raise CallError(f"{what} relevance and without a residual.")
        bits = every_vector(printed.p, printed.score, printed.precision, most)
        words = ["".join(map(str, row)) for row in bits.astype(int).tolist()]
        columns: dict[str, Any] = {"vector": words}
        columns["score"] = bits @ contribution(printed.p, printed.depth)
        for at in self.frame["p"]:
            columns[f"at {at:g}"] = score_at(bits, at, printed.precision, extend=False)
        return pl.DataFrame(columns)

    @property
    def ranks(self) -> dict[str, list[int]]:
        """Lists of ranks in the vectors that `Inversion` describes, by name.

        `choices of R_G` and `choices of R_L` are choice points: ranks at which both 0 and 1 fit the
        score, given the ranks above. The other lists have the unjudged ranks of R′_G, R′_L, R″_G
        and R″_L. They are near the top for R′_G and R″_L, and far down for R′_L and R″_G.
        """
        if self.vectors is None:
            return {}
        by_name = {
            "choices of R_G": self.vectors.choices_greatest,
            "choices of R_L": self.vectors.choices_least,
            "unjudged in R'_G": self.vectors.greatest_unjudged,
            "unjudged in R'_L": self.vectors.least_unjudged,
            "unjudged in R''_G": self.vectors.greatest_unjudged_down,
            "unjudged in R''_L": self.vectors.least_unjudged_up,
        }
        return {name: (np.flatnonzero(bits[0]) + 1).tolist() for name, bits in by_name.items()}

    @property
    def notes(self) -> list[Note]:
        """Notes on the vectors, and on a residual that is missing or that no ranks fit.

        For some p < 2/3 the rules of Zhang, Park and Moffat (2008) find no ranks whose weights sum
        to the residual.
        """
        about = [] if self.vectors is None else [ABOUT_VECTORS]
        if self.printed.residual is None:
            return [note("no-residual", NOT_PRINTED.format("")), *about]
        if self.vectors is None:
            return []
        con = contribution(self.printed.p, self.printed.depth)
        notes, residual = about, self.printed.residual
        unjudged = {"R'_G": self.vectors.greatest_unjudged, "R'_L": self.vectors.least_unjudged}
        for name, bits in unjudged.items():
            weight = float(bits[0] @ con)
            if abs(weight - residual) > self.printed.precision:
                what = f"the weights of the unjudged ranks of {name} sum to {weight:.4g}, but the "
                why = "The rules of Zhang, Park and Moffat (2008) find no ranks with this sum"
                text = f"{what}residual is {residual:g}. {why}"
                notes.append(note("residual-not-met", text))
        return notes


def invert(
    p: float,
    score: float,
    residual: float | None = None,
    *,
    precision: float = 1e-4,
    topics: int | None = None,
    at: float | Iterable[float] | None = None,
    method: InversionMethod = "sound",
    budget: int = BUDGET,
    graded: bool = False,
) -> Inversion:
    """Compute bounds of RBP at other values of p, given the RBP score published for one p.

    The score may be the score of one ranking, or a mean over topics.

    Parameters
    ----------
    p, score
        RBP's p, and the score as printed.
    residual
        Residual as printed, even if it is 0. None means that none was printed, and that unjudged
        documents are not relevant.
    precision
        Rounding precision of the score, for example 0.01 for a score with two decimals.
    topics
        Number of topics averaged. If it is None (unknown), the range is valid both for one ranking
        and for a mean.
    at
        One or several other values of p; by default those of Table 1 of Zhang, Park and Moffat
        (2008) except `p`.
    method
        `sound`: a range that is valid for every ranking, and within it a range whose ends are
        attained by rankings. `paper`: the range between R_G and R_L of Zhang, Park and Moffat (ADCS
        2008), which is not valid for some rankings.
    budget
        Maximum number of nodes in the search for a ranking that attains an end of the range.
    graded
        Whether gains are between 0 and 1 instead of binary. With graded gains and `residual=None`,
        both ends of the sound range are scores of rankings. The method `paper` is not available for
        graded gains.

    Returns
    -------
    Inversion
        The range at each other p, the lexicographically largest and smallest relevance vectors
        with the published score, and a chart.

    Examples
    --------
    >>> found = invert(0.8, 0.41, at=0.5)
    >>> [round(end, 3) for end in found.frame.select("low", "high").row(0)]
    [0.063, 0.799]
    >>> found.greatest[:5], found.least[:5]
    ([1, 1, 0, 0, 0], [0, 0, 0, 1, 0])
    """
    check_word("method", method, get_args(InversionMethod))
    printed = Published(p, score, residual, precision, topics, graded)
    _check_graded(printed, method)
    wanted = _checked(at, tuple(value for value in OFTEN_USED if value != p))
    vectors = _vectors(printed) if printed.is_one_vector else None
    frame = curve(printed, wanted, method)
    if method == "sound":
        ends = [inner(printed, value, budget) for value in wanted]
        frame.insert_column(3, pl.Series("inner_low", [low for low, _ in ends], pl.Float64))
        frame.insert_column(4, pl.Series("inner_high", [high for _, high in ends], pl.Float64))
    return Inversion(printed, method, frame, vectors)


def curve(
    printed: Published, at: Iterable[float] = GRID, method: InversionMethod = "sound"
) -> pl.DataFrame:
    """Return the range of RBP at each p in `at`, and the scores of the vectors R_G and R_L.

    R_G and R_L are the lexicographically largest and smallest relevance vectors with the published
    score. There are no such vectors for a mean over several topics or for graded gains. Figures 2,
    3 and 4 of Zhang, Park and Moffat (2008) show the range and the scores.
    """
    values = list(at)
    ranges = [range_at(printed, value, method) for value in values]
    columns = {"p": values, "low": [low for low, _ in ranges], "high": [high for _, high in ranges]}
    if printed.is_one_vector:
        vectors = _vectors(printed)
        scores = [vectors.scores(value) for value in values]
        primed = ["R'_G", "R'_L", "R''_G", "R''_L"] if printed.residual is not None else []
        names = ["R_G", "R_L", *primed]
        columns |= {name: [float(row[name][0]) for row in scores] for name in names}
    return pl.DataFrame(columns, schema_overrides=dict.fromkeys(columns, pl.Float64))


def range_at(
    printed: Published, at: float, method: InversionMethod = "sound"
) -> tuple[float, float]:
    """Return the lower and upper bound of RBP at p′ = `at` for a published score."""
    if method == "sound":
        return outer(printed, at)
    _check_graded(printed, method)
    if at == printed.p:
        return printed.score, printed.most
    low, high = _vectors(printed).range_at(at)
    return float(low[0]), float(high[0])


@lru_cache(maxsize=16)  # a curve needs the same vectors at each p′
def _vectors(printed: Published) -> Vectors:
    return bounding_vectors(printed.p, [printed.score], [printed.unjudged], printed.precision)


@dataclass(frozen=True, eq=False, repr=False)
class PublishedComparison(Charted):
    """Comparison of two published RBP scores, `a` and `b`.

    `frame` has one row per value of p, with the range of each system's score at this p, and the
    verdict. The first row is for the lower p of the two scores.

    `chart` draws the ranges of both scores against p.
    """

    _everyday = ("sentence", "verdict")

    a: Published
    b: Published
    method: InversionMethod
    frame: pl.DataFrame

    @property
    def caption(self) -> str:
        return self.sentence

    @property
    def at(self) -> float:
        return min(self.a.p, self.b.p)

    @property
    def verdict(self) -> Verdict:
        return self.frame["verdict"][0]

    @property
    def notes(self) -> list[Note]:
        without = [name for name, one in (("A", self.a), ("B", self.b)) if one.residual is None]
        missing = NOT_PRINTED.format(f" for {' and '.join(without)}")
        return [note("no-residual", missing)] if without else []

    @property
    def sentence(self) -> str:
        """The verdict at the lower p in words, with the range of each score, rounded outwards."""
        row = self.frame.row(0, named=True)
        ends = {s: (floor(row[f"{s}_low"] * 1e4), ceil(row[f"{s}_high"] * 1e4)) for s in "AB"}
        a, b = (f"{low / 1e4:.4f} to {high / 1e4:.4f}" for low, high in ends.values())
        better = f"{self.verdict} is better"
        what = "it is undecided which is better" if self.verdict == "undecided" else better
        return f"At p = {self.at:g}, {what}: A scores {a}, B scores {b}."


def compare_published(
    a: Any, b: Any, *, at: Iterable[float] = (), method: InversionMethod = "sound"
) -> PublishedComparison:
    """Decide which of two published RBP scores is better, from p, score and residual.

    The score with the higher p is converted to the lower p, as Zhang, Park and Moffat (2008)
    advise. The frame also has the comparison at the higher p. A is better if its lower bound is
    above B's upper bound, and B is better if its lower bound is above A's upper bound.

    Parameters
    ----------
    a, b
        Each is a `Published`, a mapping, or a text such as "p=0.8,score=0.41,residual=0.02".
    at
        Other values of p at which to compare.
    method
        As for `invert`.

    Returns
    -------
    PublishedComparison
        The verdict, the ranges of both scores, and a chart.

    Examples
    --------
    >>> compare_published("p=0.8,score=0.9", {"p": 0.95, "score": 0.01}).verdict
    'A'
    >>> compare_published("p=0.8,score=0.41,residual=0.02", "p=0.95,score=0.33").verdict
    'undecided'
    """
    check_word("method", method, get_args(InversionMethod))
    first, second = _as_published("a", a), _as_published("b", b)
    extra = _checked(at, ())
    rows = []
    for value in dict.fromkeys([*sorted([first.p, second.p]), *extra]):
        a_range, b_range = (range_at(one, value, method) for one in (first, second))
        b_or_neither = "B" if b_range[0] > a_range[1] else "undecided"
        verdict = "A" if a_range[0] > b_range[1] else b_or_neither
        rows.append((value, *a_range, *b_range, verdict))
    columns = ["p", "A_low", "A_high", "B_low", "B_high", "verdict"]
    return PublishedComparison(first, second, method, pl.DataFrame(rows, columns, orient="row"))


def _as_published(name: str, score: Any) -> Published:
    if isinstance(score, Published):
        return score
    if isinstance(score, str):
        return published(score)
    if isinstance(score, Mapping):
        return published(",".join(f"{key}={value}" for key, value in score.items()))
    raise CallError(Argument(name), f" must be a Published, a mapping or text, not {score!r}.")


def _check_graded(printed: Published, method: str) -> None:
    if printed.graded and method == "paper":
        raise CallError(GRADED)


def _checked(at: float | Iterable[float] | None, default: tuple[float, ...]) -> tuple[float, ...]:
    if at is None:
        return default
    values = (at,) if isinstance(at, int | float) else tuple(at)
    for value in values:
        check_persistence(value, Argument("at"))
    return values
