"""`rankwise judges agree`: agreement of judges, and system scores under each judge."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import Command, with_options
from rankwise.cli.options.base import AtLeast1, argument, option
from rankwise.cli.options.reading import Reading
from rankwise.cli.options.shared import (
    ALPHA_BELOW_1,
    METRIC,
    refuse_repeated,
    run_given,
    runs_given,
)
from rankwise.cli.output import Printed, print_below_table, print_notes
from rankwise.vocabulary import AgreementView

if TYPE_CHECKING:
    from rankwise.rankings import NamedRun, Qrels

SYSTEMS = ("systems", "ranks", "differences", "favours")  # with a chart of systems


class RunsAtTheEnd(Command):
    """A command whose option --runs takes all arguments up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread, in_runs = [], False
        for word, after in zip(args, [*args[1:], "--"], strict=True):
            if word.startswith("-") and word != "-":
                in_runs = word == "--runs"
                if in_runs and after.startswith("-") and after != "-":
                    raise click.UsageError("--runs needs a value: RUN....", ctx)
                spread += [] if in_runs else [word]
            else:
                spread += ["--runs", word] if in_runs else [word]
        return super().parse_args(ctx, spread)


class Options(Reading, Charted, Printed):
    shared = "rel depth complete_runs undefined seed"
    only_with: ClassVar = {
        "runs": "metrics rel depth complete_runs undefined order drop_self map_documents",
        "show=labels|grades|judges|systems": "resamples",
    }
    never_with: ClassVar = {"show=confusion|ranks|documents": "alpha"}
    everyday = (
        "runs show metrics reference gains_of_judge columns alpha resamples rows chart style output"
    )
    judgments: tuple[str, ...] = argument("JUDGMENTS...", nargs=-1)
    runs: "tuple[str | NamedRun, ...]" = option(
        "Runs to score with the judgments of each judge: all files up to the next option.",
        multiple=True,
        metavar="RUN...",
        callback=runs_given,
    )
    metrics: tuple[str, ...] = option(
        "Metric, or several: AP,nDCG@10. Applies only with --runs.  [default: AP,nDCG@10,P@10,RR]",
        **METRIC,
    )
    show: AgreementView = option(
        "Table to print. `labels`: agreement coefficients. `confusion`: confusion matrix of two "
        "judges. `grades`: overrating by the second judge of each pair. For the "
        "documents to which the first judge gave grade g: mean grade of the second judge − g. "
        "`judges`: how often each judge differs from the others. The following tables need --runs. "
        "`systems`: correlation of the system scores under two judges. `ranks`: ranks of each run "
        "under each judge. `differences`: whether two runs that differ significantly under one "
        "judge also differ significantly under the other. `favours`: which runs a judge favours. "
        "For each run: score under this judge − score under the reference judge, centred so that "
        "the mean over all runs is 0. `documents`: the disagreements with the largest effect "
        "on scores.",
        default="labels",
    )
    reference: str | None = option(
        "Judge that the others are compared with; the first judge of each pair in the output.  "
        "[default: the first judge]",
        metavar="JUDGE",
    )
    gains_of_judge: tuple[str, ...] = option(
        "Map the grades of one judge, or of all judges, to other values, for example "
        "llm:1=0,2=1,3=2. Repeatable.",
        "--gains",
        metavar="[JUDGE:]TABLE",
    )
    alpha: float = ALPHA_BELOW_1
    resamples: int = option("Number of bootstrap resamples.", type=AtLeast1, default=2000)
    rows: int = option(
        "Number of rows to print; csv, json and parquet have all rows.", type=AtLeast1, default=20
    )


@with_options(Options, kind=RunsAtTheEnd)
def command(options: Options) -> None:
    """Measure the agreement of judges, and its effect on system scores.

    \b
    Examples:
      rankwise judges agree human.qrels llm.qrels
      rankwise judges agree human=first.txt llm=second.txt --show confusion \\
          --chart confusion.svg
      rankwise judges agree labels.csv --columns judge=annotator
      rankwise judges agree human.qrels llm.qrels --runs runs/*.run -m nDCG@10 \\
          --show differences

    JUDGMENTS are two or more files, one per judge, or one table with a column `judge`.
    Confidence intervals are computed by a bootstrap over topics, because the labels of
    a topic are not independent. The naive interval, which treats documents as
    independent, is shown for comparison. With --runs, systems are scored under each
    judge on the documents that both judged. The chart is the confusion matrix of two
    judges, the mean difference of the second judge's grades from each grade of the
    first (--show grades), or the system scores under both judges (--show systems).
    """
    from rankwise.agreement import agree
    from rankwise.scores import DEFAULT_METRICS

    out, show = options.out, options.show
    found = agree(
        replace(options.collection_of(_judges(options), None), runs=options.runs or None),
        metrics=options.metrics or DEFAULT_METRICS,
        reference=options.reference,
        rel=options.rel,
        alpha=options.alpha,
        resamples=options.resamples,
        seed=options.seed,
    )
    of_view = [note for note in found.notes if note.kind not in ("intervals", "t-intervals")]
    # Without a table: the confusion matrices of several pairs of judges, as one frame.
    has_table = out.for_people or show != "confusion"
    table = found.table(digits=out.digits, show=show, rows=options.rows) if has_table else None
    of_table = [] if table is None else table.notes
    if out.for_people and show == "labels":  # the few statistics that a paper reports
        print_below_table(found.sentence())
    else:
        print_notes([found.caption])
    print_notes(dict.fromkeys([*of_table, *of_view]))
    options.draw(lambda: found.chart(grades=show == "grades", systems=show in SYSTEMS))
    if out.for_people and table is not None:
        out.show(table)
    else:
        out.print(found.view(show), of=found)


def _judges(options: Options) -> Any:
    """Return {judge: judgments}, with grades mapped by the tables of --gains.

    A table applies to the judge that it names, or to all judges if it names none.
    """
    from rankwise.rankings import NamedRun, read_judges

    files = options.judgments
    sources = [options.with_columns(run_given(None, None, one)) for one in files]
    refuse_repeated(files)
    single = sources[0].given if isinstance(sources[0], NamedRun) else sources[0]
    tables = [_table_of_judge(one) for one in options.gains_of_judge]
    judges = read_judges(single if len(sources) == 1 else sources, lenient=options.lenient)
    unknown = next((name for name, _ in tables if name and name not in judges), None)
    if unknown is not None:
        known = ", ".join(judges)
        raise click.UsageError(f"--gains: no judge is called {unknown}. Judges: {known}.")
    for name, table in tables:
        for judge in [name] if name else list(judges):
            if (judges[judge].frame["grade"] < 0).any():
                print_notes([f"{judge}: --gains maps negative grades to 0"])
            judges[judge] = _mapped(judge, judges[judge], table)
    return judges


def _table_of_judge(given: str) -> tuple[str, str]:
    """Split [JUDGE:]TABLE into judge and table; the judge is "" if it is missing."""
    name, colon, table = given.partition(":")
    if colon and "=" in table and "=" not in name:
        return name, table
    return "", given


def _mapped(judge: str, qrels: "Qrels", table: str) -> "Qrels":
    from rankwise.errors import InputError
    from rankwise.rankings import read_qrels

    try:
        return read_qrels(qrels, gains=table)
    except InputError as error:  # of the qrels: say whose
        raise InputError(judge, error.text) from None
