"""`overview`: judged and relevant documents in the pool of a collection, and in its runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import polars as pl

from rankwise.arrays import Floats, Ints
from rankwise.errors import CallError, check_above_0, check_word, did_you_mean
from rankwise.notes import Note, note
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    QrelsLike,
    RunsLike,
    as_collection,
    check_depth,
)
from rankwise.results import Charted, Table
from rankwise.vocabulary import Grouping
from rankwise.wording import Argument

CUTOFFS = (10, 100, 1000)
POOL_DEPTH = 100
SHOWN_RANKS = (*range(1, 11), *range(20, 101, 10), *range(200, 1001, 100))
COUNTS = "numbers of documents are means over topics"
ZONES = (
    "'relevant', 'others' and 'unjudged' are the numbers of retrieved documents that are relevant, "
    "judged not relevant, and not judged. 'missed' is the number of relevant documents that are "
    "not retrieved. 'spared' is the number of documents that are judged not relevant and not "
    "retrieved (true negatives)"
)


@dataclass(frozen=True, eq=False, repr=False)
class Overview(Charted):
    """Numbers of judged, relevant and unjudged documents in the pool and in the runs.

    A document is relevant if its grade is at least `rel`. `frame` has means over topics and runs,
    for the first k documents of the runs with each k in `cutoffs`. `by_topic`, `by_run`, `by_rank`
    and `by_zone` have details. `chart` draws the fractions of judged and relevant documents at each
    rank.
    """

    _everyday = ("by", "by_rank", "by_run", "by_topic")

    judged: JudgedRankings = field(repr=False)
    cutoffs: tuple[int, ...] = CUTOFFS
    rel: float = 1
    pool_depth: int = POOL_DEPTH

    @property
    def notes(self) -> list[Note]:
        return list(self.judged.notes)

    @property
    def caption(self) -> str:
        return f"topics: {len(self.judged.topics):,}, runs: {len(self.judged.runs):,}"

    @property
    def _level(self) -> int:
        """Smallest relevant grade."""
        return self.judged.level_of(self.rel)

    @property
    def header(self) -> dict[str, Any]:
        counts = {"topics": len(self.judged.topics), "runs": len(self.judged.runs)}
        return counts | {"rel": self.rel, "pool_depth": self.pool_depth}

    @property
    def frame(self) -> pl.DataFrame:
        """Mean numbers of judged, relevant and unjudged documents in the pool and in the runs.

        The row "pool" has means over topics. A row such as "top 10" has means over topics and runs,
        for the first 10 documents of each run. The means are those of Tables 1, 2 and 3 of Ahlgren
        and Grönqvist (2007). A topic missing from a run counts as a topic for which the run
        retrieved no document.
        """
        topics, tops = self.by_topic, self._tops
        pool: dict[str, Any] = {"of": "pool", "runs": None, "documents": topics["judged"].mean()}
        pool |= {name: topics[name].mean() for name in ("judged", "relevant")}
        rows = [pool | {"unjudged": None}]
        for cutoff in self.cutoffs:
            part = tops.filter(pl.col("top") == cutoff)
            row: dict[str, Any] = {"of": f"top {cutoff}", "runs": len(self.judged.runs)}
            names = {"documents": "retrieved"} | {n: n for n in ("judged", "relevant", "unjudged")}
            rows.append(row | {name: part[column].mean() for name, column in names.items()})
        return pl.DataFrame(rows, schema_overrides={"runs": pl.Int64, "unjudged": pl.Float64})

    @property
    def by_topic(self) -> pl.DataFrame:
        """Numbers of judged and relevant documents of each topic; `share` is relevant / judged."""
        width = len(self.judged.topics)  # the first run has one ranking per topic
        relevant = self.judged.judged_count(self._level)[:width]
        judged = np.diff(self.judged.topic_start)
        share = relevant / np.maximum(judged, 1)
        columns = {"judged": judged, "relevant": relevant, "share": share}
        return pl.DataFrame({"topic": self.judged.topics} | columns)

    @property
    def by_run(self) -> pl.DataFrame:
        """One row per run: its judged documents, and documents that only this run contributed.

        `judged@k` is the judged fraction of the documents in the top k of all topics together.
        `relevant@k` is the mean number of relevant documents in the top k over topics. `unique` is
        the number of judged documents, summed over topics, that only this run has in its top
        `pool_depth`. `unique rel.` is the number of relevant documents among these. Runs with the
        smallest judged fraction at the first cutoff come first.
        """
        columns: dict[str, Any] = {"run": self.judged.runs}
        tops = self._tops
        for cutoff in self.cutoffs:
            top = tops.filter(pl.col("top") == cutoff)
            columns[f"judged@{cutoff}"] = (top["judged"] / top["retrieved"]).fill_nan(None)
            columns[f"relevant@{cutoff}"] = top["relevant"]
        judged = self.judged
        assert judged.judgment is not None
        pooled = np.flatnonzero(judged.rank <= self.pool_depth)
        judgment = judged.judgment[pooled]
        times = np.bincount(judgment, minlength=len(judged.topic_grades))
        alone = pooled[times[judgment] == 1]  # only one run contributed them
        run, count = judged.ranking[alone] // len(judged.topics), len(judged.runs)
        relevant = judged.grade[alone] >= self._level
        columns["unique"] = np.bincount(run, minlength=count)
        columns["unique rel."] = np.bincount(run[relevant], minlength=count)
        frame = pl.DataFrame(columns)
        return frame.sort(frame.columns[1], nulls_last=False, maintain_order=True)

    @property
    def _tops(self) -> pl.DataFrame:
        """Numbers of retrieved, judged, relevant and unjudged documents, by run and cutoff.

        The numbers are means over topics.
        """
        parts = []
        for cutoff in self.cutoffs:
            top = self.judged.top(cutoff)
            relevant = np.diff(top.relevant(self._level).row_start)
            columns = {"retrieved": top.length, "judged": np.diff(top.row_start)}
            columns |= {"relevant": relevant, "unjudged": top.unjudged_count}
            runs = len(self.judged.runs)
            means = {name: one.reshape(runs, -1).mean(axis=1) for name, one in columns.items()}
            labels = {"run": self.judged.runs, "top": np.full(runs, cutoff)}
            parts.append(pl.DataFrame(labels | means))
        return pl.concat(parts)

    @property
    def by_zone(self) -> pl.DataFrame:
        """Numbers of documents in five groups (zones), for each run and topic.

        The zones are those of Figure 1 of Moffat and Zobel (2008). A retrieved document is
        `relevant`, judged non-relevant (`others`) or `unjudged`. A judged document that was not
        retrieved is relevant (`missed`) or non-relevant (`spared`). Documents that are neither
        retrieved by the run nor judged are not counted.
        """
        judged, width = self.judged, len(self.judged.topics)
        retrieved = np.diff(judged.relevant(self._level).row_start)
        seen = np.diff(judged.row_start)
        relevant = judged.judged_count(self._level)
        pool = np.tile(np.diff(judged.topic_start), len(judged.runs))
        others = seen - retrieved
        columns = {
            "run": np.repeat(judged.runs, width),
            "topic": [*judged.topics] * len(judged.runs),
            "relevant": retrieved,
            "others": others,
            "unjudged": judged.unjudged_count,
            "missed": relevant - retrieved,
            "spared": pool - relevant - others,
        }
        return pl.DataFrame(columns)

    def by(self, grouping: Grouping | None = None, *, sort: str | None = None) -> pl.DataFrame:
        """Return `frame` or, with a `grouping`, `by_topic`, `by_run`, `by_rank` or `by_zone`.

        `sort` is a column to sort by, in ascending order.
        """
        if grouping is not None:
            check_word("by", grouping, get_args(Grouping))
        frame: pl.DataFrame = getattr(self, "frame" if grouping is None else f"by_{grouping}")
        if sort is None:
            return frame
        _check_column(sort, frame.columns)
        return frame.sort(sort, maintain_order=True)

    def table(
        self, *, digits: int = 4, by: Grouping | None = None, sort: str | None = None
    ) -> Table:
        """Return the result of the method `by` as a table.

        By rank, the table has a selection of the ranks. By zone, the table has means over topics.
        Mean numbers of documents have two decimals.
        """
        frame = self.by(by, sort=None if by == "zone" else sort)
        if by == "zone":  # means over topics
            zones = frame.drop("topic").group_by("run", maintain_order=True).agg(pl.all().mean())
            if sort is not None:
                _check_column(sort, zones.columns)
            frame = zones if sort is None else zones.sort(sort, maintain_order=True)
        if by == "rank":
            deepest = frame["rank"].max()
            frame = frame.filter(pl.col("rank").is_in([*SHOWN_RANKS, deepest]))
        if by in ("topic", "rank"):
            return Table(frame, digits=digits)
        counts = pl.col("^relevant@.*$") if by == "run" else pl.col(pl.Float64)
        shown = frame.with_columns(counts.cast(pl.Decimal(20, 2)))
        only = f"that only this run has in its first {self.pool_depth:,}"
        unique = f"'unique' is the number of judged documents {only}, summed over topics"
        notes = [note("counts", COUNTS)] + [note("unique", unique)] * (by == "run")
        notes += [note("zones", ZONES)] * (by == "zone")
        return Table(shown, notes=notes, digits=digits)

    @property
    def by_rank(self) -> pl.DataFrame:
        """Fractions of relevant, judged and unjudged documents at each rank.

        Judged documents include relevant documents. `rankings` is the number of rankings (of a run
        for a topic) that reach the rank; the fractions are over these rankings. The columns are
        those of Figure 1 of Ahlgren and Grönqvist (2007).
        """
        deepest = int(self.judged.length.max(initial=0))
        lengths = np.bincount(self.judged.length, minlength=deepest + 1)
        rankings = np.cumsum(lengths[::-1])[::-1][1:]

        def share(ranks: Ints) -> Floats:
            return np.bincount(ranks, minlength=deepest + 1)[1:] / rankings

        judged = share(self.judged.rank)
        columns = {
            "rank": np.arange(1, deepest + 1),
            "rankings": rankings,
            "relevant": share(self.judged.relevant(self._level).rank),
            "judged": judged,
            "unjudged": 1 - judged,
        }
        return pl.DataFrame(columns)


def _check_column(sort: str, columns: Sequence[str]) -> None:
    if sort not in columns:
        known = ", ".join(map(repr, columns))
        near = did_you_mean(str(sort), [name for name in columns if len(name) > 2])
        raise CallError(Argument("sort"), f": there is no column {sort!r}. Columns: {known}.{near}")


def overview(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = None,
    *,
    cutoffs: Iterable[int] = CUTOFFS,
    pool_depth: int = POOL_DEPTH,
    rel: float = 1,
) -> Overview:
    """Summarise a collection: judged and relevant documents in the pool and in each run.

    Parameters
    ----------
    data, runs
        As for `score`.
    cutoffs
        Depths k for `judged@k`, the judged fraction of the top k, and for `relevant@k`, the mean
        number of relevant documents in the top k.
    pool_depth
        A judged document is unique to a run if only this run has it in its top `pool_depth`.
    rel
        Relevance threshold.

    Returns
    -------
    Overview
        Means over topics and runs; details by topic, by run, by rank and by group of documents
        (relevant or not, retrieved or not); and a chart.

    Examples
    --------
    >>> judged = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> seen = overview(judged, {"1": {"a": 3, "x": 2, "b": 1}}, cutoffs=[2])
    >>> seen.frame.rows()
    [('pool', None, 3.0, 3.0, 2.0, None), ('top 2', 1, 2.0, 1.0, 1.0, 1.0)]
    """
    depths = set(cutoffs)
    if not depths:
        raise CallError(Argument("cutoffs"), " is empty. Give at least one cutoff, for example 10.")
    for cutoff in depths:
        check_depth(cutoff, "cutoffs")
    check_depth(pool_depth, "pool_depth")
    check_above_0("rel", rel)
    return Overview(as_collection(data, runs).judged(), tuple(sorted(depths)), rel, pool_depth)
