"""Arrays and what rounding does to them: types, tolerances, and how progress is shown."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# Goes through the steps of long work and shows how far it is.
Progress = Callable[[Sequence[Any]], Iterable[Any]]

# Tolerances, all relative to the size of the numbers, or for numbers around 1.
LAST_BIT = 1e-15  # what one operation on 64-bit numbers loses
ROUNDING = 1e-12  # what adding up thousands of them in another order changes is less
CANCELLATION = 1e-11  # the same for differences of sums, of which most has gone
TIED = 1e-10  # differences of scores that are this close tie: 0.3 − 0.2 and 0.2 − 0.1
NEAR = 1e-9  # sums compared with a number that a person wrote: 0.1 + 0.2 reaches 0.3
