"""Metrics, one module per family of related metrics, and the registry of all metrics.

    from rankwise.metrics import AP, nDCG, P
    rankwise.score(qrels, runs, [AP, nDCG @ 10, P(rel=2, cutoff=5)])

Every metric of rankwise can be imported from here by its name. The first use of a metric loads its
module, which registers all metrics of the family. Importing `REGISTRY` or `ALIASES` loads all
families.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # fmt: off
    # isort: off
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
    from rankwise.metrics.rbp import *
    from rankwise.metrics.reading_time import *
    from rankwise.metrics.reciprocal_rank import *
    from rankwise.metrics.sets import *
    from rankwise.metrics.subtopics import *
    from rankwise.metrics.trec_eval_gain import *
    from rankwise.metrics.weighted_reciprocal_rank import *
    from rankwise.metrics.descriptions import (
        catalogue as catalogue, described_metrics as described_metrics, entry as entry,
        family as family, listing as listing,
    )
    from rankwise.metrics.grammar import listed as listed, parse as parse, parse_all as parse_all
    from rankwise.metrics.metric import Metric as Metric
    from rankwise.metrics.parameters import text as text
    from rankwise.metrics.ranges import Range as Range, vary as vary
    from rankwise.metrics.registry import (
        ALIASES as ALIASES, REGISTRY as REGISTRY, MetricLike as MetricLike,
        as_printed as as_printed, load_metrics as load_metrics,
        load_plugin_metrics as load_plugin_metrics, register as register,
    )
    from rankwise.metrics.subtopics import OverSubtopics as OverSubtopics
    from rankwise.metrics.traits import (
        ByCount as ByCount, ByFirst as ByFirst, ByFirstAndCount as ByFirstAndCount,
        ByFound as ByFound, Normalised as Normalised,
    )
    from rankwise.metrics.weighted import WeightedPrecision as WeightedPrecision
else:
    from importlib import import_module

    from rankwise.doors import door

    _named, _names = door(__name__, __file__)

    def __getattr__(name):
        if name == "__all__":
            return __dir__()
        registry = import_module("rankwise.metrics.registry")
        if name in ("ALIASES", "REGISTRY"):
            registry.load_all()
        home = registry.homes().get(name)
        if home is None:
            return _named(name)
        globals()[name] = getattr(import_module(f"rankwise.metrics.{home}"), name)
        return globals()[name]

    def __dir__():
        return sorted([*_names(), *import_module("rankwise.metrics.registry").homes()])
