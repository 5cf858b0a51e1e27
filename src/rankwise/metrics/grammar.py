"""Parser for names of metrics, `Name(param=value, …)@cutoff`, and for their aliases."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING
from typing import Any, NamedTuple

from rankwise.errors import (
    CallError,
    MetricError,
    RankwiseError,
    UnknownMetric,
    WrongParameter,
    check_above_0,
    did_you_mean,
    shorten,
)
from rankwise.metrics.aliases import (
    FROM_SAMPLES,
    GEOMETRIC_MEANS,
    NOT_HERE,
    NOT_HERE_FROM,
    NTCIREVAL,
    NTCIREVAL_CUTOFF,
    NTCIREVAL_NOT_HERE,
    SIMILARITIES,
    STANDS_FOR,
    TREC_EVAL_AVERAGES,
)
from rankwise.metrics.metric import Metric
from rankwise.metrics.registry import ALIASES, REGISTRY, MetricLike, load, load_plugin_metrics
from rankwise.wording import Argument, Remedy

LONGEST = 1000  # characters of one name, not counting white space
FORM = "Write Name(param=value)@cutoff"

_TOKEN = re.compile(r"""\s+|'[^']*'|"[^"]*"|[^\s(){},@'"]+|.""")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORDS: dict[str, Any] = {"True": True, "False": False, "None": None}
Fold = Callable[[str], str]


class Written(NamedTuple):
    """The parts of a metric's name as written.

    `params` is the text between the brackets, `at` the text after @, and `level` the number after
    `-l`, a relevance threshold.
    """

    name: str
    params: str
    at: str | None
    level: int | None = None  # ranx's suffix for the relevance threshold: -l2


def parse(metric: MetricLike) -> Metric:
    """Parse the name of a metric. For a class, return the metric with its default parameters.

    >>> parse("ndcg_cut_10") == parse("ndcg_at_10") == parse("nDCG@10")
    True
    >>> str(parse("RBP( p = .80, rel=2 )"))
    'RBP(p=0.8,rel=2)'
    """
    found = _each(metric)
    if len(found) > 1:
        shown = shorten(str(metric))
        what = f"{shown!r} names {len(found)} metrics" if found else "no metric is named"
        raise UnknownMetric(f"{what}. Give exactly one metric.")
    return found[0]


def parse_all(metrics: MetricLike | Iterable[MetricLike], rel: float = 1) -> list[Metric]:
    """Parse the names of metrics, and return the metrics in order, without duplicates.

    If a metric has the default relevance threshold, 1, it gets the threshold `rel`. This applies to
    AP, but not to AP(rel=3), which has another threshold, nor to nDCG, which has none by default.

    >>> parse_all("AP, nDCG@10 map")
    [AP, nDCG@10]
    >>> parse_all("AP nDCG@10 P(rel=3)@5 IA(AP)", rel=2)
    [AP(rel=2), nDCG@10, P(rel=3)@5, IA(AP(rel=2))]
    """
    check_above_0("rel", rel)
    found = [metric for one in listed(metrics) for metric in _each(one)]
    if rel != 1:
        level = int(rel) if rel == int(rel) else rel  # a fraction is a gain, not a grade
        found = [one.with_rel(level) for one in found]
    if not found:
        raise CallError("no metric is given. Give at least one, for example AP.")
    return list(dict.fromkeys(found))


def with_parameter(given: MetricLike, name: str, value: Any) -> list[Metric]:
    """Parse metrics, and set their parameter `name` to `value`.

    It is an error if the name of a metric already sets the parameter. In a `Metric` object its
    value is replaced.

    >>> with_parameter("nDCG, P", "cutoff", 5)
    [nDCG@5, P@5]
    """
    if isinstance(given, Metric):
        if name not in given.parameters:
            raise _no_parameter(type(given), name)
        return [given.altered(**{name: value})]
    return _each(given, {name: value})


def class_named(text: str) -> type[Metric]:
    """Return the class that a metric's name or alias stands for; parameters may be missing."""
    return REGISTRY[_in_rankwise_names(read_metric("".join(text.split())))[0].name]


