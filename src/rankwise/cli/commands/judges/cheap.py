"""`rankwise judges cheap`: scores from labels of a cheap judge, corrected by an expert's labels."""

from typing import Literal

from rankwise.cli.help import with_options
from rankwise.cli.options.base import OptionSet, argument, option
from rankwise.cli.options.baseline import WithBaseline
from rankwise.cli.options.scoring import Scored
from rankwise.cli.options.shared import ALPHA_BELOW_1
from rankwise.cli.output import Printed
from rankwise.vocabulary import Topics


class Labels(OptionSet):
    """The first arguments: labels of the expert and of the cheap judge."""

    qrels: str | None = argument("QRELS")
    cheap: str = argument("CHEAP")


class Options(Labels, WithBaseline, Scored, Printed):
    shared = "rel lengths seed"
    everyday = "differences by inclusion metrics baseline alpha seed style output"
    topics: Topics = "all"  # a topic without a score under one of the judges is excluded
    differences: bool = option(
        "Instead of the scores: the differences between runs, one row per pair. Implied by "
        "--baseline."
    )
    by: Literal["topics", "documents"] | None = option(
        "Whether the expert's judgments are a random sample of topics or of documents.  [default: "
        "detected]"
    )
    inclusion: str | None = option(
        "Probability with which each document of QRELS was sampled. P is one number; FILE is a "
        "table with the columns `topic`, `document` and `probability`. The estimates then use "
        "these probabilities instead of a statistical model. Only for metrics with fixed rank "
        "weights (RBP, P@k, DCG@k).",
        metavar="P|FILE",
    )
    alpha: float = ALPHA_BELOW_1


@with_options(Options)
def command(options: Options) -> None:
    """Estimate scores from many cheap labels, and correct them by a few expert labels.

    \b
    Examples:
      rankwise judges cheap human.qrels llm.qrels runs/*.run -m nDCG@10
      rankwise judges cheap human.qrels llm.qrels runs/*.run -m AP --baseline bm25
      rankwise judges cheap human.qrels llm.qrels runs/*.run -m P@10 --differences
      rankwise judges cheap tenth.qrels llm.qrels runs/*.run -m P@10 --inclusion 0.1

    QRELS has judgments by an expert for a sample of the topics, or of the documents.
    CHEAP has judgments by a cheap judge, for example a language model (LLM), for all
    topics and documents, including those in QRELS. The expert's judgments correct the
    bias of the cheap judgments (prediction-powered inference). The table has the
    estimates with confidence intervals, and for comparison the scores from each judge
    alone. `rankwise plan next --cheap` lists the documents that the expert should judge
    next.
    """
    from rankwise.agreement import score_cheap

    options = options.with_baseline()
    out, baseline = options.out, options.baseline
    pairs = options.differences or baseline is not None
    found = score_cheap(
        options.collection(),
        metrics=options.parsed_metrics(),
        cheap=options.with_columns(options.cheap, is_run=False),
        by=options.by,
        inclusion=None if options.inclusion is None else _number_or_file(options.inclusion),
        alpha=options.alpha,
        seed=options.seed,
    )
    out.result(
        found,
        table=lambda: found.table(digits=out.digits, pairs=pairs, baseline=baseline),
        frame=lambda: found.pairs(baseline) if pairs else found.frame,
    )


def _number_or_file(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
