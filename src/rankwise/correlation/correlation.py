"""`correlate`: rank correlation of each pair of system rankings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from math import ceil
from typing import Any, cast

import numpy as np
import polars as pl

from rankwise.arrays import Floats
from rankwise.correlation.system_rankings import (
    Orders,
    from_given,
    from_scores,
    swaps_between,
)
from rankwise.errors import CallError, check_word
from rankwise.notes import Note, detail, note
from rankwise.rankings import Collection, QrelsLike, RunsLike
from rankwise.results import Charted, Table, table_with_p
from rankwise.scores import (
    DEFAULT_METRICS,
    MetricsLike,
    Scores,
    check_scores_alone,
    scores_of_input,
)
from rankwise.stats import (
    check_persistence,
    kendall,
    kendall_p,
    least_significant_tau,
    rank_biased_overlap,
    spearman,
    spearman_p,
    tau_ap,
)
from rankwise.vocabulary import CoefficientName
from rankwise.wording import Count


@dataclass(frozen=True)
class Coefficient:
    """A rank correlation coefficient.

    `ties` is a phrase for notes on the treatment of ties. `compute` takes one ranking (the
    reference, if the coefficient is not `symmetric`) and an array of rankings. It returns the
    coefficient of the ranking with each row of the array. For rank-biased overlap, which has a
    parameter and bounds, `compute` is None. `p_value` takes the same arguments as `compute` and
    returns p-values. It is None if there is no test.
    """

    title: str
    ties: str
    compute: Callable[[Floats, Floats], Floats] | None = None
    p_value: Callable[[Floats, Floats], Floats] | None = None
    symmetric: bool = True


COEFFICIENTS: dict[CoefficientName, Coefficient] = {
    "kendall": Coefficient(
        "Kendall's tau-b", "tau-b is normalised by the pairs that are not tied", kendall, kendall_p
    ),
    "kendall-a": Coefficient(
        "Kendall's tau-a",
        "tau-a counts a tied pair as half right and half wrong",
        partial(kendall, ties="a"),
        kendall_p,
    ),
    "spearman": Coefficient(
        "Spearman's rho",
        "rho gives tied systems their mean rank",
        spearman,
        lambda order, others: spearman_p(spearman(order, others), order.size),
    ),
    "tau-ap": Coefficient(
        "tau-ap",
        "tau-ap,a is the mean over all orders of the tied systems",
        tau_ap,
        symmetric=False,
    ),
    "tau-ap-b": Coefficient(
        "tau-ap,b",
        "tau-ap,b compares a system only with the systems above its group of ties",
        partial(tau_ap, ties="b"),
    ),
    "rbo": Coefficient("rank-biased overlap", "tied systems share the best rank of their group"),
}


# Printed names of the columns of `swaps`; ′ marks values under the second ranking.
SHORT = {
    "first": "first",
    "better_by_first": "ahead",
    "first_difference": "Δ",
    "first_p": "p",
    "second": "second",
    "better_by_second": "ahead′",
    "second_difference": "Δ′",
    "second_p": "p′",
    "significant": "sig.",
}
ITSELF = "the coefficient of a system ranking with itself is below 1 if the ranking has ties"


@dataclass(frozen=True, eq=False, repr=False)
class Correlation(Charted):
    """Rank correlation of each pair of system rankings.

    `orders` has the system rankings. `p` is the persistence of rank-biased overlap; other
    coefficients do not use `p`. `chart` draws the matrix with coloured cells.
    """

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
        """Matrices by name: `value`; for rank-biased overlap also the lower bound and residual."""
        compute, orders = COEFFICIENTS[self.coefficient].compute, self.orders.ranks
        if compute is None:
            rbo = np.array([[rank_biased_overlap(x, y, self.p) for y in orders] for x in orders])
            return {"value": rbo[..., 2], "low": rbo[..., 0], "residual": rbo[..., 1]}
        return {"value": np.array([compute(order, orders) for order in orders])}

    @property
    def values(self) -> Floats:
        """Matrix of coefficients, NaN if undefined; for tau-ap, rows are the reference rankings."""
        return self._matrices["value"]

    @property
    def frame(self) -> pl.DataFrame:
        """One row per pair of system rankings `first` and `second`, with the coefficient `value`.

        Kendall's and Spearman's coefficients have a two-sided p-value `p`. For rank-biased overlap,
        `value` is the extrapolated overlap. If the rankings were longer, the overlap would be
        between `low` and `low` + `residual`. tau-ap is not symmetric: each pair has a row for each
        direction, and `first` is the reference. `n` is the number of systems that are in both
        rankings. Undefined values are null.
        """
        pairs = ~np.eye(len(self.orders.names), dtype=np.bool_)
        if COEFFICIENTS[self.coefficient].symmetric:
            pairs = np.triu(pairs)
        first, second = np.nonzero(pairs)
        names = pl.Series(self.orders.names, dtype=pl.String)
        present = np.isfinite(self.orders.ranks)
        p_value, tables = COEFFICIENTS[self.coefficient].p_value, self._matrices
        if p_value is not None:
            p = np.array([p_value(order, self.orders.ranks) for order in self.orders.ranks])
            tables = tables | {"p": p}
        rows = {
            "first": names.gather(first),
            "second": names.gather(second),
            "coefficient": [self.coefficient] * len(first),
            **{name: table[first, second] for name, table in tables.items()},
            "n": (present[first] & present[second]).sum(axis=1),
        }
        return pl.DataFrame(rows).fill_nan(None)

    def matrix(self) -> pl.DataFrame:
        """Return the coefficients with one row and one column per system ranking.

        For tau-ap, the ranking of the row is the reference.
        """
        corner: str = self.coefficient
        while corner in self.orders.names:
            corner += "_"  # a column of the frame has a name of its own
        columns = dict(zip(self.orders.names, self.values.T, strict=True))
        return pl.DataFrame({corner: self.orders.names, **columns}).fill_nan(None)

    def swaps(self, *, alpha: float = 0.05) -> pl.DataFrame:
        """Return one row per pair of systems that two rankings order differently.

        Pairs that are tied in one of the two rankings are excluded. `better_by_first` is the system
        that is better under the ranking `first`, and `better_by_second` the one that is better
        under the ranking `second`. `first_difference` uses the scores from which the ranking
        `first` was computed: the mean score of `better_by_first` minus that of `better_by_second`,
        over the topics on which both systems have a score. `second_difference` is the same
        difference with the scores of the ranking `second`. The p-values are those of Student's
        paired t-test, without correction for multiple comparisons.

        `significant` is `both`, `one` or `none`: the number of rankings under which p is at most
        alpha. Pairs with `both` come first, then `one`, then `none`. Within these groups, pairs are
        sorted by p-value: by the larger of the two for `both`, otherwise by the smaller. If the
        rankings were not computed from scores by topic (`correlate_orders`), there are no columns
        with differences, p-values and significance.
        """
        pairs = combinations(range(len(self.orders.names)), 2)
        table = pl.concat(swaps_between(self.orders, *pair, alpha) for pair in pairs)
        if not self.orders.topics:
            return table
        ps = [pl.col("first_p"), pl.col("second_p")]
        both = pl.col("significant") == "both"
        weight = pl.when(both).then(pl.max_horizontal(ps)).otherwise(pl.min_horizontal(ps))
        return table.sort("significant", weight, maintain_order=True, nulls_last=True)

    def rank_changes(self) -> pl.DataFrame:
        """Return one row per system with its rank under each ranking, largest changes first.

        Rank 1 is the best; tied systems share the best of their ranks. `change` is the largest
        rank of a system minus its smallest. A rank is null if the ranking lacks the system.
        """
        orders = self.orders
        higher = orders.ranks[:, None, :] > orders.ranks[:, :, None]
        ranks = np.where(np.isnan(orders.ranks), np.nan, 1 + higher.sum(axis=2))
        known = pl.DataFrame(ranks.T, schema=list(orders.names)).fill_nan(None).cast(pl.Int64)
        change = known.max_horizontal() - known.min_horizontal()
        frame = pl.DataFrame({"system": orders.systems, **known.to_dict(), "change": change})
        return frame.sort("change", descending=True, nulls_last=True, maintain_order=True)

    @property
    def notes(self) -> list[Note]:
        notes = []
        tied = dict(zip(self.orders.names, self.orders.tied, strict=True))
        total = len(self.orders.systems)
        some = ", ".join(f"{count} of {total} in {name}" for name, count in tied.items() if count)
        if some:
            how = COEFFICIENTS[self.coefficient].ties
            notes.append(note("tied-systems", f"some systems are tied: {some}; {how}"))
        if self.coefficient in ("kendall", "spearman", "tau-ap-b"):
            flat = [row.size > 1 and np.ptp(row) == 0 for row in self.orders.ranks]
            for name, same in zip(self.orders.names, flat, strict=True):
                if same:
                    what = "all systems are tied, so the coefficients of this ranking are undefined"
                    notes.append(note("all-systems-tied", what, source=name))
        return [*notes, *self.orders.notes]

    @property
    def header(self) -> dict[str, Any]:
        metadata: dict[str, Any] = {"coefficient": self.coefficient, "of": self.orders.names}
        if self.orders.metrics:
            metadata["metrics"] = [metric.record for metric in self.orders.metrics]
            metadata["topics"] = max(table.shape[1] for table in self.orders.topics)
        return metadata | {"p": self.p} if self.coefficient == "rbo" else metadata

    @property
    def caption(self) -> str:
        n = len(self.orders.systems)
        about = f"{self.title} over {n} systems"
        if self.coefficient == "tau-ap":
            return f"{about}; the ranking of the row (first) is the reference"
        if self.coefficient == "rbo":
            residual = max(self.frame["residual"].fill_null(0))
            what = "residual (width of the range of values for longer rankings)"
            return f"{about}, extrapolated; {what}: at most {residual:.2g}"
        if self.coefficient not in ("kendall", "kendall-a"):
            return about
        least = least_significant_tau(n, 0.01)
        if least > 1:
            return f"{about}; with so few systems, no value is significant at 0.01"
        shown = ceil(100 * least - 1e-9) / 100
        if shown >= 1:
            return f"{about}; only a value of 1 is significant at 0.01"
        return f"{about}; without ties, values of {shown:.2f} or more are significant at 0.01"

    def table(self, *, digits: int = 4) -> Table:
        """Return a table of the correlation matrix; for two system rankings, a table of `frame`."""
        caption = f"{self.title} over {len(self.orders.systems)} systems"
        if len(self.orders.names) == 2:
            return table_with_p(self.frame, ["p"], caption, digits=digits)
        itself = self.coefficient == "tau-ap" and any(self.orders.tied)
        notes = [note("tied-with-itself", ITSELF)] if itself else []
        return Table(self.matrix(), caption=caption, notes=notes, digits=digits)

    def swap_table(self, *, alpha: float = 0.05, rows: int = 20, digits: int = 4) -> Table:
        """Return the first rows of `swaps` as a table, with absolute differences."""
        swaps = self.swaps(alpha=alpha)
        pairs = Count(swaps.height, "pair of systems is", "pairs of systems are")
        about = f"{pairs} in a different order in two rankings"
        if "significant" in swaps.columns:
            counts = dict(swaps["significant"].value_counts().iter_rows())
            both, one, none = (f"{counts.get(name, 0):,}" for name in ("both", "one", "none"))
            about += f". The difference is significant in both rankings for {both} of these pairs, "
            about += f"in one ranking for {one}, and in no ranking for {none} (paired t-test, "
            about += f"α = {alpha:g}, not corrected)"
        shown = {name: short for name, short in SHORT.items() if name in swaps.columns}
        columns = (
            "'ahead' is the system that is better in the first ranking, 'Δ' the absolute "
            "difference of the mean scores, and 'p' the p-value of this difference. 'ahead′', 'Δ′' "
            "and 'p′' have the same meaning for the second ranking"
        )
        frame = swaps.head(rows).select(*shown).rename(shown)
        frame = frame.with_columns(pl.col("^Δ′?$").abs(), pl.col(pl.Enum).cast(pl.String))
        notes = [detail("swaps", about), detail("columns", columns)]
        return table_with_p(frame, ["p", "p′"], notes=notes, digits=digits)

    def rank_table(self, *, rows: int = 20, digits: int = 4) -> Table:
        """Return the first rows of `rank_changes` as a table."""
        frame = self.rank_changes()
        first = frame.row(0, named=True)
        ranks = {name: first[name] for name in self.orders.names if first[name] is not None}
        notes = []
        if len(ranks) > 1:
            best, worst = min(ranks, key=ranks.__getitem__), max(ranks, key=ranks.__getitem__)
            places = f"it has rank {ranks[worst]} in {worst} and rank {ranks[best]} in {best}"
            text = f"the rank of {first['system']} changes most: {places}"
            if ranks[worst] == ranks[best]:
                text = "every system has the same rank in all rankings"
            notes = [note("greatest-change", text)]
        caption = f"Ranks of {len(self.orders.systems)} systems, largest changes first:"
        return Table(frame.head(rows), caption=caption, notes=notes, digits=digits)


def correlate(
    data: "QrelsLike | Collection | Scores | Mapping[str, Scores]",
    runs: "RunsLike | None" = None,
    metrics: "MetricsLike" = DEFAULT_METRICS,
    *,
    coefficient: CoefficientName = "kendall",
    p: float = 0.9,
) -> Correlation:
    """Correlate the system rankings by different metrics or judgments.

    Systems are ranked by their mean scores over topics; higher is better, unless lower is better by
    the metric.

    Parameters
    ----------
    data, runs, metrics
        As for `score`. Instead, `data` may be `Scores`, or {name: Scores} for several sets of
        judgments.
    coefficient
        `kendall` (tau-b), `kendall-a`, `spearman`, `tau-ap` (not symmetric; the reference ranking
        is in the column `first`), `tau-ap-b`, or `rbo`, rank-biased overlap.
    p
        The persistence p of rank-biased overlap.

    Returns
    -------
    Correlation
        A frame with one row per pair of system rankings; methods for a matrix, swaps, tables and a
        chart.

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
    sources: dict[str, Scores] = {}
    if isinstance(data, Mapping):
        sources = {str(name): one for name, one in data.items() if isinstance(one, Scores)}
    if not sources:
        sources = {"": scores_of_input(cast("QrelsLike", data), runs, metrics)}
    elif len(sources) < len(cast("Mapping[str, Scores]", data)):
        raise CallError("some values of {name: Scores} are not Scores. All values must be Scores.")
    else:
        check_scores_alone(runs, metrics)
    return Correlation(coefficient, from_scores(sources), p)


def correlate_orders(
    orders: Mapping[str, Sequence[str] | Mapping[str, float]],
    *,
    coefficient: CoefficientName = "kendall",
    p: float = 0.9,
) -> Correlation:
    """Correlate system rankings that are passed as lists or as scores.

    `orders` maps the name of a ranking to a list of systems, best first, or to {system: score},
    where higher is better. All rankings must have the same systems, except for rank-biased overlap.
    The other arguments are those of `correlate`.

    >>> found = correlate_orders({"A": ["x", "y", "z"], "B": {"x": 2, "y": 3, "z": 1}})
    >>> found.values.round(4).tolist()
    [[1.0, 0.3333], [0.3333, 1.0]]
    """
    _check(coefficient, p)
    same_systems = COEFFICIENTS[coefficient].compute is not None
    return Correlation(coefficient, from_given(orders, same_systems=same_systems), p)


def _check(coefficient: str, p: float) -> None:
    check_word("coefficient", coefficient, COEFFICIENTS)
    check_persistence(p)
