"""Coefficients by name, their treatment of ties, and their matrices."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankwise.arrays import Floats
from rankwise.stats import kendall, kendall_p, rank_biased_overlap, spearman, spearman_p, tau_ap
from rankwise.vocabulary import CoefficientName


@dataclass(frozen=True)
class Coefficient:
    """A rank correlation coefficient.

    `compute` takes one ranking and several others; rank-biased overlap has none, because it has a
    p and bounds. `p_value`, if there is a test, takes the same arguments.
    """

    title: str
    ties: str
    compute: Callable[[Floats, Floats], Floats] | None = None
    p_value: Callable[[Floats, Floats], Floats] | None = None
    symmetric: bool = True


def _spearman_p(order: Floats, others: Floats) -> Floats:
    return spearman_p(spearman(order, others), order.size)


COEFFICIENTS: dict[CoefficientName, Coefficient] = {
    "kendall": Coefficient(
        "Kendall's tau-b",
        "tau-b divides by the pairs that are not tied",
        kendall,
        kendall_p,
    ),
    "kendall-a": Coefficient(
        "Kendall's tau-a",
        "tau-a counts a tied pair as half right and half wrong",
        partial(kendall, ties="a"),
        kendall_p,
    ),
    "spearman": Coefficient(
        "Spearman's rho", "rho gives tied systems their mean rank", spearman, _spearman_p
    ),
    "tau-ap": Coefficient(
        "tau-ap",
        "tau-ap,a is the mean over all orders of the tied systems",
        tau_ap,
        symmetric=False,
    ),
    "tau-ap-b": Coefficient(
        "tau-ap,b",
        "tau-ap,b compares a system with those above its ties",
        partial(tau_ap, ties="b"),
    ),
    "rbo": Coefficient(
        "rank-biased overlap", "tied systems all have the first rank of their group"
    ),
}


def matrices(name: CoefficientName, orders: Floats, p: float) -> dict[str, Floats]:
    """Return the coefficient of each ranking (row) with each (column), and bounds, if it has some.

    `orders` has one row per ranking; `p` is that of rank-biased overlap.
    """
    coefficient = COEFFICIENTS[name]
    if coefficient.compute is None:
        found = np.array([[rank_biased_overlap(x, y, p) for y in orders] for x in orders])
        return {"value": found[..., 2], "low": found[..., 0], "residual": found[..., 1]}
    return {"value": np.array([coefficient.compute(order, orders) for order in orders])}


def p_values(name: CoefficientName, orders: Floats) -> dict[str, Floats]:
    """Return the p-value of each ranking with each, as a column, if the coefficient has one."""
    p_value = COEFFICIENTS[name].p_value
    return {} if p_value is None else {"p": np.array([p_value(order, orders) for order in orders])}
