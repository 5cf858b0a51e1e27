"""`rankwise report`: a self-contained HTML report."""

from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.help import ARGUMENTS, Command
from rankwise.cli.options.conflicts import refuse
from rankwise.cli.options.reading import (
    rel_of_metrics_option,
    seed_option,
    topic_groups_option,
    undefined_option,
)
from rankwise.cli.options.scoring import (
    Scoring,
    alpha_option,
    correction_option,
    scoring_options,
    sources_of_scores,
    test_option,
    unjudged_option,
)
from rankwise.cli.output import folder_is_there, print_notes, print_outcome

if TYPE_CHECKING:
    from rankwise.vocabulary import Correction, Test

NEED_RANKINGS = ("documents", "probable", "top")


@click.command(cls=Command)
@scoring_options(mean=False, matrices=True)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="report.html",
    show_default=True,
    type=click.Path(dir_okay=False),
    callback=folder_is_there,
    help="Write the report to FILE (atomically).",
)
@click.option(
    "--baseline",
    metavar="NAME|FILE",
    help="Initial baseline; it can be changed on the page.  [default: the first of two runs, the "
    "best of several]",
)
@click.option(
    "--title",
    metavar="TEXT",
    default="Evaluation report",
    show_default=True,
    help="Title of the page.",
)
@click.option(
    "--topics-file",
    metavar="FILE",
    type=click.Path(),
    help="Texts of the topics: TREC topics, lines `topic TAB text`, jsonl, csv, tsv or parquet.",
)
@click.option(
    "--documents",
    metavar="FILE",
    type=click.Path(),
    help="Texts of the documents, in one of the same formats.",
)
@click.option("--appendix", is_flag=True, help="Add a printable page per run.")
@click.option(
    "--probable",
    is_flag=True,
    help="Also predict, from the current judgments, the scores if the first 100 documents of each "
    "run were judged, and which run of each pair is probably better.",
)
@click.option(
    "--top",
    default=20,
    show_default=True,
    type=click.IntRange(1),
    help="Number of documents shown per ranking.",
)
@topic_groups_option
@rel_of_metrics_option
@test_option
@correction_option
@alpha_option
@seed_option
@unjudged_option
@undefined_option
def command(
    asked: Scoring,
    unjudged: str | None,
    output: str,
    test: "Test",
    correction: "Correction | None",
    alpha: float,
    seed: int,
    **given: Any,
) -> None:
    """Write a self-contained HTML report on runs, pairs of runs and topics.

    \b
    Examples:
      rankwise report qrels.txt runs/*.run --baseline bm25
      rankwise report qrels.txt runs/*.run -m AP,nDCG@10 -o report.html \\
          --topics-file topics.txt
      rankwise report qrels.txt runs/*.run -o appendix.html --appendix
      rankwise report --scores old.csv --scores new.csv

    The report is one file that opens in any browser, also offline: a leaderboard,
    each run, each pair of runs, each topic with its rankings, the judged documents
    and the documents to judge next. Each view has its own link and its numbers as
    csv. With --scores there are no rankings and no bounds.
    """
    from rankwise.comparison import TestOptions
    from rankwise.reporting import command_line, report, requested_by, score_files

    arguments = click.get_current_context().meta.get(ARGUMENTS, [])
    requested_by.set(command_line(["rankwise", "report", *arguments]))
    testing = TestOptions(test, correction, alpha=alpha, seed=seed)
    if asked.matrices:
        refuse(("unjudged", *NEED_RANKINGS), "--scores", "which has no rankings")
        paths = sources_of_scores(asked.matrices)
        score_files.set(tuple(paths.values() if isinstance(paths, dict) else paths))
        for name in NEED_RANKINGS:
            del given[name]
        made = report(asked.scores(), output=output, test=testing, **given)
    else:
        asked, given["baseline"] = asked.with_baseline(given["baseline"])
        made = report(
            asked.collection(),
            metrics=asked.parsed_metrics(),
            output=output,
            rel=asked.rel,
            test=testing,
            unjudged=unjudged or "retrieved",
            **given,
        )
    print_notes(made.notes)
    print_outcome(f"wrote {made.path} ({made.path.stat().st_size / 1e6:.1f} MB)")
