"""Progress bars: on a terminal only, and only where there is something to wait for."""

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
WORTH_A_BAR = 5


def each_with_progress(things: Sequence[T], what: str) -> Iterator[T]:
    """The things one by one, with a bar on standard error if that is a terminal."""
    if len(things) < WORTH_A_BAR or not sys.stderr.isatty():
        yield from things
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(things, description=what, console=Console(stderr=True), transient=True)
