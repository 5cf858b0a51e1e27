"""The page of promises names tests that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")


def test_every_test_that_a_promise_rests_on_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", PAGE)
    assert len(named) > 25
    for file, test in named:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {test}(" in text if test else text, (file, test)


def test_every_promise_has_a_test() -> None:
    promises = PAGE.split("\n## ")[1:-1]  # the last is of versions: `make test-pythons` holds it
    assert len(promises) == 8
    assert all("| held by |" in promise for promise in promises)
