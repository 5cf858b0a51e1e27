"""The tools that we compare with: present on every Python that they run on."""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

# Up to this Python every peer is known to run: one that is not there is a fault, not a skip.
ALL_RUN_ON = (3, 13)


def import_peer(name: str, trial: Callable[[Any], object] = bool) -> Any:
    """The peer's module; where it does not run on a newer Python, its tests are skipped.

    `trial` uses it: what is imported may still fail at the first call.
    """
    try:
        module = import_module(name)
        trial(module)
    except Exception as error:
        if sys.version_info[:2] <= ALL_RUN_ON:
            raise
        here = f"Python {sys.version_info.major}.{sys.version_info.minor}"
        what = f"{type(error).__name__}: {error}"
        pytest.skip(f"{name} does not run on {here} ({what})", allow_module_level=True)
    return module
