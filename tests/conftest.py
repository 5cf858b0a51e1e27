"""Where the real data is, and names of metrics that are forgotten after a test."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankwise.metrics.registry import ALIASES, REGISTRY


@pytest.fixture(scope="session")
def trec8() -> Path:
    """The folder of TREC-8 runs and judgments; see the README on RANKWISE_DATA."""
    if "RANKWISE_DATA" not in os.environ:
        pytest.skip("RANKWISE_DATA is not set: the tests on TREC-8 are left out")
    return Path(os.environ["RANKWISE_DATA"]) / "trec8"


@pytest.fixture
def own_names() -> Iterator[None]:
    """A test may register metrics of its own."""
    before, aliases = dict(REGISTRY), dict(ALIASES)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)
    ALIASES.clear()
    ALIASES.update(aliases)
