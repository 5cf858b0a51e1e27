"""A small collection and its numbers, kept in the repository: they change on purpose only."""

import csv
import math

import pytest
from frozen.numbers import FILES, HERE, RUNS, STUDIES
from table import EXAMPLES

from rankwise.studies import PAPERS

WITHIN = {"scores.csv": 1e-9, "comparison.csv": 1e-9}  # the studies print seven digits


def test_the_collection_is_there_and_small() -> None:
    files = [file for file in HERE.rglob("*") if file.suffix in (".csv", ".txt", ".run")]
    files.remove(HERE / "api.txt")  # the public interface, see tests/test_api.py
    assert len(RUNS) == 5 and len(files) == 6 + len(FILES)
    assert sum(file.stat().st_size for file in files) < 370_000


def test_every_study_and_every_setting_has_its_numbers() -> None:
    assert set(STUDIES) == set(PAPERS)
    rows = cells((HERE / "scores.csv").read_text(encoding="utf-8"))
    assert [row[0] for row in rows[1:]] == [name for name in EXAMPLES for _ in RUNS]


# A study takes seconds.
CASES = [
    pytest.param(name, marks=[pytest.mark.slow] if name.removesuffix(".csv") in STUDIES else [])
    for name in FILES
]


@pytest.mark.parametrize("name", CASES)
def test_the_numbers_are_as_they_were(name: str) -> None:
    """Where they differ on purpose, run `make freeze` and read what it changes."""
    if name.removesuffix(".csv") in STUDIES:
        pytest.importorskip("altair")
        pytest.importorskip("vl_convert")
    kept, found = cells((HERE / name).read_text(encoding="utf-8")), cells(FILES[name]())
    assert [len(row) for row in found] == [len(row) for row in kept]
    within, numbers = WITHIN.get(name, 1e-6), 0
    for row, (before, after) in enumerate(zip(kept, found, strict=True), start=1):
        for old, new in zip(before, after, strict=True):
            assert same(old, new, within), f"{name}, line {row}: {before} was, {after} is"
            numbers += is_number(old)
    assert numbers >= 20


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False


def same(old: str, new: str, within: float) -> bool:
    if is_number(old) and is_number(new):
        return math.isclose(float(old), float(new), rel_tol=within, abs_tol=within)
    return old == new
