"""lm-evaluation-harness: samples_TASK_DATE.jsonl of --log_samples, and results_DATE.json."""

from __future__ import annotations

import re
from math import exp, inf, log
from pathlib import Path, PurePath
from typing import Any

from rankwise.errors import InputError
from rankwise.formats.base import File
from rankwise.formats.json_values import Value
from rankwise.formats.score_table import ScoreRow, rows_frame, run_of_file, score_of
from rankwise.lazy import pl

OF_SAMPLES = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT[\d.:-]+$")
NOT_SCORES = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}
# Logged as log-likelihoods, which --log_samples does not turn into scores.
LIKELIHOODS = {"perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte"}


def is_sample(record: Any) -> bool:
    return isinstance(record, dict) and {"doc_id", "resps", "arguments"} <= record.keys()


def read_samples(records: list[Value], file: File) -> pl.DataFrame:
    """Return the scores of each document; the run is the folder, which is named by the model.

    A topic is task/document. A metric of a filter other than `none` is `metric,filter`.
    Perplexities are those of each document; other metrics without a score per document, such as
    BLEU, are left out.
    """
    name = run_of_file(file)
    task = OF_SAMPLES.fullmatch(name)
    folder = Path(file.name).resolve().parent.name
    run, prefix = (folder, f"{task[1]}/") if task and folder else (name, "")
    rows = []
    for record in records:
        topic = prefix + record["doc_id"].name()
        chosen = record.get("filter")
        after = "" if chosen is None or chosen.found == "none" else f",{chosen.name()}"
        for metric, value in record.items():
            if metric in LIKELIHOODS:
                rows.append(ScoreRow(run, topic, metric + after, _perplexity(metric, value.found)))
            elif metric not in NOT_SCORES and isinstance(value.found, int | float):
                rows.append(ScoreRow(run, topic, metric + after, score_of(value)))
    if not rows and records:
        what = f"has no score per document: {', '.join(records[0]['metrics'].found)}."
        raise InputError(file.name, what)
    return rows_frame(rows)


def _perplexity(metric: str, logged: Any) -> float | None:
    """Return a document's perplexity or bits per byte: logged are its log-likelihood and length."""
    likelihood, length = logged if isinstance(logged, list) else (logged, 1)
    if not isinstance(likelihood, int | float) or not length:
        return None
    bits = -likelihood / length / log(2)
    if metric == "bits_per_byte":
        return bits
    return exp(bits * log(2)) if bits < 1_000 else inf


def is_results(found: Any) -> bool:
    """Whether it holds the means of tasks."""
    if not isinstance(found, dict) or not isinstance(found.get("results"), dict):
        return False
    return {"n-samples", "versions", "higher_is_better"} & found.keys() != set()


def read_results(found: Value, file: File) -> pl.DataFrame:
    """Return the mean of each task, which is a topic here."""
    model = found.get("model_name")
    folder = PurePath(Path(file.name).resolve()).parent.name
    run = folder or run_of_file(file) if model is None else model.name()
    rows = []
    for task, results in found["results"].items():
        for name, value in results.items():
            metric, _, chosen = name.partition(",")
            is_score = chosen and not metric.endswith("_stderr")
            if is_score and isinstance(value.found, int | float):
                shown = metric if chosen == "none" else name
                rows.append(ScoreRow(run, task, shown, score_of(value)))
    return rows_frame(rows)
