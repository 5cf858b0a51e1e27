"""`rankwise compare`: paired tests, confidence intervals and verdicts."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import option, refuse, refuse_others, require
from rankwise.cli.options.paper import SORT_HELP, STYLES, ForPaper
from rankwise.cli.options.scoring import Adjusted, Cheap, ScoredOrRead, named_scores
from rankwise.cli.options.shared import CLUSTERS_HELP, PAPER, POWER, STANDARDISED
from rankwise.cli.output import all_notes_are_printed, print_below_table, print_notes
from rankwise.vocabulary import Correction, Family, Interval, Marks, Zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankwise.agreement import Agreement
    from rankwise.comparison import Comparison, TestOptions
    from rankwise.metrics import MetricLike
    from rankwise.notes import Note

SENTENCES = 4  # largest number of rows for which a sentence is printed, too
MOST_SENTENCES = 10  # pairs of a metric with sentences: those with the largest differences
MOST_METRICS = 2  # metrics with a sentence on the first of several runs
FLIP_DRAWS = 200  # number of draws of random errors
NOT_WITH_POWER = (
    *("topic_groups", "clusters", "systems", "margin", "unjudged", "effort", "no_bounds", "test"),
    *("interval", "pairs", "zeros", "no_continuity", "raw_ranks", *PAPER),
)
NOT_WITH_FLIPS = (
    *("weights", "margin", "clusters", "systems", "matrices", "probable", "over", "chart"),
    *("topic_groups", "test", "correction", "family", "alpha", "interval", "zeros", "pairs"),
    *("no_continuity", "raw_ranks", "no_bounds", "unjudged", "effort"),
    *(*STANDARDISED, *POWER, *PAPER),
)
# Options that apply to several data sets.
WITH_COLLECTIONS = {
    *("collections", "view", "metrics", "metrics_from", "baseline", "test", "correction"),
    *("family", "alpha", "interval", "zeros", "no_continuity", "raw_ranks", "resamples", "seed"),
    *("pairs", "style", "output", "digits", "notes"),
}


class Options(ScoredOrRead, Adjusted, Cheap, Charted, ForPaper):
    shared = (
        "rel topic_groups lengths test correction alpha seed unjudged effort probable undefined"
    )
    never_with: ClassVar = {
        " ".join(POWER): " ".join(NOT_WITH_POWER),
        "flips documents step errors": " ".join(NOT_WITH_FLIPS),
    }
    everyday = (
        "metrics baseline topic_groups matrices test correction margin power unjudged "
        "no_bounds output chart"
    )
    baseline: str | None = option(
        "Compare every run with this one, instead of all pairs. NAME is the tag in the run's "
        "file, or the name of the file with or without suffix. A FILE that is not given as a run "
        "is added to the runs.",
        metavar="NAME|FILE",
    )
    family: Family = option(
        "Comparisons that are corrected together. `metric`: those of each metric. `all`: those of "
        "all metrics.",
        default="metric",
    )
    interval: Interval | None = option(
        "Confidence intervals. `max-t`: simultaneous over all comparisons, by the bootstrap. "
        "`bonferroni`: simultaneous, Student's t. `t`: Student's t, unadjusted. `bootstrap`: "
        "studentised bootstrap, unadjusted.  [default: max-t for several comparisons, bonferroni "
        "with --systems, t for one; Tukey's and Dunnett's tests have their own]"
    )
    margin: float | None = option(
        "Also test equivalence (mean difference within ±N, e.g. 0.01) and non-inferiority (above "
        "-N) by one-sided t-tests (TOST), and show the Bayesian probability of equivalence."
    )
    clusters: str | None = option(
        f"{CLUSTERS_HELP}. With --scores, also a column of its table.", metavar="FILE|COLUMN"
    )
    zeros: Zeros = option(
        "Wilcoxon's test: treatment of topics on which two runs tie.", default="drop"
    )
    no_continuity: bool = option("Wilcoxon's test: do not apply the continuity correction.")
    raw_ranks: bool = option(
        "Wilcoxon's test: rank the differences without rounding, so that 0.3 − 0.2 and 0.2 − 0.1 "
        "do not tie, and use the normal approximation (Moffat and Zobel 2008)."
    )
    resamples: int | None = option(
        "Number of permutations or bootstrap resamples.  [default: 10,000 permutations, 1,000 "
        "resamples]"
    )
    no_bounds: bool = option(
        "Do not check whether unjudged documents could reverse a difference.",
        computes_no_bounds=True,
    )
    over: str | None = option(
        "Instead of the summary: the comparison at each value of a metric parameter, e.g. "
        "p=0.5:0.95 (about ten values), cutoff=10:100:10 (with a step) or p=0.5,0.8. Both ends are "
        "included.",
        metavar="RANGE",
        not_with=["margin", "matrices", "topic_groups", "pairs", *STANDARDISED, *POWER, *PAPER],
    )
    pairs: bool = option(
        "Instead of the summary: one row per pair, with all numbers.", not_with=PAPER
    )
    power: bool = option(
        "Instead of the summary: the number of topics needed to detect each difference with power "
        "80 %. The true effect size is assumed to be the lower limit of the 60 % confidence "
        "interval of the observed effect size."
    )
    at_power: float | None = option("Power to reach; implies --power.  [default: 0.8]")
    at_topics: int | None = option(
        "Add the smallest difference that N topics can detect; implies --power."
    )
    at_difference: float | None = option(
        "Compute the number of topics needed to detect a true difference of N, e.g. 0.02, instead "
        "of the observed one; implies --power."
    )
    flips: bool = option(
        "Instead of the summary: the number of wrong judgments that would reverse each difference."
    )
    step: Literal["any", "one"] | None = option(
        "How far a wrong judgment can be from the correct one; implies --flips. `any`: any other "
        "grade. `one`: the next higher or lower grade.  [default: any]"
    )
    errors: str | None = option(
        "Add the probability that random errors reverse the difference; implies --flips. RATE is "
        "an error rate, e.g. 0.1; QRELS are judgments by another judge, whose disagreements give "
        "the error rates.",
        metavar="RATE|QRELS",
    )
    documents: bool = option(
        "List, for each difference, wrong judgments that would reverse it; implies --flips."
    )
    collections: str | None = option(
        "Compare over several data sets, instead of QRELS and RUN.... FOLDER has a sub-folder per "
        "data set, with judgments (a file with qrels in its name) and runs; a run has the same "
        "file name in each sub-folder. Or FOLDER has a file of scores per data set.",
        metavar="FOLDER",
        type=click.Path(exists=True, file_okay=False),
    )
    view: Literal["tau", "means"] | None = option(
        "With --collections, instead of means and Borda counts. `tau`: Kendall's tau between data "
        "sets. `means`: the mean of each run on each data set.",
        "--show",
        needs="collections",
    )
    sort: str | None = option(SORT_HELP, metavar="METRIC|given|baseline")
    marks: Marks | None = option(
        "LaTeX and markdown: marks of significance. Against a baseline: arrows, or daggers († at "
        "α, ‡ at α / 5); otherwise letters naming the runs that are significantly worse.  "
        "[default: arrows with a baseline, letters otherwise]"
    )

    def check_sources(self) -> None:
        if self.collections is None:
            super().check_sources()
        else:
            refuse_others(WITH_COLLECTIONS, "--collections")
        self.power |= not self.at_power is self.at_topics is self.at_difference is None
        self.flips |= self.documents or not self.step is self.errors is None
        if self.flips and self.errors is None:
            refuse(["resamples"], "--flips without --errors")
        if self.matrices:
            refuse(["unjudged", "effort"], "--scores", "which computes no bounds")
        if self.sort == "baseline" and self.baseline is None:
            require("--sort baseline", "--baseline NAME")
        if self.over is not None and not self.metrics:
            raise click.UsageError("--over needs -m. Use for example -m RBP --over p=0.5:0.95.")

    def test_options(self) -> "TestOptions":
        """Return the options of the test; the clusters may be a column of the score tables."""
        from pathlib import Path

        from rankwise.comparison import TestOptions

        clusters: Any = self.clusters
        if clusters is not None and self.matrices and not Path(clusters).is_file():
            from rankwise.formats import read_topic_column

            tables = [read_topic_column(named_scores(one)[1], clusters) for one in self.matrices]
            clusters = {topic: cluster for table in tables for topic, cluster in table.items()}
        names = ("test", "correction", "family", "alpha", "interval", "zeros", "raw_ranks")
        values = {name: getattr(self, name) for name in (*names, "resamples", "seed", "baseline")}
        return TestOptions(
            **values, continuity=not self.no_continuity, margin=self.margin, clusters=clusters
        )


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
      rankwise compare qrels.txt a.run b.run -m RBP --over p=0.5:0.95 --chart p.svg
      rankwise compare qrels.txt runs/*.run -m AP --probable --chart probable.svg
      rankwise compare qrels.txt a.run b.run -m nDCG@10 --flips --errors llm.qrels
      rankwise compare qrels.txt bm25.run fast.run -m nDCG@10 --margin 0.01
      rankwise compare --scores AP=ap.csv --test wilcoxon --pairs
      rankwise compare --collections beir/ -m nDCG@10 --baseline bm25 --pairs

    Two runs are shown side by side; their difference is the second minus the first.
    With --baseline, the other runs are marked as better or worse than it. Otherwise,
    a leaderboard lists, for each run, the ranks of the runs that are not
    significantly different from it. --pairs, csv and json have every pair, with the
    difference a − b; b is the baseline, if there is one. Metrics that only count
    documents (Judged, Unjudged, residuals) are shown but not tested.
    """
    if options.collections is not None:
        _show_collections(options)
        return
    if options.baseline is not None and not options.matrices and options.systems is None:
        options = options.with_baseline()
    if options.cheap is not None:
        options.show_cheap_scores(alpha=options.alpha, pairs=True, baseline=options.baseline)
    elif options.flips:
        _show_flips(options)
    elif options.probable:
        _show_probable(options)
    elif options.over is not None:
        _show_sweep(options)
    else:
        _show_comparison(options)


