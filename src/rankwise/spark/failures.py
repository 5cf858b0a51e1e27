"""Conversion of errors in a Spark job to the errors that rankwise raises without Spark."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from rankwise.errors import CallError, InputError, RankwiseError, shorten, unpacked_error

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    Work = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

# An error of an executor, encoded in the text.
CARRIED = re.compile(r"\[rankwise error ([A-Za-z0-9+/]+=*)\]")


@contextmanager
def without_lines() -> Iterator[None]:
    """Return a context that removes row numbers from errors, because Spark rows have no order."""
    try:
        yield
    except InputError as error:
        if not error.faults:
            raise
        first, *others = error.faults
        what = f"{first.what}: {shorten(first.text)}"
        more = f" (and {len(others):,} like it)" if others else ""
        raise InputError(error.source, f"{what}{more}.", remedy=error.remedy) from None


@contextmanager
def as_locally() -> Iterator[None]:
    """Return a context that raises an executor's error on the driver, without Spark's stack trace.

    >>> with as_locally():
    ...     raise RuntimeError(f"Job aborted … {carried(CallError('depth 0 is not 1.'))} …")
    Traceback (most recent call last):
    rankwise.errors.CallError: depth 0 is not 1.
    """
    try:
        yield
    except Exception as error:
        if "No module named 'rankwise'" in str(error):
            where = "Install it there, or set PYSPARK_PYTHON to a Python that has it."
            raise CallError(f"the Python of the executors has no rankwise. {where}") from None
        found = CARRIED.search(str(error))
        if found is None:
            raise
        raise unpacked_error(json.loads(b64decode(found[1]))) from None


def carried(error: RankwiseError) -> str:
    """Return an error as text from which `as_locally` can restore it."""
    return f"{error}\n[rankwise error {b64encode(json.dumps(error.packed()).encode()).decode()}]"


def by_parts(rows: DataFrame, work: Work, schema: str) -> DataFrame:
    """Apply `work` to the partitions of the rows, on executors.

    The result has the columns of `schema`. Errors are encoded as text, for `as_locally`.
    """
    return rows.mapInArrow(partial(_carrying, work), schema)


def _carrying(work: Work, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    try:
        yield from work(batches)
    except RankwiseError as error:
        raise RankwiseError(carried(error)) from None


@contextmanager
def said_by_spark() -> Iterator[None]:
    """Return a context that turns errors of Spark into a CallError of one line."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        raise CallError(f"Spark says: {line}") from None
