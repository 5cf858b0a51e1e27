"""User-defined metrics from a Python file."""

import sys
from pathlib import Path

from rankwise.errors import CallError, RankwiseError
from rankwise.metrics.registry import REGISTRY, load_all


def load_metrics(file: str | Path | None) -> list[str]:
    """Run a Python file that registers metrics, and return the names that it added.

    They can then be used like any other metric, in Python and in every command.
    """
    if file is None:
        return []
    from importlib.util import module_from_spec, spec_from_file_location

    path = Path(file)
    if not path.is_file():
        raise CallError(f"metrics from {file}: no such file.")
    load_all()
    before = set(REGISTRY)
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise CallError(f"metrics from {file}: not a Python file (its name ends in .py).")
    module = module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # it is the file's, and the user must see where
        raise CallError(f"metrics from {file}{_line(error, path)}: {_what(error)}") from None
    added = sorted(set(REGISTRY) - before)
    if not added:
        raise CallError(f"metrics from {file}: no metric in it; decorate one with @register().")
    return added


def _line(error: BaseException, path: Path) -> str:
    """Return the last line of the file that was executed, or the invalid one, as `:12`."""
    if isinstance(error, SyntaxError):
        return f":{error.lineno}" if error.lineno else ""
    from traceback import walk_tb

    lines = [
        line
        for frame, line in walk_tb(error.__traceback__)
        if Path(frame.f_code.co_filename).resolve() == path.resolve()
    ]
    return f":{lines[-1]}" if lines else ""


def _what(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "it ends the program (sys.exit); a file of metrics only registers them."
    if isinstance(error, RankwiseError):
        return str(error)
    text = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"
