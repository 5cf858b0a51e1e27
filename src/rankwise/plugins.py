"""Plug-ins: metrics and formats of other packages, which declare them as entry points.

    [project.entry-points."rankwise.metrics"]
    Freshness = "my_package.metrics:Freshness"

Entry points are read once per process, when a name is unknown to rankwise. Known names therefore
cause no delay. A plug-in that cannot be used causes a warning with its name.
"""

import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import NamedTuple

METRICS, FORMATS = "rankwise.metrics", "rankwise.formats"

_loaded: dict[str, "list[Plugin]"] = {}


class PluginWarning(UserWarning):
    """Warning about an installed plug-in that cannot be used."""


class Plugin(NamedTuple):
    """An object that another package declares; `package` is its name and version."""

    name: str
    package: str
    value: object


def load_plugins(group: str, use: Callable[[Plugin], None]) -> list[Plugin]:
    """Load the plug-ins of a group, pass each to `use`, and return the plug-ins that work."""
    if group in _loaded:
        return _loaded[group]
    _loaded[group] = plugins = []
    from importlib.metadata import entry_points

    for entry in entry_points(group=group):
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        try:
            # Standard output is reserved for the result, which may be JSON.
            with redirect_stdout(sys.stderr):
                plugin = Plugin(entry.name, package, entry.load())
                use(plugin)
        except (Exception, SystemExit) as error:  # an error of the plug-in
            warn_of(f"{entry.name} of {package}", error)
        else:
            plugins.append(plugin)
    return plugins


def loaded_plugins(group: str) -> list[Plugin]:
    """Return the plug-ins of a group that are already loaded."""
    return _loaded.get(group, [])


def warn_of(plugin: str, error: BaseException) -> None:
    """Issue a warning about a plug-in that failed, with the message of its error."""
    text = " ".join(str(error).split())
    message = f"the plug-in {plugin} cannot be used: {type(error).__name__}: {text.rstrip('.')}."
    warnings.warn(f"{message} Update or uninstall it.", PluginWarning, stacklevel=2)
