"""`rankwise report`: one page with everything, to be sent to others."""

from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.help import Command
from rankwise.cli.options.reading import rel_of_metrics_option, seed_option, undefined_option
from rankwise.cli.options.scoring import (
    Scoring,
    alpha_option,
    correction_option,
    scoring_options,
    test_option,
    unjudged_option,
)
from rankwise.cli.output import folder_is_there, print_notes

if TYPE_CHECKING:
    from rankwise.vocabulary import Correction, Test


@click.command(cls=Command)
@scoring_options()
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False),
    callback=folder_is_there,
    help="The page to write, as report.html.",
)
@click.option(
    "--baseline",
    metavar="NAME|FILE",
    help="The run that others are held against at first.  [default: the best by the first metric]",
)
@click.option("--title", default="Evaluation report", show_default=True, help="Above the page.")
@click.option(
    "--topics-file",
    metavar="FILE",
    type=click.Path(),
    help="Titles of topics: TREC topics, lines `name TAB text`, jsonl, csv, tsv or parquet.",
)
@click.option(
    "--documents", metavar="FILE", type=click.Path(), help="Texts of documents, as those of topics."
)
@click.option("--appendix", is_flag=True, help="Also a view with one printable page per run.")
@click.option(
    "--probable",
    is_flag=True,
    help="Also predict the scores if the first 100 documents of each run were judged: ranges of "
    "the means, and which run of a pair is probably better.",
)
@click.option(
    "--top",
    default=20,
    show_default=True,
    type=click.IntRange(1),
    help="How many documents of each ranking are shown.",
)
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
    """Write one page that shows runs, pairs, topics and the collection.

    \b
    Examples:
      rankwise report qrels.txt runs/*.run -o report.html --baseline bm25
      rankwise report qrels.txt runs/*.run -m AP,nDCG@10 -o report.html \\
          --topics-file topics.txt
      rankwise report qrels.txt runs/*.run -o appendix.html --appendix

    The page opens in a browser without a network: a leaderboard, every run,
    every pair of runs, every topic with its rankings, what is judged and what to
    judge next. Every view has a link, and its numbers as csv. Needs altair and
    vl-convert-python.
    """
    from rankwise.comparison import TestOptions
    from rankwise.reporting import report

    if asked.mean != "arithmetic":
        raise click.UsageError("--mean geometric: the tests of a report are of arithmetic means.")
    asked, given["baseline"] = asked.with_baseline(given["baseline"])
    testing = TestOptions(test, correction, alpha=alpha, seed=seed)
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
    print_notes([f"wrote {made.path} ({made.path.stat().st_size / 1e6:.1f} MB)"])
