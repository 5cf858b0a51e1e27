"""`rankwise study`: the tables and figures of a paper, on your data."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import fill
from typing import TYPE_CHECKING

import click

from rankwise.cli.help import Command
from rankwise.cli.options.reading import (
    depth_option,
    gains_option,
    lenient_option,
    order_option,
    runs_argument,
    seed_option,
)
from rankwise.cli.output import Output, print_notes
from rankwise.vocabulary import Order

if TYPE_CHECKING:
    from rankwise.rankings import NamedRun
    from rankwise.studies import Made, Paper, Part, TooLittleFor


@click.command(cls=Command)
@click.argument("paper", metavar="[PAPER]", required=False)
@click.argument("qrels", metavar="[QRELS]", required=False)
@runs_argument("[RUN...]", required=False)
@click.option("-o", "--output", "folder", metavar="DIR", help="Write the study to this folder.")
@click.option(
    *["--set", "settings"],
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the study; `rankwise study` lists them. Repeatable.",
)
@seed_option
@order_option
@depth_option
@gains_option
@click.option(
    "--complete-runs/--all-runs",
    default=None,
    help="Exclude incomplete runs, or use all.  [default: as in the paper; all if no run is "
    "complete]",
)
@lenient_option
@click.option("--again", is_flag=True, help="Recompute finished parts.")
def command(
    paper: str | None,
    qrels: str | None,
    runs: "tuple[str | NamedRun, ...]",
    folder: str | None,
    settings: tuple[str, ...],
    seed: int,
    order: Order,
    depth: int | None,
    gains: str | None,
    complete_runs: bool | None,
    lenient: bool,
    again: bool,
) -> None:
    """Run a paper's experiments on your runs and judgments.

    \b
    Examples:
      rankwise study
      rankwise study moffat-zobel-2008 qrels.txt runs/*.run -o study
      rankwise study sakai-2007 qrels.txt runs/*.run -o study --set resamples=200

    Without PAPER, the available studies are listed. DIR will contain index.html,
    each table as csv and LaTeX, each figure as svg, png and Vega-Lite json, and
    study.json. To resume an interrupted study, run the same command again.
    """
    from rankwise.rankings import Collection
    from rankwise.studies import paper_named, study

    if paper is None:
        _list_papers()
        return
    chosen = paper_named(paper)
    if folder is None:
        raise click.UsageError("No output folder. Give -o DIR.")
    with _stoppable(again), _reporting(chosen) as report:
        collection = Collection(qrels, runs, order=order, depth=depth, gains=gains, lenient=lenient)
        left = study(
            paper,
            collection,
            None,
            folder,
            parameters=dict(_setting(text) for text in settings),
            seed=seed,
            again=again,
            on_part=report,
            complete_runs=complete_runs,
        )
    print_notes([*left.notes, f"seed {seed}", f"wrote {left.path / 'index.html'}"])


@contextmanager
def _stoppable(again: bool) -> Iterator[None]:
    """Print on Ctrl-C that the study can be resumed."""
    try:
        yield
    except KeyboardInterrupt:
        without = " without --again" if again else ""
        click.echo(f"note: stopped; the same command{without} goes on", err=True)
        raise click.Abort from None


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"--set {text}: no value. Give it as NAME=VALUE.")
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
def _reporting(
    paper: "Paper",
) -> "Iterator[Callable[[Part, Made | TooLittleFor | None], None]]":
    """Print each table when it is finished, with one progress bar for the study."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, redirect_stdout=False)
    bar.disable = not console.is_terminal
    task = bar.add_task(paper.name, total=len(paper.parts))

    def report(part: "Part", made: "Made | TooLittleFor | None") -> None:
        bar.stop()
        _print_part(paper, part, made)
        bar.start()
        bar.advance(task)

    with bar:
        yield report


def _print_part(paper: "Paper", part: "Part", made: "Made | TooLittleFor | None") -> None:
    from rankwise.studies import Figure, Table

    if made is None:
        print_notes([f"{part.heading} was finished before"])
    elif isinstance(made, Figure):
        click.echo(f"{part.heading}: {part.name}.svg\n")
    elif isinstance(made, Table):
        said = " ".join(filter(None, [part.caption, made.remark]))
        click.echo(fill(f"{part.heading}. {said}", 80) + "\n")
        shown = paper.shown(part, made.frame)
        Output(digits=part.digits).print(shown, right=paper.right(part, made.frame))
        click.echo("")
