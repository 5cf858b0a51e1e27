"""TREC's RAG track: generated answers, read as runs, and nugget assignments, read as scores.

The documents that an answer cites are read as an unordered run.

A line of nugget assignments, in the format of nuggetizer, describes an answer: `qid`, `run_id`, and
`nuggets` with an `importance` (vital or okay) and an `assignment` (support, partial_support,
not_support). The score of an answer is the fraction of nuggets that it supports. Partial support
counts one half, but 0 in strict scores. An okay nugget counts one half in weighted scores, and 0 in
vital scores (Pradeep et al., 2024).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from rankwise.errors import Fault, InputError
from rankwise.formats.base import COMPRESSED, NO_ORDER, File, Format, Table
from rankwise.formats.source import Kind
from rankwise.lazy import pl
from rankwise.notes import note

WEIGHTS = {
    "all": {"vital": 1.0, "okay": 1.0},
    "vital": {"vital": 1.0, "okay": 0.0},
    "weighted": {"vital": 1.0, "okay": 0.5},
}
CREDITS = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
FAILED = "failed"  # written by nuggetizer if the model gave no usable assignment
ANSWER_IS = (
    "A line is {topic_id, run_id, references: [document], answer: [{text, citations: [0]}]}."
)
NUGGETS_ARE = (
    "A line is {qid, run_id, nuggets: [{importance, assignment}]}, as nuggetizer writes it."
)
TOPICS = ("topic_id", "narrative_id", "qid")


def _recognises(file: File) -> bool:
    """Return whether the first line is an answer with its references."""
    line = file.first_line
    return line.startswith("{") and '"references"' in line and '"answer"' in line


def _read(file: File, kind: Kind) -> Table:
    if kind == "qrels":
        raise InputError(file.name, "answers are a run, and cannot be read as judgments.")
    rows: list[dict[str, Any]] = []
    for number, line in file.source.lines():
        try:
            answer = json.loads(line)
            about = answer.get("metadata", {}) | answer
            topic = next(str(about[name]) for name in TOPICS if name in about)
            documents = _cited(answer)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, StopIteration):
            fault = Fault(number, "not an answer with topic_id, references and citations", line)
            raise InputError(file.name, ANSWER_IS, [fault]) from None
        name = about.get("run_id")
        rows += [
            {"topic": topic, "document": document, "score": float(-place)}
            | ({} if name is None else {"run": str(name)})
            for place, document in enumerate(documents)
        ]
    if not rows:
        raise InputError(file.name, "no answer cites a document.")
    text = (
        "the documents that an answer cites have no order, so metrics that use ranks do not apply"
    )
    return Table(pl.DataFrame(rows), notes=(note(NO_ORDER, text),))


def _cited(answer: dict[str, Any]) -> list[str]:
    """Return the distinct documents that the sentences of an answer cite.

    A citation is the name of a document, or an index of `references`.
    """
    references = answer["references"]
    cited = [one for sentence in answer["answer"] for one in sentence.get("citations") or []]
    if any(isinstance(one, int) and not 0 <= one < len(references) for one in cited):
        raise IndexError
    documents = [references[one] if isinstance(one, int) else one for one in cited]
    return list(dict.fromkeys(map(str, documents)))


ANSWERS = Format("answers of TREC's RAG track", _recognises, _read)


def has_nuggets(file: File) -> bool:
    """Return whether the first line is an answer with its nuggets."""
    return file.first_line.startswith("{") and '"nuggets"' in file.first_line


def nugget_scores(file: File) -> pl.DataFrame:
    """Return the scores of answers as columns run, topic, metric, value, low and high.

    Nuggets without an assignment, or with a failed one, count as not supported in `value` and
    `low`, and as supported in `high`. A score without nuggets is null.
    """
    rows = [
        {"run": run, "topic": topic, "metric": name} | scores
        for run, topic, nuggets in _answers(file)
        for name, scores in _scores(nuggets).items()
    ]
    return pl.DataFrame(rows, infer_schema_length=None)


def _answers(file: File) -> Iterator[tuple[str, str, list[tuple[str, str | None]]]]:
    path = PurePath(file.name)
    stem = path.name if path.suffix not in COMPRESSED else path.stem
    for number, line in file.source.lines():
        try:
            answer = json.loads(line)
            topic = answer.get("qid", answer.get("topic_id"))
            pairs = [(one.get("importance"), one.get("assignment")) for one in answer["nuggets"]]
            pairs = [(i, None if a in (None, "", FAILED) else a) for i, a in pairs]
        except (ValueError, KeyError, TypeError, AttributeError):
            fault = Fault(number, "not an answer with qid and nuggets", line)
            raise InputError(file.name, NUGGETS_ARE, [fault]) from None
        if topic is None:
            raise InputError(file.name, NUGGETS_ARE, [Fault(number, "no qid", line)])
        for importance, assignment in pairs:
            if importance not in WEIGHTS["all"]:
                what = f"importance {importance!r} is neither vital nor okay"
                raise InputError(file.name, NUGGETS_ARE, [Fault(number, what, line)])
            if assignment is not None and assignment not in CREDITS:
                what = f"assignment {assignment!r} is not one of {', '.join(CREDITS)}"
                raise InputError(file.name, NUGGETS_ARE, [Fault(number, what, line)])
        yield str(answer.get("run_id") or PurePath(stem).stem), str(topic), pairs


def _scores(nuggets: list[tuple[str, str | None]]) -> dict[str, dict[str, Any]]:
    scores: dict[str, dict[str, Any]] = {}
    for name, weights in WEIGHTS.items():
        total = sum(weights[importance] for importance, _ in nuggets)
        for strict in (False, True):
            credits = CREDITS | ({"partial_support": 0.0} if strict else {})
            known = sum(weights[i] * credits[a] for i, a in nuggets if a is not None)
            open_weight = sum(weights[importance] for importance, a in nuggets if a is None)
            ends = (known, known, known + open_weight)
            keys = ("value", "low", "high")
            called = f"{'strict_' if strict else ''}{name}_score"
            scores[called] = {
                key: end / total if total else None for key, end in zip(keys, ends, strict=True)
            }
    return scores
