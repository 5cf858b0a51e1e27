"""How alike metrics, judgments or given orders put the same systems.

coefficients.py     the coefficients by name, what each does with ties, and the matrix of one
result.py           `correlate`, and what comes out: Correlation, with its matrix and swaps
system_rankings.py  what goes in: system rankings from scores or as they are given
swaps.py            the pairs of systems that two orders put differently
layout.py           the table of `rankwise correlate`
"""

from rankwise.correlation.coefficients import COEFFICIENTS
from rankwise.correlation.result import Correlation, correlate, correlate_orders
from rankwise.vocabulary import CoefficientName

__all__ = ["COEFFICIENTS", "CoefficientName", "Correlation", "correlate", "correlate_orders"]
