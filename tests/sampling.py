"""The sample of the laws: one case in four, another quarter each day."""

import os
from datetime import UTC, date, datetime
from zlib import crc32

ONE_IN = 4
# "all", or the date whose quarter is tried: set it to repeat a run of another day. The processes
# of one run inherit the date of the first, also over midnight.
LAWS = os.environ.setdefault("RANKWISE_LAWS", f"{datetime.now(UTC):%Y-%m-%d}")


def quarter_of(laws: str) -> int | None:
    """Return 0 to 3 for a date, and None for all cases.

    >>> quarter_of("2026-11-17"), quarter_of("2026-11-18"), quarter_of("all")
    (1, 2, None)
    """
    if laws == "all":
        return None
    try:
        return date.fromisoformat(laws).toordinal() % ONE_IN
    except ValueError:
        wanted = "Set it to 'all', or to a date such as 2026-11-17."
        raise ValueError(f"RANKWISE_LAWS is {laws!r}. {wanted}") from None


def is_sampled(case: str, quarter: int | None) -> bool:
    """Whether a case of a law, by its name, is one of a quarter."""
    return quarter is None or crc32(case.encode()) % ONE_IN == quarter


def examples(count: int) -> int:
    """Return how many random examples a law tries: a quarter, unless all cases are tried."""
    return count if LAWS == "all" else count // ONE_IN


def header(laws: str) -> str:
    if laws == "all":
        return "laws: all cases"
    return (
        f"laws: one case in {ONE_IN}, those of {laws}; RANKWISE_LAWS={laws} repeats them, "
        "RANKWISE_LAWS=all tries all cases"
    )
