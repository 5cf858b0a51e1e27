"""Runs and judgments as TREC text: `write_run` and `write_qrels`."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from rankwise.errors import CallError, check_word
from rankwise.formats.files import compressed, write_whole
from rankwise.formats.trec import trec_lines
from rankwise.lazy import pl
from rankwise.rankings.accepted import QrelsLike, RunLike
from rankwise.rankings.reading import read_qrels, read_runs
from rankwise.vocabulary import Order


def write_run(
    run: RunLike, path: str | Path, *, name: str | None = None, order: Order = "score"
) -> None:
    """Write a run as TREC text, `topic Q0 document rank score name`, whole or not at all.

    Parameters
    ----------
    run
        One run, as for `score`.
    path
        The file; one that ends in .gz, .bz2 or .xz is compressed.
    name
        What the last field says; else the name that the run has.
    order
        What orders the rankings, and so numbers the ranks: `score`, `rank` or `file`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> write_run({"1": {"a": 0.5, "b": 2}}, path, name="bm25")
    >>> print(path.read_text(), end="")
    1 Q0 b 1 2.0 bm25
    1 Q0 a 2 0.5 bm25
    """
    check_word("order", order, get_args(Order))
    runs = read_runs(run, order=order)
    if len(runs) != 1:
        raise CallError(f"write_run takes one run; {len(runs)} are given.")
    frame = runs[0].frame.with_row_index("line")
    keys = {"score": ["score", "document"], "rank": ["rank", "document"], "file": ["line"]}[order]
    # Ties go by document name, descending, as in scoring; ranks and lines count upwards.
    down = {"score": [True, True], "rank": [False, True], "file": [False]}[order]
    topic = pl.col("line").min().over("topic")  # topics stay in the order of the run
    ranked = frame.sort(topic, *keys, descending=[False, *down]).with_columns(
        pl.lit("Q0").alias("Q0"),
        pl.int_range(1, pl.len() + 1).over("topic").alias("place"),
        pl.lit(name if name is not None else runs[0].name).alias("name"),
    )
    _write(ranked.select("topic", "Q0", "document", "place", "score", "name"), path)


def write_qrels(qrels: QrelsLike, path: str | Path) -> None:
    """Write judgments as TREC text, `topic 0 document grade`, whole or not at all.

    Parameters
    ----------
    qrels
        Judgments, as for `score`.
    path
        The file; one that ends in .gz, .bz2 or .xz is compressed.
    """
    frame = read_qrels(qrels).as_read
    _write(frame.select("topic", pl.lit("0").alias("0"), "document", "grade"), path)


def _write(frame: pl.DataFrame, path: str | Path) -> None:
    write_whole(Path(path), compressed(trec_lines(frame), Path(path)))
