"""The metrics: one family a file, all of them in one registry.

    from rankwise.metrics import AP, nDCG, P
    rankwise.score(qrels, runs, [AP, nDCG @ 10, P(rel=2, cutoff=5)])

A metric is imported here by its name. Its family is loaded when it is first asked for, and
registers all of its metrics; whoever asks for the registry has them all.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankwise.metrics.index import HOMES
from rankwise.metrics.loading import load_metrics
from rankwise.metrics.metric import Metric, WeightedPrecision
from rankwise.metrics.registry import (
    MetricLike,
    as_printed,
    listed,
    load_all,
    parse,
    parse_all,
    register,
)
from rankwise.vocabulary import Assumption

if TYPE_CHECKING:
    from rankwise.metrics.average_precision import AP, GAP, SP, YAAP, APStar, infAP
    from rankwise.metrics.blended import NCU, O, PMeasure, PPlus, Q, RMeasure
    from rankwise.metrics.cascade import ERR, NERR8, NERR9, NERR10, NERR11, RBP2, nERR
    from rankwise.metrics.compatibility import Compat
    from rankwise.metrics.counts import (
        Judged,
        NumNonrelRet,
        NumQ,
        NumRel,
        NumRelRet,
        NumRet,
        Unjudged,
    )
    from rankwise.metrics.dcg import DCG, SDCG, SNDCG, nDCG
    from rankwise.metrics.expected_utility import EBR, iRBU, nEBR, niRBU
    from rankwise.metrics.goals import BPM, INST
    from rankwise.metrics.interpolated_precision import IPrec, IPrecMean
    from rankwise.metrics.precision import P, Recall, RelP, Rprec
    from rankwise.metrics.preference import Accuracy, Bpref, RankEff
    from rankwise.metrics.ranges import vary
    from rankwise.metrics.rbp import INSQ, RBP, BetaRBP, InvSq, RBPResidual, ScaledRBP, nRBP
    from rankwise.metrics.reading_time import TBG, U
    from rankwise.metrics.reciprocal_rank import RR, BestGain, RankPower, SearchLength, Success
    from rankwise.metrics.registry import ALIASES, REGISTRY
    from rankwise.metrics.sets import SetAP, SetF, SetP, SetR, Shaw, Utility
    from rankwise.metrics.trec_eval_gain import G, Rndcg, binG, nDCGRel
    from rankwise.metrics.weighted_reciprocal_rank import NWRR, WRR

__all__ = [
    "ALIASES",
    "AP",
    "BPM",
    "DCG",
    "EBR",
    "ERR",
    "GAP",
    "INSQ",
    "INST",
    "NCU",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NWRR",
    "RBP",
    "RBP2",
    "REGISTRY",
    "RR",
    "SDCG",
    "SNDCG",
    "SP",
    "TBG",
    "WRR",
    "YAAP",
    "APStar",
    "Accuracy",
    "Assumption",
    "BestGain",
    "BetaRBP",
    "Bpref",
    "Compat",
    "G",
    "IPrec",
    "IPrecMean",
    "InvSq",
    "Judged",
    "Metric",
    "MetricLike",
    "NumNonrelRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "O",
    "P",
    "PMeasure",
    "PPlus",
    "Q",
    "RBPResidual",
    "RMeasure",
    "RankEff",
    "RankPower",
    "Recall",
    "RelP",
    "Rndcg",
    "Rprec",
    "ScaledRBP",
    "SearchLength",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "Shaw",
    "Success",
    "U",
    "Unjudged",
    "Utility",
    "WeightedPrecision",
    "as_printed",
    "binG",
    "iRBU",
    "infAP",
    "listed",
    "load_metrics",
    "nDCG",
    "nDCGRel",
    "nEBR",
    "nERR",
    "nRBP",
    "niRBU",
    "parse",
    "parse_all",
    "register",
    "vary",
]


if not TYPE_CHECKING:  # which knows the names, and should say which are none

    def __getattr__(name: str) -> Any:
        if name in HOMES:
            found = getattr(import_module(f"rankwise.metrics.{HOMES[name]}"), name)
        elif name in ("ALIASES", "REGISTRY"):
            load_all()
            found = getattr(import_module("rankwise.metrics.registry"), name)
        elif name == "vary":
            found = import_module("rankwise.metrics.ranges").vary
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
