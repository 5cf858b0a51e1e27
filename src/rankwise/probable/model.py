"""Model of relevance, fitted to the existing judgments, from which missing judgments are drawn."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.metrics import Metric
from rankwise.probable.documents import Documents
from rankwise.progress import track
from rankwise.stats import GradeSteps, RidgeLogistic

OWN = 2  # number of columns with topic effects: the intercept, and the slope of the fused score
PAIR_DEVIATIONS = 2.0  # factor that widens the deviation of a difference: docs/probable.md
LOWEST = 0.05  # quantile of the fused scores of known documents at which their range begins
SAMPLES = 3  # number of draws whose grades are stored


@dataclass(frozen=True, eq=False)
class Model:
    """Logistic regressions of relevance, and of each higher grade given the grade below."""

    columns: Floats  # predictors of every document
    topic: Ints  # topic of every document
    relevance: RidgeLogistic
    grades: GradeSteps  # of relevant documents

    @classmethod
    def fit(cls, documents: Documents, known: Bools) -> "Model":
        """Fit the model to the documents in the mask `known` that are part of the rank fusion."""
        columns, topic, topics = documents.columns(known), documents.topic, len(documents.topics)
        learned = np.flatnonzero(known & documents.in_fusion)
        grade = documents.grade[learned]
        relevance = RidgeLogistic.fit(columns[learned], grade > 0, topic[learned], topics, OWN)
        levels = np.unique(grade[grade > 0]) if (grade > 0).any() else np.ones(1, np.int64)
        steps = GradeSteps.fit(levels, grade, columns[learned], topic[learned], topics)
        return cls(columns, topic, relevance, steps)

    def draw(self, codes: Ints, rng: np.random.Generator) -> tuple[Ints, Floats]:
        """Draw random grades of the documents `codes`; also return their relevance probabilities.

        The draw also includes the coefficients of the regressions, from their posterior.
        """
        columns, topic = self.columns[codes], self.topic[codes]
        chance = self.relevance.draw(columns, topic, rng)
        start = np.where(rng.random(len(codes)) < chance, 0, -1)
        place = self.grades.draw(start, columns, topic, rng)
        return np.where(place < 0, 0, self.grades.levels[place]), chance


@dataclass(frozen=True, eq=False)
class Draws:
    """Scores of runs under random draws of the missing judgments.

    `means` has the mean scores over topics, of shape (draws, metrics, runs). `codes` are the
    documents whose grades were drawn. `chance` has their probabilities of relevance, averaged over
    draws, and `samples` their grades in the first draws. `in_range` is the share of these documents
    with a fused score of at least the 5 % quantile of the documents with known judgments.
    """

    means: Floats
    codes: Ints
    chance: Floats
    samples: Ints
    in_range: float = 1.0

    @property
    def expected(self) -> Floats:
        return np.asarray(self.means.mean(axis=0))

    @property
    def deviation(self) -> Floats:
        return np.asarray(self.means.std(axis=0))

    def odds(self, place: int, sign: int) -> Floats:
        """Return standardised expected differences between runs by one metric, runs × runs.

        An entry is the expected difference row − column, divided by twice its standard deviation
        over draws (docs/probable.md). Φ (the normal distribution function) of an entry is the
        probability that the run of the row is better. `place` is the index of the metric. `sign` is
        1, or −1 if lower is better.
        """
        covariance = np.atleast_2d(np.cov(self.means[:, place], rowvar=False, ddof=0))
        own = np.diag(covariance)
        deviation = np.sqrt(np.maximum(own[:, None] + own - 2 * covariance, 0.0))
        expected = sign * self.expected[place]
        difference = expected[:, None] - expected
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = difference / (PAIR_DEVIATIONS * deviation)
        return np.where(difference == 0, 0.0, ratio)


def draw_scores(
    documents: Documents,
    metrics: tuple[Metric, ...],
    known: Bools,
    new: Bools,
    *,
    draws: int,
    rng: np.random.Generator,
) -> Draws:
    """Score all runs under random draws of the grades of the documents in the mask `new`.

    Each draw has its own model coefficients, drawn from their posterior distribution given the
    judgments of the documents in the mask `known`.
    """
    model, codes = Model.fit(documents, known), np.flatnonzero(new)
    scorer = documents.scorer(metrics, known | new, new)
    means = np.zeros((draws, len(metrics), len(documents.runs)))
    chance, samples = np.zeros(len(codes)), np.zeros((SAMPLES, len(codes)), np.int64)
    for place in track(range(draws), "draws"):
        grade = documents.grade.copy()
        grade[codes], probability = model.draw(codes, rng)
        means[place] = mean_over_topics(scorer(grade))
        chance += probability / draws
        if place < SAMPLES:
            samples[place] = grade[codes]
    in_range = share_in_range(documents, model.columns[:, 1], known, codes)
    return Draws(means, codes, chance, samples, in_range)


def share_in_range(documents: Documents, fused: Floats, known: Bools, codes: Ints) -> float:
    """Return the share of documents whose fused score reaches the 5 % quantile of known documents.

    `codes` are the documents, `fused` has the fused score of every document, and `known` is a mask
    of the known documents. The quantile is computed for each topic. Known documents are at the top
    of at least one run. If runs differ, many known documents are deep in other runs and have low
    fused scores. If runs are similar, few known documents have low fused scores, and the model must
    extrapolate. The share is 1 if `codes` is empty.
    """
    learned = np.flatnonzero(known & documents.in_fusion)
    topics = len(documents.topics)
    order = learned[np.lexsort((fused[learned], documents.topic[learned]))]
    count = np.bincount(documents.topic[order], minlength=topics)
    start = np.cumsum(count) - count
    lowest = np.full(topics, np.inf)
    some = count > 0
    lowest[some] = fused[order[start[some] + (LOWEST * (count[some] - 1)).astype(np.int64)]]
    inside = fused[codes] >= lowest[documents.topic[codes]]
    return float(inside.mean()) if len(codes) else 1.0


def mean_over_topics(scores: Floats) -> Floats:
    """Return the mean over topics (last axis) that have a score; NaN if no topic has a score."""
    defined = np.isfinite(scores)
    count = defined.sum(axis=-1)
    total = np.where(defined, scores, 0.0).sum(axis=-1)
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
