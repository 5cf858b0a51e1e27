"""Names of metrics: the registry, the aliases and the grammar `Name(param=value)@cutoff`."""

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeAlias

from rankwise.errors import CallError, MetricError, UnknownMetric, WrongParameter, did_you_mean
from rankwise.metrics.base import Metric, parameters
from rankwise.metrics.parameters import check_fields, parameter_of

MetricLike: TypeAlias = str | Metric | type[Metric]  # a name, a metric, a class with defaults

REGISTRY: dict[str, type[Metric]] = {}
ALIASES: dict[str, str] = {}

GRAMMAR = re.compile(r"\s*(?P<name>[^\s(@]+)\s*(?:\((?P<params>.*)\))?\s*(?:@\s*(?P<at>\S+))?\s*")


def register(
    aliases: Mapping[str, str] | None = None,
) -> Callable[[type[Metric]], type[Metric]]:
    """Put a metric in the registry under its class's name.

    `aliases` are other spellings, each with what it stands for; a `#` in an alias is any
    number, put in place of the `#` in what it stands for: `{"P_#": "P@#"}`.
    """

    def add(metric: type[Metric]) -> type[Metric]:
        if not isinstance(metric, type) or not issubclass(metric, Metric):
            called = getattr(metric, "__name__", repr(metric))
            raise CallError(f"{called} is no metric: register a class that derives from Metric.")
        check_fields(metric.__name__, fields(metric))
        before = REGISTRY.get(metric.__name__)
        if before is None or before.__module__ != metric.__module__:  # else defined anew
            for name in [metric.__name__, *(aliases or {})]:
                if name in REGISTRY or name in ALIASES:
                    raise UnknownMetric(f"the name {name!r} is taken by another metric.")
        REGISTRY[metric.__name__] = metric
        ALIASES.update(aliases or {})
        return metric

    return add


def parse(given: MetricLike) -> Metric:
    """A metric from its name; a metric is itself, and a class the metric with its defaults.

    >>> parse("ndcg_cut_10") == parse("nDCG@10")
    True
    >>> str(parse("RBP( p = .80, rel=2 )"))
    'RBP(p=0.8,rel=2)'
    """
    if isinstance(given, Metric):
        return given
    if isinstance(given, type) and issubclass(given, Metric):
        return _build(given, {}, None)
    if not isinstance(given, str):
        raise UnknownMetric(f"{given!r} is neither a metric nor the name of one.")
    if "," in re.sub(r"\([^)]*\)", "", given):  # a comma outside of parentheses
        raise UnknownMetric(f"{given!r}: one metric at a time; write several as `[…, …]`.")
    matched = GRAMMAR.fullmatch(_numbered(given.replace(" ", "")) or given)
    if matched is None:
        raise UnknownMetric(f"{given!r} cannot be read; write Name(param=value)@cutoff.")
    name, params, at = matched["name"], matched["params"], matched["at"]
    if name not in REGISTRY:
        stands_for = _expand(name)
        if stands_for is None:
            raise _unknown(given, name)
        matched = GRAMMAR.fullmatch(stands_for)
        assert matched is not None
        name, at = matched["name"], at or matched["at"]
        params = ",".join(part for part in (matched["params"], params) if part)
    return _build(REGISTRY[name], _values(given, params or "", REGISTRY[name]), at)


def _expand(name: str) -> str | None:
    """What an alias stands for."""
    if name in ALIASES:
        return ALIASES[name]
    folded = name.casefold()
    alike = {known: known for known in REGISTRY} | ALIASES
    meant = {target for known, target in alike.items() if known.casefold() == folded}
    if len(meant) == 1:  # the case was wrong, and nothing else can be meant
        return meant.pop()
    return _numbered(name)


def _numbered(name: str) -> str | None:
    """What an alias with a number in it stands for."""
    for alias, stands_for in ALIASES.items():
        if "#" in alias:
            pattern = re.escape(alias).replace(r"\#", r"(\d+(?:\.\d+)?)")
            if matched := re.fullmatch(pattern, name):
                return stands_for.replace("#", matched[1])
    return None


AGGREGATIONS = {
    **dict.fromkeys(["GMAP", "gm_map"], "AP with the geometric mean: AP and `mean='geometric'`"),
    "gm_bpref": "Bpref with the geometric mean: Bpref and `mean='geometric'`",
    "relstring": "a string, not a number: the command `rankwise trec_eval` prints it",
}


def _unknown(given: str, name: str) -> UnknownMetric:
    if name in AGGREGATIONS:
        return UnknownMetric(f"{name} is no metric: it is {AGGREGATIONS[name]}.")
    words = [*REGISTRY, *(alias.replace("#", "10") for alias in ALIASES)]
    near = did_you_mean(name, words)
    shown = repr(name) if name == given.strip() else f"{name!r} (in {given!r})"
    own = "`rankwise.metrics.load_metrics(FILE)` adds your own"
    lists = f"`rankwise metrics` lists them all; {own}."
    return UnknownMetric(f"no metric is called {shown}.{near} {lists}")


def _values(given: str, params: str, metric: type[Metric]) -> dict[str, Any]:
    """The parameters between the brackets, split at commas that are in no inner bracket."""
    values: dict[str, Any] = {}
    for part in re.findall(r"(?:\{[^}]*\}|'[^']*'|\"[^\"]*\"|[^,])+", params):
        name, equals, text = part.partition("=")
        name = name.strip()
        if not equals or not name:
            meant = "" if equals else _meant(metric, name)
            what = f"{part.strip()!r} is not of the form param=value"
            raise WrongParameter(f"{given!r}: {what}{meant}.")
        values[name] = _value(text.strip())
    return values


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text  # a bare word, such as True, exp-log2 or 3:2:1


def _meant(metric: type[Metric], text: str) -> str:
    """How a value that stands alone is to be written: as the cutoff, or the first that fits."""
    name = metric.__name__
    declared = [field.name for field in parameters(metric)]
    if text.isdigit() and metric.at in declared:
        return f"; write {name}@{text}"
    for parameter in declared:
        try:
            metric(**{parameter: _value(text)})
        except (MetricError, TypeError):  # not its value, or it needs others too
            continue
        return f"; write {name}({parameter}={text})"
    return ""


def _build(metric: type[Metric], values: dict[str, Any], at: str | None) -> Metric:
    name = metric.__name__
    declared = {field.name: field for field in parameters(metric)}
    if at is not None:
        values |= metric.written_after_at(at)
    for given in values:
        if given not in declared:
            takes = f"it takes {', '.join(declared)}" if declared else "it takes none"
            near = did_you_mean(given, declared)
            raise WrongParameter(f"{name} has no parameter {given!r}; {takes}.{near}")
    for needed, field in declared.items():
        if field.default is MISSING and needed not in values:
            how = f"{name}@10" if needed == metric.at else f"{name}({needed}=…)"
            allowed = parameter_of(field).allowed
            raise WrongParameter(f"{name} needs {needed}: write {how}; {needed} is {allowed}.")
    return metric(**values)


def parse_all(given: MetricLike | Iterable[MetricLike]) -> list[Metric]:
    """Metrics from one name or several, each once, in the order given."""
    return list(dict.fromkeys(parse(one) for one in listed(given)))


def listed(given: MetricLike | Iterable[MetricLike]) -> list[MetricLike]:
    """One metric or several as a list."""
    return [given] if isinstance(given, str | Metric | type) else list(given)
