"""`rankwise fit-p`: the p of RBP that fits a log of searches."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    from rankwise.results import Result


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("log", metavar="LOG")
@click.option(
    "--column",
    default="rank",
    show_default=True,
    help="The column of the last rank that was seen.",
)
@click.option(
    "--page",
    type=click.IntRange(min=1),
    help="Results per page. Where the log stops at the end of a page, searches with that last "
    "rank may have gone on.",
)
@click.option(
    "--relevant",
    metavar="COLUMN",
    help="p1 and p2 of RBP2 apart: the column of the ranks at which the search had relevant "
    "documents, with blanks between them, as 1 4 7; empty where there were none.",
)
@output_options
def command(log: str, column: str, page: int | None, relevant: str | None, out: Output) -> None:
    """Find the p of RBP, or p1 and p2 of RBP2, in a log: how far down users looked.

    \b
    Examples:
      rankwise fit-p log.csv
      rankwise fit-p log.csv --column last_click --page 10
      rankwise fit-p log.csv --relevant found_at

    LOG is a csv file, plain or compressed, with one row per search. p is found by
    maximum likelihood, with an interval, one for all users and as a mixture of users;
    fit says how well one p explains the log. With --relevant the chance to go on after
    a relevant document (p1) and after another one (p2) are told apart, with a test
    that they are the same.
    """
    from rankwise.experiments import fit_persistence, fit_two_persistences
    from rankwise.formats import read_log

    last, ranks = read_log(log, column, relevant)
    if ranks is None:
        found: Result = fit_persistence(last, page)
    else:
        found = fit_two_persistences(last, ranks, page)
    print_notes(found.notes)
    out.print(found.frame, of=found)
