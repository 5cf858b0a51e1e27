"""`rankwise metrics choose`: power, stability and agreement of metrics, side by side."""

from typing import get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.reading import Range, rel_option, seed_option
from rankwise.cli.options.scoring import Scoring, alpha_option, scoring_options
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import Discriminator, SwapMethod

METHODS = [name for name in get_args(Discriminator) if name not in get_args(SwapMethod)]


@click.command(cls=Command)
@scoring_options(mean=False)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="tukey",
    show_default=True,
    help="Test of the difference between two runs: Tukey's test (family-wise, over all pairs), "
    "Sakai's bootstrap, or another test.",
)
@alpha_option
@click.option(
    "--keep",
    default=0.1,
    show_default=True,
    type=Range(0, 1, min_open=True),
    help="Fraction of the judgments in each sample, for stability.",
)
@click.option(
    "--resamples",
    default=100,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of samples of judgments.",
)
@click.option(
    "--topic-resamples",
    type=click.IntRange(min=2),
    help="Bootstrap samples of the topics, for standard errors.  [default: 200; 50 with tests "
    "that resample]",
)
@click.option(
    "--pairs",
    is_flag=True,
    help="Instead of the summary: for each pair of metrics, a test of the difference in "
    "discriminative power.",
)
@seed_option
@rel_option
@chart_options
@output_options
def command(
    asked: Scoring,
    method: Discriminator,
    alpha: float,
    keep: float,
    resamples: int,
    topic_resamples: int | None,
    pairs: bool,
    seed: int,
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Compare metrics: discriminative power, stability and agreement.

    \b
    Examples:
      rankwise metrics choose qrels.txt runs/*.run -m AP,nDCG@10,P@10
      rankwise metrics choose qrels.txt runs/*.run -m AP,RankEff --chart choice.svg
      rankwise metrics choose qrels.txt runs/*.run -m AP,nDCG@10,P@10 --pairs

    significant: percentage of pairs of runs that differ significantly. stability:
    Kendall's tau between the system rankings by a sample of the judgments and by
    all of them. agreement: mean tau with the other metrics. ±: standard error, by a
    bootstrap over topics. --pairs tests the difference between the discriminative
    powers of two metrics, paired by the topics drawn (Holm over pairs of metrics).
    None of these shows that a metric measures what your users want. For details see
    `rankwise metrics discriminate`, `stability` and `correlate`.
    """
    from rankwise.experiments import which_metric

    found = which_metric(
        asked.collection(),
        metrics=asked.parsed_metrics(),
        method=method,
        alpha=alpha,
        keep=keep,
        resamples=resamples,
        topic_resamples=topic_resamples,
        rel=asked.rel,
        seed=seed,
    )
    print_notes([found.caption, *found.notes])
    if chart is not None:
        write_chart(chart, found.chart())
    if out.for_people:
        out.show(found.table(digits=out.digits, pairs=pairs))
    else:
        out.print(found.pairs if pairs else found.frame, of=found)
