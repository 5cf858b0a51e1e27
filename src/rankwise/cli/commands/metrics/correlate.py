"""`rankwise metrics correlate`: rank correlation of system rankings."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, Fraction, option
from rankwise.cli.options.scoring import ScoredOrRead
from rankwise.cli.options.shared import refuse_repeated
from rankwise.cli.output import Printed
from rankwise.vocabulary import CoefficientName

if TYPE_CHECKING:
    import polars as pl

    from rankwise.correlation import Correlation
    from rankwise.notes import Note


class Options(ScoredOrRead, Charted, Printed):
    shared = "mean"
    only_with: ClassVar = {"swaps": "alpha", "swaps ranks": "rows", "coefficient=rbo": "p"}
    never_with: ClassVar = {"swaps ranks": "coefficient p"}
    everyday = "metrics matrices with_qrels orders coefficient swaps ranks chart style output"
    with_qrels: tuple[str, ...] = option(
        "Other judgments: correlate the system rankings under FILE and under QRELS. Repeatable.",
        metavar="FILE",
    )
    orders: bool = option(
        "The arguments are files of system rankings, not QRELS and RUN.",
        not_with=["matrices", "metrics", "with_qrels"],
    )
    coefficient: CoefficientName = option(
        "Rank correlation coefficient. `kendall`: tau-b. `tau-ap`: top-weighted; each row of the "
        "table is a reference ranking. `tau-ap-b`: symmetric tau-ap that allows ties. "
        "`rbo`: rank-biased overlap.",
        default="kendall",
    )
    p: float | None = option("p of rank-biased overlap, 0 < p < 1.  [default: 0.9]", type=Fraction)
    swaps: bool = option(
        "Instead of the coefficients: the pairs of systems that two rankings order differently.",
        not_with=["ranks"],
    )
    ranks: bool = option(
        "Instead of the coefficients: the rank of each system in each ranking, largest changes "
        "first."
    )
    alpha: float = option(
        "Significance level of the paired t-tests of --swaps.", type=Fraction, default=0.05
    )
    rows: int = option(
        "Number of rows of --swaps and --ranks; csv, json and parquet have all rows.",
        type=AtLeast1,
        default=20,
    )

    def check_sources(self) -> None:
        if not self.orders:
            super().check_sources()
        elif not self.runs:
            given = f"only one is given ({self.qrels})" if self.qrels else "none is given"
            raise click.UsageError(f"--orders needs two files of system rankings; {given}.")


@with_options(Options)
def command(options: Options) -> None:
    """Compute the rank correlation of system rankings under different metrics or judgments.

    \b
    Examples:
      rankwise metrics correlate qrels.txt runs/*.run -m "AP,nDCG@10,RBP(p=0.8)"
      rankwise metrics correlate qrels.txt runs/*.run -m AP,RR --swaps
      rankwise metrics correlate qrels.txt runs/*.run -m AP,RankEff --ranks
      rankwise metrics correlate qrels.txt runs/*.run -m AP --with-qrels shallow.txt
      rankwise metrics correlate --scores AP=ap.csv --scores RR=rr.csv \\
          --chart tau.svg
      rankwise metrics correlate --orders mine.txt theirs.txt --coefficient rbo

    Systems are ranked by their mean scores. The table is a matrix. For two rankings,
    and in csv and json, there is one row per pair of rankings, with the p-value (that
    of Kendall's tau is exact for few systems) or the bounds of rbo. The files of --orders
    have one system per line, best first, or lines `system score`.
    """
    if options.with_qrels and "-" in options.runs:
        raise click.UsageError(
            "--with-qrels reads the runs more than once, which standard input (-) does not allow. "
            "Give files."
        )
    found = _correlated(options)
    frame: Callable[[], pl.DataFrame]
    notes: list[Note | str]
    options.draw(found.chart)
    if options.ranks:
        table = found.rank_table(rows=options.rows, digits=options.out.digits)
        frame, notes = found.rank_changes, [*table.notes, *found.notes]
    elif options.swaps:
        table = found.swap_table(alpha=options.alpha, rows=options.rows, digits=options.out.digits)
        frame, notes = lambda: found.swaps(alpha=options.alpha), [*table.notes, *found.notes]
    else:
        table = found.table(digits=options.out.digits)
        reading = table.notes if options.out.for_people else []
        frame, notes = lambda: found.frame, [found.caption, *found.notes, *reading]
    options.out.result(found, table=lambda: table, frame=frame, notes=notes)


def _correlated(options: Options) -> "Correlation":
    from pathlib import Path

    from rankwise.correlation import correlate, correlate_orders
    from rankwise.formats import read_order
    from rankwise.rankings import distinct_names

    coefficient, p = options.coefficient, options.p or 0.9
    unnamed = [run for run in options.runs if isinstance(run, str)]
    if options.orders and len(unnamed) < len(options.runs):
        raise click.UsageError("NAME=FILE is not supported with --orders. Give FILE.")
    files = [options.qrels or "", *(unnamed if options.orders else options.with_qrels)]
    refuse_repeated(files)
    labels = distinct_names([(Path(file).name, file) for file in files])
    if options.orders:
        given = {label: read_order(file) for label, file in zip(labels, files, strict=True)}
        return correlate_orders(given, coefficient=coefficient, p=p)
    by_judgments = {
        label: options.replaced(qrels=file or None).scores()
        for label, file in zip(labels, files, strict=True)
    }
    return correlate(by_judgments, coefficient=coefficient, p=p)
