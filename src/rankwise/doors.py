"""Front doors: a package's `__init__` lists its names, and loads a module at their first use.

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from rankwise.rankings.run import Qrels as Qrels, Run as Run
    else:
        from rankwise.doors import door

        __getattr__, __dir__ = door(__name__, __file__)

Type checkers read the imports under `TYPE_CHECKING`; `door` reads the same lines, so that there is
one list. Other packages import from the front door, never from a module behind it.
"""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_IMPORT = re.compile(r"^    from (rankwise\.[\w.]+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
_NAME = re.compile(r"(\w+)(?: as \w+)?")


def homes(file: str) -> dict[str, str]:
    """Return the module of each name that the front door in this file lists."""
    text = Path(file).read_text(encoding="utf-8")
    return {
        name: module
        for module, several, single in _IMPORT.findall(text)
        for name in _NAME.findall(several or single)
    }


def door(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package."""
    module_of = homes(file)

    def getattribute(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        setattr(import_module(package), name, value)
        return value

    return getattribute, lambda: sorted(module_of)
