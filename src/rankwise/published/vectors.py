"""The lexicographically largest and smallest vectors R_G and R_L (Zhang, Park and Moffat 2008).

con(i) = (1 − p) p^(i−1) is the contribution of rank i to the score S, and rem(i) the contribution
of all ranks below i, down to the last rank that the printed score depends on. Let acc be the score
of the ranks above i. The relevance r_i must be 0 if acc + con(i) > S, and 1 if acc + rem(i) < S.
Any other rank is a choice point, where R_G takes 1 and R_L takes 0. S is known to within half the
precision; "< S" has this tolerance.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankwise.arrays import ROUNDING, Bools, Floats
from rankwise.errors import CallError
from rankwise.published.published_score import significant_ranks

MOST = 100_000  # number of vectors that `every_vector` returns at most, in some megabytes


def contribution(p: float, ranks: int) -> Floats:
    """Return con(i) = (1 − p) p^(i−1), the contribution to RBP of rank i, for i = 1 … `ranks`."""
    return np.asarray((1 - p) * p ** np.arange(ranks), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Vectors:
    """R_G and R_L (see the module docstring) for each score, and ranks of unjudged documents.

    All fields but `p` and `precision` are masks of shape (scores, ranks). R′_G adds the ranks
    `greatest_unjudged` to R_G, as near the top as possible. R′_L adds the ranks `least_unjudged` to
    R_L, as far down as possible. The paper names two other combinations and does not use them: R″_G
    adds ranks far down (`greatest_unjudged_down`), and R″_L adds ranks near the top
    (`least_unjudged_up`). `choices_greatest` and `choices_least` mark the choice points of R_G and
    R_L.
    """

    p: float
    precision: float
    greatest: Bools
    least: Bools
    choices_greatest: Bools
    choices_least: Bools
    greatest_unjudged: Bools
    least_unjudged: Bools
    greatest_unjudged_down: Bools
    least_unjudged_up: Bools

    def scores(self, at: float) -> dict[str, Floats]:
        """Return RBP of R_G, R_L and, with unjudged documents relevant, R′_G, R′_L, R″_G and R″_L.

        Vectors are cropped to the significant ranks at p = `at`. If p = `at` has more significant
        ranks, R_G, R′_G and R″_G continue with relevant documents, and the other vectors with
        non-relevant documents, as in Zhang, Park and Moffat (2008).
        """
        vectors = {
            "R_G": (self.greatest, True),
            "R_L": (self.least, False),
            "R'_G": (self.greatest | self.greatest_unjudged, True),
            "R'_L": (self.least | self.least_unjudged, False),
            "R''_G": (self.greatest | self.greatest_unjudged_down, True),
            "R''_L": (self.least | self.least_unjudged_up, False),
        }
        return {
            name: score_at(bits, at, self.precision, extend)
            for name, (bits, extend) in vectors.items()
        }

    def range_at(self, at: float) -> tuple[Floats, Floats]:
        """Return RBP's range at p = `at`: the least and largest of R_G, R_L, R′_G and R′_L."""
        scores = self.scores(at)
        ends = np.array([scores[name] for name in ("R_G", "R_L", "R'_G", "R'_L")])
        return ends.min(axis=0), ends.max(axis=0)


def score_at(bits: Bools, at: float, precision: float, extend: bool) -> Floats:
    """Return RBP of vectors at p = `at`, cropped or extended to the significant ranks there."""
    have, want = bits.shape[1], significant_ranks(at, precision)
    kept = min(have, want)
    scores = bits[:, :kept] @ contribution(at, kept)
    return scores + (at**have - at**want) if extend and want > have else scores


def bounding_vectors(
    p: float, scores: npt.ArrayLike, residuals: npt.ArrayLike = 0.0, precision: float = 1e-4
) -> Vectors:
    """Return R_G and R_L for each score, and their ranks of unjudged documents.

    For p < 0.5 some scores cannot be attained (see `nearest_attainable`). The vectors then have the
    nearest attainable score below.

    >>> found = bounding_vectors(0.5, [0.5], precision=0.01)
    >>> found.greatest.astype(int).tolist(), found.least.astype(int).tolist()
    ([[1, 0, 0, 0, 0, 0, 0, 0]], [[0, 1, 1, 1, 1, 1, 1, 1]])
    """
    wanted = np.atleast_1d(np.asarray(scores, dtype=np.float64))
    open_part = np.broadcast_to(np.asarray(residuals, dtype=np.float64), wanted.shape)
    greatest, choices_greatest = _walk(p, wanted, open_part, precision, greatest=True)
    least, choices_least = _walk(p, wanted, open_part, precision, greatest=False)
    return Vectors(
        p,
        precision,
        greatest,
        least,
        choices_greatest,
        choices_least,
        _unjudged(p, greatest, open_part, precision, top=True),
        _unjudged(p, least, open_part, precision, top=False),
        _unjudged(p, greatest, open_part, precision, top=False),
        _unjudged(p, least, open_part, precision, top=True),
    )


