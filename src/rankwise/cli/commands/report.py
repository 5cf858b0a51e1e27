"""`rankwise report`: a self-contained HTML report."""

from typing import TYPE_CHECKING

import click

from rankwise.cli.flags import Flags
from rankwise.cli.help import ARGUMENTS, with_options
from rankwise.cli.options.base import AtLeast1, option, refuse
from rankwise.cli.options.baseline import WithBaseline
from rankwise.cli.options.scoring import ScoredOrRead, named_scores
from rankwise.cli.output import OUTPUT, print_notes, print_outcome

if TYPE_CHECKING:
    from rankwise.rankings import Collection
    from rankwise.scores import Scores


class Options(WithBaseline, ScoredOrRead):
    everyday = (
        "metrics baseline title topics_file documents output probable unjudged test correction"
    )
    output: str = option("Write the report to FILE (atomically).", default="report.html", **OUTPUT)
    baseline: str | None = option(
        "Initial baseline; it can be changed on the page.  [default: the first run if there are "
        "two, otherwise the best run by the first metric]",
        metavar="NAME|FILE",
    )
    title: str = option("Title of the page.", metavar="TEXT", default="Evaluation report")
    topics_file: str | None = option(
        "Texts of the topics: TREC topics, lines `topic TAB text`, jsonl, csv, tsv or parquet.",
        metavar="FILE",
        type=click.Path(),
    )
    documents: str | None = option(
        "Texts of the documents, in one of the formats of --topics-file.",
        metavar="FILE",
        type=click.Path(),
    )
    appendix: bool = option("Add a printable page per run.")
    probable: bool = option(
        "Also predict the scores that the runs would have if the first 100 documents of every run "
        "were judged, and the probability that one run would then be better than another. With "
        "--unjudged top=K: the first K documents."
    )
    top: int = option("Number of documents shown per ranking.", default=20, type=AtLeast1)
    shared = "topic_groups rel test correction alpha seed unjudged undefined"

    def check(self) -> None:
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
    from rankwise.reporting import Request, command_line, report, requested_by, score_files
    from rankwise.scores import DEFAULT_METRICS

    context = click.get_current_context()
    arguments = context.meta.get(ARGUMENTS, [])
    asked = command_line(["rankwise", "report", *arguments])
    requested_by.set(Request(asked, Flags(context.command)))
    testing = TestOptions(options.test, options.correction, alpha=options.alpha, seed=options.seed)
    data: Collection | Scores
    metrics = DEFAULT_METRICS
    if options.matrices:
        groups = [] if options.topic_groups is None else [options.topic_groups]
        score_files.set((*(named_scores(one)[1] for one in options.matrices), *groups))
        data = options.scores()
    else:
        options = options.with_baseline()
        data, metrics = options.collection(), options.metrics or DEFAULT_METRICS
    made = report(
        data,
        metrics=metrics,
        output=options.output,
        baseline=options.baseline,
        title=options.title,
        topics_file=options.topics_file,
        documents=options.documents,
        appendix=options.appendix,
        probable=options.probable,
        top=options.top,
        rel=options.rel,
        test=testing,
        unjudged=options.unjudged or "retrieved",
    )
    print_notes(made.notes)
    print_outcome(f"wrote {made.path} ({made.path.stat().st_size / 1e6:.1f} MB)")
