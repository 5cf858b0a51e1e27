"""Availability of the native kernel."""

import os
from types import ModuleType

SWITCH = "RANKWISE_NATIVE"
VERSION = 1  # KERNEL_VERSION of kernel.h: a kernel of other sources is not used

try:
    from rankwise.native import _kernel
except ImportError:
    _built: ModuleType | None = None
    _missing = "there was no compiler to build it"
else:
    _built = _kernel if getattr(_kernel, "VERSION", 0) == VERSION else None
    _missing = "it was built from other sources; install rankwise again"


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
    return f"without the C kernel ({_missing if _built is None else f'{SWITCH}=0'})"
