"""Metrics as plain loops over one ranking, written from their formulas alone.

One file a family, as in `rankwise.metrics`. Slow, and meant to be obviously right. Whoever
imports the package has all of them: `SLOW` maps the name of a metric's class to its loop.
"""

from importlib import import_module
from pkgutil import iter_modules

from reference.loops import SLOW, Pool, Ranking, is_relevant

__all__ = ["SLOW", "Pool", "Ranking", "is_relevant"]

for family in iter_modules(__path__):
    import_module(f"reference.{family.name}")  # where each loop registers itself
