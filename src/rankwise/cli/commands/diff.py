"""`rankwise diff`: changes between runs, with bounds that hold under any judgments."""

import sys
from typing import TYPE_CHECKING, ClassVar

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, Fraction, Range, argument, option
from rankwise.cli.options.reading import OwnMetrics, Reading
from rankwise.cli.options.shared import ALPHA_BELOW_1, METRIC, RUNS, runs_given
from rankwise.cli.output import Printed, print_notes, print_pending_notes
from rankwise.vocabulary import TieTreatment

if TYPE_CHECKING:
    import polars as pl

    from rankwise.rankings import NamedRun
    from rankwise.similarity import RunDiff


class Options(Reading, OwnMetrics, Charted, Printed):
    only_with: ClassVar = {"topic changed": "rows"}
    never_with: ClassVar = {
        "by_topic": "changed topic",
        "changed": "topic",
        "by_topic changed topic": "alpha topic_groups",
        "topic": "measures",
        "changed topic": "p ties",
        "qrels": "highest_grade",
    }
    everyday = (
        "metrics maximum qrels measures changed topic topic_groups by_topic highest_grade "
        "output style chart"
    )
    runs: "tuple[str | NamedRun, ...]" = argument("RUN RUN...", **RUNS)
    qrels: str | None = option(
        "Judgments to use for the bounds. Judged documents keep their grade; an unjudged document "
        "can have any grade.",
        metavar="QRELS",
    )
    metrics: tuple[str, ...] = option(
        "Metric or metrics for which to bound the score difference: AP,nDCG@10.  [default: "
        "nDCG@10, P@10, RR@10, RBP(p=0.8)]",
        **METRIC,
    )
    maximum: float | None = option(
        "Exit with code 1 if the upper bound of a mean difference exceeds N.",
        "--max",
        type=Range(min=0),
    )
    measures: tuple[str, ...] = option(
        "Similarity measure. `RBO`, `RBA`, `RBR`: rank-biased overlap, alignment and recall. "
        "`KTU`: Kendall's tau over the union of the documents; undefined where the runs share no "
        "document. `overlap@K`: number of documents in the first K of both runs, divided by K. "
        "`Jaccard@K`: the same, divided by the size of their union. `changed@K`: fraction of "
        "topics whose first K documents changed. Repeatable.  [default: all, with K = 1, 3 and 10]",
        "--measure",
        metavar="NAME",
    )
    p: float = option("p of RBO, RBA and RBR, 0 < p < 1.", type=Fraction, default=0.9)
    ties: TieTreatment = option(
        "Treatment of tied documents in RBO. `name`: ordered by document name, as for scores. `w`, "
        "`a`, `b`: the treatments of Corsi and Urbano (2024).",
        default="name",
    )
    highest_grade: int = option(
        "Without --qrels: highest grade of the relevance scale.",
        type=click.IntRange(1, 1000),
        default=1,
    )
    advanced: "tuple[str | NamedRun, ...] | None" = option(
        "Original and reproduced run of an advanced system; the arguments RUN RUN are then the "
        "original and reproduced run of its baseline. Adds the effect ratio and delta RI. Needs "
        "--qrels.",
        nargs=2,
        metavar="RUN RUN",
        callback=lambda ctx, option, given: runs_given(ctx, option, given) if given else None,
    )
    alpha: float = ALPHA_BELOW_1
    by_topic: bool = option("Instead of the summary: one row per topic and measure.")
    changed: int | None = option(
        "Instead of the summary: the N topics with the largest changes, with both rankings side by "
        "side.",
        type=AtLeast1,
        metavar="N",
    )
    topic: str | None = option(
        "Instead of the summary: both rankings of a topic side by side.", metavar="TOPIC"
    )
    rows: int = option("Number of ranks in --topic and --changed.", type=AtLeast1, default=10)
    shared = "unjudged effort depth gains topics undefined topic_groups subset split"


@with_options(Options)
def command(options: Options) -> None:
    """Compare rankings, even without judgments: similarity, and bounds on score differences.

    \b
    Examples:
      rankwise diff old.run new.run
      rankwise diff old.run new.run -m nDCG@10 --max 0.01
      rankwise diff old.run new.run --changed 5
      rankwise diff old.run new.run --topic 301 --chart 301.svg
      rankwise diff original.run reproduced.run --qrels qrels.txt -m AP,nDCG@10

    Bounds hold under any judgments of the documents; with --qrels, under any
    further judgments. MED is the maximised effectiveness difference: the
    largest difference that judgments can cause on a topic, averaged over topics. A
    difference is the second run minus the first. With --max, the exit code is 0 if no
    upper bound of a mean difference exceeds it, 1 if one does, and 2 for invalid input.
    """
    from rankwise.comparison.verdicts import EFFORT
    from rankwise.similarity import METRICS, diff

    found = diff(
        options.collection_of(options.qrels, options.runs),
        metrics=options.metrics or METRICS,
        measures=options.measures or None,
        p=options.p,
        ties=options.ties,
        highest_grade=options.highest_grade,
        advanced=None if options.advanced is None else list(options.advanced),
        unjudged=options.unjudged or "retrieved",
        effort=EFFORT if options.effort is None else options.effort,
        alpha=options.alpha,
    )
    options.draw(lambda: found.chart(options.topic))
    _show(found, options)
    if options.maximum is not None:
        _end_with_verdict(found, options.maximum)


def _show(found: "RunDiff", options: Options) -> None:
    """Print the tables of a comparison of rankings.

    In a format for people, all tables are printed, unless the options ask for a single view. In a
    format for programs, only one table is printed.
    """
    from rankwise.results import Table

    out, rows = options.out, options.rows
    frame: pl.DataFrame | None = None
    if options.topic is not None:
        frame = found.lists(options.topic, depth=rows)
    elif options.changed is not None:
        frame = found.most_changed(options.changed)
    elif options.by_topic:
        frame = found.by_topic()
    is_pair = len(found.runs) == 2
    # For identical runs, a note has the content of the sentence.
    first = [found.sentence()] if is_pair and found.bounds and not found.identical.all() else []
    print_notes([*first, *found.notes])
    if frame is not None or not out.for_people:
        frame = found.frame if frame is None else frame
        out.print(frame, of=found, caption=found.caption)
        if options.changed is not None and is_pair and out.for_reading:
            for topic in frame["topic"]:
                lists = Table(found.lists(topic, depth=rows)).rendered("table", width=out.width)
                out.write(f"\ntopic {topic}\n{lists}".encode())
        return
    tables = [found.table(digits=out.digits)] if found.similarity else []
    if is_pair and found.bounds:
        tables.append(found.bounds_table(digits=out.digits))
    if is_pair and found.scores:
        tables.append(found.scores_table(digits=out.digits))
    text = "\n".join(table.rendered(out.style, width=out.width) for table in tables)
    out.write(text.encode())


def _end_with_verdict(found: "RunDiff", maximum: float) -> None:
    """Print the verdict of each metric, after the notes; exit with 1 if a bound is too large."""
    print_pending_notes(click.get_current_context().find_root())
    for line in found.verdicts(maximum):
        click.echo(f"rankwise diff: {line}", err=True)
    if not found.within(maximum):
        sys.exit(1)
