"""The tour in docs/ runs from the first cell to the last, without a notebook server.

A kernel adds nothing that these cells use: each is run in one namespace, and the value of
its last line is what a notebook would show.
"""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

TOUR = Path(__file__).parents[1] / "docs" / "tour.ipynb"


def code_of(notebook: Path) -> dict[str, str]:
    """The code of each cell, by its id."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return {c["id"]: "".join(c["source"]) for c in cells if c["cell_type"] == "code"}


def run(cell: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, where that is an expression."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(TOUR), "exec"), names)
    return eval(ast.unparse(last), names) if last is not None else None


def test_the_tour_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = {place: run(cell, names) for place, cell in code_of(TOUR).items()}
    assert list(shown) == ["collection", "score", "compare", "latex", "chart"]
    assert "<table" in shown["score"]._repr_html_() and "system1" in repr(shown["score"])
    assert shown["compare"].frame.height == 6  # pairs of four systems
    assert "significant" in shown["compare"]._repr_html_()
    assert "\\begin{tabular}" in capsys.readouterr().out
    assert shown["chart"].to_dict()["$schema"]  # Altair's own, and valid
    assert list(tmp_path.iterdir()) == []


def test_the_tour_is_ten_lines_and_kept_without_output() -> None:
    cells = code_of(TOUR).values()
    lines = [line for cell in cells for line in cell.splitlines() if line]
    assert len(lines) <= 10
    notebook = json.loads(TOUR.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert all(not cell.get("outputs") for cell in notebook["cells"])


NOTEBOOKS = sorted((TOUR.parent / "notebooks").glob("*.ipynb"))
CHARTS = {"paper": ["figure"], "nightly": ["chart"], "rag": ["chart", "confusion"]}
CHARTS["track"] = ["leaderboard", "pairs", "choice", "plan"]


def test_there_is_a_notebook_for_each_kind_of_user() -> None:
    assert [notebook.stem for notebook in NOTEBOOKS] == ["nightly", "paper", "rag", "track"]


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_runs_and_shows_its_charts_without_a_network(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = {place: run(cell, names) for place, cell in code_of(notebook).items()}
    charts = [place for place, value in shown.items() if hasattr(value, "_repr_mimebundle_")]
    assert charts == CHARTS[notebook.stem]
    for place in charts:
        bundle = shown[place]._repr_mimebundle_()
        assert "<svg" in str(bundle) and "https://cdn" not in str(bundle), place
