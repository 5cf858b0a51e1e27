"""`rankwise gate`: fail when a candidate is worse than a baseline."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from rankwise.cli.completion import complete_metrics
from rankwise.cli.flags import Flags
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse, require
from rankwise.cli.options.reading import (
    columns_of_input,
    metrics_from_option,
    parts_of_runs,
    reading_options,
    run_given,
    seed_option,
)
from rankwise.cli.options.scoring import (
    NOT_WITH_SCORES,
    interval_option,
    less_is_better_option,
    sources_of_scores,
)
from rankwise.cli.output import Output, folder_is_there, print_notes, print_pending_notes
from rankwise.vocabulary import Test

if TYPE_CHECKING:
    from rankwise.comparison.gate import Gate
    from rankwise.rankings import Collection, NamedRun
    from rankwise.scores import Scores

FORMATS = ["text", "json", "markdown", "junit", "github"]
FORMAT_OF_SUFFIX = {".json": "json", ".md": "markdown", ".xml": "junit", ".txt": "text"}
NO_RANKINGS = "whose scores are computed already"
OF_FAMILIES = ("tukey", "randomised-tukey", "dunnett")  # a gate tests one difference
TESTS = [test for test in get_args(Test) if test not in OF_FAMILIES]


def _folders_are_there(
    ctx: click.Context, parameter: click.Parameter, paths: tuple[str, ...]
) -> tuple[str, ...]:
    for path in paths:
        folder_is_there(ctx, parameter, path)
        if Path(path).suffix not in FORMAT_OF_SUFFIX:
            known = ", ".join(FORMAT_OF_SUFFIX)
            raise click.BadParameter(
                f"{path}: unknown format. Use a file name that ends in {known}."
            )
    return paths


def _optional_run(
    ctx: click.Context, parameter: click.Parameter, given: str | None
) -> "str | NamedRun | None":
    return None if given is None else run_given(ctx, parameter, given)


@click.command(cls=Command)
@click.argument("qrels", metavar="[QRELS]")
@click.argument("baseline", metavar="BASELINE", callback=run_given)
@click.argument("candidate", metavar="CANDIDATE", required=False, callback=_optional_run)
@click.option(
    "--max-drop",
    multiple=True,
    metavar="METRIC=DROP",
    help="Largest drop allowed, e.g. nDCG@10=0.01. Pass if the whole confidence interval of "
    "candidate − baseline is above −DROP, fail if all of it is below, otherwise the result is "
    "inconclusive. Repeatable.",
)
@click.option("--significant", is_flag=True, help="Fail on a significant drop.")
@click.option(
    "--min",
    multiple=True,
    metavar="METRIC=MEAN",
    help="Fail if the candidate's mean is below MEAN (above it, if smaller is better), e.g. "
    "Recall@100=0.8. Repeatable.",
)
@click.option(
    "--inconclusive",
    type=click.Choice(["pass", "fail"]),
    help="Treat an inconclusive result as pass (exit code 0) or fail (1).  [default: exit code 2, "
    "as for errors]",
)
@click.option(
    *["--scores", "matrices"],
    multiple=True,
    metavar="[NAME=]FILE",
    help="Read scores instead of QRELS and runs; BASELINE and CANDIDATE are the names of two of "
    "their runs. Repeatable.",
)
@less_is_better_option
@click.option(
    "--max-unjudged",
    multiple=True,
    metavar="N=FRACTION",
    help="Inconclusive if more than this fraction of the first N documents of either run is "
    "unjudged, e.g. 10=0.2; rules that would pass are then inconclusive too. Repeatable.",
)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    shell_complete=complete_metrics,
    help="Metric that --significant tests, or several: AP,nDCG@10.  [default: the metrics of "
    "--max-drop, or AP,nDCG@10,P@10,RR]",
)
@click.option(
    "--alpha",
    default=0.05,
    show_default=True,
    help="Significance level. Confidence intervals are two-sided, at level 1 − alpha.",
)
@click.option(
    "--test",
    type=click.Choice(TESTS),
    default="t",
    show_default=True,
    help="Two-sided test, paired by topic. Wilcoxon and sign do not test the mean.",
)
@interval_option
@seed_option
@click.option(
    "--moved",
    default=10,
    show_default=True,
    type=click.IntRange(min=0),
    help="Number of topics with the largest changes to report per metric.",
)
@reading_options("complete_runs", also=("topics", "undefined", "topic_groups"))
@metrics_from_option
@columns_of_input
@parts_of_runs
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="Output format on standard output; github writes annotations.",
)
@click.option(
    *["-o", "--output", "outputs"],
    multiple=True,
    metavar="FILE",
    type=click.Path(dir_okay=False),
    callback=_folders_are_there,
    help="Write to FILE (atomically): .json, .md, .xml (JUnit), .txt. Repeatable.",
)
def command(
    qrels: str,
    baseline: "str | NamedRun",
    candidate: "str | NamedRun | None",
    max_drop: tuple[str, ...],
    min: tuple[str, ...],
    max_unjudged: tuple[str, ...],
    metrics: tuple[str, ...],
    metrics_from: tuple[str, ...],
    matrices: tuple[str, ...],
    less_is_better: tuple[str, ...],
    style: str,
    outputs: tuple[str, ...],
    reading: "Collection",
    **testing: Any,
) -> None:
    """Pass or fail a candidate against a baseline.

    \b
    Examples:
      rankwise gate qrels.txt old.run new.run --max-drop nDCG@10=0.01
      rankwise gate qrels.txt old.run new.run --significant -m AP,P@10
      rankwise gate qrels.txt baseline.parquet new.run --max-drop AP=0.02 \\
        --min Recall@100=0.8 --max-unjudged 10=0.2 -o gate.md -o gate.xml
      rankwise gate --scores results.csv old new --max-drop accuracy=0.01

    BASELINE is a run, or its scores, as written by `rankwise score qrels.txt
    old.run --by-topic -o baseline.parquet`. Exit code 0: passes; 1: fails; 2:
    inconclusive, or invalid input. --max-drop passes if the confidence interval
    rules out a larger drop, fails if it contains only larger drops, and is
    inconclusive otherwise; then the output has the chance that an equally good
    candidate passes. With --topic-groups, each rule applies to all topics together
    and to each group.
    """
    from rankwise.comparison.gate import gate
    from rankwise.metrics import load_metrics

    for file in metrics_from:
        load_metrics(file)
    data: Collection | Scores
    if matrices:
        if candidate is not None:
            raise click.UsageError("With --scores, give the names of two runs: BASELINE CANDIDATE.")
        name = baseline if isinstance(baseline, str) else "=".join(map(str, baseline))
        data, baseline, candidate = _scores_of(matrices, less_is_better, reading), qrels, name
    elif candidate is None:
        raise click.UsageError("Give QRELS BASELINE CANDIDATE, or --scores FILE and two names.")
    elif less_is_better:
        require("--less-is-better", "--scores")
    else:
        data = replace(reading, qrels=qrels)
    found = gate(
        data,
        baseline,
        candidate,
        max_drop=max_drop,
        min=min,
        max_unjudged=max_unjudged,
        metrics=metrics or None,
        **testing,
    )
    print_notes(found.notes)
    Output().write(_rendered(found, style))
    for path in outputs:
        Output(path=path).write(_rendered(found, FORMAT_OF_SUFFIX[Path(path).suffix]))
    print_pending_notes(click.get_current_context().find_root())
    sys.exit(found.exit_code)


def _scores_of(
    files: tuple[str, ...], less_is_better: tuple[str, ...], reading: "Collection"
) -> "Scores":
    from rankwise.scores import counting_undefined, read_scores

    refuse(NOT_WITH_SCORES, "--scores", NO_RANKINGS)
    read = read_scores(sources_of_scores(files), less_is_better=less_is_better)
    scores = counting_undefined(read, reading.undefined)
    return scores.with_groups(reading.topic_groups)


def _rendered(found: "Gate", style: str) -> bytes:
    wording = Flags(click.get_current_context().command)
    if style == "text":
        return found.to_text().encode()
    if style == "github":
        return found.to_github().encode()
    write = {"json": found.to_json, "markdown": found.to_markdown, "junit": found.to_junit}[style]
    return write(wording).encode()
