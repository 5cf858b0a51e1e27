"""`flips`: the number of judgments that must be wrong to reverse a difference between two runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from rankwise.agreement.labels import Rejudging, metrics_of_systems
from rankwise.agreement.reversals import Changes, Reversal, reversals
from rankwise.arrays import CANCELLATION, Floats, Ints
from rankwise.comparison import choose_pairs
from rankwise.errors import CallError, check_at_least, check_word, some_of
from rankwise.metrics import Metric
from rankwise.notes import Note, note
from rankwise.rankings import Collection, JudgedRankings, Needs, as_collection
from rankwise.results import Result, Table
from rankwise.scores import DEFAULT_METRICS, Scores, score_judged, scores_of
from rankwise.wording import Argument, Count, Remedy, percent

if TYPE_CHECKING:
    from rankwise.agreement.agreement import Agreement
    from rankwise.rankings import QrelsLike, RunsLike
    from rankwise.scores import MetricsLike


@dataclass(frozen=True, eq=False, repr=False)
class Flips(Result):
    """Number of judgments that must change to reverse each difference between two runs.

    `frame` has one row per metric and pair of runs:

    - `a`, `b`, `difference`: the two runs, and the mean score of a minus the mean score of b.
    - `better`: the run with the better mean; null if the runs are tied.
    - `at_least`: a lower bound of the number of judgments that must change to reverse the
      difference. Null if the runs are tied, or if no change of the judgments reverses it.
    - `at_most`: the number of changes in a known example of a reversal; null without an example.
      If `at_least` and `at_most` are equal, the number is exact.
    - `judgments`: the number of judgments of all topics together.
    - `chance`: the estimated probability that random errors of the judges reverse the difference.
      This column exists only if `flips` was called with `errors`.
    """

    _everyday = ("documents", "sentence")
    _header = ("metrics", "step", "error_rate", "resamples", "seed")

    frame: pl.DataFrame
    metrics: tuple[Metric, ...]
    step: str
    judged: pl.DataFrame = field(repr=False)
    examples: tuple[Reversal, ...] = field(repr=False)
    rows: Ints = field(repr=False)  # row in `judged` of each index in an example
    fractions: Mapping[int, float] | None = field(default=None, repr=False)  # whole grade: fraction
    error_rate: float | None = None
    measured: str = ""  # judge whose grades were taken as true to measure the error rate
    resamples: int = 0
    seed: int = 0
    input_notes: tuple[Note, ...] = ()

    def documents(
        self, metric: str | None = None, pair: tuple[str, str] | None = None
    ) -> pl.DataFrame:
        """Return the judgments to change in an example of each reversal, with old and new grade.

        The new grade is in column `other_grade`. By default, the examples of all metrics and pairs
        are returned. `metric` and `pair` (the names of the two runs) select examples.
        """
        parts = []
        # Grades as they were read: fractional grades are renumbered for metrics.
        fractions = self.fractions or {}
        dtype = pl.Int64 if self.fractions is None else pl.Float64
        for row, example in zip(self.frame.iter_rows(named=True), self.examples, strict=True):
            if metric not in (None, row["metric"]) or pair not in (None, (row["a"], row["b"])):
                continue
            labels = [pl.lit(row[name]).alias(name) for name in ("metric", "a", "b")]
            grades = [fractions.get(level, level) for level in example.levels.tolist()]
            other = pl.Series("other_grade", grades, dtype=dtype)
            chosen = self.judged[self.rows[example.codes]]
            parts.append(chosen.select(*labels, "topic", "document", "grade", other))
        return pl.concat(parts)

    @property
    def caption(self) -> str:
        step = " by one grade" if self.step == "one" else ""
        return f"smallest number of judgments that must change{step} to reverse the difference"

    @property
    def notes(self) -> list[Note]:
        text = f"'wrong judgments' is the {self.caption}. Unjudged documents stay unjudged"
        notes = [note("flips", text)]
        impossible = self.frame.filter(pl.col("at_least").is_null(), pl.col("better").is_not_null())
        if impossible.height:
            count = Count(impossible.height, "difference")
            text = " cannot be reversed by changing existing judgments"
            notes.append(note("irreversible", count, text))
        low, high = pl.col("at_least"), pl.col("at_most")
        apart = self.frame.filter(low.is_not_null() & (high.is_null() | (high > low)))
        if apart.height:
            names = ", ".join(apart["metric"].unique(maintain_order=True))
            text = (
                f"{names}: the exact number is not known for some pairs of runs. For these pairs, "
                "'wrong judgments' is a range or a lower bound"
            )
            notes.append(note("bounds", text))
        if not all(example.searched for example in self.examples):
            text = "there are too many pairs of runs to search for examples of all reversals"
            remedy = Remedy(Argument("baseline", "RUN"), "compare fewer pairs")
            notes.append(note("not-searched", text, remedy=remedy))
        if self.error_rate is not None:
            by = f", measured against {self.measured}" if self.measured else ""
            text = (
                "'chance' is the estimated probability that random judging errors reverse the "
                f"difference. The error rate is {percent(self.error_rate, 1)}{by}. The estimate "
                f"uses {self.resamples:,} simulations with the random seed {self.seed}"
            )
            notes.append(note("chance", text))
        return [*notes, *self.input_notes]

    def sentence(self, metric: str | None = None) -> str:
        """Return one sentence per pair of runs: how many judgments must change for a reversal.

        `metric` selects the pairs of one metric; by default, the sentences cover all metrics.
        """
        rows = self.frame.filter(pl.lit(True) if metric is None else pl.col("metric") == metric)
        return " ".join(_sentence(row, self) for row in rows.iter_rows(named=True))

    def reversal_of(self, metric: str, a: str, b: str) -> str:
        """Return a sentence with the number of judgments that must change to reverse a difference.

        The text is empty if the difference is 0.
        """
        pair = pl.col("a").is_in([a, b]) & pl.col("b").is_in([a, b])
        rows = self.frame.filter(pair, metric=metric).to_dicts()
        if not rows:
            raise CallError(f"{metric}: there is no result for the difference of {a} and {b}.")
        if rows[0]["better"] is None:
            return ""
        if rows[0]["at_least"] is None:
            return f"No change of the {rows[0]['judgments']:,} judgments reverses the difference."
        return f"{_how_many(rows[0], self)} to reverse the difference."

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with one row per metric and pair of runs.

        Column `wrong judgments` is the number of judgments that must change to reverse the
        difference, or a range of this number. Column `of` is the number of all judgments.
        """
        spans = []
        for better, low, high in self.frame.select("better", "at_least", "at_most").rows():
            least = "impossible" if low is None else f"≥ {low:,}" if high is None else f"{low:,}"
            apart = f" to {high:,}" if high is not None and high != low else ""
            spans.append("tied" if better is None else least + apart)
        shown = self.frame.drop("at_least", "at_most").rename({"judgments": "of"})
        shown.insert_column(5, pl.Series("wrong judgments", spans))
        return Table(shown, ["wrong judgments"], self.caption, digits=digits)


