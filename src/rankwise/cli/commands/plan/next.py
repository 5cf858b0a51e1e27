"""`rankwise plan next`: the documents to judge next."""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse
from rankwise.cli.options.reading import (
    columns_of_input,
    metrics_from_option,
    parts_of_runs,
    reading_options,
    runs_argument,
    seed_option,
)
from rankwise.cli.options.scoring import unjudged_of_plans_option
from rankwise.cli.options.writing import (
    check_index,
    index_option,
    tool_option,
    write_template,
)
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.vocabulary import Weighing

if TYPE_CHECKING:
    from rankwise.rankings import Collection, NamedRun

NOT_WITH_CHEAP = ("holes", "separate", "probable", "pair", "unjudged", "weigh", "chart")
NOT_WITH_HOLES = (
    *("metrics", "depth", "budget", "separate", "weigh", "probable", "pair", "seed", "unjudged"),
    *("gains", "complete_runs", "chart"),
)


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS")
@runs_argument("RUN...", required=True)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    shell_complete=complete_metrics,
    help="Metric, for example RBP(p=0.8), P@10 or nDCG@10.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    help="Use the first N documents of each ranking only.",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    help="List N unjudged documents: those with the largest weight in RBP, P@k, DCG@k and other "
    "metrics with fixed weights; for other metrics, documents are chosen as with --probable.",
)
@click.option(
    "--holes",
    metavar="K",
    type=click.IntRange(1),
    help="List all unjudged documents in the first K of any run; needs no metric.",
)
@click.option(
    "--separate",
    is_flag=True,
    help="Choose the documents that prove which run of a pair is better; metrics with fixed "
    "weights only: RBP, P@k, DCG@k.",
)
@click.option(
    "--weigh",
    type=click.Choice(get_args(Weighing)),
    default="equal",
    show_default=True,
    help="Weights of the runs that retrieved a document: equal, their residual, or the "
    "residual and the score it allows (Moffat, Webber and Zobel 2007).",
)
@click.option(
    "--probable",
    is_flag=True,
    help="Choose the documents most likely to resolve undecided pairs of runs (any metric), "
    "from the first 100 of each run (K with --unjudged top=K).",
)
@click.option(
    "--pair",
    nargs=2,
    metavar="A B",
    help="Like --probable, for this pair of runs only.",
)
@click.option(
    "--cheap",
    metavar="FILE",
    help="Cheap labels of all documents, e.g. by a language model: choose the documents that the "
    "careful judge should label next. QRELS needs at least 100 labels of the careful judge; the "
    "first of them must be a random sample.",
)
@seed_option
@tool_option
@index_option
@unjudged_of_plans_option
@reading_options("depth")
@metrics_from_option
@columns_of_input
@parts_of_runs
@chart_options
@output_options
def command(
    qrels: str,
    runs: "tuple[str | NamedRun, ...]",
    metrics: tuple[str, ...],
    depth: int | None,
    budget: int | None,
    holes: int | None,
    separate: bool,
    weigh: "Weighing",
    probable: bool,
    pair: tuple[str, str] | None,
    cheap: str | None,
    seed: int,
    tool: str | None,
    index: str | None,
    unjudged: str | None,
    reading: "Collection",
    metrics_from: tuple[str, ...],
    chart: ChartFile | None,
    out: Output,
) -> None:
    """List the documents to judge next.

    \b
    Examples:
      rankwise plan next qrels.txt *.run -m nDCG@10 --budget 500 -o todo.csv --chart effort.svg
      rankwise plan next qrels.txt *.run -m "RBP(p=0.8)" --budget 500 --weigh score
      rankwise plan next qrels.txt *.run -m P@10 --budget 500 --separate
      rankwise plan next qrels.txt *.run -m AP --budget 500 --pair bm25 splade
      rankwise plan next qrels.txt *.run -m P@10 --budget 9 --for quepid -o ratings.csv
      rankwise plan next qrels.txt *.run --holes 10 -o todo.csv
      rankwise plan next human.qrels *.run -m nDCG@10 --budget 200 --cheap llm.qrels

    The list for the assessors goes to standard output, the expected progress after
    each tenth of it to standard error.
    """
    from rankwise.metrics import load_metrics

    check_index(tool, index)
    for file in metrics_from:
        load_metrics(file)
    collection = replace(reading, qrels=qrels, runs=runs, depth=depth)
    if cheap is not None:
        refuse(NOT_WITH_CHEAP, "--cheap")
        if len(metrics) != 1 or budget is None:
            raise click.UsageError("Give exactly one metric, e.g. -m nDCG@10, and --budget N.")
        _list_careful(collection, metrics[0], cheap, budget, seed, (tool, index), out)
        return
    if holes is not None:
        refuse(NOT_WITH_HOLES, "--holes", "which lists all unjudged documents down to rank K")
        _list_holes(collection, holes, (tool, index), out)
        return
    if len(metrics) != 1:
        raise click.UsageError("Give exactly one metric, e.g. -m nDCG@10.")
    if budget is None:
        raise click.UsageError("Give --budget N, the number of documents to judge, or --holes K.")
    from rankwise.judging import plan_judgments

    plan = plan_judgments(
        collection,
        metric=metrics[0],
        budget=budget,
        separate=separate,
        weigh=weigh,
        probable=probable,
        pair=pair,
        seed=seed,
        unjudged=unjudged,
    )
    if chart is not None:
        write_chart(chart, plan.chart())
    if tool is not None:
        write_template(plan.frame, tool, index, out.path)
    elif out.for_people:
        out.show(plan.table(digits=out.digits))
    else:
        out.print(plan.frame, of=plan)
    print_notes(plan.notes)
    # The expected progress goes to standard error: standard output is the list.
    progress = plan.progress_table()
    print_notes(progress.notes)
    click.echo(str(progress), err=True)


def _list_careful(
    collection: "Collection",
    metric: str,
    cheap: str,
    budget: int,
    seed: int,
    tool: tuple[str | None, str | None],
    out: Output,
) -> None:
    from rankwise.agreement import plan_careful

    plan = plan_careful(collection, metric=metric, cheap=cheap, budget=budget, seed=seed)
    name, index = tool
    if name is not None:
        write_template(plan.frame, name, index, out.path)
    elif out.for_people:
        out.show(plan.table(digits=out.digits))
    else:
        out.print(plan.frame, of=plan)
    print_notes(plan.notes)


def _list_holes(
    collection: "Collection",
    depth: int,
    tool: tuple[str | None, str | None],
    out: Output,
) -> None:
    from rankwise.judging import holes

    found = holes(collection, depth=depth)
    name, index = tool
    if name is not None:
        write_template(found, name, index, out.path)
    else:
        out.print(found)
    topics = found["topic"].n_unique()
    what = f"unjudged documents in the first {depth:,} of some run"
    print_notes([f"{what}: {found.height:,}, of {topics:,} topics"])
