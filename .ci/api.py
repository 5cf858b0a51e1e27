"""Write tests/frozen/api.txt: every public name, option, column and exit code, one per line.

`make api`. tests/test_api.py compares the file with the code: a change of what users rely on is
made on purpose, and has an entry in CHANGELOG.md.
"""

import enum
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import click

import rankwise
import rankwise.cli.root as root_module
import rankwise.judging
import rankwise.published
from rankwise.cli.interrupts import INTERRUPTED
from rankwise.cli.json_schema import recorded
from rankwise.metrics import REGISTRY
from rankwise.metrics.descriptions import aliases, signature
from rankwise.results import Result

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "tests" / "frozen" / "api.txt"
HEAD = """\
# The public interface, one name per line: `make api` rewrites this file. docs/stability.md says
# what is promised. A change here has an entry in CHANGELOG.md in the same commit.
"""
CONSTRUCTED = {
    "Judges",
    "Published",
    "TestOptions",
}  # by users; other classes are what verbs return
EXIT_CODES = {0: "done, or passed", 1: "a gate failed", 2: "wrong input, or not decidable"}


def lines() -> Iterator[str]:
    yield from HEAD.splitlines()
    for module in (rankwise, rankwise.judging, rankwise.published):
        yield from ("", f"## {module.__name__}")
        yield from names_of(module)
    yield from ("", "## results")
    yield from results()
    yield from ("", "## rankwise.errors")
    yield from sorted(errors())
    yield from ("", "## metrics")
    for name in sorted(REGISTRY, key=lambda each: (each.lower(), each)):
        others = aliases(REGISTRY[name])
        yield signature(REGISTRY[name]) + (f"  = {', '.join(others)}" if others else "")
    yield from ("", "## commands")
    yield from commands(root_module.root, "rankwise")
    yield from ("", "## exit codes")
    yield from (
        f"{code}: {text}" for code, text in (EXIT_CODES | {INTERRUPTED: "interrupted"}).items()
    )
    yield from (
        "",
        "## JSON: keys of the header, and columns of the rows (rows also of csv, parquet)",
    )
    for command, parts in recorded().items():
        for part, columns in parts.items():
            yield from (f"{command} {part} {name}: {kind}" for name, kind in columns.items())


def names_of(module: ModuleType) -> Iterator[str]:
    documented = documented_members()
    for name in sorted(exported(module)):
        value = getattr(module, name)
        if inspect.isclass(value):
            yield f"class {name}{parameters(value) if name in CONSTRUCTED else ''}"
            yield from (f"  {name}.{member}" for member in documented.get(name, []))
        elif callable(value):
            yield f"{name}{parameters(value)}"


def exported(module: ModuleType) -> list[str]:
    return list(getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"])


def parameters(value: Any) -> str:
    """Return names and defaults, without types: `(qrels, runs=None, *, alpha=0.05)`."""
    try:
        signature_of = inspect.signature(value)
    except (TypeError, ValueError):
        return "(…)"
    plain = [
        each.replace(annotation=inspect.Parameter.empty, default=shown(each.default))
        for each in signature_of.parameters.values()
    ]
    return str(signature_of.replace(parameters=plain, return_annotation=inspect.Signature.empty))


class Shown:
    """A default as the file shows it: no address of an object in it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def shown(default: object) -> object:
    if default is inspect.Parameter.empty:
        return default
    if isinstance(default, enum.Enum):
        return Shown(default.name)
    text = repr(default)
    return (
        Shown(f"<{type(default).__name__}>")
        if " at 0x" in text or "<factory>" in text
        else Shown(text)
    )


def documented_members() -> dict[str, list[str]]:
    """Return the members of each class that the reference of the docs lists."""
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    found = re.findall(r"^::: (\S+)\n(?: .*\n)*? +members: \[(.*)\]", page, re.MULTILINE)
    return {name.rpartition(".")[2]: sorted(names.split(", ")) for name, names in found}


def results() -> Iterator[str]:
    """Yield the everyday names of every kind of result."""
    for package in ("agreement", "comparison", "correlation", "experiments", "judging", "probable"):
        load(f"rankwise.{package}")
    for package in ("published", "scores", "similarity"):
        load(f"rankwise.{package}")
    shared = {"frame", "notes", "table", "to_latex", "to_markdown", "to_pandas"}
    yield f"every result: {', '.join(sorted(shared))}"
    found = {kind.__name__: kind for kind in subclasses(Result) if kind._everyday}
    for name, kind in sorted(found.items()):
        chart = ["chart"] if hasattr(kind, "chart") else []
        yield f"{name}: {', '.join(sorted({*kind._everyday, *chart} - shared))}"


def load(package: str) -> None:
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        import_module(module.name)


def subclasses(kind: type[Result]) -> set[type[Result]]:
    return {each for sub in kind.__subclasses__() for each in (sub, *subclasses(sub))}


def errors() -> list[str]:
    from rankwise import errors as module

    classes = inspect.getmembers(module, inspect.isclass)
    return [
        f"{name}({', '.join(base.__name__ for base in value.__bases__)})"
        for name, value in classes
        if issubclass(value, Exception) and value.__module__ == module.__name__
    ]


def commands(group: click.Group, path: str) -> Iterator[str]:
    ctx = click.Context(group)
    names = sorted({*group.list_commands(ctx), *getattr(group, "names", ())})
    for name in names:
        command = group.get_command(ctx, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        elif command is not None:
            yield f"{path} {name}"
            arguments = [each for each in command.params if isinstance(each, click.Argument)]
            yield from (f"  {path} {name} {described(each)}" for each in arguments)
            options = (described(each) for each in command.params if each not in arguments)
            yield from (f"  {path} {name} {option}" for option in sorted(options))


def described(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        many = "..." if parameter.nargs == -1 else ""
        text = f"{parameter.name}{many}"
        return text if parameter.required else f"[{text}]"
    kind = parameter.type
    is_flag = isinstance(parameter, click.Option) and parameter.is_flag
    value = (
        ""
        if is_flag
        else f" {'|'.join(map(str, kind.choices)) if isinstance(kind, click.Choice) else kind.name}"
    )
    default = parameter.default
    plain = (
        isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    )
    extra = (["repeatable"] if parameter.multiple else []) + (
        [f"default {default}"] if plain else []
    )
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    return f"{names}{value}" + (f"  ({'; '.join(extra)})" if extra else "")


def text() -> str:
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
