"""Judgments that are not there yet, drawn from a model of those that are."""

from dataclasses import dataclass

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.metrics import Metric
from rankwise.probable.documents import NEVER, OWN, Documents, Unseen
from rankwise.probable.unseen import unseen_relevant
from rankwise.stats.mixed_logistic import MixedLogistic

SAMPLES = 3  # draws of which the grades are kept
AS_NOW = 0.01  # how likely it is, beside all draws, that nothing more turns out relevant
BORROWED = 5.0  # relevant documents by whose grades those of a topic are smoothed


@dataclass(frozen=True, eq=False)
class Prediction:
    """Scores under draws of judgments: draws × metrics × runs, and means by topic.

    `now` are the means of what is known. `expected_relevant` is the probability of each document
    drawn, in the order of `drawn`, and `samples` are their grades in some of the draws.
    """

    means: Floats
    now: Floats  # metrics × runs
    by_topic: Floats  # metrics × runs × topics, over all draws
    draws: Floats  # draws × metrics × runs × topics
    drawn: Ints
    expected_relevant: Floats
    samples: Ints
    unseen: float = 0.0  # relevant documents per topic that no run has, expected
    most_unseen: int = 0  # of a topic, in any draw

    @property
    def expected(self) -> Floats:
        return np.asarray(self.means.mean(axis=0))

    @property
    def deviation(self) -> Floats:
        """Of the draws, and of a small chance that scores stay as they are.

        All draws may agree on what is not so: that a topic has ten relevant documents, say.
        """
        variance = self.means.var(axis=0, ddof=1) + AS_NOW * (self.now - self.expected) ** 2
        return np.asarray(np.sqrt(variance))


def predict(
    documents: Documents,
    metrics: tuple[Metric, ...],
    known: Bools,
    new: Bools,
    *,
    draws: int,
    rng: np.random.Generator,
    unseen: bool = False,
) -> Prediction:
    """Scores if the documents `new` were judged too, from a model of what is `known`.

    Each draw has its own effects of topics (how many relevant documents, how fast they thin
    out with depth and with the number of runs that have them), of what topics share, and then
    of every document. With `unseen` there are relevant documents that no run has, as many as a
    Poisson distribution has them around the estimate of that draw.
    """
    columns, model = fitted(documents, known)
    drawn = np.flatnonzero(new)
    grades = _Grades.of(documents, known)
    shape = (len(metrics), len(documents.judged.runs), len(documents.judged.topics))
    means, total, chance = [], np.zeros(shape), np.zeros(len(drawn))
    missing, most = 0.0, 0
    every, samples = np.zeros((draws, *shape)), np.zeros((SAMPLES, len(drawn)), np.int64)
    for place in range(draws):
        probability = model.draw(columns[drawn], documents.topic[drawn], rng)
        grade = documents.grade.copy()
        relevant = rng.random(len(drawn)) < probability
        grade[drawn] = np.where(relevant, grades.draw(documents.topic[drawn], rng), 0)
        more = None
        if unseen:
            counts = rng.poisson(unseen_relevant(documents, (known | new) & (grade > 0)))
            topic = np.repeat(np.arange(len(counts)), counts)
            more, most = Unseen(topic, grades.draw(topic, rng)), max(most, int(counts.max()))
            missing += counts.mean() / draws
        scores = documents.scores(metrics, grade, known | new, more)
        means.append(mean_over_topics(scores))
        every[place] = scores
        if place < SAMPLES:
            samples[place] = grade[drawn]
        total, chance = total + scores / draws, chance + probability / draws
    now = mean_over_topics(documents.scores(metrics, documents.grade, known))
    return Prediction(np.array(means), now, total, every, drawn, chance, samples, missing, most)


def fitted(documents: Documents, known: Bools) -> tuple[Floats, MixedLogistic]:
    """What relevance is modelled by, for every document, and the model of what is `known`."""
    columns = documents.columns(known)
    learned = np.flatnonzero(known & (documents.best < NEVER))
    relevant, topic = documents.grade[learned] > 0, documents.topic[learned]
    topics = len(documents.judged.topics)
    return columns, MixedLogistic.fit(columns[learned], relevant, topic, topics, OWN)


def mean_over_topics(scores: Floats) -> Floats:
    """Over the topics that have a score; NaN where none has."""
    defined = np.isfinite(scores)
    count = defined.sum(axis=-1)
    total = np.where(defined, scores, 0.0).sum(axis=-1)
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)


@dataclass(frozen=True, eq=False)
class _Grades:
    """How often relevant documents have each grade, topic by topic, smoothed by all topics."""

    grade: Ints
    up_to: Floats  # topics × grades: how often this grade or a lower one

    @classmethod
    def of(cls, documents: Documents, known: Bools) -> "_Grades":
        relevant = np.flatnonzero(known & (documents.grade > 0))
        grade, place = np.unique(documents.grade[relevant], return_inverse=True)
        if not len(grade):
            return cls(np.ones(1, np.int64), np.ones((len(documents.judged.topics), 1)))
        counts = np.zeros((len(documents.judged.topics), len(grade)))
        np.add.at(counts, (documents.topic[relevant], place.ravel()), 1.0)
        counts += BORROWED * counts.sum(axis=0) / counts.sum()
        return cls(grade, np.cumsum(counts, axis=1) / counts.sum(axis=1, keepdims=True))

    def draw(self, topic: Ints, rng: np.random.Generator) -> Ints:
        chance = rng.random(len(topic))[:, None]
        place = np.minimum((chance > self.up_to[topic]).sum(axis=1), len(self.grade) - 1)
        return np.asarray(self.grade[place])
