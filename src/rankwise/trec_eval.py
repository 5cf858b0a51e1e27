"""What trec_eval prints: its measures under its names, its order of rows, its arithmetic.

Four decimals of a ratio such as 1/32 depend on its last bit. So what is a ratio of counts is
divided here as trec_eval divides it, and topics are added up one after the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import exp, isfinite
from typing import Any, Literal

import numpy as np

from rankwise.errors import CallError, did_you_mean
from rankwise.inputs import read_qrels, run_loaders
from rankwise.join import judge_loaded
from rankwise.judged import Floats, JudgedRankings
from rankwise.metrics import Metric, parse
from rankwise.metrics.average_precision import YAAP
from rankwise.metrics.base import gain_of
from rankwise.metrics.counts import NumRel
from rankwise.metrics.dcg import DCG, nDCG
from rankwise.metrics.gain import G, Rndcg, nDCGRel
from rankwise.metrics.parameters import Gains, between, cutoff, gains, rel
from rankwise.metrics.precision import IPrec, Rprec
from rankwise.metrics.rbp import RBPResidual
from rankwise.metrics.sets import SetAP, SetF, Utility, ratio
from rankwise.scores import score_judged

ORDER = (
    "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P "
    "relstring recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ndcg ndcg_rel Rndcg "
    "ndcg_cut map_cut relative_P success set_P set_relative_P set_recall set_map set_F "
    "num_nonrel_judged_ret yaap rbp rbp_resid unj"
).split()
NICKNAMES = {
    "official": ORDER[: ORDER.index("P") + 1],
    "set": [*ORDER[:5], "utility", *(name for name in ORDER if name.startswith("set_"))],
    "all_trec": [name for name in ORDER if name not in ("dcg", "yaap")],
}
PREFERENCES = ("prefs", "all_prefs", "qrels_jg")

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(place / 10 for place in range(11))
CUTOFFS: dict[str, Sequence[int]] = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P"), DEPTHS),
    **{"success": (1, 5, 10), "unj": (5, 10, 20)},
}
FRACTIONS: dict[str, Sequence[float]] = {
    "iprec_at_recall": TENTHS,
    "Rprec_mult": tuple(place / 5 for place in range(1, 11)),
}
NUMBERS: dict[str, Sequence[float]] = {
    **{"relstring": (10,), "utility": (1, -1, 0, 0), "11pt_avg": TENTHS, "set_F": (1,)}
}
GAINS: dict[str, type[Metric]] = {
    **{"G": G, "dcg": DCG, "ndcg": nDCG, "ndcg_rel": nDCGRel, "Rndcg": Rndcg}
}
GEOMETRIC = {"gm_map": "map", "gm_bpref": "bpref"}
LEAST = 0.00001  # what a geometric mean takes in place of anything less


@dataclass(frozen=True, kw_only=True)
class OnePrecision(Metric):
    """P@k by one division."""

    cutoff: int = cutoff(required=True)
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        return np.diff(judged.relevant(self.rel).row_start) / self.cutoff


class OneSetAP(SetAP):
    """SetAP by one division."""

    def of_counts(self, found: Floats, retrieved: Floats, relevant: Floats) -> Floats:
        return ratio(found * found, retrieved * relevant)


@dataclass(frozen=True, kw_only=True)
class ScaledRBP(Metric):
    """RBP with the gains of each topic divided by the greatest that it has, if that is over 1."""

    p: float = between(0, 1)
    gains: Gains | None = gains()

    def compute(self, judged: JudgedRankings) -> Floats:
        best = np.full(len(judged.topics), max([1.0, *dict(self.gains or ()).values()]))
        topics = np.repeat(np.arange(len(judged.topics)), np.diff(judged.topic_start))
        np.maximum.at(best, topics, gain_of(judged.topic_grades, judged, self.gains))
        scaled = gain_of(judged.grade, judged, self.gains) / best[judged.topic][judged.ranking]
        weights = np.cumprod([1.0, *[self.p] * int(judged.rank.max(initial=0))])
        return (1 - self.p) * judged.total(scaled * weights[judged.rank - 1])


@dataclass(frozen=True)
class Request:
    """What trec_eval is asked for; `measures` as they are typed after -m."""

    measures: Sequence[str] = ()
    by_topic: bool = False
    summary: bool = True
    complete: bool = False
    level: int = 1
    judged_only: bool = False
    documents: int = 0
    depth: int | None = None


@dataclass(frozen=True)
class Row:
    """A line of the output: its value is the mean of its metrics, nearly always of one."""

    name: str
    metrics: tuple[Metric, ...] = ()
    average: Literal["mean", "sum", "geometric"] = "mean"
    length: int | None = None  # of a relstring

    @property
    def by_topic(self) -> bool:
        return self.average != "geometric" and self.name not in ("runid", "num_q")

    def show(self, value: float) -> str:
        return str(int(value)) if self.average == "sum" else f"{value:6.4f}"


def trec_eval(qrels: Any, run: Any, request: Request) -> tuple[str, tuple[str, ...]]:
    """What trec_eval prints for a run, and the notes on it."""
    rows = wanted_rows(request)
    judged = judge_loaded(partial(read_qrels, qrels), run_loaders(run), depth=request.depth)
    if len(judged.runs) != 1:
        raise CallError(f"trec_eval takes one run, and there are {len(judged.runs)} in the file.")
    if request.judged_only:
        judged = judged.condensed()
    order = sorted(range(len(judged.topics)), key=judged.topics.__getitem__)
    chosen = [topic for topic in order if request.complete or judged.present[topic]]
    values = _values(judged, rows, request.level)[:, chosen]
    lines = _topic_lines(judged, rows, values, chosen) if request.by_topic else iter(())
    ending = _summary_lines(judged, rows, values) if request.summary else iter(())
    return "".join([*lines, *ending]), judged.notes


def _values(judged: JudgedRankings, rows: Sequence[Row], level: int) -> Floats:
    """Rows × topics, 0 where a metric is undefined."""
    metrics = list(dict.fromkeys(metric for row in rows for metric in row.metrics))
    scores = np.nan_to_num(score_judged(judged, metrics).value[:, 0, :])
    for metric, values in zip(metrics, scores, strict=True):
        if not isinstance(metric, NumRel | YAAP):  # they know the topic, not the ranking
            values[~judged.present] = 0
        if isinstance(metric, Rndcg):
            values[judged.judged_count(level) == 0] = 0
    values = np.zeros((len(rows), len(judged.topics)))
    for row, value in zip(rows, values, strict=True):
        for metric in reversed(row.metrics):
            value += scores[metrics.index(metric)]
        value /= max(len(row.metrics), 1)
    return values


def _topic_lines(
    judged: JudgedRankings, rows: Sequence[Row], values: Floats, chosen: list[int]
) -> Iterator[str]:
    columns = []
    for row, value in zip(rows, values, strict=True):
        if row.length is not None:
            strings = relstrings(judged, row.length)
            texts = [f"'{strings[topic]}'" for topic in chosen]
        else:
            texts = [row.show(number) for number in value.tolist()]
        if row.by_topic:
            topics = (judged.topics[topic] for topic in chosen)
            pairs = zip(topics, texts, strict=True)
            columns.append([f"{row.name:<22}\t{topic}\t{text}\n" for topic, text in pairs])
    return (line for lines in zip(*columns, strict=True) for line in lines)


def _summary_lines(judged: JudgedRankings, rows: Sequence[Row], values: Floats) -> Iterator[str]:
    count = values.shape[1]
    for row, value in zip(rows, values, strict=True):
        if row.length is not None:
            continue
        if row.average == "geometric":
            total = exp(np.cumsum(np.log(np.maximum(value, LEAST)))[-1] / count)
        else:  # NumPy's sum would add in another order
            total = np.cumsum(value)[-1] / (count if row.average == "mean" else 1)
        text = {"runid": judged.runs[0], "num_q": str(count)}.get(row.name, row.show(total))
        yield f"{row.name:<22}\tall\t{text}\n"


def relstrings(judged: JudgedRankings, length: int) -> list[str]:
    """The grades at the top of each ranking: - is unjudged, . unusable, > more than 9."""
    length = min(length, int(judged.length.max(initial=0)))
    table = np.full((judged.count, length), "-")
    top = judged.rank <= length
    marks = np.array([*".0123456789>"])[np.clip(judged.grade[top], -1, 10) + 1]
    table[judged.ranking[top], judged.rank[top] - 1] = marks
    pairs = zip(table.tolist(), judged.length.tolist(), strict=True)
    return ["".join(marks[:retrieved]) for marks, retrieved in pairs]


def wanted_rows(request: Request) -> list[Row]:
    """The rows of the measures asked for, in the order of trec_eval's table.

    Of parameters given twice for a measure the first count.
    """
    typed: dict[str, str] = {}
    for text in request.measures or ["official"]:
        name, dot, params = text.partition(".")
        if name in PREFERENCES:
            raise CallError(f"-m {text}: measures of preference judgments are not offered.")
        if name not in ORDER and name not in NICKNAMES:
            near = did_you_mean(name, [*NICKNAMES, *ORDER])
            raise CallError(f"-m {text}: trec_eval has no measure {name!r}.{near}")
        if dot and (not params or name in NICKNAMES):
            raise CallError(f"-m {text}: write -m {name}, or -m P.5,10 for a measure's parameters.")
        for each in NICKNAMES.get(name, [name]):
            typed[each] = typed.get(each) or params
    return [row for name in ORDER if name in typed for row in _rows(name, typed[name], request)]


def _rows(name: str, typed: str, request: Request) -> list[Row]:
    level, label = request.level, f"{name}_{typed}" if typed else name
    if name in CUTOFFS:
        depths = sorted(_numbers(name, typed, CUTOFFS[name], whole=True))
        return [Row(f"{name}_{k:.0f}", (_at_depth(name, int(k), level),)) for k in depths]
    if name in FRACTIONS:
        shares = sorted(_numbers(name, typed, FRACTIONS[name]))
        return [Row(f"{name}_{x:.2f}", (_at_share(name, x, level),)) for x in shares]
    if name in NUMBERS:
        return [_of_numbers(name, label, _numbers(name, typed, NUMBERS[name]), request)]
    if name in GAINS or name in ("rbp", "rbp_resid"):
        return [Row(label, (_of_pairs(name, typed),))]
    if typed:
        raise CallError(f"-m {name}.{typed}: {name} takes no parameters.")
    if name in GEOMETRIC:
        return [Row(name, (_at_level(parse(GEOMETRIC[name]), level),), "geometric")]
    if name == "runid":
        return [Row(name)]
    metric = OneSetAP() if name == "set_map" else parse(name)
    return [Row(name, (_at_level(metric, level),), metric.aggregate)]


def _at_level(metric: Metric, level: int) -> Metric:
    changes: dict[str, Any] = {"rel": level} if hasattr(metric, "rel") else {}
    return replace(metric, **changes)


def _at_depth(name: str, depth: int, level: int) -> Metric:
    metric = OnePrecision(cutoff=depth) if name == "P" else parse(f"{name}_{depth}")
    return _at_level(metric, level)


def _at_share(name: str, share: float, level: int) -> Metric:
    if name == "Rprec_mult":
        return Rprec(mult=share, rel=level)
    return IPrec(recall=share, rel=level)


def _of_numbers(name: str, label: str, numbers: list[float], request: Request) -> Row:
    many = len(NUMBERS[name])
    if name == "11pt_avg":
        return Row(label, tuple(IPrec(recall=x, rel=request.level) for x in numbers))
    if len(numbers) != many:
        raise CallError(f"-m {name}: {len(numbers)} parameters are given; it takes {many}.")
    if name == "relstring":
        return Row(label, length=max(int(numbers[0]), 0))
    if name == "set_F":
        return Row(label, (SetF(beta=numbers[0], rel=request.level),))
    worth = dict(zip("abcd", numbers, strict=True))
    return Row(label, (Utility(**worth, documents=request.documents, rel=request.level),))


def _numbers(
    name: str, typed: str, default: Sequence[float], *, whole: bool = False
) -> list[float]:
    if not typed:
        return list(default)
    numbers = [_number(name, text) for text in typed.split(",")]
    if len(set(numbers)) < len(numbers) and name not in NUMBERS:
        raise CallError(f"-m {name}.{typed}: a cutoff is given twice.")
    if whole and any(number < 1 or not number.is_integer() for number in numbers):
        raise CallError(f"-m {name}.{typed}: a cutoff is a whole number, 1 or more.")
    return numbers


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise CallError(f"-m {name}: the parameter {text!r} is not a number.")
    return number


def _of_pairs(name: str, typed: str) -> Metric:
    """A metric of parameters such as 1=2,2=5 (what grades are worth) and p=0.8."""
    parts = [part.partition("=") for part in typed.split(",")] if typed else []
    if not all(key and equals for key, equals, _ in parts):
        raise CallError(f"-m {name}.{typed}: parameters are pairs, as in -m ndcg.1=2,2=5.")
    pairs = {key: _number(name, text) for key, _, text in parts}
    if name in GAINS:
        return GAINS[name](**({"gains": pairs} if pairs else {}))
    p = pairs.pop("p", 0.9)
    if name == "rbp":
        return ScaledRBP(p=p, **({"gains": pairs} if pairs else {}))
    if pairs:
        raise CallError(f"-m {name}.{typed}: {name} takes only p, as in -m {name}.p=0.8.")
    return RBPResidual(p=p)
