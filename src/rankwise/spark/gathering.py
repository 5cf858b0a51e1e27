"""Rows of results, gathered on the driver as `Scores`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from rankwise.notes import Note, add_counts
from rankwise.rankings import (
    Selection,
    Taken,
    TopicsOfRun,
    about_self,
    about_tied,
    about_topics,
    topic_order,
)
from rankwise.scores import Scores
from rankwise.spark.job import Job
from rankwise.spark.rows import codes_of, numbers_of


def gathered(job: Job, rows: pl.DataFrame, unjudged: str | None) -> Scores:
    """Build scores from rows in which every run has all topics."""
    scored = rows.filter(pl.col("metric").is_not_null())
    metrics, runs = job.part.metrics, job.part.runs
    names = [str(metric) for metric in metrics]
    topics = topic_order(scored["topic"].unique().to_list())
    axes = {"metric": names, "run": runs, "topic": topics}
    place = tuple(
        codes_of(scored[axis], {name: at for at, name in enumerate(of)})
        for axis, of in axes.items()
    )
    cubes: dict[str, Any] = {}
    for name in ("value", "low", "high") if unjudged else ("value",):
        cubes[name] = np.full([len(of) for of in axes.values()], np.nan)
        cubes[name][place] = numbers_of(scored, name)
    present = np.zeros((len(runs), len(topics)), np.bool_)
    present[place[1:]] = scored["present"].to_numpy()
    outer: tuple[str, ...] = ()
    if unjudged:
        loose = set(scored.filter(~pl.col("tight"))["metric"].to_list())
        outer = tuple(name for name in names if name in loose)
    unused = tuple(str(m) for m in metrics if job.has_gains and not m.takes_gains)
    # Which topics were there is known: see `_of_asked_topics`.
    taken = replace(job.part.filters, topics=None)
    return Scores(
        metrics,
        runs,
        tuple(topics),
        **cubes,
        present=present,
        input_notes=(*job.notes, *dropped_notes(rows), *_on_topics(rows, runs, topics, taken)),
        outer=outer,
        unjudged=unjudged,
        gains_unused=unused,
    )


def dropped_notes(rows: pl.DataFrame) -> tuple[Note, ...]:
    """Return the notes of the parts on what they skipped, added up."""
    said = rows.filter(pl.col("metric").is_null() & pl.col("topic").is_null())
    return add_counts(Note.unpacked(json.loads(text)) for text in said["run"].sort())


def _on_topics(
    rows: pl.DataFrame, runs: Sequence[str], topics: Sequence[str], taken: Selection
) -> list[Note]:
    """Notes on how each run's topics match the judgments; an error if none does."""
    found = dict.fromkeys(runs, TopicsOfRun(taken=Taken()))
    said = rows.filter(pl.col("metric").is_null() & pl.col("topic").is_not_null())
    for run, text in said.select("run", "topic").iter_rows():
        part = TopicsOfRun(*json.loads(text))
        if part.taken is not None:
            kept = Taken(*part.taken)
            kept = kept._replace(topics=tuple(kept.topics), names=tuple(kept.names))
            part = part._replace(taken=kept)
        part = part._replace(first=tuple(part.first), first_tied=tuple(part.first_tied))
        found[run] = found[run].plus(part)
    notes = about_self([run for run in runs if found[run].holds_self]) + about_tied(found)
    for run, of in found.items():
        if of.taken is not None:
            notes += taken.about(run, of.taken)
        notes += about_topics(run, of._replace(first=tuple(topic_order(of.first))), topics)
    return notes
