"""`rankwise score`: scores, leaderboards, bounds."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse, require
from rankwise.cli.options.paper import PAPER, STYLES, paper_options, show_for_paper
from rankwise.cli.options.reading import (
    clusters_option,
    lengths_option,
    rel_of_metrics_option,
    seed_option,
    systems_option,
    topic_groups_option,
    undefined_option,
    weights_option,
)
from rankwise.cli.options.scoring import (
    NOT_WITH_CHEAP,
    CheapOptions,
    Scoring,
    cheap_options,
    engine_options,
    mean_interval_option,
    probable_option,
    scoring_options,
    show_cheap_scores,
    standardise_options,
    unjudged_of_scores_option,
)
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    from rankwise.results import Columns
    from rankwise.vocabulary import Engine, MeanInterval, Scale

NOT_WITH_WEIGHTS = (
    *("bounds", "unjudged", "topic_groups", "mean", "standardise", "engine", "master"),
    *("sampled", "by_judge", "clusters", "systems"),
)
NOT_WITH_BY_JUDGE = (
    *("by_topic", "bounds", "recall_precision", "standardise", "reference", "confidence"),
    *("probable", "chart", "judges", "clusters", "systems", *PAPER),
    "ranks",
)

NOT_WITH_SAMPLED = (
    *("by_judge", "recall_precision", "bounds", "unjudged", "probable", "cheap", "standardise"),
    *("reference", "engine", "master", "chart", "gains", "judge", "judges", "topic_groups"),
    *(
        "lengths",
        "complete_runs",
        "mean",
        "undefined",
        "topics",
        "interval",
        "clusters",
        "systems",
        "ranks",
        *PAPER,
    ),
)


@click.command(cls=Command)
@scoring_options()
@rel_of_metrics_option
@topic_groups_option
@lengths_option
@undefined_option
@click.option(
    "--by-topic",
    is_flag=True,
    help="Add a row per topic, before the means; --chart then shows the scores per topic.",
)
@click.option(
    "--by-judge",
    is_flag=True,
    help="Instead of the summary: the score under each judge (--judge, or a column `judge`), and "
    "the spread.",
)
@click.option(
    "--recall-precision",
    is_flag=True,
    help="Instead of -m: interpolated precision at the eleven standard recall levels; --chart "
    "draws the recall-precision curve.",
)
@click.option(
    "--bounds",
    is_flag=True,
    help="Add the lowest and the highest score that the unjudged documents allow.",
)
@unjudged_of_scores_option
@probable_option
@cheap_options
@click.option(
    "--sampled",
    is_flag=True,
    help="QRELS is a sample with inclusion probabilities (plan sample --design, prels, or "
    "sample_eval's): estimate statAP, xinfAP, infNDCG, infNDCG@10, with confidence intervals.",
)
@click.option(
    "--confidence",
    metavar="LEVEL",
    type=float,
    help="Add a confidence interval of each mean at this level, e.g. 0.95; with --bounds, also the "
    "interval that combines topics and unjudged documents.",
)
@click.option(
    "--ranks",
    is_flag=True,
    help="With --confidence: also the ranks that each run may have, for all runs together.",
)
@mean_interval_option
@clusters_option
@systems_option
@weights_option
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
    cheap: CheapOptions | None,
    sampled: bool,
    confidence: float | None,
    ranks: bool,
    interval: "MeanInterval",
    clusters: str | None,
    systems: str | None,
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
      rankwise score qrels.txt bm25.run splade.run -m nDCG@10,AP
      rankwise score qrels.txt bm25.run -m "RBP(p=0.8)" --bounds --by-topic
      rankwise score qrels.txt bm25.run -m AP --confidence 0.95 --bounds
      rankwise score qrels.txt bm25.run splade.run --topic-groups groups.txt
      rankwise score qrels.txt runs/*.run -m AP --chart means.pdf --width column
      rankwise score qrels.txt runs/*.run -m AP --probable
      rankwise score human.qrels runs/*.run -m nDCG@10 --cheap llm.qrels
      rankwise score sample.csv runs/*.run --sampled -m statAP,infNDCG
      rankwise score human=a.qrels bm25.run --judge llm=b.qrels --judges majority
      zcat bm25.run.gz | rankwise score qrels.txt - --format csv -o scores.csv

    QRELS and RUN are TREC files, plain or compressed, or tables (parquet, csv,
    tsv, jsonl, arrow) with named columns; - is standard input. NAME=FILE names a
    run.
    """
    from rankwise.scores import long_form

    if by_topic:
        refuse(PAPER, "--by-topic")
    if asked.weights is not None:
        refuse(NOT_WITH_WEIGHTS, "--weights")
    if clusters is not None:
        if confidence is None:
            require("--clusters", "--confidence LEVEL")
        refuse(["bounds", "unjudged"], "--clusters")
    if ranks and confidence is None:
        require("--ranks", "--confidence LEVEL")
    if systems is not None:
        refuse(["bounds", "unjudged", "mean"], "--systems")
    if confidence is not None:
        refuse(PAPER, "--confidence")
    if cheap is not None:
        refuse(NOT_WITH_CHEAP, "--cheap")
        level = 0.95 if confidence is None else confidence
        show_cheap_scores(
            asked,
            cheap,
            pairs=False,
            baseline=None,
            alpha=1 - level,
            seed=seed,
            out=out,
        )
        return
    if sampled:
        refuse(NOT_WITH_SAMPLED, "--sampled")
        _show_sampled(asked, confidence, by_topic, out)
        return
    if by_judge:
        refuse(NOT_WITH_BY_JUDGE, "--by-judge")
        _show_by_judge(asked, out)
        return
    if probable:
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
    if standardise is not None:
        refuse(["bounds", "unjudged"], "--standardise", "which computes no bounds")
    if recall_precision:
        asked = _at_levels_of_recall(asked)
    assumed = unjudged or "retrieved"
    if engine == "spark" or master is not None:
        scores = asked.scores_on_spark(master, bounds=bounds, unjudged=assumed)
    else:
        scores = asked.scores(bounds=bounds, unjudged=assumed)
    if standardise is not None:
        scores = asked.standardised(scores, standardise, reference)
    if systems is not None:
        scores = scores.of_systems(systems)
    if chart is not None and (confidence is None or by_topic or recall_precision):
        write_chart(chart, scores.chart(by_topic=by_topic))
    if confidence is None:
        print_notes(scores.notes)
        if out.style in STYLES and not by_topic:
            show_for_paper(out, scores, paper)
        elif out.for_people:
            out.show(scores.table(digits=out.digits, by_topic=by_topic))
        else:
            rows = long_form(scores, by_topic=by_topic)
            out.print(
                _with_fingerprints(rows, asked) if by_topic and out.to_file else rows, of=scores
            )
        return
    from rankwise.scores import confidence as with_intervals

    found = with_intervals(
        scores, confidence, interval=interval, seed=seed, clusters=clusters, ranks=ranks
    )
    if chart is not None and not (by_topic or recall_precision):
        write_chart(chart, found.chart())
    print_notes(found.notes)
    if out.for_people:
        out.show(found.table(digits=out.digits, by_topic=by_topic))
    else:
        out.print(long_form(scores, by_topic=by_topic, means=found.frame), of=found)


