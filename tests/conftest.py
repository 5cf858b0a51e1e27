"""Where the real data is, readers with and without the kernel, and names that are forgotten."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from kernels import without_kernel

from rankwise.metrics import ALIASES, REGISTRY
from rankwise.native import kernel

# How long a case takes says how busy the machine is, and no more.
settings.register_profile("rankwise", deadline=None)
settings.load_profile("rankwise")


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


@pytest.fixture(params=["with the kernel", "without it"], scope="module")
def each_reader(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests of reading and of the join run with the kernel, and without it."""
    if request.param == "without it":
        with without_kernel():
            yield
    elif kernel() is None:
        pytest.skip("the kernel was not built, or is switched off")
    else:
        yield
