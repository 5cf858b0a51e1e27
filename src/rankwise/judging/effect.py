"""Which documents to judge next by what each by itself would do to the scores, by any metric."""

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.judging.plan import JudgmentPlan, heaviest, listed
from rankwise.judging.resolution import Stakes
from rankwise.metrics import Metric
from rankwise.probable.documents import Documents
from rankwise.probable.effects import effects_of
from rankwise.rankings.judged import JudgedRankings

TOP = 100


def plan_by_effect(
    judged: JudgedRankings, metric: Metric, budget: int, baseline: str | None = None
) -> JudgmentPlan:
    """The documents that would do most, if relevant, to the differences from a baseline.

    Of each unjudged document that some run has in its first 100, its effect is what it would
    change if it were relevant and no other unjudged document were: of each run the difference of
    its mean score from that of the baseline, or without one its mean score, added up over runs. By
    a sum of weights and without a baseline that is the document's weight, over the topics. No
    model is needed, nor a pool: it says what may matter and not what is likely.
    """
    documents = Documents.of(judged, TOP)
    unjudged = np.flatnonzero(~documents.is_judged & (documents.best <= TOP))
    none_relevant = np.zeros((1, len(unjudged)), np.int64)
    effects = effects_of(documents, metric, unjudged, none_relevant)
    stakes = Stakes.by_effects(documents, effects, unjudged, np.ones(len(unjudged)))
    against = None if baseline is None else judged.runs.index(baseline)
    effect = _added_up(stakes, against) / len(judged.topics)
    chosen = heaviest(effect, budget, stakes.topic)
    notes = list(judged.notes)
    if len(chosen) < budget:
        notes.append(f"{len(chosen):,} unjudged documents do anything: fewer than the budget")
    assert judged.retrieved is not None
    return JudgmentPlan(
        metric,
        listed(
            *(judged.retrieved.unjudged, judged.topics, unjudged[chosen]),
            by={"effect": effect[chosen]},
        ),
        pl.DataFrame(),
        f"top={TOP}",
        _list_notes(baseline),
        (),
        input_notes=tuple(notes),
        topics=len(judged.topics),
    )


def _added_up(stakes: Stakes, against: int | None) -> Floats:
    """For each document, what it would change of each run, added up over runs."""
    total = np.zeros(len(stakes.code))
    for members, adds in stakes.parts:
        base = 0.0 if against is None else adds[:, [against]]
        total[members] = np.abs(adds - base).sum(axis=1)
    return total


def _list_notes(baseline: str | None) -> tuple[str, ...]:
    what = "mean scores" if baseline is None else f"differences from {baseline}"
    return (
        f"effect: by how much the {what} of all runs together would change if the document were "
        "relevant and no other unjudged one were; runs: how many retrieved it; best_rank: its "
        "highest rank in one",
        f"the list is ordered by effect, of what some run has in its first {TOP}",
    )
