"""`rankwise metrics user-model`: the user model of a metric, or the p of RBP that fits a log."""

from typing import TYPE_CHECKING, ClassVar

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import Positive, argument, option
from rankwise.cli.options.reading import OwnMetrics
from rankwise.cli.options.shared import complete_metrics
from rankwise.cli.output import Printed

if TYPE_CHECKING:
    from rankwise.results import Result


class Options(OwnMetrics, Charted, Printed):
    only_with: ClassVar = {"log": "column relevant", "by_rank chart": "depth"}
    never_with: ClassVar = {
        "log": "metrics ranking by_rank depth accuracy chart",
        "by_rank": "page accuracy",
    }
    metrics: tuple[str, ...] = argument("[METRIC...]", nargs=-1, shell_complete=complete_metrics)
    log: str | None = option(
        "Instead of METRIC: estimate the p of RBP from a query log, a csv file with one row per "
        "search.",
        "--fit",
        metavar="LOG",
    )
    column: str = option(
        "With --fit: column of the log with the last rank viewed.", metavar="COLUMN", default="rank"
    )
    relevant: str | None = option(
        "With --fit: estimate p1 and p2 of RBP2. COLUMN has the ranks of the relevant documents, "
        "separated by spaces, e.g. 1 4 7.",
        metavar="COLUMN",
    )
    ranking: str = option(
        "Gains of the documents from rank 1 down, e.g. 1,0,0.5 or 10010, for user models that "
        "depend on relevance.  [default: no document is relevant]",
        metavar="GAINS",
        default="",
    )
    by_rank: bool = option("Instead of the summary: one row per rank.")
    depth: int = option(
        "Number of ranks in --by-rank and --chart.", default=30, type=click.IntRange(1, 10_000)
    )
    page: int | None = option(
        "Number of results per page. With --fit, searches whose last rank is the end of a page are "
        "censored observations.  [default: 10; with --fit, no pages]",
        type=click.IntRange(1, 10_000),
    )
    accuracy: float = option(
        "Compute the judging depth at which scores are accurate to within N.",
        default=0.0001,
        type=Positive,
    )


@with_options(Options)
def command(options: Options) -> None:
    """Describe the user model of a metric: how far users read, and what they gain.

    \b
    Examples:
      rankwise metrics user-model "RBP(p=0.5)" "RBP(p=0.95)" P@10 INSQ
      rankwise metrics user-model ERR RR@20 --ranking 0,0.5,0,1
      rankwise metrics user-model "RBP(p=0.8)" --by-rank --depth 10
      rankwise metrics user-model --fit log.csv --column last_click --page 10

    Every user views rank 1. The columns of --by-rank are, for each rank: `continue`,
    the probability of going on to the next rank; `view`, the probability of viewing
    this rank; `weight`, the weight of this rank in the score; `last`, the probability
    that this rank is the last one viewed; `residual`, the largest change of the score
    that documents below this rank can cause. A custom metric has a user model if it
    defines `continuation`, the probability of going on to the next rank.

    --fit estimates p by maximum likelihood, with a confidence interval. Two models are
    fitted: one p for all users, and a mixture in which p varies between users. The
    column `fit` says how well a single p explains the log. With --relevant, p1 (the
    probability of going on after a relevant document) and p2 (after any other document)
    are estimated separately, with a test of p1 = p2.
    """
    if options.log is not None:
        from rankwise.experiments import fit_persistence, fit_two_persistences
        from rankwise.formats import read_log

        last, ranks = read_log(options.log, options.column, options.relevant)
        fit: Result = (
            fit_persistence(last, options.page)
            if ranks is None
            else fit_two_persistences(last, ranks, options.page)
        )
        options.out.result(fit)
        return
    if not options.metrics:
        raise click.UsageError("No metric is given. Give METRIC..., e.g. RBP, or --fit LOG.")
    from rankwise.experiments import user_model

    found = user_model(
        options.metrics,
        parsed(options.ranking),
        depth=options.depth,
        page=options.page or 10,
        accuracy=options.accuracy,
    )
    options.draw(found.chart)
    has_notes = options.out.for_people and not options.by_rank
    options.out.result(
        found,
        table=lambda: found.table(digits=options.out.digits, by_rank=options.by_rank),
        frame=lambda: found.by_rank() if options.by_rank else found.frame,
        notes=found.notes if has_notes else [],
    )


def parsed(ranking: str) -> list[float]:
    parts = ranking.split(",") if "," in ranking else list(ranking)
    try:
        return [float(part) for part in parts]
    except ValueError:
        raise click.UsageError(
            f"--ranking {ranking}: not a list of gains. Write it as 1,0,0.5 or 10010."
        ) from None
