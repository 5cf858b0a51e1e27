"""`rankwise diff`: changes between runs, with bounds that hold under any judgments."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse
from rankwise.cli.options.reading import (
    Range,
    columns_of_input,
    metrics_from_option,
    parts_of_runs,
    reading_options,
    runs_argument,
    runs_given,
)
from rankwise.cli.options.scoring import effort_option, unjudged_option
from rankwise.cli.output import Output, output_options, print_notes, print_pending_notes
from rankwise.vocabulary import TieTreatment

if TYPE_CHECKING:
    import polars as pl

    from rankwise.rankings import Collection, NamedRun
    from rankwise.similarity import RunDiff


@click.command(cls=Command)
@runs_argument("RUN RUN...", required=True)
@click.option(
    "--qrels",
    metavar="QRELS",
    help="Judgments. Judged documents then keep their grades; the bounds vary only the unjudged "
    "ones.",
)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    shell_complete=complete_metrics,
    help="Metric to bound, or several: AP,nDCG@10.  [default: nDCG@10, P@10, RR@10, RBP(p=0.8)]",
)
@click.option(
    "--max",
    "maximum",
    type=Range(min=0),
    help="Exit with code 1 if the upper bound of a mean difference exceeds this.",
)
@click.option(
    *["--measure", "measures"],
    multiple=True,
    metavar="NAME",
    help="Similarity measure. RBO, RBA, RBR: rank-biased overlap, alignment, recall. KTU: "
    "Kendall's tau of the union; undefined where the runs share no document. overlap@K, Jaccard@K: "
    "documents shared in the first K. changed@K: fraction of topics whose first K changed. "
    "Repeatable.  [default: all, K = 1, 3, 10]",
)
@click.option(
    "--p",
    "p",
    type=Range(0, 1, min_open=True, max_open=True),
    default=0.9,
    show_default=True,
    help="p of RBO, RBA and RBR, 0 < p < 1.",
)
@click.option(
    "--ties",
    type=click.Choice(get_args(TieTreatment)),
    default="name",
    show_default=True,
    help="Tied documents in RBO: ordered by name, as in scores; or the treatments w, a and b of "
    "Corsi and Urbano (2024).",
)
@click.option(
    "--highest-grade",
    type=click.IntRange(1, 1000),
    default=1,
    show_default=True,
    help="Without --qrels: the highest grade of a document.",
)
@click.option(
    "--advanced",
    nargs=2,
    metavar="RUN RUN",
    callback=lambda ctx, option, given: runs_given(ctx, option, given) if given else None,
    help="Original and reproduced run of an advanced system, if RUN RUN are those of its "
    "baseline: adds effect ratio and delta RI. Needs --qrels.",
)
@unjudged_option
@effort_option
@click.option(
    "--alpha",
    type=Range(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="Significance level. Confidence intervals are two-sided, at level 1 − alpha.",
)
@click.option(
    "--by-topic", is_flag=True, help="Instead of the summary: one row per topic and measure."
)
@click.option(
    "--changed",
    type=click.IntRange(min=1),
    metavar="N",
    help="Instead of the summary: the N topics with the largest changes, with both rankings side "
    "by side.",
)
@click.option(
    "--topic",
    metavar="TOPIC",
    help="Instead of the summary: both rankings of a topic side by side.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of ranks in --topic and --changed.",
)
@reading_options("complete_runs", also=("topics", "undefined", "topic_groups"))
@metrics_from_option
@columns_of_input
@parts_of_runs
@chart_options
@output_options
def command(
    runs: "tuple[str | NamedRun, ...]",
    qrels: str | None,
    metrics: tuple[str, ...],
    maximum: float | None,
    measures: tuple[str, ...],
    p: float,
    ties: TieTreatment,
    highest_grade: int,
    advanced: "tuple[str | NamedRun, ...] | None",
    unjudged: str | None,
    effort: int | None,
    alpha: float,
    by_topic: bool,
    changed: int | None,
    topic: str | None,
    rows: int,
    reading: "Collection",
    metrics_from: tuple[str, ...],
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Compare rankings, with or without judgments: similarity, bounds on differences.

    \b
    Examples:
      rankwise diff old.run new.run
      rankwise diff old.run new.run -m nDCG@10 --max 0.01
      rankwise diff old.run new.run --changed 5
      rankwise diff old.run new.run --topic 301 --chart 301.svg
      rankwise diff original.run reproduced.run --qrels qrels.txt -m AP,nDCG@10

    Bounds hold under any judgments of the documents; with --qrels, under any
    further judgments. MED is the maximised effectiveness difference: the mean over
    topics of the largest difference that judgments can make of the topic.
    A difference is the second run minus the first. With --max,
    the exit code is 0 if no judgments can make a mean difference larger, 1
    otherwise, and 2 for invalid input.
    """
    if by_topic:
        refuse(["changed", "topic"], "--by-topic")
    if changed is not None:
        refuse(["topic"], "--changed")
    if qrels is not None:
        refuse(["highest_grade"], "--qrels", "which have grades")
    from rankwise.comparison.verdicts import EFFORT
    from rankwise.metrics import load_metrics
    from rankwise.similarity import METRICS, diff

    for file in metrics_from:
        load_metrics(file)
    found = diff(
        replace(reading, qrels=qrels, runs=list(runs)),
        metrics=metrics or METRICS,
        measures=measures or None,
        p=p,
        ties=ties,
        highest_grade=highest_grade,
        advanced=None if advanced is None else list(advanced),
        unjudged=unjudged or "retrieved",
        effort=EFFORT if effort is None else effort,
        alpha=alpha,
    )
    if chart is not None:
        write_chart(chart, found.chart(topic))
    _show(found, out, by_topic, changed, topic, rows)
    if maximum is not None:
        _end_with_verdict(found, maximum)


