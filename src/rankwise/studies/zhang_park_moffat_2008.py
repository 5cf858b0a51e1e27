"""Zhang, Park and Moffat (2008): the implications of an RBP score at one p for another p.

The paper proposes this experiment: every run is scored at every p. Then the score of one run is
assumed known only at p, and the scores of all other runs at another value, p′. Runs are compared at
p′. The true scores are known, so wrong verdicts can be counted.
"""

from collections.abc import Iterable
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from rankwise import Scores, user_model
from rankwise.arrays import Bools, Floats
from rankwise.charts import decided_shares, published_curve, published_panels, weights_by_rank
from rankwise.errors import CallError, TooLittle
from rankwise.published import (
    Published,
    bounding_vectors,
    check_persistence,
    curve,
    implied,
    outer_range,
    significant_ranks,
)
from rankwise.studies.material import Material, once, scored
from rankwise.studies.paper import Figure, Paper, Table

PERSISTENCES = (0.5, 0.7, 0.8, 0.9, 0.95)
# Number of first ranks of which all 256 vectors are tried. More ranks decide few more comparisons.
DECIDED = 8
AT_ONCE = 2_000  # rankings whose vectors are in memory at a time


def trial_metrics(persistences: Iterable[float] = PERSISTENCES) -> list[str]:
    """Return the metrics whose scores a trial needs."""
    values = tuple(persistences)
    for value in values:
        check_persistence(value)
    if any(value < 0.5 for value in values):
        raise CallError("p must be at least 0.5: at lower p, some scores cannot be attained.")
    return [f"RBP(p={value!r},rel=1)" for value in values]


def trial_on_scores(
    scores: Scores, persistences: Iterable[float] = PERSISTENCES, *, precision: float = 1e-4
) -> pl.DataFrame:
    """Return, for each p and p′, the fraction of comparisons decided, and wrong verdicts.

    Each p and p′ has one row for single topics and one for means. `scores` are by the metrics of
    `trial_metrics`, and are rounded to the precision; unjudged documents count as not relevant.
    `sound` and `paper` are the fractions decided by the two methods of `invert`. `sound_wrong` and
    `paper_wrong` count verdicts that the true scores contradict. `by_far` counts the wrong verdicts
    of `paper` that rounding does not explain, because the true scores differ by more than the
    precision.

    If `scores` have bounds, the residuals are known too. A verdict must then hold for any grades of
    unjudged documents and any ranks below the end of a ranking. The true scores are the scores
    under the current judgments.
    """
    values = tuple(persistences)
    if len(scores.runs) < 2:
        raise TooLittle("a comparison of runs needs two runs or more; there is only one.")
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
    """True scores (runs × topics, or runs × 1), and the rounded scores and residuals."""

    truth: Floats
    score: Floats
    residual: Floats
    slack: float  # largest rounding error of score + residual

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
    """Return one row of the trial, in which one run is known at p and the other at p′ (`at`)."""
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
    """Return 1 where the run of axis 0 is better, −1 where the run of axis 1 is, 0 if undecided."""
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
    parts = [bounding_vectors(p, flat[part], rest[part], precision).range_at(at) for part in steps]
    low, high = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    return low.reshape(known.score.shape), high.reshape(known.score.shape)


PAPER = Paper(
    "zhang-park-moffat-2008",
    "Zhang, Park and Moffat: Parameter Sensitivity in Rank-Biased Precision. ADCS 2008.",
    "Range of an RBP score at another p, and how often two scores at different p can be compared.",
    parameters={"p": 0.8, "precision": 0.0001},
)
TABLE_1 = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
KNOWN = ("P@10", "RBP(p=0.5)", "RBP(p=0.95)")
WANTED = ("RBP(p=0.8)", "P@5", "DCG(rel=1)@20", "InvSq")
RUNS = 20  # largest number of runs with linear programs


@PAPER.part("Figure 1", section="1 Introduction")
def weights(_data: Material) -> Figure:
    """Weight of each rank in RBP at three values of p."""
    found = user_model([f"RBP(p={p})" for p in (0.5, 0.8, 0.95)], depth=20)
    frame = found.by_rank().select("metric", "rank", "weight")
    return Figure(frame, weights_by_rank(frame))


@PAPER.part("Table 1", section="3 Recovering relevance vectors")
def significant(_data: Material) -> Table:
    """Number of significant ranks at a precision: the smallest i with p^i below half of it."""
    digits = (2, 4, 8)
    counts = {f"1e-{d}": [significant_ranks(p, 10.0**-d) for p in TABLE_1] for d in digits}
    frame = pl.DataFrame({"p": TABLE_1, **counts})
    return Table(frame, "The paper's 1,001 is a misprint: the rule gives 1,902.")


@PAPER.part("Figure 2", section="4 Changing p")
def range_of_a_score(data: Material) -> Figure:
    """Range of RBP at every p, given the score of one ranking: the best run on the topic where its
    score is nearest to its mean. The paper does not state the score of the curve that it prints.
    The lines are the lexicographically largest and smallest vectors of the paper; the area contains
    every ranking.
    """
    return _curve(data, _typical(data), with_residual=False)


@PAPER.part("Figure 3", section="4 Changing p")
def convergence(_data: Material) -> Figure:
    """Range of RBP at every p, given a score of 0.2, 0.5 or 0.8 at p = 0.2, 0.5 or 0.8. No ranking
    has the score 0.5 at p = 0.2.
    """
    values = (0.2, 0.5, 0.8)
    frames = []
    for p, score in product(values, repeat=2):
        if (p, score) != (0.2, 0.5):
            frame = curve(Published(p, score), method="paper").select("p", "low", "high")
            frames.append(frame.with_columns(from_p=pl.lit(p), score=pl.lit(score)))
    return Figure(pl.concat(frames), published_panels(values))


