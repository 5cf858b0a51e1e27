"""Standard output and error, which may be closed, full, or unable to show some characters."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper

TYPE_CHECKING = False  # not imported from typing, which would take longer than everything here
if TYPE_CHECKING:
    from typing import NoReturn

    from typing_extensions import Buffer

# Replacements for letters and signs that a terminal with an old encoding cannot show.
IN_ASCII = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "λ": "lambda",
    "μ": "mu",
    "ρ": "rho",
    "σ": "sigma",
    "τ": "tau",
    "φ": "phi",
    "χ": "chi",
    "Δ": "Delta",
    "Σ": "Sigma",
    "Π": "Pi",
    "∞": "inf",
    "√": "sqrt",
    "∫": "integral",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "×": "x",
    "±": "+-",
    "→": "->",
    "←": "<-",
    "↑": "^",
    "↓": "v",
    "−": "-",
    "–": "-",
    "—": "-",
    "…": "...",
    "·": ".",
    "′": "'",
    "⁺": "+",
    "⁻": "-",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "█": "#",
    "▏": "|",
    "─": "-",
    "│": "|",
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)),
}
FALL_BACK = "rankwise-ascii"
READER_GONE = 141  # the shell's exit code of a program ended by a signal: 128 + SIGPIPE


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    shown = (IN_ASCII.get(c) or c.encode("ascii", "backslashreplace").decode() for c in missing)
    return "".join(shown), error.end


def prepare_streams() -> None:
    """Prepare standard output and error for writing.

    Characters that they cannot show are replaced by ASCII text. If the shell closed a stream
    (`>&-`), its file descriptor is reserved here: otherwise the next file that is opened would get
    this descriptor and the output.
    """
    codecs.register_error(FALL_BACK, _in_ascii)
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # to the end
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is sys.__stderr__ and isinstance(sys.stderr, TextIOWrapper):
        messages = BufferedWriter(_Messages(sys.stderr.fileno(), "w", closefd=False))
        sys.stderr = TextIOWrapper(messages, sys.stderr.encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=FALL_BACK)


class _Messages(FileIO):
    """A file for messages; messages that cannot be written are dropped.

    A full disk behind standard error must not change an exit code, which may be a verdict.
    """

    def write(self, content: Buffer, /) -> int:
        try:
            return super().write(content)
        except OSError:
            return memoryview(content).nbytes


def print_bytes(content: bytes, *, for_people: bool) -> None:
    """Write UTF-8 to standard output; text for people is converted to its encoding."""
    sys.stdout.flush()  # earlier output comes first
    if for_people and codecs.lookup(sys.stdout.encoding).name != "utf-8":
        content = content.decode().encode(sys.stdout.encoding, FALL_BACK)
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def output_failed(error: OSError) -> NoReturn:
    """Exit with a message after a failed write or another system error.

    If the reader of a pipe closed it, as in `| head`, there is no message.
    """
    with suppress(OSError, ValueError):  # it may have no file of its own, as in a test
        # Python flushes on exit, and would report the same error again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        sys.exit(READER_GONE)
    reason = error.strerror or type(error).__name__
    place = "standard output cannot be written" if error.filename is None else str(error.filename)
    from rankwise.errors import visible

    print(f"rankwise: {visible(place)}: {reason}.", file=sys.stderr)
    sys.exit(2)
