"""Comparison of runs over several collections, treated as a sample of possible data sets."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from rankwise.arrays import Floats, Ints
from rankwise.comparison.comparing import compare_scored
from rankwise.comparison.comparison import Comparison
from rankwise.comparison.options import FAMILYWISE, TestOptions
from rankwise.comparison.pairs import FEW_TOPICS
from rankwise.errors import CallError, InputError, TooLittle, some_of
from rankwise.formats import holds_mteb_results
from rankwise.metrics import listed
from rankwise.notes import Note, detail, note, warning
from rankwise.rankings import Collection, read, stem
from rankwise.results import Result, Table
from rankwise.scores import (
    DEFAULT_METRICS,
    MetricsLike,
    Scores,
    confidence,
    read_scores,
    score,
    select_metrics,
)
from rankwise.stats import dense_ranks, differences_of, kendall, moments
from rankwise.vocabulary import Test

LAYOUT = (
    "Make one sub-folder per data set. It must have files of scores, or runs and judgments (a file "
    "with qrels in its name)."
)

CollectionsLike: TypeAlias = str | Path | Mapping[str, Scores | Collection] | Scores
SHOWN = ("runs", "pairs", "tau", "means")


def compare_collections(
    collections: CollectionsLike,
    metrics: MetricsLike | None = None,
    *,
    baseline: str | None = None,
    test: Test | TestOptions = "t",
) -> "AcrossCollections":
    """Compare runs over several collections, with the same weight for each collection.

    Parameters
    ----------
    collections
        One of these:

        - A folder with one sub-folder per data set. A sub-folder has judgments (one file with
          `qrels` in its path) and runs (the files in a folder `runs`, or all other files). A run
          must have the same file name in all data sets. A sub-folder without judgments has files of
          scores.
        - A folder with one file of scores per data set.
        - A folder of results of MTEB, in which each task is a data set.
        - {name of the data set: `Scores` or `Collection`}.
        - `Scores` whose topics are data sets.
    metrics
        As for `score`. If scores are given, the default is all their metrics.
    baseline
        The run with which all other runs are compared. By default all pairs are compared.
    test
        As for `compare`, with data sets in place of topics. The default intervals are Student's t,
        unadjusted for multiple comparisons.

    Returns
    -------
    AcrossCollections
        Mean and Borda count of each run, differences with intervals, and Kendall's tau between the
        system rankings on each pair of data sets.

    Notes
    -----
    Let D_c be the difference of the means of two runs on data set c. D_c depends on the choice of
    topics and on the choice of the data set. The variance of D_c over data sets includes both
    sources of error, so Student's t-test of the D_c accounts for both.

    The interval `topics_low` to `topics_high` treats the K data sets as fixed. The variance of the
    mean of the D_c is then Σ s_c² / n_c / K², where s_c² is the variance of the differences over
    the n_c topics of data set c. The degrees of freedom are those of Welch and Satterthwaite.
    """
    parts = _parts(collections, metrics)
    options = test if isinstance(test, TestOptions) else TestOptions(test)
    options = options if baseline is None else replace(options, baseline=baseline)
    if options.interval is None and options.test not in FAMILYWISE:
        options = replace(options, interval="t")  # there are too few data sets for resampling
    notes: list[Note] = []
    if isinstance(parts, Scores):
        means, parts = parts, {}
    else:
        parts = _in_common(parts, notes)
        means = _means(parts)
    if len(means.topics) < 2:
        raise TooLittle("at least two data sets are needed, but there is only one. Add data sets.")
    lacking = ~means.defined.all(axis=0)
    if lacking.any():
        run, place = np.argwhere(lacking)[0]
        what = f"run {means.runs[run]} has no score on data set {means.topics[place]}"
        raise CallError(f"{what}. Every run needs a score on every data set.")
    return AcrossCollections(means, compare_scored(means, options, "all"), parts, tuple(notes))


def _parts(collections: CollectionsLike, metrics: MetricsLike | None) -> dict[str, Scores] | Scores:
    """Return {name of the data set: its scores}.

    If only means over topics are known, return one `Scores` in which data sets are the topics.
    """
    if isinstance(collections, Scores):
        return _selected(collections, metrics)
    if isinstance(collections, str | Path):
        return _of_folder(Path(collections), metrics)
    if not isinstance(collections, Mapping):
        kind = type(collections).__name__
        raise CallError(f"collections have the type {kind}. Give a folder, a dict or Scores.")
    return {
        str(name): _selected(each, metrics) if isinstance(each, Scores) else _scored(each, metrics)
        for name, each in collections.items()
    }


def _scored(collection: Collection, metrics: MetricsLike | None) -> Scores:
    return score(collection, metrics=DEFAULT_METRICS if metrics is None else metrics)


def _selected(scores: Scores, metrics: MetricsLike | None) -> Scores:
    """Return the scores of the given metrics, or of all metrics if `metrics` is None."""
    if metrics is None:
        return scores
    return select_metrics(scores, [str(metric) for metric in listed(metrics)])


def _of_folder(folder: Path, metrics: MetricsLike | None) -> dict[str, Scores] | Scores:
    if not folder.is_dir():
        raise InputError(str(folder), f"is not a folder. {LAYOUT}")
    if holds_mteb_results(folder):
        return _selected(read_scores(folder), metrics)
    by_name = {}
    paths = sorted(folder.glob("[!.]*"))
    has_folders = any(path.is_dir() for path in paths)
    for path in paths:
        if path.is_dir():
            by_name[path.name] = _of_data_set(path, metrics)
        else:
            try:
                by_name[stem(str(path))] = _selected(_read([str(path)]), metrics)
            except InputError as error:
                if has_folders:
                    raise
                what = f"has no sub-folders, and {path.name} is not a file of scores. {LAYOUT}"
                raise InputError(str(folder), what) from error
    if not by_name:
        raise InputError(str(folder), f"is empty. {LAYOUT}")
    return by_name


def _of_data_set(folder: Path, metrics: MetricsLike | None) -> Scores:
    """Score the runs in the folder of a data set, or read saved scores if it has no judgments."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files = [path for path in files if not path.name.startswith(".")]
    qrels = [path for path in files if "qrels" in str(path.relative_to(folder)).lower()]
    own = [path for path in files if path.relative_to(folder).parts[0] == "runs"]
    runs = own or [path for path in files if path not in qrels]
    others = {stem(str(path)): str(path) for path in runs}
    if len(qrels) > 1:
        names = some_of([str(path.relative_to(folder)) for path in qrels])
        raise InputError(str(folder), f"has {len(qrels)} files of judgments: {names}. Keep one.")
    if not others:
        raise InputError(str(folder), f"has neither runs nor scores. {LAYOUT}")
    if qrels:
        return _scored(read(str(qrels[0]), dict(others)), metrics)
    return _selected(_read(others if len(others) > 1 else list(others.values())), metrics)


