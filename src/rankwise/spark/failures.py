"""Errors of a job, as they would come without Spark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from rankwise.errors import (
    CallError,
    InputError,
    MetricError,
    RankwiseError,
    UnknownMetric,
    WrongParameter,
    shorten,
)

KINDS: dict[str, Callable[[str], RankwiseError]] = {
    kind.__name__: kind for kind in (CallError, MetricError, UnknownMetric, WrongParameter)
}
KINDS["InputError"] = lambda message: InputError(*message.partition(": ")[::2])
SAID = re.compile(r"rankwise\.errors\.(\w+): ([^\n]*)")


@contextmanager
def without_lines() -> Iterator[None]:
    """What is wrong with rows, without their number: rows of a Spark table have none."""
    try:
        yield
    except InputError as error:
        if not error.faults:
            raise
        first, *others = error.faults
        what = f"{first.what.partition(', first at')[0]}: {shorten(first.text)}"
        more = f" (and {len(others):,} like it)" if others else ""
        raise InputError(error.source, f"{what}{more}.", remedy=error.remedy) from None


@contextmanager
def as_locally() -> Iterator[None]:
    """What rankwise says on an executor, said by the driver, without the trace of Spark.

    >>> with as_locally():
    ...     raise RuntimeError("Job aborted … rankwise.errors.CallError: depth 0 is not 1.\\n")
    Traceback (most recent call last):
    rankwise.errors.CallError: depth 0 is not 1.
    """
    try:
        yield
    except Exception as error:
        if "No module named 'rankwise'" in str(error):
            where = "install it there, or name a Python that has it in PYSPARK_PYTHON"
            raise CallError(f"the Python of the executors has no rankwise: {where}.") from None
        said = SAID.search(str(error))
        if said is None or said[1] not in KINDS:
            raise
        raise KINDS[said[1]](said[2].strip()) from None


@contextmanager
def said_by_spark() -> Iterator[None]:
    """What is wrong with Spark or its files, in one line: for the command line."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        raise CallError(f"Spark says: {line}") from None
