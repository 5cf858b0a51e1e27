"""Interrupts (Ctrl-C) end the command line at once, with one line and exit code 130.

By default Python raises KeyboardInterrupt at the current line, even during an import, and prints a
traceback. While the main thread is in a long NumPy call, Python does not react at all.
"""

import _signal as signal  # type: ignore[import-not-found]  # `signal` is slow to import
import _thread
import os
import sys
import time

TYPE_CHECKING = False  # without importing typing, which is slow
if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130  # the shell's exit code of a program ended by a signal: 128 + SIGINT
LINE = b"rankwise: interrupted.\n"
SHOW_CURSOR = b"\x1b[?25h\n"  # progress bars hide it
GRACE = 0.3  # seconds to wait for the main thread

_ending = _thread.allocate_lock()


def end_on_interrupt() -> None:
    """End the process on SIGINT, unless the parent process ignores interrupts."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    signal.signal(signal.SIGINT, _end)


def watch_for_interrupts() -> None:
    """Make Ctrl-C end the process even while the main thread is in a long call.

    Call `prepare_streams` first. This function opens files, which would otherwise get the file
    descriptors of closed standard streams.
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
    if not _ending.acquire(blocking=False):  # another thread is ending the process
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