def _show_comparison(options: Options) -> None:
    """Print the comparison of runs or, with --power, the number of topics that a test needs."""
    out, pairs = options.out, options.pairs
    comparison = _compared(options)
    options.draw(comparison.chart)
    if options.power:
        power = 0.8 if options.at_power is None else options.at_power
        goal = (power, options.at_topics, options.at_difference)
        table = comparison.power_table(*goal, digits=out.digits)
        out.result(
            comparison,
            table=lambda: table,
            frame=lambda: comparison.power(*goal),
            notes=[comparison.caption, *table.notes, *comparison.notes],
        )
    elif out.style in STYLES and not pairs:
        _print_outcome(comparison, [], to_file=out.to_file)
        options.show_for_paper(comparison)
    elif out.for_people:
        table = comparison.table(digits=out.digits, pairs=pairs)
        _print_outcome(comparison, table.notes, to_file=out.to_file)
        out.show(table)
    else:
        _print_outcome(comparison, [], to_file=out.to_file)
        out.print(comparison.described, of=comparison)


def _compared(options: Options) -> "Comparison":
    """Compare runs, or scores after they were read, standardised, averaged or weighted."""
    from rankwise.comparison import compare
    from rankwise.comparison.verdicts import EFFORT
    from rankwise.metrics import vary
    from rankwise.scores import DEFAULT_METRICS

    test = options.test_options()  # checked before any work is done
    metrics: Sequence[MetricLike] = options.metrics or DEFAULT_METRICS
    if options.over is not None:
        metrics = vary(options.metrics, options.over)
    no_rankings = options.matrices or options.systems or options.weights
    if no_rankings or options.standardise or options.reference:
        scores = options.scores(metrics)
        names = [str(metric) for metric in scores.metrics]
        if options.clusters in names and len(names) > 1:  # a column of clusters is no metric
            keep = [place for place, name in enumerate(names) if name != options.clusters]
            scores = scores.of_metrics(keep)
        return compare(
            options.adjusted(scores), test=test
        )  # the scores know their groups of topics
    return compare(
        options.collection(),
        metrics=metrics,
        rel=options.rel,
        test=test,
        bounds=not (options.no_bounds or options.power),
        unjudged=options.unjudged or "retrieved",
        effort=EFFORT if options.effort is None else options.effort,
    )


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


