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
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

_IMPORT = re.compile(r"^    from (rankwise\.[\w.]+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
TAKES_ANY_KEYWORD = 0x08  # inspect.CO_VARKEYWORDS, without that import
_NAME = re.compile(r"(\w+)(?: as \w+)?")


def homes(file: str) -> dict[str, str]:
    """Return the module of each name that the front door in this file lists."""
    text = Path(file).read_text(encoding="utf-8")
    return {
        name: module
        for module, several, single in _IMPORT.findall(text)
        for name in _NAME.findall(several or single)
    }


def door(
    package: str, file: str, *, public: bool = False
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package; users call the functions of a public one."""
    module_of = homes(file)

    def getattribute(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name]), name)
        if public and isinstance(value, FunctionType):
            value = with_suggestions(package, value)
        setattr(import_module(package), name, value)
        return value

    return getattribute, lambda: sorted(module_of)


def with_suggestions(package: str, function: FunctionType) -> Callable[..., Any]:
    """Wrap a public function: an unknown keyword is an error that suggests a known one.

    Python does so itself from version 3.13 on.

    >>> import rankwise
    >>> rankwise.score({}, {}, metric="AP")
    Traceback (most recent call last):
    TypeError: score() got an unexpected keyword argument 'metric'. Did you mean 'metrics'?
    """
    code = function.__code__
    names = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
    if sys.version_info >= (3, 13) or code.co_flags & TAKES_ANY_KEYWORD:
        return function

    @wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        for keyword in keywords:
            if keyword not in names:
                from difflib import get_close_matches

                near = get_close_matches(keyword, names, 1)
                hint = f". Did you mean {near[0]!r}?" if near else ""
                what = f"got an unexpected keyword argument {keyword!r}{hint}"
                raise TypeError(f"{function.__name__}() {what}")
        return function(*args, **keywords)

    checked.__module__, checked.__qualname__ = package, function.__name__  # for pickle
    return checked
