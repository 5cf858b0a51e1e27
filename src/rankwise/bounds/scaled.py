"""A sum of gains divided by the greatest gain of the topic, which a new judgment can raise."""

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds.grid import Bounds


def scaled_bounds(
    earned: Floats, now: Floats, gains: Floats, open_weight: Floats, lowest: Floats
) -> Bounds:
    """The extremes of S / G, for each ranking; exact.

    S is what is `earned` now, unscaled, G what it is divided by `now`, `gains` are those that
    a document can get, in order, U is the weight of all unjudged ranks (`open_weight`), w that
    of the `lowest` (0 where another document may be judged instead, infinite where none can).

    If G stays, the score lies between S / G and (S + gU) / G, g ≤ G the best gain.
    If it becomes a greater gain h, one document at least has it: S/h + w to S/h + U,
    whose least is that of the greatest h and whose greatest that of the least.
    """
    place = np.searchsorted(gains, now, "right")  # of the least gain above G
    most = (earned + gains[place - 1] * open_weight) / now
    least, greater = earned / now, place < len(gains)
    next_gain = np.append(gains, np.inf)[place]
    most = np.where(greater, np.maximum(most, earned / next_gain + open_weight), most)
    return np.where(greater, np.minimum(least, earned / gains[-1] + lowest), least), most
