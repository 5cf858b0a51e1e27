"""What the docstring examples may use without importing it."""

from typing import Any

import pytest

import rankwise


@pytest.fixture(autouse=True)
def names_in_examples(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["score_gains"] = rankwise.score_gains
