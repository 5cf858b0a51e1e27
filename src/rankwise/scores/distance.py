"""How far a system's scores are from the judgments, where scores are estimates of relevance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.errors import CallError
from rankwise.lazy import pl
from rankwise.rankings.join import about_topics
from rankwise.rankings.judged import TopicsOfRun
from rankwise.rankings.reading import read_qrels, read_runs
from rankwise.scores.given import scores_from_matrices
from rankwise.scores.table import Scores

if TYPE_CHECKING:
    from rankwise.rankings.accepted import QrelsLike, RunsLike
    from rankwise.rankings.rows import Qrels, Run


def average_distance(
    qrels: QrelsLike, runs: RunsLike, *, scaled: bool = False, lenient: bool = False
) -> Scores:
    """The average distance measure: ADM = 1 − Σ |s(d) − r(d)| / |D|, for each topic.

    s(d) is the system's score of a document, from 0 to 1, and 0 where it did not retrieve it;
    r(d) its judgment, from 0 to 1. D are the judged documents of the topic, where the measure
    is defined over the whole collection. Della Mea and Mizzaro, JASIST 55(6), 2004.

    Use it for systems that estimate relevance, as language models that label documents. Do
    not use it to compare rankings: two systems that rank alike may have any two scores.

    Parameters
    ----------
    qrels, runs, lenient
        As for `score`. Grades above 1 are divided by the highest there is; documents of
        negative grade do not count.
    scaled
        Whether the scores of each topic of a run are stretched to go from 0 to 1; otherwise
        a score below 0 or above 1 is an error.

    Returns
    -------
    Scores
        By topic, as those of any metric: `compare` and the other verbs take them.

    Examples
    --------
    >>> judged = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}}
    >>> average_distance(judged, {"1": {"a": 0.75, "b": 0.25, "x": 0.5}}).value.tolist()
    [[[0.625]]]
    """
    judged = read_qrels(qrels, lenient=lenient)
    given = read_runs(runs, lenient=lenient)
    wanted = _as_numbers(judged)
    matrix = wanted.select("topic").unique(maintain_order=True)
    topics = matrix["topic"].to_list()
    columns = [_closeness(wanted, run, scaled) for run in given]
    joined = [matrix.join(one, on="topic", how="left")["value"] for one in columns]
    names = [run.name or f"run {at}" for at, run in enumerate(given, 1)]
    table = pl.DataFrame([matrix["topic"], *map(pl.Series.alias, joined, names)])
    notes = [*judged.notes]
    for name, run in zip(names, given, strict=True):
        notes += [*run.notes, *about_topics(name, _topics_of(run, wanted), topics)]
    scores = replace(scores_from_matrices({"ADM": table}), input_notes=tuple(notes))
    own = [set(run.frame["topic"].unique()) for run in given]
    return replace(scores, present=np.array([[t in some for t in topics] for some in own]))


def _topics_of(run: Run, wanted: pl.DataFrame) -> TopicsOfRun:
    its = run.frame["topic"].unique(maintain_order=True).to_list()
    common = len(set(its) & set(wanted["topic"].unique()))
    met = run.frame.join(wanted, on=["topic", "document"], how="semi")["topic"].n_unique()
    return TopicsOfRun(common, len(its) - common, common - met, first=tuple(its[:3]))


def _as_numbers(qrels: Qrels) -> pl.DataFrame:
    """The judgments from 0 to 1, in a column `wanted`."""
    usable = qrels.frame.filter(pl.col("grade") >= 0)
    gain = pl.col("grade").cast(pl.Float64)
    if qrels.gains is not None:
        gain = pl.col("grade").replace_strict(dict(qrels.gains), return_dtype=pl.Float64)
    found = usable.select("topic", "document", wanted=gain)
    return found.with_columns(pl.col("wanted") / found["wanted"].to_numpy().max(initial=1.0))


def _closeness(wanted: pl.DataFrame, run: Run, scaled: bool) -> pl.DataFrame:
    score = pl.col("score")
    if scaled:
        lowest, highest = score.min().over("topic"), score.max().over("topic")
        level = pl.when(highest > lowest).then((score - lowest) / (highest - lowest))
        rows = run.frame.with_columns(score=level.otherwise(1.0))
    else:
        _check_scores(run)
        rows = run.frame
    both = wanted.join(rows, on=["topic", "document"], how="left")
    distance = (pl.col("score").fill_null(0.0) - pl.col("wanted")).abs()
    return both.group_by("topic").agg(value=1 - distance.mean())


def _check_scores(run: Run) -> None:
    wrong: Any = run.frame.filter(~pl.col("score").is_between(0, 1))
    if len(wrong):
        topic, document, score = wrong.select("topic", "document", "score").row(0)
        where = f"{run.name}: document {document} of topic {topic} has the score {score:g}"
        remedy = "`scaled=True` stretches the scores of each topic to go from 0 to 1"
        raise CallError(f"{where}; scores that estimate relevance are from 0 to 1. {remedy}.")
