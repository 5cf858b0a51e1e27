"""Plug-ins: metrics and formats of other packages, which declare them as entry points.

    [project.entry-points."rankwise.metrics"]
    Freshness = "my_package.metrics:Freshness"

Entry points are read when a name is unknown to rankwise, once per process: known names never pay
for them. A plug-in that cannot be used causes a warning that names it.
"""

import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import NamedTuple

METRICS, FORMATS = "rankwise.metrics", "rankwise.formats"

_loaded: dict[str, "list[Plugin]"] = {}


class PluginWarning(UserWarning):
    """A plug-in that is installed, and cannot be used."""


class Plugin(NamedTuple):
    """An object that another package declares; `package` is its name and version."""

    name: str
    package: str
    value: object


def load_plugins(group: str, use: Callable[[Plugin], None]) -> list[Plugin]:
    """Load the plug-ins of a group and pass each to `use`; return those without an error."""
    if group in _loaded:
        return _loaded[group]
    _loaded[group] = plugins = []
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        try:
            with redirect_stdout(sys.stderr):  # standard output is the result's, perhaps JSON
                plugin = Plugin(entry.name, package, entry.load())
                use(plugin)
        except (Exception, SystemExit) as error:  # the plug-in's own
            warn_of(f"{entry.name} of {package}", error)
        else:
            plugins.append(plugin)
    return plugins


def loaded_plugins(group: str) -> list[Plugin]:
    """Return the plug-ins of a group as far as they are loaded; nothing is read."""
    return _loaded.get(group, [])


def warn_of(plugin: str, error: BaseException) -> None:
    """Warn of a plug-in that failed, with its own message."""
    text = " ".join(str(error).split())
    message = f"the plug-in {plugin} cannot be used: {type(error).__name__}: {text.rstrip('.')}."
    warnings.warn(f"{message} Update or uninstall it.", PluginWarning, stacklevel=2)
