"""Stability of scores and of the system ranking as judgments are removed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.experiments.stability.fewer_judgments import (
        Stability as Stability,
        stability as stability,
    )
    from rankwise.experiments.stability.leave_out import LeftOut as LeftOut
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
