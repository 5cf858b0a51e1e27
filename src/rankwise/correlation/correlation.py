"""Rank correlation of several rankings of the same systems, for each pair of rankings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.correlation.coefficients import COEFFICIENTS, matrices, p_values
from rankwise.correlation.correlation_tables import (
    coefficient_table,
    described,
    rank_table,
    swap_table,
)
from rankwise.correlation.swaps import swapped
from rankwise.correlation.system_rankings import Orders, from_given, from_scores, rank_changes
from rankwise.errors import CallError, check_word
from rankwise.notes import Note, note
from rankwise.rankings import Collection, QrelsLike, RunsLike
from rankwise.results import Result, Table, draw
from rankwise.scores import (
    DEFAULT_METRICS,
    MetricsLike,
    Scores,
    check_scores_alone,
    scores_of_input,
)
from rankwise.vocabulary import ChartWidth, CoefficientName


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Result):
    """Rank correlation of each pair of system rankings; `p` is that of rank-biased overlap."""

    _everyday = ("matrix", "rank_changes", "swaps")

    coefficient: CoefficientName
    orders: Orders
    p: float = 0.9

    @property
    def title(self) -> str:
        """Name of the coefficient, for display."""
        title = COEFFICIENTS[self.coefficient].title
        return f"{title} (p = {self.p:g})" if self.coefficient == "rbo" else title

    @cached_property
    def _matrices(self) -> dict[str, Floats]:
        return matrices(self.coefficient, self.orders.ranks, self.p)

    @property
    def values(self) -> Floats:
        """Matrix of coefficients; for tau-ap the row is the reference. NaN is undefined."""
        return self._matrices["value"]

    @property
    def frame(self) -> pl.DataFrame:
        """One row per pair: first, second, coefficient, value, then p or bounds, and n.

        Kendall's and Spearman's coefficients have a two-sided p-value (`kendall_p`,
        `spearman_p`). Rank-biased overlap has low and residual; its value is the extrapolated
        one. tau-ap is not symmetric: it has both directions, and `first` is the reference. n is
        the number of common systems. NaN is null.
        """
        wanted = ~np.eye(len(self.orders.names), dtype=np.bool_)
        if COEFFICIENTS[self.coefficient].symmetric:
            wanted = np.triu(wanted)
        first, second = np.nonzero(wanted)
        names = pl.Series(self.orders.names, dtype=pl.String)
        present = np.isfinite(self.orders.ranks)
        tables = self._matrices | p_values(self.coefficient, self.orders.ranks)
        columns = {name: table[first, second] for name, table in tables.items()}
        return pl.DataFrame(
            {
                "first": names.gather(first),
                "second": names.gather(second),
                "coefficient": [self.coefficient] * len(first),
                **{name: pl.Series(found, nan_to_null=True) for name, found in columns.items()},
                "n": (present[first] & present[second]).sum(axis=1),
            }
        )

    def matrix(self) -> pl.DataFrame:
        """One row and one column per system ranking; for tau-ap the row is the reference."""
        corner: str = self.coefficient
        while corner in self.orders.names:
            corner += "_"  # a column of the frame has a name of its own
        names = {corner: self.orders.names}
        columns = dict(zip(self.orders.names, self.values.T, strict=True))
        return pl.DataFrame(
            names | {name: pl.Series(found, nan_to_null=True) for name, found in columns.items()}
        )

    def swaps(self, *, alpha: float = 0.05) -> pl.DataFrame:
        """Return the pairs of systems that two rankings order differently; see swaps.py."""
        return swapped(self.orders, alpha)

    def rank_changes(self) -> pl.DataFrame:
        """Return one row per system with its rank under each ranking, largest changes first.

        Rank 1 is the best; tied systems share the best of their ranks. `change` is the largest
        rank of a system minus its smallest.
        """
        return rank_changes(self.orders)

    @property
    def notes(self) -> list[Note]:
        """Notes on tied systems, undefined coefficients and the input."""
        notes = []
        tied = dict(zip(self.orders.names, self.orders.tied, strict=True))
        total = len(self.orders.systems)
        some = ", ".join(f"{name} {count}" for name, count in tied.items() if count)
        if some:
            how = COEFFICIENTS[self.coefficient].ties
            notes.append(note("tied-systems", f"number of tied systems, of {total}: {some}; {how}"))
        if self.coefficient in ("kendall", "spearman", "tau-ap-b"):
            flat = [row.size > 1 and np.ptp(row) == 0 for row in self.orders.ranks]
            for name, same in zip(self.orders.names, flat, strict=True):
                if same:
                    what = "all systems are tied; its coefficients are undefined"
                    notes.append(note("all-systems-tied", what, source=name))
        return [*notes, *self.orders.notes]

    @property
    def header(self) -> dict[str, Any]:
        """Metadata: coefficient, what is correlated, metrics, and number of topics."""
        found: dict[str, Any] = {"coefficient": self.coefficient, "of": self.orders.names}
        if self.orders.metrics:
            found["metrics"] = [metric.record for metric in self.orders.metrics]
            found["topics"] = max(table.shape[1] for table in self.orders.topics)
        return found | {"p": self.p} if self.coefficient == "rbo" else found

    @property
    def caption(self) -> str:
        """Coefficient, number of systems, and smallest significant value."""
        return described(self)

    def table(self, *, digits: int = 4) -> Table:
        """Return a matrix; for two system rankings one row, with its p-value or bounds."""
        return coefficient_table(self, digits)

    def swap_table(self, *, alpha: float = 0.05, rows: int = 20, digits: int = 4) -> Table:
        """Return the first rows of `swaps`, as the command prints them."""
        return swap_table(self, alpha, rows, digits)

    def rank_table(self, *, rows: int = 20, digits: int = 4) -> Table:
        """Return the first rows of `rank_changes`, as the command prints them."""
        return rank_table(self, rows, digits)

    def chart(self, *, width: ChartWidth | None = None) -> Any:
        """Draw the matrix with coloured cells (Altair)."""
        return draw(self, width=width)


def correlate(
    data: "QrelsLike | Collection | Scores | Mapping[str, Scores]",
    runs: "RunsLike | None" = None,
    metrics: "MetricsLike" = DEFAULT_METRICS,
    *,
    coefficient: CoefficientName = "kendall",
    p: float = 0.9,
) -> Correlation:
    """Correlate the system rankings by different metrics or judgments.

    Systems are ranked by their means; higher is better, unless the metric declares the opposite.

    Parameters
    ----------
    data, runs, metrics
        As for `score`; or `Scores` alone; or {name: Scores} under different judgments.
    coefficient
        `kendall` (tau-b), `kendall-a`, `spearman`, `tau-ap` (the row is the reference),
        `tau-ap-b`, or `rbo`, rank-biased overlap.
    p
        The p of rank-biased overlap.

    Returns
    -------
    Correlation
        One row per pair of system rankings, with a matrix, swaps, tables and a chart.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> runs = {
    ...     "one": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}},
    ...     "two": {"1": {"b": 3.0, "a": 2.0, "c": 1.0}},
    ... }
    >>> correlate(qrels, runs, ["AP", "RR"]).frame.rows()
    [('AP', 'RR', 'kendall', 1.0, 1.0, 2)]
    """
    _check(coefficient, p)
    by_judgments = _by_judgments(data)
    if by_judgments:
        check_scores_alone(runs, metrics)
        sources = by_judgments
    else:
        sources = {"": scores_of_input(cast("QrelsLike", data), runs, metrics)}
    return Correlation(coefficient, from_scores(sources), p)


def _by_judgments(given: object) -> dict[str, Scores]:
    """Return {name: Scores} if that is the input, otherwise None."""
    if not isinstance(given, Mapping):
        return {}
    found = {str(name): one for name, one in given.items() if isinstance(one, Scores)}
    if found and len(found) < len(given):
        raise CallError("some values of {name: Scores} are not Scores. Give all of them as Scores.")
    return found


def correlate_orders(
    orders: Mapping[str, Sequence[str] | Mapping[str, float]],
    *,
    coefficient: CoefficientName = "kendall",
    p: float = 0.9,
) -> Correlation:
    """Correlate system rankings: {name: systems, best first, or {system: score}}.

    All must have the same systems, except for rank-biased overlap.

    >>> found = correlate_orders({"A": ["x", "y", "z"], "B": {"x": 2, "y": 3, "z": 1}})
    >>> found.values.round(4).tolist()
    [[1.0, 0.3333], [0.3333, 1.0]]
    """
    _check(coefficient, p)
    same_systems = COEFFICIENTS[coefficient].compute is not None
    return Correlation(coefficient, from_given(orders, same_systems=same_systems), p)


def _check(coefficient: str, p: float) -> None:
    check_word("coefficient", coefficient, COEFFICIENTS)
    if not 0 < p < 1:
        raise CallError(f"p={p:g}: the p of rank-biased overlap is between 0 and 1.")
