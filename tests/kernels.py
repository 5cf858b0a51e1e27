"""The kernel, switched off for a while."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from rankwise.native import SWITCH


@contextmanager
def without_kernel() -> Iterator[None]:
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SWITCH]
        else:
            os.environ[SWITCH] = before
