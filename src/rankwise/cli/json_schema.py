"""JSON Schema of the JSON that commands print, for `rankwise schema`.

`json_columns.json` has the keys and columns of each command with their types, as recorded by the
tests; `make api` rewrites it. This module builds a schema from these and from the keys that all
commands share.
"""

import json
from importlib.resources import files
from typing import Any, TypeAlias

from rankwise.errors import CallError, did_you_mean
from rankwise.results import SCHEMA_VERSION

DRAFT = "https://json-schema.org/draft/2020-12/schema"
Schema: TypeAlias = dict[str, Any]

NOTE: Schema = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "description": "The same for all notes of one cause."},
        "severity": {"enum": ["detail", "note", "warning"]},
        "text": {"type": "string"},
        "runs": {"type": "array", "items": {"type": "string"}},
        "source": {"type": ["string", "null"], "description": "The file concerned."},
        "metric": {"type": ["string", "null"]},
        "count": {"type": ["integer", "null"]},
        "remedy": {
            "type": ["object", "null"],
            "properties": {"argument": {"type": "string"}, "value": {}},
            "required": ["argument"],
        },
    },
    "required": ["kind", "severity", "text"],
}
METRIC: Schema = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "parameters": {"type": "object"}},
    "required": ["name"],
}
# Keys of the header, and columns, that mean the same in every command.
DESCRIPTIONS = {
    "alpha": "Significance level.",
    "baseline": "The run, or its score, that others are compared with.",
    "command": "The command that printed this.",
    "correction": "Correction for multiple comparisons.",
    "difference": "Second run minus first run, or candidate minus baseline.",
    "document": "Document ID.",
    "grade": "Judged grade; null if unjudged.",
    "group": "Group of topics.",
    "high": "Upper bound or upper confidence limit.",
    "judged": "Number or fraction of judged documents.",
    "low": "Lower bound or lower confidence limit.",
    "losses": "Number of topics on which the first run is worse.",
    "metric": "Metric, as it is written with -m.",
    "notes": "Remarks on the result, as sentences and as data.",
    "p": "p-value.",
    "rank": "Rank, from 1.",
    "resamples": "Number of resamples.",
    "rows": "The table: one object per row.",
    "run": "Name of the run.",
    "schema_version": "Rises when a key or column is removed or changes its meaning.",
    "score": "Score of the document in its run, or of the run.",
    "seed": "Random seed.",
    "significant": "Whether the difference is significant after the correction.",
    "ties": "Number of topics with equal scores.",
    "topic": "Topic ID; `all` is the mean over topics.",
    "topics": "Number of topics.",
    "unjudged": "Number or fraction of unjudged documents, or the assumption about them.",
    "value": "The score.",
    "version": "Version of rankwise.",
    "wins": "Number of topics on which the first run is better.",
}


def recorded() -> dict[str, dict[str, dict[str, str]]]:
    """Return, per command, the types of the keys of its header and of each list of rows.

    A type is a type of JSON Schema, or several: `number|string`. Any value may be null as well; a
    column with the type `null` had no other value in the tests.
    """
    text = files("rankwise.cli").joinpath("json_columns.json").read_text(encoding="utf-8")
    columns: dict[str, dict[str, dict[str, str]]] = json.loads(text)
    return columns


def schema_of(command: str) -> Schema:
    """Return the JSON Schema of the JSON of one command."""
    commands = recorded()
    if command not in commands:
        near = did_you_mean(command, commands) or f" Commands: {', '.join(commands)}."
        raise CallError(f"there is no JSON Schema for the command {command!r}.{near}")
    parts = commands[command]
    tables = {name: columns for name, columns in parts.items() if name != "header"}
    properties: Schema = {
        "schema_version": {"const": SCHEMA_VERSION},
        "version": {"type": "string"},
        "command": {"const": command},
    }
    properties |= _typed(parts["header"])
    if "metrics" in properties:
        properties["metrics"]["items"] = METRIC
    properties["notes"] = {"type": "array", "items": NOTE}
    for table, columns in tables.items():
        row = {"type": "object", "properties": _typed(columns)}
        properties[table] = {"type": "array", "items": row}
    _describe(properties)
    return {
        "$schema": DRAFT,
        "title": f"rankwise {command} --format json",
        "type": "object",
        "properties": properties,
        "required": ["schema_version", "version", "command", "notes", *tables],
    }


def _typed(types: dict[str, str]) -> Schema:
    schemas: Schema = {
        name: {} if kind == "null" else {"type": [*kind.split("|"), "null"]}
        for name, kind in types.items()
    }
    _describe(schemas)
    return schemas


def _describe(properties: Schema) -> None:
    for name, schema in properties.items():
        if name in DESCRIPTIONS:
            schema["description"] = DESCRIPTIONS[name]


def schema_of_all() -> Schema:
    """Return one schema for the JSON of any command."""
    schemas = {name: schema_of(name) for name in recorded()}
    for schema in schemas.values():
        del schema["$schema"]
    return {
        "$schema": DRAFT,
        "title": "rankwise --format json",
        "oneOf": [{"$ref": f"#/$defs/{name.replace(' ', '%20')}"} for name in schemas],
        "$defs": schemas,
    }