def every_vector(p: float, score: float, precision: float = 1e-4, most: int = MOST) -> Bools:
    """Return all relevance vectors with this score (scores are rounded), from R_G down to R_L.

    At each choice point both values are tried. There are at most three vectors at p = 0.5, and more
    at higher p and finer precision. An error is raised if there are more than `most`.

    >>> every_vector(0.5, 0.75, precision=0.1).astype(int).tolist()
    [[1, 1, 0, 0, 0], [1, 0, 1, 1, 1]]
    """
    depth, slack = significant_ranks(p, precision), precision / 2 + ROUNDING
    bits = np.zeros((1, depth), dtype=np.bool_)
    relevant = np.zeros(1)
    for rank, con in enumerate(contribution(p, depth)):
        rem = p ** (rank + 1) - p**depth
        may_be_0, may_be_1 = _allowed(relevant, con, rem, np.asarray(score), slack)
        # The vectors down to this rank are sorted: each continues with 1, then with 0.
        branches = np.flatnonzero(np.column_stack([may_be_1, may_be_0]))
        if len(branches) > most:
            what = f"more than {most:,} relevance vectors have the score {score:g} at p = {p:g}."
            raise CallError(f"{what} Set the precision to more than {precision:g}, or lower p.")
        bits = bits[branches // 2]
        bits[:, rank] = branches % 2 == 0
        relevant = relevant[branches // 2] + np.where(bits[:, rank], con, 0.0)
    return bits


def _allowed(
    relevant: Floats, con: float, rem: float, wanted: Floats, slack: float
) -> tuple[Bools, Bools]:
    """Return whether a rank may be 0, and whether it may be 1, by the paper's two constraints."""
    may_be_0 = relevant + rem >= wanted - slack
    # For p < 0.5 a printed score may lie just below the only attainable score.
    fits = relevant + con <= wanted + ROUNDING
    return may_be_0, fits | (~may_be_0 & (relevant + con <= wanted + slack))


def _walk(
    p: float, wanted: Floats, residual: Floats, precision: float, *, greatest: bool
) -> tuple[Bools, Bools]:
    """Decide the ranks of R_G (`greatest`) or R_L from the top, and mark the choice points."""
    depth, slack = significant_ranks(p, precision), precision / 2 + ROUNDING
    bits, choices = (np.zeros((len(wanted), depth), dtype=np.bool_) for _ in range(2))
    relevant, other = (np.zeros_like(wanted) for _ in range(2))  # the paper's acc and acc′
    for rank, con in enumerate(contribution(p, depth)):
        rem = p ** (rank + 1) - p**depth
        may_be_0, may_be_1 = _allowed(relevant, con, rem, wanted, slack)
        choices[:, rank] = may_be_0 & may_be_1
        if greatest:
            chosen = other + rem >= wanted - (con + relevant) + residual - slack
        else:
            chosen = relevant + rem < wanted + residual - slack
        bits[:, rank] = may_be_1 & (~may_be_0 | chosen)
        relevant += np.where(bits[:, rank], con, 0.0)
        other += np.where(bits[:, rank], 0.0, con)
    return bits, choices


def _unjudged(p: float, bits: Bools, residual: Floats, precision: float, *, top: bool) -> Bools:
    """Return a mask of non-relevant ranks whose weights sum to the residual.

    The ranks are as near the top as possible with `top`, and as far down as possible without.
    """
    unjudged = np.zeros_like(bits)
    if not residual.any():
        return unjudged
    con = contribution(p, bits.shape[1])
    free = np.where(bits, 0.0, con)
    below = free[:, ::-1].cumsum(axis=1)[:, ::-1] - free  # the paper's rem′
    placed = np.zeros_like(residual)
    for rank in range(bits.shape[1]):
        must = placed + below[:, rank] < residual - precision / 2 - ROUNDING
        may = placed + con[rank] <= residual + ROUNDING
        unjudged[:, rank] = ~bits[:, rank] & ((must | may) if top else must)
        placed += np.where(unjudged[:, rank], con[rank], 0.0)
    return unjudged
