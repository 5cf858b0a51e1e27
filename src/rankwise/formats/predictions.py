"""Predictions of embedding models: files of MTEB and of sentence-transformers."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rankwise.errors import InputError, did_you_mean
from rankwise.formats.base import Details, File, Format, Part, Table
from rankwise.formats.json import JSON_LINES
from rankwise.formats.json_values import Document, Value, by_topic, has, json_bytes
from rankwise.formats.python_objects import from_mapping
from rankwise.formats.source import Kind
from rankwise.lazy import pl
from rankwise.wording import Argument, Remedy

MODEL = "mteb_model_meta"


def _mteb_run(found: Value) -> pl.DataFrame:
    """Return the rankings of the only subset and split; the run has the name of the model."""
    rankings = found
    for level in ("subset", "split"):
        parts = {name: value for name, value in rankings.items() if name != MODEL}
        if not parts:
            raise rankings.wrong(f"holds no {level}.")
        if len(parts) > 1:
            remedy = Remedy(Argument(level, next(iter(parts))), "choose one")
            raise rankings.wrong(f"holds {len(parts)} {level}s: {', '.join(parts)}.", remedy)
        [rankings] = parts.values()
    if not isinstance(rankings.found, Mapping):
        raise rankings.wrong(
            "has no rankings. Only MTEB's retrieval and reranking tasks have them."
        )
    frame = from_mapping(rankings.found, found.source, "run", {})
    return frame.with_columns(run=pl.lit(found[MODEL]["model_name"].name()))


def _mteb_part(found: Value, part: Part) -> Value:
    """Return the predictions of the requested subset and split; by default, of all."""
    predictions = {MODEL: found[MODEL].found}
    for name, inside in _chosen(found, "subset", part.subset):
        splits = _chosen(inside, "split", part.split)
        predictions[name] = {split: rankings.found for split, rankings in splits}
    return Value(predictions, found.source, found.place)


def _chosen(found: Value, level: str, wanted: str | None) -> list[tuple[str, Value]]:
    parts = [(name, value) for name, value in found.items() if name != MODEL]
    names = [name for name, _ in parts]
    if wanted is not None and wanted not in names:
        near = did_you_mean(wanted, names)
        there = ", ".join(names) or "none"
        raise found.wrong(f"has no {level} {wanted!r}; there are {there}.{near}")
    return [part for part in parts if wanted in (None, part[0])]


MTEB = Document(
    "MTEB's predictions", lambda found: has(found, MODEL), run=_mteb_run, part_of=_mteb_part
)


def mteb_of(frame: pl.DataFrame, _: Details) -> bytes:
    """Return a run as MTEB's predictions of the subset `default` and the split `test`."""
    rankings = {topic: dict(rows) for topic, rows in by_topic(frame, "document", "score")}
    model = {"model_name": str(frame["run"][0]), "revision": None}
    return json_bytes({MODEL: model, "default": {"test": rankings}})


def _is_sentence_transformers(file: File) -> bool:
    """Return whether the first line is a query with its results (corpus documents and scores)."""
    if not file.has_json_lines or '"corpus_id"' not in file.first_line:
        return False
    try:
        record = json.loads(file.first_line)
    except (ValueError, RecursionError):
        return False
    if not has(record, "results.0{}"):
        return False
    return record["results"][0].keys() == {"corpus_id", "score"}


def _read_sentence_transformers(file: File, kind: Kind) -> Table:
    if kind == "qrels":
        what = "predictions of sentence-transformers are a run, and cannot be read as judgments."
        raise InputError(file.name, what)
    return JSON_LINES.read(file, kind)


# Written by its InformationRetrievalEvaluator.
SENTENCE_TRANSFORMERS = Format(
    "predictions of sentence-transformers", _is_sentence_transformers, _read_sentence_transformers
)


def sentence_transformers_of(frame: pl.DataFrame, _: Details) -> bytes:
    """Return a run as JSON lines, one per topic."""
    lines = []
    for topic, rows in by_topic(frame, "document", "score"):
        results = [{"corpus_id": document, "score": score} for document, score in rows]
        lines.append(json.dumps({"query_id": topic, "query": topic, "results": results}) + "\n")
    return "".join(lines).encode()
