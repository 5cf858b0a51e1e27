"""Registry of metrics, their aliases, and the parser of metric names."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from importlib import import_module
from math import inf
from typing import Any, TypeAlias

from rankwise.errors import (
    CallError,
    MetricError,
    RankwiseError,
    UnknownMetric,
    WrongParameter,
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
from rankwise.metrics.grammar import (
    Written,
    read_metric,
    read_value,
    split,
)
from rankwise.metrics.identity import parameters_of
from rankwise.metrics.index import families, homes
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import check_fields, parameter_of
from rankwise.plugins import METRICS, Plugin, load_plugins
from rankwise.wording import Argument, Remedy

MetricLike: TypeAlias = str | Metric | type[Metric]  # a name, a metric, a class with defaults

# The registered metrics: some families or, after `load_all`, all of them.
REGISTRY: dict[str, type[Metric]] = {}
ALIASES: dict[str, str] = {}
# The package of each metric of a plug-in, with its version.
PLUGIN_OF: dict[str, str] = {}

NUMBER = re.compile(r"\d+(?:\.\d+)?")
Fold = Callable[[str], str]


def register(
    aliases: Mapping[str, str] | None = None,
) -> Callable[[type[Metric]], type[Metric]]:
    """Put a metric in the registry under its class's name.

    `aliases` maps other spellings to our names; a `#` in an alias matches any number, which
    replaces the `#` in our name: `{"P_#": "P@#"}`.
    """

    def add(metric: type[Metric]) -> type[Metric]:
        if not isinstance(metric, type) or not issubclass(metric, Metric):
            called = getattr(metric, "__name__", repr(metric))
            raise CallError(f"{called} is no metric: register a class that derives from Metric.")
        check_fields(metric.__name__, fields(metric))
        if metric.__module__.rpartition(".")[0] != "rankwise.metrics":
            load_all()  # whose names a metric of one's own may not take
        before = REGISTRY.get(metric.__name__)
        if before is None or before.__module__ != metric.__module__:  # else defined anew
            for name in [metric.__name__, *(aliases or {})]:
                if name in REGISTRY or name in ALIASES:
                    raise UnknownMetric(f"the name {name!r} is taken by another metric.")
        REGISTRY[metric.__name__] = metric
        ALIASES.update(aliases or {})
        return metric

    return add


def load_all() -> None:
    """Load every family, as needed before iterating over the registry."""
    for family in families():
        import_module(f"rankwise.metrics.{family}")


def load_plugin_metrics() -> bool:
    """Load the metrics of other packages (see plugins.py); return whether any is new."""
    before = len(REGISTRY)
    load_plugins(METRICS, _add_plugin)
    return len(REGISTRY) > before


def _add_plugin(plugin: Plugin) -> None:
    """Register a class, unless its module did; a module has registered its metrics by itself."""
    value = plugin.value
    if isinstance(value, type) and REGISTRY.get(value.__name__) is not value:
        register()(value)
    module = getattr(value, "__module__", None) or getattr(value, "__name__", "")
    names = [name for name, metric in REGISTRY.items() if metric.__module__ == module]
    if not names:
        raise CallError(f"{module or plugin.name} registers no metric.")
    PLUGIN_OF.update(dict.fromkeys(names, plugin.package))


def _load(name: str) -> None:
    """Load the family of a metric; for any other name all families, as it may be an alias."""
    if name in homes():
        import_module(f"rankwise.metrics.{homes()[name]}")
    elif name not in REGISTRY:
        load_all()


def as_printed(name: str) -> str:
    """Return the name of a metric as papers print it; any other text unchanged.

    >>> as_printed("PPlus@10"), as_printed("AP")
    ('P⁺@10', 'AP')
    """
    word = re.match(r"\w*", name)[0]  # type: ignore[index]
    if word in homes():
        _load(word)
    printed = REGISTRY[word].printed_name if word in REGISTRY else ""
    return (printed or word) + name.removeprefix(word)


def parse(metric: MetricLike) -> Metric:
    """Return a metric from its name; a class becomes the metric with its defaults.

    >>> parse("ndcg_cut_10") == parse("ndcg_at_10") == parse("nDCG@10")
    True
    >>> str(parse("RBP( p = .80, rel=2 )"))
    'RBP(p=0.8,rel=2)'
    """
    found = _each(metric)
    if len(found) > 1:
        shown = shorten(str(metric))
        raise UnknownMetric(f"{shown!r} is {len(found)} metrics; one is wanted here.")
    return found[0]


def parse_all(metrics: MetricLike | Iterable[MetricLike], rel: float = 1) -> list[Metric]:
    """Return metrics from one name or several, each once, in their order.

    `rel` is the relevance threshold of metrics without their own: of AP, not of AP(rel=3), nor of
    nDCG, whose gains are the grades.

    >>> parse_all("AP, nDCG@10 map")
    [AP, nDCG@10]
    >>> parse_all("AP nDCG@10 P(rel=3)@5 IA(AP)", rel=2)
    [AP(rel=2), nDCG@10, P(rel=3)@5, IA(AP(rel=2))]
    """
    if not 0 < rel < inf:
        raise CallError(f"rel {rel} is not above 0: it is the lowest relevant grade.")
    found = [metric for one in listed(metrics) for metric in _each(one)]
    if rel != 1:
        level = int(rel) if rel == int(rel) else rel  # a fraction is a gain, not a grade
        found = [one.with_rel(level) for one in found]
    return list(dict.fromkeys(found))


def with_parameter(given: MetricLike, name: str, value: Any) -> list[Metric]:
    """Return the metrics with a value for a parameter that their names do not set.

    >>> with_parameter("nDCG, P", "cutoff", 5)
    [nDCG@5, P@5]
    """
    if isinstance(given, Metric):
        _check_known(type(given), [name])
        return [given.altered(**{name: value})]
    return _each(given, {name: value})


def class_named(text: str) -> type[Metric]:
    """Return the class of the metric that a name is for, even if the name lacks a parameter."""
    plain, _ = _without_level("".join(text.split()))
    return REGISTRY[_in_our_words(read_metric(plain))[0].name]


def _each(given: MetricLike, more: Mapping[str, Any] | None = None) -> list[Metric]:
    if isinstance(given, Metric):
        return [given]
    if isinstance(given, type) and issubclass(given, Metric):
        return [_build(given, dict(more or {}), None)]
    if not isinstance(given, str):
        raise UnknownMetric(f"{given!r} is neither a metric nor the name of one.")
    return [_parse_one(text, more or {}) for text in split(given, at_spaces=True)]


def _parse_one(text: str, more: Mapping[str, Any]) -> Metric:
    plain, level = _without_level(text)
    ours, implied = _in_our_words(read_metric(plain))
    metric = REGISTRY[ours.name]
    values = _values(text, implied, metric) | _values(text, ours.params, metric)
    for name in more:
        if name in values or (name == metric.at and ours.at is not None):
            what = f"has a {name} already, and a range of {name} is asked for"
            raise WrongParameter(f"{text!r} {what}: leave one of them out.")
    values |= more
    if ours.at is not None and metric.at in values:
        two = f"{values[metric.at]} and {ours.at}"
        raise WrongParameter(f"{text!r}: {metric.at} is given twice, {two}.")
    made = _build(metric, values, ours.at)
    if level is not None:
        return _at_level(made, level, text)
    # Letter by letter a name of trec_eval, for a metric that can be undefined?
    shapes = {} if plain in REGISTRY else dict.fromkeys(TREC_EVAL_AVERAGES, plain)
    return made.with_zeros_as_trec_eval() if _targets(plain, shapes) else made


def _in_our_words(written: Written) -> tuple[Written, str]:
    """Return the metric under our name, and the parameters that its written name implies."""
    name, params, at = written
    _load(name)
    as_alias = _targets(f"{name}({params})", ALIASES) if params else []
    if as_alias:  # NumRet(rel=1) of ir_measures
        params = ""
    try:
        ours = read_metric(as_alias[0] if as_alias else _stands_for(written))
    except UnknownMetric:
        if not load_plugin_metrics():  # entry points are read only now
            raise
        ours = read_metric(_stands_for(written))
    if ours.at and at:
        raise WrongParameter(f"'{name}@{at}' has two cutoffs, {ours.at} and {at}.")
    return Written(ours.name, params, at or ours.at), ours.params


def _stands_for(written: Written) -> str:
    """Return our spelling of a name, or raise the reason why there is none."""
    name, at = written.name, written.at
    if at and re.fullmatch(NTCIREVAL_CUTOFF, at):
        if name in NTCIREVAL_NOT_HERE:
            raise _not_here(written, NTCIREVAL_NOT_HERE[name])
        if name in NTCIREVAL:
            return NTCIREVAL[name]
    if name in REGISTRY:
        return name
    for fold in (str, str.casefold):  # folded: the case was wrong, and nothing else can be meant
        for known_as in [f"{name}@#", name] if at else [name]:
            meant = _meanings(written, _by_cosine(known_as), fold)
            if len(meant) == 1:
                return meant.pop()
    raise _unknown(written)


def _meanings(written: Written, name: str, fold: Fold) -> set[str]:
    """Return the metrics that a name can stand for, or raise the reason why there is none."""
    sampled = next((known for known in FROM_SAMPLES if fold(known) == fold(name)), None)
    if sampled is not None:
        option = Argument("sampled", True, python="rankwise.score_sampled(…)", command="score")
        remedy = Remedy(option, "estimate it from them")
        raise UnknownMetric(f"{sampled} needs sampled judgments.", remedy=remedy)
    reasons = _targets(name, NOT_HERE, fold)
    reasons += [NOT_HERE_FROM[start] for start in NOT_HERE_FROM if fold(name).startswith(start)]
    if reasons:
        raise _not_here(written, reasons[0])
    names = {known: known for known in REGISTRY}
    ours = [*_targets(name, names, fold), *_targets(name, ALIASES, fold)]
    return set(ours or _targets(name, STANDS_FOR, fold))


def _targets(name: str, table: Mapping[str, str], fold: Fold = str) -> list[str]:
    """Return a table's entries for a name: unchanged, or with `#` for its last number."""
    numbers = list(NUMBER.finditer(name))
    number = numbers[-1] if numbers else None
    shape = f"{name[: number.start()]}#{name[number.end() :]}" if number else name
    wanted = {fold(name), fold(shape)}
    found = [target for known, target in table.items() if fold(known) in wanted]
    return [target.replace("#", number[0]) if number else target for target in found]


