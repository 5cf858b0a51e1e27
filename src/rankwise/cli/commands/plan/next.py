"""`rankwise plan`: how deep to judge, and which documents to judge next."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

import click

from rankwise.cli.options.reading import (
    Range,
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
    import polars as pl

    from rankwise.rankings import Collection, NamedRun

ACCURACY = 0.0001


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("qrels", metavar="[QRELS", required=False)
@runs_argument("RUN...]", required=False)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    help="A metric, as RBP(p=0.8), P@10 or nDCG@10. Give it again for more.",
)
@click.option(
    "--accuracy",
    type=Range(0, min_open=True),
    help=f"What the documents below the depth may add to a score.  [default: {ACCURACY}]",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    help="Ask the other way round: the greatest p that RBP may have at this depth. With "
    "--budget: look at the first N documents only.",
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
    qrels: str | None,
    runs: "tuple[str | NamedRun, ...]",
    metrics: tuple[str, ...],
    accuracy: float | None,
    depth: int | None,
    budget: int | None,
    holes: int | None,
    separate: bool,
    weigh: "Weighing",
    probable: bool,
    pair: tuple[str, str] | None,
    seed: int,
    tool: str | None,
    index: str | None,
    unjudged: str | None,
    reading: "Collection",
    metrics_from: tuple[str, ...],
    out: Output,
) -> None:
    """Say how deep to judge, or which documents to judge next.

    \b
    Examples:
      rankwise plan -m "RBP(p=0.8)" --accuracy 0.0001
      rankwise plan -m RBP --depth 100
      rankwise plan qrels.txt *.run -m "RBP(p=0.8)" --budget 500 -o todo.csv
      rankwise plan qrels.txt *.run -m P@10 --budget 500 --separate
      rankwise plan qrels.txt *.run -m "RBP(p=0.8)" --budget 500 --weigh score
      rankwise plan qrels.txt *.run -m nDCG@10 --budget 500
      rankwise plan qrels.txt *.run -m AP --budget 500 --pair bm25 splade
      rankwise plan qrels.txt *.run -m P@10 --budget 9 --for quepid -o ratings.csv
      rankwise plan qrels.txt *.run --holes 10 -o todo.csv

    With QRELS, RUN... and --budget: a list of topics and documents for the
    assessors, and on standard error what is expected after each tenth of them.
    """
    from rankwise.metrics import load_metrics

    check_index(tool, index)
    for file in metrics_from:
        load_metrics(file)
    if holes is not None:
        given: tuple[Any, ...] = (metrics, accuracy, depth, budget, separate, unjudged)
        given += (reading.gains, reading.complete_runs)
        if any((*given, weigh != "equal", probable, pair, seed)):
            what = "--metric, --budget, --depth and the like"
            raise click.UsageError(f"--holes K is a list by rank alone: leave out {what}.")
        if qrels is None or not runs:
            raise click.UsageError("--holes needs QRELS and RUN...: the documents are in them.")
        _list_holes(replace(reading, qrels=qrels, runs=runs), holes, (tool, index), out)
        return
    if not metrics:
        what = "how deep to judge depends" if budget is None else "what to judge next depends"
        raise click.UsageError(f"Missing option '-m' / '--metric': {what} on it.")
    if budget is None:
        if qrels is not None:
            raise click.UsageError("QRELS and RUN... go with --budget N, the documents to judge.")
        for_budget: list[Any] = [
            reading.gains,
            reading.lenient,
            reading.complete_runs,
            probable,
            pair,
            seed,
        ]
        for_budget += [reading.only_topics, reading.drop_self, reading.map_documents]
        if separate or weigh != "equal" or tool or unjudged or any(for_budget):
            raise click.UsageError("--separate and the like go with QRELS, RUN... and --budget.")
        fine = replace(out, digits=max(out.digits, 6))
        table, reasons = _depths(metrics, accuracy or ACCURACY, depth)
        fine.print(table, notes=reasons)
        print_notes(reasons)
        return
    if qrels is None or not runs:
        raise click.UsageError("--budget needs QRELS and RUN...: the documents are in them.")
    if accuracy is not None:
        raise click.UsageError("--accuracy asks for a depth, --budget for documents: give one.")
    if len(metrics) > 1:
        raise click.UsageError("--budget plans for one metric: give one -m.")
    from rankwise.judging import plan_judgments

    plan = plan_judgments(
        replace(reading, qrels=qrels, runs=runs, depth=depth),
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


def _depths(
    metrics: tuple[str, ...], accuracy: float, depth: int | None
) -> "tuple[pl.DataFrame, list[str]]":
    import polars as pl

    from rankwise.errors import CallError
    from rankwise.judging import greatest_p, plan_depth
    from rankwise.metrics import parse

    if depth is None:
        return plan_depth(metrics, accuracy)
    if not all(parse(metric).persistence for metric in metrics):
        raise CallError("--depth asks for the p of RBP: give -m RBP, or no --depth.")
    columns = {"metric": ["RBP"], "accuracy": [accuracy], "depth": [depth]}
    return pl.DataFrame(columns | {"greatest p": [greatest_p(accuracy, depth)]}), []
