"""`rankwise correlate`: how alike metrics, judgments or given orders put systems."""

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import chart_option, write_chart
from rankwise.cli.options.reading import Range
from rankwise.cli.options.scoring import Scoring, scoring_options
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    import polars as pl

    from rankwise.correlation import Correlation
    from rankwise.vocabulary import CoefficientName

# The columns of the swaps as they are printed: ′ is what holds under the second order.
SHORT = {
    "first": "first",
    "better_by_first": "ahead",
    "first_difference": "Δ",
    "first_p": "p",
    "second": "second",
    "better_by_second": "ahead′",
    "second_difference": "Δ′",
    "second_p": "p′",
    "significant": "sig.",
}
ITSELF = "a tied order has a little less than 1 with itself: the orders of the tied systems differ"
# As in rankwise.correlation, which would load numpy for `--help`; a test compares them.
COEFFICIENTS = ["kendall", "kendall-a", "spearman", "tau-ap", "tau-ap-b", "rbo"]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@scoring_options(matrices=True)
@click.option(
    "--with-qrels",
    multiple=True,
    metavar="FILE",
    help="Other judgments of the same runs: correlate the orders by these and by QRELS. Give "
    "it again for more.",
)
@click.option(
    "--orders", is_flag=True, help="The files are orders of systems, not QRELS and RUN...."
)
@click.option(
    "--coefficient",
    type=click.Choice(COEFFICIENTS),
    default="kendall",
    show_default=True,
    help="kendall is tau-b; tau-ap weighs the top more, the row being the truth, and tau-ap-b "
    "is its symmetric form for ties; rbo is rank-biased overlap.",
)
@click.option(
    *["--p", "p"],
    type=Range(0, 1, min_open=True, max_open=True),
    help="The p of rank-biased overlap.  [default: 0.9]",
)
@click.option(
    "--swaps",
    is_flag=True,
    help="The pairs of systems that two orders put differently, in place of the coefficients.",
)
@click.option(
    "--alpha",
    type=Range(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The level of the paired t-tests of --swaps.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many swaps to show; csv, json and parquet have all.",
)
@chart_option
@output_options
def command(
    asked: Scoring,
    with_qrels: tuple[str, ...],
    orders: bool,
    coefficient: "CoefficientName",
    p: float | None,
    swaps: bool,
    alpha: float,
    rows: int,
    chart: str | None,
    out: Output,
) -> None:
    """Say how alike metrics, or judgments, order the same systems.

    \b
    Examples:
      rankwise correlate qrels.txt runs/*.run -m AP -m nDCG@10 -m "RBP(p=0.8)"
      rankwise correlate qrels.txt runs/*.run -m AP -m RR --swaps
      rankwise correlate qrels.txt runs/*.run -m AP --with-qrels shallow.txt
      rankwise correlate --scores AP=ap.csv --scores RR=rr.csv --chart tau.svg
      rankwise correlate --orders mine.txt theirs.txt --coefficient rbo

    Systems are ordered by their mean scores, the best first. The table is
    a matrix; for two orders, and in csv and json, a row has a pair, with its
    p-value (Kendall's is exact for few systems) or the bounds of rbo. In a file of
    --orders a line is a system, best first, or a system and its score.
    """
    _check_sources(asked, with_qrels, orders)
    if p is not None and coefficient != "rbo":
        raise click.UsageError(f"--p is that of rank-biased overlap: {coefficient} has none.")
    found = _correlated(asked, with_qrels, orders, coefficient, p or 0.9)
    if chart is not None:
        from rankwise.charts.correlation import correlation_matrix

        write_chart(chart, correlation_matrix(found))
    if swaps:
        _print_swaps(found, alpha, rows, out)
        return
    as_matrix = out.for_people and len(found.orders.names) > 2
    itself = as_matrix and found.coefficient == "tau-ap" and any(found.orders.tied)
    print_notes([_about(found), *found.notes, *([ITSELF] if itself else [])])
    table = found.matrix() if as_matrix else found.frame
    caption = f"{found.title} over {len(found.orders.systems)} systems"
    _print(table, out, [] if as_matrix else ["p"], caption)  # there an order may be called p


def _check_sources(asked: Scoring, with_qrels: tuple[str, ...], orders: bool) -> None:
    if orders and (asked.matrices or asked.metrics or with_qrels):
        raise click.UsageError("--orders takes files only: no -m, --scores or --with-qrels.")
    if asked.matrices and with_qrels:
        raise click.UsageError("--with-qrels goes with QRELS and RUN..., not with --scores.")
    if with_qrels and "-" in asked.runs:
        raise click.UsageError("--with-qrels reads the runs again: give files, not -.")


def _correlated(
    asked: Scoring,
    with_qrels: tuple[str, ...],
    orders: bool,
    coefficient: "CoefficientName",
    p: float,
) -> "Correlation":
    from pathlib import Path

    from rankwise.correlation import correlate, correlate_orders
    from rankwise.formats.system_rankings import read_order
    from rankwise.rankings.reading import distinct_names

    files = [asked.qrels or "", *(asked.runs if orders else with_qrels)]
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise click.UsageError(f"{twice} is given twice.")
    labels = distinct_names([(Path(file).name, file) for file in files])
    if orders:
        given = {label: read_order(file) for label, file in zip(labels, files, strict=True)}
        return correlate_orders(given, coefficient=coefficient, p=p)
    by_judgments = {
        label: replace(asked, qrels=file or None).scores()
        for label, file in zip(labels, files, strict=True)
    }
    return correlate(by_judgments, coefficient=coefficient, p=p)


def _about(found: "Correlation") -> str:
    n = len(found.orders.systems)
    about = f"{found.title} over {n} systems"
    if found.coefficient == "tau-ap":
        return f"{about}; the row (first) is the truth"
    if found.coefficient in ("kendall", "kendall-a"):
        from rankwise.stats.correlation import least_significant_tau

        least = least_significant_tau(n, 0.01)
        if least <= 1:
            shown = ceil(100 * least - 1e-9) / 100
            return f"{about}; without ties it is significant at 0.01 from {shown:.2f} on"
        return f"{about}, too few for significance at 0.01"
    if found.coefficient == "rbo":
        residual = max(found.frame["residual"].fill_null(0))
        return f"{about}, extrapolated; the residual is {residual:.2g} at most"
    return about


def _print_swaps(found: "Correlation", alpha: float, rows: int, out: Output) -> None:
    swaps = found.swaps(alpha=alpha)
    about = f"pairs of systems ordered differently: {swaps.height:,}"
    if "significant" in swaps.columns:
        counts = dict(swaps["significant"].value_counts().iter_rows())
        each = ", ".join(f"{name} {counts.get(name, 0):,}" for name in ("both", "one", "none"))
        about += f"; significant under {each} (paired t, {alpha:g}, not corrected)"
    print_notes([about, *found.notes])
    if out.for_people:
        swaps = _in_short(swaps.head(rows))
    _print(swaps, out, ["p", "p′"])


def _print(
    table: "pl.DataFrame", out: Output, p_values: list[str], caption: str | None = None
) -> None:
    """For people with p-values as `compare` prints them."""
    import polars as pl

    from rankwise.cli.comparison_tables import format_p

    there = [name for name in p_values if name in table.columns]
    if out.for_people:
        shown = [pl.Series(p, [format_p(value, out.digits) for value in table[p]]) for p in there]
        table = table.with_columns(shown)
    out.print(table, caption=caption, right=there)


def _in_short(swaps: "pl.DataFrame") -> "pl.DataFrame":
    """In 80 columns: who is ahead under each order, by how much, and its p-value."""
    import polars as pl

    shown = {name: short for name, short in SHORT.items() if name in swaps.columns}
    leads = pl.col("^Δ′?$").abs()
    return swaps.select(*shown).rename(shown).with_columns(leads, pl.col(pl.Enum).cast(pl.String))
