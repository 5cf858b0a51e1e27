"""`rankwise metrics choose`: power, stability and agreement of metrics, side by side."""

from typing import get_args

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, Range, option
from rankwise.cli.options.scoring import Scored
from rankwise.cli.options.shared import WHOLE_REL
from rankwise.cli.output import Printed
from rankwise.vocabulary import Discriminator, SwapMethod

METHODS = [name for name in get_args(Discriminator) if name not in get_args(SwapMethod)]


class Options(Scored, Charted, Printed):
    shared = "alpha seed"
    everyday = "metrics method keep resamples topic_resamples pairs alpha seed output style"
    method: Discriminator = option(
        "Significance test that measures discriminative power. `tukey` is Tukey's HSD over all "
        "pairs, `bootstrap` Sakai's paired bootstrap. `rankwise metrics discriminate --help-all` "
        "describes the others.",
        choices=METHODS,
        default="tukey",
    )
    keep: float = option(
        "Fraction of the judgments in each sample, to measure stability.",
        default=0.1,
        type=Range(0, 1, min_open=True),
    )
    resamples: int = option("Number of samples of judgments.", default=100, type=AtLeast1)
    topic_resamples: int | None = option(
        "Number of bootstrap samples of the topics, for standard errors.  [default: 200; 50 with "
        "tests that resample]",
        type=click.IntRange(min=2),
    )
    pairs: bool = option(
        "Instead of the summary: for each pair of metrics, a test of the difference in "
        "discriminative power."
    )
    rel: float = WHOLE_REL


@with_options(Options)
def command(options: Options) -> None:
    """Compare metrics: discriminative power, stability and agreement.

    \b
    Examples:
      rankwise metrics choose qrels.txt runs/*.run -m AP,nDCG@10,P@10
      rankwise metrics choose qrels.txt runs/*.run -m AP,RankEff --chart choice.svg
      rankwise metrics choose qrels.txt runs/*.run -m AP,nDCG@10,P@10 --pairs

    The columns are: `significant`, the percentage of pairs of runs that differ
    significantly; `stability`, Kendall's tau between the system ranking under a sample
    of the judgments and that under all of them; `agreement`, the mean tau with the
    other metrics; `±`, the standard error, by a bootstrap over topics. --pairs tests the
    difference between the discriminative powers of two metrics, on the same bootstrap
    samples of topics (Holm over pairs of metrics).

    None of these columns shows that a metric measures what your users want. For details
    see `rankwise metrics discriminate`, `rankwise metrics stability` and `rankwise
    metrics correlate`.
    """
    from rankwise.experiments import which_metric

    found = which_metric(
        options.collection(),
        metrics=options.parsed_metrics(),
        method=options.method,
        alpha=options.alpha,
        keep=options.keep,
        resamples=options.resamples,
        topic_resamples=options.topic_resamples,
        rel=options.rel,
        seed=options.seed,
    )
    options.draw(found.chart)
    options.out.result(
        found,
        table=lambda: found.table(digits=options.out.digits, pairs=options.pairs),
        frame=lambda: found.pairs if options.pairs else found.frame,
        notes=[found.caption, *found.notes],
    )
