"""Tables of the pages that are made from real data."""

from collections.abc import Iterable


def in_markdown(
    header: list[str], rows: Iterable[list[str]], first: str = "---", rest: str = "---:"
) -> str:
    """Return a table. `first` and `rest` align its first and its other columns."""
    lines = [header, [first, *[rest] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
