"""Every JSON that a test prints by the command line is checked against `rankwise schema`.

With RANKWISE_RECORD_JSON=FILE its keys, columns and types are recorded instead, one line each:
`make api` makes src/rankwise/cli/json_columns.json of them.
"""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

RECORD = "RANKWISE_RECORD_JSON"
SHARED = ("schema_version", "version", "command", "notes")
TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
CALLS = "tests/cli/test_schema.py"
REWRITE = "if it is meant, run `make api` and add a line to CHANGELOG.md"


def type_of(value: Any) -> str:
    """Return the type of a value by its name in JSON Schema."""
    return TYPES.get(type(value), "array" if isinstance(value, list) else "object")


def tables_of(output: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the lists of rows: `rows`, and those of the gate."""
    names = [name for name in ("rows", "rules", "moved") if name in output]
    return {name: output[name] for name in names}


def columns_of(output: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Return the types of the keys of the header, and of the columns of each list of rows."""
    tables = tables_of(output)
    header = {name: output[name] for name in output if name not in (*SHARED, *tables)}
    return {
        "header": merged([{name: type_of(value) for name, value in header.items()}]),
        **{
            name: merged([{column: type_of(v) for column, v in row.items()} for row in rows])
            for name, rows in tables.items()
        },
    }


def merged(parts: list[dict[str, str]]) -> dict[str, str]:
    """Join the types of each name, as `number|string`; an integer is a number."""
    types: dict[str, set[str]] = {}
    for part in parts:
        for name, kinds in part.items():
            types.setdefault(name, set()).update(kinds.split("|"))
    for seen in types.values():
        if "number" in seen:
            seen.discard("integer")
        if len(seen) > 1:
            seen.discard("null")  # any value may be
    return {name: "|".join(sorted(seen)) for name, seen in sorted(types.items())}


@cache
def validator(command: str) -> Any:
    from jsonschema import Draft202012Validator

    from rankwise.cli.json_schema import schema_of

    return Draft202012Validator(schema_of(command))


def check(text: str) -> None:
    """Check one output against the schema of its command, or record it."""
    if not text.startswith("{") or '"command":' not in text:
        return
    output = json.loads(text)
    if "schema_version" not in output:
        return
    if RECORD in os.environ:
        line = json.dumps([output["command"], columns_of(output)])
        with Path(os.environ[RECORD]).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        return
    from rankwise.cli.json_schema import recorded

    command = output["command"]
    assert command in recorded(), f"`rankwise schema` lacks {command}: {REWRITE}"
    errors = [
        f"{each.json_path}: {each.message}" for each in validator(command).iter_errors(output)
    ]
    assert not errors, f"the JSON of `rankwise {command}` does not fit its schema: {errors[:3]}"
    known = recorded()[command]
    for part, columns in columns_of(output).items():
        new = sorted({*columns} - {*known.get(part, ())})
        assert not new, f"`rankwise schema {command}` lacks {new}: add a call to CALLS in {CALLS}"


def check_files(args: tuple[str, ...], folder: Path) -> None:
    """Check the JSON that a command wrote to files."""
    for arg in args:
        file = folder / arg
        if arg.endswith(".json") and file.is_file():
            check(file.read_text(encoding="utf-8"))
