"""Zhang, Park and Moffat (2008): implications of an RBP score at another p."""

import numpy as np
import polars as pl

from rankwise import Scores, parse, user_model
from rankwise.arrays import Floats
from rankwise.charts import decided_shares, published_curve, published_panels, weights_by_rank
from rankwise.published import Published, curve, implied, significant_ranks
from rankwise.scores import score_judged
from rankwise.studies.material import Material
from rankwise.studies.paper import Figure, Paper, Table, beside
from rankwise.studies.zhang_park_moffat_2008_trial import (
    PERSISTENCES,
    trial_metrics,
    trial_on_scores,
)

PAPER = Paper(
    "zhang-park-moffat-2008",
    "Zhang, Park and Moffat: Parameter Sensitivity in Rank-Biased Precision. ADCS 2008.",
    "What an RBP score at one p says at another, and how often two scores can be compared.",
    parameters={"p": 0.8, "precision": 0.0001},
)
TABLE_1 = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)


KNOWN = ("P@10", "RBP(p=0.5)", "RBP(p=0.95)")
WANTED = ("RBP(p=0.8)", "P@5", "DCG(rel=1)@20", "InvSq")
RUNS = 20  # of the linear programs
PRINTED = {
    "1e-2": (8, 15, 24, 51, 104, 528),
    "1e-4": (15, 28, 45, 94, 194, 986),
    "1e-8": (28, 54, 86, 182, 373, 1001),
}


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
    table = beside(pl.DataFrame({"p": TABLE_1, **counts}), PRINTED)
    return Table(table.frame, f"{table.remark} Its 1,001 is a misprint: the rule gives 1,902.")


@PAPER.part("Figure 2", section="4 Changing p")
def range_of_a_score(data: Material) -> Figure:
    """Range of RBP at every p given the score of one ranking of these runs: the best run's, on
    the topic where its score is nearest to its mean; the paper does not state the score of its
    own curve. The lines are the lexicographically greatest and least vectors of the paper; the
    area contains every ranking.
    """
    return _curve(data, _typical(data), with_residual=False)


@PAPER.part("Figure 3", section="4 Changing p")
def convergence(_data: Material) -> Figure:
    """Convergence of the range: p and score of 0.2, 0.5 and 0.8. No ranking scores 0.5 at p =
    0.2.
    """
    values = (0.2, 0.5, 0.8)
    frames = [
        curve(Published(p, score), method="paper")
        .select("p", "low", "high")
        .with_columns(from_p=pl.lit(p), score=pl.lit(score))
        for p in values
        for score in values
        if (p, score) != (0.2, 0.5)
    ]
    return Figure(pl.concat(frames), published_panels(values))


@PAPER.part("Figure 4", section="5 Integrating RBP residuals")
def range_with_a_residual(data: Material) -> Figure:
    """As Figure 2, for a ranking with unjudged documents: among all rankings with a residual,
    the one whose score and residual are nearest to their means. The residual includes the ranks
    below the end of the ranking. With a prime: the vectors in which the unjudged documents count
    as relevant.
    """
    return _curve(data, _uncertain(data), with_residual=True)


@PAPER.part("Experiment", section="7 Conclusion: how often bounds overlap")
def how_often_decided(data: Material) -> pl.DataFrame:
    """Every run's score at p against every other's at another p, for single topics and for
    means: the fraction of comparisons decided, by ranges valid for every ranking and by the
    paper's, and the number of verdicts that the true scores contradict. The paper proposes the
    experiment and prints no numbers for it.
    """
    return _trial(data)


@PAPER.part("Experiment chart", section="7 Conclusion: how often bounds overlap")
def shares_decided(data: Material) -> Figure:
    """Fraction of comparisons decided, given the score of one run at p and that of the other at
    p′.
    """
    frame = _trial(data).select("p", "at", "of", "sound", "paper")
    return Figure(frame, decided_shares(frame))


