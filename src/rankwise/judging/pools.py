"""Pools: the first documents of several runs, to be judged."""

from collections.abc import Iterable
from dataclasses import replace

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
from rankwise.wording import Argument


def pool(
    data: "RunsLike | Collection",
    depth: int,
    *,
    qrels: "QrelsLike | None" = None,
    without: "QrelsLike | None" = None,
) -> pl.DataFrame:
    """Return the documents in the top `depth` of at least one run, per topic.

    Parameters
    ----------
    data
        One run or several, as for `score`, or the result of `rankwise.read`.
    depth
        Pool depth: the number of documents per topic that a run contributes.
    qrels
        Judgments. Only documents with a judgment are returned, with their grades. The result can be
        passed as judgments to other functions.
    without
        Judgments. Only documents without a judgment are returned: those still to be judged.

    Returns
    -------
    polars.DataFrame
        Columns topic, document, grade (only with `qrels`), rank, runs and found_by. `rank` is the
        best rank of the document in any run, the depth at which it enters the pool. `runs` is the
        number of runs that have the document within `depth`, and `found_by` has the names of these
        runs. Rows are sorted by topic and document name, so that the order does not bias assessors.

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
        what = (" cannot be combined with ", Argument("without"), ". Remove one of them.")
        raise CallError(Argument("qrels"), *what)
    judged, seen = (
        None if given is None else read_qrels(given, lenient=collection.lenient).as_read
        for given in (qrels, without)
    )

    def tops(loader: Loader) -> list[tuple[Run, pl.DataFrame]]:
        """Return each run (without its rows) and its top documents of each topic."""
        parts = []
        for run in loader.read():
            rank = pl.Series("rank", rank_rows(run, collection.order).all_places().rank)
            top = run.frame.select("topic", "document").with_columns(rank).filter(rank <= depth)
            parts.append((replace(run, frame=run.frame.clear()), top))
        return parts

    pooled = _pooled(map_in_threads(tops, collection.loaders()))
    if judged is not None:
        pooled = judged.join(pooled, on=["topic", "document"])
        if pooled.is_empty():
            raise InputError("the qrels", "no judged document is in the pool.")
        pooled = pooled.select("topic", "document", "grade", "rank", "runs", "found_by")
    if seen is not None:
        pooled = pooled.join(seen, on=["topic", "document"], how="anti")
    topics = pl.Enum(topic_order(pooled["topic"].unique()))
    return pooled.sort(pl.col("topic").cast(topics), "document")


def holes(
    data: "QrelsLike | Collection", runs: "RunsLike | None" = None, depth: int = 10
) -> pl.DataFrame:
    """Return the unjudged documents in the top `depth` of at least one run, for judged topics.

    The columns are topic, document, best_rank, runs (the number of runs that have the document
    within `depth`) and found_by (the names of these runs). Rows are sorted by best rank, so that
    the top documents of all topics are judged even if judging stops early.

    >>> runs = {"one": {"1": {"a": 3, "b": 2}}, "two": {"1": {"c": 0.5, "a": 0.4}}}
    >>> holes({"1": {"a": 1}}, runs, 2).rows()
    [('1', 'c', 1, 1, 'two'), ('1', 'b', 2, 1, 'one')]
    """
    collection = as_collection(data, runs)
    judged = collection.qrels_by_name()
    topics = topic_order(judged.frame["topic"].unique())
    unjudged = pool(collection, depth, without=judged).rename({"rank": "best_rank"})
    unjudged = unjudged.filter(pl.col("topic").is_in(topics))
    by_topic = pl.col("topic").cast(pl.Enum(topics))
    return unjudged.sort("best_rank", -pl.col("runs"), by_topic, "document")


def _pooled(tops: Iterable[list[tuple[Run, pl.DataFrame]]]) -> pl.DataFrame:
    """Return each document of a topic once, with its best rank and its runs.

    Each element of `tops` has runs, with the topic, document and rank of their first documents.
    """
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
