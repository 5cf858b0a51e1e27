"""The metrics: one family a file, all of them in one registry.

Importing a family registers its metrics.
"""

from rankwise.metrics import (
    average_precision,
    blended,
    cascade,
    counts,
    dcg,
    expected_reciprocal_rank,
    expected_utility,
    gain,
    goals,
    interpolated_precision,
    overlap,
    precision,
    preference,
    rbp,
    reciprocal_rank,
    sets,
    weighted_reciprocal_rank,
)
from rankwise.metrics.base import Metric, WeightedPrecision, assumed
from rankwise.metrics.loading import load_metrics
from rankwise.metrics.registry import REGISTRY, parse, parse_all, register
from rankwise.vocabulary import Assumption

__all__ = [
    "REGISTRY",
    "Assumption",
    "Metric",
    "WeightedPrecision",
    "assumed",
    "average_precision",
    "blended",
    "cascade",
    "counts",
    "dcg",
    "expected_reciprocal_rank",
    "expected_utility",
    "gain",
    "goals",
    "interpolated_precision",
    "load_metrics",
    "overlap",
    "parse",
    "parse_all",
    "precision",
    "preference",
    "rbp",
    "reciprocal_rank",
    "register",
    "sets",
    "weighted_reciprocal_rank",
]