def _each(given: MetricLike, more: Mapping[str, Any] | None = None) -> list[Metric]:
    if isinstance(given, Metric):
        return [given]
    if isinstance(given, type) and issubclass(given, Metric):
        return [_build(given, dict(more or {}), None)]
    if not isinstance(given, str):
        what = f"{shorten(repr(given))} is not a metric. Give a name, such as 'nDCG@10'."
        raise UnknownMetric(what)
    return [_parse_one(text, more or {}) for text in split(given, at_spaces=True)]


def _parse_one(text: str, more: Mapping[str, Any]) -> Metric:
    written = read_metric(text)
    ours, implied = _in_rankwise_names(written)
    metric = REGISTRY[ours.name]
    values: dict[str, Any] = {}
    for params in (implied, ours.params):
        if params:
            values |= _values(text, params, metric)
    for name in more:
        if name in values or (name == metric.at and ours.at is not None):
            what = f"has a value for {name}, and a range of {name} is also given"
            raise WrongParameter(f"{text!r} {what}. Remove one of them.")
    values |= more
    if ours.at is not None and metric.at in values:
        two = f"{values[metric.at]} and {ours.at}"
        raise WrongParameter(f"{text!r}: {metric.at} is given twice ({two}). Remove one of them.")
    made = _build(metric, values, ours.at)
    if written.level is not None:
        return _at_level(made, written.level, text)
    # Is it exactly a name of trec_eval, for a metric that can be undefined?
    if written.name not in REGISTRY and _targets(text, dict.fromkeys(TREC_EVAL_AVERAGES, text)):
        return made.with_zeros_as_trec_eval()
    return made


def _in_rankwise_names(written: Written) -> tuple[Written, str]:
    """Return the metric under rankwise's name, and the parameters that its alias implies."""
    name, params, at, _ = written
    load(name)
    as_alias = _targets(f"{name}({params})", ALIASES) if params else []
    if as_alias:  # NumRet(rel=1) of ir_measures
        params = ""
    elif name in REGISTRY and not re.fullmatch(NTCIREVAL_CUTOFF, at or ""):
        return written, ""
    try:
        ours = read_metric(as_alias[0] if as_alias else _stands_for(written))
    except UnknownMetric:
        if not load_plugin_metrics():  # entry points of plug-ins are read only here
            raise
        ours = read_metric(_stands_for(written))
    if ours.at and at:
        two = f"{ours.at} and {at}"
        raise WrongParameter(f"'{name}@{at}' has two cutoffs, {two}. Remove one of them.")
    return Written(ours.name, params, at or ours.at), ours.params


def _stands_for(written: Written) -> str:
    """Return rankwise's name for a metric, or raise an error with the reason if there is none."""
    name, at = written.name, written.at
    if at and re.fullmatch(NTCIREVAL_CUTOFF, at):
        if name in NTCIREVAL_NOT_HERE:
            raise _not_here(written, NTCIREVAL_NOT_HERE[name])
        if name in NTCIREVAL:
            return NTCIREVAL[name]
    if name in REGISTRY:
        return name
    for fold in (str, str.casefold):  # case-insensitive only if nothing else matches
        for known_as in [f"{name}@#", name] if at else [name]:
            meant = _meanings(written, _by_cosine(known_as), fold)
            if len(meant) == 1:
                return meant.pop()
    raise _unknown(written)


def _meanings(written: Written, name: str, fold: Fold) -> set[str]:
    """Return the metrics that a name may mean; the set is empty if the name is unknown.

    Raise an error with the reason if the name is known but rankwise has no metric for it.
    """
    sampled = next((known for known in FROM_SAMPLES if fold(known) == fold(name)), None)
    if sampled is not None:
        estimate = Argument("", python="rankwise.score_sampled(…)", command="judges sampled")
        remedy = Remedy(estimate, f"estimate {sampled}")
        raise UnknownMetric(f"{sampled} needs sampled judgments.", remedy=remedy)
    reasons = _targets(name, NOT_HERE, fold)
    reasons += [NOT_HERE_FROM[start] for start in NOT_HERE_FROM if fold(name).startswith(start)]
    if reasons:
        raise _not_here(written, reasons[0])
    names = {known: known for known in REGISTRY}
    ours = [*_targets(name, names, fold), *_targets(name, ALIASES, fold)]
    return set(ours or _targets(name, STANDS_FOR, fold))


