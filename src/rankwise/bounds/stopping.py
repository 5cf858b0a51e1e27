"""Utility where users stop, each with a chance that depends on the documents above."""

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.bounds.grid import Bounds, product_above


def utility_where_users_stop(
    cells: Bools, chances: tuple[Floats, Floats], utilities: Bounds
) -> Bounds:
    """Outer bounds of Σ utility(r) chance(r) Π (1 − chance(i)) over i < r.

    `cells` are those where users may stop, `chances` that of each to satisfy, today and with
    every unjudged document the best, `utilities` the least and the greatest there.

    Let each user be satisfied by some documents, whatever else is there. One who stops at a
    judged document now stops there or further up: at worst at the least utility down to
    there. One who stops at rank r if all unjudged documents are the best stops there or
    further down, or never: at best at the greatest utility from r on.
    """
    (now, best), (least, most) = chances, utilities
    worst_above = np.minimum.accumulate(np.where(cells, least, np.inf), axis=1)
    best_below = np.maximum.accumulate(np.where(cells, most, 0.0)[:, ::-1], axis=1)[:, ::-1]
    stops = now * product_above(1 - now)
    low = np.where(now > 0, stops * np.where(cells, worst_above, 0.0), 0.0).sum(axis=1)
    return low, (best * product_above(1 - best) * best_below).sum(axis=1)


def over_the_ideal(found: Bounds, ideal: Bounds) -> Bounds:
    """The least over the greatest ideal, and the greatest over the least, no more than 1."""
    low = found[0] / np.maximum(ideal[0], 1e-300)
    return low, np.minimum(found[1] / np.maximum(ideal[1], 1e-300), 1.0)
