"""How far predictions may be trusted: the pool there is, predicted from smaller ones."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.metrics import Metric, parse
from rankwise.probable.checks import Check, Checker, contributed, depths_checked
from rankwise.probable.documents import Documents
from rankwise.probable.prediction import Prediction
from rankwise.probable.significance import t_values

NOMINAL = 0.95
NORMAL = 1.96  # standard deviations to either side that hold so much of a normal distribution
REFERENCE = "AP"
LEAST_DRAWS = 20
CLOSE = 3.0  # standard deviations: pairs that are farther apart tell nothing of those in doubt
FEWEST_CLOSE = 10
GROWTH = 0.25  # of errors of differences with the distance: docs/decisions.md says what else was
FARTHEST_OFF = 10.0  # standard deviations that an error of a difference counts at most


@dataclass(frozen=True, eq=False)
class Calibration:
    """What was found, against what was predicted, where both are known.

    `widening` says by how many standard deviations, for each metric, a range must reach to
    either side to hold what was found for 95 % of the runs; `widening_absent` the same of runs
    that have not `contributed` to the pool. `floor` is the error of runs all of whose documents
    down to the depth of the pool were known, when those of other runs were not, for as many as
    are not: it comes with the relevant documents that only others have, and draws that agree do
    not show it. Standard deviations of a difference of two runs are too small by `pair_scale`.
    Student's t of two runs was `t_slope` times as large as expected, and its standard deviation
    `t_scale` times. Of each run, `predicted` and `found` count relevant documents of the deeper
    part of the pool. `judged_share` is how much of the documents down to its `depth` is judged:
    less than all where runs have not contributed. `by_runs` says whether halves of the runs
    could be checked.
    """

    depth: int
    judged_share: float
    contributed: Bools
    by_runs: bool
    widening: Floats
    widening_absent: Floats
    floor: Floats
    pair_scale: Floats
    t_slope: Floats
    t_scale: Floats
    predicted: Floats
    found: Floats

    def reach_to(self, top: int, deviation: Floats) -> Floats:
        """How far ranges reach to either side down a pool of depth `top`: metrics × runs.

        From this depth it can be farther to there than it was from the shallowest to this.
        """
        widening = np.where(self.contributed, self.widening[:, None], self.widening_absent[:, None])
        spread = np.hypot(widening * deviation, NORMAL * self.floor[:, None])
        return np.asarray(spread * self._farther(top))

    def pair_scale_to(self, top: int, metrics: tuple[Metric, ...]) -> Floats:
        """By how much standard deviations of differences are too small down to `top`.

        By a metric with a cutoff the way ends there. To have half of the runs counts as to have
        half of the depth.
        """
        half, quarter = depths_checked(self.depth)
        checked = 2 * self.depth / half if self.by_runs else self.depth / quarter
        lasts = np.array([min(top, metric.cutoff or top) for metric in metrics])
        far = np.log(np.maximum(lasts / self.depth, 1.0)) / np.log(checked)
        return np.asarray(self.pair_scale * np.maximum(far, 1.0) ** GROWTH)

    def t_to(self, top: int) -> tuple[Floats, Floats]:
        """The slope of t and its scale, of each metric, down to `top`: both go on as they did."""
        far = self._farther(top)
        return self.t_slope**far, self.t_scale * np.sqrt(far)

    def _farther(self, top: int) -> float:
        """How many times as far it is, on a logarithmic scale, as where it was checked."""
        checked = self.depth / depths_checked(self.depth)[-1]
        return max(1.0, float(np.log(top / self.depth) / np.log(checked)))


def calibrate(
    documents: Documents,
    metrics: tuple[Metric, ...],
    depth: int,
    *,
    draws: int,
    rng: np.random.Generator,
) -> Calibration:
    """Predict the pool of this depth from its upper half and quarter, and from half of the runs.

    Runs share their errors, so that the check of one metric is a small sample: ranges are as
    wide as AP needs them too, which depends on every relevant document. A check takes half as
    many draws.
    """
    metrics = (*metrics, parse(REFERENCE))
    there, draws = contributed(documents, depth), max(LEAST_DRAWS, draws // 2)
    checker = Checker(documents, metrics, depth, draws, rng, there)
    widening, pairs = np.full(len(metrics), NORMAL), []
    for place, check in enumerate(checker.by_depth()):
        widening = np.maximum(widening, _over_runs(_holding, check.off))
        pairs.append(_differences(check))
        if place == 0:
            counts = _by_run(documents, check)
            slope, spread = _t_checked(check)
    share = float(documents.is_judged[documents.best <= depth].mean())
    absent, floor = widening, np.zeros(len(metrics))
    if checker.can_halve:
        squares, off, pairs = [], [], []
        for whole, upper in checker.by_runs():
            missing = min(1.0, (1 - share) / max(whole.share_new, 1e-12))
            squares.append(missing * whole.error[:, whole.inside] ** 2)
            off.append(whole.off[:, whole.hidden])
            pairs.append(_differences(upper))
        floor = np.sqrt(_over_runs(np.mean, np.concatenate(squares, axis=1)))
        absent = np.maximum(widening, _over_runs(_holding, np.concatenate(off, axis=1)))
    widening, absent = np.maximum(widening, widening[-1]), np.maximum(absent, absent[-1])
    ranges = (widening[:-1], absent[:-1], floor[:-1])
    others = (_pair_scales(pairs)[:-1], slope[:-1], spread[:-1])
    return Calibration(depth, share, there, checker.can_halve, *ranges, *others, *counts)


def _over_runs(reduced: Callable[[Floats], float], values: Floats) -> Floats:
    """For each metric, of the runs that have a score; 0 where none has."""
    rows = [row[np.isfinite(row)] for row in values]
    return np.array([reduced(row) if len(row) else 0.0 for row in rows])


def _holding(off: Floats) -> float:
    """What 95 % do not exceed."""
    return float(np.quantile(off, NOMINAL))


def _t_checked(check: Check) -> tuple[Floats, Floats]:
    """Of each metric the slope of t found against t expected, and how far off t was."""
    slopes, scales = [], []
    at = np.triu_indices(check.by_topic.shape[1], 1)
    for metric, true in enumerate(check.by_topic):
        found = t_values(true)[at]
        draws = np.stack([t_values(draw)[at] for draw in check.ahead.draws[:, metric]])
        expected, deviation = draws.mean(axis=0), draws.std(axis=0, ddof=1)
        slope = float((found * expected).sum() / max((expected**2).sum(), 1e-12))
        off = (found - slope * expected) / np.maximum(deviation, 1e-12)
        slopes.append(slope)
        scales.append(np.sqrt(np.mean(np.minimum(off**2, FARTHEST_OFF**2))) if len(off) else 1.0)
    return np.array(slopes), np.array(scales)


def _differences(check: Check) -> Floats:
    """Of the difference of each two runs its error and its expected size, metrics × 2 × pairs.

    In standard deviations, without a sign; NaN where draws do not vary.
    """
    at = np.triu_indices(check.found.shape[1], 1)
    expected, error = check.ahead.expected, check.error
    parts = []
    for metric, draws in enumerate(np.moveaxis(check.ahead.means, 1, 0)):
        variance = pair_variances(draws)[at]
        deviation = np.sqrt(np.where(variance > 1e-24, variance, np.nan))
        values = (error[metric], expected[metric])
        parts.append([np.abs(np.subtract.outer(one, one)[at]) / deviation for one in values])
    return np.array(parts)


def _pair_scales(checks: list[Floats]) -> Floats:
    """The root mean square of standardised errors of differences that are in doubt.

    By these errors themselves: pairs that lie farther apart than CLOSE times as much are left
    out, until none more are.
    """
    found = []
    for off, apart in np.concatenate(checks, axis=2):
        known = np.isfinite(off)
        square, size = np.minimum(off[known], FARTHEST_OFF) ** 2, apart[known]
        scale, count = (float(np.sqrt(square.mean())) if len(square) else 1.0), len(square) + 1
        while FEWEST_CLOSE <= (close := size <= CLOSE * scale).sum() < count:
            scale, count = float(np.sqrt(square[close].mean())), int(close.sum())
        found.append(max(scale, 1.0))
    return np.array(found)


def pair_variances(draws: Floats) -> Floats:
    """The variance of the difference of each two columns: runs × runs."""
    covariance = np.atleast_2d(np.cov(draws, rowvar=False))
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own - 2 * covariance, 0.0)


def pair_odds(ahead: Prediction, pair_scale: float, place: int) -> tuple[Floats, Floats]:
    """The expected differences in standard deviations, for one metric: runs × runs.

    First over what is not judged, and then over the sampling of topics as well.
    """
    expected = ahead.expected[place]
    difference = expected[:, None] - expected
    holes = pair_scale**2 * pair_variances(ahead.means[:, place])
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


def _by_run(documents: Documents, check: Check) -> tuple[Floats, Floats]:
    """How many of the new documents of each run were expected to be relevant, and are."""
    chance = np.zeros(len(documents.topic))
    chance[check.ahead.drawn] = check.ahead.expected_relevant
    here = check.new[documents.code]
    run = documents.ranking[here] // len(documents.judged.topics)
    runs, code = len(documents.judged.runs), documents.code[here]
    sums = [np.bincount(run, x[code], runs) for x in (chance, documents.grade > 0)]
    return sums[0].astype(np.float64), sums[1].astype(np.float64)
