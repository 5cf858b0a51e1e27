"""`RunDiff`: the changes between runs, as numbers, tables and charts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, zip_longest
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import ROUNDING, Bools, Floats, Ints, long_frame
from rankwise.comparison.verdicts import Ends, mean_of_topics
from rankwise.errors import CallError, some_of
from rankwise.metrics import Metric, as_printed
from rankwise.notes import Note, detail, note
from rankwise.rankings import assumption_note
from rankwise.results import Result, Table, draw, table_with_p
from rankwise.similarity.measures import Similarity
from rankwise.stats import (
    delta_relative_improvement,
    effect_ratio,
    moments,
    normalised_rmse,
    rmse,
    student_t,
    t_interval,
    unpaired_t,
)
from rankwise.vocabulary import ChartWidth, TieTreatment
from rankwise.wording import Argument, Count

# Sizes of differences that a sentence can name, largest first.
SIZES = (*(tenth / 10 for tenth in range(9, 0, -1)), 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
RANK_BIASED = ("RBO", "RBA", "RBR")
# Columns of `RunDiff.frame`. A column that does not apply to a measure is null.
COLUMNS = {
    **dict.fromkeys(["a", "b", "measure", "metric"], pl.String),
    **dict.fromkeys(["value", "low", "high", "conf_low", "conf_high", "gap"], pl.Float64),
    "topics": pl.Int64,
}


class Settings(NamedTuple):
    """Options of a call of `diff`, which notes and tables show."""

    p: float
    ties: TieTreatment
    unjudged: str
    alpha: float
    highest_grade: int
    has_judgments: bool


class Limit(NamedTuple):
    """Upper bounds of the absolute difference of two runs in one metric, under any judgments.

    `mean` is the bound of the difference of the mean scores. It may be too large by up to `gap`,
    and is exact if `gap` is 0. Each topic has its own bound of the difference on this topic: `med`
    is the mean of these bounds (Tan and Clarke's MED), and `largest` is their maximum, on the topic
    `topic`. `topic` is None if the maximum is 0 or unknown. `topics` is the number of topics with a
    bound.
    """

    mean: float
    med: float
    largest: float
    topic: str | None
    gap: float
    topics: int


EXTREMES = detail(
    "extremes",
    "'bound low' and 'bound high' are the lowest and the highest possible mean of RBO, RBA or RBR, "
    "because the rankings may continue below their last documents. They are shown if they differ",
)


@dataclass(frozen=True, eq=False, repr=False)
class RunDiff(Result):
    """Changes between the runs of each pair: similarity, bounds, and differences in scores.

    `first` and `second` are the indices of the two runs of each pair. Differences are the second
    run of a pair minus the first. `similarity` has arrays of shape (pairs, topics) by name of the
    similarity measure. `bounds` has bounds of the score differences by metric name, of this shape.
    `scores` has arrays of shape (runs, topics) by metric name, and is empty without judgments.
    `lengths` has the number of documents of each run on each topic. `same_ranks`, of shape (pairs,
    topics), has the number of top ranks before the first difference. `source` is a function that
    returns the documents of each run for a topic.
    """

    _everyday = ("by_topic", "limit", "lists", "sentence", "within")
    _header = ("metrics",)

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    first: Ints
    second: Ints
    settings: Settings
    similarity: Mapping[str, Similarity]
    lengths: Ints
    same_ranks: Ints
    metrics: tuple[Metric, ...] = ()
    bounds: Mapping[str, Ends] = field(default_factory=dict)
    scores: Mapping[str, Floats] = field(default_factory=dict)
    input_notes: tuple[Note, ...] = ()
    groups: tuple[str | None, ...] = ()
    advanced: "RunDiff | None" = None
    source: Callable[[str], list[list[str]]] | None = field(default=None)
    # The highest grade that the bounds of each metric allow. It is above `settings.highest_grade`
    # if the metric has gains or a threshold for higher grades.
    highest_grades: Mapping[str, int] = field(default_factory=dict)

    def of_topics(self, keep: Bools) -> "RunDiff":
        """Return the changes on the topics for which the mask `keep` is True."""
        return replace(
            self,
            topics=tuple(compress(self.topics, keep)),
            similarity={name: one.of_topics(keep) for name, one in self.similarity.items()},
            bounds={name: ends.of_topics(keep) for name, ends in self.bounds.items()},
            scores={name: table[:, keep] for name, table in self.scores.items()},
            lengths=self.lengths[:, keep],
            same_ranks=self.same_ranks[:, keep],
            groups=tuple(compress(self.groups, keep)) if self.groups else (),
            advanced=None if self.advanced is None else self.advanced.of_topics(keep),
        )

    @property
    def by_group(self) -> "dict[str, RunDiff]":
        """The changes on the topics of each group, by group name; empty without topic groups."""
        groups = np.array(self.groups, object)
        names = dict.fromkeys(group for group in self.groups if group is not None)
        return {name: replace(self.of_topics(groups == name), groups=()) for name in names}

    # Numbers.

    @property
    def frame(self) -> pl.DataFrame:
        """One row per pair of runs and measure.

        The columns are a, b, measure, metric, value, low, high, conf_low, conf_high, gap, topics.
        `a` and `b` are the first and the second run.

        - Similarity measures: `value` is the mean over topics, and `conf_low` and `conf_high` are
          the limits of its confidence interval. `low` and `high` are bounds of RBO, RBA and RBR.
          `changed@k` is the fraction of topics on which the top k documents or their order changed,
          without an interval.
        - `MED` (maximised effectiveness difference): `value` is the mean over topics of the largest
          absolute score difference over all possible grades of the unjudged documents. `low` and
          `high` are bounds of the difference of the mean scores. Each may be up to `gap` beyond the
          exact bound.
        - With judgments: `difference` (of the mean scores, with its confidence interval), `RMSE`
          (root mean square error), `nRMSE` (normalised), `p` (paired t-test), `unpaired p`
          (unpaired t-test).
        - With the argument `advanced` of `diff`: `effect ratio` (reproduced improvement / original
          improvement) and `delta RI` (original − reproduced relative improvement).

        With topic groups, the first column is `group`; the group `all` has all topics.
        """
        rows = [*self._similarity_rows(), *self._bound_rows(), *self._score_rows()]
        frame = pl.concat([pl.DataFrame(schema=COLUMNS), *rows], how="diagonal_relaxed")
        if not self.groups:
            return frame
        parts = {"all": replace(self, groups=()), **self.by_group}
        return pl.concat(
            part.frame.select(pl.lit(name).alias("group"), pl.all()) for name, part in parts.items()
        )

    def by_topic(self) -> pl.DataFrame:
        """Return one row per pair of runs, measure and topic.

        The columns are a, b, topic, measure, metric, value, low and high.
        """
        parts = [self._topic_rows(name, None, s.value, s) for name, s in self.similarity.items()]
        for name, ends in self.bounds.items():
            parts.append(self._topic_rows("MED", name, _largest(ends), ends))
        for name in self.scores:
            ends = self.bounds[name]
            parts.append(self._topic_rows("difference", name, ends.value, ends))
        return pl.concat(parts)

    def most_changed(self, rows: int | None = 10) -> pl.DataFrame:
        """Return the topics whose rankings changed most, by RBO.

        Without RBO, the first similarity measure is used. There is one row per pair and topic, with
        all similarity measures, the maximised effectiveness difference (MED) of each metric, and
        the number of identical ranks at the top. `rows` is the number of rows; None returns all
        rows.
        """
        name = "RBO" if "RBO" in self.similarity else next(iter(self.similarity), None)
        if name is None:
            raise CallError("no measure is given to order topics by.")
        sign = -1 if name.startswith("changed") else 1
        columns = {measure: one.value for measure, one in self.similarity.items()}
        columns |= {f"MED {metric}": _largest(ends) for metric, ends in self.bounds.items()}
        frame = self._long("topic", self.topics, columns | {"same_ranks": self.same_ranks})
        ordered = frame.sort(sign * pl.col(name), nulls_last=True, maintain_order=True)
        return ordered if rows is None else ordered.head(rows)

    def lists(self, topic: str, *, depth: int = 10) -> pl.DataFrame:
        """Return the documents of two runs for one topic side by side.

        The columns for runs A and B are `rank`, `A` (the documents of A), `in_B` (their ranks in
        B), `B` and `in_A`. A rank is null if the other run did not retrieve the document. `depth`
        is the number of rows.
        """
        if topic not in self.topics or self.source is None:
            raise CallError(f"there is no topic {topic!r}. Topics: {some_of(self.topics)}.")
        a, b = self._two_runs
        list_a, list_b = self.source(topic)
        rank_a, rank_b = (
            {name: rank for rank, name in enumerate(names, 1)} for names in (list_a, list_b)
        )
        rows = [
            (rank, name_a, rank_b.get(name_a), name_b, rank_a.get(name_b))
            for rank, (name_a, name_b) in enumerate(zip_longest(list_a, list_b), 1)
        ]
        types = {a: pl.String, f"in_{b}": pl.Int64, b: pl.String, f"in_{a}": pl.Int64}
        return pl.DataFrame(rows[:depth], schema={"rank": pl.Int64, **types}, orient="row")

    def limit(self, metric: str | None = None, pair: int = 0) -> Limit:
        """Return upper bounds of the absolute score difference of two runs.

        The bounds hold for all grades of unjudged documents that the assumption `unjudged` allows.
        `pair` is the index of the pair of runs. `metric` is by default the first metric.
        """
        name = str(self.metrics[0]) if metric is None else metric
        if name not in self.bounds:
            raise CallError(f"{name} is not one of the metrics: {some_of(list(self.bounds))}.")
        mean, largest = self._means[name], _largest(self.bounds[name])[pair]
        known = np.isfinite(largest)
        at = int(np.nanargmax(largest)) if known.any() else None
        topic = self.topics[at] if at is not None and largest[at] > 0 else None
        return Limit(
            float(np.maximum(np.abs(mean.low), np.abs(mean.high))[pair]),
            float(moments(largest[None]).mean[0]),
            np.nan if at is None else float(largest[at]),
            topic,
            float(mean.gap[pair]),
            int(known.sum()),
        )

    def topics_above(self, difference: float, metric: str | None = None) -> int:
        """Return the number of topics on which the scores may differ by more than `difference`.

        A topic counts if the upper bound of the absolute score difference is above `difference`.
        Only the first pair of runs is used. `metric` is by default the first metric.
        """
        name = str(self.metrics[0]) if metric is None else metric
        return int((_largest(self.bounds[name])[0] > difference).sum())

    def within(self, maximum: float) -> bool:
        """Return whether the bounds prove that no mean score difference exceeds `maximum`.

        The differences are absolute, for all pairs of runs and all metrics.
        """
        ends = [end for mean in self._means.values() for end in (-mean.low, mean.high)]
        return all(bool((end <= maximum + ROUNDING).all()) for end in ends)

    @property
    def identical(self) -> Bools:
        """Mask of the pairs of runs whose rankings are identical on all topics."""
        return np.asarray(self._identical_lists.all(axis=1))

    @property
    def _identical_lists(self) -> Bools:
        """Whether the rankings are identical, pairs × topics."""
        a, b = self.lengths[self.first], self.lengths[self.second]
        return np.asarray((self.same_ranks == a) & (a == b))

    def churn(self, depth: int = 100) -> pl.DataFrame:
        """Return the fraction of topics on which the top k changed, for each k from 1 to `depth`.

        The top k has changed if its documents or their order differ between the two runs of a pair.
        """
        longest = int(self.lengths[[*self.first, *self.second]].max(initial=1))
        ks = np.arange(1, max(1, min(depth, longest)) + 1)
        first_change = np.where(self._identical_lists, np.inf, self.same_ranks + 1)
        changed = (first_change[:, :, None] <= ks).mean(axis=1)
        return self._long("depth", ks.tolist(), {"changed": changed})

    # Notes, sentences, tables and charts.

    @property
    def notes(self) -> list[Note]:
        about = [assumption_note(self.settings.unjudged)] if self.bounds else []
        if self.bounds and not self.settings.has_judgments:
            highest = self.settings.highest_grade
            grades = "grade 0 or 1" if highest == 1 else f"any grade from 0 to {highest}"
            more = [
                f"up to {highest} for {name}"
                for name, highest in self.highest_grades.items()
                if highest > self.settings.highest_grade
            ]
            grades += f" ({some_of(more, 8)})" if more else ""
            zero = "On a topic without a relevant document, the difference is 0"
            what = (
                "no judgments are given, so the bounds assume that each retrieved document can have"
            )
            text = f"{what} {grades}. {zero}"
            about.append(note("no-judgments", text))
        before = [*self._about_churn(), *self._about_identical()]
        columns = [EXTREMES] if len(self.runs) == 2 else []
        return [*before, *about, *self._about_gaps(), *self.input_notes, *columns]

    def _about_churn(self) -> list[Note]:
        if len(self.runs) > 2:
            return []
        counts = [
            f"{np.nansum(similarity.value[0]):.0f} for k = {name.partition('@')[2]}"
            for name, similarity in self.similarity.items()
            if name.startswith("changed@")
        ]
        text = "the number of topics on which the first k documents or their order changed is "
        text += f"{', '.join(counts)} (of {Count(len(self.topics), 'topic')})"
        return [note("changed-tops", text)] if counts else []

    def _about_identical(self) -> list[Note]:
        topics = len(self.topics)
        if len(self.runs) > 2:
            count = Count(int(self.identical.sum()), "pair of runs is", "pairs of runs are")
            text = f" identical on {'the only topic' if topics == 1 else f'all {topics:,} topics'}"
            return [note("identical", count, text)] if count.number else []
        a, b = self.runs
        same = int(self._identical_lists[0].sum())
        which = f"all {topics:,} topics" if same == topics else f"{same:,} of {topics:,} topics"
        where = "the only topic" if topics == 1 else which
        return [note("identical", f"{a} and {b} are identical on {where}")] if same else []

    def _about_gaps(self) -> list[Note]:
        wide = []
        for name in self.bounds:
            widest = float(np.max(self._means[name].gap, initial=0.0))
            if widest != 0:
                size = f"{widest:.2g}" if np.isfinite(widest) else "an unknown amount"
                wide.append(f"{size} for {name}")
        if not wide:
            return []
        text = "bounds on mean differences are valid but not tight: the tight bound may differ by "
        text += f"up to {', '.join(wide)}. A larger "
        return [note("bounds-not-tight", text, Argument("effort"), " may make them tighter")]

    @property
    def caption(self) -> str:
        topics = f"{len(self.topics):,} topics"
        if len(self.runs) > 2:
            return f"{len(self.first):,} pairs of {len(self.runs)} runs over {topics}"
        return f"{self.runs[0]} and {self.runs[1]} over {topics}"

    @property
    def header(self) -> dict[str, Any]:
        counts = {"measures": list(self.similarity), "topics": len(self.topics)}
        return super().header | counts | self.settings._asdict()

    def sentence(self, metric: str | None = None) -> str:
        """Return a sentence with the upper bound of the absolute difference of the mean scores."""
        a, b = self._two_runs
        if self.identical[0]:
            return f"{a} and {b} are identical on all {len(self.topics):,} topics."
        name = str(self.metrics[0]) if metric is None else metric
        limit = self.limit(name)
        highest = self.highest_grades.get(name, self.settings.highest_grade)
        free = "any binary judgments" if highest == 1 else f"any judgments from 0 to {highest}"
        condition = f"Under {'any further judgments' if self.settings.has_judgments else free}"
        what = as_printed(name)
        if np.isnan(limit.mean):
            return f"{condition}, no bound is known on the difference of {a} and {b} in {what}."
        if limit.largest == 0:
            return (
                f"{condition}, {a} and {b} have the same {what} on all {len(self.topics):,} topics."
            )
        over = f"over {limit.topics:,} topics"
        text = f"{condition}, {a} and {b} differ in mean {what} {over} by at most {limit.mean:.4g}."
        size = next((size for size in SIZES if self.topics_above(size, name)), None)
        if size is not None:
            above = self.topics_above(size, name)
            topics = "1 topic" if above == 1 else f"{above:,} topics"
            text += f" On {topics}, the bound of the difference is above {size:g}."
        return text

    def verdicts(self, maximum: float) -> list[str]:
        """Return one line per pair of runs and metric: whether the runs can differ too much.

        Runs differ too much if the absolute difference of their mean scores exceeds `maximum`. They
        can if some judgments, of those that the assumption `unjudged` allows, may have this effect.
        """
        lines = []
        for pair, (a, b) in enumerate(zip(self.first.tolist(), self.second.tolist(), strict=True)):
            runs = f"{self.runs[a]} and {self.runs[b]}: " if len(self.runs) > 2 else ""
            limits = {name: self.limit(name, pair) for name in self.bounds}
            lines += [f"{runs}{name}: {_verdict(one, maximum)}" for name, one in limits.items()]
        return lines

    def table(self, *, digits: int = 4) -> Table:
        """Return a table of the similarity measures.

        For two runs, the table has one row per measure. Bounds of RBO, RBA and RBR are shown if the
        lower and the upper bound differ after rounding to `digits` decimals. For three runs or
        more, the table has one row per pair of runs, and it includes bounds of mean score
        differences.
        """
        if len(self.runs) > 2:
            return self._pairs_table(digits)
        measure = pl.col("measure")
        with_p = pl.when(measure.is_in(RANK_BIASED)).then(measure + f" (p = {self.settings.p:g})")
        conf = f"{100 * (1 - self.settings.alpha):g} % CI"
        is_wide = pl.col("high").round(digits) > pl.col("low").round(digits)
        columns = self.frame.filter(pl.col("metric").is_null()).select(
            *(["group"] if self.groups else []),
            with_p.otherwise(measure).alias("measure"),
            pl.col("value").alias("mean"),
            pl.col("conf_low").alias(f"{conf} low"),
            pl.col("conf_high").alias("high"),
            *(pl.when(is_wide).then(end).alias(f"bound {end}") for end in ("low", "high")),
            "topics",
        )
        if columns["bound low"].null_count() == columns.height:
            columns = columns.drop("bound low", "bound high")
        return Table(columns, caption=self.caption, digits=digits)

    def _pairs_table(self, digits: int) -> Table:
        kept = ["group"] if self.groups else []
        is_similarity = pl.col("metric").is_null()
        size = pl.max_horizontal(pl.col("low").abs(), pl.col("high").abs())
        names = pl.when(is_similarity).then("measure").otherwise("max |Δ| " + pl.col("metric"))
        shown = self.frame.filter(is_similarity | (pl.col("measure") == "MED")).with_columns(
            name=names, shown=pl.when(is_similarity).then("value").otherwise(size)
        )
        table = shown.pivot("name", index=[*kept, "a", "b"], values="shown")
        return Table(table, caption=self.caption, digits=digits)

    def bounds_table(self, *, digits: int = 4) -> Table:
        """Return a table of upper bounds of the score differences of two runs, as in `limit`.

        There is one row per metric.
        """
        rows: list[dict[str, object]] = []
        parts = {"all": self, **self.by_group} if self.groups else {"": self}
        for group, part in parts.items():
            for name in part.bounds:
                limit = part.limit(name)
                row = {
                    "group": group,
                    "metric": as_printed(name),
                    "mean, at most": limit.mean,
                    "MED": limit.med,
                    "one topic, at most": limit.largest,
                    "topic": limit.topic,
                    "topics > 0.1": part.topics_above(0.1, name),
                    "bounds": "exact" if limit.gap == 0 else "valid",
                }
                rows.append(row)
        frame = pl.DataFrame(rows)
        if not self.groups:
            frame = frame.drop("group", strict=False)
        return Table(
            frame, caption="Largest differences that any judgments could cause", digits=digits
        )

    def scores_table(self, *, digits: int = 4) -> Table:
        """Return a table of score differences and measures of reproducibility of two runs.

        There is one row per metric. The result must have been computed with judgments.
        """
        frame, kept = self.frame, ["group"] if self.groups else []
        is_bound = pl.col("measure") == "MED"
        table = frame.filter(pl.col("metric").is_not_null() & ~is_bound)
        table = table.pivot("measure", index=[*kept, "metric"], values="value")
        bounds = frame.filter(is_bound).select(*kept, "metric", "low", "high")
        table = table.join(bounds, on=[*kept, "metric"], how="left", maintain_order="left")
        order = [*kept, "metric", "difference", "low", "high"]
        table = table.select(*order, pl.exclude(order))
        caption = f"{self.runs[1]} − {self.runs[0]}"
        return table_with_p(table, ["p", "unpaired p"], caption, digits=digits)

    def chart(self, topic: str | None = None, *, width: ChartWidth | None = None) -> Any:
        """Draw the fraction of topics on which the top k changed, by k (Altair).

        With `topic`, draw a slope graph of the rankings of two runs for this topic.
        """
        return draw(self, width=width, topic=topic)

    # Parts of the frame.

    @cached_property
    def _means(self) -> dict[str, Ends]:
        """The bounds of the mean differences, by metric."""
        return {name: mean_of_topics(ends, is_sum=False) for name, ends in self.bounds.items()}

    @property
    def _two_runs(self) -> tuple[str, str]:
        if len(self.runs) != 2:
            count = len(self.runs)
            raise CallError(f"differences per topic need exactly two runs; {count} are given.")
        return self.runs[0], self.runs[1]

    @property
    def _pairs(self) -> dict[str, pl.Series]:
        """The names of the two runs of each pair."""
        names = pl.Series(self.runs, dtype=pl.String)
        return {"a": names.gather(self.first), "b": names.gather(self.second)}

    def _similarity_rows(self) -> Iterator[pl.DataFrame]:
        for name, measure in self.similarity.items():
            mean, conf = moments(measure.value), t_interval(measure.value, 1 - self.settings.alpha)
            columns: dict[str, Floats | Ints] = {"value": mean.mean, "topics": mean.topics}
            if measure.low is not None and measure.high is not None:
                columns |= {"low": moments(measure.low).mean, "high": moments(measure.high).mean}
            if not name.startswith("changed"):  # a share of changed topics has no interval
                least = -1.0 if name == "KTU" else 0.0
                columns["conf_low"] = np.maximum(conf[0], least)
                columns["conf_high"] = np.minimum(conf[1], 1.0)
            yield self._rows(name, None, columns)

    def _bound_rows(self) -> Iterator[pl.DataFrame]:
        for name, ends in self.bounds.items():
            mean, largest = self._means[name], moments(_largest(ends))
            columns = {"value": largest.mean, "low": mean.low, "high": mean.high, "gap": mean.gap}
            yield self._rows("MED", name, {**columns, "topics": largest.topics})

    def _score_rows(self) -> Iterator[pl.DataFrame]:
        for name, table in self.scores.items():
            old, new = table[self.first], table[self.second]
            change = moments(new - old)
            conf = t_interval(new - old, 1 - self.settings.alpha)
            difference = {"value": change.mean, "conf_low": conf[0], "conf_high": conf[1]}
            numbers = {
                "RMSE": rmse(old, new),
                "nRMSE": normalised_rmse(old, new),
                "p": student_t(new - old),
                "unpaired p": unpaired_t(old, new),
            }
            if self.advanced is not None:
                more = self.advanced.scores[name]
                four = (table[[0]], more[[0]], table[[1]], more[[1]])
                numbers["effect ratio"] = effect_ratio(*four)
                numbers["delta RI"] = delta_relative_improvement(*four)
            every = {"difference": difference} | {each: {"value": v} for each, v in numbers.items()}
            for measure, columns in every.items():
                yield self._rows(measure, name, {**columns, "topics": change.topics})

    def _rows(
        self, measure: str, metric: str | None, columns: Mapping[str, Floats | Ints]
    ) -> pl.DataFrame:
        frame = pl.DataFrame({**self._pairs, **columns}).fill_nan(None)
        return frame.with_columns(measure=pl.lit(measure), metric=pl.lit(metric, pl.String))

    def _topic_rows(
        self, measure: str, metric: str | None, value: Floats, ends: Similarity | Ends
    ) -> pl.DataFrame:
        columns = {"value": value, "low": ends.low, "high": ends.high}
        none = np.full(value.shape, np.nan)
        known = {name: none if column is None else column for name, column in columns.items()}
        frame = self._long("topic", self.topics, known)
        labels = pl.lit(measure).alias("measure"), pl.lit(metric, pl.String).alias("metric")
        return frame.select("a", "b", "topic", *labels, *columns)

    def _long(
        self, axis: str, values: Sequence[str | int], columns: Mapping[str, Floats | Ints]
    ) -> pl.DataFrame:
        """Return one row per pair of runs and value of another `axis`, for example topics.

        `columns` has arrays of shape (pairs, values).
        """
        axes = {"pair": pl.int_range(len(self.first), eager=True), axis: pl.Series(values)}
        frame = long_frame(axes, columns)
        names = [side.gather(frame["pair"]).alias(name) for name, side in self._pairs.items()]
        return frame.select(*names, pl.exclude("pair"))


def _verdict(limit: Limit, maximum: float) -> str:
    if np.isnan(limit.mean):
        return "fails: no bound is known"
    however = "no matter how the unjudged documents are judged, the mean difference is at most"
    if limit.mean <= maximum + ROUNDING:
        return f"passes: {however} {limit.mean:.4f}, which is within {maximum:g}"
    if limit.mean - limit.gap <= maximum:
        text = f"fails: the mean difference may be up to {limit.mean:.4f}, above {maximum:g}"
        return f"{text}; this bound may be too high by up to {limit.gap:.4f}"
    could = "fails: for some judgments of the unjudged documents, the mean difference is"
    if limit.gap <= ROUNDING:
        return f"{could} {limit.mean:.4f}, above {maximum:g}"
    least = f"{limit.mean - limit.gap:.4f} or more, above {maximum:g}"
    return f"{could} {least}; its upper bound is {limit.mean:.4f}"


def _largest(ends: Ends) -> Floats:
    """Return the largest absolute score difference that the bounds allow, pairs × topics.

    The result is NaN if no bound is known.
    """
    return np.maximum(np.abs(ends.low), np.abs(ends.high))
