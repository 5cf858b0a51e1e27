"""What the paper calls tempting where ranges overlap, and advises against: crude chances.

No verdict rests on them. Relevance vectors with one score are no more equally likely than
the places of a score within its range: real rankings have their relevant documents near the
top.
"""

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.published.paper import every_vector, score_at
from rankwise.published.published import Published

LABEL = (
    "heuristics, no verdicts: overlap is what both ranges share, of what either covers; "
    "superiority the share of possible relevance vectors by which A is better, as if all were "
    "equally likely"
)


def heuristics(a: Published, b: Published, ranges: pl.DataFrame, most: int) -> pl.DataFrame:
    """`p`, `overlap` and `superiority` for each row of a comparison's ranges."""
    rows = [
        (
            row["p"],
            overlap((row["A_low"], row["A_high"]), (row["B_low"], row["B_high"])),
            superiority(a, b, row["p"], most),
        )
        for row in ranges.iter_rows(named=True)
    ]
    kinds = {"p": pl.Float64, "overlap": pl.Float64, "superiority": pl.Float64}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def overlap(a: tuple[float, float], b: tuple[float, float]) -> float:
    """The length that two ranges share, of the length that either covers.

    >>> overlap((0.2, 0.6), (0.4, 0.7)), overlap((0.1, 0.2), (0.3, 0.4))
    (0.4, 0.0)
    """
    shared = max(0.0, min(a[1], b[1]) - max(a[0], b[0]))
    covered = (a[1] - a[0]) + (b[1] - b[0]) - shared
    return round(shared / covered, 12) if covered > 0 else float(a == b)


def superiority(a: Published, b: Published, at: float, most: int) -> float | None:
    """The share of pairs of vectors of which that of A scores more at p = `at`.

    None above the p of either score, where what lies below the ranks that it tells would
    count, and where there are too many vectors, or none.
    """
    first, second = _scores(a, at, most), _scores(b, at, most)
    if first is None or second is None:
        return None
    ordered = np.sort(second)
    below, up_to = (np.searchsorted(ordered, first, side) for side in ("left", "right"))
    return float((below + up_to).mean() / 2 / len(ordered))


def _scores(given: Published, at: float, most: int) -> Floats | None:
    """The possible scores at another p, one for each vector."""
    if at == given.p:
        return np.array([given.score])
    if at > given.p or not _has_vectors(given):
        return None
    try:
        bits = every_vector(given.p, given.score, given.precision, most)
    except CallError:
        return None
    return score_at(bits, at, given.precision, extend=False)


def _has_vectors(given: Published) -> bool:
    return given.is_one_vector and not given.residual


def check_has_vectors(given: Published) -> None:
    """That the full set of vectors is that of one topic, of 0 and 1, without unjudged ones."""
    if not _has_vectors(given):
        what = "a full set of vectors is of one topic, relevant or not, without a residual"
        raise CallError(f"{what}: {given} has none.")
