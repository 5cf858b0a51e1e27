"""Judgments reduced to a random sample: Ahlgren and Grönqvist (2007), Section 6.3."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from rankwise.arrays import Bools, Ints
from rankwise.errors import CallError, check_at_least
from rankwise.rankings import Judgments, Qrels, QrelsLike, read_qrels
from rankwise.wording import Argument

if TYPE_CHECKING:
    import polars as pl

LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10
SHARES = tuple(percent / 100 for percent in (*range(1, 11), *range(15, 100, 5)))


def sample_judgments(
    qrels: "QrelsLike", keep: float, *, seed: int = 0, rel: int = 1, lenient: bool = False
) -> Qrels:
    """Sample a fraction of the judgments at random within each topic.

    The method is that of Ahlgren and Grönqvist (Information Processing and Management 44, 2008;
    online 2007). From the n relevant documents of a topic, keep × n are drawn, rounded to the
    nearest integer (halves down), but at least 1. The same rule applies to non-relevant documents,
    with a minimum of 10, and to unusable documents (negative grades), without a minimum. If there
    are fewer documents than the minimum, all are drawn. A document is relevant if its grade is at
    least `rel`. With the same seed, a smaller sample is a subset of a larger one.

    Use sampling to study the effect of judgments that are missing at random. A smaller judging
    budget has another effect: it usually means a shallower pool, without the documents at deep
    ranks.

    Parameters
    ----------
    qrels
        As for `score`.
    keep
        The fraction of judgments to keep, above 0 and at most 1.
    seed
        The random seed.
    rel
        Relevance threshold.
    lenient
        As for `read`.

    Returns
    -------
    Qrels
        The sampled judgments, in their original order.

    Examples
    --------
    >>> judged = {"1": {f"d{place:02}": int(place < 4) for place in range(44)}}
    >>> sample_judgments(judged, 0.5).frame["grade"].value_counts().sort("grade").rows()
    [(0, 20), (1, 2)]
    """
    check_share(keep)
    judged = read_qrels(qrels, lenient=lenient)
    judgments = Judgments.of(judged)
    rows = judgments.by_topic
    topic, grade = judgments.row_topic[rows], judgments.grades_by_topic
    drawn = rows[Draw.of(topic, grade, judgments.names, rel=rel, seed=seed).kept(keep)]
    return replace(judged, frame=judged.frame[np.sort(drawn)])


def check_share(keep: float, name: str = "keep") -> None:
    if not 0 < keep <= 1:
        raise CallError(Argument(name), f" must be a fraction above 0 and at most 1, not {keep:g}.")


@dataclass(frozen=True, eq=False)
class Draw:
    """A random order of the judgments of each stratum.

    A sample of k judgments of a stratum consists of the first k in this order. The strata are the
    relevant, the non-relevant and the unusable (negative grade) documents of each topic. The order
    depends on the judgments and the seed, not on the order of lines in a file.
    """

    stratum: Ints = field(repr=False)  # of each judgment
    place: Ints = field(repr=False)  # of each judgment in its stratum, from 0
    count: Ints = field(repr=False)  # of judgments in each stratum
    least: Ints = field(repr=False)  # number of judgments to keep of each stratum

    @classmethod
    def of(cls, topic: Ints, grade: Ints, names: "pl.Series", *, rel: int, seed: int) -> "Draw":
        """Draw a random order of the judgments.

        `topic`, `grade` and `names` (of documents) have an entry for each judgment. The judgments
        are sorted by topic, highest grade first.
        """
        check_at_least("rel", rel)
        kind = np.where(grade >= rel, 0, np.where(grade >= 0, 1, 2))
        stratum = 3 * topic + kind
        count = np.bincount(stratum, minlength=3 * (int(topic.max(initial=-1)) + 1))
        by_name = names.rank("dense").to_numpy()
        chance = np.empty(len(stratum))
        rng = np.random.default_rng(seed)
        chance[np.lexsort((by_name, -grade, topic))] = rng.random(len(chance))
        order = np.lexsort((chance, stratum))
        place = np.empty(len(stratum), np.int64)
        before = np.concatenate([[0], np.cumsum(count)[:-1]])
        place[order] = np.arange(len(stratum)) - np.repeat(before, count)
        least = np.tile([LEAST_RELEVANT, LEAST_NONRELEVANT, 0], len(count) // 3)
        return cls(stratum, place, count, least)

    def kept(self, share: float) -> Bools:
        """Return a mask of the judgments in a sample.

        The sample has the fraction `share` of each stratum, and at least `least` judgments.
        """
        # The greatest integer less than x + 0.5; 0.07 × 50 must not be more than 3.5.
        size = np.ceil(np.round(share * self.count - 0.5, 9))
        return self.place < np.maximum(size, self.least)[self.stratum]
