"""`rankwise collections`: runs compared over several data sets."""

import click

from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import Command
from rankwise.cli.options.reading import metrics_from_option, seed_option
from rankwise.cli.options.scoring import alpha_option, correction_option, test_option
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import Correction, Test


@click.command(cls=Command)
@click.argument("folder", metavar="FOLDER", type=click.Path(exists=True, file_okay=False))
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    shell_complete=complete_metrics,
    help="Metric, or several: AP,nDCG@10.  [default: AP,nDCG@10,P@10,RR]",
)
@click.option("--baseline", metavar="NAME", help="Compare every run with this one.")
@click.option(
    *["--show", "view"],
    type=click.Choice(["runs", "pairs", "tau", "means"]),
    default="runs",
    show_default=True,
    help="runs: mean and Borda count; pairs: differences with intervals and wins; tau: Kendall's "
    "tau between data sets; means: the mean of each run on each data set.",
)
@metrics_from_option
@test_option
@correction_option
@alpha_option
@seed_option
@output_options
def command(
    folder: str,
    metrics: tuple[str, ...],
    baseline: str | None,
    view: str,
    metrics_from: tuple[str, ...],
    test: Test,
    correction: Correction | None,
    alpha: float,
    seed: int,
    out: Output,
) -> None:
    """Compare runs over several data sets; each data set counts the same.

    \b
    Examples:
      rankwise collections beir/ -m nDCG@10
      rankwise collections beir/ -m nDCG@10 --show pairs --baseline bm25
      rankwise collections beir/ -m nDCG@10 --show tau

    FOLDER has a sub-folder for each data set, with judgments (a file with qrels in
    its name) and runs, which have the same file names in all data sets; or files of
    scores, one for each data set, as --scores of compare reads them. Intervals and
    p-values take the data sets for a sample of data sets, and allow for their topics
    too; topics_low and topics_high take the data sets as fixed.
    """
    from rankwise.comparison import TestOptions, compare_collections
    from rankwise.metrics import load_metrics
    from rankwise.scores import DEFAULT_METRICS

    for file in metrics_from:
        load_metrics(file)
    ways = TestOptions(test, correction, alpha=alpha, seed=seed, baseline=baseline)
    found = compare_collections(folder, metrics or DEFAULT_METRICS, test=ways)
    table = found.table(digits=out.digits, show=view)
    print_notes([found.caption, *found.notes])
    if out.for_people:
        out.show(table)
    else:
        out.print(table.frame, of=found)
