"""The optional C kernel: text, tables of Arrow or dicts to the judged rows of a run in one pass.

`kernel.c` is plain C11 and knows nothing of Python, nor does `arrow.c`; `module.c` makes them a
module against the stable ABI; `feeding.py` feeds it files, tables and dicts. It takes clean input
only, and says no more than that something is not clean: the readers in `formats` and `rankings`
then do the work, find every fault and have the words for it. What it takes, they take too, with
the same result: tests run with both and compare them.

It is built on install where there is a C compiler. RANKWISE_NATIVE=0 does without it.
"""

import os
from types import ModuleType

try:
    from rankwise.native import _kernel
except ImportError:  # there was no compiler
    _built: ModuleType | None = None
else:
    _built = _kernel

SWITCH = "RANKWISE_NATIVE"


def kernel() -> ModuleType | None:
    """The kernel, or None where it was not built or is switched off."""
    return None if os.environ.get(SWITCH) == "0" else _built


def about_kernel() -> str:
    """Whether the kernel is at work, for `rankwise --version`.

    >>> "kernel" in about_kernel()
    True
    """
    if kernel() is not None:
        return "with the C kernel"
    why = "there was no compiler to build it" if _built is None else f"{SWITCH}=0"
    return f"without the C kernel ({why})"
