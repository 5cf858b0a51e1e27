"""How good rankings are, how sure one can be of it, and how good the measures themselves are.

The public names, and nothing else. Each is loaded when it is first used, so that
importing rankwise costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankwise.agreement import Correlation, correlate, correlate_orders
    from rankwise.comparison import Comparison, compare, compare_scores
    from rankwise.errors import (
        CallError,
        InputError,
        MetricError,
        RankwiseError,
        UnknownMetric,
        WrongParameter,
    )
    from rankwise.experiments.discrimination import (
        Discrimination,
        discriminate,
        discriminate_scores,
    )
    from rankwise.experiments.groups import LeftOut, leave_groups_out
    from rankwise.experiments.overview import Overview, overview
    from rankwise.experiments.pools import pool
    from rankwise.experiments.preferred_rank import preferred_ranks
    from rankwise.experiments.properties import properties
    from rankwise.experiments.reduction import reduce
    from rankwise.experiments.stability import Stability, stability
    from rankwise.explanation import Explanation, explain
    from rankwise.inputs import Qrels, Run, read_matrix, read_qrels, read_runs
    from rankwise.inversion import Published, compare_published, invert
    from rankwise.join import judge
    from rankwise.judged import JudgedRankings
    from rankwise.metrics import Metric, WeightedPrecision, load_metrics, parse, register
    from rankwise.planning import JudgmentPlan, depth_for, greatest_p, plan_judgments
    from rankwise.scores import Scores, score, score_gains
    from rankwise.simulation import Collection, simulate
    from rankwise.standardisation import standardise
    from rankwise.studies import study
    from rankwise.uncertainty import confidence

__version__ = "0.1.0"

_HOMES = {
    "rankwise.agreement": ["Correlation", "correlate", "correlate_orders"],
    "rankwise.comparison": ["Comparison", "compare", "compare_scores"],
    "rankwise.errors": [
        *["RankwiseError", "InputError", "MetricError", "UnknownMetric", "WrongParameter"],
        "CallError",
    ],
    "rankwise.experiments.discrimination": [
        *["Discrimination", "discriminate", "discriminate_scores"],
    ],
    "rankwise.experiments.groups": ["LeftOut", "leave_groups_out"],
    "rankwise.experiments.overview": ["Overview", "overview"],
    "rankwise.experiments.pools": ["pool"],
    "rankwise.experiments.preferred_rank": ["preferred_ranks"],
    "rankwise.experiments.properties": ["properties"],
    "rankwise.experiments.reduction": ["reduce"],
    "rankwise.experiments.stability": ["Stability", "stability"],
    "rankwise.explanation": ["Explanation", "explain"],
    "rankwise.inputs": ["Qrels", "Run", "read_matrix", "read_qrels", "read_runs"],
    "rankwise.inversion": ["Published", "compare_published", "invert"],
    "rankwise.join": ["judge"],
    "rankwise.judged": ["JudgedRankings"],
    "rankwise.metrics": ["Metric", "WeightedPrecision", "load_metrics", "parse", "register"],
    "rankwise.planning": ["JudgmentPlan", "depth_for", "greatest_p", "plan_judgments"],
    "rankwise.scores": ["Scores", "score", "score_gains"],
    "rankwise.simulation": ["Collection", "simulate"],
    "rankwise.studies": ["study"],
    "rankwise.standardisation": ["standardise"],
    "rankwise.uncertainty": ["confidence"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "CallError",
    "Collection",
    "Comparison",
    "Correlation",
    "Discrimination",
    "Explanation",
    "InputError",
    "JudgedRankings",
    "JudgmentPlan",
    "LeftOut",
    "Metric",
    "MetricError",
    "Overview",
    "Published",
    "Qrels",
    "RankwiseError",
    "Run",
    "Scores",
    "Stability",
    "UnknownMetric",
    "WeightedPrecision",
    "WrongParameter",
    "compare",
    "compare_published",
    "compare_scores",
    "confidence",
    "correlate",
    "correlate_orders",
    "depth_for",
    "discriminate",
    "discriminate_scores",
    "explain",
    "greatest_p",
    "invert",
    "judge",
    "leave_groups_out",
    "load_metrics",
    "overview",
    "parse",
    "plan_judgments",
    "pool",
    "preferred_ranks",
    "properties",
    "read_matrix",
    "read_qrels",
    "read_runs",
    "reduce",
    "register",
    "score",
    "score_gains",
    "simulate",
    "stability",
    "standardise",
    "study",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'rankwise' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
