"""A metric has its formula; its bounds, with their proofs, are objects in bounds/."""

import ast
from pathlib import Path

from source_trees import nodes_of

import rankwise
from rankwise.bounds import ScoreBounds
from rankwise.metrics import REGISTRY, Metric

SOURCE = Path(rankwise.__file__).parent


def test_the_families_know_nothing_of_grids() -> None:
    """Only the class of the argument is imported, and helpers that a formula shares with it."""
    asked = 0
    for path in (SOURCE / "metrics").glob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "rankwise.bounds"
            ):
                asked += 1
                assert node.module not in ("rankwise.bounds.grid", "rankwise.bounds.grid"), path
    assert asked > 20


def test_a_metric_never_asks_its_bounds() -> None:
    """A formula that calls `self.bounds.…` would turn the direction round."""
    for path in (SOURCE / "metrics").glob("*.py"):
        for node in nodes_of(path):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert not ast.unparse(node.func).startswith("self.bounds."), path


def test_every_metric_names_an_argument_of_a_file_of_bounds() -> None:
    for metric in REGISTRY.values():
        if not metric.__module__.startswith("rankwise."):
            continue
        argument = metric.bounds
        assert isinstance(argument, ScoreBounds) and argument is not Metric.bounds, metric
        assert type(argument).__module__.startswith("rankwise.bounds."), metric
        assert (type(argument).__doc__ or "").startswith(("Bounds ", "The same ")), argument


def test_each_argument_is_on_the_list_and_used_by_a_metric() -> None:
    listed = (SOURCE / "bounds" / "__init__.py").read_text()
    metrics = "\n".join(path.read_text() for path in (SOURCE / "metrics").glob("*.py"))
    proofs = "\n".join(path.read_text() for path in (SOURCE / "bounds").glob("*.py"))
    names = [path.stem for path in (SOURCE / "bounds").glob("[!_]*.py")]
    assert len(names) > 15
    for name in names:
        assert f"\n{name}.py" in listed, name
        assert f"rankwise.bounds.{name} import" in metrics + proofs, name


def test_the_class_of_all_metrics_fits_on_two_screens() -> None:
    """The formula, the view, the traits: what concerns names, weights or bounds is elsewhere."""
    [found] = [
        node
        for node in ast.parse((SOURCE / "metrics" / "metric.py").read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == "Metric"
    ]
    methods = [each for each in found.body if isinstance(each, ast.FunctionDef)]
    assert len(methods) <= 24
    assert (found.end_lineno or 0) - found.lineno < 220
