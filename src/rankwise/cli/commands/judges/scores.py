"""`rankwise judges scores`: scores of runs under each judge."""

from rankwise.cli.help import with_options
from rankwise.cli.options.base import option
from rankwise.cli.options.scoring import Scored
from rankwise.cli.output import Printed
from rankwise.vocabulary import Combination


class Options(Scored, Printed):
    shared = "rel lengths undefined"
    everyday = "metrics judge rel columns style output digits"
    judges: Combination | None = None  # the judges are not combined
    judge: tuple[str, ...] = option(
        "Judgments of another judge. Not needed if QRELS is a table with a column `judge`. "
        "Repeatable.",
        metavar="[NAME=]QRELS",
    )


@with_options(Options)
def command(options: Options) -> None:
    """Score runs under each judge, and show how much the scores differ.

    \b
    Examples:
      rankwise judges scores human=a.qrels runs/*.run --judge llm=b.qrels -m nDCG@10
      rankwise judges scores labels.csv runs/*.run -m AP

    QRELS has the judgments of the first judge, or is a table with a column `judge`. The
    table has one row per run and metric: the score under each judge, and `spread`, the
    highest minus the lowest of these scores. csv and json have one row per run, metric
    and judge. The scores under a judge use the judgments of this judge only. `rankwise
    judges agree` measures the agreement of the judges.
    """
    from rankwise.agreement import score_by_judge

    options.out.result(score_by_judge(options.collection(), metrics=options.parsed_metrics()))
