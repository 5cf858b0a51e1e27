"""`rankwise compare`: paired tests, confidence intervals and verdicts."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import option, refuse, require
from rankwise.cli.options.paper import SORT_HELP, STYLES, ForPaper
from rankwise.cli.options.scoring import Adjusted, ScoredOrRead, named_scores
from rankwise.cli.options.shared import CLUSTERS_HELP, PAPER
from rankwise.cli.options.testing import Compared
from rankwise.cli.output import all_notes_are_printed, print_below_table, print_notes
from rankwise.vocabulary import Marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankwise.comparison import Comparison
    from rankwise.notes import Note

MOST_SENTENCES = 10  # pairs of a metric with sentences: those with the largest differences
MOST_METRICS = 2  # metrics with a sentence on the first of several runs


class Options(ScoredOrRead, Adjusted, Compared, Charted, ForPaper):
    shared = "topic_groups"
    everyday = (
        "metrics baseline topic_groups matrices test correction margin unjudged no_bounds output "
        "chart"
    )
    margin: float | None = option(
        "Also test equivalence: mean difference between −N and N (two one-sided t-tests, TOST). "
        "Also test non-inferiority: mean difference above −N. Also show the Bayesian probability "
        "of equivalence."
    )
    clusters: str | None = option(
        f"{CLUSTERS_HELP}. With --scores, COLUMN is a column of the scores.", metavar="FILE|COLUMN"
    )
    pairs: bool = option(
        "Instead of the summary: one row per pair, with all numbers.", not_with=PAPER
    )
    sort: str | None = option(
        SORT_HELP.format(", or put the baseline first"), metavar="METRIC|given|baseline"
    )
    marks: Marks | None = option(
        "LaTeX and markdown: marks of significance. Against a baseline: arrows, or daggers († at "
        "α, ‡ at α / 5); otherwise letters naming the runs that are significantly worse.  "
        "[default: arrows with a baseline, letters otherwise]"
    )

    def check(self) -> None:
        if self.matrices:
            refuse(["unjudged", "effort"], "--scores", "which computes no bounds")
        if self.sort == "baseline" and self.baseline is None:
            require("--sort baseline", "--baseline NAME")

    def topic_clusters(self) -> Any:
        """Return the clusters of topics, which may be a column of the score tables."""
        if self.clusters is None or not self.matrices or Path(self.clusters).is_file():
            return self.clusters
        from rankwise.formats import read_topic_column

        tables = [read_topic_column(named_scores(one)[1], self.clusters) for one in self.matrices]
        return {topic: cluster for table in tables for topic, cluster in table.items()}


@with_options(Options)
def command(options: Options) -> None:
    """Compare runs: paired tests, confidence intervals, and what unjudged documents could change.

    \b
    Examples:
      rankwise compare qrels.txt bm25.run splade.run -m nDCG@10,AP
      rankwise compare qrels.txt runs/*.run -m AP --baseline bm25
      rankwise compare qrels.txt ours=new.run bm25.run -m AP --baseline bm25 \\
          --format latex --marks daggers --chart topics.pdf --width column
      rankwise compare qrels.txt runs/*.run -m AP --test tukey --chart pairs.svg
      rankwise compare qrels.txt bm25.run fast.run -m nDCG@10 --margin 0.01
      rankwise compare --scores AP=ap.csv --test wilcoxon --pairs

    Two runs are shown side by side; their difference is the second minus the first.
    With --baseline, the other runs are marked as better or worse than it. Otherwise,
    a leaderboard lists, for each run, the ranks of the runs that are not
    significantly different from it. --pairs, csv and json have every pair, with the
    difference a − b; b is the baseline, if there is one. Metrics that only count
    documents (Judged, Unjudged, residuals) are shown but not tested.
    """
    if not options.matrices and options.systems is None:
        options = options.with_baseline()
    comparison, out = _compared(options), options.out
    options.draw(comparison.chart)
    if out.style in STYLES and not options.pairs:
        _print_outcome(comparison, [], to_file=out.to_file)
        options.show_for_paper(comparison)
    elif out.for_people:
        table = comparison.table(digits=out.digits, pairs=options.pairs)
        _print_outcome(comparison, table.notes, to_file=out.to_file)
        out.show(table)
    else:
        _print_outcome(comparison, [], to_file=out.to_file)
        out.print(comparison.described, of=comparison)


def _compared(options: Options) -> "Comparison":
    """Compare runs, or scores after they were read, standardised, averaged or weighted."""
    from rankwise.comparison import compare
    from rankwise.scores import DEFAULT_METRICS

    test = options.test_options()  # checked before any work is done
    no_rankings = options.matrices or options.systems or options.weights
    if not (no_rankings or options.standardise or options.reference):
        return options.compared(options.metrics or DEFAULT_METRICS, test)
    scores = options.scores()
    names = [str(metric) for metric in scores.metrics]
    if options.clusters in names and len(names) > 1:  # a column of clusters is no metric
        keep = [place for place, name in enumerate(names) if name != options.clusters]
        scores = scores.of_metrics(keep)
    return compare(options.adjusted(scores), test=test)  # the scores know their groups of topics


def _print_outcome(comparison: "Comparison", of_table: "Sequence[Note]", *, to_file: bool) -> None:
    """Print sentences on the outcome, and the notes.

    For two runs, the sentence is on the first metric. It is on all metrics if the table is written
    to a file, or with --notes. For several runs, the caption is printed, and with --notes also the
    sentences. Without a baseline, sentences say which run is first by the first metrics, or with
    --notes by all, and how certain that is.
    """
    from rankwise.comparison import first_places, sentence_lines

    two_runs, tested = len(comparison.scores.runs) == 2, comparison.tested
    # Notes that repeat a sentence: that on two runs has the test and the assumption.
    repeated = {"assumption"} if tested and two_runs else set[str]()
    if tested and not two_runs and comparison.options.baseline is None:
        most = None if all_notes_are_printed() else MOST_METRICS
        for text in first_places(comparison, most=most):
            print_below_table(text)
    if tested and (two_runs or all_notes_are_printed()):
        every = all_notes_are_printed() or to_file
        metric = None if every else str(tested[0])
        lines = sentence_lines(comparison, metric, most=MOST_SENTENCES)
        if not two_runs:  # the caption names the test
            lines = [line for line in lines if not line.startswith(("Test: ", "Tests: "))]
            repeated |= {"summary", "assumption"}
        single = len(comparison.first) == 1 and (metric is not None or len(tested) == 1)
        for text in [" ".join(lines)] if single else lines:
            print_below_table(text)
    caption = [] if tested and two_runs else [comparison.caption]
    notes = (each for each in (*of_table, *comparison.notes) if each.kind not in repeated)
    print_notes([*caption, *notes])
