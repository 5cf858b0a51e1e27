"""Means over topics computed by other tools, under their own metric names."""

from collections.abc import Callable
from importlib.util import find_spec
from statistics import fmean
from typing import Any

Judgments = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]
Tool = Callable[[str, Judgments, Ranked], float]


def pytrec_eval(measure: str, qrels: Judgments, run: Ranked) -> float:
    import pytrec_eval

    found = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
    return fmean(topic[measure] for topic in found.values())


def beir(measure: str, qrels: Judgments, run: Ranked) -> float:
    """Reproduce the step of BEIR and MTEB before pytrec_eval; they require PyTorch."""
    others = {
        topic: {name: score for name, score in ranked.items() if name != topic}
        for topic, ranked in run.items()
    }
    return pytrec_eval(measure, qrels, others)


def ir_measures(measure: str, qrels: Judgments, run: Ranked) -> float:
    import ir_measures

    [value] = ir_measures.calc_aggregate([ir_measures.parse_measure(measure)], qrels, run).values()
    return float(value)


def cwl_eval(measure: str, qrels: Judgments, run: Ranked) -> float:
    import ir_measures

    wanted = ir_measures.parse_measure(measure)
    [value] = ir_measures.cwl_eval.calc_aggregate([wanted], qrels, run).values()
    return float(value)


def ranx(measure: str, qrels: Judgments, run: Ranked) -> float:
    import ranx

    return float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), measure, make_comparable=True))


def ntcireval(measure: str, qrels: Judgments, run: Ranked) -> float:
    from pyNTCIREVAL import metrics

    name, _, cutoff = measure.partition("@")
    [(topic, ranked)] = run.items()
    grades = list(qrels[topic].values())
    levels = [grades.count(level) for level in range(max(grades) + 1)]
    gains = list(range(1, max(grades) + 1))
    made: dict[str, Callable[[], Any]] = {
        "AP": lambda: metrics.AP(levels, gains, int(cutoff)),
        "ERR": lambda: metrics.ERR(levels, gains),
        "nDCG": lambda: metrics.ndcg.nDCG(levels, gains, 2.0, int(cutoff)),
        "MSnDCG": lambda: metrics.MSnDCG(levels, gains, int(cutoff)),
    }
    best_first = sorted(ranked, key=lambda name: -ranked[name])
    return float(made[name]().compute([(doc, qrels[topic].get(doc, 0)) for doc in best_first]))


def scikit_learn(measure: str, qrels: Judgments, run: Ranked) -> float:
    from sklearn import metrics

    [(topic, ranked)] = run.items()
    grades = [[qrels[topic].get(name, 0) for name in ranked]]
    return float(getattr(metrics, measure)(grades, [list(ranked.values())]))


# The name people know, how it is run, and the package that must be there.
TOOLS: dict[str, tuple[Tool, str]] = {
    "pytrec_eval": (pytrec_eval, "pytrec_eval"),
    "BEIR, MTEB": (beir, "pytrec_eval"),
    "ir_measures": (ir_measures, "ir_measures"),
    "cwl_eval": (cwl_eval, "cwl"),
    "ranx": (ranx, "ranx"),
    "NTCIREVAL": (ntcireval, "pyNTCIREVAL"),
    "scikit-learn": (scikit_learn, "sklearn"),
}


def is_installed(tool: str) -> bool:
    return find_spec(TOOLS[tool][1]) is not None


def number_of(tool: str, measure: str, qrels: Judgments, run: Ranked) -> float:
    return TOOLS[tool][0](measure, qrels, run)
