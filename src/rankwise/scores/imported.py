"""Imported scores: matrices of topics × systems, or tables with one row per score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from rankwise.arrays import Floats
from rankwise.errors import CallError, InputError, RankwiseError, did_you_mean, some_of
from rankwise.formats import read_matrix, read_score_rows, to_polars
from rankwise.lazy import pl
from rankwise.metrics import Metric, as_printed, parse, text as text_parameter
from rankwise.notes import note, warning
from rankwise.rankings import JudgedRankings
from rankwise.scores.scores import NUGGETS, Scores
from rankwise.wording import Argument, Count, Remedy

if TYPE_CHECKING:
    from rankwise.rankings import Frame

    ScoresLike: TypeAlias = str | Path | Frame


class GivenMetric(Metric):
    """A metric of imported scores, known only by its name; higher is better."""

    name: str = text_parameter("")
    score_range: ClassVar[tuple[float, float] | None] = (-np.inf, np.inf)

    def written(self, *, without: str | None = None) -> str:
        return self.name

    __str__ = written

    @property
    def as_printed(self) -> str:
        return as_printed(self.name)

    @property
    def record(self) -> dict[str, Any]:
        return {"name": self.name, "parameters": {}}

    def compute(self, judged: JudgedRankings) -> Floats:
        raise CallError(f"{self}: this metric has imported scores, and cannot score rankings.")


class GivenCost(GivenMetric):
    """An imported metric for which lower is better."""

    less_is_better: ClassVar[bool] = True


class GivenDiagnostic(GivenMetric):
    """An imported diagnostic, which does not measure quality."""

    is_diagnostic: ClassVar[bool] = True


def given_like(name: str, metric: Metric) -> GivenMetric:
    """Return an imported metric with this name, and with the direction of `metric`."""
    if metric.is_diagnostic:
        return GivenDiagnostic(name=name)
    return GivenCost(name=name) if metric.less_is_better else GivenMetric(name=name)


# Metrics of lm-evaluation-harness, sacrebleu and deepeval for which lower is better.
COSTS = {
    *("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "ter", "wer", "cer"),
    *("hallucination", "bias", "toxicity"),
}


def named_metric(name: str) -> GivenMetric:
    """Return an imported metric with this name.

    If the name is that of a known metric, the direction of the known metric is used. Otherwise
    higher is better.
    """
    if name.partition(",")[0].lower() in COSTS:
        return GivenCost(name=name)
    try:
        return given_like(name, parse(name))
    except RankwiseError:
        return GivenMetric(name=name)


def read_scores(
    sources: ScoresLike | Sequence[ScoresLike] | Mapping[str, ScoresLike],
    *,
    metrics: str | Sequence[str] | None = None,
    less_is_better: str | Sequence[str] = (),
) -> Scores:
    """Read scores that another tool computed, for `compare`, `correlate` and other functions.

    A missing score is undefined. In nugget assignments, a missing answer scores 0 if another run
    has a score on the topic. Matrices must have the same systems and topics.

    Parameters
    ----------
    sources
        One of these:

        - A file or frame with one row per score, and columns run (or name), topic (qid), metric
          (measure) and value. `rankwise score` writes these files, and PyTerrier returns these
          frames as per-query results.
        - A file of another tool: trec_eval, ir_measures, AutoJudge, lm-evaluation-harness,
          inspect_ai, ragas, deepeval, promptfoo, BEIR.
        - A folder of MTEB's results. Its tasks become topics.
        - Nugget assignments of answers, in the format of nuggetizer.
        - A list of the above.
        - {metric: file or frame}: each file or frame has one row per score, and only the rows of
          this metric are used; or it is a matrix with one row per topic and one column per system.
        - {run: file or frame}: each file or frame has one row per score. The keys of a dict are
          taken as run names if every file or frame has a column of metrics and only one run, and
          no metric has the name of the key. Otherwise the keys are taken as metric names.
    metrics
        Names of the metrics to read; by default all.
    less_is_better
        Names of further metrics for which lower is better. The direction of rankwise's own metrics
        is known. Lower is also better for perplexity, bits_per_byte, TER, WER, CER, hallucination,
        bias and toxicity, and higher is better for all other metrics.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"name": ["a", "b"], "qid": ["1", "1"], "measure": ["AP", "AP"]}
    >>> read_scores(pl.DataFrame(rows | {"value": [0.5, 1.0]})).pivot().rows()
    [('b', 1.0), ('a', 0.5)]
    """
    found = _read(sources)
    if metrics is not None:
        found = select_metrics(found, metrics)
    costs = _named_in(found, less_is_better)
    directed = [
        GivenCost(name=str(metric)) if str(metric) in costs else metric for metric in found.metrics
    ]
    return replace(found, metrics=tuple(directed))


def _named_in(scores: Scores, names: str | Sequence[str]) -> list[str]:
    """Return the names of the metrics with these names or aliases.

    A text that is not the name of a metric is split at commas.
    """
    known = {str(metric) for metric in scores.metrics}
    found = []
    for text in [names] if isinstance(names, str) else names:
        parts = [text] if text in known else text.split(",")
        found += [str(scores[part.strip()].metrics[0]) for part in parts]
    return list(dict.fromkeys(found))


def select_metrics(scores: Scores, names: str | Sequence[str]) -> Scores:
    """Return the scores of the metrics with these names or aliases, in the order of `names`."""
    known = [str(metric) for metric in scores.metrics]
    return scores.of_metrics([known.index(name) for name in _named_in(scores, names)])


def _read(sources: ScoresLike | Sequence[ScoresLike] | Mapping[str, ScoresLike]) -> Scores:
    if isinstance(sources, Mapping):
        tables = {name: read_score_rows(given) for name, given in sources.items()}
        if _name_runs(tables):
            known = {name: table for name, table in tables.items() if table is not None}
            return _from_rows([rows.with_columns(run=pl.lit(name)) for name, rows in known.items()])
        named = {name: _matrix_of(name, given) for name, given in sources.items()}
        return scores_from_matrices(named)
    several = sources if isinstance(sources, list | tuple) else [sources]
    parts = [_rows_of(source) for source in several]
    if not parts:
        raise CallError("no scores are given.")
    with_ends = ["low" in part.columns for part in parts]
    if any(with_ends):
        if not all(with_ends):
            what = "nugget assignments cannot be combined with other scores. Read them separately."
            raise CallError(what)
        return _of_nuggets(pl.concat(parts))
    return _from_rows(parts)


def _name_runs(tables: Mapping[str, pl.DataFrame | None]) -> bool:
    """Return whether the keys are names of runs, not of metrics.

    Keys are names of runs if each table has a column of metrics, only one run, and no metric with
    the same name as its key.
    """
    return bool(tables) and all(
        table is not None
        and "metric" in table.columns
        and table["run"].n_unique() == 1
        and name not in table["metric"]
        for name, table in tables.items()
    )


def _from_rows(parts: Sequence[pl.DataFrame]) -> Scores:
    """Return scores from tables with one row per score.

    Two scores for the same run, topic and metric are an error.
    """
    rows = pl.concat([part.select("run", "topic", "metric", "value") for part in parts])
    keys = ["run", "topic", "metric"]
    twice = rows.filter(rows.select(keys).is_duplicated())
    if len(twice):
        given = ", ".join(f"{name} {twice[name][0]}" for name in keys)
        named = Argument("matrices", "RUN=FILE", python="{run: FILE}")
        what = (f"two files have a score for {given}. Name the run of each file: ", named, ".")
        raise InputError("the scores", what)
    metrics = rows["metric"].unique(maintain_order=True).to_list()
    return scores_from_matrices({str(name): _pivoted(rows, str(name)) for name in metrics})


def _of_nuggets(rows: pl.DataFrame) -> Scores:
    """Return the scores of answers from nugget assignments, with bounds.

    A missing answer scores 0 if another run has a score on the topic.
    """
    names = rows["metric"].unique(maintain_order=True).to_list()
    pairs = (
        rows.select("run")
        .unique(maintain_order=True)
        .join(rows.select("topic", "metric").unique(maintain_order=True), how="cross")
    )
    is_missing = pl.col("is_there").is_null()
    defined = pl.col("value").is_not_null().any().over("topic", "metric")
    rows = pairs.join(
        rows.with_columns(is_there=True), on=["run", "topic", "metric"], how="left"
    ).with_columns(
        pl.when(is_missing & defined).then(0.0).otherwise(pl.col(end)).alias(end)
        for end in ("value", "low", "high")
    )
    cubes = {
        end: scores_from_matrices(
            {name: _pivoted(rows.with_columns(value=pl.col(end)), name) for name in names}
        )
        for end in ("value", "low", "high")
    }
    lacking = rows.filter(is_missing).select("run", "topic").unique().height
    text = "'low' counts nuggets without an assignment as not supported, 'high' as supported"
    notes = [note(NUGGETS, text)]
    if lacking:
        count = Count(lacking, "answer is missing and scores", "answers are missing and score")
        notes.append(warning("no-answer", count, " 0"))
    low, high = cubes["low"].value, cubes["high"].value
    return replace(cubes["value"], low=low, high=high, input_notes=tuple(notes))


def _long_form(given: Any, called: str) -> pl.DataFrame | None:
    """Return a table with one row per score, or None if a file or frame has another form."""
    rows = read_score_rows(given)
    frame = None if isinstance(given, str | Path) else to_polars(given)
    if rows is None and frame is None and not isinstance(given, str | Path):
        kind = type(given).__name__
        raise CallError(f"{called} have the type {kind}. Pass a file, a folder or a frame.")
    return rows


def _rows_of(given: Any) -> pl.DataFrame:
    rows = _long_form(given, "scores")
    frame = None if isinstance(given, str | Path) else to_polars(given)
    if rows is None and frame is not None:
        what = (
            "the frame does not have the columns run, topic, metric and value; it has "
            f"{some_of(frame.columns, 8)}. If it has one column per system, use "
            "{metric: frame}, for example {'AP': frame}."
        )
        raise InputError("the scores", what)
    if rows is None or "metric" not in rows.columns:
        called = given if isinstance(given, str | Path) else "the scores"
        named = Argument("matrices", "AP=FILE", python="{'AP': FILE}")
        remedy = Remedy(named, "name the metric, or add this column")
        raise InputError(str(called), "has no column called metric.", remedy=remedy)
    return rows


def _matrix_of(name: str, given: Any) -> pl.DataFrame:
    """Return the scores of one metric, with one row per topic and one column per system."""
    rows = _long_form(given, f"the scores {name!r}")
    frame = None if isinstance(given, str | Path) else to_polars(given)
    if rows is None:
        return read_matrix(given) if frame is None else frame
    if "metric" not in rows.columns:
        return _pivoted(rows.with_columns(metric=pl.lit(name)), name)
    known = rows["metric"].unique(maintain_order=True).to_list()
    if name not in known:
        near = did_you_mean(name, known)
        called = str(given) if isinstance(given, str | Path) else "the scores"
        what = f"has no scores of {name!r}. Metrics: {some_of(known, 8)}.{near}"
        raise InputError(called, what)
    return _pivoted(rows, name)


def _pivoted(rows: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return the scores of a metric, with one row per topic and one column per run.

    All topics and runs of `rows` are included; a missing score is NaN.
    """
    runs = rows["run"].unique(maintain_order=True).to_list()
    topics = rows.select("topic").unique(maintain_order=True)
    table = rows.filter(pl.col("metric") == metric).pivot("run", index="topic", values="value")
    table = topics.join(table, on="topic", how="left")
    # Without expressions, because polars would read a name such as * or ^a.*$ as a pattern.
    nothing = np.full(len(table), np.nan)
    columns = {run: table[run].to_numpy() if run in table.columns else nothing for run in runs}
    return pl.DataFrame({"topic": table["topic"], **columns})


