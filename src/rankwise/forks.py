"""Detection of processes that were forked after polars was used and would deadlock.

A forked process has none of the threads of its parent, but polars waits for its threads. Therefore
each fork records whether polars had threads. `check_fork` is called before input is read, and
raises an error in a process that has lost these threads.
"""

import os
import sys

THREADS = "/proc/self/task"  # exists on Linux only
FORKED = (
    "polars was used before this process was forked, and would wait forever here. "
    "Start processes with multiprocessing.get_context('spawn'), or with joblib's loky."
)
_threads_lost = {"at the fork": False, "here": False}


def check_fork() -> None:
    """Raise an error if polars would deadlock in this process."""
    if _threads_lost["here"]:
        from rankwise.errors import CallError

        raise CallError(FORKED)


def _before_fork() -> None:
    """Record whether polars has threads, which are named polars-0 or similar.

    Where threads cannot be listed, record whether polars is imported.
    """
    from pathlib import Path

    _threads_lost["at the fork"] = "polars" in sys.modules
    try:
        names = [(thread / "comm").read_text() for thread in Path(THREADS).iterdir()]
    except OSError:  # another operating system, or a thread that has just ended
        return
    if not any(name.startswith("polars-") and name[7].isdigit() for name in names):
        _threads_lost["at the fork"] = False


def _in_child() -> None:
    _threads_lost["here"] = _threads_lost["here"] or _threads_lost["at the fork"]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
