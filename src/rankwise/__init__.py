"""How good rankings are, how sure one can be of it, and how good the measures themselves are.

The public names, and nothing else. Each is loaded when it is first used, so that
importing rankwise costs nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankwise.comparison import Comparison, compare, compare_scores
    from rankwise.correlation import Correlation, correlate, correlate_orders
    from rankwise.errors import (
        CallError,
        InputError,
        MetricError,
        RankwiseError,
        UnknownMetric,
        WrongParameter,
    )
    from rankwise.experiments.discrimination.result import (
        Discrimination,
        discriminate,
        discriminate_scores,
    )
    from rankwise.experiments.preferred_rank import preferred_ranks
    from rankwise.experiments.properties import properties
    from rankwise.experiments.stability.groups import LeftOut, leave_groups_out
    from rankwise.experiments.stability.result import Stability, stability
    from rankwise.judging import JudgmentPlan, depth_for, greatest_p, plan_judgments
    from rankwise.judging.collection import Overview, overview
    from rankwise.judging.pools import pool
    from rankwise.judging.samples import reduce
    from rankwise.metrics import Metric, WeightedPrecision, load_metrics, parse, register
    from rankwise.published import Published, compare_published, invert
    from rankwise.rankings.join import judge
    from rankwise.rankings.judged import JudgedRankings
    from rankwise.rankings.reading import Qrels, Run, read_matrix, read_qrels, read_runs
    from rankwise.scores.confidence import confidence
    from rankwise.scores.explanation import Explanation, explain
    from rankwise.scores.standardisation import standardise
    from rankwise.scores.table import Scores, score, score_gains
    from rankwise.simulation import Collection, simulate
    from rankwise.studies import study

__version__ = "0.1.0"

_HOMES = {
    "rankwise.correlation": ["Correlation", "correlate", "correlate_orders"],
    "rankwise.comparison": ["Comparison", "compare", "compare_scores"],
    "rankwise.errors": [
        *["RankwiseError", "InputError", "MetricError", "UnknownMetric", "WrongParameter"],
        "CallError",
    ],
    "rankwise.experiments.discrimination.result": [
        *["Discrimination", "discriminate", "discriminate_scores"],
    ],
    "rankwise.experiments.stability.groups": ["LeftOut", "leave_groups_out"],
    "rankwise.judging.collection": ["Overview", "overview"],
    "rankwise.judging.pools": ["pool"],
    "rankwise.experiments.preferred_rank": ["preferred_ranks"],
    "rankwise.experiments.properties": ["properties"],
    "rankwise.judging.samples": ["reduce"],
    "rankwise.experiments.stability.result": ["Stability", "stability"],
    "rankwise.scores.explanation": ["Explanation", "explain"],
    "rankwise.rankings.reading": ["Qrels", "Run", "read_matrix", "read_qrels", "read_runs"],
    "rankwise.published": ["Published", "compare_published", "invert"],
    "rankwise.rankings.join": ["judge"],
    "rankwise.rankings.judged": ["JudgedRankings"],
    "rankwise.metrics": ["Metric", "WeightedPrecision", "load_metrics", "parse", "register"],
    "rankwise.judging": ["JudgmentPlan", "depth_for", "greatest_p", "plan_judgments"],
    "rankwise.scores.table": ["Scores", "score", "score_gains"],
    "rankwise.simulation": ["Collection", "simulate"],
    "rankwise.studies": ["study"],
    "rankwise.scores.standardisation": ["standardise"],
    "rankwise.scores.confidence": ["confidence"],
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
