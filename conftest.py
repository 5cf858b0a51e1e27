"""What the docstring examples may use without importing it."""

from importlib.util import find_spec
from typing import Any

import pytest

import rankwise

# Its examples are tried where Spark is.
collect_ignore = [] if find_spec("pyspark") else ["src/rankwise/spark"]


@pytest.fixture(autouse=True)
def names_in_examples(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace["score_gains"] = rankwise.score_gains
