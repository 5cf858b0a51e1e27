"""Where P and P⁺ look: the preferred rank, and the relevant documents down to it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from rankwise.errors import CallError
from rankwise.metrics.blended import PMeasure
from rankwise.rankings.accepted import QrelsLike, RunsLike
from rankwise.rankings.join import read_judged
from rankwise.rankings.judged import JudgedRankings
from rankwise.results.base import Result
from rankwise.vocabulary import Order


@dataclass(frozen=True, eq=False, repr=False)
class PreferredRanks(Result):
    """One row per topic: see `preferred_ranks`."""

    frame: pl.DataFrame
    notes: list[str] = field(default_factory=list)
    topics: int = 0  # how many
    rel: int = 1

    @property
    def header(self) -> dict[str, Any]:
        """How many topics, and what is relevant."""
        return {"topics": self.topics, "rel": self.rel}

    @property
    def caption(self) -> str:
        """What the ranks are."""
        return "The greatest preferred rank of each topic, and the documents down to it:"


def preferred_rank(
    qrels: "QrelsLike",
    runs: "RunsLike",
    *,
    rel: int = 1,
    order: Order = "score",
    depth: int | None = None,
    lenient: bool = False,
    complete_runs: bool = False,
) -> PreferredRanks:
    """How far down P and P⁺ look: for each topic the run that has to be read deepest.

    Parameters
    ----------
    qrels, runs
        As for `score`.
    rel
        The lowest grade that is relevant.
    order, depth, lenient, complete_runs
        As for `score`.

    Returns
    -------
    PreferredRanks
        One row per topic, by the columns of `preferred_ranks`.

    Examples
    --------
    >>> run = {"1": {"a": 3, "x": 2, "b": 1}}
    >>> preferred_rank({"1": {"a": 1, "b": 2, "c": 2}}, {"one": run}).frame.rows()
    [('1', 'one', 3, 1, 2, 1, 1)]
    """
    if rel < 1:
        raise CallError(f"rel {rel} is not 1 or more.")
    judged = read_judged(
        qrels, runs, order=order, depth=depth, lenient=lenient, complete_runs=complete_runs
    )
    found = preferred_ranks(judged, rel)
    return PreferredRanks(found, list(judged.notes), len(judged.topics), rel)


def preferred_ranks(judged: JudgedRankings, rel: int = 1) -> pl.DataFrame:
    """For each topic the run that has to be read deepest for its best document.

    The preferred rank r_p of a ranking is that of the first document of the highest grade
    that it holds. A row is a topic: the run with the greatest r_p among those that hold
    anything relevant (the first such run), r_p, and for each grade, the highest first, how
    many documents the run has down to r_p, and how many are judged so in all (`of`). A topic
    for which no run holds anything relevant has null there.

    Tables 7 to 9 of Sakai (IPSJ Digital Courier 3, 2007).
    """
    runs, topics = len(judged.runs), len(judged.topics)
    ranks = PMeasure(rel=rel).preferred_rank(judged)
    deepest = np.where(np.isfinite(ranks), ranks, 0.0).reshape(runs, topics)
    run = deepest.argmax(axis=0)
    deep = deepest.max(axis=0, initial=0.0).astype(np.int64)
    chosen = run * topics + np.arange(topics)
    down_to = judged.rows_where(judged.rank <= deep[judged.topic][judged.ranking])
    columns: dict[str, pl.Series] = {}
    for grade in np.unique(judged.topic_grades[judged.topic_grades >= rel])[::-1]:
        above = down_to.total(down_to.grade == grade)[chosen].astype(np.int64)
        columns[f"grade {grade}"] = pl.Series(above)
        columns[f"of {grade}"] = pl.Series(judged.judged_count(grade, grade + 1)[:topics])
    found = pl.Series(deep > 0)
    names = pl.Series(judged.runs).gather(run)
    frame = pl.DataFrame({"topic": judged.topics, "run": names, "rank": deep, **columns})
    none = [name for name in frame.columns if name != "topic" and not name.startswith("of ")]
    return frame.with_columns(pl.when(found).then(pl.col(none)))