@PAPER.part("Figure 4", section="5 Integrating RBP residuals")
def range_with_a_residual(data: Material) -> Figure:
    """The same as Figure 2, for a ranking with unjudged documents: among all rankings with a
    residual, the ranking whose score and residual are nearest to their means. The residual includes
    the ranks below the end of the ranking. In vectors with a prime, the unjudged documents count as
    relevant.
    """
    return _curve(data, _uncertain(data), with_residual=True)


@PAPER.part("Experiment", section="7 Conclusion: how often bounds overlap")
def how_often_decided(data: Material) -> pl.DataFrame:
    """The score of every run at p is compared with the score of every other run at another p, for
    single topics and for means. The table has the fraction of comparisons decided, by ranges valid
    for every ranking and by the paper's ranges, and the number of verdicts that the true scores
    contradict. The paper proposes the experiment and prints no numbers for it.
    """
    return _trial(data, residuals=False)


@PAPER.part("Experiment chart", section="7 Conclusion: how often bounds overlap")
def shares_decided(data: Material) -> Figure:
    """Fraction of comparisons decided, given the score of one run at p and of the other at p′."""
    frame = _trial(data, residuals=False).select("p", "at", "of", "sound", "paper")
    return Figure(frame, decided_shares(frame))


@PAPER.part("Experiment with residuals", section="7 Conclusion: how often bounds overlap")
def how_often_decided_with_residuals(data: Material) -> pl.DataFrame:
    """The same as Experiment, for scores that are printed with residuals. A residual includes the
    ranks below the end of a ranking. A verdict must then hold under any judgment of the unjudged
    documents.
    """
    return _trial(data, residuals=True)


@PAPER.part("Several scores", section="7 Conclusion: how often bounds overlap")
def several_scores(data: Material) -> pl.DataFrame:
    """Not in the paper: the known means of a run by P@10, RBP at p = 0.5 and RBP at p = 0.95 imply
    a range of its mean by another metric with fixed weights (linear programming). The table has the
    width of the range that each known mean implies alone, and that all three imply together. Widths
    are averaged over the runs, or over the best 20 by P@10 if there are more. `held` counts the
    runs whose true mean lies in the range of all three scores together.
    """
    scores = data.scores(*KNOWN, *WANTED)
    means = scores.value.mean(axis=2)
    best = np.argsort(-means[0], kind="stable")[:RUNS]
    rows, slack = [], _precision(data)
    for place, target in enumerate(WANTED):
        truth = means[len(KNOWN) + place, best]
        row: dict[str, float | int | str] = {"metric": target, "runs": len(best)}
        for name, known in {**{one: [one] for one in KNOWN}, "together": list(KNOWN)}.items():
            ends = np.empty((len(best), 2))
            for place_of_run, run in enumerate(best):
                printed = {one: _rounded(data, means[KNOWN.index(one), run]) for one in known}
                frame = implied(target, printed, precision=slack).frame
                ends[place_of_run] = frame.select("low", "high").row(0)
            row[name] = float((ends[:, 1] - ends[:, 0]).mean())
        row["held"] = int(((ends[:, 0] - slack <= truth) & (truth <= ends[:, 1] + slack)).sum())
        rows.append(row)
    return pl.DataFrame(rows)


@once
def _trial(data: Material, *, residuals: bool) -> pl.DataFrame:
    scores = scored(data.judged, trial_metrics(PERSISTENCES), bounds=residuals)
    return trial_on_scores(scores, PERSISTENCES, precision=_precision(data))


def _curve(data: Material, ranking: tuple[int, int], *, with_residual: bool) -> Figure:
    """Draw the range of RBP at every p, given the score of one ranking (run and topic)."""
    low, high = _ends(data)
    score, residual = low[ranking], high[ranking] - low[ranking]
    p, shown = float(data.parameters["p"]), _rounded(data, residual) if with_residual else None
    precision = _precision(data)
    printed = Published(p, _rounded(data, score), shown, precision=precision, topics=1)
    run, topic = data.judged.runs[ranking[0]], data.judged.topics[ranking[1]]
    frame = curve(printed).with_columns(run=pl.lit(run), topic=pl.lit(topic))
    return Figure(frame, published_curve(printed, of=f"{run}, topic {topic}"))


def _precision(data: Material) -> float:
    return float(data.parameters["precision"])


@once
def _ends(data: Material) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of the scores, each of shape (runs, topics)."""
    p = float(data.parameters["p"])
    scores = scored(data.judged, f"RBP(p={p!r},rel=1)", bounds=True)
    assert scores.low is not None and scores.high is not None
    return scores.low[0], scores.high[0]


def _typical(data: Material) -> tuple[int, int]:
    """Return the best run, and the topic on which its score is nearest to its mean."""
    low, _ = _ends(data)
    best = int(low.mean(axis=1).argmax())
    return best, int(np.abs(low[best] - low[best].mean()).argmin())


def _uncertain(data: Material) -> tuple[int, int]:
    """Return the ranking whose score and residual are nearest to their means.

    Only rankings with a residual are considered. Distances are in standard deviations.
    """
    low, high = _ends(data)
    runs, topics = np.nonzero(high - low > _precision(data))
    if not len(runs):
        return _typical(data)
    both = np.array([low[runs, topics], (high - low)[runs, topics]])
    away = both - both.mean(axis=1, keepdims=True)
    spread = np.maximum(both.std(axis=1, keepdims=True), _precision(data))
    nearest = int(np.square(away / spread).sum(axis=0).argmin())
    return int(runs[nearest]), int(topics[nearest])


def _rounded(data: Material, value: float) -> float:
    return round(float(value) / _precision(data)) * _precision(data)