def _show(
    found: "RunDiff",
    out: Output,
    by_topic: bool,
    changed: int | None,
    topic: str | None,
    rows: int,
) -> None:
    """Print the tables: several for people, one for programs."""
    frame: pl.DataFrame | None = None
    if topic is not None:
        frame = found.lists(topic, depth=rows)
    elif changed is not None:
        frame = found.most_changed(changed)
    elif by_topic:
        frame = found.by_topic()
    is_pair = len(found.runs) == 2
    # A note says of identical runs what the sentence would.
    first = [found.sentence()] if is_pair and found.bounds and not found.identical.all() else []
    print_notes([*first, *found.notes])
    if frame is not None or not out.for_people:
        out.print(found.frame if frame is None else frame, of=found, caption=found.caption)
        if changed is not None and is_pair and out.for_reading:
            out.write(_lists(found, frame, rows, out.width).encode())
        return
    tables = [found.table(digits=out.digits)] if found.similarity else []
    if is_pair and found.bounds:
        tables.append(found.bounds_table(digits=out.digits))
    if is_pair and found.scores:
        tables.append(found.scores_table(digits=out.digits))
    text = "\n".join(table.rendered(out.style, width=out.width) for table in tables)
    out.write(text.encode())


def _lists(found: "RunDiff", changed: "pl.DataFrame | None", rows: int, width: int | None) -> str:
    """Both lists of each topic that changed, one topic below another."""
    from rankwise.results import rendered

    topics = [] if changed is None else changed["topic"].to_list()
    lists = {topic: found.lists(topic, depth=rows) for topic in topics}
    return "".join(
        f"\ntopic {topic}\n{rendered(frame, 'table', width=width).decode()}"
        for topic, frame in lists.items()
    )


def _end_with_verdict(found: "RunDiff", maximum: float) -> None:
    """Say, last, in which metrics the bound is above the maximum; exit with 0 or 1."""
    print_pending_notes(click.get_current_context().find_root())
    for line in found.verdicts(maximum):
        click.echo(f"rankwise diff: {line}", err=True)
    if not found.within(maximum):
        sys.exit(1)
