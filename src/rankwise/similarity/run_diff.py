"""RunDiff: what changed between runs, as numbers, tables and charts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwise.arrays import ROUNDING, Bools, Floats, Ints
from rankwise.comparison.verdicts import Ends, mean_of_topics
from rankwise.errors import CallError, some_of
from rankwise.metrics import Metric
from rankwise.notes import Note, note
from rankwise.rankings import assumption_note
from rankwise.results import Result, Table, draw
from rankwise.similarity import diff_tables
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

# One row per pair and measure; what a measure does not have is null.
COLUMNS = {
    "a": pl.String,
    "b": pl.String,
    "measure": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "conf_low": pl.Float64,
    "conf_high": pl.Float64,
    "gap": pl.Float64,
    "topics": pl.Int64,
}


class Settings(NamedTuple):
    """Options of a RunDiff."""

    p: float
    ties: TieTreatment
    unjudged: str
    alpha: float
    highest_grade: int
    has_judgments: bool


class Limit(NamedTuple):
    """The most that any judgments could make of two runs, in one metric.

    `mean` bounds the size of the difference of means, `med` is the mean over topics of the
    largest difference of each (Tan and Clarke's MED), `largest` that of one topic. `gap` is 0
    where the bound on the mean is exact; the true bound is less by at most that. `topics` is the
    number of topics with a bound.
    """

    mean: float
    med: float
    largest: float
    topic: str | None
    gap: float
    topics: int


@dataclass(frozen=True, eq=False, repr=False)
class RunDiff(Result):
    """Changes between the runs of each pair: similarity, bounds, and differences.

    Tables of a measure or metric are pairs × topics. Bounds and differences are of the second
    run of a pair minus the first. `scores` are runs × topics, and empty without judgments.
    """

    _everyday = ("by_topic", "limit", "lists", "sentence", "within")

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    first: Ints
    second: Ints
    metrics: tuple[Metric, ...]
    settings: Settings
    similarity: Mapping[str, Similarity]
    bounds: Mapping[str, Ends]
    scores: Mapping[str, Floats]
    lengths: Ints
    same_ranks: Ints
    input_notes: tuple[Note, ...] = ()
    groups: tuple[str | None, ...] = ()
    advanced: "RunDiff | None" = None
    source: Callable[[str], list[list[str]]] | None = field(default=None)
    # By metric, the highest grade that its bounds allow; more than `highest_grade` of the
    # settings where the metric itself has gains or a threshold of higher grades.
    highest_grades: Mapping[str, int] = field(default_factory=dict)

    def of_topics(self, keep: Ints) -> "RunDiff":
        """Return the same over some of the topics, by number."""
        mask = np.zeros(len(self.topics), np.bool_)
        mask[keep] = True
        return replace(
            self,
            topics=tuple(self.topics[at] for at in keep.tolist()),
            similarity={
                name: similarity.of_topics(keep) for name, similarity in self.similarity.items()
            },
            bounds={name: ends.of_topics(mask) for name, ends in self.bounds.items()},
            scores={name: table[:, keep] for name, table in self.scores.items()},
            lengths=self.lengths[:, keep],
            same_ranks=self.same_ranks[:, keep],
            groups=tuple(self.groups[at] for at in keep.tolist()) if self.groups else (),
            advanced=None if self.advanced is None else self.advanced.of_topics(keep),
        )

    @property
    def by_group(self) -> "dict[str, RunDiff]":
        """The same over the topics of each group, where topics are grouped."""
        names = dict.fromkeys(group for group in self.groups if group is not None)
        return {
            name: replace(
                self.of_topics(np.flatnonzero([group == name for group in self.groups])), groups=()
            )
            for name in names
        }

    # Numbers.

    @property
    def frame(self) -> pl.DataFrame:
        """One row per pair and measure: a, b, measure, metric, value, low, high, …

        Similarity: the mean over topics, with a confidence interval, and bounds of RBO, RBA and
        RBR; `changed@k` is the fraction of topics, without an interval. `MED`: the mean over
        topics of the largest difference that judgments allow, `low` and `high` the bounds of the
        mean difference, and `gap`, by how much these can be too wide. With judgments also
        `difference`, `RMSE`, `nRMSE`, `p`, `unpaired p`, and of two pairs `effect ratio` and
        `delta RI`. Where topics
        are grouped there is a column `group`; group `all` is all topics.
        """
        rows = [self._similarity_rows(), self._bound_rows(), *self._score_rows()]
        frame = pl.concat([part for part in rows if part.height]) if rows else pl.DataFrame()
        if not self.groups:
            return frame
        parts = {"all": replace(self, groups=()), **self.by_group}
        return pl.concat(
            part.frame.select(pl.lit(name).alias("group"), pl.all()) for name, part in parts.items()
        )

    def by_topic(self) -> pl.DataFrame:
        """One row per pair, measure and topic: a, b, topic, measure, metric, value, low, high."""
        parts = []
        for name, similarity in self.similarity.items():
            parts.append(
                self._topic_rows(name, None, similarity.value, similarity.low, similarity.high)
            )
        for name, ends in self.bounds.items():
            parts.append(self._topic_rows("MED", name, _largest(ends), ends.low, ends.high))
        for name in self.scores:
            ends = self.bounds[name]
            parts.append(self._topic_rows("difference", name, ends.value, ends.low, ends.high))
        return pl.concat(parts)

    def most_changed(self, rows: int | None = 10) -> pl.DataFrame:
        """The topics whose rankings changed most, by RBO or else the first measure.

        One row per pair and topic, with the number of ranks at the top that are the same.
        """
        name = "RBO" if "RBO" in self.similarity else next(iter(self.similarity), None)
        if name is None:
            raise CallError("no measure is given to order topics by.")
        sign = -1 if name.startswith("changed") else 1
        columns = {"a": self._names(self.first), "b": self._names(self.second)}
        topics = pl.Series(self.topics * len(self.first), dtype=pl.String)
        count = len(self.topics)
        frame = pl.DataFrame(
            {
                **{side: names.gather(_repeated(count, names)) for side, names in columns.items()},
                "topic": topics,
                **{
                    measure: pl.Series(similarity.value.ravel(), nan_to_null=True)
                    for measure, similarity in self.similarity.items()
                },
                **{
                    f"MED {metric}": pl.Series(_largest(ends).ravel(), nan_to_null=True)
                    for metric, ends in self.bounds.items()
                },
                "same_ranks": self.same_ranks.ravel(),
            }
        )
        ordered = frame.sort(sign * pl.col(name), nulls_last=True, maintain_order=True)
        return ordered if rows is None else ordered.head(rows)

    def lists(self, topic: str, *, depth: int = 10) -> pl.DataFrame:
        """The documents of two runs for a topic side by side, and their rank in the other run.

        Columns rank, then for each run its document (called as the run) and `in_` the other
        run its rank there, null where that run lacks it.
        """
        a, b = self._pair
        if topic not in self.topics or self.source is None:
            raise CallError(f"topic {topic!r} is not one of {some_of(self.topics)}.")
        every = self.source(topic)
        return diff_tables.side_by_side(self.runs[a], self.runs[b], every[a], every[b], depth)

    def limit(self, metric: str | None = None, pair: int = 0) -> Limit:
        """The most that any judgments could make of a pair in one metric; by default the first."""
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

    def topics_above(self, difference: float, metric: str | None = None, pair: int = 0) -> int:
        """The number of topics on which some judgments make the difference larger than this."""
        name = str(self.metrics[0]) if metric is None else metric
        return int((_largest(self.bounds[name])[pair] > difference).sum())

    def within(self, maximum: float) -> bool:
        """Whether no judgments can make the mean difference larger, in any pair and metric."""
        ends = [end for mean in self._means.values() for end in (-mean.low, mean.high)]
        return all(bool((end <= maximum + ROUNDING).all()) for end in ends)

    @property
    def identical(self) -> Bools:
        """Whether all rankings of a pair are the same, document by document."""
        return np.asarray(self.identical_topics == len(self.topics))

    @property
    def identical_topics(self) -> Ints:
        """The number of topics whose rankings are the same, for each pair."""
        a, b = self.lengths[self.first], self.lengths[self.second]
        return np.asarray(((self.same_ranks == a) & (a == b)).sum(axis=1))

    def churn(self, depth: int = 100) -> pl.DataFrame:
        """The fraction of topics whose first k documents changed, for k from 1 to a depth."""
        a, b = self.lengths[self.first], self.lengths[self.second]
        longer = np.maximum(a, b)
        depth = max(1, min(depth, int(longer.max(initial=1))))
        ks = np.arange(1, depth + 1)
        first_change = np.where((self.same_ranks == a) & (a == b), np.inf, self.same_ranks + 1)
        changed = (first_change[:, :, None] <= ks).mean(axis=1)
        names = self._names(self.first), self._names(self.second)
        count = len(names[0])
        return pl.DataFrame(
            {
                "a": names[0].gather(np.repeat(np.arange(count), depth)),
                "b": names[1].gather(np.repeat(np.arange(count), depth)),
                "depth": np.tile(ks, count),
                "changed": changed.ravel(),
            }
        )

    # Words and pictures.

    @property
    def notes(self) -> list[Note]:
        """Notes on the assumption and tightness of the bounds, and on the input."""
        about = [assumption_note(self.settings.unjudged)] if self.bounds else []
        if self.bounds and not self.settings.has_judgments:
            grades = f"grades from 0 to {self.settings.highest_grade}"
            more = [
                f"{name}: {highest}"
                for name, highest in self.highest_grades.items()
                if highest > self.settings.highest_grade
            ]
            grades += f" ({some_of(more, 8)})" if more else ""
            zero = "a topic without a relevant document counts as a difference of 0"
            text = f"no judgments: every document can get {grades}; {zero}"
            about.append(note("no-judgments", text))
        return [
            *diff_tables.about_churn(self),
            *diff_tables.about_identical(self),
            *about,
            *diff_tables.about_gaps(self),
            *self.input_notes,
        ]

    @property
    def caption(self) -> str:
        """The runs, and the number of topics."""
        return diff_tables.described(self)

    @property
    def header(self) -> dict[str, Any]:
        """The metrics, measures and settings, for programs."""
        return {
            "metrics": [metric.record for metric in self.metrics],
            "measures": list(self.similarity),
            "topics": len(self.topics),
            **self.settings._asdict(),
        }

    def sentence(self, metric: str | None = None) -> str:
        """The most that any judgments could make of two runs, as a sentence."""
        _ = self._pair
        return diff_tables.sentence(self, metric)

    def verdicts(self, maximum: float) -> list[str]:
        """One line per pair and metric: whether any judgments could exceed a maximum."""
        return diff_tables.verdicts(self, maximum)

    def table(self, *, digits: int = 4) -> Table:
        """Two runs: one row per similarity measure. More: one row per pair of runs."""
        return diff_tables.similarity_table(self, digits)

    def bounds_table(self, *, digits: int = 4) -> Table:
        """Two runs: one row per metric, with the most that any judgments could make of them."""
        return diff_tables.bounds_table(self, digits)

    def scores_table(self, *, digits: int = 4) -> Table:
        """Two runs and judgments: one row per metric, with measures of reproducibility."""
        return diff_tables.scores_table(self, digits)

    def chart(self, topic: str | None = None, *, width: ChartWidth | None = None) -> Any:
        """Churn by depth; or of one topic a slope graph of both lists, as an Altair chart."""
        return draw(self, width=width, topic=topic)

    # Parts of the frame.

    @cached_property
    def _means(self) -> dict[str, Ends]:
        """The bounds of the mean differences, by metric."""
        return {name: mean_of_topics(ends, is_sum=False) for name, ends in self.bounds.items()}

    def widest_gap(self, metric: str) -> float:
        """By how much the bounds of some mean difference can be too wide; NaN if not known."""
        return float(np.max(self._means[metric].gap, initial=0.0))

    @property
    def _pair(self) -> tuple[int, int]:
        if len(self.runs) != 2:
            raise CallError(f"this is of two runs, and there are {len(self.runs)}.")
        return 0, 1

    def _names(self, runs: Ints) -> pl.Series:
        return pl.Series(self.runs, dtype=pl.String).gather(runs)

    def _similarity_rows(self) -> pl.DataFrame:
        parts = []
        for name, measure in self.similarity.items():
            mean, conf = moments(measure.value), t_interval(measure.value, 1 - self.settings.alpha)
            least = -1.0 if name == "KTU" else 0.0
            conf = (np.maximum(conf[0], least), np.minimum(conf[1], 1.0))
            low, high = (
                None if end is None else moments(end).mean for end in (measure.low, measure.high)
            )
            columns: dict[str, Floats | Ints | None] = {"value": mean.mean, "low": low}
            columns |= {"high": high, "topics": mean.topics}
            if not name.startswith("changed"):  # a count of topics has no interval
                columns |= {"conf_low": conf[0], "conf_high": conf[1]}
            parts.append(self._rows(name, None, columns))
        return pl.concat(parts) if parts else pl.DataFrame(schema=COLUMNS)

    def _bound_rows(self) -> pl.DataFrame:
        parts = []
        for name, ends in self.bounds.items():
            mean, largest = self._means[name], moments(_largest(ends))
            columns: dict[str, Floats | Ints | None] = {"value": largest.mean, "low": mean.low}
            columns |= {"high": mean.high}
            columns |= {"gap": mean.gap, "topics": largest.topics}
            parts.append(self._rows("MED", name, columns))
        return pl.concat(parts) if parts else pl.DataFrame(schema=COLUMNS)

    def _score_rows(self) -> list[pl.DataFrame]:
        parts = []
        for name, table in self.scores.items():
            old, new = table[self.first], table[self.second]
            change = moments(new - old)
            conf = t_interval(new - old, 1 - self.settings.alpha)
            difference: dict[str, Floats | Ints | None] = {"value": change.mean}
            difference |= {"topics": change.topics}
            difference |= {"conf_low": conf[0], "conf_high": conf[1]}
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
            parts.append(self._rows("difference", name, difference))
            for measure, value in numbers.items():
                parts.append(self._rows(measure, name, {"value": value, "topics": change.topics}))
        return parts

    def _rows(
        self, measure: str, metric: str | None, columns: Mapping[str, Floats | Ints | None]
    ) -> pl.DataFrame:
        count = len(self.first)
        table: dict[str, pl.Series] = {
            "a": self._names(self.first),
            "b": self._names(self.second),
            "measure": pl.repeat(measure, count, eager=True, dtype=pl.String),
            "metric": pl.repeat(metric, count, eager=True, dtype=pl.String),
        }
        for name, kind in list(COLUMNS.items())[4:]:
            column = columns.get(name)
            if column is None:
                table[name] = pl.Series([None] * count, dtype=kind)
            else:
                table[name] = pl.Series(column, nan_to_null=True).cast(kind)
        return pl.DataFrame(table)

    def _topic_rows(
        self, measure: str, metric: str | None, value: Floats, low: Any, high: Any
    ) -> pl.DataFrame:
        count = len(self.topics)
        rows = len(self.first) * count
        a, b = self._names(self.first), self._names(self.second)
        ends = {"value": value, "low": low, "high": high}
        return pl.DataFrame(
            {
                "a": a.gather(_repeated(count, a)),
                "b": b.gather(_repeated(count, b)),
                "topic": pl.Series(self.topics * len(self.first), dtype=pl.String),
                "measure": pl.repeat(measure, rows, eager=True, dtype=pl.String),
                "metric": pl.repeat(metric, rows, eager=True, dtype=pl.String),
                **{
                    name: pl.Series([None] * rows, dtype=pl.Float64)
                    if column is None
                    else pl.Series(column.ravel(), nan_to_null=True)
                    for name, column in ends.items()
                },
            }
        )


def _repeated(count: int, names: pl.Series) -> Ints:
    return np.repeat(np.arange(len(names)), count)


def _largest(ends: Ends) -> Floats:
    """Return the size of the largest difference, pairs × topics; NaN where it is not known."""
    return np.maximum(np.abs(ends.low), np.abs(ends.high))
