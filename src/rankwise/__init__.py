"""Evaluation of rankings: metrics, confidence intervals, and the effect of unjudged documents.

This module exports the public names. Each is imported on first use, so `import rankwise` is fast.
`rankwise.judging` plans judgments, `rankwise.published` analyses published scores, and
`rankwise.errors` defines the exceptions.
"""

from __future__ import annotations

import rankwise.forks  # noqa: F401  # from here on every fork is noted

TYPE_CHECKING = False  # not imported from typing, which would take longer than everything here
if TYPE_CHECKING:
    from typing import Any

    from rankwise import (
        errors as errors,
        judging as judging,
        metrics as metrics,
        published as published,
    )
    from rankwise.agreement import agree, flips, score_cheap
    from rankwise.comparison import TestOptions, compare, compare_collections
    from rankwise.comparison.gate import gate
    from rankwise.correlation import correlate
    from rankwise.errors import CallError, InputError, RankwiseError
    from rankwise.experiments import calibrate, user_model, which_metric
    from rankwise.experiments.discrimination import discriminate
    from rankwise.experiments.properties import properties
    from rankwise.experiments.stability import stability
    from rankwise.judging import overview
    from rankwise.metrics import Metric, WeightedPrecision, parse, register
    from rankwise.probable import predict
    from rankwise.rankings import (
        Collection,
        JudgedRankings,
        Judges,
        Qrels,
        QrelsLike as QrelsLike,
        Run,
        RunsLike as RunsLike,
        Subtopics,
        convert,
        read,
        read_qrels,
        read_runs,
        write_qrels,
        write_run,
    )
    from rankwise.reporting import report
    from rankwise.scores import (
        Scores,
        confidence,
        explain,
        read_scores,
        score,
        score_gains,
        standardise,
        weight_topics,
    )
    from rankwise.similarity import diff
    from rankwise.simulation import Simulated as Simulated, simulate
    from rankwise.studies import study
    from rankwise.vocabulary import (
        AgreementView as AgreementView,
        Assumption as Assumption,
        ChartWidth as ChartWidth,
        CoefficientName as CoefficientName,
        Combination as Combination,
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
        MeanInterval as MeanInterval,
        Order as Order,
        RowKind as RowKind,
        Scale as Scale,
        SwapMethod as SwapMethod,
        Test as Test,
        TieTreatment as TieTreatment,
        Topics as Topics,
        Undefined as Undefined,
        Verdict as Verdict,
        Weighing as Weighing,
        Zeros as Zeros,
    )

__version__ = "0.1.0"

# Packages that can be used without importing them.
_PACKAGES = ("errors", "judging", "metrics", "published")

__all__ = [
    "CallError",
    "Collection",
    "InputError",
    "JudgedRankings",
    "Judges",
    "Metric",
    "Qrels",
    "RankwiseError",
    "Run",
    "Scores",
    "Subtopics",
    "TestOptions",
    "WeightedPrecision",
    "agree",
    "calibrate",
    "compare",
    "compare_collections",
    "confidence",
    "convert",
    "correlate",
    "diff",
    "discriminate",
    "explain",
    "flips",
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
    "score_cheap",
    "score_gains",
    "simulate",
    "stability",
    "standardise",
    "study",
    "user_model",
    "weight_topics",
    "which_metric",
    "write_qrels",
    "write_run",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _PACKAGES:
        return import_module(f"rankwise.{name}")
    from rankwise.doors import door

    public_name, _ = door(__name__, __file__, public=True)
    return public_name(name)


def __dir__() -> list[str]:
    from rankwise.doors import homes

    return sorted([*homes(__file__), *_PACKAGES, "__version__"])