def _with_fingerprints(rows: "Columns", asked: Scoring) -> "Columns":
    """Add a fingerprint of each topic's judgments, by which `gate` sees that they changed.

    Judgments from standard input cannot be read again, and have none.
    """
    from rankwise.formats import JUDGMENTS, is_dataset_id
    from rankwise.rankings import fingerprints

    qrels = str(asked.qrels)
    if not (Path(qrels).is_file() or is_dataset_id(qrels)):
        return rows
    of_topic = fingerprints(asked.collection().qrels_by_name())
    return rows | {JUDGMENTS: [of_topic.get(topic) for topic in rows["topic"]]}


def _show_by_judge(asked: Scoring, out: Output) -> None:
    """Print the score under each judge, and the spread."""
    from rankwise.agreement import score_by_judge

    found = score_by_judge(asked.collection(), metrics=asked.parsed_metrics())
    print_notes(found.notes)
    if out.for_people:
        out.show(found.table(digits=out.digits))
    else:
        out.print(found.frame, of=found)


def _at_levels_of_recall(asked: Scoring) -> Scoring:
    refuse(["metrics"], "--recall-precision")
    return replace(asked, metrics=tuple(f"IPrec@{level / 10:g}" for level in range(11)))


def _show_sampled(asked: Scoring, confidence: float | None, by_topic: bool, out: Output) -> None:
    """Print scores estimated from a sample of the judgments."""
    from rankwise.judging import SAMPLED_METRICS, score_sampled

    assert asked.qrels is not None
    names = [name for given in asked.metrics for name in given.split(",")]
    found = score_sampled(
        asked.qrels,
        replace(asked, qrels=None).collection_of_runs(),
        names or SAMPLED_METRICS,
        rel=asked.rel,
        confidence=0.95 if confidence is None else confidence,
    )
    print_notes(found.notes)
    frame = found.by_topic if by_topic else found.frame
    if out.for_people and not by_topic:
        out.show(found.table(digits=out.digits))
    else:
        out.print(frame, of=found)
