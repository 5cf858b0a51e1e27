"""`rankwise metrics stability`: scores and system rankings with fewer judgments."""

from typing import Any, ClassVar, cast

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, Positive, option
from rankwise.cli.options.scoring import Scored
from rankwise.cli.options.shared import WHOLE_REL
from rankwise.cli.output import Printed
from rankwise.vocabulary import Assumption, Cut


class Options(Scored, Charted, Printed):
    shared = "mean seed bounds"
    only_with: ClassVar = {"by=sample|shard": "resamples"}
    never_with: ClassVar = {"by=group": "at by_run bounds unjudged"}
    everyday = "metrics by at resamples groups by_run seed chart style output"
    by: Cut = option(
        "How judgments are reduced. `pool-depth`: to shallower pools. `sample`: to random samples. "
        "`group`: each run is scored without the documents that only its own group contributed to "
        "the pool (leave out uniques). `shard`: judgments and runs are reduced to a random subset "
        "of the documents.",
        default="pool-depth",
    )
    at: tuple[float, ...] = option(
        "Pool depth, sample size (fraction of the judgments) or shard size (fraction of the "
        "documents). Repeatable.  [default: depths 1, 2, …, 10, 20, …, 100; samples 0.01, 0.02, "
        "…, 0.1, 0.15, …, 0.95; shards 0.05, 0.1, 0.2, 0.5]",
        type=Positive,
        metavar="LEVEL",
    )
    resamples: int = option("Number of samples or shards per level.", default=10, type=AtLeast1)
    rel: float = WHOLE_REL
    unjudged: Assumption | None = option(
        "Assumption about unjudged documents: which of them can be relevant. `retrieved`: only "
        "documents that one of the runs retrieved. `open`: any document.  [default: retrieved]"
    )
    by_run: bool = option("Instead of the mean over runs: one row per run.")
    groups: str | None = option(
        "Score each run without the documents that only its own group contributed. FILE has two "
        "columns: run and group.  [default: with --by group, each run is its own group]",
        metavar="FILE",
    )
    pool_depth: int | None = option(
        "With --groups: pool depth of the groups.  [default: 100]", type=AtLeast1
    )


@with_options(Options)
def command(options: Options) -> None:
    """Measure the stability of scores and system rankings with fewer judgments.

    \b
    Examples:
      rankwise metrics stability qrels.txt runs/*.run -m AP,RankEff --by sample
      rankwise metrics stability qrels.txt runs/*.run -m "RBP(p=0.95)" --bounds
      rankwise metrics stability qrels.txt runs/*.run -m AP --at 10 --by-run
      rankwise metrics stability qrels.txt runs/*.run -m AP,P@10 --by shard --at 0.1
      rankwise metrics stability qrels.txt runs/*.run --by group
      rankwise metrics stability qrels.txt runs/*.run --by group --groups groups.txt
      rankwise metrics stability qrels.txt runs/*.run --by sample \\
          --groups groups.txt

    The columns are: `value`, the mean score over topics, runs and samples; `tau`,
    Kendall's tau between the system ranking under these judgments and that under all
    judgments; `sd` and `tau sd`, standard deviations over samples; `judged` and
    `relevant`, the numbers of judged and relevant documents per topic. The last level
    has all judgments; the topics are the same at all levels. `rankwise pool` and
    `rankwise plan sample` write the judgments of a level; with --seed N, the
    samples have the random seeds N, N + 1 ….

    With --by shard, a random subset of the documents is kept in all runs and in the
    judgments, as if the same systems had searched a smaller collection.

    With --by group, the columns are: `value`, the score with all judgments; `without`,
    the score without the judgments that only the group of the run contributed in its
    first 100 documents; `change`, the relative change of the score; `lost` and
    `lost rel.`, the numbers of excluded judgments and of relevant ones among them.
    """
    from rankwise.experiments.stability import stability

    too_large = [level for level in options.at if level > 1]
    if options.by in ("sample", "shard") and too_large:
        raise click.UsageError(
            f"--at must be a fraction above 0 and at most 1, not {too_large[0]:g}. For 5 % write "
            "0.05."
        )
    found = stability(
        options.collection(),
        metrics=options.parsed_metrics(),
        by=cast("Any", options.by),  # `stability` has one overload per kind
        at=options.at or None,
        resamples=options.resamples,
        seed=options.seed,
        groups=options.groups,
        pool_depth=options.pool_depth,
        rel=options.rel,
        mean=options.mean,
        bounds=options.bounds or options.unjudged is not None,
        unjudged=options.unjudged or "retrieved",
    )
    out = options.out
    if options.by == "group" or not options.by_run:
        options.draw(found.chart)
        out.result(found)
        return
    options.draw(lambda: found.chart(by_run=True))
    out.result(found, table=lambda: found.table(digits=out.digits, by_run=True), frame=found.by_run)
