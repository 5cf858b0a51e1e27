"""Users whose time goes into documents: what a relevant one adds falls with the time before it."""

from collections.abc import Callable

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds.grid import Bounds

Discount = Callable[[Floats], Floats]


def bounds_of_readers(
    gain: Floats, possible: Floats, least: Floats, most: Floats, discounted: Discount
) -> Bounds:
    """The gain of a grid of documents, each discounted by what those above it cost: valid.

    `gain` and `possible` are without and with the unjudged documents, `least` and `most` what
    each document can cost. Discounts fall with the cost. So a relevant document adds the most
    where all unjudged ones above it cost the least, and the least where they cost the most. A
    document cannot always cost the least and be relevant, too, so the ends are not tight.
    """
    fast, slow = (np.cumsum(cost, axis=1) - cost for cost in (least, most))
    return (gain * discounted(slow)).sum(axis=1), (possible * discounted(fast)).sum(axis=1)
