"""`rankwise plan next`: the documents to judge next."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, option
from rankwise.cli.options.reading import OwnMetrics, Reading
from rankwise.cli.options.shared import METRIC, OF_ASSUMPTION
from rankwise.cli.options.writing import ForTool
from rankwise.cli.output import Printed, print_notes
from rankwise.vocabulary import Weighing
from rankwise.wording import Count

if TYPE_CHECKING:
    import polars as pl

    from rankwise.results import Result


class Options(ForTool, Reading, OwnMetrics, Charted, Printed):
    shared = "qrels runs depth seed gains complete_runs subset split"
    everyday = "metrics budget holes probable pair separate unjudged tool cheap output style"
    metrics: tuple[str, ...] = option("Metric, for example RBP(p=0.8), P@10 or nDCG@10.", **METRIC)
    budget: int | None = option(
        "Number of unjudged documents to list. For metrics with fixed rank weights (RBP, P@k, "
        "DCG@k), lists the documents with the largest total weight over the runs. For other "
        "metrics (AP, nDCG), lists the documents most likely to decide which run is better (see "
        "--probable).",
        type=AtLeast1,
    )
    cheap: str | None = option(
        "Judgments by a language model or another cheap judge. Lists the documents that an "
        "expert should judge next. QRELS must have the expert's judgments of at least 100 "
        "documents of FILE; the first of them should be a random sample.",
        metavar="FILE",
        not_with=["holes", "separate", "probable", "pair", "unjudged", "weigh", "chart"],
    )
    holes: int | None = option(
        "List all unjudged documents in the first K of any run; needs no metric.",
        metavar="K",
        type=AtLeast1,
        not_with=[
            *("metrics", "depth", "budget", "separate", "weigh", "probable", "pair", "seed"),
            *("unjudged", "gains", "complete_runs", "chart"),
        ],
        because="which lists all unjudged documents down to rank K",
    )
    separate: bool = option(
        "Choose the documents whose judgments help most to separate pairs of runs. Two runs are "
        "separated if the lowest possible score of one is above the highest possible score of the "
        "other. Only for RBP, P@k and DCG@k."
    )
    weigh: Weighing = option(
        "Weight of each run that retrieved a document. `equal`: the same for all runs. "
        "`residual`: its residual. `score`: its residual times the cube of the middle of its "
        "score range (Moffat, Webber and Zobel 2007).",
        default="equal",
    )
    probable: bool = option(
        "Choose the documents whose judgments are most likely to decide which run of a pair is "
        "better, for any metric. Considers the first 100 documents of each run; --unjudged top=K "
        "considers the first K."
    )
    pair: tuple[str, str] | None = option(
        "Choose the documents most likely to decide between the runs A and B.",
        nargs=2,
        metavar="A B",
    )
    unjudged: str | None = option(
        "Assumption about unjudged documents: which of them can be relevant. `top=K`: only "
        "documents in the first K of any run; for --probable, --pair, and metrics such as AP and "
        "nDCG. For metrics with fixed rank weights (RBP, P@k, DCG@k): `retrieved`, only documents "
        "that at least one run retrieved, or `open`, any document.  [default: top=100, or "
        "retrieved for fixed rank weights]",
        **OF_ASSUMPTION,
    )


@with_options(Options)
def command(options: Options) -> None:
    """List the documents to judge next.

    \b
    Examples:
      rankwise plan next qrels.txt *.run -m nDCG@10 --budget 500 \\
          -o todo.csv --chart effort.svg
      rankwise plan next qrels.txt *.run -m "RBP(p=0.8)" --budget 500 --weigh score
      rankwise plan next qrels.txt *.run -m P@10 --budget 500 --separate
      rankwise plan next qrels.txt *.run -m AP --budget 500 --pair bm25 splade
      rankwise plan next qrels.txt *.run -m P@10 --budget 9 --for quepid \\
          -o ratings.csv
      rankwise plan next qrels.txt *.run --holes 10 -o todo.csv
      rankwise plan next human.qrels *.run -m nDCG@10 --budget 200 \\
          --cheap llm.qrels

    The list for the assessors goes to standard output. The expected progress, after
    each tenth of the list, goes to standard error.
    """
    if options.holes is not None:
        _list_holes(options, options.holes)
        return
    if len(options.metrics) != 1:
        raise click.UsageError(
            f"plan next needs exactly one metric, and {len(options.metrics)} are given. Use for "
            "example -m nDCG@10."
        )
    if options.budget is None:
        raise click.UsageError(
            "The number of documents to judge is missing. Give --budget N, or --holes K."
        )
    collection = options.collection_of(options.qrels, options.runs)
    metric, budget, seed = options.metrics[0], options.budget, options.seed
    if options.cheap is not None:
        from rankwise.agreement import plan_expert

        _print_plan(
            options,
            plan_expert(collection, metric=metric, cheap=options.cheap, budget=budget, seed=seed),
        )
        return
    from rankwise.judging import plan_judgments

    plan = plan_judgments(
        collection,
        metric=metric,
        budget=budget,
        separate=options.separate,
        weigh=options.weigh,
        probable=options.probable,
        pair=options.pair,
        seed=seed,
        unjudged=options.unjudged,
    )
    options.draw(plan.chart)
    _print_plan(options, plan)
    if plan.frame.is_empty() and options.out.for_people:
        return
    # The expected progress goes to standard error: standard output is the list.
    progress = plan.progress_table()
    print_notes(progress.notes)
    click.echo(str(progress), err=True)


def _print_plan(options: Options, plan: "Result") -> None:
    """Print the list of documents, or write it for a tool."""
    if options.tool is not None:
        options.write_template(plan.frame, options.out.path)
    elif not _is_bare_header(options, plan.frame):
        options.out.result(plan, notes=[])
    print_notes(plan.notes)


def _is_bare_header(options: Options, documents: "pl.DataFrame") -> bool:
    """Return whether a terminal would show the header of a table without rows; notes say why."""
    return documents.is_empty() and options.out.for_people and not options.out.to_file


def _list_holes(options: Options, depth: int) -> None:
    from rankwise.judging import holes

    documents = holes(options.collection_of(options.qrels, options.runs), depth=depth)
    if options.tool is not None:
        options.write_template(documents, options.out.path)
    elif not _is_bare_header(options, documents):
        options.out.print(documents)
    topics = documents["topic"].n_unique()
    count = Count(documents.height, "unjudged document is", "unjudged documents are")
    where = f"in the first {depth:,} of at least one run ({Count(topics, 'topic')})"
    print_notes([f"{count} {where}"])
