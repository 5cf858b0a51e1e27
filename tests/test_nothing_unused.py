"""What only tests use is not in the package."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import rankwise

ROOT = Path(__file__).parents[1]
PACKAGE = sorted((ROOT / "src" / "rankwise").rglob("*.py"))
USERS = [*PACKAGE, *(ROOT / "docs").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
# What click calls, what notebooks call, what every result offers, and what ir_measures and
# users of pytrec_eval call.
CALLED_BY_OTHERS = {"command", "list_commands", "get_command", "format_commands", "resolve_command"}
CALLED_BY_OTHERS |= {"invoke"}
CALLED_BY_OTHERS |= {"_repr_html_", "to_pandas", "to_latex", "to_markdown"}
CALLED_BY_OTHERS |= {"supports", "_evaluator", "_iter_calc", "aggregator", "validate_params"}
CALLED_BY_OTHERS |= {"evaluate", "readable"}
DEFINITIONS = ast.FunctionDef | ast.ClassDef


def names_in(tree: ast.AST) -> Iterator[str]:
    """What is read by name; an import alone is no use, and neither is a docstring.

    Charts are named by text: "scores.system_scores".
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.rpartition(".")[2]
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.id if isinstance(node, ast.Name) else node.attr


def defined(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Functions, classes, methods and constants; metrics and studies register themselves."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((one.id, node) for one in targets if isinstance(one, ast.Name))
        inside = node.body if isinstance(node, ast.ClassDef) else []
        for one in (node, *inside):
            if isinstance(one, DEFINITIONS) and not registers(one):
                yield one.name, one


def registers(node: ast.FunctionDef | ast.ClassDef) -> bool:
    return {"register", "part"} & {n for d in node.decorator_list for n in names_in(d)} != set()


def test_everything_in_the_package_is_used_by_it_or_public() -> None:
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in USERS}
    used = Counter(name for tree in trees.values() for name in names_in(tree))
    allowed, looked_at, unused = {*rankwise.__all__, *CALLED_BY_OTHERS}, 0, []
    for file in PACKAGE:
        for name, node in defined(trees[file]):
            if name.startswith("__") or name in allowed:
                continue
            looked_at += 1
            if used[name] == Counter(names_in(node))[name]:  # but for calls of itself
                unused.append(f"{file.relative_to(ROOT)}: {name}")
    assert looked_at > 1000
    assert unused == []
