"""`rankwise plan next`: which documents to judge next."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import click

from rankwise.cli.help import Command
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


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS")
@runs_argument("RUN...", required=True)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    help="The metric, as RBP(p=0.8), P@10 or nDCG@10.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    help="Use the first N documents of each ranking only.",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    help="List the N unjudged documents to judge next: those that carry most weight, or, for a "
    "metric that is no sum of weights, as by --probable.",
)
@click.option(
    "--holes",
    metavar="K",
    type=click.IntRange(1),
    help="List the unjudged documents that some run has in its first K: no metric is needed.",
)
@click.option(
    "--separate",
    is_flag=True,
    help="Rather those that decide undecided pairs of runs for certain; by sums of weights only: "
    "RBP, P@k, DCG@k.",
)
@click.option(
    "--weigh",
    type=click.Choice(get_args(Weighing)),
    default="equal",
    show_default=True,
    help="How the runs count that have a document: all alike, by what is open of their score, or "
    "by that and how good they may be (Moffat, Webber and Zobel 2007).",
)
@click.option(
    "--probable",
    is_flag=True,
    help="Choose the documents most likely to resolve undecided pairs of runs, by any metric, "
    "of those that some run has in its first 100 (K with --unjudged top=K).",
)
@click.option(
    "--pair",
    nargs=2,
    metavar="A B",
    help="As --probable, to clear up which of these two runs is better.",
)
@click.option(
    "--cheap",
    metavar="QRELS",
    help="Choose labels to buy from the careful judge, whose labels so far are QRELS (100 or "
    "more, at random at first); these are cheap labels of all documents.",
)
@seed_option
@tool_option
@index_option
@unjudged_of_plans_option
@reading_options("depth")
@metrics_from_option
@columns_of_input
@parts_of_runs
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
    out: Output,
) -> None:
    """List the documents to judge next.

    \b
    Examples:
      rankwise plan next qrels.txt *.run -m nDCG@10 --budget 500 -o todo.csv
      rankwise plan next qrels.txt *.run -m "RBP(p=0.8)" --budget 500 --weigh score
      rankwise plan next qrels.txt *.run -m P@10 --budget 500 --separate
      rankwise plan next qrels.txt *.run -m AP --budget 500 --pair bm25 splade
      rankwise plan next qrels.txt *.run -m P@10 --budget 9 --for quepid -o ratings.csv
      rankwise plan next qrels.txt *.run --holes 10 -o todo.csv
      rankwise plan next human.qrels *.run -m nDCG@10 --budget 200 --cheap llm.qrels

    Standard output has topics and documents for the assessors; standard error, the
    expected state after each tenth of them.
    """
    from rankwise.metrics import load_metrics

    check_index(tool, index)
    for file in metrics_from:
        load_metrics(file)
    collection = replace(reading, qrels=qrels, runs=runs, depth=depth)
    if cheap is not None:
        if holes or separate or probable or pair or unjudged or weigh != "equal":
            what = "--holes, --separate, --probable, --pair, --weigh and --unjudged"
            raise click.UsageError(f"--cheap has a list of its own: leave out {what}.")
        if len(metrics) != 1 or budget is None:
            raise click.UsageError("give one metric, -m METRIC, and --budget N.")
        _list_careful(collection, metrics[0], cheap, budget, seed, (tool, index), out)
        return
    if holes is not None:
        given: tuple[Any, ...] = (metrics, depth, budget, separate, unjudged)
        given += (reading.gains, reading.complete_runs)
        if any((*given, weigh != "equal", probable, pair, seed)):
            what = "--metric, --budget, --depth and other options of a plan"
            raise click.UsageError(f"--holes K is a list by rank alone: leave out {what}.")
        _list_holes(collection, holes, (tool, index), out)
        return
    if len(metrics) != 1:
        raise click.UsageError("give one metric: -m METRIC.")
    if budget is None:
        raise click.UsageError("give --budget N, the number of documents to judge, or --holes K.")
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
    if tool is not None:
        write_template(plan.frame, tool, index, out.path)
    elif out.for_people:
        out.show(plan.table(digits=out.digits))
    else:
        out.print(plan.frame, of=plan)
    print_notes(plan.notes)
    # What is expected after each tenth, on standard error: standard output is the list.
    course = plan.course_table()
    print_notes(course.notes)
    click.echo(str(course), err=True)


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