def scores_from_matrices(matrices: Mapping[str, str | Path | pl.DataFrame]) -> Scores:
    """Return scores from {metric: matrix}, with one row per topic and one column per system.

    All matrices must have the same systems and topics.

    >>> ap = pl.DataFrame({"topic": ["1", "2"], "a": [0.5, 0.25], "b": [0.5, 1.0]})
    >>> scores_from_matrices({"AP": ap}).pivot().rows()
    [('b', 0.75), ('a', 0.375)]
    """
    if not matrices:
        raise CallError("no scores are given.")
    tables = {
        name: given if isinstance(given, pl.DataFrame) else read_matrix(given)
        for name, given in matrices.items()
    }
    (first, table), *others = tables.items()
    runs, topics = table.columns[1:], table["topic"].to_list()
    for name, other in others:
        if set(other.columns) != set(table.columns) or set(other["topic"]) != set(topics):
            what = f"the scores {first!r} and {name!r} have different systems or topics."
            raise CallError(what)
    place = {topic: at for at, topic in enumerate(topics)}
    cube = []
    for other in tables.values():
        order = np.argsort([place[topic] for topic in other["topic"]])
        cube.append([other[run].to_numpy()[order] for run in runs])
    value = np.array(cube)
    if np.isinf(value).any():
        metric, run, topic = np.argwhere(np.isinf(value))[0]
        where = f"{list(tables)[metric]} of run {runs[run]} on topic {topics[topic]}"
        raise InputError(
            "the scores", f"{where} is infinite. Leave the cell empty if the score is undefined."
        )
    return Scores(
        tuple(named_metric(name) for name in tables),
        tuple(runs),
        tuple(topics),
        value,
        present=np.ones((len(runs), len(topics)), np.bool_),
    )
