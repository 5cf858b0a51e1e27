"""`rankwise study`: the tables and figures of a published study, recomputed on your data."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import argument, option
from rankwise.cli.options.reading import Reading
from rankwise.cli.options.shared import RUNS
from rankwise.cli.output import Output, print_notes, print_outcome
from rankwise.notes import Note

if TYPE_CHECKING:
    from rankwise.rankings import NamedRun
    from rankwise.studies import Made, Paper, Part, TooLittleFor


class Options(Reading):
    shared = "seed depth gains"
    paper: str | None = argument("[PAPER]")
    qrels: str | None = argument("[QRELS]")
    runs: "tuple[str | NamedRun, ...]" = argument("[RUN...]", **RUNS)
    folder: str | None = option("Write the study to this folder.", "-o --output", metavar="DIR")
    settings: tuple[str, ...] = option(
        "Set a parameter of the study; `rankwise study` lists them. Repeatable.",
        "--set",
        metavar="NAME=VALUE",
    )
    columns: None = None  # `study` records the files by their names
    complete_runs: bool | None = option(
        "Exclude incomplete runs (fewer than 950 documents per topic on average, or a topic "
        "without any), or use all runs.  [default: as in the paper; all runs if none is complete]",
        "--complete-runs/--all-runs",
        default=None,
    )
    again: bool = option("Recompute finished parts.")


@with_options(Options)
def command(options: Options) -> None:
    """Run a paper's experiments on your runs and judgments.

    \b
    Examples:
      rankwise study
      rankwise study moffat-zobel-2008 qrels.txt runs/*.run -o study
      rankwise study sakai-2007 qrels.txt runs/*.run -o study --set resamples=200

    Without PAPER, the available studies are listed. The output folder (-o DIR) will
    contain index.html, each table as csv and LaTeX, each figure as svg, png and
    Vega-Lite json, and study.json. To resume an interrupted study, run the same command again.
    """
    from rankwise.studies import paper_named, study

    if options.paper is None:
        _list_papers()
        return
    chosen = paper_named(options.paper)
    if options.folder is None:
        raise click.UsageError("The output folder is missing. Give -o DIR.")
    try:
        with _reporting(chosen) as report:
            left = study(
                options.paper,
                options.collection_of(options.qrels, options.runs, complete_runs=False),
                None,
                options.folder,
                parameters=dict(_setting(text) for text in options.settings),
                seed=options.seed,
                again=options.again,
                on_part=report,
                complete_runs=options.complete_runs,
            )
    except KeyboardInterrupt:
        without = ", without --again," if options.again else ""
        click.echo(f"note: stopped; run the same command{without} to continue", err=True)
        raise click.Abort from None
    as_notes: dict[str, Note | str] = {str(each): each for each in left.input_notes}
    notes = [as_notes.get(text, text) for text in left.notes]
    print_notes([*notes, f"the random seed is {options.seed}"])
    print_outcome(f"wrote {left.path / 'index.html'}")


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set {text}: the value is missing. Write it as NAME=VALUE.")
    return name, value


def _list_papers() -> None:
    from rankwise.studies import PAPERS, paper_named

    for paper in map(paper_named, PAPERS):
        click.echo(paper.name)
        about = f"{paper.about} {', '.join(part.heading for part in paper.parts)}."
        click.echo(fill(about, 78, initial_indent="  ", subsequent_indent="  "))
        settings = " ".join(f"{name}={value}" for name, value in paper.parameters.items())
        click.echo(
            fill(
                f"--set: {settings or 'nothing'}", 78, initial_indent="  ", subsequent_indent="    "
            )
        )


@contextmanager
def _reporting(paper: "Paper") -> "Iterator[Callable[[Part, Made | TooLittleFor | None], None]]":
    """Show a progress bar, and yield a function that prints each finished part above it."""
    from rich.console import Console
    from rich.progress import Progress

    from rankwise.studies import Figure, Table

    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, redirect_stdout=False)
    bar.disable = not console.is_terminal
    task = bar.add_task(paper.name, total=len(paper.parts))

    def report(part: "Part", made: "Made | TooLittleFor | None") -> None:
        bar.stop()
        if made is None:
            print_notes([f"{part.heading}: already finished, not recomputed"])
        elif isinstance(made, Figure):
            click.echo(f"{part.heading}: {part.name}.svg\n")
        elif isinstance(made, Table):
            said = " ".join(filter(None, [part.caption, made.remark]))
            click.echo(fill(f"{part.heading}. {said}", 80) + "\n")
            shown = paper.shown(part, made.frame)
            Output(digits=part.digits).print(shown, right=paper.right(part, made.frame))
            click.echo("")
        bar.start()
        bar.advance(task)

    with bar:
        yield report
