"""inspect_ai: logs of evaluations, as .json and as .eval (a zip file)."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from rankwise.errors import InputError
from rankwise.formats.base import TOO_DEEP, File, is_deep, may_be_deep
from rankwise.formats.json_values import Value
from rankwise.formats.score_table import ScoreRow, averaged, rows_frame, score_of
from rankwise.formats.source import Source
from rankwise.formats.unpacking import check_expansion, most_bytes
from rankwise.lazy import pl

ZIP = b"PK\x03\x04"
ZSTD = 93  # compression of zip entries that Python reads from 3.14 on
LOCAL_HEADER = 30  # bytes, before the name and the extra field of an entry


def is_log(found: Any) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("eval"), dict):
        return False
    return "task" in found["eval"] and "model" in found["eval"]


def read_log(log: Value) -> pl.DataFrame:
    """Return the scores of each sample, averaged over epochs; the run is the model.

    A topic is task/sample. A score with several values has one metric for each: scorer/value.
    """
    if log.get("samples") is None:
        status = log.get("status")
        said = "" if status is None else f" (status {status.found})"
        raise log.wrong(f"has no samples{said}. Log the samples, and finish the evaluation.")
    return _rows(log["eval"], list(log["samples"].each()))


def _rows(about: Value, samples: list[Value]) -> pl.DataFrame:
    run, task = about["model"].name(), about["task"].name()
    rows = []
    for sample in samples:
        topic = f"{task}/{sample['id'].name()}"
        scores = sample.get("scores")
        for scorer, score in () if scores is None else scores.items():
            value = score["value"]
            if isinstance(value.found, dict):
                rows += [
                    ScoreRow(run, topic, f"{scorer}/{name}", score_of(one))
                    for name, one in value.items()
                ]
            elif not isinstance(value.found, list):
                rows.append(ScoreRow(run, topic, scorer, score_of(value)))
    return averaged(rows_frame(rows))


def is_zip(file: File) -> bool:
    return file.source.head.startswith(ZIP)


def read_zip(file: File) -> pl.DataFrame:
    """Return the scores of a .eval file."""
    data = file.source.data
    try:
        with ZipFile(BytesIO(data)) as archive:
            entries = {entry.filename: entry for entry in archive.infolist()}
            names = [name for name in entries if name.startswith("samples/")]
            size = sum(entry.file_size for entry in entries.values())
            check_expansion(file.name, size, most_bytes(len(data)))
            if "header.json" not in entries:
                what = "is a zip file, but not a finished log of inspect_ai: it has no header.json."
                raise InputError(file.name, what)
            header = _json(archive, entries["header.json"], data, file)
            samples = [_json(archive, entries[name], data, file) for name in names]
    except (BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise InputError(file.name, f"cannot be read as a zip file: {error}.") from None
    return _rows(header["eval"], samples)


def _json(archive: ZipFile, entry: ZipInfo, data: bytes, file: File) -> Value:
    if entry.compress_type == ZSTD:
        start = entry.header_offset + LOCAL_HEADER
        head = data[entry.header_offset : start]
        start += int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
        text = Source(file.name, data[start : start + entry.compress_size]).data
    else:
        text = archive.read(entry)
    try:
        found = json.loads(text)
        if may_be_deep(text) and is_deep(found):
            raise RecursionError
    except RecursionError:
        raise InputError(file.name, f"{entry.filename}: {TOO_DEEP}.") from None
    except ValueError as error:
        what = f"{entry.filename} cannot be read as JSON: {error}."
        raise InputError(file.name, what) from None
    return Value(found, file.name, entry.filename)
