"""`rankwise metrics stability`: how scores and the system ranking hold with fewer judgments."""

from typing import TYPE_CHECKING, Any, cast, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
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
    help="Cut the judgments to pools of the runs, to random samples, or, for each run, to "
    "what other groups than its own found; or runs and judgments to random shards of the "
    "documents.",
)
@click.option(
    "--at",
    multiple=True,
    type=Range(0, min_open=True),
    metavar="LEVEL",
    help="A pool depth, or the share of a sample or shard. Give it again for more.  [default: 1 "
    "to 9, 10, 20 … 100; 0.01 to 0.1, 0.15, 0.2 … 0.95; of shards 0.05, 0.1, 0.2, 0.5]",
)
@click.option(
    "--resamples",
    default=10,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many samples or shards to draw at each level.",
)
@seed_option
@rel_option
@click.option("--bounds", is_flag=True, help="Also bounds that the unjudged documents leave.")
@two_assumptions_option
@click.option("--by-run", is_flag=True, help="A row for each run, in place of their mean.")
@click.option(
    "--groups",
    metavar="FILE",
    help="Lines `run group`: score each run without what only its own group found, at each "
    "level or, with --by group, of all judgments; there each run is else a group.",
)
@click.option(
    "--pool-depth",
    type=click.IntRange(min=1),
    help="How deep a run was judged, for --groups.  [default: 100]",
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
    """Say how scores and the system ranking hold as judgments are taken away.

    \b
    Examples:
      rankwise metrics stability qrels.txt runs/*.run -m AP -m RankEff --by sample
      rankwise metrics stability qrels.txt runs/*.run -m "RBP(p=0.95)" --bounds
      rankwise metrics stability qrels.txt runs/*.run -m AP --at 10 --by-run
      rankwise metrics stability qrels.txt runs/*.run -m AP -m P@10 --by shard --at 0.1
      rankwise metrics stability qrels.txt runs/*.run --by group
      rankwise metrics stability qrels.txt runs/*.run --by group --groups groups.txt
      rankwise metrics stability qrels.txt runs/*.run --by sample --groups groups.txt

    value is the mean over topics, runs and samples; tau is Kendall's, between the
    order of the runs by these judgments and by all; sd and tau sd are deviations
    over samples; judged and relevant count the judgments left, a topic. The last
    level is all judgments. Topics are the same at all levels. `rankwise pool` and
    `rankwise reduce` write the judgments of a level; samples have the seeds seed,
    seed + 1 ….

    By shard: each document, wherever it occurs, is in or out; ranks close up, as if
    the same systems had searched a smaller collection.

    By group: value is by all judgments; without leaves out what only the run's
    own group has among its first 100 documents; change is relative; lost and
    lost rel. count these judgments.
    """
    from rankwise.experiments.stability import stability

    _check(by, at, by_run, bounds or unjudged is not None)
    found = stability(
        asked.collection(),
        metrics=asked.parsed_metrics(),
        by=cast("Any", by),  # each kind has an overload of its own
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


def _check(by: str, at: tuple[float, ...], by_run: bool, bounds: bool) -> None:
    if by == "group" and (at or by_run or bounds):
        raise click.UsageError("--by group takes no --at, --by-run, --bounds or --unjudged.")
    if by in ("sample", "shard") and any(level > 1 for level in at):
        level = next(level for level in at if level > 1)
        raise click.UsageError(f"--at {level:g}: a share of at most 1; 5 % is 0.05.")
