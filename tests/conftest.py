"""Markers, the sample of the laws, the real data, and fixtures that several folders share."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from kernels import without_kernel
from sampling import LAWS, header, is_sampled, quarter_of

from rankwise.metrics import ALIASES, REGISTRY
from rankwise.native import kernel

HERE = Path(__file__).parent
try:
    QUARTER = quarter_of(LAWS)
except ValueError as error:
    pytest.exit(str(error), returncode=4)
# How long a case takes says how busy the machine is, and no more.
settings.register_profile("rankwise", deadline=None)
settings.load_profile("rankwise")

# The markers of pyproject.toml by folder and by fixture. Other slow tests are marked one by one.
MARKED_FOLDERS = {"browser": "browser", "spark": "spark", "studies": "slow"}
MARKED_FIXTURES = {"trec8": "data", "trec5": "data"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by folder and fixture, then sample the laws, before `-m` selects."""
    for item in items:
        if HERE in item.path.parents:
            folder = item.path.relative_to(HERE).parts[0]
            if folder in MARKED_FOLDERS:
                item.add_marker(MARKED_FOLDERS[folder])
        for fixture in {*getattr(item, "fixturenames", ())} & {*MARKED_FIXTURES}:
            item.add_marker(MARKED_FIXTURES[fixture])
    if config.option.keyword or any("::" in arg for arg in config.args):
        return  # what is asked for by name is not sampled
    left_out = [item for item in items if is_left_out(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not is_left_out(item)]


def is_left_out(item: pytest.Item) -> bool:
    is_case_of_a_law = HERE / "laws" in item.path.parents and "[" in item.name
    return is_case_of_a_law and not is_sampled(item.nodeid, QUARTER)


def pytest_report_header() -> str:
    return header(LAWS)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; see CONTRIBUTING on RANKWISE_DATA."""
    if "RANKWISE_DATA" not in os.environ:
        pytest.skip("RANKWISE_DATA is not set: the tests on TREC data are left out")
    return Path(os.environ["RANKWISE_DATA"])


@pytest.fixture(scope="session")
def trec8(data: Path) -> Path:
    """The folder of TREC-8 runs and judgments."""
    return data / "trec8"


@pytest.fixture(scope="session")
def trec5(data: Path) -> Path:
    """The folder of the scores of the TREC-5 systems."""
    return data / "trec5"


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
