"""Rankings joined once with judgments, so that each judgment can be changed by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from rankwise.arrays import Ints
from rankwise.metrics import Metric
from rankwise.rankings import Collection, Needs, Qrels, Rejudged


class Rejudging(NamedTuple):
    """Rankings with a code for each judged document, and the row of the judgments of each code."""

    rejudged: Rejudged
    row: Ints

    @classmethod
    def of(
        cls,
        collection: Collection,
        documents: pl.DataFrame,
        gains: Mapping[int, float] | None,
        metrics: Sequence[Metric],
    ) -> Rejudging:
        """Join the runs of a collection with documents: columns `topic` and `document`."""
        # The grade is the number of the row, so that each joined judgment is known by its grade.
        number = pl.int_range(1, documents.height + 1, dtype=pl.Int32, eager=True)
        qrels = Qrels(documents.select("topic", "document").with_columns(grade=number))
        joined = replace(collection, qrels=qrels, gains=None)
        whole_ties = any(metric.shares_ties for metric in metrics)
        judged = joined.judged(Needs(whole_ties=whole_ties))
        rejudged = Rejudged.of(replace(judged, gains=gains))
        return cls(rejudged, rejudged.grade - 1)
