"""Catalogue of metrics for readers, made from the registry."""

from __future__ import annotations

import inspect
from dataclasses import MISSING
from itertools import groupby
from textwrap import fill, indent

from rankwise.bounds import EXACT
from rankwise.lazy import pl
from rankwise.metrics import ALIASES, REGISTRY, Metric
from rankwise.metrics.aliases import STANDS_FOR
from rankwise.metrics.grammar import read_metric
from rankwise.metrics.identity import parameters_of
from rankwise.metrics.parameters import parameter_of
from rankwise.metrics.registry import class_named


def family(metric: type[Metric]) -> str:
    """Return the family, named after the file: average_precision.py is 'average precision'."""
    return metric.__module__.rpartition(".")[2].replace("_", " ")


def signature(metric: type[Metric]) -> str:
    """Name, parameters and defaults: `RBP(p=0.8, rel=1, gains=…)[@cutoff]`."""
    shown, at = [], ""
    for field in parameters_of(metric):
        if field.name == metric.at:
            at = f"@{field.name}" if field.default is MISSING else f"[@{field.name}]"
        elif field.default is None:
            shown.append(f"{field.name}=…")
        elif field.default is MISSING:
            shown.append(field.name)
        else:
            shown.append(f"{field.name}={_shown(field.default)}")
    inside = f"({', '.join(shown)})" if shown else ""
    return f"{metric.__name__}{inside}{at}"


def _shown(default: object) -> str:
    if isinstance(default, tuple):
        return "{" + ",".join(f"{grade}:{value}" for grade, value in default) + "}"
    return str(default)


def summary(metric: type[Metric]) -> str:
    return (inspect.getdoc(metric) or "").partition("\n")[0]


def aliases(metric: type[Metric]) -> list[str]:
    """Return its other names, also those in other tools; a `#` is a number."""
    names = (ALIASES | STANDS_FOR).items()
    return [other for other, ours in names if read_metric(ours).name == metric.__name__]


def bounds(metric: type[Metric]) -> str:
    """Return whether the bounds under unjudged documents are exact or outer."""
    argument = metric.bounds
    if argument is Metric.bounds:
        return "not known"
    seeing = (argument.sees_elsewhere and argument.exact_elsewhere) or metric.is_diagnostic
    if argument.exact == EXACT:
        own = "exact if only documents of the ranking count, or any, else outer"
        return "exact" if seeing else own
    retrieved = f"only {'retrieved documents' if seeing else 'documents of the ranking'} count"
    if argument.exact:
        return f"exact if {retrieved}, else outer"
    if not argument.exact_if_alike:
        return "outer"
    always = argument.exact_if_alike == EXACT
    return f"exact if {argument.exact_where}{'' if always else f' and {retrieved}'}, else outer"


def _all() -> list[type[Metric]]:
    return sorted(REGISTRY.values(), key=lambda each: (family(each), each.__name__.lower()))


def catalogue() -> pl.DataFrame:
    """Return a row for each metric, by family."""
    return pl.DataFrame(
        {
            "family": [family(metric) for metric in _all()],
            "metric": [metric.__name__ for metric in _all()],
            "parameters": [signature(metric) for metric in _all()],
            "what it is": [summary(metric) for metric in _all()],
            "also written": [", ".join(aliases(metric)) for metric in _all()],
        }
    )


def listing() -> str:
    """Return the catalogue for a terminal: signatures and summaries, by family."""
    parts = []
    for name, metrics in groupby(_all(), key=family):
        lines = []
        for metric in metrics:
            lines.append(fill(signature(metric), 80, initial_indent="  ", subsequent_indent="    "))
            lines.append(indent(fill(summary(metric), 74), " " * 6))
        parts.append("\n".join([name, *lines]))
    end = f"{len(REGISTRY)} metrics. `rankwise metrics show NAME` shows one whole."
    return "\n\n".join([*parts, end])


def entry(name: str) -> str:
    """Return the whole entry of one metric: signature, aliases, parameters, documentation."""
    metric = class_named(name)
    lines = [signature(metric), ""]
    if also := aliases(metric):
        lines += [f"Also written: {', '.join(also)}", ""]
    for field in parameters_of(metric):
        default = "" if field.default in (MISSING, None) else f"  [{_shown(field.default)}]"
        lines.append(f"  {field.name}: {parameter_of(field).allowed}{default}")
    lines += ["", f"Bounds under unjudged documents: {bounds(metric)}."]
    return "\n".join([*lines, "", inspect.getdoc(metric) or ""])