def _sentence(row: dict[str, Any], flips: Flips) -> str:
    if row["better"] is None:
        return f"{row['a']} and {row['b']} are tied on {row['metric']}."
    worse = row["b"] if row["better"] == row["a"] else row["a"]
    start = f"{row['better']} beats {worse} on {row['metric']}"
    low, high = row["at_least"], row["at_most"]
    if low is None:
        return f"{start}; no change of the {row['judgments']:,} judgments reverses the difference."
    number = _how_many(row, flips)
    text = f"{start}; {number[0].lower()}{number[1:]} to reverse the difference"
    if high is not None and high > low:
        text += f"; {high:,} wrong judgments are enough"
    if row.get("chance") is not None:
        chance = f"reverse the difference with probability {row['chance']:.3f}"
        if row["chance"] == 0:
            chance = f"reversed the difference in none of {flips.resamples:,} simulations"
        text += f". At an error rate of {percent(flips.error_rate or 0, 1)}, random errors {chance}"
    return f"{text}."


def _how_many(row: dict[str, Any], flips: Flips) -> str:
    step = " by one grade" if flips.step == "one" else ""
    least = f"{row['at_least']:,} of {row['judgments']:,}"
    return f"At least {least} judgments would have to be wrong{step}"


def flips(
    data: QrelsLike | Collection,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
    baseline: str | None = None,
    step: str = "any",
    errors: float | Agreement | None = None,
    resamples: int = 200,
    seed: int = 0,
) -> Flips:
    """Find the smallest number of judgments that must change to reverse the order of two runs.

    The number is exact for metrics that are sums of weights (P, RBP, DCG). For other metrics, the
    result is a lower bound and, if a set of changes that reverses the difference was found, the
    size of this set as an upper bound. Unjudged documents stay unjudged.

    Parameters
    ----------
    data, runs, metrics, rel
        As for `score`.
    baseline
        A run with which all other runs are compared; by default, all pairs are compared.
    step
        Allowed changes of a judgment. `any`: to any grade that occurs in the judgments. `one`: to
        the next higher or the next lower of these grades.
    errors
        An error rate of the judgments, such as 0.1, or the result of `agree`. Errors are then drawn
        at random, and the result has the probability that they reverse a difference. With an error
        rate, all wrong grades are equally probable. With the result of `agree`, the true grade of a
        judgment with grade g is drawn from the second judge's grades of the documents to which the
        first judge gave grade g.
    resamples, seed
        Number of random draws of errors, and the random seed.

    Returns
    -------
    Flips
        One row per metric and pair. For each reversal that was found, `documents` returns one
        set of judgments to change.

    Examples
    --------
    >>> qrels = {t: {"a": 1, "b": 0} for t in "123"}
    >>> runs = {"up": {t: ["a", "b"] for t in "123"}, "down": {t: ["b", "a"] for t in "123"}}
    >>> flips(qrels, runs, "P@1").sentence()
    'up beats down on P@1; at least 4 of 6 judgments would have to be wrong to reverse the \
difference.'
    """
    check_word("step", step, ("any", "one"))
    collection = as_collection(data, runs)
    wanted = metrics_of_systems(metrics, rel, collection)
    judged = collection.judged(Needs(whole_ties=any(one.ties == "share" for one in wanted)))
    return flips_of_judged(
        collection,
        judged,
        wanted,
        baseline,
        step=step,
        errors=errors,
        resamples=resamples,
        seed=seed,
    )


