"""Emulation of trec_eval: its measures, names, order of rows, and arithmetic."""

import re
from collections.abc import Iterator, Sequence
from math import exp
from typing import Any

import numpy as np

from rankwise.arrays import Floats
from rankwise.compat.trec_eval.measures import Request, Row, read_zscores, wanted_rows, z_scores
from rankwise.compat.trec_eval.preferences import preferences
from rankwise.errors import CallError, InputError
from rankwise.formats import File
from rankwise.notes import Note, note
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    Judgments,
    RunReading,
    opened,
    read_judgments,
    run_loaders,
)
from rankwise.scores import LEAST_IN_GEOMETRIC_MEAN, score_judged

__all__ = ["Request", "preferences", "relstrings", "row_values", "trec_eval"]

WITH_EXPONENT = re.compile(
    rb"^(?!#)[^\S\n]*\S+(?:[^\S\n]+\S+){2}[^\S\n]+([+-]?[\d.]+[eE]\S*)", re.MULTILINE
)
INSTEAD = "Use `rankwise score`."
OF_TOPICS = ("num_rel", "yaap")  # measures that need only the judgments, not the run


def trec_eval(qrels: Any, run: Any, request: Request) -> tuple[str, tuple[Note, ...]]:
    """Return the output of trec_eval for a run, and notes."""
    rows = wanted_rows(request)
    try:
        loaders = run_loaders(run, RunReading(as_trec_eval=True))
        judged = Collection(_whole_grades(qrels), loaders, depth=request.depth).judged()
    except InputError as error:
        raise error.without_remedy() from None  # trec_eval does not have the suggested option
    if len(judged.runs) != 1:
        raise CallError(f"trec_eval takes one run, but the file has {len(judged.runs)}.")
    if request.judged_only:
        judged = judged.condensed()
    order = sorted(range(len(judged.topics)), key=judged.topics.__getitem__)
    chosen = [topic for topic in order if request.complete or judged.present[topic]]
    values = row_values(judged, rows, request.level)[:, chosen]
    if request.zscores is not None:
        topics = [judged.topics[topic] for topic in chosen]
        rows, values = z_scores(rows, values, topics, read_zscores(request.zscores))
    lines = _topic_lines(judged, rows, values, chosen, request) if request.by_topic else iter(())
    ending = _summary_lines(judged, rows, values, request) if request.summary else iter(())
    notes, missing = list(judged.notes), int((~judged.present).sum())
    if missing:
        done = "count as 0" if request.complete else "are excluded"
        text = f"returned nothing for {missing} of {len(judged.topics)} topics, which {done}"
        notes.append(note("topics-missing", text, run=judged.runs[0]))
    return "".join([*lines, *ending]), tuple(notes)


def _whole_grades(qrels: Any) -> Judgments:
    """Read the judgments; raise an error for grades that trec_eval would misread (0.5, 1e3)."""
    file = opened(qrels)
    if isinstance(file, File) and file.may_be_trec:
        misread = WITH_EXPONENT.search(file.source.data)
        if misread:
            grade = misread[1].decode()
            what = f"grade {grade!r} has an exponent, which trec_eval does not read."
            raise InputError(file.name, f"{what} Write it as a whole number.")
    found = read_judgments(file)
    subtopics = None if found.subtopics is None else found.by_name.subtopics
    if subtopics is not None and subtopics.height > len(found.grades):
        what = "some documents are judged for several subtopics, which trec_eval does not read"
        raise CallError(f"{what}. {INSTEAD}")
    if found.gains is not None:
        what = "trec_eval reads only whole grades, but some grades are fractions"
        raise CallError(f"{what}. {INSTEAD}")
    return found


def row_values(judged: JudgedRankings, rows: Sequence[Row], level: int) -> Floats:
    """Return the values of the output rows, of shape (rows, topics).

    A value is 0 if the metric is undefined or if the run does not have the topic. Values that need
    only the judgments (num_rel, yaap and the ideal DCG) are computed for every topic.
    """
    metrics = list(dict.fromkeys(metric for row in rows for metric in row.metrics))
    scores = np.nan_to_num(score_judged(judged, metrics).value[:, 0, :])
    named = {metric: row.name for row in rows for metric in row.metrics}
    for metric, values in zip(metrics, scores, strict=True):
        if named[metric] not in OF_TOPICS:
            values[~judged.present] = 0
        if named[metric].startswith("Rndcg"):
            values[judged.judged_count(level) == 0] = 0
    values = np.zeros((len(rows), len(judged.topics)))
    score_of = dict(zip(metrics, scores, strict=True))
    for row, value in zip(rows, values, strict=True):
        for metric in reversed(row.metrics):
            value += score_of[metric]
        value /= max(len(row.metrics), 1)
        if row.ideal is not None:  # this value does not need the run
            value[:] = row.ideal.ideal(judged).total(row.ideal.discount)
    return values


def _topic_lines(
    judged: JudgedRankings, rows: Sequence[Row], values: Floats, chosen: list[int], request: Request
) -> Iterator[str]:
    columns = []
    for row, value in zip(rows, values, strict=True):
        if row.length is not None:
            strings = relstrings(judged, row.length)
            texts = [f"'{strings[topic]}'" for topic in chosen]
        else:
            texts = [row.show(number) for number in value.tolist()]
        if row.by_topic:
            topics = (judged.topics[topic] for topic in chosen)
            pairs = zip(topics, texts, strict=True)
            columns.append([row.line(topic, text, request) for topic, text in pairs])
    return (line for lines in zip(*columns, strict=True) for line in lines)


def _summary_lines(
    judged: JudgedRankings, rows: Sequence[Row], values: Floats, request: Request
) -> Iterator[str]:
    count = values.shape[1]
    for row, value in zip(rows, values, strict=True):
        if row.length is not None:
            continue
        if row.average == "geometric" and request.zscores is not None:  # mean of logarithms
            total = exp(np.cumsum(value)[-1] / count)
        elif row.average == "geometric":
            total = exp(np.cumsum(np.log(np.maximum(value, LEAST_IN_GEOMETRIC_MEAN)))[-1] / count)
        else:  # NumPy's sum would use another order of addition
            total = np.cumsum(value)[-1] / (1 if row.average == "sum" else count)
        if row.name == "num_rel" and request.complete:  # trec_eval then ignores -l
            total = judged.judged_count(1).sum()
        total = count if row.name == "num_q" else total
        text = judged.runs[0] if row.name == "runid" else row.show(total)
        yield row.line("all", text, request)


def relstrings(judged: JudgedRankings, length: int) -> list[str]:
    """Return the grades at the top of each ranking, as one string per ranking.

    `-` is an unjudged document, `.` a negative grade, and `>` a grade above 9.
    """
    length = min(length, int(judged.length.max(initial=0)))
    table = np.full((judged.count, length), "-")
    top = judged.rank <= length
    marks = np.array([*".0123456789>"])[np.clip(judged.grade[top], -1, 10) + 1]
    table[judged.ranking[top], judged.rank[top] - 1] = marks
    pairs = zip(table.tolist(), judged.length.tolist(), strict=True)
    return ["".join(marks[:retrieved]) for marks, retrieved in pairs]
