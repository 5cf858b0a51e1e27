"""The HTML report: one self-contained page with leaderboard, pairs, topics and collection.

`rankwise.report` is the function; a package cannot have its name.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.reporting.page_report import Report as Report, report as report
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
