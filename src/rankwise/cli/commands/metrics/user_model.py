"""`rankwise user-model`: whom a metric models."""

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.options.reading import Range, metrics_from_option
from rankwise.cli.output import Output, output_options, print_notes


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("metrics", metavar="METRIC...", nargs=-1, required=True)
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
    default=10,
    show_default=True,
    type=click.IntRange(1, 10_000),
    help="How many results a page has.",
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
    ranking: str,
    by_rank: bool,
    depth: int,
    page: int,
    accuracy: float,
    metrics_from: tuple[str, ...],
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Say whom a metric models: how far users look, and what they gain.

    \b
    Examples:
      rankwise user-model "RBP(p=0.5)" "RBP(p=0.95)" P@10 INSQ
      rankwise user-model ERR RR@20 --ranking 0,0.5,0,1
      rankwise user-model "RBP(p=0.8)" --by-rank --depth 10
      rankwise user-model --metrics-from my_metrics.py Mine --chart mine.svg

    A user sees rank 1 and goes on after rank i with probability continue; view is
    the chance to see a rank, weight its share of the attention, last the chance
    that nothing below is seen, residual the most that what is below can change.
    A metric of your own declares `continuation`.
    """
    from rankwise.experiments import user_model
    from rankwise.metrics import load_metrics

    for file in metrics_from:
        load_metrics(file)
    found = user_model(metrics, parsed(ranking), depth=depth, page=page, accuracy=accuracy)
    if chart is not None:
        write_chart(chart, found.chart())
    if not by_rank and out.for_people:
        print_notes(found.notes)
    if out.for_people:
        out.show(found.table(digits=out.digits, by_rank=by_rank))
    else:
        out.print(found.by_rank() if by_rank else found.frame, of=found)


def parsed(ranking: str) -> list[float]:
    parts = ranking.split(",") if "," in ranking else list(ranking)
    try:
        return [float(part) for part in parts]
    except ValueError:
        raise click.UsageError(f"--ranking {ranking}: gains, as in 1,0,0.5 or 10010.") from None
