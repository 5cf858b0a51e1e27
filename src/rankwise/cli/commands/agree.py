"""`rankwise agree`: agreement of judges, and system scores under each judge."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import require
from rankwise.cli.options.reading import (
    Range,
    columns_option,
    reading_options,
    rel_of_metrics_option,
    run_given,
    runs_given,
    seed_option,
    with_columns,
)
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import AgreementView

if TYPE_CHECKING:
    from rankwise.rankings import Collection, NamedRun, Qrels

SYSTEMS = ("systems", "ranks", "differences", "favours")  # with a chart of systems


class RunsAtTheEnd(Command):
    """A command whose option --runs takes all arguments up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread, in_runs = [], False
        for argument in args:
            if argument.startswith("-") and argument != "-":
                in_runs = argument == "--runs"
                spread += [] if in_runs else [argument]
            else:
                spread += ["--runs", argument] if in_runs else [argument]
        return super().parse_args(ctx, spread)


@click.command(cls=RunsAtTheEnd)
@click.argument("judgments", metavar="JUDGMENTS...", nargs=-1, required=True)
@click.option(
    "--runs",
    multiple=True,
    metavar="RUN...",
    callback=runs_given,
    help="Runs to score under each judge: all files up to the next option.",
)
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    shell_complete=complete_metrics,
    help="Metric, or several: AP,nDCG@10. For --runs only.  [default: AP,nDCG@10,P@10,RR]",
)
@click.option(
    "--show",
    type=click.Choice(get_args(AgreementView)),
    default="labels",
    show_default=True,
    help="Table to print. labels: agreement coefficients. confusion: confusion matrix of two "
    "judges. grades: mean of (grade − grade of the reference), by grade of the reference. judges: "
    "how often each judge differs from the others. These need --runs: systems: correlation of the "
    "system scores. ranks: ranks of each run. differences: whether significant differences are "
    "significant under the other judge too. favours: how much more a judge favours each run than "
    "the reference does. documents: the disagreements with the largest effect on scores.",
)
@click.option("--reference", metavar="JUDGE", help="Compare the others with this judge.")
@click.option(
    "--gains",
    "gains_of_judge",
    multiple=True,
    metavar="[JUDGE:]TABLE",
    help="Map the grades of one judge, or of all, for example llm:1=0,2=1,3=2. Repeatable.",
)
@click.option(
    "--alpha",
    type=Range(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level. Confidence intervals are two-sided, at level 1 − alpha.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=2000,
    show_default=True,
    help="Number of bootstrap resamples.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Number of rows to print; csv, json and parquet have all.",
)
@rel_of_metrics_option
@reading_options("gains", also=("undefined",))
@columns_option
@seed_option
@chart_options
@output_options
def command(
    judgments: tuple[str, ...],
    runs: "tuple[str | NamedRun, ...]",
    metrics: tuple[str, ...],
    show: AgreementView,
    reference: str | None,
    gains_of_judge: tuple[str, ...],
    alpha: float,
    resamples: int,
    rows: int,
    rel: float,
    reading: "Collection",
    columns: str | None,
    seed: int,
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Measure the agreement of judges, and its effect on system scores.

    \b
    Examples:
      rankwise agree human.qrels llm.qrels
      rankwise agree human=first.txt llm=second.txt --show confusion --chart confusion.svg
      rankwise agree labels.csv --columns judge=annotator
      rankwise agree human.qrels llm.qrels --runs runs/*.run -m nDCG@10 --show differences

    JUDGMENTS are two files or more, each a judge, or one table with a column `judge`; the first
    judge is the reference. Confidence intervals are by bootstrap over topics, because the labels
    of a topic are not independent. The naive interval, which treats documents as independent, is
    shown for comparison. With --runs, systems are scored under each judge on the documents that
    both judged. The chart is the confusion matrix, the mean difference by grade (--show grades),
    or the scores under two judges (--show systems).
    """
    from rankwise.agreement import agree
    from rankwise.scores import DEFAULT_METRICS

    if metrics and not runs:
        require("--metric", "--runs RUN...")
    judges = _judges(judgments, gains_of_judge, reading, columns)
    found = agree(
        replace(reading, qrels=judges, runs=runs or None),
        metrics=metrics or DEFAULT_METRICS,
        reference=reference,
        rel=rel,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
    )
    of_view = [note for note in found.notes if note.kind not in ("intervals", "t-intervals")]
    # Without a table: the confusion matrices of several pairs of judges, as one frame.
    has_table = out.for_people or show != "confusion"
    table = found.table(digits=out.digits, show=show, rows=rows) if has_table else None
    of_table = [] if table is None else table.notes
    print_notes([found.caption, *dict.fromkeys([*of_table, *of_view])])
    if chart is not None:
        write_chart(chart, found.chart(grades=show == "grades", systems=show in SYSTEMS))
    if out.for_people and table is not None:
        out.show(table)
    else:
        out.print(found.view(show), of=found)


def _judges(
    judgments: tuple[str, ...], gains: tuple[str, ...], reading: "Collection", columns: str | None
) -> Any:
    """{judge: judgments}, each with its own table of gains; or the one table that is given."""
    from rankwise.rankings import NamedRun, read_judges

    sources = [with_columns(run_given(None, None, one), columns) for one in judgments]
    for source in judgments:
        if judgments.count(source) > 1:
            raise click.UsageError(f"{source} is given twice. Give each file once.")
    single = sources[0].given if isinstance(sources[0], NamedRun) else sources[0]
    given = single if len(sources) == 1 else sources
    tables = [_table_of_judge(one) for one in gains]
    judges = read_judges(given, lenient=reading.lenient)
    names = [name for name, _ in tables if name]
    unknown = next((name for name in names if name not in judges), None)
    if unknown is not None:
        known = ", ".join(judges)
        raise click.UsageError(f"--gains {unknown}:…: unknown judge. Judges: {known}.")
    for name, table in tables:
        for judge in [name] if name else list(judges):
            judges[judge] = _mapped(judge, judges[judge], table)
    return judges


def _table_of_judge(given: str) -> tuple[str, str]:
    """The judge, if one is named, and the table: grades are numbers, names mostly are not."""
    name, colon, table = given.partition(":")
    if colon and "=" in table and "=" not in name:
        return name, table
    return "", given


def _mapped(judge: str, qrels: "Qrels", table: str) -> "Qrels":
    from rankwise.errors import InputError
    from rankwise.rankings import read_qrels

    try:
        return read_qrels(qrels, gains=table)
    except InputError as error:  # of the qrels: say whose
        raise InputError(judge, error.text) from None
