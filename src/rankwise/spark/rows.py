"""Columns of rows in Spark, Arrow and polars, and conversions between the three."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame, functions as sf, types as st

from rankwise.arrays import Floats
from rankwise.errors import InputError
from rankwise.formats import Columns, find_columns
from rankwise.spark.failures import as_locally

JUDGMENT, RETRIEVED = 0, 1  # values of the column `kind`: judgments come first in each part
ARROW = {"string": pa.string(), "double": pa.float64(), "boolean": pa.bool_(), "long": pa.int64()}
BATCH = 1 << 16  # rows in a batch of results
WANTED = ["topic", "document", "score"]
ORDERED_BY: dict[str, list[str]] = {"score": ["score"], "rank": ["score", "rank"]}
NAMES = {"topic", "document", "run", "iteration"}  # columns that are text
RUN_ROLES = ["run", "topic", "document", "score", "rank"]
TEXTS = dict.fromkeys(RUN_ROLES[:3], pl.String())
RUN_SCHEMA = pl.Schema({**TEXTS, "score": pl.Float64(), "rank": pl.Int64()})


def frame_of(batch: pa.RecordBatch) -> pl.DataFrame:
    found = pl.from_arrow(batch)
    assert isinstance(found, pl.DataFrame)
    return found


def record_batches(frame: pl.DataFrame, schema: str) -> Iterator[pa.RecordBatch]:
    """Yield a frame as record batches for Spark; missing columns are null."""
    kinds = dict(column.split() for column in schema.split(", "))
    wanted = pa.schema([(name, ARROW[kind]) for name, kind in kinds.items()])
    there = [pl.col(n) if n in frame.columns else pl.lit(None).alias(n) for n in kinds]
    yield from frame.select(there).to_arrow().cast(wanted).to_batches(max_chunksize=BATCH)


def roles_of(
    frame: DataFrame,
    source: str,
    wanted: list[str],
    optional: Sequence[str] = (),
    more: Sequence[tuple[str, str]] = (),
    columns: Columns | None = None,
) -> DataFrame:
    """Return the `wanted` columns, and `optional` columns that the frame has, with standard names.

    `more` has further columns as pairs (standard name, name in the frame). Topics, documents, runs
    and iterations become text. `source` is the name of the frame in error messages.
    """
    try:
        names = pl.DataFrame(schema=frame.columns)
        found = find_columns(names, source, wanted, list(optional), columns or {}) | dict(more)
    except InputError as error:
        raise error.without_remedy() from None
    fractions = st.FloatType | st.DoubleType | st.DecimalType
    for role in {"topic", "document", "run"} & found.keys():
        if isinstance(frame.schema[found[role]].dataType, fractions):
            what = f"column {found[role]} has decimal numbers, which cannot be a {role}."
            raise InputError(source, what)
    for role, name in found.items():
        kind = frame.schema[name].dataType
        if isinstance(kind, st.ArrayType | st.MapType | st.StructType):
            what = f"column {name} has lists or objects ({kind.simpleString()})"
            raise InputError(source, f"{what}, which cannot be a {role}.")
        if isinstance(kind, st.BooleanType) and role != "grade":
            what = f"column {name} has true or false, which cannot be a {role}."
            raise InputError(source, what)
    given = {role: sf.col(f"`{name}`") for role, name in found.items()}
    text = {role: column.cast(st.StringType()) for role, column in given.items() if role in NAMES}
    return frame.select(*(column.alias(role) for role, column in (given | text).items()))


def numbers_of(frame: pl.DataFrame, name: str) -> Floats:
    return frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy()


def to_polars(frame: DataFrame) -> pl.DataFrame:
    with as_locally():
        found = pl.from_arrow(frame.toArrow())
    assert isinstance(found, pl.DataFrame)
    return found
