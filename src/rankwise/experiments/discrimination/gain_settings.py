"""Metrics crossed with tables of gains: Tables 5 and 6 of Sakai (2007)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankwise.errors import CallError
from rankwise.experiments.discrimination.swap import Averaging
from rankwise.metrics import Metric
from rankwise.scores import Scores
from rankwise.stats import Ties, dense_ranks, kendall


def crossed(metrics: Sequence[Metric], tables: Sequence[Any]) -> list[Metric]:
    """Combine each metric that takes gains with each table; other metrics are kept once.

    >>> from rankwise.metrics import parse
    >>> [str(metric) for metric in crossed([parse("O"), parse("RR")], ["2:1", "9:1"])]
    ['O(gains={1:1,2:2})', 'O(gains={1:1,2:9})', 'RR']
    """
    if not any("gains" in metric.parameters for metric in metrics):
        names = ", ".join(str(metric) for metric in metrics)
        raise CallError(f"several tables of gains are given, but none of {names} uses gains.")
    settings: list[Metric] = []
    for metric in metrics:
        has_gains = "gains" in metric.parameters
        settings += [metric.altered(gains=t) for t in tables] if has_gains else [metric]
    return settings


def tau_with_first(scores: Scores, *, ties: Ties = "b") -> dict[str, float]:
    """Kendall's tau of the system ranking with that under a metric's first gains.

    Table 5 of Sakai (2007), which uses tau-a. Only for metrics with several tables of gains.
    """
    places: dict[Metric, list[int]] = {}
    for place, metric in enumerate(scores.metrics):
        if "gains" in metric.parameters:
            places.setdefault(metric.altered(gains=None), []).append(place)
    tau_by_metric: dict[str, float] = {}
    for group in places.values():
        if len(group) > 1:
            kept = np.isfinite(scores.value[group]).all(axis=(0, 1))
            values = scores.value[group][:, :, kept]
            averaging = Averaging(scores.averaged)
            ranks = [dense_ranks(averaging.overall(one)) for one in values]
            taus = kendall(ranks[0], np.array(ranks), ties=ties)
            names = (str(scores.metrics[at]) for at in group)
            tau_by_metric |= dict(zip(names, taus.tolist(), strict=True))
    return tau_by_metric
