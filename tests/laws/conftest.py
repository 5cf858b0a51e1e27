"""A sample of the laws by default; all of them with RANKWISE_LAWS=all (`make test-all`)."""

import os
from zlib import crc32

import pytest

ONE_IN = 4
ALL = os.environ.get("RANKWISE_LAWS") == "all"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the cases of a law that is tried on many metrics one in four, always the same ones."""
    if ALL or config.option.keyword or any("::" in given for given in config.args):
        return
    sample = [item for item in items if not _is_left_out(item)]
    config.hook.pytest_deselected(items=[item for item in items if _is_left_out(item)])
    items[:] = sample


def _is_left_out(item: pytest.Item) -> bool:
    is_law = "tests/laws" in item.nodeid and "[" in item.name
    return is_law and crc32(item.nodeid.encode()) % ONE_IN != 0


def pytest_report_header() -> str:
    if ALL:
        return "laws: all cases"
    return f"laws: one case in {ONE_IN}; RANKWISE_LAWS=all (make test-all) tries all"
