"""The metrics: one family per file, all of them in one registry.

    from rankwise.metrics import AP, nDCG, P
    rankwise.score(qrels, runs, [AP, nDCG @ 10, P(rel=2, cutoff=5)])

A metric is imported from here by its name. Its family is loaded when it is first asked for, and
registers all of its metrics; the registry, once asked for, has all families.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankwise.metrics.index import homes
from rankwise.metrics.loading import load_metrics as load_metrics
from rankwise.metrics.metric import Metric as Metric
from rankwise.metrics.registry import (
    MetricLike as MetricLike,
    as_printed as as_printed,
    listed as listed,
    load_all,
    parse as parse,
    parse_all as parse_all,
    register as register,
)
from rankwise.metrics.weighted import WeightedPrecision as WeightedPrecision
from rankwise.vocabulary import Assumption as Assumption

if TYPE_CHECKING:  # a line for each family
    from rankwise.metrics.average_precision import *
    from rankwise.metrics.blended import *
    from rankwise.metrics.cascade import *
    from rankwise.metrics.compatibility import *
    from rankwise.metrics.counts import *
    from rankwise.metrics.dcg import *
    from rankwise.metrics.expected_utility import *
    from rankwise.metrics.goals import *
    from rankwise.metrics.interpolated_precision import *
    from rankwise.metrics.precision import *
    from rankwise.metrics.preference import *
    from rankwise.metrics.ranges import vary as vary
    from rankwise.metrics.rbp import *
    from rankwise.metrics.reading_time import *
    from rankwise.metrics.reciprocal_rank import *
    from rankwise.metrics.registry import ALIASES as ALIASES, REGISTRY as REGISTRY
    from rankwise.metrics.sets import *
    from rankwise.metrics.trec_eval_gain import *
    from rankwise.metrics.weighted_reciprocal_rank import *

OTHER_NAMES = ["ALIASES", "Assumption", "Metric", "MetricLike", "REGISTRY", "WeightedPrecision"]
OTHER_NAMES += ["as_printed", "listed", "load_metrics", "parse", "parse_all", "register", "vary"]

if not TYPE_CHECKING:  # a type checker knows the names, and reports those that do not exist

    def __getattr__(name: str) -> Any:
        if name == "__all__":
            return __dir__()
        if name in ("ALIASES", "REGISTRY"):
            load_all()
            value = getattr(import_module("rankwise.metrics.registry"), name)
        elif name == "vary":
            value = import_module("rankwise.metrics.ranges").vary
        elif not name.startswith("_") and name in homes():
            value = getattr(import_module(f"rankwise.metrics.{homes()[name]}"), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*OTHER_NAMES, *homes()])