@PAPER.part("Experiment with residuals", section="7 Conclusion: how often bounds overlap")
def how_often_decided_with_residuals(data: Material) -> pl.DataFrame:
    """The same for scores printed with their residuals, including the ranks below the end of a
    ranking: a verdict must then hold under any judgment of the unjudged documents.
    """

    def trial() -> pl.DataFrame:
        metrics = [parse(name) for name in trial_metrics(PERSISTENCES)]
        scores = score_judged(data.judged, metrics, bounds=True, unjudged="open")
        return trial_on_scores(scores, PERSISTENCES, precision=_precision(data))

    return data.once("trial with residuals", trial)


@PAPER.part("Several scores", section="7 Conclusion: how often bounds overlap")
def several_scores(data: Material) -> pl.DataFrame:
    """Beyond the paper: width of the range of a run's mean that P@10, RBP at p = 0.5 and RBP at
    p = 0.95 imply for other metrics with fixed weights, each alone and together, by a linear
    program; means over the runs, the best ones if there are many. `held` counts the runs whose
    true mean lies in the range.
    """
    scores = data.scores(*KNOWN, *WANTED)
    means = scores.value.mean(axis=2)
    best = np.argsort(-means[0], kind="stable")[:RUNS]
    rows = []
    for place, target in enumerate(WANTED):
        truth = means[len(KNOWN) + place, best]
        row: dict[str, float | int | str] = {"metric": target, "runs": len(best)}
        for name, known in {**{one: [one] for one in KNOWN}, "together": list(KNOWN)}.items():
            ends = np.array([_implied(data, target, known, means[:, run]) for run in best])
            row[name] = float((ends[:, 1] - ends[:, 0]).mean())
        slack = _precision(data)
        row["held"] = int(((ends[:, 0] - slack <= truth) & (truth <= ends[:, 1] + slack)).sum())
        rows.append(row)
    return pl.DataFrame(rows)


def _implied(data: Material, target: str, known: list[str], means: Floats) -> tuple[float, float]:
    printed = {name: _rounded(data, means[KNOWN.index(name)]) for name in known}
    row = implied(target, printed, precision=_precision(data)).frame.row(0, named=True)
    return row["low"], row["high"]


def _trial(data: Material) -> pl.DataFrame:
    def trial() -> pl.DataFrame:
        scores = data.scores(*trial_metrics(PERSISTENCES))
        return trial_on_scores(scores, PERSISTENCES, precision=_precision(data))

    return data.once("trial", trial)


def _curve(data: Material, ranking: tuple[int, int], *, with_residual: bool) -> Figure:
    """Return the range of one ranking, identified by run and topic."""
    scored = _scored(data)
    low, high = _ends(data)
    score, residual = low[ranking], high[ranking] - low[ranking]
    printed = Published(
        _p(data),
        _rounded(data, score),
        _rounded(data, residual) if with_residual else None,
        precision=_precision(data),
        topics=1,
    )
    run, topic = scored.runs[ranking[0]], scored.topics[ranking[1]]
    frame = curve(printed).with_columns(run=pl.lit(run), topic=pl.lit(topic))
    return Figure(frame, published_curve(printed, of=f"{run}, topic {topic}"))


def _p(data: Material) -> float:
    return float(data.parameters["p"])


def _precision(data: Material) -> float:
    return float(data.parameters["precision"])


def _scored(data: Material) -> Scores:
    metric = parse(f"RBP(p={_p(data)!r},rel=1)")

    def scored() -> Scores:  # `open`: what lies below the end is in the residual
        return score_judged(data.judged, [metric], bounds=True, unjudged="open")

    return data.once("bounds", scored)


def _ends(data: Material) -> tuple[Floats, Floats]:
    """Lower and upper bound of the score of every ranking, runs × topics."""
    scored = _scored(data)
    assert scored.low is not None and scored.high is not None
    return scored.low[0], scored.high[0]


def _typical(data: Material) -> tuple[int, int]:
    """Return the best run's ranking whose score is nearest to its mean."""
    low, _ = _ends(data)
    best = int(low.mean(axis=1).argmax())
    return best, int(np.abs(low[best] - low[best].mean()).argmin())


def _uncertain(data: Material) -> tuple[int, int]:
    """Return the ranking with a residual that is nearest to the means, in standard deviations."""
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
