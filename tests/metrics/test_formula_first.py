"""In each metric the formula is the first thing one sees; proofs about bounds live in bounds/."""

import ast
from pathlib import Path

import rankwise

SOURCE = Path(rankwise.__file__).parent
FORMULAS = {"compute", "weight", "score_at", "of_counts", "reach"}
ABOUT_BOUNDS = {"bounds_on", "compute_bounds", "condensed_bounds", "bounds_once_defined"}
ABOUT_BOUNDS |= {"is_exact", "sees_elsewhere", "open_more", "greatest_on", "gains_on", "one_gain"}
ABOUT_BOUNDS |= {"rises_when_condensed"}
FRAMEWORK = {"base", "traits", "parameters", "registry", "catalogue", "loading", "grades"}
LONGEST_BOUND = 30  # lines


def families() -> list[Path]:
    return [path for path in (SOURCE / "metrics").glob("[!_]*.py") if path.stem not in FRAMEWORK]


def methods(path: Path) -> dict[str, list[ast.FunctionDef]]:
    """Of each class, in order."""
    return {
        node.name: [each for each in node.body if isinstance(each, ast.FunctionDef)]
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
    }


def test_the_formula_comes_before_anything_about_bounds() -> None:
    looked_at = 0
    for path in families():
        for name, found in methods(path).items():
            names = [each.name for each in found]
            formula = [place for place, each in enumerate(names) if each in FORMULAS]
            about = [place for place, each in enumerate(names) if each in ABOUT_BOUNDS]
            looked_at += bool(formula and about)
            assert not formula or not about or formula[0] < about[0], f"{path}: {name}"
    assert looked_at > 30


def test_what_is_long_about_bounds_lives_in_bounds() -> None:
    looked_at = 0
    for path in families():
        for name, found in methods(path).items():
            for each in found:
                if each.name in ABOUT_BOUNDS:
                    looked_at += 1
                    lines = (each.end_lineno or 0) - each.lineno + 1
                    assert lines <= LONGEST_BOUND, f"{path}: {name}.{each.name} has {lines} lines"
    assert looked_at > 50


def test_each_argument_is_on_the_list_and_used_by_a_metric() -> None:
    listed = (SOURCE / "bounds" / "__init__.py").read_text()
    metrics = "\n".join(path.read_text() for path in (SOURCE / "metrics").glob("*.py"))
    proofs = "\n".join(path.read_text() for path in (SOURCE / "bounds").glob("*.py"))
    names = [path.stem for path in (SOURCE / "bounds").glob("[!_]*.py")]
    assert len(names) > 15
    for name in names:
        assert f"\n{name}.py" in listed, name
        assert f"rankwise.bounds.{name} import" in metrics + proofs, name