def _targets(name: str, table: Mapping[str, str], fold: Fold = str) -> list[str]:
    """Return the values of `table` for `name`, or for `name` with `#` as its last number."""
    numbers = list(re.finditer(r"\d+(?:\.\d+)?", name))
    number = numbers[-1] if numbers else None
    shape = f"{name[: number.start()]}#{name[number.end() :]}" if number else name
    wanted = {fold(name), fold(shape)}
    found = [target for known, target in table.items() if fold(known) in wanted]
    return [target.replace("#", number[0]) if number else target for target in found]


def _by_cosine(name: str) -> str:
    """Return a name of sentence-transformers with cosine in place of another similarity.

    Any other name is returned unchanged.
    """
    similarity, _, rest = name.replace("-", "_", 1).partition("_")
    return f"cosine_{rest}" if rest and similarity.casefold() in SIMILARITIES else name


def _not_here(written: Written, reason: str) -> UnknownMetric:
    shown = written.name if written.at is None else f"{written.name}@{written.at}"
    mean = Argument("mean", "geometric", "score(…, 'AP', mean='geometric')", "score")
    geometric = Remedy(mean, "compute it")
    remedy = geometric if reason in GEOMETRIC_MEANS else None
    return UnknownMetric(f"{shown!r} is not a metric of rankwise: {reason}.", remedy=remedy)


def _unknown(written: Written) -> UnknownMetric:
    known = [*REGISTRY, *ALIASES, *STANDS_FOR]
    name = written.name
    meant = _with_its_number(name)
    near = did_you_mean(name, (each.replace("#", "10") for each in known))
    near = f" Did you mean {meant}?" if meant else near
    whole = f"{name}@{written.at}"
    shown = repr(name) if written.at is None else f"{name!r} (in {whole!r})"
    own = Argument("metrics_from", "FILE", python="rankwise.metrics.load_metrics(FILE)")
    text = f"unknown metric {shown}.{near} `rankwise metrics list` lists all metrics."
    return UnknownMetric(text, remedy=Remedy(own, "add your own"))


def _with_its_number(name: str) -> Metric | None:
    """Return the metric that a name ending in a number may mean, or None.

    RBP0.8 is read as RBP(p=0.8), and ndcg10 as nDCG@10.
    """
    found = re.fullmatch(r"(.*[^-_.\d])[-_]?(\d+|\d*\.\d+)", name)
    if found is None:
        return None
    try:
        return parse(f"{found[1]}(p={found[2]})" if "." in found[2] else f"{found[1]}@{found[2]}")
    except RankwiseError:
        return None


def _at_level(metric: Metric, level: int, text: str) -> Metric:
    """Return the metric with relevance threshold `level`, as for ranx's suffix `-l2`.

    DCG and nDCG then keep the gains of grades from `level` on, and lower grades gain 0.
    """
    try:
        if "rel" in metric.parameters and metric.rel is None and metric.gains is None:
            return metric.altered(gains=dict.fromkeys(range(1, level), 0) or None)
        return metric.altered(rel=level)
    except TypeError:
        name = type(metric).__name__
        what = f"{name} has no relevance threshold. Remove the suffix l{level}."
        raise WrongParameter(f"{text!r}: {what}") from None


def _values(given: str, params: str, metric: type[Metric]) -> dict[str, Any]:
    """Parse the parameters between the brackets into a dict."""
    values: dict[str, Any] = {}
    for part in split(params):
        name, equals, text = part.partition("=")
        if "metric" in metric.__annotations__ and name != "metric":  # IA(RBP(p=0.8))
            name, equals, text = "metric", "=", part
        if not equals or not name:
            meant = "" if equals else _meant(metric, name)
            meant = meant or ". Write Name(param=value)@cutoff"
            raise WrongParameter(f"{given!r}: {part!r} is not a parameter with a value{meant}.")
        if name in values:
            raise WrongParameter(f"{given!r}: {name} is given twice. Remove one of them.")
        values[name] = read_value(text)
    return values


def _meant(metric: type[Metric], text: str) -> str:
    """Return a suggestion for a value that is written without the name of its parameter.

    A whole number is read as the cutoff, any other value as the first parameter that allows it.
    """
    name = metric.__name__
    if text.isdigit() and metric.at in metric.parameters:
        return f". Write {name}@{text}"
    for parameter in metric.parameters:
        try:
            metric(**{parameter: read_value(text)})
        # Not a value of this parameter, or another parameter is required.
        except (MetricError, TypeError):
            continue
        return f". Write {name}({parameter}={text})"
    return ""


