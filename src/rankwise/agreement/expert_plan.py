"""`plan_expert`: choose the documents that an expert should label after a cheap judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankwise.agreement.cheap_labels import DEVIATIONS, ExpertGrade, expert_and_cheap
from rankwise.agreement.labels import Rejudging
from rankwise.agreement.reversals import layers
from rankwise.arrays import Floats, Ints
from rankwise.comparison import choose_pairs
from rankwise.errors import check_at_least
from rankwise.metrics import Metric, parse
from rankwise.notes import Note, note
from rankwise.rankings import as_collection
from rankwise.results import Result, Table
from rankwise.scores import check_lengths, scores_of
from rankwise.wording import is_or_are

if TYPE_CHECKING:
    from rankwise.metrics import MetricLike
    from rankwise.rankings import Collection, QrelsLike, RunsLike

CELLS = 1 << 22  # maximum size of an array of documents × pairs of runs


@dataclass(frozen=True, eq=False, repr=False)
class ExpertPlan(Result):
    """Documents that the expert should label next, highest `value` first.

    The columns of `frame` are `topic`, `document`, `expected` (the expert grade that a model
    predicts), `deviation` (the standard deviation of this prediction) and `value`. `value` is the
    deviation times a weighted sum over all pairs of runs. Each term is the absolute change of the
    pair's score difference on the topic, per unit of the document's grade. The weight of a pair is
    exp(−z²/2), where z is the expected difference of mean scores divided by its estimated standard
    deviation.
    """

    _header = ("metrics", "undecided", "pairs", "seed")

    frame: pl.DataFrame
    metrics: tuple[Metric]
    undecided: int  # number of undecided pairs of runs
    pairs: int
    seed: int

    @property
    def caption(self) -> str:
        return f"{self.frame.height:,} documents; {self._undecided_pairs}"

    @property
    def _undecided_pairs(self) -> str:
        are = is_or_are(self.undecided)
        return f"{self.undecided:,} of {self.pairs:,} pairs of runs {are} undecided"

    @property
    def notes(self) -> list[Note]:
        interval = f"the 95 % interval of the difference in {self.metrics[0]} contains 0"
        now = f"{self._undecided_pairs}: with the current judgments, {interval}."
        columns = (
            "'expected' is the expert grade that a model predicts. 'deviation' is the standard "
            "deviation of this prediction. 'value' is the deviation times the effect of the "
            "judgment on undecided differences."
        )
        return [note("undecided", now), note("columns", columns)]

    def table(self, *, digits: int = 4) -> Table:
        """Return the documents to label as a table, highest `value` first."""
        return Table(self.frame, caption=self.caption, digits=digits)


def plan_expert(
    data: QrelsLike | Collection,
    runs: RunsLike | None = None,
    metric: MetricLike = "nDCG@10",
    *,
    cheap: QrelsLike,
    budget: int,
    resamples: int = 60,
    seed: int = 0,
) -> ExpertPlan:
    """Choose the documents that an expert should label next, to decide which runs are better.

    Parameters
    ----------
    data, runs
        As for `score_cheap`. The judgments are those of the expert. At least 100 documents need
        both an expert and a cheap label.
    metric
        The metric by which runs are compared.
    cheap
        Judgments of the cheap judge, such as a language model.
    budget
        Number of documents to choose.
    resamples, seed
        Number of random draws of the unknown expert grades, and the random seed.

    Returns
    -------
    ExpertPlan
        The chosen documents, the most useful first.

    Examples
    --------
    >>> from rankwise import simulate
    >>> made = simulate(topics=10, systems=3, depth=30, pool_depth=30, seed=1)
    >>> expert = made.qrels.frame.filter(made.qrels.frame["document"].hash() % 3 == 0)
    >>> plan_expert(expert, made.runs, "P@5", cheap=made.qrels, budget=5).frame.height
    5
    """
    check_at_least("budget", budget)
    collection = as_collection(data, runs)
    wanted = parse(metric)
    check_lengths([wanted], collection.lengths)
    labels = expert_and_cheap(collection, cheap)
    rejudging = Rejudging.of(collection, labels.frame, labels.gains, [wanted])
    model = ExpertGrade.fit(labels, rejudging)
    names = rejudging.rejudged.judged.runs
    means, expected, deviation = _draws(model, wanted, resamples, seed)
    first, second = choose_pairs(names, None)
    apart = means[:, first] - means[:, second]
    spread = np.maximum(DEVIATIONS * apart.std(axis=0, ddof=1), 1e-12)
    z = np.abs(apart.mean(axis=0)) / spread
    effects = _effects(model, wanted, expected)
    weight, value = np.exp(-(z**2) / 2), np.zeros(len(effects))
    step = max(1, CELLS // max(len(first), 1))
    for start in range(0, len(effects), step):
        some = slice(start, start + step)
        value[some] = np.abs(effects[some][:, first] - effects[some][:, second]) @ weight
    value *= deviation
    order = np.argsort(-value, kind="stable")[:budget]
    rows = rejudging.row[model.new[order]]
    frame = labels.frame[rows].with_columns(
        expected=expected[order], deviation=deviation[order], value=value[order]
    )
    undecided = int((z < 1.96).sum())
    return ExpertPlan(frame, (wanted,), undecided, len(first), seed)


def _draws(
    model: ExpertGrade, metric: Metric, resamples: int, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Draw the unknown expert grades `resamples` times.

    Return the mean scores of runs in each draw (draws × runs). Also return, for each document
    without an expert label, the mean and the standard deviation of the drawn grades.
    """
    rng = np.random.default_rng(seed)
    means, total, squares = [], np.zeros(len(model.new)), np.zeros(len(model.new))
    for _ in range(resamples):
        drawn = model.draw(rng)
        means.append(_scores(model, metric, drawn).mean(axis=1))
        total += drawn
        squares += drawn.astype(np.float64) ** 2
    expected = total / resamples
    deviation = np.sqrt(np.maximum(squares / resamples - expected**2, 0.0))
    return np.array(means), expected, deviation


def _scores(model: ExpertGrade, metric: Metric, grades: Ints) -> Floats:
    """Return scores (runs × topics), given `grades` for the documents without an expert label.

    Undefined scores are 0.
    """
    judged = model.alternatives.graded(model.with_new(grades))
    return np.nan_to_num(scores_of(metric, judged)).reshape(len(judged.runs), -1)


def _effects(model: ExpertGrade, metric: Metric, expected: Floats) -> Floats:
    """Return the change of a topic's score per unit of grade (documents × runs).

    The documents are those without an expert label. The expected grade of a document, rounded to a
    grade of the expert, is replaced by the next higher grade. The highest grade is replaced by the
    next lower grade.
    """
    levels = model.grades.levels
    place = np.clip(np.searchsorted(levels, np.rint(expected)), 0, len(levels) - 1)
    other = np.where(place + 1 < len(levels), place + 1, place - 1)
    now = _scores(model, metric, levels[place])
    effects = np.zeros((len(model.new), len(now)))
    for some in layers(model.topic):
        grades = levels[place]
        grades[some] = levels[other[some]]
        change = _scores(model, metric, grades) - now
        steps = np.abs(levels[other[some]] - levels[place[some]])
        effects[some] = change[:, model.topic[some]].T / steps[:, None]
    return effects
