"""How far predictions may be trusted: the pool there is, predicted from a shallower one."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.errors import CallError
from rankwise.metrics import Metric, parse
from rankwise.probable.documents import Documents
from rankwise.probable.prediction import Prediction, mean_over_topics, predict
from rankwise.probable.significance import t_values

JUDGED = 0.5  # of the documents of a best rank, from which on the pool reaches down to there
SHALLOWER = (2, 4)  # times
SHALLOWEST = 2  # how relevance falls with depth cannot be learned from a pool of depth 1
NOMINAL = 0.95
NORMAL = 1.96  # standard deviations to either side that hold so much of a normal distribution
LEAST_DEPTH = 4
REFERENCE = "AP"


@dataclass(frozen=True, eq=False)
class Calibration:
    """What was found, against what was predicted, where both are known.

    `widening` says by how many standard deviations, for each metric, a range must reach to
    either side to hold what was found for 95 % of the runs; `pair_scale` by how much the
    standard deviation of a difference of two runs is too small. Student's t of two runs was
    `t_slope` times as large as expected, and its standard deviation `t_scale` times. Of each
    run, `predicted` and `found` count relevant documents of the deeper part of the pool.
    `judged_share` is how much of the documents down to its `depth` is judged: less than all
    where runs have not contributed.
    """

    depth: int
    judged_share: float
    widening: Floats
    pair_scale: Floats
    t_slope: Floats
    t_scale: Floats
    predicted: Floats
    found: Floats

    def reach_to(self, top: int) -> Floats:
        """How many standard deviations a range reaches down a pool of depth `top`.

        From this depth it can be farther to there than it was from the shallowest to this.
        """
        return self.widening * self._farther(top)

    def pair_scale_to(self, top: int) -> Floats:
        """By how much standard deviations of differences are too small down to `top`.

        Errors of differences add up on the way as those of a random walk do.
        """
        return self.pair_scale * np.sqrt(self._farther(top))

    def t_to(self, top: int) -> tuple[Floats, Floats]:
        """The slope of t and its scale, of each metric, down to `top`: both go on as they did."""
        far = self._farther(top)
        return self.t_slope**far, self.t_scale * np.sqrt(far)

    def _farther(self, top: int) -> float:
        """How many times as far it is, on a logarithmic scale, as where it was checked."""
        checked = self.depth / _depths_checked(self.depth)[-1]
        return max(1.0, float(np.log(top / self.depth) / np.log(checked)))


def _depths_checked(depth: int) -> list[int]:
    """A half and a quarter, where that is not too shallow to learn anything."""
    return [max(SHALLOWEST, depth // times) for times in SHALLOWER]


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
    slope, spread = np.ones(len(metrics)), np.ones(len(metrics))
    for place, shallow in enumerate(_depths_checked(depth)):
        known = documents.is_judged & (documents.best <= shallow)
        new = documents.is_judged & (documents.best <= depth) & ~known
        ahead = predict(documents, metrics, known, new, draws=draws, rng=rng)
        by_topic = documents.scores(metrics, documents.grade, known | new)
        truth = mean_over_topics(by_topic)
        off = np.abs(truth - ahead.expected) / np.maximum(ahead.deviation, 1e-12)
        widening = np.fmax(widening, np.nanquantile(off, NOMINAL, axis=1))
        scale = np.fmax(scale, _pair_scale(ahead, truth))
        if place == 0:
            counts = _by_run(documents, ahead, new)
            slope, spread = _t_checked(ahead, by_topic)
    widening = np.fmax(widening, widening[-1])
    share = float(documents.is_judged[documents.best <= depth].mean())
    return Calibration(depth, share, widening[:-1], scale[:-1], slope[:-1], spread[:-1], *counts)


def _t_checked(ahead: Prediction, by_topic: Floats) -> tuple[Floats, Floats]:
    """Of each metric the slope of t found against t expected, and how far off t was."""
    slopes, scales = [], []
    at = np.triu_indices(by_topic.shape[1], 1)
    for metric, true in enumerate(by_topic):
        found = t_values(true)[at]
        draws = np.stack([t_values(draw)[at] for draw in ahead.draws[:, metric]])
        expected, deviation = draws.mean(axis=0), draws.std(axis=0, ddof=1)
        slope = float((found * expected).sum() / max((expected**2).sum(), 1e-12))
        off = (found - slope * expected) / np.maximum(deviation, 1e-12)
        slopes.append(slope)
        scales.append(np.sqrt(np.mean(np.minimum(off**2, 100.0))) if len(off) else 1.0)
    return np.array(slopes), np.array(scales)


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


def pair_odds(ahead: Prediction, trust: Calibration, place: int, top: int) -> tuple[Floats, Floats]:
    """The expected differences in standard deviations, for one metric: runs × runs.

    First over what is not judged, and then over the sampling of topics as well.
    """
    expected = ahead.expected[place]
    difference = expected[:, None] - expected
    holes = trust.pair_scale_to(top)[place] ** 2 * pair_variances(ahead.means[:, place])
    scores = ahead.by_topic[place]
    topics = np.zeros(holes.shape)
    for run, own in enumerate(scores):
        varying = own - scores
        count = np.maximum(np.isfinite(varying).sum(axis=1), 2)
        topics[run] = np.nanvar(varying, axis=1, ddof=1) / count
    with np.errstate(divide="ignore", invalid="ignore"):
        here, elsewhere = (
            np.where(difference == 0, 0.0, difference / np.sqrt(variance))
            for variance in (holes, holes + topics)
        )
    return here, elsewhere


def _by_run(documents: Documents, ahead: Prediction, new: Bools) -> tuple[Floats, Floats]:
    """How many of the new documents of each run were expected to be relevant, and are."""
    chance = np.zeros(len(documents.topic))
    chance[ahead.drawn] = ahead.expected_relevant
    here = new[documents.code]
    run = documents.ranking[here] // len(documents.judged.topics)
    runs, code = len(documents.judged.runs), documents.code[here]
    sums = [np.bincount(run, x[code], runs) for x in (chance, documents.grade > 0)]
    return sums[0].astype(np.float64), sums[1].astype(np.float64)
