"""The scripts behind `make coverage` and `make mutate`."""

import ast
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / ".ci"


def script(name: str) -> Any:
    spec = spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_operator_and_constant_is_a_mutant_and_words_are_none(tmp_path: Path) -> None:
    mutate, file = script("mutate"), tmp_path / "code.py"
    file.write_text(
        'LEAST = 2\nWORDS = {"a": 1}\n\n\ndef f(x, y=3):\n    """2 + 2"""\n    if not x:\n'
        '        raise ValueError(f"{x + 1}")\n    return x + 1 if x < y else -x\n'
    )
    mutants = list(mutate.mutants_of(file))
    assert [mutant.change for mutant in mutants] == [
        "2 → 3",
        "not x → x",
        "x < y → x <= y",
        "x + 1 → x - 1",
        "1 → 2",
        "-x → x",
    ]
    by_change = {mutant.change: ast.unparse(mutate.code_of(mutant)) for mutant in mutants}
    assert by_change["2 → 3"].startswith("LEAST = 3\n")
    assert by_change["x < y → x <= y"].endswith("return x + 1 if x <= y else -x")
    assert by_change["-x → x"].endswith("return x + 1 if x < y else x")


def test_every_package_with_mutants_has_tests_that_exist() -> None:
    mutate = script("mutate")
    assert set(mutate.TESTS) == {"metrics", "bounds", "stats", "rankings"}
    for paths in (*mutate.TESTS.values(), mutate.LAWS):
        assert paths and all((mutate.ROOT / path).exists() for path in paths)


def test_a_package_below_its_floor_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    floors, file = script("coverage_floors"), tmp_path / "coverage.json"
    full = '"num_statements": 80, "num_branches": 20, "covered_lines": 80, "covered_branches": 20'
    names = [f"src/rankwise/{package}/a.py" for package in floors.FLOORS]
    entries = [f'"{name}": {{"summary": {{{full}}}}}' for name in names]
    file.write_text('{"files": {' + ", ".join(entries) + "}}")
    monkeypatch.setattr(sys, "argv", ["coverage_floors.py", str(file)])
    floors.main()
    assert "metrics           100.0 %  floor" in capsys.readouterr().out
    file.write_text(file.read_text().replace('"covered_branches": 20', '"covered_branches": 0', 1))
    with pytest.raises(SystemExit, match=f"{next(iter(floors.FLOORS))} has 80.0 %, its floor is"):
        floors.main()
