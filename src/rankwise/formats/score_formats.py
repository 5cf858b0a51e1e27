"""Formats of scores that other tools write, in the order of recognition.

To add a tool, write a file here with a function that recognises its files and one that returns
columns run, topic, metric and value, and add both to READERS.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from rankwise.errors import InputError
from rankwise.formats import beir, deepeval, inspect_ai, lm_eval, mteb, promptfoo, score_lines
from rankwise.formats.base import File
from rankwise.formats.json import each_record, first_record
from rankwise.formats.json_values import Value
from rankwise.formats.score_table import averaged
from rankwise.lazy import pl


class ScoreFormat(NamedTuple):
    """A file format of scores."""

    name: str
    recognises: Callable[[File], bool]
    read: Callable[[File], pl.DataFrame]


def _document(file: File) -> Value:
    return Value(file.json, file.name)


def _records(file: File) -> list[Value]:
    return [Value(record, file.name, f"line {line}:") for line, record in each_record(file)]


def _mteb(file: File) -> pl.DataFrame:
    return mteb.task_scores(_document(file), mteb.model_of(Path(file.name)))


SCORE_FORMATS = (
    ScoreFormat("inspect_ai's .eval", inspect_ai.is_zip, inspect_ai.read_zip),
    ScoreFormat(
        "lm-evaluation-harness's samples",
        lambda file: lm_eval.is_sample(first_record(file)),
        lambda file: lm_eval.read_samples(_records(file), file),
    ),
    ScoreFormat(
        "promptfoo's lines",
        lambda file: promptfoo.is_result(first_record(file)),
        lambda file: promptfoo.read_each(_records(file)),
    ),
    ScoreFormat("MTEB's results", lambda file: mteb.is_task_result(file.json), _mteb),
    ScoreFormat(
        "inspect_ai's log",
        lambda file: inspect_ai.is_log(file.json),
        lambda file: inspect_ai.read_log(_document(file)),
    ),
    ScoreFormat(
        "promptfoo's results",
        lambda file: promptfoo.is_results(file.json),
        lambda file: promptfoo.read_results(_document(file)),
    ),
    ScoreFormat(
        "lm-evaluation-harness's results",
        lambda file: lm_eval.is_results(file.json),
        lambda file: lm_eval.read_results(_document(file), file),
    ),
    ScoreFormat(
        "deepeval's test run",
        lambda file: deepeval.is_test_run(file.json),
        lambda file: deepeval.read_test_run(_document(file), file),
    ),
    ScoreFormat(
        "BEIR's results",
        lambda file: beir.is_results(file.json),
        lambda file: beir.read_results(_document(file), file),
    ),
)
LINES = ScoreFormat("lines of scores", score_lines.recognises, score_lines.read)


def recognise_scores(file: File) -> ScoreFormat | None:
    """Return the tool's format; None for a table or something else."""
    return next((each for each in SCORE_FORMATS if each.recognises(file)), None)


def read_tool_scores(file: File, form: ScoreFormat) -> pl.DataFrame:
    """Read the scores; a file without any is an error."""
    found = form.read(file)
    if found.is_empty():
        raise InputError(file.name, f"is read as {form.name}, and holds no scores.")
    return averaged(found) if form is not LINES else found
