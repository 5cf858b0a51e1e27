"""Bradley–Terry grades: one number per document that explains its wins and losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.lazy import pl

if TYPE_CHECKING:
    from rankwise.rankings.preferences import Preferences

PRIOR = 0.5  # wins, and as many losses, of each document against an average one
STEPS, TOLERANCE, DIGITS = 200, 1e-10, 4


def bradley_terry(
    winner: Ints, loser: Ints, count: Floats, documents: int, prior: float = PRIOR
) -> Floats:
    """Return the log strength θ of each document: P(i is preferred to j) = 1 / (1 + e^(θj − θi)).

    Maximises Σ count log P(winner, loser) + prior Σ (log P(i, 0) + log P(0, i)) by Newton's
    method, where 0 is an average document with θ = 0. Without a prior the maximum is infinite for
    a document that never loses, and not unique for groups that were never compared; with it the
    function is strictly concave. Hunter, Annals of Statistics 32(1), 2004, has the conditions;
    Whelan, arXiv:1712.05311, 2017, this prior.
    """
    from scipy.sparse import coo_matrix, diags
    from scipy.sparse.linalg import spsolve

    def value(strength: Floats) -> float:
        lost = np.logaddexp(0, strength[loser] - strength[winner])
        own = np.logaddexp(0, strength) + np.logaddexp(0, -strength)
        return float(-(count * lost).sum() - prior * own.sum())

    strength = np.zeros(documents)
    for _ in range(STEPS):
        against = count * _logistic(strength[loser] - strength[winner])
        own = _logistic(strength)
        slope = prior * (1 - 2 * own) + np.bincount(winner, against, documents)
        slope = slope - np.bincount(loser, against, documents)
        if np.abs(slope).max(initial=0) < TOLERANCE:
            break
        weight = against * _logistic(strength[winner] - strength[loser])
        curve = np.bincount(winner, weight, documents) + np.bincount(loser, weight, documents)
        pairs = coo_matrix((weight, (winner, loser)), shape=(documents, documents))
        matrix = diags(curve + 2 * prior * own * (1 - own)) - pairs - pairs.T
        step, now = spsolve(matrix.tocsc(), slope), value(strength)
        while value(strength + step) < now and np.abs(step).max() > TOLERANCE:
            step = step / 2
        strength = strength + step
    return strength


def _logistic(x: Floats) -> Floats:
    return np.exp(-np.logaddexp(0, -x))


def bradley_terry_grades(preferences: Preferences) -> pl.DataFrame:
    """Return a grade for each document: the probability that it is preferred to another one.

    The other one is drawn from the documents of its topic that have preferences.
    """
    documents = preferences.documents.select("topic", "document")
    number = documents.with_row_index("number")
    votes = preferences.votes.filter(pl.col("count") > 0)
    winner, loser = (
        votes.join(
            number.rename({"document": role}), on=["topic", role], how="left", maintain_order="left"
        )["number"]
        .to_numpy()
        .astype(np.int64)
        for role in ("winner", "loser")
    )
    strength = bradley_terry(winner, loser, votes["count"].to_numpy(), documents.height)
    grade, start = np.zeros(documents.height), 0
    for size in documents["topic"].rle().struct.field("len"):
        own = strength[start : start + size]
        chance = _logistic(own[:, None] - own).sum(axis=1) - 0.5  # without itself
        grade[start : start + size] = chance / max(size - 1, 1)
        start += size
    return documents.with_columns(grade=pl.Series(grade.round(DIGITS)))
