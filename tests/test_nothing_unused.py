"""Code that only tests, benchmarks or the scripts of the docs use is not in the package."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from source_trees import tree_of

import rankwise
from rankwise.compat import pytrec_eval
from rankwise.integrations import ir_measures, pyterrier

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
# The reference of the docs is what users may call: `::: rankwise.judging.pool`.
REFERENCE = (ROOT / "docs" / "api.md").read_text("utf-8")
DOCUMENTED = {name.rpartition(".")[2] for name in re.findall(r"^::: (\S+)$", REFERENCE, re.M)}
for members in re.findall(r"members: \[(.*)\]", REFERENCE):
    DOCUMENTED |= {*members.split(", ")}
# Called by click, by notebooks, by users of any result, by ir_measures and by users of pytrec_eval.
CALLED_BY_OTHERS = {"command", "list_commands", "get_command", "format_commands", "resolve_command"}
CALLED_BY_OTHERS |= {"invoke", "format_help", "parse_args", "shell_complete"}
CALLED_BY_OTHERS |= {"_repr_html_", "to_pandas", "to_latex", "to_markdown"}
CALLED_BY_OTHERS |= {"supports", "_evaluator", "_iter_calc", "aggregator", "validate_params"}
CALLED_BY_OTHERS |= {"evaluate", "readable"}
CALLED_BY_OTHERS |= {*ir_measures.__all__, *pyterrier.__all__, *pytrec_eval.__all__}
CALLED_BY_OTHERS |= {"dropped", "summary"}  # of rankwise.spark: docs/tools/spark.md
PUBLIC = {*rankwise.__all__, *DOCUMENTED, *CALLED_BY_OTHERS}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


class Definition(NamedTuple):
    """A function, class, constant or method, and the class that it belongs to."""

    module: str
    name: str
    owner: ast.ClassDef | None
    node: ast.AST


class Uses:
    """Where names are read: in which module, of which object."""

    def __init__(self, trees: dict[str, ast.Module]) -> None:
        self.names: dict[tuple[str, str], list[ast.AST]] = defaultdict(list)  # module, name
        self.attributes: dict[str, list[ast.Attribute]] = defaultdict(list)  # name
        self.texts: set[str] = set()
        self.importers: dict[str, set[tuple[str, str]]] = defaultdict(set)  # name: module, alias
        self.aliases: dict[str, set[str]] = defaultdict(set)  # of a module: what it is called
        for module, tree in trees.items():
            for node in ast.walk(tree):
                self._add(module, node)

    def _add(self, module: str, node: ast.AST) -> None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self.names[module, node.id].append(node)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            self.attributes[node.attr].append(node)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            for alias in node.names:
                called = alias.asname or alias.name.rpartition(".")[2]
                self.importers[alias.name].add((module, called))
                self.aliases[alias.name.rpartition(".")[2]].add(called)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            self.texts.add(node.value)

    def of(self, definition: Definition) -> bool:
        """Whether something other than the definition itself reads the name.

        A name of a module is read in it, in a module that imports it, or as an attribute of the
        module; a class method of its class; a method or property of any object.
        """
        module, name, owner, node = definition
        inside = {id(part) for part in ast.walk(node)}
        attributes = [one for one in self.attributes[name] if id(one) not in inside]
        if owner is None:
            *_, package, stem = ("", *module.removesuffix(".__init__").split("."))
            modules = self.aliases[stem] | self.aliases[package] | {stem, package}
            read = [*self.names[module, name]]
            read += [one for place in self.importers[name] for one in self.names[place]]
            return (
                any(id(one) not in inside for one in read)
                or any(last_word(one.value) in modules for one in attributes)
                or f"{stem}.{name}" in self.texts  # charts are named by text
                or (package == "charts" and name in self.texts)
            )
        if is_class_method(node):
            return any(could_be(one.value, owner) for one in attributes)
        return bool(attributes) or name in self.texts


def last_word(value: ast.expr) -> str:
    """`sizes` of `charts.sizes` and of `import_module("rankwise.charts.sizes")`."""
    return ([""] + re.findall(r"\w+", ast.unparse(value)))[-1]


def is_class_method(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any(isinstance(one, ast.Name) and one.id == "classmethod" for one in decorators)


def could_be(value: ast.expr, owner: ast.ClassDef) -> bool:
    """Whether an expression can be the class: by its name, or what is no name of a class."""
    if isinstance(value, ast.Name) and value.id[:1].isupper():
        return value.id == owner.name
    return not (isinstance(value, ast.Attribute) and value.attr[:1].isupper()) or (
        value.attr == owner.name
    )


def defined(module: str, tree: ast.Module) -> Iterator[Definition]:
    """Yield functions, classes, methods and constants; metrics and studies register themselves."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for one in targets:
                if isinstance(one, ast.Name):
                    yield Definition(module, one.id, None, node)
        elif isinstance(node, FUNCTIONS) and not registers(node):
            yield Definition(module, node.name, None, node)
        elif isinstance(node, ast.ClassDef):
            if not registers(node):
                yield Definition(module, node.name, None, node)
            for part in node.body:
                if isinstance(part, FUNCTIONS) and not registers(part):
                    yield Definition(module, part.name, node, part)


def registers(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", [])
    names = {ast.unparse(one).partition("(")[0].rpartition(".")[2] for one in decorators}
    return bool({"register", "part", "overload"} & names)


def public_methods(definition: Definition) -> bool:
    """Whether a method is one of the documented classes: users call it."""
    owner = definition.owner
    return owner is not None and owner.name in PUBLIC and not definition.name.startswith("_")


def unused(trees: dict[str, ast.Module]) -> tuple[list[str], int]:
    """The definitions that nothing in the package reads, and how many were looked at."""
    uses, found, looked_at = Uses(trees), [], 0
    for module, tree in trees.items():
        for definition in defined(module, tree):
            name = definition.name
            if name.startswith("__") or name in PUBLIC or public_methods(definition):
                continue
            looked_at += 1
            if not uses.of(definition):
                found.append(f"{module}: {name}")
    return found, looked_at


def test_everything_in_the_package_is_used_by_it_or_public() -> None:
    trees = {
        ".".join(file.relative_to(SOURCE).with_suffix("").parts): tree_of(file)
        for file in sorted((SOURCE / "rankwise").rglob("*.py"))
    }
    found, looked_at = unused(trees)
    assert looked_at > 1000
    assert found == []


def test_unused_code_is_found() -> None:
    first = "class A:\n @classmethod\n def made(cls): ...\ndef f(): return f()\nclass B: ...\n"
    second = (
        "from a import B\nclass C:\n @classmethod\n def made(cls): return B()\ndef f(): C.made()\n"
    )
    trees = {"a": ast.parse(first), "b": ast.parse(second + "f()\n")}
    assert unused(trees) == (["a: A", "a: made", "a: f"], 7)
