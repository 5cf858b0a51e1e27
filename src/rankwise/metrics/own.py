"""Metrics of the user's own, from a Python file."""

import importlib.util
import sys
from pathlib import Path

from rankwise.errors import CallError
from rankwise.metrics.names import REGISTRY


def load_metrics(file: str | Path | None) -> list[str]:
    """Run a Python file that registers metrics; the names that it added.

    They are then metrics like any other, in the grammar, the catalogue and every command.
    """
    if file is None:
        return []
    path = Path(file)
    if not path.is_file():
        raise CallError(f"--metrics-from {file}: no such file.")
    before = set(REGISTRY)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise CallError(f"--metrics-from {file}: not a Python file (its name ends in .py).")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever it is, it is the file's and the user must see where
        where = error.__traceback__
        while where is not None and where.tb_frame.f_code.co_filename != str(path):
            where = where.tb_next
        line = f":{where.tb_lineno}" if where is not None else ""
        kind = type(error).__name__
        raise CallError(f"--metrics-from {file}{line}: {kind}: {error}") from None
    added = sorted(set(REGISTRY) - before)
    if not added:
        raise CallError(f"--metrics-from {file}: no metric in it; decorate one with @register().")
    return added
