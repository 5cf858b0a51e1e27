"""Topic groups in a report: means and comparisons of each group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rankwise.arrays import Floats
from rankwise.comparison import Comparison
from rankwise.rankings import TopicGroups, table_of_groups
from rankwise.reporting.packing import counts, floats
from rankwise.reporting.pair_states import pair_states
from rankwise.scores import Scores, confidence

OF_PAIRS = ("difference", "conf_low", "conf_high", "effect", "p", "low", "high")
COUNTED = ("wins", "losses", "topics")


def grouped(
    groups: TopicGroups | None, scores: Scores, verdicts: Comparison | None, alpha: float
) -> dict[str, Any] | None:
    """Return means and differences by topic group; None without groups.

    Groups are in the order of their first occurrence. Means have shape (metrics, groups, runs), and
    columns of pairs have shape (metrics, groups, pairs), for the pairs of `verdicts`. The p-values
    of a baseline are corrected over all groups and runs together, as in `compare`.
    """
    if groups is None:
        return None
    grouped_scores = scores.with_groups(groups)
    parts = grouped_scores.by_group
    names = [name for name in dict.fromkeys(table_of_groups(groups).values()) if name in parts]
    means = [confidence(parts[name], 1 - alpha).frame for name in names]
    shape = (len(scores.metrics), len(scores.runs))
    columns = {
        name: floats(_stacked((frame[name].fill_null(np.nan).to_numpy() for frame in means), shape))
        for name in ("value", "conf_low", "conf_high", "low", "high")
        if name in means[0].columns
    }
    places = {topic: place for place, topic in enumerate(scores.topics)}
    return {
        "names": names,
        "topics": [[places[topic] for topic in parts[name].topics] for name in names],
        "means": columns,
        "pairs": None if verdicts is None else _pairs(verdicts, names),
    }


def _stacked(columns: Iterable[Any], shape: tuple[int, int]) -> Any:
    """Reshape the column of each group, and stack the groups on axis 1."""
    return np.stack([column.reshape(shape) for column in columns], axis=1)


def _pairs(verdicts: Comparison, names: Sequence[str]) -> dict[str, Any]:
    parts = [verdicts.by_group[name] for name in names]
    shape = (len(verdicts.metrics), len(verdicts.first))

    def column(name: str) -> Floats:
        none = np.full(shape, np.nan)  # scores alone have no bounds
        values = (
            part.frame[name].cast(float).fill_null(np.nan).to_numpy()
            if name in part.frame.columns
            else none
            for part in parts
        )
        found: Floats = _stacked(values, shape)
        return found

    states = _stacked((pair_states(part) for part in parts), shape)
    return {
        "a": counts(verdicts.first),
        "b": counts(verdicts.second),
        "interval": parts[0].intervals.words,
        **{name: floats(column(name)) for name in OF_PAIRS},
        **{name: counts(np.nan_to_num(column(name))) for name in COUNTED},
        "state": counts(states),
        "corrected": floats(_corrected(verdicts, column("p"))),
        "corrected_all": floats(column("corrected_p")),
    }


def _corrected(verdicts: Comparison, p: Floats) -> Floats:
    """Return p-values corrected per baseline, of shape (metrics, baselines, groups, runs)."""
    metrics, groups, _ = p.shape
    runs = len(verdicts.scores.runs)
    square = np.full((metrics, runs, groups, runs), np.nan)
    first, second = verdicts.first, verdicts.second
    for metric in range(metrics):
        for group in range(groups):
            square[metric, first, group, second] = p[metric, group]
            square[metric, second, group, first] = p[metric, group]
    for baseline in np.unique([first, second]):
        family = square[:, baseline].reshape(metrics, -1)  # NaN is ignored
        square[:, baseline] = verdicts.options.correct(family).reshape(metrics, groups, runs)
    return square
