"""Panics of polars on damaged files, as errors, without the report that Rust prints itself."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

_one_at_a_time = Lock()  # standard error is one for all threads


class ReaderPanic(Exception):
    """polars gave up in a way that it did not foresee."""


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """What goes wrong inside is an Exception, and nothing is printed about it.

    A panic is no Exception, and its report goes to standard error past Python, whatever we
    catch. So what is printed meanwhile is held back, and printed afterwards if all went well.
    """
    with _one_at_a_time, _held_back() as drop:
        try:
            yield
        except Exception:
            drop()  # of a panic in a thread of its own, of which the call made an error
            raise
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            drop()
            raise ReaderPanic from None


@contextmanager
def _held_back() -> Iterator[Callable[[], None]]:
    """Standard error to a file, printed at the end; the function given empties that file."""
    try:
        held, printed = tempfile.TemporaryFile(), os.dup(2)  # noqa: SIM115  # closed below
    except OSError:  # it is closed, or there is no room for files: then so be it
        yield lambda: None
        return
    with held:
        os.dup2(held.fileno(), 2)
        try:
            yield lambda: os.ftruncate(held.fileno(), 0)
        finally:
            os.dup2(printed, 2)
            os.close(printed)
            held.seek(0)
            if said := held.read():
                os.write(2, said)
