"""The catalogue of metrics as people read it, made from the registry."""

import inspect
from dataclasses import MISSING

import polars as pl

from rankwise.metrics import REGISTRY, Metric, parse
from rankwise.metrics.base import parameters
from rankwise.metrics.names import ALIASES, GRAMMAR
from rankwise.metrics.parameters import parameter_of


def family(metric: type[Metric]) -> str:
    """The family is the file: average_precision.py holds the family 'average precision'."""
    return metric.__module__.rpartition(".")[2].replace("_", " ")


def signature(metric: type[Metric]) -> str:
    """Name, parameters and defaults: `RBP(p=0.8, rel=1, gains=…)@cutoff`."""
    shown, at = [], ""
    for field in parameters(metric):
        if field.name == metric.at:
            at = f"@{field.name}" if field.default is MISSING else f"[@{field.name}]"
        elif field.default is None:
            shown.append(f"{field.name}=…")
        elif field.default is MISSING:
            shown.append(field.name)
        else:
            shown.append(f"{field.name}={field.default}")
    inside = f"({', '.join(shown)})" if shown else ""
    return f"{metric.__name__}{inside}{at}"


def summary(metric: type[Metric]) -> str:
    return (inspect.getdoc(metric) or "").partition("\n")[0]


def catalogue() -> pl.DataFrame:
    """A row for each metric, by family."""
    metrics = sorted(REGISTRY.values(), key=lambda metric: (family(metric), metric.__name__))
    return pl.DataFrame(
        {
            "family": [family(metric) for metric in metrics],
            "metric": [metric.__name__ for metric in metrics],
            "what it is": [summary(metric) for metric in metrics],
        }
    )


def entry(name: str) -> str:
    """The whole entry of one metric: how to write it, aliases, parameters, documentation."""
    metric = _class_named(name)
    also = [alias for alias, target in ALIASES.items() if _target(target) == metric.__name__]
    lines = [signature(metric), ""]
    if also:
        lines += [f"Also written: {', '.join(also)}", ""]
    for field in parameters(metric):
        default = "" if field.default is MISSING else f"  [default: {field.default}]"
        lines.append(f"  {field.name}: {parameter_of(field).allowed}{default}")
    return "\n".join([*lines, "", inspect.getdoc(metric) or ""])


def _class_named(name: str) -> type[Metric]:
    if name in REGISTRY:
        return REGISTRY[name]
    if name in ALIASES:
        return REGISTRY[_target(ALIASES[name])]
    return type(parse(name))


def _target(written: str) -> str:
    matched = GRAMMAR.fullmatch(written)
    assert matched is not None
    return matched["name"]
