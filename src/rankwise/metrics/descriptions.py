"""Catalogue of metrics for readers, generated from the registry."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING
from itertools import groupby
from math import isfinite
from textwrap import fill, indent
from typing import Any

from rankwise.bounds import EXACT
from rankwise.lazy import pl
from rankwise.metrics import ALIASES, REGISTRY, Metric
from rankwise.metrics.aliases import STANDS_FOR
from rankwise.metrics.grammar import class_named, read_metric
from rankwise.metrics.registry import PLUGIN_OF

CITES = re.compile(r"\b(19|20)\d\d\b|trec_eval's|NTCIREVAL's")
ADVICE = re.compile(r"(Use|Avoid|Do not)\b")


def family(metric: type[Metric]) -> str:
    """Return the family of a metric, named after its module, for example "average precision"."""
    return metric.__module__.rpartition(".")[2].replace("_", " ")


def signature(metric: type[Metric]) -> str:
    """Return name, parameters and defaults of a metric: `RBP(p=0.8, rel=1, gains=…)[@cutoff]`."""
    shown, at = [], ""
    for name, parameter in metric.parameters.items():
        if name == metric.at:
            at = f"@{name}" if parameter.default is MISSING else f"[@{name}]"
        elif parameter.default is None:
            shown.append(f"{name}=…")
        elif parameter.default is MISSING:
            shown.append(name)
        else:
            shown.append(f"{name}={_shown(parameter.default)}")
    inside = f"({', '.join(shown)})" if shown else ""
    return f"{metric.__name__}{inside}{at}"


def _shown(default: object) -> str:
    if isinstance(default, tuple):
        return "{" + ",".join(f"{grade}:{value}" for grade, value in default) + "}"
    return str(default)


def summary(metric: type[Metric]) -> str:
    return (inspect.getdoc(metric) or "").partition("\n")[0]


def aliases(metric: type[Metric]) -> list[str]:
    """Return the aliases of a metric, including its names in other tools.

    A `#` in an alias stands for any number.
    """
    names = (ALIASES | STANDS_FOR).items()
    return [other for other, ours in names if read_metric(ours).name == metric.__name__]


def bounds(metric: type[Metric]) -> str:
    """Return the conditions under which a metric's bounds for unjudged documents are exact.

    "Outer" bounds are valid, but not always tight.
    """
    argument = metric.bounds
    if argument is Metric.bounds:
        return "not known"
    seeing = (argument.sees_elsewhere and argument.exact_elsewhere) or metric.is_diagnostic
    if argument.exact == EXACT:
        own = "exact if only documents of the ranking, or any document, can be relevant, else outer"
        return "exact" if seeing else own
    documents = "retrieved documents" if seeing else "documents of the ranking"
    retrieved = f"only {documents} can be relevant"
    if argument.exact:
        return f"exact if {retrieved}, else outer"
    if not argument.exact_if_alike:
        return "outer"
    always = argument.exact_if_alike == EXACT
    return f"exact if {argument.exact_where}{'' if always else f' and {retrieved}'}, else outer"


def _all() -> list[type[Metric]]:
    return sorted(REGISTRY.values(), key=lambda each: (family(each), each.__name__.lower()))


def source_of(metric: type[Metric]) -> str:
    """Return the origin of a metric: rankwise, a plug-in's package, or a user's module."""
    if metric.__module__.startswith("rankwise.metrics."):
        return "rankwise"
    return PLUGIN_OF.get(metric.__name__, metric.__module__)


def citation(metric: type[Metric]) -> str:
    """Return the citation at the end of a metric's docstring, or an empty text.

    The citation is the end of the last paragraph before the example. Its first line follows a full
    stop, is not advice ("Use", "Avoid", "Do not"), and has a year or a tool's name in it or below
    it.

    >>> from rankwise.metrics import RBP
    >>> citation(RBP)
    'Moffat and Zobel, ACM TOIS 27(1), 2008.'
    """
    prose = (inspect.getdoc(metric) or "").partition(">>> ")[0]
    lines = prose.strip().split("\n\n")[-1].splitlines()
    for place in range(1, len(lines)):
        rest = " ".join(line.strip() for line in lines[place:])
        if lines[place - 1].endswith(".") and CITES.search(rest) and not ADVICE.match(rest):
            return rest
    return ""


def described(metric: type[Metric]) -> dict[str, Any]:
    """Return the full description of a metric as a dict that can be written as JSON."""
    parameters = [
        {
            "name": name,
            "allowed": parameter.allowed,
            "default": None if parameter.default is MISSING else _plain(parameter.default),
            "required": parameter.default is MISSING,
            "written": f"{metric.__name__}@…" if name == metric.at else f"({name}=…)",
        }
        for name, parameter in metric.parameters.items()
    ]
    return {
        "family": family(metric),
        "metric": metric.__name__,
        "from": source_of(metric),
        "signature": signature(metric),
        "summary": summary(metric),
        "description": inspect.getdoc(metric) or "",
        "parameters": parameters,
        "aliases": aliases(metric),
        "bounds": bounds(metric),
        "range": _range(metric),
        "lower_is_better": metric.less_is_better,
        "graded": "gains" in metric.parameters,
        "needs_relevant": metric.needs_relevant,
        "citation": citation(metric) or None,
    }


def _range(metric: type[Metric]) -> dict[str, float | None] | None:
    """Return the range of a metric's scores as a dict, or None if it is not known.

    `lower` or `upper` is None if the scores have no limit on that side.
    """
    ends = metric.score_range or ((0.0, 1.0) if source_of(metric) == "rankwise" else None)
    if ends is None:
        return None
    lower, upper = (end if isfinite(end) else None for end in ends)
    return {"lower": lower, "upper": upper}


def _plain(default: object) -> object:
    return _shown(default) if isinstance(default, tuple) else default


def described_metrics() -> list[dict[str, Any]]:
    """Return the descriptions of all registered metrics, sorted by family and name."""
    return [described(metric) for metric in _all()]


def catalogue() -> pl.DataFrame:
    """Return a table with one row per registered metric, sorted by family and name."""
    return pl.DataFrame(
        {
            "family": [family(metric) for metric in _all()],
            "metric": [metric.__name__ for metric in _all()],
            "parameters": [signature(metric) for metric in _all()],
            "what it is": [summary(metric) for metric in _all()],
            "also written": [", ".join(aliases(metric)) for metric in _all()],
            "from": [source_of(metric) for metric in _all()],
        }
    )


def listing() -> str:
    """Return the catalogue as text for a terminal: signatures and summaries, by family."""
    parts = []
    for name, metrics in groupby(_all(), key=family):
        lines = []
        for metric in metrics:
            lines.append(fill(signature(metric), 80, initial_indent="  ", subsequent_indent="    "))
            source = source_of(metric)
            text = summary(metric) + (f" (from {source})" if source != "rankwise" else "")
            lines.append(indent(fill(text, 74), " " * 6))
        parts.append("\n".join([name, *lines]))
    end = f"{len(REGISTRY)} metrics. `rankwise metrics show NAME` describes one metric."
    return "\n\n".join([*parts, end])


def entry(name: str) -> str:
    """Return the text that `rankwise metrics show` prints for a metric.

    It has the signature, the aliases, the parameters, the kind of bounds, and the docstring.
    """
    metric = class_named(name)
    lines = [signature(metric), ""]
    if also := aliases(metric):
        lines += [f"Also written: {', '.join(also)}", ""]
    for parameter, (default, allowed, *_) in metric.parameters.items():
        shown = "" if default in (MISSING, None) else f"  [{_shown(default)}]"
        lines.append(f"  {parameter}: {allowed}{shown}")
    outer = bounds(metric)
    about = " Outer bounds are valid, but not always tight." if "outer" in outer else ""
    lines += ["", f"Bounds under unjudged documents: {outer}.{about}"]
    return "\n".join([*lines, "", inspect.getdoc(metric) or ""])
