"""States of pairs of runs in a report: whether unjudged documents can change the winner."""

import numpy as np

from rankwise.arrays import ROUNDING, Ints
from rankwise.comparison import Comparison

# The page has a sentence for each of these words.
STATES = ["unknown", "A", "B", "equal", "reversible", "tie", "unresolved"]


def pair_states(compared: Comparison) -> Ints:
    """Return, for each row of the comparison, its index in `STATES`.

    `A` or `B`: this run is guaranteed to be better. `equal`: both runs are guaranteed to be equal.
    `reversible`: judgments are known for either winner. `tie`: both runs can become equal, but one
    of them cannot be better. `unresolved`: no other state is proven. `unknown`: there are no
    bounds.
    """
    if "verdict" not in compared.frame.columns:  # there are only scores, no judgments
        return np.zeros(compared.frame.height, np.int64)
    none = np.zeros(len(compared.first), np.bool_)
    reversible = np.concatenate([compared.reversible.get(name, none) for name in compared.metrics])
    verdict = compared.frame["verdict"].fill_null("unknown").to_numpy()
    low, high = (compared.frame[name].fill_null(np.nan).to_numpy() for name in ("low", "high"))
    one_sided = (low >= -ROUNDING) | (high <= ROUNDING)
    tie = compared.frame["proven"].fill_null(False).to_numpy() & one_sided
    undecided = np.select([reversible, tie], ["reversible", "tie"], default="unresolved")
    words = np.where(verdict == "undecided", undecided, verdict)
    return np.array([STATES.index(word) for word in words])
