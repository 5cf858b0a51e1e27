"""What is probable: scores as they would be if more documents were judged.

documents.py    the documents that may be judged next, and scores as if they were
prediction.py   judgments drawn from a model of those there are
unseen.py       how many relevant documents no run has
effects.py      what one more relevant document does to each score
checks.py       the pool there is, predicted from smaller ones: by depth, and by runs
calibration.py  how far predictions may be trusted, by these checks
significance.py whether a significant difference would stay so
result.py       Probable: expected scores, ranges, and how likely one run is better
"""

from typing import TYPE_CHECKING

import numpy as np

from rankwise.errors import CallError
from rankwise.metrics import Metric, parse_all
from rankwise.probable.calibration import calibrate
from rankwise.probable.checks import pool_depth
from rankwise.probable.documents import Documents
from rankwise.probable.prediction import predict
from rankwise.probable.result import Probable
from rankwise.rankings.join import read_judged
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.engine import score_judged
from rankwise.scores.scoring import DEFAULT_METRICS, MetricsLike
from rankwise.vocabulary import Order

if TYPE_CHECKING:
    from rankwise.rankings.accepted import Gains, QrelsLike, RunsLike

__all__ = ["Probable", "check_estimable", "estimate", "estimate_judged", "is_estimable"]

DRAWS = 100


def estimate(
    qrels: "QrelsLike",
    runs: "RunsLike",
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    top: int = 100,
    draws: int = DRAWS,
    seed: int = 0,
    unseen: bool = False,
    order: Order = "score",
    depth: int | None = None,
    gains: "Gains | None" = None,
    lenient: bool = False,
) -> Probable:
    """What scores would probably be if a pool of depth `top` of these runs were judged.

    How likely an unjudged document is to be relevant is learned from the judgments at hand: by
    its best rank in any run, by how many runs have it, by how good these are, and by topic.
    Ranges are of 95 %, as wide as it takes to predict the pool there is from its upper half,
    from its upper quarter and from half of the runs, and never wider than what is possible
    under `top=K`.

    Parameters
    ----------
    qrels, runs, metrics, order, depth, gains, lenient
        As for `score`. The judgments must be a pool of these runs, or nearly.
    top
        How deep the pool would be. Below it nothing is taken to be relevant that is not judged.
    draws
        How many times judgments are drawn.
    seed
        The random seed.
    unseen
        Also count relevant documents that no run has in its first `top`, estimated from those
        that one run alone has. It is not reliable: docs/probable.md shows by how much.
    """
    wanted = tuple(parse_all(metrics))
    check_estimable(wanted, draws)
    judged = read_judged(
        qrels, runs, order=order, depth=depth, gains=gains, lenient=lenient, retrieved=True
    )
    return estimate_judged(judged, wanted, top=top, draws=draws, seed=seed, unseen=unseen)


def is_estimable(metric: Metric) -> bool:
    """Whether draws of judgments tell anything of it."""
    return not (metric.shares_ties or metric.is_diagnostic or metric.tells_unusable)


def check_estimable(metrics: tuple[Metric, ...], draws: int = DRAWS) -> None:
    """Refuse what no draws of judgments tell anything of, before any work is done."""
    for metric in metrics:
        if not is_estimable(metric):
            raise CallError(f"{metric}: what is probable is not known of this metric.")
    if draws < 20:
        raise CallError(f"draws {draws} is not 20 or more: a range of 95 % needs some.")


def estimate_judged(
    judged: JudgedRankings,
    metrics: tuple[Metric, ...],
    *,
    top: int = 100,
    draws: int = DRAWS,
    seed: int = 0,
    unseen: bool = False,
) -> Probable:
    """The same for rankings that are already judged, with the documents retrieved."""
    judged = judged.cut_to_depth()
    documents = Documents.of(judged, top)
    pool = pool_depth(documents, top)
    rng = np.random.default_rng(seed)
    trust = calibrate(documents, metrics, pool, draws=draws, rng=rng)
    new = ~documents.is_judged & (documents.best <= top)
    known = documents.is_judged
    ahead = predict(documents, metrics, known, new, draws=draws, rng=rng, unseen=unseen)
    assumed = f"top={top},extra={ahead.most_unseen}"
    bounds = score_judged(judged, metrics, bounds=True, unjudged=assumed)
    return Probable(bounds, documents, ahead, trust, seed)
