"""`rankwise metrics stability`: scores and system rankings with fewer judgments."""

from typing import TYPE_CHECKING, Any, cast, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse
from rankwise.cli.options.reading import Range, rel_option, seed_option
from rankwise.cli.options.scoring import Scoring, scoring_options, two_assumptions_option
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import Cut

if TYPE_CHECKING:
    from rankwise.vocabulary import Assumption


@click.command(cls=Command)
@scoring_options()
@click.option(
    "--by",
    type=click.Choice(get_args(Cut)),
    default="pool-depth",
    show_default=True,
    help="How judgments are reduced. pool-depth: to shallower pools. sample: to random samples. "
    "group: for each run, to the pool without its own group. shard: runs and judgments to a "
    "random subset of the documents.",
)
@click.option(
    "--at",
    multiple=True,
    type=Range(0, min_open=True),
    metavar="LEVEL",
    help="Pool depth, or fraction of a sample or shard. Repeatable.  [default: depths 1 to 9, "
    "10, 20 … 100; samples 0.01 to 0.1, 0.15, 0.2 … 0.95; shards 0.05, 0.1, 0.2, 0.5]",
)
@click.option(
    "--resamples",
    default=10,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of samples or shards per level.",
)
@seed_option
@rel_option
@click.option(
    "--bounds",
    is_flag=True,
    help="Add the lowest and the highest score that the unjudged documents allow.",
)
@two_assumptions_option
@click.option("--by-run", is_flag=True, help="Instead of the mean over runs: one row per run.")
@click.option(
    "--groups",
    metavar="FILE",
    help="Score each run without the documents that only its own group contributed; FILE has "
    "lines `run group`.  [default: with --by group, each run is its own group]",
)
@click.option(
    "--pool-depth",
    type=click.IntRange(min=1),
    help="Pool depth, for --groups.  [default: 100]",
)
@chart_options
@output_options
def command(
    asked: Scoring,
    by: "Cut",
    at: tuple[float, ...],
    resamples: int,
    seed: int,
    bounds: bool,
    unjudged: "Assumption | None",
    by_run: bool,
    groups: str | None,
    pool_depth: int | None,
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Measure the stability of scores and system rankings with fewer judgments.

    \b
    Examples:
      rankwise metrics stability qrels.txt runs/*.run -m AP,RankEff --by sample
      rankwise metrics stability qrels.txt runs/*.run -m "RBP(p=0.95)" --bounds
      rankwise metrics stability qrels.txt runs/*.run -m AP --at 10 --by-run
      rankwise metrics stability qrels.txt runs/*.run -m AP,P@10 --by shard --at 0.1
      rankwise metrics stability qrels.txt runs/*.run --by group
      rankwise metrics stability qrels.txt runs/*.run --by group --groups groups.txt
      rankwise metrics stability qrels.txt runs/*.run --by sample --groups groups.txt

    value: mean over topics, runs and samples. tau: Kendall's tau between the system
    rankings by these judgments and by all. sd and tau sd: standard deviations over
    samples. judged and relevant: number of judgments per topic. The last level has
    all judgments; the topics are the same at all levels. `rankwise pool` and
    `rankwise plan sample` write the judgments of a level; the samples have the random
    seeds seed, seed + 1 ….

    With --by shard, a random subset of the documents is kept in all runs and in the
    judgments, as if the same systems had searched a smaller collection.

    With --by group, value is the score with all judgments; without excludes the
    judgments that only the run's own group contributed in its first 100 documents;
    change is relative; lost and lost rel. are the numbers of excluded judgments.
    """
    from rankwise.experiments.stability import stability

    if by == "group":
        refuse(["at", "by_run", "bounds", "unjudged"], "--by group")
    if by in ("sample", "shard"):
        _check_fractions(at)
    found = stability(
        asked.collection(),
        metrics=asked.parsed_metrics(),
        by=cast("Any", by),  # `stability` has one overload per kind
        at=at or None,
        resamples=resamples,
        seed=seed,
        groups=groups,
        pool_depth=pool_depth,
        rel=asked.rel,
        mean=asked.mean,
        bounds=bounds or unjudged is not None,
        unjudged=unjudged or "retrieved",
    )
    print_notes(found.notes)
    view: dict[str, Any] = {} if by == "group" else {"by_run": by_run}
    if chart is not None:
        write_chart(chart, found.chart(**view))
    if out.for_people:
        out.show(found.table(digits=out.digits, **view))
    else:
        out.print(found.by_run() if by_run else found.frame, of=found)


def _check_fractions(at: tuple[float, ...]) -> None:
    for level in at:
        if level > 1:
            raise click.UsageError(f"--at {level:g}: a fraction is at most 1. For 5 % give 0.05.")
