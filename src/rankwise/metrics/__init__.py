"""The metrics: one family a file, all of them in one registry.

Importing a family registers its metrics.
"""

from rankwise.metrics import (
    average_precision,
    counts,
    dcg,
    precision,
    preference,
    rbp,
    reciprocal_rank,
)
from rankwise.metrics.base import Metric, Unjudged, WeightedPrecision
from rankwise.metrics.names import REGISTRY, parse, parse_all, register

__all__ = [
    "REGISTRY",
    "Metric",
    "Unjudged",
    "WeightedPrecision",
    "average_precision",
    "counts",
    "dcg",
    "parse",
    "parse_all",
    "precision",
    "preference",
    "rbp",
    "reciprocal_rank",
    "register",
]
