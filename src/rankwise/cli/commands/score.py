"""`rankwise score`: scores, leaderboards, bounds."""

from pathlib import Path
from typing import TYPE_CHECKING

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import flag, option, refuse
from rankwise.cli.options.paper import PAPER, STYLES, ForPaper
from rankwise.cli.options.reading import LENGTHS, REL_OF_METRICS, SEED, TOPIC_GROUPS, UNDEFINED
from rankwise.cli.options.scoring import (
    BOUNDS,
    CLUSTERS_HELP,
    MEAN,
    MEAN_INTERVAL,
    PROBABLE,
    SPARK,
    STANDARDISED,
    SYSTEMS_HELP,
    UNJUDGED_OF_SCORES,
    WEIGHTS_HELP,
    Cheap,
    OnSpark,
    Standardised,
)
from rankwise.cli.output import print_notes
from rankwise.vocabulary import Mean, MeanInterval, Undefined

if TYPE_CHECKING:
    from rankwise.results import Columns


class Options(Cheap, Standardised, OnSpark, Charted, ForPaper):
    """Options of `rankwise score`."""

    everyday = (
        "metrics by_topic topic_groups confidence bounds unjudged probable cheap rel output style "
        "chart"
    )
    mean: Mean = MEAN
    rel: float = REL_OF_METRICS
    topic_groups: str | None = TOPIC_GROUPS
    lengths: str | None = LENGTHS
    undefined: Undefined = UNDEFINED
    by_topic: bool = flag(
        "Add a row per run and topic, before the means; --chart then shows the scores per topic.",
        not_with=PAPER,
    )
    by_judge: bool = flag(
        "Instead of the summary: the score of each run under each judge (--judge, or a column "
        "`judge` of QRELS), and the range of these scores.",
        not_with=[
            *("by_topic", "bounds", "recall_precision", "confidence", "ranks", "probable"),
            *("chart", "judges", "clusters", "systems", *STANDARDISED, *PAPER),
        ],
    )
    recall_precision: bool = flag(
        "Instead of -m: interpolated precision at the eleven standard recall levels; --chart draws "
        "the recall-precision curve.",
        not_with=["metrics"],
    )
    bounds: bool = BOUNDS
    unjudged: str | None = UNJUDGED_OF_SCORES
    probable: bool = PROBABLE
    sampled: bool = flag(
        "Estimate statAP, xinfAP, infNDCG and infNDCG@10, with confidence intervals, from sampled "
        "judgments: QRELS has inclusion probabilities (a file of `plan sample --design`, a prels "
        "file, or a file of sample_eval).",
        not_with=[
            *("by_judge", "recall_precision", "probable", "cheap", "chart", "gains", "judge"),
            *("judges", "topic_groups", "lengths", "complete_runs", "mean", "undefined", "topics"),
            *("interval", "clusters", "systems", "ranks", *STANDARDISED, *SPARK, *PAPER),
        ],
        computes_no_bounds=True,
    )
    confidence: float | None = option(
        "Add a confidence interval for each mean at this level, e.g. 0.95. With --bounds, also add "
        "a wider interval that covers both the sampling of topics and the unjudged documents.",
        metavar="LEVEL",
        type=float,
    )
    ranks: bool = flag(
        "Add a confidence interval of the rank of each run, simultaneous for all runs; implies "
        "--confidence 0.95."
    )
    interval: MeanInterval | None = MEAN_INTERVAL
    clusters: str | None = option(
        f"{CLUSTERS_HELP}. Implies --confidence 0.95.", metavar="FILE", computes_no_bounds=True
    )
    systems: str | None = option(
        SYSTEMS_HELP, metavar="FILE", not_with=["mean"], computes_no_bounds=True
    )
    weights: str | None = option(
        WEIGHTS_HELP,
        metavar="FILE",
        not_with=[
            *("topic_groups", "mean", "standardise", "sampled", "by_judge", "clusters", "systems"),
            *SPARK,
        ],
        computes_no_bounds=True,
    )
    seed: int = SEED

    def check(self) -> None:
        if self.confidence is None and (self.ranks or self.clusters or self.interval):
            self.confidence = 0.95
        if self.confidence is not None:
            refuse(PAPER, "confidence intervals")


