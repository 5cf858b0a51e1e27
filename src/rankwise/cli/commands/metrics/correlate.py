"""`rankwise metrics correlate`: rank correlation of system rankings."""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse, require
from rankwise.cli.options.reading import Range
from rankwise.cli.options.scoring import Scoring, scoring_options
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import CoefficientName

if TYPE_CHECKING:
    import polars as pl

    from rankwise.correlation import Correlation


@click.command(cls=Command)
@scoring_options(matrices=True)
@click.option(
    "--with-qrels",
    multiple=True,
    metavar="FILE",
    help="Other judgments of the same runs: correlate the system rankings by these and by "
    "QRELS. Repeatable.",
)
@click.option("--orders", is_flag=True, help="The files are system rankings, not QRELS and RUN....")
@click.option(
    "--coefficient",
    type=click.Choice(get_args(CoefficientName)),
    default="kendall",
    show_default=True,
    help="Rank correlation coefficient. kendall: tau-b; tau-ap: weighted towards the top, with "
    "the row as reference; tau-ap-b: its symmetric form for ties; rbo: rank-biased overlap.",
)
@click.option(
    *["--p", "p"],
    type=Range(0, 1, min_open=True, max_open=True),
    help="p of rank-biased overlap, 0 < p < 1.  [default: 0.9]",
)
@click.option(
    "--swaps",
    is_flag=True,
    help="Instead of the coefficients: the pairs of systems that two rankings order differently.",
)
@click.option(
    "--ranks",
    is_flag=True,
    help="Instead of the coefficients: the rank of each system in each ranking, largest changes "
    "first.",
)
@click.option(
    "--alpha",
    type=Range(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level of the paired t-tests of --swaps.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Number of rows of --swaps and --ranks; csv, json and parquet have all.",
)
@chart_options
@output_options
def command(
    asked: Scoring,
    with_qrels: tuple[str, ...],
    orders: bool,
    coefficient: "CoefficientName",
    p: float | None,
    swaps: bool,
    ranks: bool,
    alpha: float,
    rows: int,
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Compute the rank correlation of system rankings under different metrics or judgments.

    \b
    Examples:
      rankwise metrics correlate qrels.txt runs/*.run -m "AP,nDCG@10,RBP(p=0.8)"
      rankwise metrics correlate qrels.txt runs/*.run -m AP,RR --swaps
      rankwise metrics correlate qrels.txt runs/*.run -m AP,RankEff --ranks
      rankwise metrics correlate qrels.txt runs/*.run -m AP --with-qrels shallow.txt
      rankwise metrics correlate --scores AP=ap.csv --scores RR=rr.csv --chart tau.svg
      rankwise metrics correlate --orders mine.txt theirs.txt --coefficient rbo

    Systems are ranked by their mean scores. The table is a matrix. For two rankings,
    and in csv and json, there is one row per pair of rankings, with the p-value
    (Kendall's is exact for few systems) or the bounds of rbo. The files of --orders
    have one system per line, best first, or lines `system score`.
    """
    _check_sources(asked, with_qrels, orders)
    if swaps:
        refuse(["ranks"], "--swaps")
    if p is not None and coefficient != "rbo":
        require("--p", "--coefficient rbo")
    found = _correlated(asked, with_qrels, orders, coefficient, p or 0.9)
    if chart is not None:
        write_chart(chart, found.chart())
    if ranks:
        table = found.rank_table(rows=rows, digits=out.digits)
        print_notes([*table.notes, *found.notes])
    elif swaps:
        table = found.swap_table(alpha=alpha, rows=rows, digits=out.digits)
        print_notes([*table.notes, *found.notes])
    else:
        table = found.table(digits=out.digits)
        reading = table.notes if out.for_people else []
        print_notes([found.caption, *found.notes, *reading])
    if out.for_people:
        out.show(table)
    else:
        out.print(_frame(found, swaps, ranks, alpha), of=found)


def _frame(found: "Correlation", swaps: bool, ranks: bool, alpha: float) -> "pl.DataFrame":
    if ranks:
        return found.rank_changes()
    return found.swaps(alpha=alpha) if swaps else found.frame


def _check_sources(asked: Scoring, with_qrels: tuple[str, ...], orders: bool) -> None:
    if orders:
        refuse(["matrices", "metrics", "with_qrels"], "--orders")
    if with_qrels and "-" in asked.runs:
        raise click.UsageError(
            "--with-qrels reads the runs more than once, which standard input (-) does not allow. "
            "Give files."
        )


def _correlated(
    asked: Scoring,
    with_qrels: tuple[str, ...],
    orders: bool,
    coefficient: "CoefficientName",
    p: float,
) -> "Correlation":
    from pathlib import Path

    from rankwise.correlation import correlate, correlate_orders
    from rankwise.formats import read_order
    from rankwise.rankings import distinct_names

    given_files = [run for run in asked.runs if isinstance(run, str)]
    if orders and len(given_files) < len(asked.runs):
        raise click.UsageError("NAME=FILE is not supported with --orders. Give FILE.")
    files = [asked.qrels or "", *(given_files if orders else with_qrels)]
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise click.UsageError(f"{twice} is given twice. Give each file once.")
    labels = distinct_names([(Path(file).name, file) for file in files])
    if orders:
        given = {label: read_order(file) for label, file in zip(labels, files, strict=True)}
        return correlate_orders(given, coefficient=coefficient, p=p)
    by_judgments = {
        label: replace(asked, qrels=file or None).scores()
        for label, file in zip(labels, files, strict=True)
    }
    return correlate(by_judgments, coefficient=coefficient, p=p)
