"""Closeness of reproduced scores to the original ones, with the measures of repro_eval.

Breuer et al., "How to Measure the Reproducibility of System-oriented IR Experiments", SIGIR 2020.
Rows are runs or pairs of runs, and columns are topics; NaN is a topic without a score.
"""

import numpy as np

from rankwise.arrays import CANCELLATION, Floats
from rankwise.stats.intervals import moments


def _mean(values: Floats) -> Floats:
    return moments(values).mean


def rmse(original: Floats, reproduced: Floats) -> Floats:
    """Return the root mean square error of the reproduced topic scores against the original.

    >>> rmse(np.array([[0.5, 0.2]]), np.array([[0.4, 0.2]])).round(4)
    array([0.0707])
    """
    return np.sqrt(_mean((original - reproduced) ** 2))


def normalised_rmse(original: Floats, reproduced: Floats) -> Floats:
    """Return the RMSE divided by the largest RMSE possible for scores from 0 to 1.

    The largest RMSE is that of reproduced scores of 0 or 1, whichever is farther from the original
    score of the topic.
    """
    known = np.where(np.isnan(reproduced), np.nan, original)
    with np.errstate(divide="ignore", invalid="ignore"):
        return rmse(original, reproduced) / np.sqrt(_mean(np.maximum(known, 1 - known) ** 2))


def unpaired_t(first: Floats, second: Floats) -> Floats:
    """Return the two-sided p-values of Student's t-test of two samples with equal variance.

    Use this test if the reproduction has other topics than the original. p is 1 if all scores are
    the same. p is NaN if the scores of each sample are constant but the means differ, if a sample
    is empty, and with fewer than three scores in total.

    >>> unpaired_t(np.array([[0.1, 0.2, 0.6]]), np.array([[0.3, 0.4, 0.9]])).round(4)
    array([0.3867])
    """
    from scipy.special import stdtr

    a, b = moments(first), moments(second)
    freedom = a.topics + b.topics - 2.0
    squares = sum(np.nan_to_num(m.sd) ** 2 * np.maximum(m.topics - 1, 0) for m in (a, b))
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(squares / freedom * (1 / a.topics + 1 / b.topics))
        t = np.abs(a.mean - b.mean) / error
    same = np.abs(a.mean - b.mean) <= CANCELLATION * np.abs(a.mean)
    p = 2 * stdtr(np.maximum(freedom, 1), -t)
    p = np.where(error > 0, p, np.where(same, 1.0, np.nan))
    return np.where(freedom > 0, p, np.nan)


def effect_ratio(
    baseline: Floats, advanced: Floats, new_baseline: Floats, new_advanced: Floats
) -> Floats:
    """Return the effect ratio (ER): reproduced / original mean improvement over the baseline.

    1 is a perfect reproduction of the effect; 0 or less means that it was not reproduced. The ratio
    is NaN if the original improvement is 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = _mean(new_advanced - new_baseline) / _mean(advanced - baseline)
    return np.where(np.isfinite(ratio), ratio, np.nan)


def delta_relative_improvement(
    baseline: Floats, advanced: Floats, new_baseline: Floats, new_advanced: Floats
) -> Floats:
    """Return ΔRI: the original minus the reproduced relative improvement over the baseline.

    0 is a perfect reproduction. Above 0, the original improvement is larger. ΔRI is NaN if the mean
    of a baseline is 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        original = _mean(advanced) / _mean(baseline) - 1
        reproduced = _mean(new_advanced) / _mean(new_baseline) - 1
    change = original - reproduced
    return np.where(np.isfinite(change), change, np.nan)
