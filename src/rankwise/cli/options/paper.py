"""Options for tables in papers: --sort, --second, --caption, --label and, with tests, --marks."""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click

from rankwise.cli.options.conflicts import require
from rankwise.cli.output import Output
from rankwise.vocabulary import Marks

if TYPE_CHECKING:
    from rankwise.comparison import Comparison
    from rankwise.scores import Scores

F = TypeVar("F", bound=Callable[..., Any])
STYLES = ("latex", "markdown")
PAPER = ("sort", "second", "caption", "label", "marks")


def show_for_paper(out: Output, found: "Scores | Comparison", asked: dict[str, Any]) -> None:
    """Write the table as LaTeX or markdown."""
    as_text: Callable[..., str] = found.to_latex if out.style == "latex" else found.to_markdown
    out.write(as_text(digits=out.digits, **asked).encode())


def paper_options(*, marks: bool) -> Callable[[F], F]:
    """Add the options; the command gets them as one argument, `paper`.

    Apply it below `output_options`.
    """

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def gathered(*args: Any, out: Output, **given: Any) -> Any:
            names = ["sort", "second", "caption", "label", *["marks"][: int(marks)]]
            asked = {name: given.pop(name) for name in names}
            asked = {name: value for name, value in asked.items() if value not in (None, False)}
            _check(asked, out)
            return command(*args, out=out, paper=asked, **given)

        decorated: Any = gathered
        for option in _options(marks=marks):
            decorated = option(decorated)
        return cast(F, decorated)

    return decorate


def _check(asked: dict[str, Any], out: Output) -> None:
    for option in asked:
        styles = ("latex",) if option == "label" else STYLES
        if out.style not in styles:
            require(f"--{option}", f"--format {' or '.join(styles)}")


def _options(*, marks: bool) -> list[Callable[[Any], Any]]:
    first = "|baseline" if marks else ""
    options = [
        click.option("--label", metavar="NAME", help="LaTeX label.  [default: tab:rankwise]"),
        click.option(
            *["--caption"],
            metavar="TEXT",
            help="LaTeX and markdown: text before the generated caption; '' for no caption.",
        ),
        click.option(
            "--second", is_flag=True, help="LaTeX and markdown: underline the second best."
        ),
        click.option(
            "--sort",
            metavar=f"METRIC|given{first}",
            help="LaTeX and markdown: order of rows.  [default: by the first metric]",
        ),
    ]
    mark = click.option(
        "--marks",
        type=click.Choice(get_args(Marks)),
        help="LaTeX and markdown: marks of significance. Against a baseline: arrows, or daggers "
        "(† at α, ‡ at α / 5); otherwise letters naming the runs that are significantly worse.  "
        "[default: arrows with a baseline, letters otherwise]",
    )
    return [*options, mark] if marks else options
