"""Changes between the rankings of two runs, and bounds on the score differences."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.similarity.changes import (
        METRICS as METRICS,
        changed_rankings as changed_rankings,
        diff as diff,
    )
    from rankwise.similarity.run_diff import RunDiff as RunDiff
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
