"""Python objects: data frames, dicts and lists of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from rankwise.errors import InputError
from rankwise.formats.trec import Kind
from rankwise.lazy import pl

VALUE: dict[Kind, str] = {"run": "score", "qrels": "grade"}


def to_polars(given: Any) -> pl.DataFrame | None:
    """A polars frame from a polars, pandas or Arrow one; None for anything else."""
    is_lazy = hasattr(given, "collect_schema")  # asked so that polars need not be imported
    if not is_lazy and not hasattr(given, "__arrow_c_stream__"):
        return None
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    try:
        return pl.DataFrame(given)
    except (ImportError, TypeError, ValueError):  # pandas without pyarrow; a column of mixed types
        columns = {name: given[name].to_list() for name in given.columns}
        return pl.DataFrame(columns, strict=False)


def from_records(given: Iterable[Any], source: str) -> pl.DataFrame:
    """A frame from dicts that each name their values."""
    rows = list(given)
    if not all(isinstance(row, Mapping) for row in rows):
        raise InputError(source, "holds a list of something else than records with named values.")
    return pl.DataFrame(rows, strict=False, infer_schema_length=None)


def from_mapping(given: Mapping[Any, Any], source: str, kind: Kind) -> pl.DataFrame:
    """A frame from {topic: {document: value}}, as pytrec_eval and ranx take them."""
    for topic, documents in given.items():
        if not isinstance(documents, Mapping):
            found = type(documents).__name__
            raise InputError(source, f"topic {topic!r} holds a {found}, not a dict of documents.")
    topics = pl.Series([str(topic) for topic in given], dtype=pl.String)
    lengths = [len(documents) for documents in given.values()]
    names = list(chain.from_iterable(given.values()))
    values = chain.from_iterable(documents.values() for documents in given.values())
    try:
        documents = pl.Series(names, dtype=pl.String)
    except TypeError:
        raise InputError(source, "a document's name is not text.") from None
    topic = topics.gather(np.repeat(np.arange(len(lengths)), lengths))
    try:
        column = pl.Series(np.fromiter(values, np.float64, len(names)))
    except (TypeError, ValueError, OverflowError):  # not all are numbers: `pick_columns` says which
        texts = [str(value) for documents in given.values() for value in documents.values()]
        column = pl.Series(texts, dtype=pl.String)
    return pl.DataFrame({"topic": topic, "document": documents, VALUE[kind]: column})
