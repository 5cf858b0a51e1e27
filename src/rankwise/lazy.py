"""polars, imported when it is first used: a score of a small text file needs none of it.

    from rankwise.lazy import pl

Modules on the way from a file to printed scores have this line in place of `import polars as
pl`, and annotations that are not evaluated.

A forked process has none of the threads of its parent, and polars would wait for its own for
ever. So it is noted at every fork whether they were there, and said when polars is wanted.
"""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.errors import CallError

THREADS = Path("/proc/self/task")  # of Linux
THREAD_OF_POLARS = re.compile(r"polars-\d")
FORKED = (
    "this process was forked after polars was used, and polars would wait for ever for threads "
    "that were lost. Start processes by spawn, as multiprocessing.get_context('spawn') does, or "
    "joblib's loky."
)
_state = {"before the fork": False, "here": False}


def check_fork() -> None:
    """Say that polars cannot be used in this process, where it would wait for ever."""
    if _state["here"]:
        raise CallError(FORKED)


def _before_fork() -> None:
    _state["before the fork"] = "polars" in sys.modules and _polars_has_threads()


def _in_child() -> None:
    _state["here"] = _state["here"] or _state["before the fork"]
    vars(pl).clear()  # so that it asks again


def _polars_has_threads() -> bool:
    try:
        names = [(thread / "comm").read_text() for thread in THREADS.iterdir()]
    except OSError:  # another system, or a thread that ended meanwhile
        return True
    return any(map(THREAD_OF_POLARS.match, names))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)

if TYPE_CHECKING:
    import polars as pl
else:

    class _Polars:
        """Looks like the module; an attribute that was asked for once is at hand."""

        def __getattr__(self, name: str) -> Any:
            check_fork()
            import polars

            found = getattr(polars, name)
            setattr(self, name, found)
            return found

    pl = _Polars()

__all__ = ["check_fork", "pl"]
