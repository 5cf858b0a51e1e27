"""Progress bars for long work; they are shown on a terminal only."""

import sys
from collections.abc import Iterable, Iterator
from threading import Timer
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")
PATIENCE = 1.0  # seconds without a bar


def each_with_progress(things: Iterable[T], name: str, total: int | None = None) -> Iterator[T]:
    """Yield the items, with a progress bar on standard error if it is a terminal.

    There is one bar at a time: nested loops show none.
    """
    if not sys.stderr.isatty() or LateBar.is_active:
        yield from things
        return
    with LateBar(name, total) as bar:
        for thing in things:
            yield thing
            bar.advance()


class LateBar:
    """A progress bar that appears once the work has taken a while.

    Short work therefore shows no flickering bar, and does not wait for the import of rich.
    """

    is_active: ClassVar[bool] = False

    def __init__(self, name: str, total: int | None) -> None:
        self.name, self.total, self.done = name, total, 0
        self.bar: Progress | None = None
        self.timer = Timer(PATIENCE, self._show)
        self.timer.daemon = True

    def __enter__(self) -> Self:
        LateBar.is_active = True
        self.timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        LateBar.is_active = False
        self.timer.cancel()
        self.timer.join()  # it may be about to show the bar
        if self.bar is not None:
            self.bar.stop()

    def advance(self) -> None:
        self.done += 1
        if self.bar is not None:
            self.bar.update(self.bar.task_ids[0], completed=self.done)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import Progress, TimeElapsedColumn

        columns = (*Progress.get_default_columns(), TimeElapsedColumn())
        console = Console(stderr=True)
        bar = Progress(*columns, console=console, transient=True, redirect_stdout=False)
        bar.add_task(self.name, total=self.total, completed=self.done)
        bar.start()
        self.bar = bar
