"""What changed between two runs, and the most that any judgments could make of it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.similarity.changes import METRICS as METRICS, diff as diff
    from rankwise.similarity.run_diff import RunDiff as RunDiff
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
