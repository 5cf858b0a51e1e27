"""Where the real data is, for the tests that want it."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def trec8() -> Path:
    """The folder of TREC-8 runs and judgments; see the README on RANKWISE_DATA."""
    if "RANKWISE_DATA" not in os.environ:
        pytest.skip("RANKWISE_DATA is not set: the tests on TREC-8 are left out")
    return Path(os.environ["RANKWISE_DATA"]) / "trec8"
