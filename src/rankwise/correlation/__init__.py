"""Rank correlation of system rankings under different metrics or judgments."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.correlation.correlation import (
        Correlation as Correlation,
        correlate as correlate,
        correlate_orders as correlate_orders,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
