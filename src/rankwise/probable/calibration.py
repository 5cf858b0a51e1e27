"""How far predictions may be trusted: the pool there is, predicted from a shallower one."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.errors import CallError
from rankwise.metrics import Metric, parse
from rankwise.probable.documents import Documents
from rankwise.probable.prediction import Prediction, mean_over_topics, predict

JUDGED = 0.5  # of the documents of a best rank, from which on the pool reaches down to there
SHALLOWER = (2, 4)  # times
NOMINAL = 0.95
NORMAL = 1.96  # standard deviations to either side that hold so much of a normal distribution
LEAST_DEPTH = 4
REFERENCE = "AP"


@dataclass(frozen=True, eq=False)
class Calibration:
    """What was found, against what was predicted, where both are known.

    `widening` says by how many standard deviations, for each metric, a range must reach to
    either side to hold what was found for 95 % of the runs; `pair_scale` by how much the
    standard deviation of a difference of two runs is too small. Of each run, `predicted` and
    `found` count relevant documents of the deeper part of the pool.
    """

    depth: int
    widening: Floats
    pair_scale: Floats
    predicted: Floats
    found: Floats

    def reach_to(self, top: int) -> Floats:
        """How many standard deviations a range reaches down a pool of depth `top`.

        From this depth it can be farther to there than it was from a quarter of it to all.
        """
        return self.widening * max(1.0, np.log(top / self.depth) / np.log(max(SHALLOWER)))


def pool_depth(documents: Documents, most: int) -> int:
    """Down to which best rank documents are judged, half of those of each rank at least.

    It is refused where that is hardly anything: such judgments are no pool.
    """
    ranks = np.arange(1, most + 1)
    near = documents.best <= most
    all_of, judged = (
        np.bincount(documents.best[which], minlength=most + 1)[1:]
        for which in (near, near & documents.is_judged)
    )
    enough = judged >= JUDGED * np.maximum(all_of, 1)
    depth = int(ranks[np.logical_and.accumulate(enough)].max(initial=0))
    if depth < LEAST_DEPTH:
        what = "these judgments are no pool: of the documents that runs have first few are judged"
        more = "`rankwise.judging.holes(QRELS, RUNS, 4)` lists what is missing"
        raise CallError(
            f"{what}; what is probable can be told from a pool of depth {LEAST_DEPTH} or more, and "
            f"{more}."
        )
    return depth


def calibrate(
    documents: Documents,
    metrics: tuple[Metric, ...],
    depth: int,
    *,
    draws: int,
    rng: np.random.Generator,
) -> Calibration:
    """Predict the pool of this depth from its upper half and from its upper quarter.

    Runs share their errors, so that the check of one metric is a small sample: ranges are as
    wide as AP needs them too, which depends on every relevant document.
    """
    metrics = (*metrics, parse(REFERENCE))
    widening, scale = np.full(len(metrics), NORMAL), np.ones(len(metrics))
    for times in SHALLOWER:
        known = documents.is_judged & (documents.best <= max(1, depth // times))
        new = documents.is_judged & (documents.best <= depth) & ~known
        ahead = predict(documents, metrics, known, new, draws=draws, rng=rng)
        truth = mean_over_topics(documents.scores(metrics, documents.grade, known | new))
        off = np.abs(truth - ahead.expected) / np.maximum(ahead.deviation, 1e-12)
        widening = np.fmax(widening, np.nanquantile(off, NOMINAL, axis=1))
        scale = np.fmax(scale, _pair_scale(ahead, truth))
        if times == SHALLOWER[0]:
            counts = _by_run(documents, ahead, new)
    return Calibration(depth, np.fmax(widening, widening[-1])[:-1], scale[:-1], *counts)


def _pair_scale(ahead: Prediction, truth: Floats) -> Floats:
    """The root mean square of standardised errors of differences, for each metric."""
    found = []
    for metric, true in enumerate(truth):
        draws = ahead.means[:, metric]
        deviation = np.sqrt(pair_variances(draws))
        error = np.subtract.outer(true, true) - np.subtract.outer(*(2 * [draws.mean(axis=0)]))
        at = np.triu_indices(len(true), 1)
        off = error[at] / np.maximum(deviation[at], 1e-12)
        off = off[np.isfinite(off)]
        found.append(np.sqrt(np.mean(np.minimum(off**2, 100.0))) if len(off) else 1.0)
    return np.array(found)


def pair_variances(draws: Floats) -> Floats:
    """The variance of the difference of each two columns: runs × runs."""
    covariance = np.atleast_2d(np.cov(draws, rowvar=False))
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2 * covariance, 0.0)


def _by_run(documents: Documents, ahead: Prediction, new: Bools) -> tuple[Floats, Floats]:
    """How many of the new documents of each run were expected to be relevant, and are."""
    chance = np.zeros(len(documents.topic))
    chance[ahead.drawn] = ahead.expected_relevant
    here = new[documents.code]
    run = documents.ranking[here] // len(documents.judged.topics)
    runs, code = len(documents.judged.runs), documents.code[here]
    sums = [np.bincount(run, x[code], runs) for x in (chance, documents.grade > 0)]
    return sums[0].astype(np.float64), sums[1].astype(np.float64)
