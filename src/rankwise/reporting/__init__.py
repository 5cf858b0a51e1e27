"""The HTML report: one self-contained page with leaderboard, pairs, topics and collection.

The public function is `rankwise.report`. The package has another name, because a package
`rankwise.report` would hide the function.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.reporting.page_report import Report as Report, report as report
    from rankwise.reporting.provenance import (
        Request as Request,
        command_line as command_line,
        requested_by as requested_by,
        score_files as score_files,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
