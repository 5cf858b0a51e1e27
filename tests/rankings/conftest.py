"""Tests of the join run with the kernel and without it."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def _each_reader(each_reader: None) -> None:
    """Every test here runs with the kernel and without it."""
