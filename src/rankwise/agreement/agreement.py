"""`agree` measures the agreement of judges; `Agreement` is its result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import polars as pl

from rankwise.agreement.labels import MAP_GRADES, Labels, Rejudging, metrics_of_systems
from rankwise.agreement.statistics import Resampling, statistics_frame
from rankwise.agreement.systems import (
    PairOfJudges,
    correlations,
    effects_of_disagreements,
    favoured_runs,
    significant_differences,
    system_ranks,
)
from rankwise.arrays import long_frame
from rankwise.errors import (
    CallError,
    InputError,
    check_at_least,
    check_between,
    check_word,
    did_you_mean,
    some_of,
)
from rankwise.metrics import Metric
from rankwise.notes import Note, detail, note, warning
from rankwise.rankings import as_collection
from rankwise.results import Result, Table, draw, format_intervals, table_with_p
from rankwise.scores import DEFAULT_METRICS
from rankwise.vocabulary import AgreementView, ChartWidth
from rankwise.wording import Argument, Count, Remedy, is_or_are, percent, with_minus

if TYPE_CHECKING:
    from rankwise.rankings import Collection, QrelsLike, RunsLike
    from rankwise.scores import MetricsLike

MANY_JUDGES = 3  # from here on the table has all judges together, and one kappa per pair
# The statistics of two judges in the order of the table, with their names there.
STATISTICS = {
    "agreement": "raw agreement",
    "kappa": "Cohen's kappa",
    "kappa linear": "  linear weights",
    "kappa quadratic": "  quadratic weights",
    "kappa at": "Cohen's kappa, grades ≥ {:g}",
    "Fleiss' kappa": "Fleiss' kappa",
    "alpha nominal": "Krippendorff's alpha, nominal",
    "alpha ordinal": "  ordinal",
    "alpha interval": "  interval",
    "AC1": "Gwet's AC1",
    "AC2 linear": "Gwet's AC2, linear weights",
    "AC2 quadratic": "  quadratic weights",
    "precision at": "precision, grades ≥ {:g}",
    "recall at": "recall, grades ≥ {:g}",
    "F1 at": "F1, grades ≥ {:g}",
    "overrating": "mean overrating",
}


def _labels_table(agreement: Agreement, frame: pl.DataFrame, digits: int) -> Table:
    """Return a table of the statistics of agreement.

    For three judges or more, the table has the statistics of all judges together, and the kappa
    with quadratic weights of each pair.
    """
    statistic = pl.col("statistic")
    if len(agreement.judges) < MANY_JUDGES:
        order = {name: place for place, name in enumerate(STATISTICS)}
        rank = statistic.replace_strict(order, return_dtype=pl.Int64)
        frame = frame.filter(statistic.is_in(list(STATISTICS)))
        frame = frame.sort(rank, "grade", maintain_order=True)
    else:
        wanted = pl.col("first").is_null() | (statistic == "kappa quadratic")
        frame = frame.filter(wanted & (statistic != "differs"))
    names = frame.select("statistic", "grade", "first", "second").rows()
    labels = [
        STATISTICS.get(name, name).format(grade)
        if first is None or len(agreement.judges) < MANY_JUDGES
        else f"{first}, {second}: quadratic kappa"
        for name, grade, first, second in names
    ]
    ends = _ends(frame, agreement, digits)
    cells = frame.select(pl.Series("statistic", labels), *ends)
    notes = agreement.interval_notes("labels")
    return Table(cells, [end.name for end in ends], agreement.caption, notes, digits)


def _with_intervals(frame: pl.DataFrame, agreement: Agreement, digits: int) -> Table:
    ends = _ends(frame, agreement, digits)
    numbers = [name for name in frame.columns if name in ("documents", "topics")]
    kept = [name for name in ("first", "second", "judge", "grade") if name in frame.columns]
    if "second" in kept and len(agreement.judges) == 2:
        kept = [name for name in kept if name not in ("first", "second")]
    cells = frame.select(*kept, *ends, *numbers)
    if "grade" in kept:
        cells = cells.with_columns(pl.Series("grade", [f"{grade:g}" for grade in frame["grade"]]))
    notes = agreement.interval_notes("grades")
    return Table(cells, [end.name for end in ends], agreement.caption, notes, digits)


def _ends(frame: pl.DataFrame, agreement: Agreement, digits: int) -> list[pl.Series]:
    """Return three columns of text: value, bootstrap interval over topics, and naive interval.

    The naive interval treats documents as independent.
    """
    level = f"{100 * agreement.resampling.confidence:g} %"
    values = ["–" if one is None else f"{one:.{digits}f}" for one in frame["value"]]
    naive = format_intervals(frame, "naive_low", "naive_high", digits)
    return [
        pl.Series("value", values),
        pl.Series(f"{level} CI (topics)", format_intervals(frame, "low", "high", digits)),
        pl.Series("naive CI", naive),
    ]


def _confusion_table(agreement: Agreement, frame: pl.DataFrame, digits: int) -> Table:
    """Return a table with a row per grade of the first judge and a column per grade of the second.

    The numbers are documents.
    """
    judges = agreement.judges
    if len(judges) > 2:
        raise CallError(
            Argument("show", "confusion"),
            f" needs two judges; there are {len(judges)}: {some_of(judges)}. Give only two judges.",
        )
    grades = pl.col("first_grade", "second_grade").map_elements(lambda g: f"{g:g}", pl.String)
    table = frame.with_columns(grades).pivot(
        on="second_grade", index="first_grade", values="documents"
    )
    total = table.drop("first_grade").sum_horizontal().alias("all")
    table = table.with_columns(total).rename({"first_grade": f"{judges[0]} \\ {judges[1]}"})
    return Table(table, caption=agreement.caption, digits=digits)


FEW_TOPICS = 10
WITHOUT_RUNS = ("labels", "confusion", "grades", "judges")
HALF = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """Agreement of judges on documents and, if runs are given, on systems.

    `frame` has one row per statistic of agreement:

    - `first`, `second`: the two judges that are compared. Both are null if the statistic covers all
      judges together. Only `first` is set for the statistic `differs`: the mean over documents
      of the share of a document's other judges whose grade differs from this judge's.
    - `statistic`: the name of the statistic. `overrating` is the mean of the second judge's grade
      minus the first judge's, and `overrating of` is this mean over the documents to which the
      first judge gave the grade in column `grade`.
    - `grade`: the relevance threshold, for a statistic of binary relevance; the first judge's
      grade, for `overrating of`.
    - `low`, `high`: the limits of a bootstrap interval over topics.
    - `naive_low`, `naive_high`: the limits of an interval that treats documents as independent.

    `view` returns the other tables.
    """

    _everyday = ("sentence", "view")

    labels: Labels = field(repr=False)
    frame: pl.DataFrame
    resampling: Resampling
    alpha: float = 0.05
    pairs: tuple[PairOfJudges, ...] = field(default=(), repr=False)

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges; the first judge is the reference judge (see `agree`)."""
        return self.labels.judges

    def view(self, show: AgreementView = "labels") -> pl.DataFrame:
        """Return one of the tables as a frame.

        - `labels`: the same as `frame`.
        - `confusion`: number of documents for each combination of grades of two judges.
        - `grades`: mean of the second judge's grade minus the first's, for each grade of the first.
        - `judges`: for each judge, the mean over documents of the share of a document's other
          judges whose grade differs from this judge's.

        The following tables need runs. They compare all other judges with the first judge, one at a
        time:

        - `systems`: correlations between the mean scores of the runs under two judges.
        - `ranks`: scores and ranks of runs under each judge.
        - `differences`: pairs of runs that differ significantly under at least one judge. The other
          judge confirms a difference (significant, same sign), denies it (not significant) or
          reverses it (significant, opposite sign).
        - `favours`: for each run, the score under the second judge minus the score under the first,
          minus the mean of this difference over all runs.
        - `documents`: documents with different grades of the two judges, sorted by the effect on
          the scores of runs if the second judge's grade replaces the first's.
        """
        check_word("show", show, get_args(AgreementView))
        if show not in WITHOUT_RUNS and not self.pairs:
            raise CallError(
                Argument("show", show), " needs runs. Give them with ", Argument("runs"), "."
            )
        views: dict[str, Callable[[], pl.DataFrame]] = {
            "labels": lambda: self.frame,
            "confusion": self._confusion,
            "grades": self._grades,
            "judges": self._judges,
            "systems": lambda: correlations(self.pairs, self.resampling),
            "ranks": lambda: system_ranks(self.pairs),
            "differences": lambda: significant_differences(self.pairs, self.alpha),
            "favours": lambda: favoured_runs(self.pairs, self.alpha),
            "documents": lambda: effects_of_disagreements(self.pairs, self.labels),
        }
        if show not in self._made_views:
            self._made_views[show] = views[show]()
        return self._made_views[show]

    @cached_property
    def _made_views(self) -> dict[str, pl.DataFrame]:
        return {}

    def _confusion(self) -> pl.DataFrame:
        grades = pl.Series(self.labels.grades)
        parts = []
        for first, second in combinations(range(len(self.judges)), 2):
            counts = self.labels.confusion(first, second).sum(axis=0).astype(np.int64)
            axes: dict[str, Sequence[str] | pl.Series] = {
                "first": [self.judges[first]],
                "second": [self.judges[second]],
                "first_grade": grades,
                "second_grade": grades,
            }
            parts.append(long_frame(axes, {"documents": counts[None, None]}))
        return pl.concat(parts)

    def _grades(self) -> pl.DataFrame:
        grade = ["first", "second", "grade"]
        confusion = self._confusion().rename({"first_grade": "grade"})
        counts = confusion.group_by(grade).agg(pl.col("documents").sum())
        by_grade = self.frame.filter(statistic="overrating of").drop("statistic")
        counted = by_grade.drop("documents").join(counts, grade, "left", maintain_order="left")
        return counted.select(by_grade.columns).drop_nulls("value")

    def _judges(self) -> pl.DataFrame:
        differs = self.frame.filter(pl.col("statistic") == "differs")
        return differs.drop("statistic", "second", "grade").rename({"first": "judge"})

    @property
    def caption(self) -> str:
        documents, topics = self.labels.common.sum(), self._topics
        names = " and ".join(self.judges) if len(self.judges) == 2 else f"{len(self.judges)} judges"
        by = "both" if len(self.judges) == 2 else "two or more of them"
        of = f"{Count(int(documents), 'document')} of {Count(topics, 'topic')}"
        return f"{names}: {of} judged by {by}"

    @property
    def _topics(self) -> int:
        return len(np.unique(self.labels.topic[self.labels.common]))

    @property
    def header(self) -> dict[str, Any]:
        metadata = {"judges": self.judges, "documents": int(self.labels.common.sum())}
        metadata |= {"judged_by_one_only": self.labels.alone, "topics": self._topics}
        if self.pairs:
            metadata["metrics"] = [metric.record for metric in self.pairs[0].reference.metrics]
        confidence, resamples, seed = self.resampling
        metadata |= {"confidence": confidence, "resamples": resamples}
        return metadata | {"alpha": self.alpha, "seed": seed}

    @property
    def notes(self) -> list[Note]:
        notes = [*self._about_overlap(), *self._about_grades()]
        if self._topics < FEW_TOPICS:
            count = Count(self._topics, "topic has", "topics have")
            text = " documents judged by several judges; intervals over topics may be too narrow"
            notes.append(warning("few-topics", "only ", count, text))
        fewest = round(2 / (1 - self.resampling.confidence))
        if self.resampling.resamples < fewest:
            drawn = Count(self.resampling.resamples, "resample is", "resamples are")
            what = f"{drawn} too few for {100 * self.resampling.confidence:g} % intervals"
            remedy = Remedy(Argument("resamples", fewest), "draw enough resamples")
            notes.append(warning("too-few-resamples", what, remedy=remedy))
        notes += self.interval_notes("labels")
        if not self.pairs:
            return [*notes, *self.labels.notes]
        notes += self.interval_notes("favours")
        text = "on the documents that both judges judged; all other documents count as unjudged"
        notes.append(note("common-documents", f"systems are scored {text}"))
        for show in ("differences", "favours"):
            notes += [note(show, text) for text in self.summary(show)]
        return [*notes, *self.labels.notes, *self.pairs[0].reference.input_notes]

    def _about_overlap(self) -> list[Note]:
        alone = {name: count for name, count in self.labels.alone.items() if count}
        if not alone:
            return []
        each = ", ".join(f"{count:,} by {name}" for name, count in alone.items())
        notes = [note("overlap", f"documents judged by only one judge are excluded: {each}")]
        judged = self.labels.judged.sum(axis=1)
        apart = [n for n, count in zip(self.judges, judged, strict=True) if alone.get(n) == count]
        if apart:
            text = "judges who share no document with another judge are excluded: "
            notes.append(warning("no-overlap", text + ", ".join(apart)))
        return notes

    def _about_grades(self) -> list[Note]:
        notes = []
        used = [self.labels.used(judge) for judge in range(len(self.judges))]
        for name, grades in zip(self.judges, used, strict=True):
            if len(grades) == 1:
                same = f"{name} gave all documents the grade {grades[0]:g} (after the mapping, if"
                text = f"{same} grades are mapped), so kappa with {name} is undefined"
                notes.append(warning("one-grade", text))
        if len({float(grades.max()) for grades in used if len(grades) > 1}) > 1:
            ranges = (f"{grades.min():g} to {grades.max():g}" for grades in used)
            each = ", ".join(map(" ".join, zip(self.judges, ranges, strict=True)))
            remedy = Remedy(MAP_GRADES, "map the grades of one judge, if their scales differ")
            text = f"the judges use different grades: {each}"
            notes.append(warning("different-grades", text, remedy=remedy))
        if self.labels.grades.min() < 0:
            lowest = f"{self.labels.grades.min():g}"
            text = f"negative grades (here down to {lowest}) are compared like other grades"
            notes.append(note("negative-grades", text))
        return notes

    def interval_notes(self, show: AgreementView) -> list[Note]:
        """Return a list with a note on the method of the confidence intervals in the view `show`.

        The list is empty if the view has no intervals.
        """
        level = f"{100 * self.resampling.confidence:g} % confidence intervals"
        if show == "favours":
            return [detail("t-intervals", f"{level} of 'favour' use Student's t over topics")]
        if show not in ("labels", "grades", "judges", "systems"):
            return []
        text = (
            f"{level} use a bootstrap over topics ({self.resampling.resamples:,} resamples, "
            f"seed {self.resampling.seed})"
        )
        if show != "systems":
            text += ". The naive intervals treat documents as independent"
        return [detail("intervals", text)]

    def summary(self, show: AgreementView) -> list[str]:
        """Return sentences that summarise the view `differences`, `favours` or `documents`.

        The list is empty for other views.
        """
        if show == "documents":
            return self._about_documents()
        if show not in ("differences", "favours"):
            return []
        about = self._about_differences if show == "differences" else self._about_favours
        return [about(*pair, metric, rows) for pair, metric, rows in self._by_pair_and_metric(show)]

    def _about_differences(
        self, first: str, second: str, metric: Metric, differences: pl.DataFrame
    ) -> str:
        known = differences.filter(pl.col("significant_under") != second)
        counts = dict(known["outcome"].value_counts().iter_rows())
        confirmed, denied, reversed_ = (
            counts.get(outcome, 0) for outcome in ("confirmed", "denied", "reversed")
        )
        opposite = known.filter(outcome="denied", opposite_sign=True).height
        only = Count(differences.height - known.height, "difference is", "differences are")
        text = f"{metric}: {Count(known.height, 'difference is', 'differences are')} significant "
        text += f"under {first}."
        if known.height:
            signs = f" ({opposite:,} with the opposite sign)" if opposite else ""
            text += (
                f" Under {second}, {confirmed:,} of these {is_or_are(confirmed)} significant with "
                f"the same sign, {reversed_:,} {is_or_are(reversed_)} significant with the "
                f"opposite sign, and {denied:,} {is_or_are(denied)} not significant{signs}."
            )
        return f"{text} {only} significant only under {second}."

    def _about_favours(self, first: str, second: str, metric: Metric, favours: pl.DataFrame) -> str:
        sure = favours.filter(pl.col("corrected_p") <= self.alpha)
        if sure.is_empty():
            none = f"{second} favours or disfavours no run significantly"
            return f"{metric}: compared with {first}, {none} (after Holm's correction)."
        ups, downs = (
            _counted_runs(sure.filter(pl.col("favour").sign() == sign)["run"].to_list())
            for sign in (1, -1)
        )
        relative = f"{metric}: compared with {first}, {second} significantly"
        return f"{relative} favours {ups} and disfavours {downs}."

    def _about_documents(self) -> list[str]:
        notes = []
        for _, metric, documents in self._by_pair_and_metric("documents"):
            effects = documents["effect"].to_numpy()
            with_effect = int((effects > 0).sum())
            shares = np.cumsum(effects) / max(float(effects.sum()), np.finfo(float).tiny)
            half = int(np.searchsorted(shares, HALF) + 1) if with_effect else 0
            if not len(effects):
                notes.append(f"{metric}: the judges give each document the same grade.")
                continue
            text = (
                f"{metric}: {with_effect:,} of {len(effects):,} disagreements "
                f"({percent(with_effect / len(effects), 1)}) change the score of at least one run."
            )
            if half:
                largest = f"{Count(half, 'disagreement')} with the largest effect."
                text += f" Half of the total effect comes from the {largest}"
            notes.append(text)
        return notes

    def _by_pair_and_metric(
        self, show: AgreementView
    ) -> Iterator[tuple[tuple[str, str], Metric, pl.DataFrame]]:
        """Yield the names of two judges, a metric, and the rows of the view with these judges."""
        frame = self.view(show)
        for pair in self.pairs:
            first, second = pair.names
            for metric in pair.reference.metrics:
                part = frame.filter(first=first, second=second, metric=str(metric))
                yield pair.names, metric, part

    def sentence(self) -> str:
        """Return the main statistics of agreement as a sentence for a paper."""
        level = f"{100 * self.resampling.confidence:g} % CI"
        row = self.frame.rows_by_key("statistic", named=True)
        alpha = row["alpha ordinal"][0]
        parts = [f"Krippendorff's ordinal alpha {_with_interval(alpha, level)}"]
        if len(self.judges) == 2:
            raw, kappa = row["agreement"][0]["value"], row["kappa"][0]
            both = f"raw agreement {percent(raw, 1)}, Cohen's kappa {_with_interval(kappa, level)}"
            parts.insert(0, both)
        text = f"{self.caption}: {', '.join(parts)}."
        if self.pairs:
            taus = self.view("systems").filter(statistic="tau").to_dicts()
            each = ", ".join(f"{row['metric']} {_with_interval(row, level)}" for row in taus)
            text += f" Kendall's tau of system rankings: {each}."
        return text

    def table(self, *, digits: int = 4, show: AgreementView = "labels", rows: int = 20) -> Table:
        """Return the view `show` as a formatted table.

        The tables `systems`, `ranks`, `differences`, `favours` and `documents` have at most `rows`
        rows.
        """
        frame = self.view(show)
        if show == "labels":
            return _labels_table(self, frame, digits)
        if show == "confusion":
            return _confusion_table(self, frame, digits)
        if show in ("grades", "judges"):
            return _with_intervals(frame, self, digits)
        notes = [note(show, text) for text in self.summary(show)]
        if frame.height > rows:
            text = f"{frame.height - rows:,} more rows are not shown; CSV and JSON have all rows"
            notes.append(note("rows", text))
        if frame.select("first", "second").unique().height == 1:
            first, second = frame.select("first", "second").row(0)
            frame = frame.drop("first", "second")
            if any(name.startswith("first_") for name in frame.columns):
                text = f"columns 'first_…' use the judgments of {first}, "
                text += f"columns 'second_…' use those of {second}"
                notes.append(detail("judges", text))
        p_values = [name for name in frame.columns if name.endswith("p") and "group" not in name]
        notes += self.interval_notes(show)
        return table_with_p(frame.head(rows), p_values, self.caption, notes, digits)

    def chart(
        self, *, width: ChartWidth | None = None, grades: bool = False, systems: bool = False
    ) -> Any:
        """Draw the confusion matrix of two judges (Altair).

        With `grades`, draw the mean of the second judge's grade minus the first's, for each grade
        of the first. With `systems`, draw the scores of runs under two judges.
        """
        if systems and not self.pairs:
            raise CallError(
                "the chart of systems needs runs. Give them with ", Argument("runs"), "."
            )
        return draw(self, width=width, grades=grades, systems=systems)


