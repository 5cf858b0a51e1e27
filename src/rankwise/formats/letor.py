"""LETOR and svmlight: `3 qid:1 1:0.5 2:0.1 # docid = GX001`, one line per document.

The first field is the grade; in a run it is the score. Features are ignored. The document is
named in the comment: after `docid =`, or by its first word.
"""

from __future__ import annotations

import numpy as np

from rankwise.formats.base import File, Format, Table, bad_lines, split_lines
from rankwise.formats.source import Kind
from rankwise.lazy import pl

LINE = r"^\s*([-+.\deE]+)\s+qid:(\S+)(?:\s[^#]*)?(?:#\s*(?:docid\s*=\s*)?(\S+).*)?$"


def _is_letor(file: File) -> bool:
    fields = file.first_row.split(maxsplit=2)
    return len(fields) > 1 and fields[1].startswith("qid:")


def _read(file: File, kind: Kind) -> Table:
    value = "grade" if kind == "qrels" else "score"
    rows, faults = split_lines(file, LINE, [value, "topic", "document"])
    nameless = bad_lines(rows.filter(pl.col("document").is_null()), "no document after #")
    named = rows.filter(pl.col("document").is_not_null())
    return Table(
        named.select("topic", "document", value),
        named["number"].to_numpy().astype(np.int64),
        faults=faults.because("no number and qid") + nameless,
        line_is=f"A line is: {value} qid:TOPIC features # DOCUMENT.",
    )


LETOR = Format("LETOR", _is_letor, _read, (".letor", ".svmlight"))