def flips_of_judged(
    collection: Collection,
    judged: JudgedRankings,
    wanted: tuple[Metric, ...],
    baseline: str | None,
    *,
    step: str = "any",
    errors: float | Agreement | None = None,
    resamples: int = 200,
    seed: int = 0,
) -> Flips:
    """Return the result of `flips` for the rankings `judged`, joined with the judgments."""
    collection.check_all_topics("this count of wrong judgments")
    qrels = collection.qrels_by_name()
    frame = qrels.frame.select("topic", "document", "grade")
    telling = next((metric for metric in wanted if metric.tells_unjudged), None)
    if telling is not None and (frame["grade"] < 0).any():
        raise CallError(
            f"wrong judgments cannot be counted for {telling}, which treats negative grades "
            "differently from 0. Remove this metric."
        )
    rejudging = Rejudging.of_joined(collection.judgments, judged)
    grade = np.maximum(frame["grade"].to_numpy()[rejudging.row].astype(np.int64), 0)
    changes = Changes(rejudging, grade, step == "one")
    scores = score_judged(changes.real, wanted).counting_undefined(collection.undefined)
    first, second = choose_pairs(scores.runs, baseline)
    result, examples = _reversals(changes, scores, first, second)
    rate, by = None, ""
    if errors is not None:
        check_at_least("resamples", resamples)
        fractions = qrels.fractions or {}
        grades = np.array([fractions.get(level, level) for level in changes.levels.tolist()])
        transitions, by = _transitions(grades, errors)
        rate = float(1 - transitions[changes.place, changes.place].mean())
        chances = _chances(changes, scores, first, second, transitions, resamples, seed)
        result = result.with_columns(chance=pl.Series(chances, nan_to_null=True))
    return Flips(
        result,
        wanted,
        step,
        qrels.as_read.select("topic", "document", "grade"),
        tuple(examples),
        rejudging.row,
        qrels.fractions,
        rate,
        by,
        resamples if errors is not None else 0,
        seed,
        (*qrels.notes, *scores.input_notes),
    )


