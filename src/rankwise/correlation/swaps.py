"""Pairs of systems that two rankings order differently."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from rankwise.arrays import Floats
from rankwise.correlation.system_rankings import Orders
from rankwise.stats import differences_of, student_t

Places = npt.NDArray[np.int64]
SIGNIFICANT = pl.Enum(["both", "one", "none"])
COLUMNS = [
    *["first", "second", "better_by_first", "better_by_second"],
    *["first_difference", "first_p", "second_difference", "second_p", "significant"],
]


def swapped(orders: Orders, alpha: float) -> pl.DataFrame:
    """Return one row per pair of systems that two rankings order differently, ties excluded.

    Differences are `better_by_first` − `better_by_second`, averaged over the common topics. The
    p-values are of Student's paired t-test, without correction for multiple comparisons. Pairs
    significant at alpha under both rankings come first, then those under one, then the others, by
    increasing p-value. Rankings without topics have only the names.
    """
    pairs = combinations(range(len(orders.names)), 2)
    table = pl.concat([_between(orders, first, second, alpha) for first, second in pairs])
    if not orders.topics:
        return table
    # Under both the greater p-value says how sure it is; elsewhere the lesser one.
    ps = [pl.col("first_p"), pl.col("second_p")]
    both = pl.col("significant") == "both"
    weight = pl.when(both).then(pl.max_horizontal(ps)).otherwise(pl.min_horizontal(ps))
    return table.sort("significant", weight, maintain_order=True, nulls_last=True)


def _between(orders: Orders, first: int, second: int, alpha: float) -> pl.DataFrame:
    one, other = np.triu_indices(len(orders.systems), 1)
    by_first, by_second = (
        orders.ranks[place][one] - orders.ranks[place][other] for place in (first, second)
    )
    swaps = by_first * by_second < 0
    ahead = by_first[swaps] > 0
    better = np.where(ahead, one[swaps], other[swaps])
    worse = np.where(ahead, other[swaps], one[swaps])
    systems = pl.Series(orders.systems, dtype=pl.String)
    table = pl.DataFrame(
        {"better_by_first": systems.gather(better), "better_by_second": systems.gather(worse)}
    ).with_columns(
        pl.lit(orders.names[first]).alias("first"), pl.lit(orders.names[second]).alias("second")
    )
    if orders.topics:
        table = table.with_columns(_tested(orders, first, second, (better, worse), alpha))
    return table.select(name for name in COLUMNS if name in table.columns)


def _tested(
    orders: Orders, first: int, second: int, pair: tuple[Places, Places], alpha: float
) -> list[pl.Series]:
    """Mean difference under each of two rankings, its p-value, and whether it is significant."""
    columns = []
    count = np.zeros(len(pair[0]), dtype=np.int64)
    for name, place in {"first": first, "second": second}.items():
        differences = differences_of(orders.topics[place], *pair)
        p = student_t(differences)
        columns.append(pl.Series(f"{name}_difference", _means(differences), nan_to_null=True))
        columns.append(pl.Series(f"{name}_p", p, nan_to_null=True))
        count += p <= alpha
    levels = pl.Series(["none", "one", "both"], dtype=SIGNIFICANT)
    return [*columns, levels.gather(count).alias("significant")]


def _means(differences: Floats) -> Floats:
    defined = np.isfinite(differences)
    counts = defined.sum(axis=1)
    sums = np.where(defined, differences, 0).sum(axis=1)
    return np.where(counts, sums / np.maximum(counts, 1), np.nan)
