"""The ways in which runs are read, for a while: without the kernel, in pieces or whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from pytest import MonkeyPatch

from rankwise.formats import pieces
from rankwise.native import SWITCH
from rankwise.rankings import join


@contextmanager
def without_kernel() -> Iterator[None]:
    before = os.environ.get(SWITCH)
    os.environ[SWITCH] = "0"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SWITCH]
        else:
            os.environ[SWITCH] = before


@contextmanager
def pieces_of(size: int | None) -> Iterator[None]:
    """What reads TREC text without the kernel takes so many bytes at a time; None: all."""
    with MonkeyPatch.context() as patch:
        if size is None:
            patch.setattr(join, "judge_text", lambda *_: None)
        else:
            patch.setattr(pieces, "PIECE", size)
            patch.setattr(pieces, "SHORT", min(pieces.SHORT, size))
            patch.setattr(pieces, "TAIL", max(1, size // 4))
        yield
