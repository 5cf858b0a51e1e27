"""`rankwise score`: scores, leaderboards, bounds."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.paper import STYLES, paper_options, show_for_paper
from rankwise.cli.options.reading import (
    lengths_option,
    rel_of_metrics_option,
    seed_option,
    topic_groups_option,
    undefined_option,
)
from rankwise.cli.options.scoring import (
    Scoring,
    cheap_options,
    engine_options,
    interval_option,
    probable_option,
    scoring_options,
    show_calibrated,
    standardise_options,
    unjudged_option,
)
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    from rankwise.vocabulary import Engine, Interval, Scale


@click.command(cls=Command)
@scoring_options()
@rel_of_metrics_option
@topic_groups_option
@lengths_option
@undefined_option
@click.option(
    "--by-topic",
    is_flag=True,
    help="A row for each topic, before the means; --chart draws the scores of all topics.",
)
@click.option(
    "--by-judge",
    is_flag=True,
    help="Instead: the score under each judge by itself (--judge, or a column `judge`), and the "
    "spread.",
)
@click.option(
    "--recall-precision",
    is_flag=True,
    help="In place of -m: interpolated precision at eleven levels of recall; --chart draws the "
    "recall-precision curve.",
)
@click.option(
    "--bounds", is_flag=True, help="Also the lower and upper bound that unjudged documents leave."
)
@unjudged_option
@probable_option
@cheap_options
@click.option(
    "--confidence",
    metavar="LEVEL",
    type=float,
    help="Also the confidence interval of each mean over topics, as 0.95; with --bounds, also "
    "the combined uncertainty.",
)
@interval_option
@seed_option
@standardise_options
@engine_options
@chart_options
@output_options
@paper_options(marks=False)
def command(
    asked: Scoring,
    by_topic: bool,
    by_judge: bool,
    recall_precision: bool,
    bounds: bool,
    unjudged: str | None,
    probable: bool,
    cheap: str | None,
    cheap_by: str | None,
    confidence: float | None,
    interval: "Interval",
    seed: int,
    standardise: "Scale | None",
    reference: tuple[str, ...],
    engine: "Engine",
    master: str | None,
    chart: ChartFile | None,
    out: Output,
    paper: dict[str, Any],
) -> None:
    """Score runs against judgments.

    \b
    Examples:
      rankwise score qrels.txt bm25.run splade.run -m nDCG@10 -m AP
      rankwise score qrels.txt bm25.run -m "RBP(p=0.8)" --bounds --by-topic
      rankwise score qrels.txt bm25.run -m AP --confidence 0.95 --bounds
      rankwise score qrels.txt bm25.run splade.run --topic-groups groups.txt
      rankwise score qrels.txt runs/*.run -m AP --chart means.pdf --width column
      rankwise score qrels.txt runs/*.run -m AP --probable
      rankwise score human.qrels runs/*.run -m nDCG@10 --cheap llm.qrels
      rankwise score human=a.qrels bm25.run --judge llm=b.qrels --judges majority
      zcat bm25.run.gz | rankwise score qrels.txt - --format csv -o scores.csv

    QRELS and RUN are TREC text, plain or compressed, or tables (parquet, csv,
    tsv, jsonl, arrow) with named columns; - is standard input.
    """
    from rankwise.scores import long_form

    if paper and (by_topic or confidence is not None):
        raise click.UsageError("--sort, --caption and the like are of means without intervals.")
    if master is not None and engine != "spark":
        raise click.UsageError("--master goes with --engine spark.")
    if cheap_by is not None and cheap is None:
        raise click.UsageError("--cheap-by goes with --cheap QRELS.")
    if cheap is not None:
        other = (by_topic, bounds, paper, recall_precision, standardise, probable, by_judge, chart)
        if any(other) or engine == "spark":
            what = "--by-topic, --bounds, --probable, --by-judge, --chart and the like"
            raise click.UsageError(f"--cheap has a table of its own: leave out {what}.")
        level = 0.95 if confidence is None else confidence
        show_calibrated(
            *(asked, cheap, cheap_by),
            pairs=False,
            baseline=None,
            alpha=1 - level,
            seed=seed,
            out=out,
        )
        return
    if by_judge:
        if any(
            (by_topic, bounds, paper, recall_precision, standardise, confidence, probable, chart)
        ):
            what = "--by-topic, --bounds, --confidence, --chart and the like"
            raise click.UsageError(f"--by-judge has a table of its own: leave out {what}.")
        _show_by_judge(asked, out)
        return
    if probable:
        if engine == "spark":
            what = "it learns from the documents of all runs at once"
            raise click.UsageError(f"--probable does not go with --engine spark: {what}.")
        if any((by_topic, bounds, paper, recall_precision, standardise, confidence)):
            what = "--by-topic, --bounds, --confidence, --standardise and the like"
            raise click.UsageError(f"--probable has ranges of its own: leave out {what}.")
        predicted = asked.predicted(unjudged, seed)
        if chart is not None:
            write_chart(chart, predicted.chart())
        print_notes(predicted.notes)
        if out.for_people:
            out.show(predicted.table(digits=out.digits))
        else:
            out.print(predicted.frame, of=predicted)
        return
    bounds = bounds or unjudged is not None
    if bounds and standardise is not None:
        raise click.UsageError("standardised scores have no bounds: judgments move all runs.")
    if recall_precision:
        asked = _at_levels_of_recall(asked)
    assumed = unjudged or "retrieved"
    if engine == "spark":
        scores = asked.scores_on_spark(master, bounds=bounds, unjudged=assumed)
    else:
        scores = asked.scores(bounds=bounds, unjudged=assumed)
    if standardise is not None:
        scores = asked.standardised(scores, standardise, reference)
    if chart is not None and (confidence is None or by_topic or recall_precision):
        write_chart(chart, scores.chart(by_topic=by_topic))
    if confidence is None:
        print_notes(scores.notes)
        if out.style in STYLES and not by_topic:
            show_for_paper(out, scores, paper)
        elif out.for_people:
            out.show(scores.table(digits=out.digits, by_topic=by_topic))
        else:
            out.print(long_form(scores, by_topic=by_topic), of=scores)
        return
    from rankwise.scores import confidence as with_intervals

    found = with_intervals(scores, confidence, interval=interval, seed=seed)
    if chart is not None and not (by_topic or recall_precision):
        write_chart(chart, found.chart())
    print_notes(found.notes)
    if out.for_people:
        out.show(found.table(digits=out.digits, by_topic=by_topic))
    else:
        out.print(long_form(scores, by_topic=by_topic, means=found.frame), of=found)


def _show_by_judge(asked: Scoring, out: Output) -> None:
    """Print the score under each judge, and the spread."""
    from rankwise.agreement import score_by_judge

    if asked.judges is not None:
        raise click.UsageError("--judges makes one grade of several: --by-judge goes without it.")
    found = score_by_judge(asked.collection(), metrics=asked.parsed_metrics())
    print_notes(found.notes)
    if out.for_people:
        out.show(found.table(digits=out.digits))
    else:
        out.print(found.frame, of=found)


def _at_levels_of_recall(asked: Scoring) -> Scoring:
    if asked.metrics:
        raise click.UsageError("--recall-precision stands in place of -m: give one or the other.")
    return replace(asked, metrics=tuple(f"IPrec@{level / 10:g}" for level in range(11)))
