"""Reading of runs from files, as Spark data frames."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from pathlib import Path

import polars as pl
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession, functions as sf

from rankwise.errors import CallError, InputError
from rankwise.formats import (
    WHOLE,
    Columns,
    ColumnsGiven,
    File,
    Part as FilePart,
    Source,
    parse_columns,
    recognise,
)
from rankwise.rankings import NamedRun, distinct_names, read_rows, stem
from rankwise.spark.failures import as_locally, by_parts
from rankwise.spark.rows import ORDERED_BY, WANTED, record_batches, roles_of, to_polars
from rankwise.vocabulary import Order
from rankwise.wording import Argument

RUN_ROWS = "run string, topic string, document string, score double"


def session(master: str | None = None) -> SparkSession:
    """Return the current Spark session, or a new one.

    The executors of a new session run this Python, unless PYSPARK_PYTHON is set.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("rankwise")
    quiet = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "FATAL"}
    for name, value in quiet.items():
        builder = builder.config(name, value)
    return (builder if master is None else builder.master(master)).getOrCreate()


def read_runs(
    spark: SparkSession,
    paths: str | Sequence[str | NamedRun] | Mapping[str, str],
    *,
    order: Order = "score",
    lenient: bool = False,
    columns: ColumnsGiven | None = None,
    subset: str | None = None,
    split: str | None = None,
) -> DataFrame:
    """Read runs from files in any format of `rankwise.score`, plain or compressed.

    This function is not needed for data that Spark itself reads as data frames (Delta, tables,
    CSV, Parquet): pass the data frame to `score`. Runs are named by their tags, as in
    `rankwise.read_runs`.

    Parameters
    ----------
    spark
        The Spark session.
    paths
        Files, folders of files, or patterns such as `runs/*.gz`, on any storage that Spark reads;
        or {name: file}.
    order
        `score` ranks documents by their scores, and `rank` by a column of ranks.
    lenient
        Malformed lines become rows without a document, which `score` with `lenient=True` drops and
        `dropped` counts.
    columns
        Column names of tables, as for `rankwise.read_runs`.
    subset, split
        Subset and split of MTEB's predictions. A file without subsets and splits is an error here,
        because Spark cannot return the note that `rankwise.read_runs` gives.
    """
    given = _listed(paths)
    said = {} if columns is None else parse_columns(columns)
    part = FilePart(subset, split)
    named = [one for one in given if isinstance(one, NamedRun)]
    twice = [name for name, times in Counter(one.name for one in named).items() if times > 1]
    if twice:
        raise CallError(f"two runs are called {twice[0]!r}. Give each run its own name.")
    plain = [one for one in given if isinstance(one, str)]
    tables = [path for path in plain if _is_parquet(path)]
    if tables and part != WHOLE:
        raise _without_parts(tables[0])
    wanted, found = ["topic", "document", *ORDERED_BY[order]], list[DataFrame]()
    for path in tables:
        rows = roles_of(_table(spark, path), path, wanted, ["run"], columns=said)
        run = rows if "run" in rows.columns else rows.withColumn("run", sf.lit(stem(path)))
        found.append(run.select("run", *wanted))
    texts = [path for path in plain if path not in tables]
    if texts:
        found.append(_text_runs(spark, texts, order, lenient, said, part))
    for name, path in named:
        one = read_runs(
            spark, path, order=order, lenient=lenient, columns=columns, subset=subset, split=split
        )
        found.append(one.withColumn("run", sf.lit(name)))
    return reduce(DataFrame.unionByName, found)


def _listed(paths: str | Sequence[str | NamedRun] | Mapping[str, str]) -> list[str | NamedRun]:
    if isinstance(paths, Mapping):
        return [NamedRun(name, path) for name, path in paths.items()]
    listed: list[str | NamedRun] = [paths] if isinstance(paths, str) else list(paths)
    if not listed:
        raise CallError("no run is given.")
    return listed


def _is_parquet(path: str) -> bool:
    """Return whether the path is a Parquet file, or a folder with Parquet files."""
    return path.endswith(".parquet") or any(Path(path).glob("*.parquet"))


def _table(spark: SparkSession, path: str) -> DataFrame:
    """Read Parquet or, if the folder is a Delta table, the current rows of the table."""
    if not (Path(path) / "_delta_log").is_dir():
        return spark.read.parquet(path)
    try:
        return spark.read.format("delta").load(path)
    except (PySparkException, Py4JError) as error:
        if "DATA_SOURCE_NOT_FOUND" not in str(error):
            raise
        what = "is a Delta table, which this Spark cannot read: it needs the package delta-spark"
        raise InputError(path, f"{what} and its jars.") from None


def _text_runs(
    spark: SparkSession,
    paths: list[str],
    order: Order,
    lenient: bool,
    columns: Columns,
    part: FilePart,
) -> DataFrame:
    files = spark.read.format("binaryFile").load(paths).select("path", "content")
    with as_locally():
        tags = to_polars(by_parts(files, partial(_tags, part, columns), "path string, tag string"))
    known = tags.filter(pl.col("tag").is_not_null()).sort("path")
    labels = distinct_names(list(zip(known["tag"], map(_file_name, known["path"]), strict=True)))
    names = dict(zip(known["path"].to_list(), labels, strict=True))
    schema = RUN_ROWS + (", rank long" if order == "rank" else "")
    work = partial(_runs_in, names, ORDERED_BY[order], lenient, columns, part, schema)
    return by_parts(files, work, schema)


def _without_parts(file: str) -> InputError:
    what = "has no subsets or splits. Remove "
    return InputError(file, (what, Argument("subset"), " and ", Argument("split"), "."))


def _tags(
    part: FilePart, columns: Columns, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield the name of the run in each file; null if the file has a column with names of runs."""
    for path, content in _files(batches):
        source = Source(_file_name(path), content)
        file = File(source, columns, part)
        form = recognise(file)
        if part != WHOLE and (form is None or not form.has_parts):
            raise _without_parts(source.name)
        if form is None:  # for TREC text the first lines are enough
            start = source.head[: source.head.rfind(b"\n") + 1] or source.head
            file = File(Source(source.name, start))
        parsed = read_rows(file, "run", WANTED, ["run"], True, "")[1]
        named = "run" in parsed.frame.columns
        tag = None if named else parsed.name or stem(source.name)
        yield pa.RecordBatch.from_pylist([{"path": path, "tag": tag}])


def _runs_in(
    names: Mapping[str, str],
    wanted: Sequence[str],
    lenient: bool,
    columns: Columns,
    part: FilePart,
    schema: str,
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    for path, content in _files(batches):
        file = File(Source(_file_name(path), content), columns, part)
        roles = ["topic", "document", *wanted]
        _, parsed = read_rows(file, "run", roles, ["run"], lenient, file.name)
        frame = parsed.frame
        name = names.get(path, stem(file.name))
        if "run" not in frame.columns:
            frame = frame.with_columns(run=pl.lit(name))
        bad = pl.DataFrame({"run": [name] * parsed.dropped}, schema={"run": pl.String})
        yield from record_batches(pl.concat([frame, bad], how="diagonal"), schema)


def _files(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, bytes]]:
    for batch in batches:
        for row in range(batch.num_rows):
            yield batch["path"][row].as_py(), batch["content"][row].as_py()


def _file_name(path: str) -> str:
    """Remove the prefix `file:` from the path of a local file."""
    return re.sub("^file:/+", "/", path)