def _by_cosine(name: str) -> str:
    """Return sentence-transformers' name of a metric with cosine for its similarity: dot-NDCG."""
    similarity, _, rest = name.replace("-", "_", 1).partition("_")
    return f"cosine_{rest}" if rest and similarity.casefold() in SIMILARITIES else name


def _not_here(written: Written, reason: str) -> UnknownMetric:
    shown = written.name if written.at is None else f"{written.name}@{written.at}"
    geometric = Remedy(Argument("mean", "geometric"), "average so")
    remedy = geometric if reason in GEOMETRIC_MEANS else None
    return UnknownMetric(f"{shown!r} is no metric here: {reason}.", remedy=remedy)


def _unknown(written: Written) -> UnknownMetric:
    known = [*REGISTRY, *ALIASES, *STANDS_FOR]
    name = written.name
    meant = _with_its_number(name)
    near = did_you_mean(name, (each.replace("#", "10") for each in known))
    near = f" Did you mean {meant}?" if meant else near
    whole = f"{name}@{written.at}"
    shown = repr(name) if written.at is None else f"{name!r} (in {whole!r})"
    own = Argument("metrics_from", "FILE", python="rankwise.metrics.load_metrics(FILE)")
    text = f"unknown metric {shown}.{near} `rankwise metrics list` lists them all."
    return UnknownMetric(text, remedy=Remedy(own, "add your own"))


