"""Registry of metrics from rankwise, from plug-ins, and from users' own files.

The decorator `@register` adds a class to the registry; no other list is needed. A family (a module
of metrics) is loaded when one of its metrics is first used.
"""

import re
import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from rankwise.errors import CallError, RankwiseError, UnknownMetric
from rankwise.metrics.metric import Metric
from rankwise.plugins import METRICS, Plugin, load_plugins

MetricLike: TypeAlias = str | Metric | type[Metric]  # a name, a metric, a class with defaults

# Registered metrics by name. `load_all` registers those of all families.
REGISTRY: dict[str, type[Metric]] = {}
ALIASES: dict[str, str] = {}
# Names of metrics from plug-ins, and for each name the package and version of the plug-in.
PLUGIN_OF: dict[str, str] = {}

_REGISTERED = re.compile(r"\n@register\(.*?\nclass (\w+)", re.DOTALL)


def register(
    aliases: Mapping[str, str] | None = None,
) -> Callable[[type[Metric]], type[Metric]]:
    """Add the decorated class to the registry as a metric, under the name of the class.

    The fields of the class become the parameters of the metric. `aliases` maps other names to
    metrics: `{"MAP": "AP"}`. A `#` in an alias matches any number. The same number replaces the `#`
    in the metric: `{"P_#": "P@#"}`.
    """

    def add(metric: type[Metric]) -> type[Metric]:
        if not isinstance(metric, type) or not issubclass(metric, Metric):
            called = getattr(metric, "__name__", repr(metric))
            raise CallError(f"{called} is not a metric. Register a subclass of Metric.")
        if metric.__module__.rpartition(".")[0] != "rankwise.metrics":
            load_all()  # a user's metric must not take a name of any family
        before = REGISTRY.get(metric.__name__)
        # A module may define the same metric again.
        if before is None or before.__module__ != metric.__module__:
            for name in [metric.__name__, *(aliases or {})]:
                if name in REGISTRY or name in ALIASES:
                    what = f"another metric is already called {name!r}. Choose another name."
                    raise UnknownMetric(what)
        REGISTRY[metric.__name__] = metric
        ALIASES.update(aliases or {})
        return metric

    return add


@cache
def homes() -> dict[str, str]:
    """Return {name of a metric of rankwise: name of the module that registers the metric}."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    texts = {path.stem: path.read_text(encoding="utf-8") for path in files}
    return {name: family for family, text in texts.items() for name in _REGISTERED.findall(text)}


def families() -> list[str]:
    """Return the names of the modules that register metrics, sorted."""
    return sorted(set(homes().values()))


def load_all() -> None:
    """Load every family of metrics, for example before iterating over `REGISTRY`."""
    for family in families():
        import_module(f"rankwise.metrics.{family}")


def load(name: str) -> None:
    """Load the module that registers metric `name`, or all modules if `name` may be an alias."""
    if name in homes():
        import_module(f"rankwise.metrics.{homes()[name]}")
    elif name not in REGISTRY:
        load_all()


def load_plugin_metrics() -> bool:
    """Load the metrics of installed plug-ins, and return whether any metric was added."""
    before = len(REGISTRY)
    load_plugins(METRICS, _add_plugin)
    return len(REGISTRY) > before


def _add_plugin(plugin: Plugin) -> None:
    """Register the metric class of a plug-in, unless its module has registered it already.

    If the plug-in is a module, its import has already registered its metrics.
    """
    value = plugin.value
    if isinstance(value, type) and REGISTRY.get(value.__name__) is not value:
        register()(value)
    module = getattr(value, "__module__", None) or getattr(value, "__name__", "")
    names = [name for name, metric in REGISTRY.items() if metric.__module__ == module]
    if not names:
        raise CallError(f"{module or plugin.name} registers no metric.")
    PLUGIN_OF.update(dict.fromkeys(names, plugin.package))


def as_printed(name: str) -> str:
    """Return the name of a metric as papers print it. Any other text is returned unchanged.

    >>> as_printed("PPlus@10"), as_printed("AP")
    ('P⁺@10', 'AP')
    """
    word = re.match(r"\w*", name)[0]  # type: ignore[index]
    if word in homes():
        load(word)
    printed = REGISTRY[word].printed_name if word in REGISTRY else ""
    return (printed or word) + name.removeprefix(word)


def load_metrics(file: str | Path | None) -> list[str]:
    """Run a Python file that registers metrics, and return the names of the new metrics.

    From then on they can be used like any other metric. If `file` is None, return an empty list.
    """
    if file is None:
        return []
    from importlib.util import module_from_spec, spec_from_file_location

    path = Path(file)
    if not path.is_file():
        raise CallError("no such file.", source=str(file))
    load_all()
    before = set(REGISTRY)
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        what = "not a Python file. Give a file whose name ends in .py."
        raise CallError(what, source=str(file))
    module = module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    # The message of an error in the user's file has the line number.
    except (Exception, SystemExit) as error:
        raise CallError(_error_text(error), source=f"{file}{_line_number(error, path)}") from None
    added = sorted(set(REGISTRY) - before)
    if not added:
        what = "defines no metric. Decorate a subclass of Metric with @register()."
        raise CallError(what, source=str(file))
    return added


def _line_number(error: BaseException, path: Path) -> str:
    """Return the number of the last executed line of the file, or of the syntax error, as `:12`."""
    if isinstance(error, SyntaxError):
        lines = [error.lineno]
    else:
        from traceback import extract_tb

        frames = extract_tb(error.__traceback__)
        lines = [f.lineno for f in frames if Path(f.filename).resolve() == path.resolve()]
    return f":{lines[-1]}" if lines and lines[-1] else ""


def _error_text(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "the file ends the program (sys.exit). A file of metrics must only register metrics."
    if isinstance(error, RankwiseError):
        return str(error)
    text = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"
