"""Arrays as the page takes them: little-endian bytes in base64, with their kind and shape.

A number takes 5 characters where decimals take 8, and the page reads it 10 times as fast.
"""

from base64 import b64encode
from typing import Any

import numpy as np
import numpy.typing as npt

Column = dict[str, Any]


def floats(values: npt.NDArray[Any]) -> Column:
    """With about 7 digits; NaN and infinity stay what they are."""
    return _packed(values, "f4")


def counts(values: npt.NDArray[Any]) -> Column:
    """Whole numbers from 0 on, as narrow as they fit."""
    largest = int(values.max(initial=0))
    return _packed(values, "u1" if largest < 1 << 8 else "u2" if largest < 1 << 16 else "u4")


def _packed(values: npt.NDArray[Any], kind: str) -> Column:
    with np.errstate(over="ignore"):  # beyond what 32 bits hold is infinity
        narrow = np.ascontiguousarray(values, dtype=f"<{kind}")
    return {
        "kind": kind,
        "shape": list(values.shape),
        "bytes": b64encode(narrow.tobytes()).decode(),
    }