def _with_its_number(name: str) -> Metric | None:
    """Return the metric for a name that ends in a number: RBP0.8 is RBP(p=0.8), ndcg10 nDCG@10."""
    found = re.fullmatch(r"(.*[^-_.\d])[-_]?(\d+|\d*\.\d+)", name)
    if found is None:
        return None
    try:
        return parse(f"{found[1]}(p={found[2]})" if "." in found[2] else f"{found[1]}@{found[2]}")
    except RankwiseError:
        return None


def _without_level(text: str) -> tuple[str, int | None]:
    """Return a name without ranx's suffix for the relevance threshold, -l2, and the threshold."""
    plain, _, suffix = text.rpartition("-")
    if not re.fullmatch(r"l\d{1,2}", suffix):
        return text, None
    return plain, int(suffix[1:])


def _at_level(metric: Metric, level: int, text: str) -> Metric:
    """Return the metric with this relevance threshold; ranx's DCG keeps the gains above it."""
    try:
        if metric.takes("rel") and metric.rel is None and metric.gains is None:
            return metric.altered(gains=dict.fromkeys(range(1, level), 0) or None)
        return metric.altered(rel=level)
    except TypeError:
        name = type(metric).__name__
        raise WrongParameter(f"{text!r}: {name} has no lowest relevant grade to set.") from None


