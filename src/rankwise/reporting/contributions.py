"""Contributions of documents to scores, stored as two factors that a report multiplies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.metrics import Metric
from rankwise.rankings import JudgedRankings, Rows
from rankwise.reporting.packing import floats


def contribution_factors(
    metric: Metric, judged: JudgedRankings, topics: Sequence[int], levels: Ints
) -> dict[str, Any] | None:
    """Return two factors whose product is the contribution of a document to a score.

    The factor `worth` has shape (topics, levels), where `levels` are grades. The factor `weight`
    has one number per rank. For AP, `weight` is None, because it depends on the ranking: the page
    computes Σ 1/j over the ranks j of the relevant documents from this one down to the cutoff.
    Return None if the contributions to the metric are not such a product.
    """
    metric = metric.at_levels_of(judged)
    if metric.judged_only or metric.ties == "share" or not len(judged.rank):
        return None
    if (ap := metric.mean_precision) is not None:
        worth = np.outer(1 / ap.divisor(judged.judged_count(ap.rel)[topics]), levels >= ap.rel)
        return {"weight": None, "cutoff": ap.cutoff, "worth": floats(worth)}
    rows = metric.view(judged)
    with np.errstate(invalid="ignore", divide="ignore"):  # the ideal of a topic can be 0
        real = metric.contributions(rows)
        if real is None:
            return None
        worth, weight = _probed(metric, judged, levels)
    of_rows = worth[rows.topic[rows.ranking], np.searchsorted(levels, rows.grade)]
    # The product must equal the contribution of every retrieved document.
    if not np.allclose(real, of_rows * weight[rows.rank - 1], equal_nan=True):
        return None
    deepest = int(np.flatnonzero(weight).max(initial=-1)) + 1
    shown = np.nan_to_num(worth[topics])
    return {"weight": floats(weight[:deepest]), "cutoff": None, "worth": floats(shown)}


def _probed(metric: Metric, judged: JudgedRankings, levels: Ints) -> tuple[Floats, Floats]:
    """Return contributions of documents at rank 1, of shape (topics, levels), and rank weights.

    A rank weight is the contribution of a document at this rank, divided by that at rank 1.
    """
    first = judged.where_rankings(np.arange(len(judged.topics)))  # one ranking per topic

    def contributions(ranking: Ints, rank: Ints, level: int) -> Floats:
        rows = Rows.untied(ranking, rank, np.full(len(rank), level))
        found = metric.contributions(metric.view(replace(first, **rows._asdict(), judgment=None)))
        assert found is not None
        return np.pad(found, (0, len(rank) - len(found)))  # contributions below the cutoff are 0

    each = np.arange(len(judged.topics))
    worth = np.stack([contributions(each, np.ones_like(each), one) for one in levels], axis=1)
    topic, level = np.unravel_index(int(np.nan_to_num(worth).argmax()), worth.shape)
    ranks = np.arange(1, int(judged.rank.max()) + 1)
    weight = contributions(np.full_like(ranks, topic), ranks, int(levels[level]))
    return worth, weight / (weight[0] or 1.0)
