"""Lazy imports: a package's `__init__` lists its public names, and loads each on first use.

    TYPE_CHECKING = False
    if TYPE_CHECKING:
        from rankwise.rankings.run import Qrels as Qrels, Run as Run
    else:
        from rankwise.doors import door

        __getattr__, __dir__ = door(__name__, __file__)

Type checkers read the imports under `TYPE_CHECKING`. `door` reads the same lines, so there is only
one list. The form `Run as Run` makes a name public for type checkers; it is needed for names that
users import. Names that only packages of rankwise use need no `as`, because pyproject.toml sets
`implicit_reexport`. Other packages import a name from the package, never from one of its modules.
"""

import re
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

_IMPORT = re.compile(r"^    from (rankwise\.[\w.]+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
TAKES_ANY_KEYWORD = 0x08  # inspect.CO_VARKEYWORDS, without importing inspect
_NAME = re.compile(r"(\w+)(?: as \w+)?")


def homes(file: str) -> dict[str, str]:
    """Return {name: module that defines it} for the names that an `__init__` file exports."""
    text = Path(file).read_text(encoding="utf-8")
    return {
        name: module
        for module, several, single in _IMPORT.findall(text)
        for name in _NAME.findall(several or single)
    }


def door(
    package: str, file: str, *, public: bool = False
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for lazy imports of a package's names (PEP 562).

    `file` is the package's `__init__` file. With `public`, the functions of the package check the
    types of their arguments when they are called, and suggest the right name for an unknown
    keyword.
    """
    module_of = homes(file)

    def getattribute(name: str) -> Any:
        if name not in module_of:
            what = f"module {package!r} has no attribute {name!r}"
            # Python suggests a similar name of `obj`.
            raise AttributeError(what, name=name, obj=import_module(package))
        value = getattr(import_module(module_of[name]), name)
        if public and isinstance(value, FunctionType):
            value = checked_function(package, value)
        setattr(import_module(package), name, value)
        return value

    return getattribute, lambda: sorted(module_of)


def checked_function(package: str, function: FunctionType) -> Callable[..., Any]:
    """Wrap a public function, so that its arguments are checked against their annotations.

    The error for an unknown keyword suggests a known one. A function that accepts any keyword is
    returned unchanged.

    >>> import rankwise
    >>> rankwise.score({}, {}, metric="AP")
    Traceback (most recent call last):
    TypeError: score() got an unexpected keyword argument 'metric'. Did you mean 'metrics'?
    >>> rankwise.score({}, {}, order="rank")
    Traceback (most recent call last):
    TypeError: score() got an unexpected keyword argument 'order'. Use rankwise.read(…, order=…)
    """
    code = function.__code__
    names = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
    if code.co_flags & TAKES_ANY_KEYWORD:
        return function

    @wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        for keyword in keywords:
            if keyword not in names:
                from difflib import get_close_matches
                from inspect import signature

                near = get_close_matches(keyword, names, 1)
                hint = f". Did you mean {near[0]!r}?" if near else ""
                if keyword in signature(import_module("rankwise").read).parameters:
                    hint = f". Use rankwise.read(…, {keyword}=…)"
                what = f"got an unexpected keyword argument {keyword!r}{hint}"
                raise TypeError(f"{function.__name__}() {what}")
        if args or keywords:
            from rankwise.arguments import check_arguments

            check_arguments(function, code.co_varnames, args, keywords)
        return function(*args, **keywords)

    checked.__module__, checked.__qualname__ = package, function.__name__  # for pickle
    return checked
