"""Availability of the native kernel."""

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
    """Return the kernel, or None if it was not built or is disabled."""
    return None if os.environ.get(SWITCH) == "0" else _built


def release_memory() -> None:
    """Give memory that was freed back to the system, where the kernel can.

    The C library keeps it for later, up to as much as was ever in use by each thread.
    """
    if _built is not None:
        _built.release_memory()


def about_kernel() -> str:
    """Describe whether the kernel is used, for `rankwise --version`.

    >>> "kernel" in about_kernel()
    True
    """
    if kernel() is not None:
        return "with the C kernel"
    why = "there was no compiler to build it" if _built is None else f"{SWITCH}=0"
    return f"without the C kernel ({why})"
