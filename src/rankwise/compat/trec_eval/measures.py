"""trec_eval's measures: names, order, parameters, corresponding metrics, and z-scores (-Z)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal

import numpy as np

from rankwise.arrays import Floats
from rankwise.errors import CallError, InputError, WrongParameter, did_you_mean
from rankwise.formats import File, number_faults, open_source, split_lines
from rankwise.lazy import pl
from rankwise.metrics import (
    DCG,
    G,
    IPrec,
    IPrecMean,
    Metric,
    RBPResidual,
    Rndcg,
    Rprec,
    ScaledRBP,
    SetF,
    Utility,
    nDCG,
    nDCGRel,
    parse,
)
from rankwise.scores import LEAST_IN_GEOMETRIC_MEAN
from rankwise.wording import Count

ORDER = [
    *["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"],
    *["recip_rank", "iprec_at_recall", "P", "relstring", "recall", "infAP", "gm_bpref"],
    *["Rprec_mult", "utility", "11pt_avg", "binG", "G", "dcg", "ideal_dcg"],
    *["ndcg", "ndcg_rel", "Rndcg"],
    *["ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall"],
    *["set_map", "set_F", "num_nonrel_judged_ret", "yaap", "rbp", "rbp_resid", "unj"],
]
NICKNAMES = {
    "official": ORDER[: ORDER.index("P") + 1],
    "set": [*ORDER[:5], "utility", *(name for name in ORDER if name.startswith("set_"))],
    "all_trec": [name for name in ORDER if name not in ("dcg", "ideal_dcg", "yaap")],
}
PREFERENCES = {"prefs": "prefs", "all_prefs": "prefs", "qrels_jg": "qrels_jg"}

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(place / 10 for place in range(11))
CUTOFFS: dict[str, Sequence[int]] = {
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut", "relative_P"), DEPTHS),
    "success": (1, 5, 10),
    "unj": (5, 10, 20),
}
FRACTIONS: dict[str, Sequence[float]] = {
    "iprec_at_recall": TENTHS,
    "Rprec_mult": tuple(place / 5 for place in range(1, 11)),
}
NUMBERS: dict[str, Sequence[float]] = {
    "relstring": (10,),
    "utility": (1, -1, 0, 0),
    "11pt_avg": TENTHS,
    "set_F": (1,),
}
GAINS: dict[str, type[Metric]] = {
    "G": G,
    "dcg": DCG,
    "ndcg": nDCG,
    "ndcg_rel": nDCGRel,
    "Rndcg": Rndcg,
}
GEOMETRIC = {"gm_map": "map", "gm_bpref": "bpref"}


@dataclass(frozen=True)
class Request:
    """Options of a call of trec_eval; `measures` has the texts after -m."""

    measures: Sequence[str] = ()
    by_topic: bool = False
    summary: bool = True
    complete: bool = False
    level: int = 1
    judged_only: bool = False
    documents: int = 0
    depth: int | None = None
    zscores: Any = None  # file with means and standard deviations of a reference set of runs


@dataclass(frozen=True)
class Row:
    """A line of the output; its value is the mean score over its `metrics`, usually only one."""

    name: str
    metrics: tuple[Metric, ...] = ()
    average: Literal["mean", "sum", "geometric"] = "mean"
    length: int | None = None  # length of a relstring
    ideal: nDCG | None = None  # metric whose ideal DCG is the value
    is_fraction: bool = False  # show decimals even for a count

    @property
    def by_topic(self) -> bool:
        return self.average != "geometric" and self.name not in ("runid", "num_q")

    def line(self, topic: str, text: str, request: Request) -> str:
        """Return the output line of a topic; the name of a z-score starts with Z."""
        is_z = request.zscores is not None and self.name != "runid" and self.length is None
        return f"{'Z' if is_z else ''}{self.name:<22}\t{topic}\t{text}\n"

    def show(self, value: float) -> str:
        whole = not self.is_fraction and (self.average == "sum" or self.name == "num_q")
        return str(int(value)) if whole else f"{value:6.4f}"


def wanted_rows(request: Request) -> list[Row]:
    """Return the output rows of the requested measures, in the order of trec_eval.

    If a measure is given several times with parameters, the first parameters are used.
    """
    typed: dict[str, str] = {}
    for text in request.measures or ["official"]:
        name, dot, params = text.partition(".")
        if name in PREFERENCES:
            what = f"measures of preference judgments need -R {PREFERENCES[name]}"
            raise CallError(f"{what}, and judgments in that format.", source=f"-m {text}")
        if name not in ORDER and name not in NICKNAMES:
            near = did_you_mean(name, [*NICKNAMES, *ORDER])
            listed = near or " Use for example map, P.10 or all_trec, which prints all measures."
            raise CallError(f"trec_eval has no measure {name!r}.{listed}", source=f"-m {text}")
        if dot and (not params or name in NICKNAMES):
            what = "the parameters after the dot are missing"
            if params:
                what = f"{name} is a set of measures, which takes no parameters"
            raise CallError(
                f"{what}. Write -m {name}, or for example -m P.5,10.", source=f"-m {text}"
            )
        for each in NICKNAMES.get(name, [name]):
            typed[each] = typed.get(each) or params
    rows: list[Row] = []
    for name in (each for each in ORDER if each in typed):
        try:
            rows += _rows_of(name, typed[name], request)
        except WrongParameter as error:  # name the text after -m, not the metric of rankwise
            raise CallError(*error.text, source=f"-m {name}.{typed[name]}") from None
    return rows


def _rows_of(name: str, typed: str, request: Request) -> list[Row]:
    level, label = request.level, f"{name}_{typed}" if typed else name
    if name in CUTOFFS:
        depths = sorted(parse_numbers(name, typed, CUTOFFS[name], whole=True))
        return [Row(f"{name}_{k}", (_at_level(parse(f"{name}_{int(k)}"), level),)) for k in depths]
    if name in FRACTIONS:
        shares = sorted(parse_numbers(name, typed, FRACTIONS[name]))
        return [Row(f"{name}_{x:.2f}", (_at_share(name, x, level),)) for x in shares]
    if name in NUMBERS:
        return [_of_numbers(name, label, parse_numbers(name, typed, NUMBERS[name]), request)]
    if name == "ideal_dcg":
        worth: Any = _pairs(name, typed) or None
        return [Row(label, ideal=nDCG(gains=worth))]
    if name in GAINS or name in ("rbp", "rbp_resid"):
        return [Row(label, (_of_pairs(name, typed),))]
    if typed:
        raise CallError(f"{name} takes no parameters.", source=f"-m {name}.{typed}")
    if name in GEOMETRIC:
        return [Row(name, (_at_level(parse(GEOMETRIC[name]), level),), "geometric")]
    if name == "runid":
        return [Row(name)]
    metric = parse(name)
    return [Row(name, (_at_level(metric, level),), metric.aggregate)]


def _at_level(metric: Metric, level: int) -> Metric:
    changes: dict[str, Any] = {"rel": level} if metric.rel is not None else {}
    return replace(metric, **changes)


def _at_share(name: str, share: float, level: int) -> Metric:
    if name == "Rprec_mult":
        return Rprec(mult=share, rel=level)
    return IPrec(recall=share, rounding="nearest", rel=level)


def _of_numbers(name: str, label: str, numbers: list[float], request: Request) -> Row:
    many = len(NUMBERS[name])
    if name == "11pt_avg":
        if numbers == list(TENTHS):
            return Row(label, (IPrecMean(rounding="nearest", rel=request.level),))
        return Row(label, tuple(_at_share("iprec_at_recall", x, request.level) for x in numbers))
    if len(numbers) != many:
        what = f"{name} takes {Count(many, 'parameter')}, not {len(numbers)}."
        raise CallError(what, source=f"-m {name}")
    if name == "relstring":
        return Row(label, length=max(int(numbers[0]), 0))
    if name == "set_F":
        return Row(label, (SetF(beta=numbers[0], rel=request.level),))
    a, b, c, d = numbers
    worth = Utility(a=a, b=b, c=c, d=d, documents=request.documents, rel=request.level)
    return Row(label, (worth,))


def parse_numbers(
    name: str, typed: str, default: Sequence[float], *, whole: bool = False
) -> list[float]:
    if not typed:
        return list(default)
    read = _whole_number if whole else _number
    numbers = [read(name, text) for text in typed.split(",")]
    if len(set(numbers)) < len(numbers) and name not in NUMBERS:
        raise CallError("a cutoff is given twice.", source=f"-m {name}.{typed}")
    return numbers


def _whole_number(name: str, text: str) -> float:
    """Parse a cutoff. Like trec_eval, truncate 23.4 to 23."""
    found = re.fullmatch(r"[ +]*(\d+)(\.\d*)?", text, re.ASCII)
    if found is None or int(found[1]) < 1:
        what = "is not a cutoff. Give a whole number of 1 or more."
        raise CallError(f"{text!r} {what}", source=f"-m {name}")
    return int(found[1])


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number) or "_" in text:  # only Python reads 1_000 as a number
        raise CallError(f"the parameter {text!r} is not a number.", source=f"-m {name}")
    return number


def _pairs(name: str, typed: str) -> dict[str, float]:
    """Parse parameters such as 1=2,2=5 (grades and gains) and p=0.8 into a dict."""
    parts = [part.partition("=") for part in typed.split(",")] if typed else []
    if not all(key and equals for key, equals, _ in parts):
        what = "parameters are pairs. Write them as -m ndcg.1=2,2=5."
        raise CallError(what, source=f"-m {name}.{typed}")
    return {key: _number(name, text) for key, _, text in parts}


def _of_pairs(name: str, typed: str) -> Metric:
    """Return the metric of a measure with parameters of the form grade=gain or p=value."""
    pairs = _pairs(name, typed)
    p = pairs.pop("p", 0.9) if name not in GAINS else 0.9
    worth: dict[str, Any] = {"gains": pairs} if pairs else {}
    if name in GAINS:
        return GAINS[name](**worth)
    if name == "rbp":
        return ScaledRBP(p=p, **worth)
    if pairs:
        what = f"{name} takes only p. Write it as -m {name}.p=0.8."
        raise CallError(what, source=f"-m {name}.{typed}")
    return RBPResidual(p=p, tail="if-unjudged")


MISSING = -1_000_000.0  # z-score of a measure and topic without a reference
LINE_IS = "A line is: topic measure mean standard-deviation."


def read_zscores(path: Any) -> Mapping[tuple[str, str], tuple[float, float]]:
    """Read {(topic, measure): (mean, standard deviation)} over a reference set of runs."""
    file = File(open_source(path))
    names = ["topic", "measure", "mean", "deviation"]
    rows, faults = split_lines(file, r"^(\S+)\s+(\S+)\s+(\S+)\s+(\S+)$", names)
    numbers = rows.select(pl.col("mean", "deviation").cast(pl.Float64, strict=False))
    faults = faults.because("not four fields") + number_faults(rows, "mean", "deviation")
    if faults or rows.is_empty():
        raise InputError(file.name, LINE_IS, faults)
    table: dict[tuple[str, str], tuple[float, float]] = {}
    keys = zip(rows["topic"], rows["measure"], strict=True)
    for key, of_key in zip(keys, numbers.iter_rows(), strict=True):
        if key in table:
            raise InputError(file.name, f"{key[1]} of topic {key[0]} is given twice.")
        table[key] = of_key[0], of_key[1]
    return table


def z_scores(
    rows: Sequence[Row],
    values: Floats,
    topics: Sequence[str],
    table: Mapping[tuple[str, str], tuple[float, float]],
) -> tuple[list[Row], Floats]:
    """Return the rows, which now print decimals, and z-scores of shape (rows, topics).

    For a geometric mean, the z-score is that of the logarithm. Decimals are needed because z-scores
    of counts are fractions.
    """
    found = np.empty_like(values)
    for row, before, after in zip(rows, values, found, strict=True):
        if row.average == "geometric":
            before = np.log(np.maximum(before, LEAST_IN_GEOMETRIC_MEAN))
        after[:] = [
            z_score(value, table.get((topic, row.name)))
            for topic, value in zip(topics, before.tolist(), strict=True)
        ]
    return [replace(row, is_fraction=True) for row in rows], found


def z_score(value: float, reference: tuple[float, float] | None) -> float:
    """Return the z-score of a value; `reference` has the mean and the standard deviation.

    Without a reference, the z-score is `MISSING`. If the standard deviation is 0, the z-score is 0
    for a value equal to the mean, and `MISSING` for other values.
    """
    if reference is None:
        return MISSING
    mean, deviation = reference
    if deviation:
        return (value - mean) / deviation
    return 0.0 if value == mean else MISSING
