"""Average the scores of several runs of one system (random seeds, trials), topic by topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankwise.errors import CallError, InputError, some_of
from rankwise.formats import read_pairs
from rankwise.notes import Note, note
from rankwise.scores.scores import Scores
from rankwise.stats import RunVariances, cluster_values, run_variances
from rankwise.wording import Argument, Count

if TYPE_CHECKING:
    from rankwise.arrays import Ints


def average_runs(scores: Scores, systems: str | Path | Mapping[str, str]) -> Scores:
    """Return the scores averaged over the runs of each system; see `Scores.of_systems`."""
    if scores.low is not None:
        what = " cannot be combined with bounds. Remove "
        raise CallError(Argument("systems"), what, Argument("bounds", True), ".")
    if scores.averaged == "geometric":
        geometric = Argument("mean", "geometric")
        what = " cannot be combined with "
        raise CallError(Argument("systems"), what, geometric, ". Remove one of them.")
    names = _systems_of(scores.runs, systems)
    places = {name: [i for i, own in enumerate(names) if own == name] for name in names}
    parts = tuple(scores.of_runs(own) for own in places.values())
    value = np.stack([_mean_over_runs(part.value) for part in parts], axis=1)
    present = np.array([part.present.all(axis=0) for part in parts])
    return replace(
        scores,
        runs=tuple(places),
        value=value,
        present=present,
        repetitions=parts,
        input_notes=(*scores.input_notes, *_about_gaps(parts)),
    )


def _systems_of(runs: tuple[str, ...], systems: str | Path | Mapping[str, str]) -> tuple[str, ...]:
    """Return the system of each run; a run that is not listed is a system by itself."""
    called = "systems" if isinstance(systems, Mapping) else str(systems)
    table = read_pairs(systems, "run", "system")
    if not set(table) & set(runs):
        listed, scored = some_of(list(table), 2), some_of(runs, 2)
        what = f"lists no run of the scores. Listed runs: {listed}. Runs of the scores: {scored}."
        raise InputError(called, what)
    systems_listed = set(table.values())
    twice = next((run for run in runs if run not in table and run in systems_listed), None)
    if twice is not None:
        what = f"{twice!r} is the name of a system and of a run that is not listed. "
        what += "List the run with its system."
        raise InputError(called, what)
    return tuple(table.get(run, run) for run in runs)


def _mean_over_runs(value: np.ndarray) -> np.ndarray:
    """Return the mean over the runs with a score, from (metrics, runs, topics), NaN if none has."""
    known = np.isfinite(value)
    count = known.sum(axis=1)
    total = np.where(known, value, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _about_gaps(parts: tuple[Scores, ...]) -> list[Note]:
    gaps = 0
    for part in parts:
        known = part.defined
        gaps += int((known.any(axis=1) & ~known.all(axis=1)).any(axis=0).sum())
    count = Count(gaps, "topic has", "topics have")
    what = " a score for only some runs of a system; the mean of the system is over these runs"
    return [note("runs-differ", count, what)] if gaps else []


def variances_between_runs(
    scores: Scores, metric: int, clusters: Ints | None = None
) -> RunVariances:
    """Return the variance of scores between the runs of each system.

    `metric` is the index of the metric. `clusters` has the cluster of each topic, if topics are
    clustered; the variance is then computed from one value per cluster instead of topic.
    """
    values = [part.value[metric] for part in scores.repetitions]
    if clusters is not None:
        values = [cluster_values(rows, clusters).linearised for rows in values]
    return run_variances(values)
