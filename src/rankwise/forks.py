"""Processes that are forked after polars was used, in which it would wait for ever.

A forked process has none of the threads of its parent, and polars waits for its own. So it is
noted at every fork whether they were there, and said when polars is wanted.
"""

import os
import sys

THREADS = "/proc/self/task"  # of Linux
FORKED = (
    "this process was forked after polars was used, and polars would wait for ever for threads "
    "that were lost. Start processes by spawn, as multiprocessing.get_context('spawn') does, or "
    "joblib's loky."
)
_threads_lost = {"at the fork": False, "here": False}


def check_fork() -> None:
    """Say that polars cannot be used in this process, where it would wait for ever."""
    if _threads_lost["here"]:
        from rankwise.errors import CallError

        raise CallError(FORKED)


def _before_fork() -> None:
    _threads_lost["at the fork"] = "polars" in sys.modules and _polars_has_threads()


def _in_child() -> None:
    _threads_lost["here"] = _threads_lost["here"] or _threads_lost["at the fork"]


def _polars_has_threads() -> bool:
    """Whether there is a thread called polars-0 or the like."""
    from pathlib import Path

    try:
        names = [(thread / "comm").read_text() for thread in Path(THREADS).iterdir()]
    except OSError:  # another system, or a thread that ended meanwhile
        return True
    return any(name.startswith("polars-") and name[7].isdigit() for name in names)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
