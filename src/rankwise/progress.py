"""Progress of long work: the library reports it, and the caller decides whether to show it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
# Takes the steps, a name, and the number of steps or None; yields the steps.
ShowProgress: TypeAlias = Callable[[Iterable[Any], str, int | None], Iterable[Any]]
_shown_by: ContextVar[ShowProgress | None] = ContextVar("shown_by", default=None)
_label: ContextVar[str | None] = ContextVar("label", default=None)


def track(steps: Iterable[T], name: str, total: int | None = None) -> Iterable[T]:
    """Return the steps; inside `show_progress`, iterating over them shows the progress.

    `total` is the number of steps; by default, it is the length of `steps`, if that is known.
    """
    show = _shown_by.get()
    if show is None:
        return steps
    if total is None and isinstance(steps, Sized):
        total = len(steps)
    return show(steps, _label.get() or name, total)


@contextmanager
def show_progress(show: ShowProgress) -> Iterator[None]:
    """Return a context in which the function `show` displays the progress of long work.

    >>> def show(steps, name, total):
    ...     for step in steps:
    ...         print(name, step, "of", total)
    ...         yield step
    >>> with show_progress(show):
    ...     sum(track([1, 2], "numbers"))
    numbers 1 of 2
    numbers 2 of 2
    3
    """
    token = _shown_by.set(show)
    try:
        yield
    finally:
        _shown_by.reset(token)


@contextmanager
def label_progress(label: str) -> Iterator[None]:
    """Return a context in which `track` shows this label instead of the name of the work."""
    token = _label.set(label)
    try:
        yield
    finally:
        _label.reset(token)
