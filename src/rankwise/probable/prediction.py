"""Predictions of scores under a deeper pool of the runs, and of the better run of each pair.

documents.py has the documents of the deeper pool, and finds the judged pool. model.py draws grades
from a model of the existing judgments, and scores runs under these grades. effects.py computes the
effect of one more relevant document on each score.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import ndtr

from rankwise.arrays import Floats, long_frame
from rankwise.errors import CallError, check_at_least, check_between, in_words
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note, note, warning
from rankwise.probable.documents import Documents, Pool, pool_of, score_with_bounds
from rankwise.probable.model import Draws, draw_scores
from rankwise.rankings import Collection, JudgedRankings, Needs, as_collection
from rankwise.results import Result, Table, draw
from rankwise.scores import DEFAULT_METRICS, MetricsLike, Scores
from rankwise.stats import corrected, differences_of, student_t
from rankwise.vocabulary import ChartWidth, Correction
from rankwise.wording import Argument, Count, Remedy, percent

if TYPE_CHECKING:
    from rankwise.rankings import QrelsLike, RunsLike

# Constants of the range, chosen on five collections and not to be tuned on the data at hand:
# docs/probable.md. A range reaches √((DEVIATIONS · sd)² + (share · W)²) to either side, where W is
# the distance between the bounds. SHARE_ABSENT is used if a run did not contribute to the pool,
# with few runs, or if most unjudged documents are outside the range of the judged documents.
DEVIATIONS = 3.0
SHARE, SHARE_ABSENT = 0.10, 0.15
FEW_RUNS = 10
IN_RANGE = 0.5
FAR = 4.0  # if the predicted depth is more than FAR × the pool depth, the share is larger

HELD = (
    "contained the score under the deeper pool for 95–100 % of the runs in tests on five "
    "collections, and for at least 89 % in deliberately harder tests"
)
PAIRS_HELD = (
    "in tests on five collections, over all metrics, this probability was within 6 percentage "
    "points of the observed frequency"
)


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Result):
    """Predicted scores under a deeper pool: if the first documents of every run were judged.

    `frame` has one row per run and metric, with mean scores over topics. `value` is the mean under
    the current judgments. `expected` is the expected mean under the predicted pool, to the depth
    that was passed as `top`. In tests, the mean under the predicted pool was in the range from
    `probable_low` to `probable_high` for most runs (docs/probable.md). `pairs` returns the
    probability that one run is better than another.

    `scores` has the current scores with bounds. `documents` has the documents of the predicted
    pool. `draws` has the mean scores under random draws of the missing judgments. `pool` has the
    current pool depth, and the runs that contributed to the pool.
    """

    _everyday = ("pairs", "scores")

    scores: Scores = field(repr=False)
    documents: Documents = field(repr=False)
    pool: Pool = field(repr=False)
    draws: Draws = field(repr=False)
    reach: int = 0  # the predicted depth: `top`, or the length of the longest ranking if smaller
    seed: int = 0

    @property
    def header(self) -> dict[str, Any]:
        pool = {"pool_depth": self.pool.depth, "contributed": int(self.pool.contributed.sum())}
        return self.scores.header | {"unjudged": f"top={self.top}", "seed": self.seed} | pool

    @property
    def top(self) -> int:
        """Depth of the predicted pool."""
        return self.documents.top

    @property
    def expected(self) -> Floats:
        """Expected mean scores over topics, of shape (metrics, runs), clipped to their bounds."""
        totals = self.scores.totals
        return np.asarray(np.clip(self.draws.expected, totals["low"], totals["high"]))

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """Arrays `probable_low` and `probable_high`, of shape (metrics, runs).

        The mean score under the predicted pool probably lies between them. Both are clipped to the
        bounds of the score.
        """
        low, high = (self.scores.totals[name] for name in ("low", "high"))
        weak = len(self.scores.runs) < FEW_RUNS or self.draws.in_range < IN_RANGE
        share = SHARE if self.pool.contributed.all() and not weak else SHARE_ABSENT
        share *= max(1.0, np.log(self.reach / self.pool.depth) / np.log(FAR))
        half = np.hypot(DEVIATIONS * self.draws.deviation, share * (high - low))
        ends = (self.draws.expected - half, self.draws.expected + half)
        return np.clip(ends[0], low, high), np.clip(ends[1], low, high)

    @property
    def frame(self) -> pl.DataFrame:
        low, high = self.ranges
        cubes = {"value": self.scores.totals["value"], "expected": self.expected}
        cubes |= {"probable_low": low, "probable_high": high}
        axes = {"metric": [str(metric) for metric in self.scores.metrics], "run": self.scores.runs}
        return long_frame(axes, cubes).select("run", "metric", *cubes)

    def pairs(self, *, alpha: float = 0.05, correction: Correction = "holm") -> pl.DataFrame:
        """Return, per metric and pair of runs, the probability that `a` is better than `b`.

        The columns `a` and `b` name the runs of a pair. The other columns are:

        - `expected`: the expected difference of the mean scores a − b under the predicted pool.
        - `better`: the probability that `a` has the better mean on these topics under the predicted
          pool.
        - `significant`: whether the paired t-test is significant under the current judgments, after
          correction over all pairs of a metric.
        """
        check_between("alpha", alpha)
        if len(self.scores.runs) < 2:
            raise CallError(
                "a comparison of pairs needs two runs or more; only one run is given "
                f"({self.scores.runs[0]})."
            )
        first, second = np.triu_indices(len(self.scores.runs), 1)
        names = pl.Series(self.scores.runs, dtype=pl.String)
        parts = []
        for place, metric in enumerate(self.scores.metrics):
            expected = self.expected[place]
            p_values = student_t(differences_of(self.scores.value[place], first, second))
            columns = {
                "metric": [str(metric)] * len(first),
                "a": names.gather(first),
                "b": names.gather(second),
                "expected": expected[first] - expected[second],
                "better": ndtr(self.odds(place)[first, second]),
                "significant": corrected(p_values, correction) <= alpha,
            }
            parts.append(pl.DataFrame(columns))
        return pl.concat(parts)

    def odds(self, place: int) -> Floats:
        """Return the standardised expected differences between runs, of shape (runs, runs).

        Φ (the normal distribution function) of an entry is the probability that the run of the row
        is better than the run of the column, by the metric at index `place`.
        """
        return self.draws.odds(place, self.scores.metrics[place].sign)

    @property
    def scope(self) -> str:
        """Phrase that describes the predicted pool, for captions and notes."""
        runs = len(self.scores.runs)
        whose = f"each of these {runs} runs" if runs > 1 else "this run"
        what = f"the current judgments and the first {self.top} documents of {whose}"
        return f"predicted for a deeper pool ({what})"

    @property
    def notes(self) -> list[Note]:
        columns = (
            "'probable_low' to 'probable_high' is the range in which the score probably lies if "
            f"the pool has depth {self.top}. Such ranges {HELD} (docs/probable.md)"
        )
        scope = note("expected", f"'expected' is the score {self.scope}")
        return [scope, note("range", columns), *self._about_model]

    @property
    def pair_notes(self) -> list[Note]:
        """Notes on the columns of `pairs`."""
        better = (
            "'better' is the probability that run a is better than run b if the pool has depth "
            f"{self.top}; "
            f"{PAIRS_HELD} (docs/probable.md)"
        )
        significant = (
            "'significant' is the result of the paired t-test under the current judgments, "
            "corrected for multiple comparisons over all pairs of runs, separately for each metric"
        )
        return [
            note("expected", f"'expected' is the difference of means (run a − run b) {self.scope}"),
            note("better", better),
            note("significant", significant),
            *self._about_model,
        ]

    @property
    def _about_model(self) -> list[Note]:
        depth, contributed = self.pool.depth, self.pool.contributed
        part = "all" if contributed.all() else f"{contributed.sum()} of the"
        fitted = (
            "predictions come from a model fitted to the judgments. The judgments look like a pool "
            f"of the first {depth} documents of {part} {len(contributed)} runs. The random seed is "
            f"{self.seed}"
        )
        notes = [note("model", fitted)]
        if len(contributed) < FEW_RUNS:
            here = Count(len(contributed), "run")
            few = f"; predictions from fewer than {FEW_RUNS} runs were less reliable in some tests"
            more = f"{few} (docs/probable.md). Add runs of other systems if you have them"
            notes.append(warning("few-runs", "this prediction uses only ", here, more))
        if self.draws.in_range < IN_RANGE:
            text = (
                f"in a fusion of all runs, {percent(1 - self.draws.in_range)} of the unjudged "
                "documents rank below nearly all judged documents of their topic. The model must "
                "extrapolate, and such predictions were less reliable in tests"
            )
            notes.append(warning("similar-runs", f"{text} (docs/probable.md)"))
        if self.reach > FAR * depth:
            divided = [str(one) for one in self.scores.metrics if one.counts_missed]
            weak = f", especially for {in_words(divided)}" if divided else ""
            far = (
                f"scores are predicted for a pool of depth {self.reach}, more than {FAR:g} times "
                f"the current depth ({depth}). Predictions for much deeper pools were the least "
                f"reliable in tests{weak}"
            )
            most = f"top={int(FAR * depth)}"
            shallower = Remedy(Argument("unjudged", most), "predict for a shallower pool")
            notes.append(warning("deep", far, remedy=shallower))
        return [*notes, *self.scores.about_undefined(), *self.scores.input_notes]

    def pairs_table(
        self, *, digits: int = 4, alpha: float = 0.05, correction: Correction = "holm"
    ) -> Table:
        """Return `pairs` as a table."""
        frame = self.pairs(alpha=alpha, correction=correction)
        about = f"Differences of means a − b, {self.scope}. Better: probability that a is better"
        return Table(frame, [], f"{about}; {PAIRS_HELD}.", self.pair_notes, digits)

    @property
    def caption(self) -> str:
        return f"Scores {self.scope}:"

    def table(self, *, digits: int = 4) -> Table:
        """Return `frame` as a table with one row per run and metric."""
        about = f"Means {self.scope}. Ranges from probable_low to probable_high"
        return Table(self.frame, [], f"{about} {HELD}.", self.notes, digits)

    def chart(self, *, pairs: bool = False, width: ChartWidth | None = None) -> Any:
        """Draw the expected mean of each run with its range (Altair).

        With `pairs`, draw a heat map of the probability that each run is better than each other
        run.
        """
        return draw(self, pairs=pairs, width=width)


__all__ = ["Prediction", "check_predictable", "is_predictable", "predict", "predict_judged"]

RESAMPLES = 100
FEWEST_RESAMPLES = 20


def predict(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    top: int = 100,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Prediction:
    """Predict the scores of runs if the top `top` documents of every run were judged.

    A logistic regression, fitted to the current judgments, predicts the relevance of a document
    from two features: the best rank of the document in any run, and the score of the document in a
    reciprocal-rank fusion of all runs, with larger weights for better runs. Judgments of the
    unjudged documents are drawn from this model, and all runs are scored under each draw. In tests,
    most ranges from `probable_low` to `probable_high` contained the score after the top `top`
    documents were judged (docs/probable.md has the fractions).

    Parameters
    ----------
    data, runs, metrics, rel
        As for `score`. The judgments must be a pool of depth 2 or more. At least a third of the
        runs, and at least four runs, must have contributed to this pool. With fewer than four runs,
        all must have contributed.
    top
        Depth of the predicted pool: the top `top` documents of every run. Other unjudged documents
        count as not relevant.
    resamples, seed
        Number of random draws of the missing judgments (20 or more), and the random seed.

    Returns
    -------
    Prediction
        One row per run and metric: value, expected, probable_low and probable_high. `pairs` returns
        the probability that one run is better than another.

    Examples
    --------
    >>> from rankwise import simulate
    >>> made = simulate(topics=6, systems=4, depth=20, pool_depth=20, seed=1)
    >>> found = predict(made.qrels, made.runs, "AP", top=20, resamples=20)
    >>> found.frame.columns
    ['run', 'metric', 'value', 'expected', 'probable_low', 'probable_high']
    """
    collection = as_collection(data, runs)
    _check_collection(collection)
    wanted = tuple(parse_all(metrics, rel))
    check_predictable(wanted, resamples)
    check_at_least("top", top)
    needs = Needs(documents=True, within=top)
    return predict_judged(collection.judged(needs), wanted, top=top, resamples=resamples, seed=seed)


def _check_collection(collection: Collection) -> None:
    """Raise an error for reading options for which the coverage of the ranges was not measured."""
    what = "predictions cannot be combined with "
    for name, default in (("topics", "all"), ("undefined", "skip"), ("complete_runs", False)):
        value = getattr(collection, name)
        if value != default:
            raise CallError(what, Argument(name, value), ". Remove ", Argument(name, value), ".")
    for name in ("topic_groups", "lengths"):
        if getattr(collection, name) is not None:
            raise CallError(what, Argument(name), ". Remove ", Argument(name), ".")


def is_predictable(metric: Metric) -> bool:
    """Return whether the metric can be predicted.

    The metric must not share gains among ties, and must treat negative grades as 0. It must not be
    a diagnostic, which describes the data instead of the quality of a ranking.
    """
    return not (metric.ties == "share" or metric.is_diagnostic or metric.tells_unusable)


def check_predictable(metrics: tuple[Metric, ...], resamples: int = RESAMPLES) -> None:
    """Raise an error if a metric cannot be predicted, or if there are too few resamples."""
    for metric in metrics:
        if not is_predictable(metric):
            raise CallError(f"{metric} cannot be predicted. Use another metric, for example P@10.")
    check_at_least("resamples", resamples, FEWEST_RESAMPLES)


def predict_judged(
    judged: JudgedRankings,
    metrics: tuple[Metric, ...],
    *,
    top: int = 100,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Prediction:
    """Predict scores; `judged.retrieved` must have the documents in the top `top` of every run."""
    documents = Documents.of(judged.cut_to_depth(), top)
    del judged  # several times as large as the part that is needed
    pool = pool_of(documents)
    known, new = documents.is_judged, documents.unjudged
    relevant = documents.grade[known] > 0
    if relevant.all() or not relevant.any():
        kind = "relevant" if relevant.any() else "not relevant"
        both = "A prediction needs judgments of both kinds, relevant and not relevant."
        raise CallError(f"all {len(relevant):,} judged documents are {kind}. {both}")
    scores = score_with_bounds(documents, metrics)
    rng = np.random.default_rng(seed)
    drawn = draw_scores(documents, metrics, known, new, draws=resamples, rng=rng)
    longest = int(documents.rejudged.judged.length.max(initial=1))
    return Prediction(scores, documents, pool, drawn, min(top, longest), seed)
