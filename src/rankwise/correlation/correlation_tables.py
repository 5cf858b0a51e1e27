"""Tables of a correlation: the matrix of coefficients, and the swaps."""

from math import ceil
from typing import TYPE_CHECKING

import polars as pl

from rankwise.notes import Note, detail, note
from rankwise.results import Table, format_p
from rankwise.stats import least_significant_tau

if TYPE_CHECKING:
    from rankwise.correlation.correlation import Correlation

# The columns of the swaps as they are printed: ′ is what holds under the second order.
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
ITSELF = "a system ranking with ties has a coefficient slightly below 1 with itself"


def described(found: "Correlation") -> str:
    """Name the coefficient, the number of systems, and the smallest significant value."""
    n = len(found.orders.systems)
    about = f"{found.title} over {n} systems"
    if found.coefficient == "tau-ap":
        return f"{about}; the row (first) is the reference"
    if found.coefficient in ("kendall", "kendall-a"):
        least = least_significant_tau(n, 0.01)
        if least <= 1:
            shown = ceil(100 * least - 1e-9) / 100
            return (
                f"{about}; without ties, it is significant at 0.01 for values from {shown:.2f} on"
            )
        return f"{about}, too few for significance at 0.01"
    if found.coefficient == "rbo":
        residual = max(found.frame["residual"].fill_null(0))
        return f"{about}, extrapolated; the residual is {residual:.2g} at most"
    return about


def coefficient_table(found: "Correlation", digits: int) -> Table:
    """A matrix, or for two system rankings one row."""
    caption = f"{found.title} over {len(found.orders.systems)} systems"
    if len(found.orders.names) == 2:
        return _table(found.frame, ["p"], digits, caption=caption)
    itself = found.coefficient == "tau-ap" and any(found.orders.tied)
    notes = [note("tied-with-itself", ITSELF)] if itself else []
    return Table(found.matrix(), caption=caption, notes=notes, digits=digits)


def swap_table(found: "Correlation", alpha: float, rows: int, digits: int) -> Table:
    """Table of swaps in 80 columns: the leader under each ranking, the difference, its p-value."""
    swaps = found.swaps(alpha=alpha)
    about = f"pairs of systems ordered differently: {swaps.height:,}"
    if "significant" in swaps.columns:
        counts = dict(swaps["significant"].value_counts().iter_rows())
        each = ", ".join(f"{name} {counts.get(name, 0):,}" for name in ("both", "one", "none"))
        about += f"; significant under {each} (paired t, {alpha:g}, not corrected)"
    shown = {name: short for name, short in SHORT.items() if name in swaps.columns}
    leads = pl.col("^Δ′?$").abs()
    short = swaps.head(rows).select(*shown).rename(shown)
    frame = short.with_columns(leads, pl.col(pl.Enum).cast(pl.String))
    return _table(frame, ["p", "p′"], digits, notes=[detail("swaps", about)])


def rank_table(found: "Correlation", rows: int, digits: int) -> Table:
    """Return the ranks of each system, largest changes first."""
    frame = found.rank_changes()
    first = frame.row(0, named=True)
    ranks = {name: first[name] for name in found.orders.names if first[name] is not None}
    notes = []
    if len(ranks) > 1:
        best, worst = min(ranks, key=ranks.__getitem__), max(ranks, key=ranks.__getitem__)
        places = f"rank {ranks[worst]} by {worst}, {ranks[best]} by {best}"
        notes = [note("greatest-change", f"{first['system']} has the largest change: {places}")]
    caption = f"Ranks of {len(found.orders.systems)} systems, largest changes first:"
    return Table(frame.head(rows), caption=caption, notes=notes, digits=digits)


def _table(
    frame: pl.DataFrame,
    p_values: list[str],
    digits: int,
    *,
    caption: str | None = None,
    notes: list[Note] | None = None,
) -> Table:
    """Format p-values as `compare` does."""
    there = [name for name in p_values if name in frame.columns]
    shown = [pl.Series(name, [format_p(p, digits) for p in frame[name]]) for name in there]
    return Table(frame.with_columns(shown), there, caption, notes or [], digits)
