"""How alike metrics, judgments or given orders put the same systems.

coefficients.py  the coefficients by name, what each does with ties, and the matrix of one
correlation.py   what comes out: Correlation, with its frame, matrix and swaps
orders.py        what goes in: orders of systems from scores or as they are given
"""

from rankwise.correlation.coefficients import COEFFICIENTS
from rankwise.correlation.result import Correlation, correlate, correlate_orders
from rankwise.vocabulary import CoefficientName

__all__ = ["COEFFICIENTS", "CoefficientName", "Correlation", "correlate", "correlate_orders"]
