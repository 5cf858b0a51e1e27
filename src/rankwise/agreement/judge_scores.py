"""`score_by_judge`: scores of runs under each judge, and their spread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from rankwise.notes import Note, note
from rankwise.rankings import Collection, as_collection, check_several
from rankwise.results import Result, Table
from rankwise.scores import DEFAULT_METRICS, Scores, score
from rankwise.wording import Argument

if TYPE_CHECKING:
    from rankwise.rankings import QrelsLike, RunsLike
    from rankwise.scores import MetricsLike


@dataclass(frozen=True, eq=False, repr=False)
class JudgeScores(Result):
    """Scores of runs under each judge.

    `by_judge` maps the name of each judge to the `Scores` under this judge. `frame` has one row per
    run, metric and judge: the mean score over the topics that this judge judged (for counts, the
    sum), and the number of these topics. The scores under a judge use only the labels of this
    judge; all other documents are unjudged.
    """

    _everyday = ("by_judge",)

    by_judge: dict[str, Scores]

    @property
    def frame(self) -> pl.DataFrame:
        """One row per run, metric and judge: mean score (`value`) and number of topics."""
        parts = []
        for name, scores in self.by_judge.items():
            judge = pl.lit(name, dtype=pl.String).alias("judge")
            parts.append(scores.mean().select("run", "metric", judge, "value", "topics"))
        return pl.concat(parts)

    @property
    def caption(self) -> str:
        return f"Scores under each of {len(self.by_judge)} judges: {', '.join(self.by_judge)}"

    @property
    def header(self) -> dict[str, Any]:
        first = next(iter(self.by_judge.values()))
        return first.header | {"judges": list(self.by_judge)}

    @property
    def notes(self) -> list[Note]:
        topics = {name: len(scores.topics) for name, scores in self.by_judge.items()}
        each = ", ".join(f"{name} {count}" for name, count in topics.items())
        text = (
            "'spread' is the highest minus the lowest score of a run over all judges. The judges "
            f"judged these numbers of topics: {each}"
        )
        notes = [note("spread", text)]
        if len({frozenset(scores.topics) for scores in self.by_judge.values()}) > 1:
            text = "The judges judged different topics, which may explain part of the spread. "
            agree = Argument("", python="rankwise.agree", command="judges agree")
            of_both = " compares two judges on the documents that both judged."
            notes.append(note("different-topics", text, agree, of_both))
        every = {name: scores.notes for name, scores in self.by_judge.items()}
        for name, of_judge in every.items():
            for one in of_judge:
                shared = all(one in others for others in every.values())
                notes.append(one if shared else replace(one, text=(*one.text, f" (judge {name})")))
        return list(dict.fromkeys(notes))

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with a row per run and metric: a score per judge, and the spread.

        The spread is the highest minus the lowest score. For each metric, runs are sorted by the
        score under the first judge, highest first.
        """
        names = list(self.by_judge)
        wide = self.frame.pivot(on="judge", index=["metric", "run"], values="value")
        spread = wide.select(names).max_horizontal() - wide.select(names).min_horizontal()
        wide = wide.with_columns(spread.alias("spread"))
        order = wide.sort("metric", names[0], descending=[False, True], maintain_order=True)
        return Table(order, caption=self.caption, digits=digits)


def score_by_judge(
    data: QrelsLike | Collection,
    runs: RunsLike | None = None,
    metrics: MetricsLike = DEFAULT_METRICS,
    *,
    rel: float = 1,
) -> JudgeScores:
    """Score runs under each judge separately.

    Parameters
    ----------
    data
        The judgments of two judges or more, as for `agree`.
    runs, metrics, rel
        As for `score`.

    Returns
    -------
    JudgeScores
        One row per run, metric and judge. `table` has a column with the highest minus the lowest
        score over judges.

    Examples
    --------
    >>> judges = {"ann": {"1": {"a": 1, "b": 0}}, "bob": {"1": {"a": 0, "b": 1}}}
    >>> found = score_by_judge(judges, {"up": {"1": ["a", "b"]}}, "RR")
    >>> found.table().frame.rows()
    [('RR', 'up', 1.0, 0.5, 0.5)]
    """
    collection = as_collection(data, runs)
    judges = collection.judges()
    check_several(judges)
    keeping = replace(collection, gains=None)
    by_judge = {
        name: score(replace(keeping, qrels=qrels), metrics=metrics, rel=rel)
        for name, qrels in judges.items()
    }
    return JudgeScores(by_judge)