def _reversals(
    changes: Changes, scores: Scores, first: Ints, second: Ints
) -> tuple[pl.DataFrame, list[Reversal]]:
    """Return a row per metric and pair of runs, and for each row bounds and an example."""
    names = pl.Series(scores.runs, dtype=pl.String)
    parts, examples = [], []
    for metric, values in zip(scores.metrics, scores.value, strict=True):
        differences = np.nan_to_num(values[first] - values[second]).sum(axis=1)
        means = differences / np.maximum(np.isfinite(values[first]).sum(axis=1), 1)
        ahead = names.gather(np.where(metric.sign * means > 0, first, second))
        by_pair = list(reversals(changes, metric, first, second, values))
        columns = {
            "metric": pl.repeat(str(metric), len(first), eager=True),
            "a": names.gather(first),
            "b": names.gather(second),
            "difference": means,
            "better": ahead.set(pl.Series(np.abs(means) <= CANCELLATION), None),
            "at_least": pl.Series([one.low for one in by_pair], dtype=pl.Int64),
            "at_most": pl.Series([one.high for one in by_pair], dtype=pl.Int64),
        }
        parts.append(pl.DataFrame(columns))
        examples += by_pair
    judgments = int(changes.rejudged.is_judged.sum())
    return pl.concat(parts).with_columns(judgments=pl.lit(judgments, pl.Int64)), examples


def _transitions(grades: Floats, errors: float | Agreement) -> tuple[Floats, str]:
    """Return the probability of each true grade (columns) for each grade of a judgment (rows).

    Also return the name of the judge whose grades are taken as true, or "" for an error rate.
    """
    from rankwise.agreement.agreement import Agreement

    count = len(grades)
    if not isinstance(errors, Agreement):
        if not 0 < errors < 1:
            what = f" must be an error rate between 0 and 1, for example 0.1, not {errors:g}."
            raise CallError(Argument("errors"), what)
        if count < 2:
            text = " needs judgments with two grades or more, but all have the same grade. Remove "
            raise CallError(Argument("errors"), text, Argument("errors"), ".")
        wrong = np.full((count, count), errors / (count - 1))
        np.fill_diagonal(wrong, 1 - errors)
        return wrong, ""
    labels = errors.labels
    used = np.maximum(labels.grades, 0)  # negative grades have no gain
    unknown = used[~np.isin(used, grades)]
    if len(unknown):
        names = some_of([f"{grade:g}" for grade in unknown])
        what = f": the judges use grades that do not occur in the qrels: {names}."
        raise CallError(Argument("errors"), what)
    place = np.searchsorted(grades, used)
    table = np.zeros((count, count))
    np.add.at(table, (place[:, None], place[None, :]), labels.confusion(0, 1).sum(axis=0))
    empty = table.sum(axis=1) == 0
    table[empty, empty] = 1  # a grade that the first judge did not give is taken as true
    return table / table.sum(axis=1, keepdims=True), labels.judges[1]


def _chances(
    changes: Changes,
    scores: Scores,
    first: Ints,
    second: Ints,
    transitions: Floats,
    resamples: int,
    seed: int,
) -> list[float]:
    """Return, for each metric and pair, the fraction of random draws that reverse the difference.

    The fraction is NaN if the runs are tied.
    """
    rng = np.random.default_rng(seed)
    cumulative = np.cumsum(transitions, axis=1)
    alternatives = changes.rejudged.alternatives(changes.rejudged.is_judged)
    now = [_signs(values, first, second) for values in scores.value]
    turned = np.zeros((len(now), len(first)))
    for _ in range(resamples):
        drawn = (rng.random(len(changes.place))[:, None] > cumulative[changes.place]).sum(axis=1)
        grade = changes.levels[np.minimum(drawn, len(changes.levels) - 1)]
        judged = alternatives.graded(grade)
        for place, metric in enumerate(scores.metrics):
            values = scores_of(metric, judged).reshape(len(scores.runs), -1)
            turned[place] += _signs(values, first, second) == -now[place]
    tied = np.array([signs == 0 for signs in now])
    return np.where(tied, np.nan, turned / resamples).ravel().tolist()


def _signs(values: Floats, first: Ints, second: Ints) -> Floats:
    sums = np.nan_to_num(values).sum(axis=1)
    apart = sums[first] - sums[second]
    return np.sign(np.where(np.abs(apart) <= CANCELLATION * values.shape[1], 0.0, apart))
