"""z-scores of trec_eval -Z: scores in standard deviations from the mean of a reference set."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankwise.arrays import Floats
from rankwise.compat.trec_eval.measures import Row
from rankwise.errors import InputError
from rankwise.formats import File, open_source, split_lines
from rankwise.lazy import pl
from rankwise.scores import LEAST_IN_GEOMETRIC_MEAN

MISSING = -1_000_000.0  # of a measure or topic without a mean, as in trec_eval
LINE_IS = "A line is: topic measure mean standard-deviation."


class Reference(NamedTuple):
    """Mean and standard deviation of a measure on a topic, over the reference set."""

    mean: float
    deviation: float


def read_zscores(path: Any) -> Mapping[tuple[str, str], Reference]:
    """Read the means by topic and measure."""
    file = File(open_source(path))
    names = ["topic", "measure", "mean", "deviation"]
    rows, faults = split_lines(file, r"^(\S+)\s+(\S+)\s+(\S+)\s+(\S+)$", names)
    numbers = rows.select(pl.col("mean", "deviation").cast(pl.Float64, strict=False))
    if faults or sum(numbers.null_count().row(0)) or rows.is_empty():
        raise InputError(file.name, LINE_IS, faults)
    table: dict[tuple[str, str], Reference] = {}
    keys = zip(rows["topic"], rows["measure"], strict=True)
    for key, of_key in zip(keys, numbers.iter_rows(), strict=True):
        if key in table:
            raise InputError(file.name, f"{key[1]} of topic {key[0]} is given twice.")
        table[key] = Reference(*of_key)
    return table


def z_scores(
    rows: Sequence[Row],
    values: Floats,
    topics: Sequence[str],
    table: Mapping[tuple[str, str], Reference],
) -> tuple[list[Row], Floats]:
    """Return the rows, now all of fractions, and rows × topics of z-scores.

    The value of a geometric mean is its logarithm. Counts are still added up.
    """
    found = np.empty_like(values)
    for row, before, after in zip(rows, values, found, strict=True):
        if row.average == "geometric":
            before = np.log(np.maximum(before, LEAST_IN_GEOMETRIC_MEAN))
        after[:] = [
            z_score(value, table.get((topic, row.name)))
            for topic, value in zip(topics, before.tolist(), strict=True)
        ]
    return [replace(row, is_fraction=True) for row in rows], found


def z_score(value: float, reference: Reference | None) -> float:
    """Return the z-score; without a deviation it is 0 at the mean, and missing elsewhere."""
    if reference is None:
        return MISSING
    if reference.deviation:
        return (value - reference.mean) / reference.deviation
    return 0.0 if value == reference.mean else MISSING