def _read(files: dict[str, str] | list[str]) -> Scores:
    """Read files of scores. An error describes the folders that `compare_collections` can read."""
    try:
        return read_scores(files)
    except InputError as error:
        at = "" if error.line is None else f" (line {error.line})"
        raise InputError(error.source, f"is not a valid file of scores{at}. {LAYOUT}") from error


def _in_common(parts: Mapping[str, Scores], notes: list[Note]) -> dict[str, Scores]:
    """Keep the runs and metrics that all data sets have, in the order of the first data set.

    Warnings on excluded runs and metrics are added to `notes`. Bounds and topic groups are dropped.
    """
    if not parts:
        raise CallError("there is no data set. Give two or more.")
    first, *rest = parts.values()
    runs = [run for run in first.runs if all(run in other.runs for other in rest)]
    if not runs:
        raise CallError("no run is in all data sets. A run must have the same name in all of them.")
    every = dict.fromkeys(run for part in parts.values() for run in part.runs)
    if out := [run for run in every if run not in runs]:
        what = f"these runs are not in all data sets and are excluded: {some_of(out)}"
        notes.append(warning("runs-not-common", what))
    names = [[str(metric) for metric in part.metrics] for part in parts.values()]
    metrics = [name for name in names[0] if all(name in other for other in names[1:])]
    if not metrics:
        raise CallError("no metric is in all data sets. Use the same metrics for all data sets.")
    if out := list(dict.fromkeys(name for each in names for name in each if name not in metrics)):
        what = f"these metrics are not in all data sets and are excluded: {some_of(out)}"
        notes.append(warning("metrics-not-common", what))
    bare: dict[str, Any] = {"low": None, "high": None, "outer": (), "unjudged": None}
    bare |= {"repetitions": (), "groups": ()}
    return {
        name: select_metrics(replace(part, **bare), metrics).of_runs(
            [part.runs.index(run) for run in runs]
        )
        for name, part in parts.items()
    }


