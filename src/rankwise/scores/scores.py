"""`Scores`: scores per run, topic and metric, and their bounds under further judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankwise.arrays import long_frame
from rankwise.bounds import greatest_mean, least_mean
from rankwise.errors import (
    CallError,
    MetricError,
    did_you_mean,
    in_words,
    some_of,
)
from rankwise.lazy import pl
from rankwise.metrics import Metric, MetricLike, parse
from rankwise.notes import Note, group_runs, note, warning
from rankwise.rankings import (
    Possible,
    assumed,
    assumption_note,
    groups_of_topics,
    topic_order,
)
from rankwise.results import Result, Table, draw
from rankwise.scores.apply_metric import (
    changes_with_other_runs,
)
from rankwise.scores.score_tables import pivoted, score_table, scores_for_paper
from rankwise.vocabulary import ChartWidth, Mean, Undefined
from rankwise.wording import Argument, Remedy

if TYPE_CHECKING:
    from pathlib import Path

    from rankwise.rankings import QrelsLike, TopicGroups

Cube = npt.NDArray[np.float64]
LEAST_IN_GEOMETRIC_MEAN = 0.00001
NUGGETS = "nuggets"  # kind of the note on scores of answers, whose bounds are independent


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Result):
    """Scores of runs on topics by metrics, the input of `compare` and many other functions.

    `value`, `low` and `high` are arrays of shape (metrics, runs, topics). `value` is the score, or
    NaN if the score is undefined. `low` and `high` are the lower and upper bounds of the score
    under all judgments that the assumption `unjudged` allows. An undefined score also has bounds if
    further judgments can make it defined. A bound is NaN if it is unknown, or if the score is
    undefined under all allowed judgments. `low` and `high` are None if bounds were not requested.
    `outer` names the metrics whose bounds are valid but may not be tight. `present`, of shape
    (runs, topics), is True if the run has the topic. `input_notes` has the notes from reading and
    from methods such as `with_groups`. `notes` also has the notes on scores and bounds.
    """

    _everyday = (
        "by_topic",
        "mean",
        "metrics",
        "pivot",
        "runs",
        "to_dict",
        "topics",
        "write_parquet",
    )

    metrics: tuple[Metric, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    value: Cube
    low: Cube | None = None
    high: Cube | None = None
    present: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), np.bool_))
    input_notes: tuple[Note, ...] = ()
    averaged: Mean = "arithmetic"
    outer: tuple[str, ...] = ()  # metrics whose bounds are valid but not tight
    unjudged: str | None = None
    gains_unused: tuple[str, ...] = ()  # metrics that do not use the gains of the qrels
    groups: tuple[str | None, ...] = ()  # group of each topic, if given
    repetitions: tuple[Scores, ...] = ()  # after `of_systems`: the scores of each system's runs
    # After `weight_topics`: weight / mean weight, of shape (metrics, 1, topics).
    relative_weights: Cube | None = None

    @property
    def cubes(self) -> dict[str, Cube]:
        """The arrays of scores (`value`) and of their bounds (`low` and `high`), by name.

        The shape is (metrics, runs, topics). Without bounds, the only array is `value`.
        """
        cubes = {"value": self.value, "low": self.low, "high": self.high}
        return {name: cube for name, cube in cubes.items() if cube is not None}

    @property
    def frame(self) -> pl.DataFrame:
        """The scores as a data frame with one row per run, topic and metric.

        The columns are run, topic, metric, value (the score) and, if bounds were requested, low and
        high. `value` is null if the score is undefined. A bound is null if it is unknown, or if the
        score is undefined under all allowed judgments. With topic groups, the first column is
        `group`.
        """
        found = long_frame(self.axes | {"topic": self.topics}, self.cubes)
        if not self.groups:
            return found.select("run", "topic", "metric", *self.cubes)
        times = found.height // max(len(self.topics), 1)
        group = pl.Series("group", list(self.groups) * times, dtype=pl.String)
        return found.select(group, "run", "topic", "metric", *self.cubes)

    @property
    def axes(self) -> dict[str, Sequence[str]]:
        """The names of the metrics and of the runs: the first two axes of the arrays of scores."""
        return {"metric": [str(metric) for metric in self.metrics], "run": self.runs}

    def mean(self) -> pl.DataFrame:
        """Return the mean score over topics for each run and metric.

        Scores that are counts, such as NumRel, are summed. The geometric mean replaces scores below
        0.00001 by 0.00001, as trec_eval's gm_map does. `value` is the mean, and is null if no topic
        is averaged. The other columns are:

        - `low`, `high`: bounds of the mean, if bounds were requested. They also hold if undefined
          scores become defined by further judgments.
        - `topics`: number of topics averaged.
        - `undefined`: number of topics that are excluded because the score is undefined.
        - `missing`: number of topics that the run does not have. A missing topic counts as an empty
          ranking, and is excluded only if the score is undefined.
        - `runs`, `sd_runs`: only after `of_systems`, the number of runs of each system, and the
          standard deviation of the mean scores of these runs.
        """
        totals = self.totals
        return long_frame(self.axes, totals).select("run", "metric", *totals)

    @cached_property
    def totals(self) -> dict[str, npt.NDArray[Any]]:
        """The numbers that `mean` returns, as arrays of shape (metrics, runs), by column name.

        `missing` and `runs` have shape (runs,). A mean is NaN if no topic is averaged, and a bound
        is NaN if it is unknown.
        """
        defined, geometric = self.defined, self.by_logarithms[:, None]
        totals: dict[str, npt.NDArray[Any]] = {}
        for name, cube in self.cubes.items():
            cube = np.where(defined, cube, np.nan) if name == "value" else cube
            extreme = greatest_mean if name == "high" else least_mean
            mean = extreme(self.as_averaged(cube), defined, is_sum=self.added[:, None])
            totals[name] = np.exp(mean, out=mean, where=geometric)
        if self.repetitions:
            means = [part.totals["value"] for part in self.repetitions]
            nothing = np.full(len(self.metrics), np.nan)  # for a system with one run
            deviations = [of.std(axis=1, ddof=1) if of.shape[1] > 1 else nothing for of in means]
            runs = np.array([len(part.runs) for part in self.repetitions])
            totals |= {"sd_runs": np.stack(deviations, axis=1), "runs": runs}
        counts = defined.sum(axis=2)
        totals |= {"topics": counts, "undefined": len(self.topics) - counts}
        return totals | {"missing": (~self.present).sum(axis=1)}

    @property
    def by_group(self) -> dict[str, Scores]:
        """The scores on the topics of each topic group, by group name; empty without topic groups.

        >>> from rankwise import read, score
        >>> qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1}, "2": {"a": 1}}
        >>> data = read(qrels, run, topic_groups={"1": "head", "2": "tail"})
        >>> found = score(data, metrics="RR")
        >>> {name: part.to_dict() for name, part in found.by_group.items()}
        {'head': {'run': {'RR': 1.0}}, 'tail': {'run': {'RR': 0.0}}}
        """
        names = [name for name in dict.fromkeys(self.groups) if name is not None]
        alone = replace(self, groups=())
        return {
            name: alone.where_topics(np.array([group == name for group in self.groups]))
            for name in names
        }

    @property
    def best_first(self) -> list[int]:
        """Indices of the runs by the mean of the first metric, best first; NaN comes last."""
        means = self.totals["value"][0]
        ranked = means if self.metrics[0].less_is_better else -means
        return np.argsort(ranked, kind="stable").tolist()  # NaN comes last

    @property
    def defined(self) -> npt.NDArray[np.bool_]:
        """Mask of shape (metrics, runs, topics): whether the score is defined."""
        return np.isfinite(self.value)

    @cached_property
    def added(self) -> npt.NDArray[np.bool_]:
        """Mask of shape (metrics,): True for counts such as NumRel, which are summed."""
        return np.array([metric.aggregate == "sum" for metric in self.metrics], np.bool_)

    @cached_property
    def by_logarithms(self) -> npt.NDArray[np.bool_]:
        """Mask of shape (metrics,): True if the mean is geometric, and False for counts."""
        return ~self.added & (self.averaged == "geometric")

    def as_averaged(self, cube: Cube) -> Cube:
        """Return the scores in `cube`, as logarithms for metrics with a geometric mean.

        A score below 0.00001 counts as 0.00001 in the logarithm.
        """
        if not self.by_logarithms.any():
            return cube
        logs = np.log(np.maximum(cube, LEAST_IN_GEOMETRIC_MEAN))
        return np.where(self.by_logarithms[:, None, None], logs, cube)

    @property
    def pseudo_values(self) -> Cube:
        """Values per topic for t-tests and t-intervals of means, of shape (metrics, runs, topics).

        Without topic weights, the values are the scores. With weights, Student's t-interval of the
        values is the interval of the weighted mean m. The value of a topic with weight w and score
        x is m + c (u − ū). For n topics, u = (n − 1) w (x − m) / (Σw − w) is the jackknife
        deviation of the topic, and ū is the mean of u over topics. The factor c = t(n* − 1) / t(n −
        1) allows for the effective number of topics, n* = (Σw)² / Σw². t(k) is the 97.5 % quantile
        of Student's t with k degrees of freedom, so c is meant for 95 % intervals.
        """
        if self.relative_weights is None:
            return self.value
        from rankwise.stats import t_ratio

        weights = np.where(self.defined, self.relative_weights, 0.0)
        counts = np.maximum(self.defined.sum(axis=2, keepdims=True), 1)
        means = np.nansum(self.value, axis=2, keepdims=True) / counts
        away = self.value - self.relative_weights * means
        with np.errstate(divide="ignore", invalid="ignore"):
            away *= (counts - 1) / (counts - weights)
            effective = counts**2 / (weights**2).sum(axis=2, keepdims=True)
        away -= np.nansum(away, axis=2, keepdims=True) / counts
        return means + away * t_ratio(effective - 1, counts - 1)

    def __getitem__(self, metric: MetricLike) -> Scores:
        """Return the scores of one metric, given its name or the metric itself.

        >>> from rankwise import score
        >>> found = score({"1": {"a": 1}}, {"1": {"a": 1}}, ["AP", "RR"])
        >>> found["RR"].to_dict()
        {'run': {'RR': 1.0}}
        """
        names, wanted = [str(one) for one in self.metrics], str(metric)
        if wanted not in names:
            with suppress(MetricError):  # a text that is not a metric is not among the scores
                wanted = str(parse(metric))
        if wanted not in names:
            near = did_you_mean(str(metric), names)
            known = ", ".join(names)
            raise CallError(f"the scores have no metric {str(metric)!r}; they have {known}.{near}")
        return self.of_metrics([names.index(wanted)])

    def to_dict(self, *, by_topic: bool = False) -> dict[str, Any]:
        """Return {run: {metric: mean}} or, with `by_topic`, {run: {metric: {topic: score}}}.

        An undefined mean or score is None.
        """
        found: dict[str, Any] = {run: {} for run in self.runs}
        if not by_topic:
            for run, metric, value in self.mean().select("run", "metric", "value").iter_rows():
                found[run][metric] = value
            return found
        rows = self.frame.select("run", "topic", "metric", "value").iter_rows()
        for run, topic, metric, value in rows:
            found[run].setdefault(metric, {})[topic] = value
        return found

    def pivot(self, *, by_topic: bool = False) -> pl.DataFrame:
        """Return the mean scores with one row per run and one column per metric.

        With `by_topic`, return the scores with one row per run and topic. Runs are sorted by their
        mean in the first metric, best first.
        """
        return pl.DataFrame(pivoted(self, by_topic=by_topic))

    def by_topic(self) -> pl.DataFrame:
        """Return the scores with one row per run and topic, and one column per metric."""
        return self.pivot(by_topic=True)

    @property
    def notes(self) -> list[Note]:
        """Notes on the input, missing topics, undefined scores, bounds and means."""
        lacking = self.repetitions or not self.present.all()
        missing = self._about_missing() if lacking else ()
        notes = group_runs([*self.input_notes, *missing])
        if self.gains_unused:
            notes += self._about_gains()
        if self.low is not None and self.unjudged is not None:
            notes += self._about_bounds(self.low, self.unjudged)
        if not self.defined.all():
            notes += self.about_undefined()
        if self.added.any():
            counts = ", ".join(str(m) for m in self.metrics if m.aggregate == "sum")
            notes.append(note("sums", f"these metrics are sums over topics, not means: {counts}"))
        if self.averaged == "geometric":
            least = f"{LEAST_IN_GEOMETRIC_MEAN:.5f}"
            what = f"geometric means over topics, in which a score below {least} counts as {least}"
            notes.append(note("geometric", f"means are {what}"))
        if self.repetitions:
            what = "'sd_runs' is the standard deviation of the mean scores of a system's runs"
            notes.append(note("sd-runs", what))
        return notes

    def _about_gains(self) -> Iterator[Note]:
        graded = [str(one) for one in self.metrics if one.value_of("max_rel") is not None]
        binary = [name for name in self.gains_unused if name not in graded]
        own = [name for name in self.gains_unused if name in graded]
        whether = "only whether a document is relevant, not its grade"
        for names, what in ((binary, whether), (own, "the grades themselves, not the gains")):
            if names:
                use = "uses" if len(names) == 1 else "use"
                yield note("gains-ignored", f"{in_words(names)} {use} {what}")

    def _about_missing(self) -> Iterator[Note]:
        for part in self.repetitions:
            yield from part._about_missing()
        if self.repetitions:
            return
        for run, missing in zip(self.runs, (~self.present).sum(axis=1).tolist(), strict=True):
            if missing:
                of = f"{missing:,} of {len(self.topics):,} topics"
                scored = "; a missing topic counts as an empty ranking"
                yield warning("topics-missing", f"returned nothing for {of}{scored}", run=run)

    def _about_bounds(self, low: Cube, unjudged: str) -> list[Note]:
        unknown = (self.defined & np.isnan(low)).any(axis=(1, 2))
        without = [str(self.metrics[place]) for place in np.flatnonzero(unknown).tolist()]
        bounded = [metric for metric in self.metrics if str(metric) not in without]
        notes = [assumption_note(unjudged)] if bounded else []
        missed = [str(metric) for metric in bounded if metric.counts_missed]
        basis = Possible.parse(unjudged).basis
        if missed and basis == "own":
            what = "these bounds may be too narrow (docs/bounds.md), because they ignore relevant"
            trial = "documents that only other runs retrieve"
            use = "include these documents" + (", and give more runs" * (len(self.runs) == 1))
            remedy = Remedy(Argument("unjudged", "retrieved"), use)
            names = ", ".join(missed)
            notes.append(note("bounds-own", f"{what} {trial}", metric=names, remedy=remedy))
        if missed and basis == "retrieved" and len(self.runs) == 1:
            text = (
                "these bounds may be too narrow (docs/bounds.md), because they use only one run "
                "and ignore relevant documents that only other runs would retrieve. Add more runs."
            )
            notes.append(note("bounds-of-one-run", text, metric=", ".join(missed)))
        outer = [name for name in self.outer if name not in without]
        if outer:
            text = "these bounds are valid but not tight (the true range may be narrower): "
            notes.append(note("bounds-not-tight", text + ", ".join(outer)))
        if without:
            text = f"no bounds are known for these metrics: {', '.join(without)}"
            notes.append(note("bounds-unknown", text))
        return notes

    @property
    def assumption(self) -> str:
        """A sentence with the assumption about unjudged documents; empty without bounds."""
        return "" if self.unjudged is None else assumed(self.unjudged)

    def about_undefined(self) -> list[Note]:
        """Return notes on undefined scores, and on means over different numbers of topics."""
        notes, topics = [], len(self.topics)
        counts = self.defined.sum(axis=2).min(axis=1, initial=topics)
        scored = np.asarray(self.defined.any(axis=1))  # by at least one run
        for place, metric in enumerate(self.metrics):
            lacking = (scored[place] & ~self.defined[place]).sum(axis=1).tolist()
            with_counts = zip(self.runs, lacking, strict=True)
            runs = [f"{run} on {n} of {topics} topics" for run, n in with_counts if n]
            if runs:
                text = (
                    f"no score for {some_of(runs)}, although other runs have a score there. The "
                    "mean of each run is over the topics on which this run has a score"
                )
                notes.append(note("scores-missing", text, metric=metric))
            without = topics - int(scored[place].sum())
            if not without:
                continue
            relevant = "relevant document"
            if isinstance(metric.rel, int) and metric.rel > 1:
                relevant = f"document of grade {metric.rel} or higher"
            why = f", usually because they have no {metric.undefined_without or relevant}"
            if str(metric).startswith(("std(", "z(")):  # `standardise` says why
                why = ""
            left = (
                f"undefined on {without} of {topics} topics{why}; these topics are excluded from "
                "the mean"
            )
            low = None if self.low is None else self.low[place][~self.defined[place]]
            is_bounded = low is not None and not np.isnan(low).all()
            later = (
                ". The bounds also hold if these topics get a score after further judgments"
                if is_bounded
                else ""
            )
            notes.append(note("topics-undefined", left + later, metric=metric))
        pairs = zip(self.metrics, counts, strict=True)
        of_quality = {str(metric): n for metric, n in pairs if not metric.is_diagnostic}
        if len(set(of_quality.values())) > 1:
            named = ", ".join(f"{count} for {name}" for name, count in of_quality.items())
            what = f"the means of different metrics are over different numbers of topics: {named}"
            notes.append(note("topics-differ", what))
        return notes

    def counting_undefined(self, undefined: Undefined) -> Scores:
        """Return the scores unchanged (`skip`), or with 0 for undefined scores (`zero`).

        For a metric requested by its trec_eval name, such as map, undefined scores become 0 in both
        cases.
        """
        if undefined == "zero":
            return self.with_zeros()
        named = np.array([metric.zero_if_undefined for metric in self.metrics], np.bool_)
        named &= ~self.defined.all(axis=(1, 2))
        if not named.any():
            return self
        zeros = self.with_zeros()
        cubes: dict[str, Any] = {
            name: np.where(named[:, None, None], cube, self.cubes[name])
            for name, cube in zeros.cubes.items()
        }
        counts = (~self.defined).any(axis=1).sum(axis=1)
        notes = [
            note(
                "undefined-as-zero",
                "the metric was requested by its trec_eval name, so topics without a relevant "
                f"document score 0 ({count} of {len(self.topics)} topics). To exclude these "
                f"topics, write {metric}",
                metric=metric,
            )
            for metric, count, zeroed in zip(self.metrics, counts, named, strict=True)
            if zeroed
        ]
        return replace(self, input_notes=(*self.input_notes, *notes), **cubes)

    def with_zeros(self) -> Scores:
        """Return the scores with 0 for undefined scores.

        The bounds of these scores are extended to include 0.
        """
        value = np.where(self.defined, self.value, 0.0)
        if self.low is None or self.high is None:
            return replace(self, value=value)
        zero = np.where(self.defined, np.nan, 0.0)
        low, high = np.fmin(self.low, zero), np.fmax(self.high, zero)
        return replace(self, value=value, low=low, high=high)

    @staticmethod
    def concat(parts: Iterable[Scores]) -> Scores:
        """Combine scores of different runs, or of different topics.

        The result equals that of one call of `score` for all runs or topics, if the same grades
        occur in the qrels of all parts. This condition is necessary because some metrics depend on
        the highest grade. Scores of different runs cannot be combined if the bounds of a run depend
        on the other runs. This follows from the assumption of the bounds, `unjudged`:

        - `top=K`: all bounds depend on other runs.
        - `retrieved`, `extra=N`: bounds depend on other runs for AP and other metrics that count
          relevant documents outside the ranking.
        - `own`, `open`: no bounds depend on other runs.

        >>> from rankwise import score
        >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
        >>> runs = {name: {"1": {"a": 2, "b": 1}, "2": {"a": 2, "b": 1}} for name in "AB"}
        >>> halves = [score(qrels, {name: runs[name]}, "RR") for name in "AB"]
        >>> Scores.concat(halves).to_dict() == score(qrels, runs, "RR").to_dict()
        True
        """
        given = list(parts)
        if not given:
            raise CallError("no scores are given to combine.")
        first = given[0]
        if any(part.repetitions for part in given):
            what = "scores averaged over the runs of a system cannot be combined"
            raise CallError(f"{what}. Combine the scores before you call of_systems.")
        if any(part.relative_weights is not None for part in given):
            what = "scores with weights of topics cannot be combined"
            raise CallError(f"{what}. Combine the scores before you call weight_topics.")
        for other in given[1:]:
            if (other.metrics, other.averaged, other.unjudged, bool(other.groups)) != (
                *(first.metrics, first.averaged, first.unjudged, bool(first.groups)),
            ):
                raise CallError(
                    "scores with different metrics, means or bounds cannot be combined."
                )
        same_topics = all(part.topics == first.topics for part in given)
        if not same_topics and any(part.runs != first.runs for part in given):
            raise CallError(
                "the scores to combine have neither the same topics nor the same runs. Combine "
                "different runs on the same topics, or the same runs on different topics."
            )
        names = [name for part in given for name in (part.runs if same_topics else part.topics)]
        twice = sorted(name for name, times in Counter(names).items() if times > 1)
        if twice and len(given) > 1:
            kind = "run" if same_topics else "topic"
            what = f"{kind} {some_of(twice)} is in more than one of the scores to combine"
            raise CallError(f"{what}. Give each {kind} once.")
        if same_topics and len(given) > 1:
            first._check_bounds_of_runs()
        place = {name: at for at, name in enumerate(names)}
        order = None if same_topics else [place[name] for name in topic_order(names)]
        return first.joined(given, names, order)

    def _check_bounds_of_runs(self) -> None:
        """Raise an error if the bounds of a run depend on the other runs of the call."""
        if self.low is None or self.unjudged is None:
            return
        possible = Possible.parse(self.unjudged)
        which = [str(m) for m in self.metrics if changes_with_other_runs(possible, m)]
        if which:
            what = f"bounds under {self.unjudged!r} depend on all runs of the call"
            remedy = Remedy(Argument("unjudged", "own"), "bound each run by itself")
            together = f"{what}. Score all runs in one call."
            raise CallError(together, source=some_of(which), remedy=remedy)

    def joined(
        self, parts: Sequence[Scores], names: Sequence[str], order: Sequence[int] | None = None
    ) -> Scores:
        """Concatenate `parts` along the runs or, if `order` is given, along the topics.

        `names` has the names of all runs (or topics) of the parts. `order` has the indices that
        sort the concatenated topics.
        """
        axis = 1 if order is None else 2
        columns: dict[str, Any] = {
            name: np.concatenate([part.cubes[name] for part in parts], axis=axis)
            for name in self.cubes
        }
        columns["present"] = np.concatenate([part.present for part in parts], axis=axis - 1)
        columns["runs" if order is None else "topics"] = tuple(names)
        if order is not None:
            cubes = {name: columns[name][..., order] for name in (*self.cubes, "present")}
            columns |= cubes | {"topics": tuple(names[at] for at in order)}
            groups = [group for part in parts for group in part.groups]
            columns["groups"] = tuple(groups[at] for at in order) if groups else ()
        for name in ("outer", "gains_unused"):
            listed = {one for part in parts for one in getattr(part, name)}
            columns[name] = tuple(str(one) for one in self.metrics if str(one) in listed)
        notes = dict.fromkeys(one for part in parts for one in part.input_notes)
        return replace(self, input_notes=tuple(notes), **columns)

    def write_parquet(self, path: str | Path, *, qrels: QrelsLike | None = None) -> None:
        """Write the scores to a Parquet file, to be read by `read_parquet`.

        The file has the columns of `frame`, and two more: `present` (whether the run has the topic)
        and `about` (attributes and notes of the scores). If `qrels` has the judgments that were
        used for the scores, a column `judgments` has a hash of each topic's judgments. `gate` uses
        this column to warn if the judgments have changed. The results of `weight_topics` and
        `of_systems` cannot be written: call these two after reading.
        """
        from rankwise.scores.parquet import write_parquet

        write_parquet(self, path, qrels)

    @staticmethod
    def read_parquet(path: str | Path) -> Scores:
        """Read scores from a file of `write_parquet`, or from a Parquet folder that Spark wrote."""
        from rankwise.scores.parquet import read_parquet

        return read_parquet(path)

    def where_topics(self, keep: npt.NDArray[np.bool_]) -> Scores:
        """Return the scores on the topics for which the mask `keep` is True."""
        if self.relative_weights is not None:
            raise CallError("select topics before they are weighted.")
        cubes: dict[str, Any] = {n: cube[:, :, keep] for n, cube in self.cubes.items()}
        topics = tuple(topic for topic, kept in zip(self.topics, keep, strict=True) if kept)
        if self.groups:
            cubes["groups"] = tuple(np.array(self.groups, object)[keep])
        parts = tuple(part.where_topics(keep) for part in self.repetitions)
        present = self.present[:, keep]
        return replace(self, topics=topics, present=present, repetitions=parts, **cubes)

    def of_metrics(self, places: Sequence[int]) -> Scores:
        """Return the scores by the metrics at the indices `places`, in the order of `places`."""
        columns: dict[str, Any] = {name: cube[places] for name, cube in self.cubes.items()}
        if self.relative_weights is not None:
            columns["relative_weights"] = self.relative_weights[places]
        metrics = tuple(self.metrics[place] for place in places)
        for name in ("outer", "gains_unused"):
            listed = getattr(self, name)
            columns[name] = tuple(str(one) for one in metrics if str(one) in listed)
        parts = tuple(part.of_metrics(places) for part in self.repetitions)
        return replace(self, metrics=metrics, repetitions=parts, **columns)

    def of_runs(self, places: Sequence[int]) -> Scores:
        """Return the scores of the runs at the indices `places`, in the order of `places`."""
        cubes: dict[str, Any] = {name: cube[:, places] for name, cube in self.cubes.items()}
        runs = tuple(self.runs[place] for place in places)
        return replace(self, runs=runs, present=self.present[places], **cubes)

    def of_systems(self, systems: str | Path | Mapping[str, str]) -> Scores:
        """Average scores over the runs of each system (random seeds, trials), topic by topic.

        `systems` is {run: system}, or a file with lines `run system`. A run that is not listed is a
        system by itself. `mean` and `table` of the result have two more columns: `runs`, the number
        of runs of each system, and `sd_runs`, the standard deviation of the means of these runs.
        The intervals of `confidence` and the tests of `compare` include the variance between runs.

        >>> from rankwise import score
        >>> qrels = {"1": {"a": 1}, "2": {"a": 1}}
        >>> up, down = {"a": 2, "b": 1}, {"a": 1, "b": 2}
        >>> runs = {"s1": {"1": up, "2": up}, "s2": {"1": up, "2": down}}
        >>> found = score(qrels, runs, "RR").of_systems({"s1": "s", "s2": "s"})
        >>> found.mean().select("run", "value", pl.col("sd_runs").round(4), "runs").rows()
        [('s', 0.875, 0.1768, 2)]
        """
        from rankwise.scores.repeated_runs import average_runs

        return average_runs(self, systems)

    def with_groups(self, groups: TopicGroups | None) -> Scores:
        """Return the scores with a group for each topic, from {topic: group} or a file.

        With None, return the scores unchanged.
        """
        if groups is None:
            return self
        of_topics, notes = groups_of_topics(groups, self.topics)
        return replace(self, groups=of_topics, input_notes=(*self.input_notes, *notes))

    @property
    def header(self) -> dict[str, Any]:
        """Metadata: metrics, number of topics, kind of mean, and assumption of the bounds.

        The assumption says which unjudged documents can be relevant.
        """
        found: dict[str, Any] = {"metrics": [metric.record for metric in self.metrics]}
        found |= {"topics": len(self.topics), "mean": self.averaged}
        return found if self.unjudged is None else found | {"unjudged": self.unjudged}

    @property
    def caption(self) -> str:
        """Caption with the numbers of runs, topics and metrics."""
        counts = {"run": self.runs, "topic": self.topics, "metric": self.metrics}
        sizes = (f"{len(of)} {one}{'s' * (len(of) != 1)}" for one, of in counts.items())
        return f"Scores of {' × '.join(sizes)}; means over topics:"

    def table(self, *, digits: int = 4, by_topic: bool = False) -> Table:
        """Return a table with one row per run, best first, and one column per metric.

        With bounds, or after `of_systems`, the table has one row per run and metric. With topic
        groups, it has the rows of all topics and then the rows of each group. With `by_topic`, the
        scores of each topic come before the means.
        """
        return score_table(self, by_topic=by_topic, digits=digits)

    def to_latex(
        self,
        *,
        digits: int = 4,
        sort: str | None = None,
        second: bool = False,
        caption: str | None = None,
        label: str | None = None,
    ) -> str:
        r"""Return a LaTeX table: one row per run, one column per metric, best scores in bold.

        With bounds or topic groups, or after `of_systems`, the rows are those of `Scores.table`,
        and `sort`, `second`, `caption` and `label` are not allowed.

        Parameters
        ----------
        digits
            Number of decimals.
        sort
            The metric by which rows are sorted, best first; by default the first metric. With
            `given`, the rows keep the order of the runs.
        second
            Whether to underline the second best score of each column.
        caption, label
            Text before the generated caption, and the LaTeX label. With an empty caption, only the
            tabular environment is returned.

        Examples
        --------
        >>> from rankwise import score
        >>> found = score({"1": {"a": 1}}, {"x": {"1": {"a": 1}}, "y": {"1": {"b": 1}}}, "RR")
        >>> print(found.to_latex(digits=2, caption=""))
        % needs \usepackage{booktabs}
        \begin{tabular}{@{}lr@{}l@{}}
        \toprule
        run & \multicolumn{2}{c}{RR} \\
        \midrule
        x & \textbf{1} & \textbf{.00} \\
        y & 0 & .00 \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
        """
        return scores_for_paper(
            self, digits=digits, sort=sort, second=second, caption=caption, label=label
        ).to_latex()

    def to_markdown(
        self,
        *,
        digits: int = 4,
        sort: str | None = None,
        second: bool = False,
        caption: str | None = None,
    ) -> str:
        """Return the table of `to_latex` as Markdown."""
        return scores_for_paper(
            self, digits=digits, sort=sort, second=second, caption=caption
        ).to_markdown()

    def chart(self, *, by_topic: bool = False, width: ChartWidth | None = None) -> Any:
        """Draw the mean of each run with its confidence interval, best first (Altair).

        With `by_topic`, draw the score of each run on each topic. If the metrics are IPrec
        (interpolated precision) at several recall levels, draw the recall-precision curve.
        """
        return draw(self, by_topic=by_topic, width=width)


def over_common_topics(scores: Scores) -> Scores:
    common = np.asarray(scores.present.all(axis=0))
    if not common.any():
        remedy = Remedy(Argument("topics", "all"), "average over all judged topics")
        raise CallError("no topic is in the judgments and in every run.", remedy=remedy)
    left = scores.where_topics(common)
    if common.all():
        return left
    gone = int((~common).sum())
    are = "is" if gone == 1 else "are"
    out = f"{gone} of {len(common)} topics {are} missing from at least one run and {are} excluded"
    return replace(left, input_notes=(*left.input_notes, note("topics-not-common", out)))
