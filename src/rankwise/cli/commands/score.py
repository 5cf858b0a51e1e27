"""`rankwise score`: scores, leaderboards, bounds."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import chart_option, write_chart
from rankwise.cli.options.reading import seed_option
from rankwise.cli.options.scoring import (
    Scoring,
    engine_options,
    interval_option,
    scoring_options,
    standardise_options,
    undefined_option,
    unjudged_option,
)
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    from rankwise.vocabulary import Assumption, Engine, Interval, Scale


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@scoring_options()
@undefined_option
@click.option("--by-topic", is_flag=True, help="A row for each topic, before the means.")
@click.option(
    "--bounds", is_flag=True, help="Also the lower and upper bound that unjudged documents leave."
)
@unjudged_option
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
@chart_option
@output_options
def command(
    asked: Scoring,
    by_topic: bool,
    bounds: bool,
    unjudged: "Assumption | None",
    confidence: float | None,
    interval: "Interval",
    seed: int,
    standardise: "Scale | None",
    reference: tuple[str, ...],
    engine: "Engine",
    master: str | None,
    chart: str | None,
    out: Output,
) -> None:
    """Score runs against judgments.

    \b
    Examples:
      rankwise score qrels.txt bm25.run splade.run -m nDCG@10 -m AP
      rankwise score qrels.txt bm25.run -m "RBP(p=0.8)" --bounds --by-topic
      rankwise score qrels.txt bm25.run -m AP --confidence 0.95 --bounds
      zcat bm25.run.gz | rankwise score qrels.txt - --format csv -o scores.csv

    QRELS and RUN are TREC text, plain or compressed, or tables (parquet, csv,
    tsv, jsonl, arrow) with named columns; - is standard input.
    """
    from rankwise.scores.layout import long_form

    bounds = bounds or unjudged is not None
    if bounds and standardise is not None:
        raise click.UsageError("standardised scores have no bounds: judgments move all runs.")
    if master is not None and engine != "spark":
        raise click.UsageError("--master goes with --engine spark.")
    if engine == "spark":
        scores = asked.scores_on_spark(master, bounds=bounds, unjudged=unjudged or "retrieved")
    else:
        scores = asked.scores(bounds=bounds, unjudged=unjudged or "retrieved")
    if standardise is not None:
        scores = asked.standardised(scores, standardise, reference)
    if chart is not None:
        write_chart(chart, scores.chart())
    if confidence is None:
        print_notes(scores.notes)
        if out.for_people:
            out.show(scores.table(digits=out.digits, by_topic=by_topic))
        else:
            out.print(long_form(scores, by_topic=by_topic))
        return
    from rankwise.scores.confidence import confidence as with_intervals

    found = with_intervals(scores, confidence, interval=interval, seed=seed)
    print_notes(found.notes)
    if out.for_people:
        out.show(found.table(digits=out.digits, by_topic=by_topic))
    else:
        out.print(long_form(scores, by_topic=by_topic, means=found.frame))
