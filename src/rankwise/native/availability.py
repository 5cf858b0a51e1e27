"""Access to the optional C kernel, which may be missing or disabled."""

import os
from types import ModuleType

SWITCH = "RANKWISE_NATIVE"
VERSION = 3  # must equal KERNEL_VERSION of kernel.h, otherwise the kernel is not used

try:
    from rankwise.native import _kernel
except ImportError:
    _built: ModuleType | None = None
    _missing = "it was not built: install a C compiler, then rankwise again"
else:
    _built = _kernel if getattr(_kernel, "VERSION", 0) == VERSION else None
    _missing = "it was built from another version; install rankwise again"


def kernel() -> ModuleType | None:
    """Return the module of the C kernel, or None if it was not built or is disabled."""
    return None if os.environ.get(SWITCH) == "0" else _built


def release_memory() -> None:
    """Return freed memory to the operating system.

    Without this call, glibc may keep the largest amount of memory that each thread has used. The
    function has no effect with other C libraries, or if the C kernel was not built.
    """
    if _built is not None:
        _built.release_memory()


def about_kernel() -> str:
    """Return a phrase that says whether the C kernel is used, for `rankwise --version`.

    >>> "kernel" in about_kernel()
    True
    """
    if kernel() is not None:
        return "with the C kernel"
    return f"without the C kernel ({_missing if _built is None else f'{SWITCH}=0'})"
