"""Frequency with which two published scores can be compared: the paper's open question.

Every run is scored at every p. Then only one run's score at p is assumed known, and compared at
p′ with the known score of every other run. The true scores are known, so wrong verdicts can be
counted.
"""

from collections.abc import Iterable
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from rankwise import Scores
from rankwise.arrays import Bools, Floats
from rankwise.errors import CallError, TooLittle
from rankwise.published import bounding_vectors, check_persistence, outer_range

PERSISTENCES = (0.5, 0.7, 0.8, 0.9, 0.95)
DECIDED = 8  # 256 beginnings of each ranking: more take longer and decide hardly more
AT_ONCE = 2_000  # rankings whose vectors are in memory at a time


def trial_metrics(persistences: Iterable[float] = PERSISTENCES) -> list[str]:
    """Return the metrics whose scores a trial needs."""
    values = tuple(persistences)
    for value in values:
        check_persistence(value)
    if any(value < 0.5 for value in values):
        raise CallError("a trial takes p from 0.5 on: below it, rounded means fall into gaps.")
    return [f"RBP(p={value!r},rel=1)" for value in values]


def trial_on_scores(
    scores: Scores, persistences: Iterable[float] = PERSISTENCES, *, precision: float = 1e-4
) -> pl.DataFrame:
    """Return, for each p and p′, the fraction of comparisons decided, and wrong verdicts.

    One row for single topics and one for means over topics, from the scores of `trial_metrics`,
    rounded to the precision; unjudged documents count as not relevant. `sound` and `paper` are
    the fractions decided, `sound_wrong` and `paper_wrong` the numbers of these verdicts that the
    true scores contradict, and `by_far` those of the paper's for which the true scores differ by
    more than the precision, which rounding does not explain. With bounds the residuals are known
    too, and a verdict must hold for any unjudged documents and any ranks below the end of a
    ranking; the true scores are then those of the current judgments.
    """
    values = tuple(persistences)
    if len(scores.runs) < 2:
        raise TooLittle("a trial compares runs and needs at least two.")
    high = scores.value if scores.high is None else scores.high
    known, means = {}, {}
    for p, value, most in zip(values, scores.value, high, strict=True):
        known[p] = Known.of(value, most, precision)
        mean, most_mean = (end.mean(axis=1, keepdims=True) for end in (value, most))
        means[p] = Known.of(mean, most_mean, precision)
    rows = []
    for p, at in permutations(values, 2):
        rows.append(_row("topics", p, at, known, precision, DECIDED))
        rows.append(_row("means", p, at, means, precision, 0))
    return pl.DataFrame(rows)


class Known(NamedTuple):
    """True scores (runs × topics, or × 1), and the printed score and residual, rounded."""

    truth: Floats
    score: Floats
    residual: Floats
    slack: float  # how far score + residual may be from the truth

    @classmethod
    def of(cls, value: Floats, high: Floats, precision: float) -> "Known":
        score, residual = (np.round(part / precision) * precision for part in (value, high - value))
        both = not np.array_equal(value, high)
        return cls(value, score, residual, precision if both else precision / 2)

    @property
    def most(self) -> Floats:
        return self.score + self.residual


def _row(
    of: str, p: float, at: float, known: dict[float, Known], precision: float, decided: int
) -> dict[str, Any]:
    """Return one row: B is known at p, A at p′."""
    one, rival, half = known[p], known[at], precision / 2
    sound = outer_range(p, at, one.score - half, one.most + one.slack, decided)
    verdicts = _verdicts(sound, rival.score - half, rival.most + rival.slack)
    paper = _verdicts(_by_the_paper(p, at, one, precision), rival.score, rival.most)
    ahead = rival.truth[:, None] - rival.truth[None]
    comparisons = rival.score.size * (len(rival.score) - 1)
    wrong = _wrong(paper, ahead)
    return {
        "p": p,
        "at": at,
        "of": of,
        "comparisons": comparisons,
        "sound": float((verdicts != 0).sum() / comparisons),
        "paper": float((paper != 0).sum() / comparisons),
        "sound_wrong": int(_wrong(verdicts, ahead).sum()),
        "paper_wrong": int(wrong.sum()),
        "by_far": int((wrong & (np.abs(ahead) > precision)).sum()),
    }


def _verdicts(known: tuple[Floats, Floats], low: Floats, high: Floats) -> npt.NDArray[np.int8]:
    """1 if the run of the first axis is better, −1 if that of the second, 0 undecided."""
    better = known[0][:, None] > high[None]
    worse = known[1][:, None] < low[None]
    found = better.astype(np.int8) - worse.astype(np.int8)
    found[np.arange(len(low)), np.arange(len(low))] = 0  # a run with itself
    return found


def _wrong(verdicts: npt.NDArray[np.int8], ahead: Floats) -> Bools:
    return (verdicts != 0) & (verdicts != np.sign(ahead))


def _by_the_paper(p: float, at: float, known: Known, precision: float) -> tuple[Floats, Floats]:
    flat, rest = np.clip(known.score.ravel(), 0.0, 1.0), known.residual.ravel()
    steps = [slice(start, start + AT_ONCE) for start in range(0, len(flat), AT_ONCE)]
    parts = [
        bounding_vectors(p, flat[part], rest[part], precision=precision).range_at(at)
        for part in steps
    ]
    ends = (np.concatenate(found) for found in zip(*parts, strict=True))
    low, high = (end.reshape(known.score.shape) for end in ends)
    return low, high
