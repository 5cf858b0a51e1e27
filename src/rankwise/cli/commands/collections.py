"""`rankwise collections`: a comparison of runs over several data sets."""

from typing import ClassVar, Literal

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import argument, option
from rankwise.cli.options.reading import OwnMetrics
from rankwise.cli.options.shared import METRIC
from rankwise.cli.options.testing import Tests
from rankwise.cli.output import Printed


class Options(Tests, OwnMetrics, Printed):
    only_with: ClassVar = {
        "view=pairs": "baseline test correction family interval zeros no_continuity raw_ranks "
        "resamples",
        "view=runs|pairs": "alpha",
    }
    everyday = "metrics view baseline test correction alpha style output digits"
    folder: str = argument("FOLDER", type=click.Path(exists=True, file_okay=False))
    metrics: tuple[str, ...] = option(
        "Metric, or several: AP,nDCG@10.  [default: AP,nDCG@10,P@10,RR; with files of scores: all "
        "metrics of the files]",
        **METRIC,
    )
    view: Literal["runs", "pairs", "tau", "means"] = option(
        "Table to print. `runs`: mean and Borda count of each run. `pairs`: differences between "
        "runs, with tests over data sets. `tau`: Kendall's tau between the system rankings of data "
        "sets. `means`: the mean of each run on each data set.",
        "--show",
        default="runs",
    )
    baseline: str | None = option(
        "Compare every run with this one, instead of all pairs.", metavar="NAME"
    )


@with_options(Options)
def command(options: Options) -> None:
    """Compare runs over several data sets. Each data set is one observation.

    \b
    Examples:
      rankwise collections beir/ -m nDCG@10
      rankwise collections beir/ -m nDCG@10 --show pairs --baseline bm25
      rankwise collections beir/ -m nDCG@10,RR --show tau

    FOLDER has one sub-folder per data set, with judgments (a file with qrels in its
    name) and runs; a run has the same file name in each sub-folder. Or FOLDER has a
    file of scores per data set. Each data set has the same weight. The tests use data
    sets in place of topics. They therefore account for the choice of data sets, and not
    only for the choice of topics.
    """
    from rankwise.comparison import compare_collections

    result = compare_collections(
        options.folder, options.metrics or None, test=options.test_options()
    )
    table = result.table(digits=options.out.digits, show=options.view)
    options.out.result(
        result,
        table=lambda: table,
        frame=lambda: table.frame,
        notes=[result.caption, *result.notes, *table.notes],
    )