def _build(metric: type[Metric], values: dict[str, Any], at: str | None) -> Metric:
    name, declared = metric.__name__, metric.parameters
    if at is not None:
        if metric.at == "cutoff" in declared and "." in at:
            meant = _meant(metric, at)
            raise WrongParameter(f"{name}@{at}: a cutoff must be a whole number, 1 or more{meant}.")
        values |= metric.written_after_at(at)
    for given in values:
        if given not in declared:
            raise _no_parameter(metric, given)
    for needed, parameter in declared.items():
        if parameter.default is MISSING and needed not in values:
            example = metric.typical_parameters.get(needed, 10)
            how = f"{name}@{example}" if needed == metric.at else f"{name}({needed}=…)"
            what = f"{name} needs the parameter {needed} ({parameter.allowed})"
            raise WrongParameter(f"{what}. Write for example {how}.")
    return metric(**values)


def _no_parameter(metric: type[Metric], name: str) -> WrongParameter:
    declared = metric.parameters
    takes = f" Its parameters: {', '.join(declared)}." if declared else " It has no parameters."
    near = did_you_mean(name, declared)
    return WrongParameter(f"{metric.__name__} has no parameter {name!r}.{takes}{near}")


def listed(metrics: MetricLike | Iterable[MetricLike]) -> list[MetricLike]:
    """Return one metric or several metrics as a list."""
    if isinstance(metrics, str | Metric | type) or not isinstance(metrics, Iterable):
        return [metrics]
    return list(metrics)


def split(text: str, *, at_spaces: bool = False) -> list[str]:
    """Split metrics or parameters at commas outside brackets, and if `at_spaces` also at spaces.

    White space within a part is removed.

    >>> split("AP, RBP( p = .80, rel=2 ) nDCG @ 10", at_spaces=True)
    ['AP', 'RBP(p=.80,rel=2)', 'nDCG@10']
    >>> split("gains={1:1,2:3},rel=2")
    ['gains={1:1,2:3}', 'rel=2']
    """
    parts: list[list[str]] = [[]]
    depth, gap = 0, False
    for token in _TOKEN.findall(text):
        if token.isspace():
            gap = at_spaces and depth == 0
            continue
        if token == "," and depth == 0:
            parts.append([])
            gap = False
            continue
        # `P @ 5` and `RBP (p=0.5)` are one metric each.
        if gap and parts[-1] and token not in ("(", "@") and parts[-1][-1] != "@":
            parts.append([])
        parts[-1].append(token)
        depth = max(depth + (token in ("(", "{")) - (token in (")", "}")), 0)
        gap = False
    return ["".join(part) for part in parts]


def read_metric(text: str) -> Written:
    """Split the name of one metric into its parts; `text` must not contain white space.

    >>> read_metric("RBP(p=0.8,rel=2)@10")
    Written(name='RBP', params='p=0.8,rel=2', at='10', level=None)
    """
    plain, _, suffix = text.rpartition("-")
    level = int(suffix[1:]) if re.fullmatch(r"l\d{1,2}", suffix) else None
    if level is not None:
        text = plain
    if len(text) > LONGEST:
        what = f"has {len(text):,} characters. A name of a metric has at most {LONGEST:,}."
        raise UnknownMetric(f"{shorten(text, 60)!r} {what}")
    name, bracket, rest = text.partition("(")
    params, after = "", ""
    if bracket:
        params, closed, after = rest.rpartition(")")
    else:
        name, sign, after = text.partition("@")
        closed, after = ")", sign + after
    at = after[1:] if after else None
    if not name or not closed or at == "" or "@" in name or after[:1] not in ("", "@"):
        if not text:
            raise UnknownMetric("a metric is empty. Separate names with one comma: AP,nDCG@10.")
        raise UnknownMetric(f"{text!r} is not the name of a metric. {FORM}.")
    return Written(name, params, at, level)


def read_value(text: str) -> Any:
    """Parse a number, True, False or None. Return any other text, such as exp-log2, as a string.

    >>> [read_value(text) for text in ("10", ".5", "'exp-log2'", "3:2:1")]
    [10, 0.5, 'exp-log2', '3:2:1']
    """
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if not _NUMBER.fullmatch(text):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