def _show_flips(options: Options) -> None:
    """Print the number of judgments that must be wrong to reverse each difference."""
    from rankwise.agreement import flips
    from rankwise.results import Table

    out = options.out
    result = flips(
        options.collection(),
        metrics=options.parsed_metrics(),
        baseline=options.baseline,
        step=options.step or "any",
        errors=None if options.errors is None else _errors(options, options.errors),
        resamples=options.resamples or FLIP_DRAWS,
        seed=options.seed,
    )
    sentence = [result.sentence()] if result.frame.height <= SENTENCES else []
    as_table = partial(Table, result.documents(), digits=out.digits) if options.documents else None
    out.result(
        result,
        table=as_table,
        frame=result.documents if options.documents else None,
        notes=[*sentence, *result.notes],
    )


def _errors(options: Options, errors: str) -> "float | Agreement":
    """Return `errors` as a rate, or the agreement of the qrels with the judgments in that file."""
    try:
        return float(errors)
    except ValueError:
        from rankwise.agreement import agree

        collection = options.collection()
        judges: Any = {"the qrels": collection.qrels, errors: errors}
        without_runs = replace(collection, qrels=judges, runs=None)
        return agree(without_runs, resamples=1, seed=options.seed)


def _show_sweep(options: Options) -> None:
    """Print the comparison at each value of a parameter."""
    from rankwise.metrics import Range

    assert options.over is not None
    sweep = _compared(options).over(Range.parse(options.over).parameter)
    options.draw(sweep.chart)
    table = sweep.table(digits=options.out.digits)
    about_table = table.notes if options.out.for_people else ()
    options.out.result(
        sweep, table=lambda: table, notes=[sweep.caption, *sweep.notes, *about_table]
    )


def _show_probable(options: Options) -> None:
    """Print the probability that each run of a pair is the better one."""
    predicted = options.predicted()
    correction: Correction = options.correction or "holm"
    options.draw(lambda: predicted.chart(pairs=True))
    print_notes(predicted.pair_notes)
    table = predicted.pairs_table(
        digits=options.out.digits, alpha=options.alpha, correction=correction
    )
    if options.out.for_people:
        options.out.show(table)
    else:
        frame = predicted.pairs(alpha=options.alpha, correction=correction)
        options.out.print(frame, of=predicted, notes=predicted.pair_notes)


def _show_collections(options: Options) -> None:
    """Print a comparison over several data sets: runs, pairs, tau between data sets, or means."""
    from rankwise.comparison import compare_collections

    assert options.collections is not None
    result = compare_collections(
        options.collections, options.metrics or None, test=options.test_options()
    )
    view = "pairs" if options.pairs else options.view or "runs"
    table = result.table(digits=options.out.digits, show=view)
    options.out.result(
        result,
        table=lambda: table,
        frame=lambda: table.frame,
        notes=[result.caption, *result.notes, *table.notes],
    )