def _with_interval(row: dict[str, Any], level: str) -> str:
    if row["value"] is None:
        return "undefined"
    if row["low"] is None:
        return with_minus(f"{row['value']:.3f}")
    value, low, high = (with_minus(f"{row[name]:.3f}") for name in ("value", "low", "high"))
    return f"{value} ({level} {low} to {high})"


def _counted_runs(names: Sequence[str]) -> str:
    if not names:
        return "no run"
    return f"{len(names)} {'run' if len(names) == 1 else 'runs'} ({some_of(names)})"


def agree(
    data: QrelsLike | Collection,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    reference: str | None = None,
    rel: float = 1,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
) -> Agreement:
    """Measure the agreement of judges, and its effect on system scores.

    Parameters
    ----------
    data
        Judgments of at least two judges: {judge: judgments}, a list of files, a table with a column
        `judge`, or a `Collection` with judgments in one of these forms.
    runs, metrics
        As for `score`. With runs, the result also has the scores of runs under each judge.
    reference
        The judge that is named first in each pair. Scores of runs under every other judge are
        compared with the scores under the reference. By default, the first judge.
    rel
        As for `score`.
    alpha
        The significance level. Confidence intervals have level 1 − alpha.
    resamples, seed
        Number of bootstrap resamples, and the random seed.

    Returns
    -------
    Agreement
        One row per statistic, with confidence intervals. A statistic describes a pair of judges, a
        single judge, or all judges together. `view` returns the other tables.

    Examples
    --------
    >>> human = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}, "2": {"a": 1, "b": 0}}
    >>> model = {"1": {"a": 1, "b": 1, "c": 1, "d": 0}, "2": {"a": 1, "b": 0}}
    >>> found = agree({"human": human, "model": model})
    >>> found.frame.filter(statistic="kappa")["value"].round(4).to_list()
    [0.6667]
    """
    check_between("alpha", alpha)
    check_at_least("resamples", resamples)
    collection = as_collection(data, runs)
    judges = collection.judges()
    if reference is not None:
        if reference not in judges:
            near = did_you_mean(reference, judges) or f" The judges are {', '.join(judges)}."
            raise CallError(Argument("reference"), f": no judge is called {reference!r}.{near}")
        judges = {reference: judges[reference], **judges}
    labels = Labels.of(judges)
    labels.check_overlap()
    apart = labels.scales_apart
    if apart is not None:
        remedy = Remedy(MAP_GRADES, "map the grades of one judge to the scale of the other")
        what = f"the grades of the judges are on different scales: {apart}."
        raise InputError("the judgments", what, remedy=remedy)
    resampling = Resampling(1 - alpha, resamples, seed)
    pairs: Sequence[PairOfJudges] = ()
    if collection.runs is not None:
        wanted = metrics_of_systems(metrics, rel, collection)
        rejudging = Rejudging.of(collection, labels.frame, labels.gains, wanted)
        systems = rejudging.rejudged.judged.runs
        if len(systems) < 2:
            only = f"only one run is given ({systems[0]})" if systems else "no run is given"
            text = f"system rankings need two runs or more; {only}. Give more with "
            raise CallError(text, Argument("runs"), ".")
        pairs = [
            PairOfJudges.of(rejudging, labels, (0, other), wanted, collection.undefined)
            for other in range(1, len(labels.judges))
            if labels.both(0, other).any()
        ]
        if not pairs:
            raise CallError(
                f"no document is judged by {labels.judges[0]} (the reference) and another judge.",
                remedy=Remedy(Argument("reference", "JUDGE"), "choose another reference"),
            )
    frame = statistics_frame(labels, resampling)
    return Agreement(labels, frame, resampling, alpha, tuple(pairs))
