"""Forms of metrics on which verdicts between two runs rest."""

from collections.abc import Callable
from typing import NamedTuple

from rankwise.arrays import Floats, Ints
from rankwise.bounds import Levels
from rankwise.metrics.weighted import WeightedPrecision
from rankwise.rankings import Ideal, JudgedRankings


class Normalised(NamedTuple):
    """Sum of weight × gain, divided by that of the topic's judged documents in the best order."""

    earned: WeightedPrecision
    ideal: Callable[[JudgedRankings], Ideal]  # by the same gains
    levels: Callable[[JudgedRankings], Levels]  # these gains, and how many judged reach each


class ByCount(NamedTuple):
    """Σ weight over the relevant documents that are retrieved, plus what R does not change.

    `weight` takes the number of documents that a ranking retrieved, and R, the number of the
    topic's relevant documents. `reach` takes R and gives the last rank that counts, which does
    not fall as R grows; None: all ranks down to the cutoff. What is added may depend on the run
    or on R, not on both.
    """

    rel: int
    weight: Callable[[Ints, Ints], Floats]
    reach: Callable[[Ints], Ints] | None = None


class ByFirst(NamedTuple):
    """Score that depends only on the rank of the first relevant document, and falls with it.

    `score_at` takes that rank, or infinity where there is none down to the cutoff.
    """

    rel: int
    score_at: Callable[[Floats], Floats]


class ByFound(NamedTuple):
    """Score that depends only on three counts, and rises with the first for any given R.

    `of_counts` takes the relevant documents retrieved, how many were retrieved, and R.
    """

    rel: int
    of_counts: Callable[[Floats, Floats, Floats], Floats]


class ByFirstAndCount(NamedTuple):
    """Score that depends only on the rank r of the first relevant document and on R.

    `score_at` takes both, r being infinity if there is none down to the cutoff. For any two ranks
    the difference of scores is monotone in R between the points where R passes one of them.
    """

    rel: int
    score_at: Callable[[Floats, Floats], Floats]


ExactForm = ByCount | ByFirst | ByFound | ByFirstAndCount
