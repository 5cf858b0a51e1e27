"""How good rankings are, how sure one can be of it, and how good the measures themselves are.

The public names, and nothing else. Each is loaded when it is first used, so that
importing rankwise costs nothing. `rankwise.judging` has the rest on what to judge,
`rankwise.published` what is about published scores, `rankwise.errors` all errors.
"""

from __future__ import annotations

import rankwise.forks  # noqa: F401  # from here on every fork is noted

TYPE_CHECKING = False  # as typing has it, which takes longer to load than all of this
if TYPE_CHECKING:
    from typing import Any

    from rankwise import (
        errors as errors,
        judging as judging,
        metrics as metrics,
        published as published,
    )
    from rankwise.comparison import compare
    from rankwise.comparison.gate import gate
    from rankwise.comparison.options import TestOptions
    from rankwise.correlation import correlate
    from rankwise.errors import CallError, InputError, RankwiseError
    from rankwise.experiments.discrimination.result import discriminate
    from rankwise.experiments.properties import properties
    from rankwise.experiments.stability.result import stability
    from rankwise.experiments.user_model import user_model
    from rankwise.experiments.which_metric import which_metric
    from rankwise.judging import overview
    from rankwise.metrics import Metric, WeightedPrecision, parse, register
    from rankwise.probable import predict
    from rankwise.rankings.accepted import QrelsLike as QrelsLike, RunsLike as RunsLike
    from rankwise.rankings.collection import Collection, read
    from rankwise.rankings.judged import JudgedRankings
    from rankwise.rankings.reading import Qrels, Run, read_qrels, read_runs
    from rankwise.rankings.writing import convert, write_qrels, write_run
    from rankwise.reports import report
    from rankwise.scores.confidence import confidence
    from rankwise.scores.explanation import explain
    from rankwise.scores.given import read_scores
    from rankwise.scores.scoring import score, score_gains
    from rankwise.scores.standardisation import standardise
    from rankwise.scores.table import Scores
    from rankwise.simulation import Simulated as Simulated, simulate
    from rankwise.studies import study
    from rankwise.vocabulary import (
        Assumption as Assumption,
        ChartWidth as ChartWidth,
        CoefficientName as CoefficientName,
        Correction as Correction,
        Cut as Cut,
        Discriminator as Discriminator,
        Engine as Engine,
        Family as Family,
        Grouping as Grouping,
        Interval as Interval,
        InversionMethod as InversionMethod,
        Marks as Marks,
        Mean as Mean,
        Order as Order,
        RowKind as RowKind,
        Scale as Scale,
        SwapMethod as SwapMethod,
        Test as Test,
        Topics as Topics,
        Undefined as Undefined,
        Verdict as Verdict,
        Weighing as Weighing,
        Zeros as Zeros,
    )

__version__ = "0.1.0"

_HOMES = {
    "rankwise.comparison": ["compare"],
    "rankwise.comparison.gate": ["gate"],
    "rankwise.comparison.options": ["TestOptions"],
    "rankwise.rankings.collection": ["Collection", "read"],
    "rankwise.correlation": ["correlate"],
    "rankwise.errors": ["CallError", "InputError", "RankwiseError"],
    "rankwise.experiments.discrimination.result": ["discriminate"],
    "rankwise.experiments.properties": ["properties"],
    "rankwise.experiments.stability.result": ["stability"],
    "rankwise.experiments.user_model": ["user_model"],
    "rankwise.experiments.which_metric": ["which_metric"],
    "rankwise.judging": ["overview"],
    "rankwise.metrics": ["Metric", "WeightedPrecision", "parse", "register"],
    "rankwise.probable": ["predict"],
    "rankwise.rankings.judged": ["JudgedRankings"],
    "rankwise.rankings.reading": ["Qrels", "Run", "read_qrels", "read_runs"],
    "rankwise.scores.given": ["read_scores"],
    "rankwise.rankings.writing": ["convert", "write_qrels", "write_run"],
    "rankwise.reports": ["report"],
    "rankwise.scores.confidence": ["confidence"],
    "rankwise.scores.explanation": ["explain"],
    "rankwise.scores.standardisation": ["standardise"],
    "rankwise.scores.scoring": ["score", "score_gains"],
    "rankwise.scores.table": ["Scores"],
    "rankwise.simulation": ["simulate"],
    "rankwise.studies": ["study"],
}
# For annotations: what is accepted as judgments and as runs, what `simulate` returns, and the
# words that people type.
_TYPES = {
    "rankwise.rankings.accepted": ["QrelsLike", "RunsLike"],
    "rankwise.simulation": ["Simulated"],
    "rankwise.vocabulary": [
        "Assumption",
        "ChartWidth",
        "CoefficientName",
        "Correction",
        "Cut",
        "Family",
        "Discriminator",
        "Engine",
        "Grouping",
        "Interval",
        "InversionMethod",
        "Marks",
        "Mean",
        "Order",
        "RowKind",
        "Scale",
        "SwapMethod",
        "Test",
        "Topics",
        "Undefined",
        "Verdict",
        "Weighing",
        "Zeros",
    ],
}
# Packages that are there without an import of their own.
_PACKAGES = ("errors", "judging", "metrics", "published")
_HOME_OF = {
    name: home for homes in (_HOMES, _TYPES) for home, names in homes.items() for name in names
}

__all__ = [
    "CallError",
    "Collection",
    "InputError",
    "JudgedRankings",
    "Metric",
    "Qrels",
    "RankwiseError",
    "Run",
    "Scores",
    "TestOptions",
    "WeightedPrecision",
    "compare",
    "confidence",
    "convert",
    "correlate",
    "discriminate",
    "explain",
    "gate",
    "overview",
    "parse",
    "predict",
    "properties",
    "read",
    "read_qrels",
    "read_runs",
    "read_scores",
    "register",
    "report",
    "score",
    "score_gains",
    "simulate",
    "stability",
    "standardise",
    "study",
    "user_model",
    "which_metric",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _PACKAGES:
        return import_module(f"rankwise.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'rankwise' has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*_HOME_OF, *_PACKAGES, "__version__"]
