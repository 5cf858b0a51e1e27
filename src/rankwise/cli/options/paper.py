"""Options for tables in papers: --sort, --second, --caption and --label."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rankwise.cli.options.base import option, require
from rankwise.cli.options.shared import PAPER
from rankwise.cli.output import Printed

if TYPE_CHECKING:
    from rankwise.comparison import Comparison
    from rankwise.scores import Scores

STYLES = ("latex", "markdown")
SORT_HELP = (
    "LaTeX and markdown: sort rows by this metric, or keep the order of the runs as given{}.  "
    "[default: sort by the first metric]"
)


class ForPaper(Printed):
    """Options of tables of scores."""

    sort: str | None = option(SORT_HELP.format(""), metavar="METRIC|given")
    second: bool = option("LaTeX and markdown: underline the second best score of each column.")
    caption: str | None = option(
        "LaTeX and markdown: text before the generated caption; '' for no caption.", metavar="TEXT"
    )
    label: str | None = option("LaTeX label.  [default: tab:rankwise]", metavar="NAME")

    def check(self) -> None:
        values = {name: getattr(self, name, None) for name in PAPER}
        self.paper = {name: value for name, value in values.items() if value not in (None, False)}
        for name in self.paper:
            styles = ("latex",) if name == "label" else STYLES
            if self.out.style not in styles:
                require(f"--{name}", f"--format {' or '.join(styles)}")

    def show_for_paper(self, result: "Scores | Comparison") -> None:
        """Write the table as LaTeX or markdown."""
        out = self.out
        as_text: Callable[..., str] = (
            result.to_latex if out.style == "latex" else result.to_markdown
        )
        out.write(as_text(digits=out.digits, **self.paper).encode())