def _values(given: str, params: str, metric: type[Metric]) -> dict[str, Any]:
    """Return the parameters between the brackets."""
    values: dict[str, Any] = {}
    for part in split(params) if params else ():
        name, equals, text = part.partition("=")
        if "metric" in metric.__annotations__ and name != "metric":  # IA(RBP(p=0.8))
            name, equals, text = "metric", "=", part
        if not equals or not name:
            meant = "" if equals else _meant(metric, name)
            raise WrongParameter(f"{given!r}: {part!r} is not of the form param=value{meant}.")
        if name in values:
            raise WrongParameter(f"{given!r}: {name} is given twice.")
        values[name] = read_value(text)
    return values


def _meant(metric: type[Metric], text: str) -> str:
    """Return advice for a value without a name: the cutoff, or the first parameter that fits."""
    name = metric.__name__
    declared = [field.name for field in parameters_of(metric)]
    if text.isdigit() and metric.at in declared:
        return f"; write {name}@{text}"
    for parameter in declared:
        try:
            metric(**{parameter: read_value(text)})
        except (MetricError, TypeError):  # not its value, or it needs others too
            continue
        return f"; write {name}({parameter}={text})"
    return ""


def _build(metric: type[Metric], values: dict[str, Any], at: str | None) -> Metric:
    name = metric.__name__
    declared = {field.name: field for field in parameters_of(metric)}
    if at is not None:
        if metric.at == "cutoff" in declared and "." in at:
            meant = _meant(metric, at)
            raise WrongParameter(f"{name}@{at}: a cutoff is a whole number, 1 or more{meant}.")
        values |= metric.written_after_at(at)
    _check_known(metric, values)
    for needed, field in declared.items():
        if field.default is MISSING and needed not in values:
            how = f"{name}@10" if needed == metric.at else f"{name}({needed}=…)"
            allowed = parameter_of(field).allowed
            raise WrongParameter(f"{name} needs {needed}: write {how}; {needed} is {allowed}.")
    return metric(**values)


def _check_known(metric: type[Metric], given: Iterable[str]) -> None:
    """Raise an error if the metric lacks a parameter of one of these names."""
    declared = [field.name for field in parameters_of(metric)]
    for name in given:
        if name not in declared:
            takes = f"it takes {', '.join(declared)}" if declared else "it takes none"
            near = did_you_mean(name, declared)
            raise WrongParameter(f"{metric.__name__} has no parameter {name!r}; {takes}.{near}")


def listed(metrics: MetricLike | Iterable[MetricLike]) -> list[MetricLike]:
    """Return one metric or several as a list."""
    return [metrics] if isinstance(metrics, str | Metric | type) else list(metrics)
