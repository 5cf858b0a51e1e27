"""Corrections of the p-values of a family of tests."""

from typing import get_args

import numpy as np

from rankwise.arrays import Floats
from rankwise.errors import check_word
from rankwise.vocabulary import Correction


def corrected(p: Floats, method: Correction) -> Floats:
    """Correct the p-values of a family of tests; compare the result with α.

    - `none`: no correction.
    - `bonferroni`: m p, for m p-values. The probability of any false discovery is at most α.
    - `holm`: for the i-th smallest, the largest of (m − j + 1) p_j, j ≤ i. Same guarantee as
      Bonferroni, and never larger: there is no reason to prefer Bonferroni.
    - `bh`: for the i-th smallest, the smallest of m p_j / j, j ≥ i (Benjamini and Hochberg,
      JRSS B 57(1), 1995). The expected proportion of false discoveries is at most α, which is
      a weaker guarantee; for tests that are independent or positively dependent.

    NaN stays NaN and does not count in m.

    >>> corrected(np.array([0.01, 0.04, 0.03, np.nan]), "holm")
    array([0.03, 0.06, 0.06,  nan])
    """
    check_word("correction", method, get_args(Correction))
    there = ~np.isnan(p)
    out = np.array(p, float)
    order = np.argsort(p[there], kind="stable")
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    out[there] = np.minimum(1, _corrected_ascending(p[there][order], method))[back]
    return out


def _corrected_ascending(p: Floats, method: Correction) -> Floats:
    """Like `corrected`, for p-values in ascending order; may exceed 1."""
    m, place = len(p), np.arange(1, len(p) + 1)
    if method == "bonferroni":
        return m * p
    if method == "holm":
        return np.maximum.accumulate((m - place + 1) * p)
    if method == "bh":
        return np.minimum.accumulate((m * p / place)[::-1])[::-1]
    return p
