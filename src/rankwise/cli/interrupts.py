"""An interrupt (Ctrl-C) ends the command line at once: one line, and exit code 130.

Python would raise KeyboardInterrupt wherever it is, an import included, and print where that
was. While the main thread is in a long call of NumPy it would raise nothing.
"""

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself takes long to load
import _thread
import os
import sys
import time

TYPE_CHECKING = False  # as typing has it, which takes longer to load than all of this
if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130  # as the shell has it of a program that a signal ended: 128 + SIGINT
LINE = b"rankwise: interrupted.\n"
SHOW_CURSOR = b"\x1b[?25h\n"  # a bar of progress hides it
GRACE = 0.3  # seconds until it is clear that the main thread hears nothing

_ending = _thread.allocate_lock()


def end_on_interrupt() -> None:
    """End the process on SIGINT, from now on; unless whoever started it ignores interrupts."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    signal.signal(signal.SIGINT, _end)


def watch_for_interrupts() -> None:
    """End the process also while the main thread is in a long call.

    It opens files: standard streams that are closed must have been replaced before.
    """
    if os.name != "posix" or signal.getsignal(signal.SIGINT) is not _end:
        return  # Windows wakes up sockets only
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    _thread.start_new_thread(_watch, (reading,))


def _watch(reading: int) -> None:
    while signals := os.read(reading, 64):
        if signal.SIGINT in signals:
            time.sleep(GRACE)
            _end()


def _end(_number: int = 0, _frame: "FrameType | None" = None) -> None:
    if not _ending.acquire(blocking=False):  # the other thread is at it
        return
    try:
        files = sys.modules.get("rankwise.formats.files")
        if files is not None and hasattr(files, "remove_unfinished"):
            files.remove_unfinished()
        os.write(2, (SHOW_CURSOR if os.isatty(2) else b"") + LINE)
    except OSError:  # standard error is closed
        pass
    finally:
        os._exit(INTERRUPTED)
