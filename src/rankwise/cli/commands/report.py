"""`rankwise report`: a self-contained HTML report."""

from typing import Any

import click

from rankwise.cli.help import ARGUMENTS, with_options
from rankwise.cli.options.base import AtLeast1, flag, option, refuse
from rankwise.cli.options.reading import REL_OF_METRICS, SEED, TOPIC_GROUPS, UNDEFINED
from rankwise.cli.options.scoring import (
    ALPHA,
    CORRECTION,
    TEST,
    UNJUDGED,
    ScoredOrRead,
    sources_of_scores,
)
from rankwise.cli.output import OutputFile, print_notes, print_outcome
from rankwise.vocabulary import Correction, Test, Undefined


class Options(ScoredOrRead):
    """Options of `rankwise report`."""

    everyday = (
        "metrics baseline title topics_file documents output probable unjudged test correction"
    )
    output: str = option(
        "Write the report to FILE (atomically).",
        "-o",
        "--output",
        metavar="FILE",
        default="report.html",
        type=OutputFile(),
    )
    baseline: str | None = option(
        "Initial baseline; it can be changed on the page.  [default: the first of two runs, the "
        "best of several]",
        metavar="NAME|FILE",
    )
    title: str = option("Title of the page.", metavar="TEXT", default="Evaluation report")
    topics_file: str | None = option(
        "Texts of the topics: TREC topics, lines `topic TAB text`, jsonl, csv, tsv or parquet.",
        metavar="FILE",
        type=click.Path(),
    )
    documents: str | None = option(
        "Texts of the documents, in one of the same formats.", metavar="FILE", type=click.Path()
    )
    appendix: bool = flag("Add a printable page per run.")
    probable: bool = flag(
        "Also predict, from the current judgments, the scores if the first 100 documents of each "
        "run were judged, and which run of each pair is probably better."
    )
    top: int = option("Number of documents shown per ranking.", default=20, type=AtLeast1)
    topic_groups: str | None = TOPIC_GROUPS
    rel: float = REL_OF_METRICS
    test: Test = TEST
    correction: "Correction | None" = CORRECTION
    alpha: float = ALPHA
    seed: int = SEED
    unjudged: str | None = UNJUDGED
    undefined: Undefined = UNDEFINED

    def check(self) -> None:
        super().check()
        if self.matrices:
            no_rankings = ["unjudged", "documents", "probable", "top"]
            refuse(no_rankings, "--scores", "which has no rankings")


@with_options(Options)
def command(options: Options) -> None:
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
    testing = TestOptions(options.test, options.correction, alpha=options.alpha, seed=options.seed)
    page: dict[str, Any] = {"output": options.output, "test": testing, "title": options.title}
    page |= {"topics_file": options.topics_file, "appendix": options.appendix}
    if options.matrices:
        paths = sources_of_scores(options.matrices)
        score_files.set(tuple(paths.values() if isinstance(paths, dict) else paths))
        made = report(options.scores(), baseline=options.baseline, **page)
    else:
        options, baseline = options.with_baseline(options.baseline)
        made = report(
            options.collection(),
            metrics=options.parsed_metrics(),
            baseline=baseline,
            rel=options.rel,
            unjudged=options.unjudged or "retrieved",
            documents=options.documents,
            probable=options.probable,
            top=options.top,
            **page,
        )
    print_notes(made.notes)
    print_outcome(f"wrote {made.path} ({made.path.stat().st_size / 1e6:.1f} MB)")
