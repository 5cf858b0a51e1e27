"""`rankwise metrics user-model`: the user model of a metric, or the p that fits a log."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse, require
from rankwise.cli.options.reading import Range, metrics_from_option
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    from rankwise.results import Result


@click.command(cls=Command)
@click.argument("metrics", metavar="[METRIC...]", nargs=-1, shell_complete=complete_metrics)
@click.option(
    "--fit",
    "log",
    metavar="LOG",
    help="Instead of METRIC: estimate the p of RBP from a query log, a csv file with one row per "
    "search.",
)
@click.option(
    "--column",
    metavar="COLUMN",
    default="rank",
    show_default=True,
    help="With --fit: column with the last rank viewed.",
)
@click.option(
    "--relevant",
    metavar="COLUMN",
    help="With --fit: estimate p1 and p2 of RBP2. COLUMN has the ranks of the relevant "
    "documents, separated by spaces, e.g. 1 4 7.",
)
@click.option(
    "--ranking",
    metavar="GAINS",
    default="",
    help="Gains of the documents from rank 1 down, e.g. 1,0,0.5 or 10010, for user models that "
    "depend on relevance.  [default: no document is relevant]",
)
@click.option("--by-rank", is_flag=True, help="Instead of the summary: one row per rank.")
@click.option(
    "--depth",
    default=30,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="Number of ranks in --by-rank and --chart.",
)
@click.option(
    "--page",
    type=click.IntRange(1, 10_000),
    help="Results per page. With --fit: if the log ends at the end of a page, searches that end "
    "there are censored observations.  [default: 10; with --fit, no pages]",
)
@click.option(
    "--accuracy",
    default=0.0001,
    show_default=True,
    type=Range(0, min_open=True),
    help="Accuracy of scores, for the judging depth.",
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

    A user views rank 1 and continues after rank i with probability continue. view:
    probability of viewing a rank. weight: its weight in the score. last: probability
    that it is the last rank viewed. residual: largest change of the score by the
    documents below. A custom metric declares `continuation`.

    --fit estimates p by maximum likelihood, with a confidence interval: one p for
    all users, and a mixture of users. fit: how well a single p explains the log.
    With --relevant, p1 (the probability to continue after a relevant document) and
    p2 (after another document) are estimated separately, with a test of p1 = p2.
    """
    if log is not None:
        refuse(["metrics", "ranking", "by_rank", "depth", "accuracy", "chart"], "--fit")
        _fit(log, column, relevant, page, out)
        return
    if not metrics:
        raise click.UsageError("No metric. Give METRIC..., e.g. AP, or --fit LOG.")
    if relevant is not None:
        require("--relevant", "--fit LOG")
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
        raise click.UsageError(
            f"--ranking {ranking}: not a list of gains. Give it as 1,0,0.5 or 10010."
        ) from None
