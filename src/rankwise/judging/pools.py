"""Pools: the documents that assessors are given, from the tops of runs."""

from functools import partial
from typing import get_args

import polars as pl

from rankwise.errors import InputError, check_word
from rankwise.rankings.accepted import QrelsLike, RunsLike
from rankwise.rankings.join import check_depth
from rankwise.rankings.lookup import topic_order
from rankwise.rankings.order import rank_rows
from rankwise.rankings.reading import Loader, Run, read_qrels, run_loaders
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Order


def pool(
    runs: "RunsLike",
    depth: int,
    *,
    qrels: "QrelsLike | None" = None,
    order: Order = "score",
    lenient: bool = False,
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
    order, lenient
        As for `score`.

    Returns
    -------
    polars.DataFrame
        Columns topic, document, rank (the best that a run gives it: the depth at which it
        enters the pool) and runs (how many have it within `depth`), by topic, then document
        name, so that the order tells assessors nothing.

    Examples
    --------
    >>> runs = {"one": {"1": {"a": 3, "b": 2}}, "two": {"1": {"c": 0.5, "a": 0.4}}}
    >>> pool(runs, 1).rows()
    [('1', 'a', 1, 1), ('1', 'c', 1, 1)]
    >>> pool(runs, 2, qrels={"1": {"a": 2, "d": 1}}).rows()
    [('1', 'a', 2, 1, 2)]
    """
    check_depth(depth)
    check_word("order", order, get_args(Order))
    judged = None if qrels is None else read_qrels(qrels, lenient=lenient).as_read
    loaders = run_loaders(runs, order=order, lenient=lenient)
    tops = list(map_in_threads(partial(_tops, depth, order), loaders))
    found = (
        pl.concat(tops)
        .group_by("topic", "document")
        .agg(pl.col("rank").min(), pl.len().cast(pl.Int64).alias("runs"))
    )
    if judged is not None:
        found = judged.join(found, on=["topic", "document"])
        if found.is_empty():
            raise InputError("the qrels", "no judged document is in the pool.")
        found = found.select("topic", "document", "grade", "rank", "runs")
    topics = pl.Enum(topic_order(found["topic"].unique()))
    return found.sort(pl.col("topic").cast(topics), "document")


def holes(
    qrels: "QrelsLike",
    runs: "RunsLike",
    depth: int,
    *,
    order: Order = "score",
    lenient: bool = False,
) -> pl.DataFrame:
    """The unjudged documents that some run has among the first `depth` of a judged topic.

    Columns topic, document, best_rank and runs (how many have it within `depth`). Best ranks
    come first, so that whoever stops early has closed the holes at the top of every topic.

    >>> runs = {"one": {"1": {"a": 3, "b": 2}}, "two": {"1": {"c": 0.5, "a": 0.4}}}
    >>> holes({"1": {"a": 1}}, runs, 2).rows()
    [('1', 'c', 1, 1), ('1', 'b', 2, 1)]
    """
    judged = read_qrels(qrels, lenient=lenient).as_read
    found = pool(runs, depth, order=order, lenient=lenient).rename({"rank": "best_rank"})
    found = found.filter(pl.col("topic").is_in(judged["topic"].unique().to_list()))
    found = found.join(judged, on=["topic", "document"], how="anti")
    topics = pl.Enum(topic_order(judged["topic"].unique()))
    order_of_topics = pl.col("topic").cast(topics)
    return found.sort("best_rank", -pl.col("runs"), order_of_topics, "document")


def _tops(depth: int, order: Order, loader: Loader) -> pl.DataFrame:
    return pl.concat(_top(run, depth, order) for run in loader.read())


def _top(run: Run, depth: int, order: Order) -> pl.DataFrame:
    """The first documents of each topic of a run, ordered as for scoring."""
    top = pl.Series("rank", rank_rows(run, order).all_places().rank)
    return run.frame.select("topic", "document").with_columns(top).filter(top <= depth)
