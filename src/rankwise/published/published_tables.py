"""Text for a published score and its vectors."""

from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankwise.published.inversion import Inversion

LINE = 70


def described(found: "Inversion") -> str:
    """Describe the printed score, its significant ranks, and the vectors with this score."""
    given, vectors = found.printed, found.vectors
    title = f"{given}, to {given.precision:g}: {given.depth:,} ranks"
    if vectors is None:
        mean = f"a mean over {given.topics} topics, which has no one vector"
        return f"{title}; {'gains from 0 to 1' if given.graded else mean}"
    lines = [title, ""]
    for name, bits, unjudged in [
        ("R_G", vectors.greatest[0], vectors.greatest_unjudged[0]),
        ("R_L", vectors.least[0], vectors.least_unjudged[0]),
    ]:
        kinds = 2 * bits.astype(int) + unjudged
        marks = "".join("0?1"[kind] for kind in kinds.tolist())
        lines += _drawn(name, marks)
    for name, ranks in found.ranks.items():
        if ranks:
            lines += wrap(f"{name}: {_listed(ranks)}", LINE + 5, subsequent_indent="     ")
    return "\n".join(lines)


def _drawn(name: str, marks: str) -> list[str]:
    """Draw one mark per rank, or list the ranks of relevant documents if that is too wide."""
    if len(marks) <= 4 * LINE:
        parts = [marks[start : start + LINE] for start in range(0, len(marks), LINE)]
        return [f"{name if part is parts[0] else '':<5}{part}" for part in parts]
    ranks = [rank for rank, mark in enumerate(marks, 1) if mark == "1"]
    return wrap(f"{name}  relevant at ranks {_listed(ranks)}", LINE + 5, subsequent_indent="     ")


def _listed(ranks: list[int], most: int = 24) -> str:
    """Format ranks: 1–3, 7, 9–45."""
    runs = [
        [rank for _, rank in group]
        for _, group in groupby(enumerate(ranks), key=lambda pair: pair[1] - pair[0])
    ]
    words = [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
