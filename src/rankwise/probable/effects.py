"""Effect of one more relevant document on each score, by the rank of the document."""

from dataclasses import dataclass, replace

import numpy as np

from rankwise.arrays import Floats, Ints, Shorts
from rankwise.metrics import Metric
from rankwise.probable.documents import Documents
from rankwise.rankings import JudgedRankings, Pools
from rankwise.scores import scores_of

EVERY = 20  # all ranks down to this rank are evaluated, and some of the ranks below
FARTHER = 1.25  # ratio of two successive evaluated ranks below rank EVERY


@dataclass(frozen=True, eq=False)
class Effects:
    """Change of a score if a document is relevant instead of not relevant.

    `retrieved` is the change for a document at each rank in `ranks`, of shape (rankings, ranks).
    `missed` is the change for a document that is below the cutoff or not in the ranking. It can
    differ from 0, because many metrics divide by the number of relevant documents.
    """

    ranks: Ints
    retrieved: Floats
    missed: Floats
    cutoff: int | None

    def at(self, ranking: Ints, rank: Ints | Shorts) -> Floats:
        """Return the change of a ranking's score if its document at a rank becomes relevant.

        `ranking` and `rank` are arrays of the same length. For ranks that are not in `ranks`, the
        change is interpolated linearly. Below the cutoff, the change is `missed`.
        """
        after = np.clip(np.searchsorted(self.ranks, rank), 1, max(1, len(self.ranks) - 1))
        before = after - 1
        after = np.minimum(after, len(self.ranks) - 1)
        step = np.maximum(self.ranks[after] - self.ranks[before], 1)
        share = np.clip((rank - self.ranks[before]) / step, 0.0, 1.0)
        low, high = self.retrieved[ranking, before], self.retrieved[ranking, after]
        inside = rank <= (rank.max(initial=0) if self.cutoff is None else self.cutoff)
        return np.where(inside, low + share * (high - low), self.missed[ranking])


def effects_of(documents: Documents, metric: Metric, drawn: Ints, samples: Ints) -> Effects:
    """Return the change of each run's score on a topic if the document at a rank becomes relevant.

    The changes are means over random draws of the missing judgments. `drawn` has the codes of
    unjudged documents, and `samples` has their grades in each draw. A score depends only on the
    grades in the ranking and on the number of documents of each grade in the topic. Therefore the
    document at a rank can be changed in all rankings at once, although these are different
    documents.
    """
    ranks = _evaluated_ranks(documents, metric)
    known = documents.is_judged.copy()
    known[drawn] = True
    places = documents.rejudged
    if not metric.tells_unjudged:  # only documents that can be relevant, or at evaluated ranks
        gaining = documents.grade > 0
        gaining[drawn] = True
        needed = gaining[places.code] | np.isin(places.rank, ranks)
        if metric.cutoff is not None:
            needed &= places.rank <= metric.cutoff
        places = places.where_places(needed)
    alternatives = places.alternatives(known)
    shape = (alternatives.base.count, len(ranks))
    total, tried, missed = np.zeros(shape), np.zeros(shape), np.zeros(shape[0])
    for place, sample in enumerate(samples):
        grade = documents.grade.copy()
        grade[drawn] = sample
        base = alternatives.graded(grade)
        quantile = (place + 0.5) / len(samples)
        richer, added = _one_more_relevant(base, quantile)
        before = _numbers(metric, base)
        missed += (_numbers(metric, richer) - before) / len(samples)
        for column, rank in enumerate(ranks):
            rows = np.flatnonzero((base.rank == rank) & (base.grade <= 0))
            here = base.ranking[rows]
            new = base.grade.copy()
            new[rows] = added[base.topic[here]]
            total[here, column] += (_numbers(metric, replace(richer, grade=new)) - before)[here]
            tried[here, column] += 1
    return Effects(ranks, _filled(ranks, total, tried, missed), missed, metric.cutoff)


def _evaluated_ranks(documents: Documents, metric: Metric) -> Ints:
    last = int(documents.rejudged.rank.max(initial=1))
    if metric.cutoff is not None:
        last = min(last, metric.cutoff)
    ranks = list(range(1, min(last, EVERY) + 1))
    while ranks[-1] < last:
        ranks.append(min(last, int(ranks[-1] * FARTHER)))
    return np.array(ranks)


def _one_more_relevant(judged: JudgedRankings, quantile: float) -> tuple[JudgedRankings, Ints]:
    """Return judgments with one more relevant document per topic, and the grade of that document.

    A judged non-relevant document gets the grade at the `quantile` of the topic's relevant grades.
    If the topic has no relevant document, it gets the median relevant grade of all topics. Topics
    without a judged non-relevant document do not change.
    """
    grades = judged.topic_grades.copy()
    start, stop = judged.topic_start[:-1], judged.topic_start[1:]
    topic = np.repeat(np.arange(len(start)), stop - start)
    relevant = np.bincount(topic, grades > 0, len(start)).astype(np.int64)
    usual = max(1, int(np.median(grades[grades > 0]))) if (grades > 0).any() else 1
    like = np.minimum(start + (quantile * relevant).astype(np.int64), max(0, len(grades) - 1))
    added = np.where(relevant > 0, grades[like], usual) if len(grades) else np.ones(len(start))
    last = stop[stop > start] - 1  # grades fall, so the last is the lowest
    raised = last[grades[last] <= 0]
    grades[raised] = added[topic[raised]]
    pools = Pools.of(topic, grades, len(start))
    return replace(judged, **pools._asdict()), added.astype(np.int64)


def _numbers(metric: Metric, judged: JudgedRankings) -> Floats:
    return np.nan_to_num(scores_of(metric, judged))


def _filled(ranks: Ints, total: Floats, tried: Floats, missed: Floats) -> Floats:
    """Return `total` / `tried`, the mean change over the draws in which a rank was evaluated.

    `tried` is the number of these draws, rankings × ranks. Ranks that were never evaluated are
    interpolated. If no rank of a ranking was evaluated, its changes are `missed`.
    """
    means = np.divide(total, tried, out=np.zeros(total.shape), where=tried > 0)
    for row in np.flatnonzero((tried == 0).any(axis=1)):
        known = tried[row] > 0
        if known.any():
            means[row] = np.interp(ranks, ranks[known], means[row, known])
        else:
            means[row] = missed[row]
    return means