@with_options(Options)
def command(options: Options) -> None:
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
    if options.cheap is not None:
        level = 0.95 if options.confidence is None else options.confidence
        options.show_cheap_scores(alpha=1 - level, seed=options.seed, pairs=False)
    elif options.sampled:
        _show_sampled(options)
    elif options.by_judge:
        from rankwise.agreement import score_by_judge

        by_judge = score_by_judge(options.collection(), metrics=options.parsed_metrics())
        print_notes(by_judge.notes)
        options.out.result(by_judge)
    elif options.probable:
        predicted = options.predicted(options.unjudged, options.seed)
        options.draw(predicted.chart)
        print_notes(predicted.notes)
        options.out.result(predicted)
    else:
        if options.recall_precision:
            levels = tuple(f"IPrec@{level / 10:g}" for level in range(11))
            options = options.replaced(metrics=levels)
        _show_scores(options)


def _show_scores(options: Options) -> None:
    """Print the means, with confidence intervals if requested."""
    from rankwise.scores import long_form

    out, by_topic = options.out, options.by_topic
    bounds = options.bounds or options.unjudged is not None
    found = options.scores(bounds=bounds, unjudged=options.unjudged or "retrieved")
    scores = options.adjusted(found)
    if options.confidence is None:
        options.draw(lambda: scores.chart(by_topic=by_topic))
        print_notes(scores.notes)
        if out.style in STYLES and not by_topic:
            options.show_for_paper(scores)
        elif out.for_people:
            out.show(scores.table(digits=out.digits, by_topic=by_topic))
        else:
            rows = long_form(scores, by_topic=by_topic)
            if by_topic and out.to_file:
                rows = _with_fingerprints(rows, options)
            out.print(rows, of=scores)
        return
    from rankwise.scores import confidence

    intervals = confidence(
        scores,
        options.confidence,
        interval=options.interval or "logit",
        seed=options.seed,
        clusters=options.clusters,
        ranks=options.ranks,
    )
    if by_topic or options.recall_precision:
        options.draw(lambda: scores.chart(by_topic=by_topic))
    else:
        options.draw(intervals.chart)
    print_notes(intervals.notes)
    out.result(
        intervals,
        table=lambda: intervals.table(digits=out.digits, by_topic=by_topic),
        frame=lambda: long_form(scores, by_topic=by_topic, means=intervals.frame),
    )


def _with_fingerprints(rows: "Columns", options: Options) -> "Columns":
    """Add a hash of each topic's judgments, from which `gate` detects changed judgments.

    Judgments from standard input cannot be read again, and get no hash.
    """
    from rankwise.formats import JUDGMENTS, is_dataset_id
    from rankwise.rankings import fingerprints

    qrels = str(options.qrels)
    if not (Path(qrels).is_file() or is_dataset_id(qrels)):
        return rows
    of_topic = fingerprints(options.collection().qrels_by_name())
    return rows | {JUDGMENTS: [of_topic.get(topic) for topic in rows["topic"]]}


def _show_sampled(options: Options) -> None:
    """Print scores estimated from a sample of the judgments."""
    from rankwise.judging import SAMPLED_METRICS, score_sampled

    assert options.qrels is not None
    names = [name for given in options.metrics for name in given.split(",")]
    estimates = score_sampled(
        options.qrels,
        options.collection_of(None, options.runs),
        names or SAMPLED_METRICS,
        rel=options.rel,
        confidence=0.95 if options.confidence is None else options.confidence,
    )
    print_notes(estimates.notes)
    if options.by_topic:
        options.out.print(estimates.by_topic, of=estimates)
    else:
        options.out.result(estimates)
