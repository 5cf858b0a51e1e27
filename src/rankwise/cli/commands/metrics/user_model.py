"""`rankwise metrics user-model`: the user model of a metric, or the p that fits a log."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.reading import Range, metrics_from_option
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    from rankwise.results import Result


@click.command(cls=Command)
@click.argument("metrics", metavar="[METRIC...]", nargs=-1)
@click.option(
    "--fit",
    "log",
    metavar="LOG",
    help="Estimate the p of RBP from a query log instead: a csv file, one row per search.",
)
@click.option(
    "--column",
    default="rank",
    show_default=True,
    help="With --fit: the column with the last rank that was seen.",
)
@click.option(
    "--relevant",
    metavar="COLUMN",
    help="With --fit: estimate p1 and p2 of RBP2. The column has the ranks of the relevant "
    "documents, separated by blanks, as 1 4 7.",
)
@click.option(
    "--ranking",
    metavar="GAINS",
    default="",
    help="What the documents from the top gain, as 1,0,0.5 or 10010: for users who react to "
    "what they find.  [default: nothing is relevant]",
)
@click.option("--by-rank", is_flag=True, help="A row for each rank, in place of the summary.")
@click.option(
    "--depth",
    default=30,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="How many ranks --by-rank and --chart show.",
)
@click.option(
    "--page",
    type=click.IntRange(1, 10_000),
    help="Results per page. With --fit: searches that end at the end of a page may have gone on."
    "  [default: 10; with --fit, no pages]",
)
@click.option(
    "--accuracy",
    default=0.0001,
    show_default=True,
    type=Range(0, min_open=True),
    help="How accurate scores must be, for the depth to judge to.",
)
@metrics_from_option
@chart_options
@output_options
def command(
    metrics: tuple[str, ...],
    log: str | None,
    column: str,
    relevant: str | None,
    ranking: str,
    by_rank: bool,
    depth: int,
    page: int | None,
    accuracy: float,
    metrics_from: tuple[str, ...],
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Describe the user model of a metric: how far users read, and what they gain.

    \b
    Examples:
      rankwise metrics user-model "RBP(p=0.5)" "RBP(p=0.95)" P@10 INSQ
      rankwise metrics user-model ERR RR@20 --ranking 0,0.5,0,1
      rankwise metrics user-model "RBP(p=0.8)" --by-rank --depth 10
      rankwise metrics user-model --fit log.csv --column last_click --page 10

    A user sees rank 1 and continues after rank i with probability continue; view is
    the probability of seeing a rank, weight its share of the attention, last the
    probability that nothing below is seen, residual the most that the documents
    below can change. A metric of your own declares `continuation`.

    --fit estimates p by maximum likelihood, with a confidence interval, one p for
    all users and as a mixture of users; fit says how well one p explains the log.
    With --relevant, the probabilities to continue after a relevant document (p1)
    and after another one (p2) are estimated separately, with a test that they are
    equal.
    """
    if log is not None:
        if metrics or chart is not None or by_rank or ranking:
            raise click.UsageError("--fit LOG estimates p: give no METRIC, --ranking or --chart.")
        _fit(log, column, relevant, page, out)
        return
    if not metrics:
        raise click.UsageError("give METRIC..., or --fit LOG.")
    if relevant is not None:
        raise click.UsageError("--relevant COLUMN goes with --fit LOG.")
    from rankwise.experiments import user_model
    from rankwise.metrics import load_metrics

    for file in metrics_from:
        load_metrics(file)
    found = user_model(metrics, parsed(ranking), depth=depth, page=page or 10, accuracy=accuracy)
    if chart is not None:
        write_chart(chart, found.chart())
    if not by_rank and out.for_people:
        print_notes(found.notes)
    if out.for_people:
        out.show(found.table(digits=out.digits, by_rank=by_rank))
    else:
        out.print(found.by_rank() if by_rank else found.frame, of=found)


def _fit(log: str, column: str, relevant: str | None, page: int | None, out: Output) -> None:
    """Estimate p, or p1 and p2, from a query log."""
    from rankwise.experiments import fit_persistence, fit_two_persistences
    from rankwise.formats import read_log

    last, ranks = read_log(log, column, relevant)
    if ranks is None:
        found: Result = fit_persistence(last, page)
    else:
        found = fit_two_persistences(last, ranks, page)
    print_notes(found.notes)
    out.print(found.frame, of=found)


def parsed(ranking: str) -> list[float]:
    parts = ranking.split(",") if "," in ranking else list(ranking)
    try:
        return [float(part) for part in parts]
    except ValueError:
        raise click.UsageError(f"--ranking {ranking}: gains, as in 1,0,0.5 or 10010.") from None
