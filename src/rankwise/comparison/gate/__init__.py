"""Gate: a decision on whether a candidate run may replace a baseline, with an exit code."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.comparison.gate.gate_result import Gate as Gate
    from rankwise.comparison.gate.gating import gate as gate
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
