"""`rankwise score`: scores, leaderboards, bounds."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import option, refuse
from rankwise.cli.options.paper import STYLES, ForPaper
from rankwise.cli.options.scoring import Adjusted
from rankwise.cli.options.shared import ASSUMPTIONS, CLUSTERS_HELP, OF_ASSUMPTION, PAPER
from rankwise.cli.output import print_notes
from rankwise.vocabulary import Engine, MeanInterval

if TYPE_CHECKING:
    from rankwise.results import Columns
    from rankwise.scores import Scores


class Options(Adjusted, Charted, ForPaper):
    shared = "mean rel topic_groups lengths undefined bounds seed"
    everyday = "metrics by_topic topic_groups confidence bounds unjudged rel output style chart"
    by_topic: bool = option(
        "Add a row per run and topic, before the means; --chart then shows the scores per topic.",
        not_with=PAPER,
    )
    recall_precision: bool = option(
        "Instead of -m: interpolated precision at the eleven standard recall levels; --chart draws "
        "the recall-precision curve.",
        not_with=["metrics"],
    )
    unjudged: str | None = option(
        f"{ASSUMPTIONS}. `own`: only documents that the run itself retrieved.  [default: "
        "retrieved]",
        **OF_ASSUMPTION,
    )
    confidence: float | None = option(
        "Add a confidence interval for each mean at this level, e.g. 0.95. With --bounds, also add "
        "a wider interval that covers both the sampling of topics and the unjudged documents.",
        metavar="LEVEL",
    )
    ranks: bool = option(
        "Add a confidence interval of the rank of each run, simultaneous for all runs; implies "
        "--confidence 0.95."
    )
    interval: MeanInterval | None = option(
        "Confidence intervals within the range of the metric. `logit`: Student's t on the logit "
        "scale. `t`: Student's t, truncated to the range. `bootstrap`: studentised bootstrap, "
        "truncated to the range. Implies --confidence 0.95.  [default: logit]"
    )
    clusters: str | None = option(
        f"{CLUSTERS_HELP}. Implies --confidence 0.95.", metavar="FILE", computes_no_bounds=True
    )
    engine: Engine = option(
        "Score on this computer, or on Apache Spark. Spark then reads the runs.", default="local"
    )
    master: str | None = option(
        "Spark master, e.g. spark://host:7077; implies --engine spark.  [default: from Spark's "
        "configuration]",
        metavar="URL",
    )

    def check(self) -> None:
        self.bounds |= self.unjudged is not None
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
      rankwise score human=a.qrels bm25.run --judge llm=b.qrels --judges majority
      zcat bm25.run.gz | rankwise score qrels.txt - --format csv -o scores.csv

    QRELS and RUN are TREC files, plain or compressed, or tables (parquet, csv,
    tsv, jsonl, arrow) with named columns; - is standard input. NAME=FILE names a
    run.
    """
    out = options.out
    if options.recall_precision:
        levels = tuple(f"IPrec@{level / 10:g}" for level in range(11))
        options = options.replaced(metrics=levels)
    is_local = options.engine == "local" and options.master is None
    scores = options.adjusted(options.scores() if is_local else _scores_by_spark(options))
    by_topic = options.by_topic
    if options.confidence is None:
        options.draw(lambda: scores.chart(by_topic=by_topic))
        if out.style in STYLES and not by_topic:
            print_notes(scores.notes)
            options.show_for_paper(scores)
            return
        out.result(
            scores,
            table=lambda: scores.table(digits=out.digits, by_topic=by_topic),
            frame=lambda: _rows(scores, options),
        )
        return
    from rankwise.scores import confidence, long_form

    intervals = confidence(
        scores,
        options.confidence,
        interval=options.interval or "logit",
        seed=options.seed,
        clusters=options.clusters,
        ranks=options.ranks,
    )
    has_own_chart = by_topic or options.recall_precision
    options.draw(lambda: scores.chart(by_topic=by_topic) if has_own_chart else intervals.chart())
    out.result(
        intervals,
        table=lambda: intervals.table(digits=out.digits, by_topic=by_topic),
        frame=lambda: long_form(scores, by_topic=by_topic, means=intervals.frame),
    )


def _rows(scores: "Scores", options: Options) -> "Columns":
    """Return scores in long form; a file of scores by topic has a hash of each topic's judgments.

    From the hashes, `gate` detects changed judgments. Judgments from standard input cannot be read
    again, and get no hash.
    """
    from rankwise.scores import long_form

    rows, qrels = long_form(scores, by_topic=options.by_topic), str(options.qrels)
    if not (options.by_topic and options.out.to_file):
        return rows
    from rankwise.formats import JUDGMENTS, is_dataset_id
    from rankwise.rankings import fingerprints

    if not (Path(qrels).is_file() or is_dataset_id(qrels)):
        return rows
    of_topic = fingerprints(options.collection().qrels_by_name())
    return rows | {JUDGMENTS: [of_topic.get(topic) for topic in rows["topic"]]}


def _scores_by_spark(options: Options) -> "Scores":
    """Return the scores; Spark reads the runs and computes them."""
    if "-" in options.runs:
        what = "--engine spark cannot read standard input (-). Give files."
        raise click.UsageError(what)
    refuse(["lengths"], "--engine spark")
    from rankwise.spark import collect, read_runs, said_by_spark, session

    metrics = options.parsed_metrics()
    with said_by_spark():
        runs = read_runs(
            session(options.master),
            options.runs,
            order=options.order,
            lenient=options.lenient,
            columns=options.columns,
            subset=options.subset,
            split=options.split,
        )
        return collect(
            replace(options.collection(), runs=runs),
            metrics=metrics,
            bounds=options.bounds,
            unjudged=options.unjudged or "retrieved",
            mean=options.mean,
        )
