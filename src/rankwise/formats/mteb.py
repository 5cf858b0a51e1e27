"""MTEB: predictions of a model as runs, and results of models by task as scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankwise.errors import InputError, did_you_mean
from rankwise.formats.base import Part
from rankwise.formats.json_values import Document, Value, by_topic
from rankwise.formats.python_objects import from_mapping
from rankwise.lazy import pl
from rankwise.wording import Argument, Remedy

MODEL = "mteb_model_meta"
NOT_SCORES = {"hf_subset", "languages"}


def is_predictions(found: Any) -> bool:
    return isinstance(found, Mapping) and MODEL in found


def predictions_run(found: Value) -> pl.DataFrame:
    """Return the rankings of the only subset and split, named after the model."""
    subset = _only(found, "subset", {k: v for k, v in found.items() if k != MODEL})
    rankings = _only(subset, "split", dict(subset.items()))
    if not isinstance(rankings.found, Mapping):
        raise rankings.wrong(
            "has no rankings. Only MTEB's retrieval and reranking tasks have them."
        )
    frame = from_mapping(rankings.found, found.source, "run", {})
    return frame.with_columns(run=pl.lit(found[MODEL]["model_name"].name()))


def part_of_predictions(found: Value, part: Part) -> Value:
    """Return the predictions of one subset and split."""
    kept = {MODEL: found[MODEL].found}
    for name, inside in _chosen(found, "subset", part.subset):
        splits = _chosen(inside, "split", part.split)
        kept[name] = {split: rankings.found for split, rankings in splits}
    return Value(kept, found.source, found.place)


def _chosen(found: Value, what: str, given: str | None) -> list[tuple[str, Value]]:
    parts = [(name, value) for name, value in found.items() if name != MODEL]
    names = [name for name, _ in parts]
    if given is not None and given not in names:
        near = did_you_mean(given, names)
        there = ", ".join(names) or "none"
        raise found.wrong(f"has no {what} {given!r}; there are {there}.{near}")
    return [part for part in parts if given in (None, part[0])]


def _only(found: Value, what: str, parts: dict[str, Value]) -> Value:
    if len(parts) == 1:
        return next(iter(parts.values()))
    if not parts:
        raise found.wrong(f"holds no {what}.")
    names, example = ", ".join(parts), next(iter(parts))
    remedy = Remedy(Argument(what, example), "choose one")
    raise found.wrong(f"holds {len(parts)} {what}s: {names}.", remedy)


PREDICTIONS = Document(
    "MTEB's predictions", is_predictions, run=predictions_run, part_of=part_of_predictions
)


def predictions_of(frame: pl.DataFrame, name: str) -> dict[str, Any]:
    """Build predictions of one subset and split from columns topic, document, score."""
    rankings = {
        topic: dict(rows.select("document", "score").rows()) for topic, rows in by_topic(frame)
    }
    return {MODEL: {"model_name": name, "revision": None}, "default": {"test": rankings}}


def is_task_result(found: Any) -> bool:
    return isinstance(found, Mapping) and {"task_name", "scores", "mteb_version"} <= found.keys()


def task_scores(found: Value, model: str) -> pl.DataFrame:
    """Return columns run, topic, metric, value for one task's results; a topic is a task.

    If a task has several splits or subsets, each is a topic: Task/test/de.
    """
    task = found["task_name"].name()
    parts = [
        (split, scores) for split, listed in found["scores"].items() for scores in listed.each()
    ]
    rows = []
    for split, scores in parts:
        subset = scores["hf_subset"].name()
        topic = task if len(parts) == 1 else f"{task}/{split}/{subset}"
        for metric, value in scores.items():
            if metric not in NOT_SCORES and isinstance(value.found, int | float):
                rows.append((model, topic, metric, float(value.found)))
    schema = {"run": pl.String, "topic": pl.String, "metric": pl.String, "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def model_of(path: Path) -> str:
    """Return the model of a results file: results/MODEL/REVISION/TASK.json."""
    folder = path.resolve().parent.parent.name
    if not folder:
        what = "does not name its model. Results are in results/MODEL/REVISION/TASK.json."
        raise InputError(str(path), what)
    return folder.replace("__", "/")
