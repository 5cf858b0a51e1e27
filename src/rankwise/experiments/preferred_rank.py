"""Where P and P⁺ look: the preferred rank, and the relevant documents down to it."""

import numpy as np
import polars as pl

from rankwise.metrics.blended import PMeasure
from rankwise.rankings.judged import JudgedRankings


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