def _means(parts: Mapping[str, Scores]) -> Scores:
    """Return `Scores` whose topics are the data sets, and whose values are means over topics.

    Notes on the scores of a data set have its name as their source, unless they have a source.
    """
    first = next(iter(parts.values()))
    value = np.stack([part.totals["value"] for part in parts.values()], axis=2)
    present = np.ones(value.shape[1:], np.bool_)
    notes = tuple(
        each if each.source else replace(each, source=name)
        for name, part in parts.items()
        for each in part.notes
    )
    return Scores(
        first.metrics, first.runs, tuple(parts), value, present=present, input_notes=notes
    )


@dataclass(frozen=True, eq=False, repr=False)
class AcrossCollections(Result):
    """Comparison of runs over several collections (data sets), from `compare_collections`.

    `scores` has the mean of each run on each data set; its topics are the data sets. `comparison`
    compares the runs by these means. `parts` maps the name of each data set to its scores by topic.
    If only means are known, `parts` is empty.
    """

    _everyday = ("comparison", "pairs", "scores", "tau")

    scores: Scores = field(repr=False)
    comparison: Comparison = field(repr=False)
    parts: Mapping[str, Scores] = field(default_factory=dict, repr=False)
    found_notes: tuple[Note, ...] = ()

    @property
    def caption(self) -> str:
        runs, sets = len(self.scores.runs), len(self.scores.topics)
        return f"{runs} runs on {sets} data sets; each data set counts the same."

    @property
    def header(self) -> dict[str, Any]:
        return {"metrics": [each.record for each in self.scores.metrics]} | {
            "collections": list(self.scores.topics),
            "test": self.comparison.options.test,
        }

    @cached_property
    def frame(self) -> pl.DataFrame:
        """One row per metric and run, best first: mean over data sets, its rank, and Borda count.

        `borda` is the Borda count: the number of runs that the run beats, summed over data sets. A
        tie counts half. `first` is the number of data sets on which no run is better. `conf_low`
        and `conf_high` are the confidence interval of the mean over data sets. `collections` is the
        number of data sets.
        """
        from scipy.stats import rankdata

        def ranks(values: Floats) -> Ints:  # 1 for the highest value; equal values share a rank
            return rankdata(-dense_ranks(values), "min").astype(np.int64)

        frames = []
        ends = confidence(self.scores, 1 - self.comparison.options.alpha).frame
        for place, metric in enumerate(self.scores.metrics):
            means, intervals = self._best_high(place), ends.filter(metric=str(metric))
            points = (rankdata(dense_ranks(means.T), axis=1) - 1).sum(axis=0)
            columns = {
                "metric": str(metric),
                "run": list(self.scores.runs),
                "mean": self.scores.value[place].mean(axis=1),
                "conf_low": intervals["conf_low"],
                "conf_high": intervals["conf_high"],
                "rank": ranks(means.mean(axis=1)),
                "borda": points,
                "borda_rank": ranks(points),
                "first": (dense_ranks(-means.T) == 0).sum(axis=0),
                "collections": len(self.scores.topics),
            }
            frame = pl.DataFrame(columns, nan_to_null=True)
            frames.append(frame.sort("rank", maintain_order=True))
        return pl.concat(frames)

    def pairs(self) -> pl.DataFrame:
        """Return one row per metric and pair of runs: difference, intervals, p-values and wins.

        `difference` is the mean of run `a` over data sets, minus that of run `b`. The interval from
        `conf_low` to `conf_high` accounts for the sampling of data sets and of topics. The interval
        from `topics_low` to `topics_high` accounts only for the sampling of topics. `topics_low`
        and `topics_high` are null if only means are known, or if the variance over topics is 0 or
        unknown. `wins`, `ties` and `losses` count the data sets on which `a` wins, ties or loses.
        """
        names = ["metric", "a", "b", "difference", "conf_low", "conf_high", "p", "corrected_p"]
        names += ["significant", "wins", "ties", "losses"]
        first, second = self.comparison.first, self.comparison.second
        alpha, rows = self.comparison.options.alpha, []
        for place in range(len(self.scores.metrics)):
            values = [part.value[place] for part in self.parts.values()]
            rows.append(_interval_of_fixed(values, first, second, alpha))
        low, high = np.concatenate(rows, axis=1)
        ends = [pl.Series("topics_low", low), pl.Series("topics_high", high)]
        frame = self.comparison.frame.select(names).with_columns(ends)
        frame = frame.with_columns(pl.col("topics_low", "topics_high").fill_nan(None))
        return frame.select(*names[:6], "topics_low", "topics_high", *names[6:])

    def tau(self) -> pl.DataFrame:
        """Return Kendall's tau-b between the system rankings on each pair of data sets.

        There is one row per metric and pair of data sets `a` and `b`. `tau` is null if all runs tie
        on one of the two data sets.
        """
        rows = []
        for place, metric in enumerate(self.scores.metrics):
            means = self._best_high(place).T
            for one, other in zip(*np.triu_indices(len(means), 1), strict=True):
                value = float(kendall(dense_ranks(means[one]), dense_ranks(means[other])))
                names = (self.scores.topics[one], self.scores.topics[other])
                rows.append((str(metric), *names, None if np.isnan(value) else value))
        schema = {"metric": pl.String, "a": pl.String, "b": pl.String, "tau": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def means(self) -> pl.DataFrame:
        """Return the mean over topics of each run on each data set, for each metric."""
        return self.scores.frame.rename({"topic": "collection"})

    @property
    def notes(self) -> list[Note]:
        count = len(self.scores.topics)
        notes = [*self.found_notes]
        if count < FEW_TOPICS:
            what = "no difference is marked as significant: at least six data sets are needed, and "
            notes.insert(0, warning("few-collections", f"{what}there are {count}"))
        tau = self.tau()["tau"].drop_nulls().to_numpy()
        if len(tau):
            what = "Kendall's tau between the system rankings of two data sets is on average"
            text = f"{what} {tau.mean():.2f}, and at least {tau.min():.2f}"
            notes.append(note("tau", text))
        return [*notes, *self.scores.input_notes]

    def table(self, *, digits: int = 4, show: str = "runs") -> Table:
        """Return `frame` (`show="runs"`), `pairs`, `tau` or `means` as a table."""
        frames = {"runs": lambda: self.frame, "pairs": self.pairs}
        frames |= {"tau": self.tau, "means": self.means}
        if show not in frames:
            raise CallError(f"show {show!r} is not one of {', '.join(SHOWN)}.")
        options = self.comparison.options
        level = f"{100 * (1 - options.alpha):g} % confidence interval"
        columns = {
            "pairs": f"'conf_low' to 'conf_high' is the {level} {options.interval_words}, and "
            "accounts for the sampling of data sets and of topics. 'topics_low' to 'topics_high' "
            "is an interval that accounts only for the sampling of topics (Welch's t)",
            "runs": f"'conf_low' to 'conf_high' is the {level} of the mean over data sets. 'borda' "
            "is the number of runs that the run beats, summed over data sets (a tie counts half). "
            "'first' is the number of data sets on which no run is better",
        }
        notes = [detail("columns", columns[show])] if show in columns else []
        return Table(frames[show](), caption=self.caption, notes=notes, digits=digits)

    def _best_high(self, metric: int) -> Floats:
        """Return the means of a metric (an index), of shape (runs, data sets).

        The means are negated if lower is better.
        """
        sign = -1 if self.scores.metrics[metric].less_is_better else 1
        return sign * self.scores.value[metric]


def _interval_of_fixed(parts: list[Floats], first: Ints, second: Ints, alpha: float) -> Floats:
    """Return confidence limits of the mean difference over fixed data sets, of shape (2, pairs).

    `parts` has the scores on each data set, of shape (runs, topics). The limits are NaN if `parts`
    is empty. The notes of `compare_collections` have the formula of the variance.
    """
    if not parts:
        return np.full((2, len(first)), np.nan)
    from scipy.stats import t

    by_data_set = [moments(differences_of(values, first, second)) for values in parts]
    means = np.mean([each.mean for each in by_data_set], axis=0)
    counts = np.array([each.topics for each in by_data_set], np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        variances = np.array([each.sd for each in by_data_set]) ** 2 / counts  # of the means
        degrees = variances.sum(axis=0) ** 2 / (variances**2 / (counts - 1)).sum(axis=0)
        half = t.ppf(1 - alpha / 2, degrees) * np.sqrt(variances.sum(axis=0)) / len(parts)
    return np.stack([means - half, means + half])
