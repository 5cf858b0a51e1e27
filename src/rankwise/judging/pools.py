"""Pools: the documents that assessors are given, from the tops of runs."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import polars as pl

from rankwise.errors import CallError, InputError
from rankwise.rankings import (
    Collection,
    Loader,
    QrelsLike,
    Run,
    RunsLike,
    as_collection,
    check_depth,
    distinct_names,
    rank_rows,
    read_qrels,
    topic_order,
)
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Order


def pool(
    data: "RunsLike | Collection",
    depth: int,
    *,
    qrels: "QrelsLike | None" = None,
    without: "QrelsLike | None" = None,
) -> pl.DataFrame:
    """The documents that some run has among the first `depth` of a topic.

    Parameters
    ----------
    runs
        One or several, as for `score`.
    depth
        How many documents of each topic a run puts into the pool.
    qrels
        Only what is judged here, with its grade: judgments cut to the pool, to be used
        wherever judgments are read.
    without
        Only what is not judged here: what is left to judge.

    Returns
    -------
    polars.DataFrame
        Columns topic, document, rank (the best that a run gives it: the depth at which it
        enters the pool), runs (how many have it within `depth`) and found_by (their names),
        by topic, then document name, so that the order tells assessors nothing.

    Examples
    --------
    >>> runs = {"one": {"1": {"a": 3, "b": 2}}, "two": {"1": {"c": 0.5, "a": 0.4}}}
    >>> pool(runs, 1).rows()
    [('1', 'a', 1, 1, 'one'), ('1', 'c', 1, 1, 'two')]
    >>> pool(runs, 2, qrels={"1": {"a": 2, "d": 1}}).rows()
    [('1', 'a', 2, 1, 2, 'one, two')]
    >>> pool(runs, 2, without={"1": {"a": 2, "d": 1}})["document"].to_list()
    ['b', 'c']
    """
    check_depth(depth)
    collection = data if isinstance(data, Collection) else Collection(None, data)
    if qrels is not None and without is not None:
        raise CallError("qrels keeps what is judged, without what is not: give one of them.")
    judged, seen = (
        None if given is None else read_qrels(given, lenient=collection.lenient).as_read
        for given in (qrels, without)
    )
    tops = partial(_tops, depth, collection.order)
    found = _pooled(map_in_threads(tops, collection.loaders()))
    if judged is not None:
        found = judged.join(found, on=["topic", "document"])
        if found.is_empty():
            raise InputError("the qrels", "no judged document is in the pool.")
        found = found.select("topic", "document", "grade", "rank", "runs", "found_by")
    if seen is not None:
        found = found.join(seen, on=["topic", "document"], how="anti")
    topics = pl.Enum(topic_order(found["topic"].unique()))
    return found.sort(pl.col("topic").cast(topics), "document")


def holes(
    data: "QrelsLike | Collection", runs: "RunsLike | None" = None, depth: int = 10
) -> pl.DataFrame:
    """The unjudged documents that some run has among the first `depth` of a judged topic.

    Columns topic, document, best_rank, runs (how many have it within `depth`) and found_by
    (which). Best ranks come first, so that whoever stops early has closed the holes at the top
    of every topic.

    >>> runs = {"one": {"1": {"a": 3, "b": 2}}, "two": {"1": {"c": 0.5, "a": 0.4}}}
    >>> holes({"1": {"a": 1}}, runs, 2).rows()
    [('1', 'c', 1, 1, 'two'), ('1', 'b', 2, 1, 'one')]
    """
    collection = as_collection(data, runs)
    judged = collection.qrels_by_name()
    topics = topic_order(judged.frame["topic"].unique())
    found = pool(collection, depth, without=judged).rename({"rank": "best_rank"})
    found = found.filter(pl.col("topic").is_in(topics))
    by_topic = pl.col("topic").cast(pl.Enum(topics))
    return found.sort("best_rank", -pl.col("runs"), by_topic, "document")


def _pooled(tops: Iterable[list[tuple[Run, pl.DataFrame]]]) -> pl.DataFrame:
    """Each document once, with its best rank and the runs that have it."""
    tagged = [one for some in tops for one in some]
    names = distinct_names([(run.name, run.file or run.name) for run, _ in tagged])
    labels = pl.Enum(names)
    rows = pl.concat(
        top.with_columns(pl.lit(name, labels).alias("run"))
        for name, (_, top) in zip(names, tagged, strict=True)
    )
    return rows.group_by("topic", "document", maintain_order=True).agg(
        pl.col("rank").min(),
        pl.len().cast(pl.Int64).alias("runs"),
        pl.col("run").cast(pl.String).str.join(", ").alias("found_by"),
    )


def _tops(depth: int, order: Order, loader: Loader) -> list[tuple[Run, pl.DataFrame]]:
    """Of each run its name, without its rows, and the first documents of each topic."""
    return [
        (replace(run, frame=run.frame.clear()), _top(run, depth, order)) for run in loader.read()
    ]


def _top(run: Run, depth: int, order: Order) -> pl.DataFrame:
    """The first documents of each topic of a run, ordered as for scoring."""
    top = pl.Series("rank", rank_rows(run, order).all_places().rank)
    return run.frame.select("topic", "document").with_columns(top).filter(top <= depth)
