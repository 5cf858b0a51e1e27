"""`rankwise judges sampled`: scores estimated from a sample of the judgments."""

from rankwise.cli.help import with_options
from rankwise.cli.options.base import option
from rankwise.cli.options.reading import Reading
from rankwise.cli.options.shared import OF_THRESHOLD, THRESHOLD
from rankwise.cli.output import Printed


class Options(Reading, Printed):
    shared = "qrels runs depth subset split"
    everyday = "metrics by_topic confidence rel style output digits"
    metrics: tuple[str, ...] = option(
        "statAP, xinfAP, infNDCG or infNDCG@10, or several: statAP,infNDCG.  [default: all]",
        flags="-m --metric",
        metavar="METRIC",
    )
    rel: float = option(f"{THRESHOLD}.  [default: 1]", **OF_THRESHOLD)
    by_topic: bool = option("Instead of the means: one row per run and topic.")
    confidence: float = option("Level of the confidence intervals.", metavar="LEVEL", default=0.95)


@with_options(Options)
def command(options: Options) -> None:
    """Estimate AP and nDCG from sampled judgments, with confidence intervals.

    \b
    Examples:
      rankwise plan sample qrels.txt runs/*.run --design 10=1,100=0.1 -o sample.csv
      rankwise judges sampled sample.csv runs/*.run
      rankwise judges sampled sample.csv runs/*.run -m statAP,infNDCG --by-topic

    QRELS is a sample with inclusion probabilities: the output of `rankwise plan sample
    --design`, a prels file, or a file of sample_eval. If a file does not list the
    documents that were not sampled, use statAP.
    """
    from rankwise.judging import SAMPLED_METRICS, score_sampled
    from rankwise.results import Table

    assert options.qrels is not None
    found = score_sampled(
        options.qrels,
        options.collection_of(None, options.runs),
        [name for given in options.metrics for name in given.split(",")] or SAMPLED_METRICS,
        rel=options.rel,
        confidence=options.confidence,
    )
    frame = found.by_topic if options.by_topic else found.frame
    table = Table(frame, digits=options.out.digits)
    options.out.result(found, table=lambda: table, frame=lambda: frame)
