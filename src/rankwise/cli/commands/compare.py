"""`rankwise compare`: paired tests, confidence intervals and verdicts."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import refuse, refuse_others, require
from rankwise.cli.options.paper import PAPER, STYLES, paper_options, show_for_paper
from rankwise.cli.options.reading import (
    clusters_option,
    lengths_option,
    rel_of_metrics_option,
    seed_option,
    systems_option,
    topic_groups_option,
    undefined_option,
    weights_option,
)
from rankwise.cli.options.scoring import (
    NOT_WITH_CHEAP,
    CheapOptions,
    Scoring,
    alpha_option,
    cheap_options,
    check_sources,
    correction_option,
    effort_option,
    probable_option,
    scoring_options,
    show_cheap_scores,
    standardise_options,
    test_option,
    unjudged_option,
)
from rankwise.cli.output import (
    Output,
    all_notes_are_printed,
    output_options,
    print_below_table,
    print_notes,
)
from rankwise.vocabulary import Correction, Family, Interval, Scale, Zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankwise.agreement import Agreement
    from rankwise.comparison import Comparison
    from rankwise.metrics import Metric
    from rankwise.notes import Note
    from rankwise.probable import Prediction

SENTENCES = 4  # pairs × metrics that are also said in a sentence each
FLIP_DRAWS = 200  # of random errors
NOT_WITH_WEIGHTS = ("topic_groups", "mean", "over", "standardise", "clusters", "systems")
NOT_WITH_OVER = (
    "margin",
    *("matrices", "standardise", "reference", "topic_groups", "pairs", "power"),
    *("at_power", "at_topics", "at_difference", *PAPER),
)
NOT_WITH_FLIPS = (
    "weights",
    "margin",
    "clusters",
    "systems",
    *(
        "matrices",
        "standardise",
        "reference",
        "power",
        "at_power",
        "at_topics",
        "at_difference",
        "probable",
    ),
    *("over", "chart", *PAPER),
)


# Options that apply to several data sets, apart from those of the output.
WITH_COLLECTIONS = {
    *("collections", "view", "metrics", "metrics_from", "baseline", "test", "correction"),
    *("family", "alpha", "interval", "zeros", "no_continuity", "raw_ranks", "resamples", "seed"),
    *("pairs", "style", "output", "digits", "notes"),
}


@click.command(cls=Command)
@scoring_options(matrices=True, mean=False, required=False)
@rel_of_metrics_option
@topic_groups_option
@lengths_option
@click.option(
    "--baseline",
    metavar="NAME|FILE",
    help="Compare every run with this one, not all pairs. A file not among RUN... is added.",
)
@test_option
@correction_option
@click.option(
    "--family",
    type=click.Choice(get_args(Family)),
    default="metric",
    show_default=True,
    help="Comparisons corrected together: those of each metric, or of all metrics.",
)
@alpha_option
@click.option(
    "--interval",
    type=click.Choice(get_args(Interval)),
    help="Confidence intervals. max-t: simultaneous over all comparisons, by the bootstrap; "
    "bonferroni: simultaneous, Student's t; t: Student's t, unadjusted; bootstrap: studentised "
    "bootstrap, unadjusted.  [default: max-t for several comparisons, bonferroni with --systems, t "
    "for one; Tukey's and Dunnett's tests have their own]",
)
@click.option(
    "--margin",
    type=float,
    help="Also test equivalence and non-inferiority within ±N, e.g. 0.01: two one-sided t-tests "
    "(TOST), and the Bayesian probability that the mean difference is within ±N.",
)
@clusters_option
@systems_option
@click.option(
    "--zeros",
    type=click.Choice(get_args(Zeros)),
    default="drop",
    show_default=True,
    help="Wilcoxon's test: treatment of topics on which two runs tie.",
)
@click.option("--no-continuity", is_flag=True, help="Wilcoxon's test: no continuity correction.")
@click.option(
    "--raw-ranks",
    is_flag=True,
    help="Wilcoxon's test: rank the floating-point differences without rounding (0.3 − 0.2 does "
    "not tie with 0.2 − 0.1), by the normal approximation (Moffat and Zobel 2008).",
)
@click.option(
    "--resamples",
    type=int,
    help="Number of permutations [default: 10,000] or bootstrap resamples [1,000].",
)
@seed_option
@standardise_options
@click.option(
    "--no-bounds",
    is_flag=True,
    help="Do not check whether unjudged documents could reverse a difference.",
)
@unjudged_option
@effort_option
@probable_option
@cheap_options
@undefined_option
@click.option(
    "--over",
    metavar="RANGE",
    help="Instead of the summary: the comparison at each value of a metric parameter, e.g. "
    "p=0.5:0.95 (about ten values), cutoff=10:100:10 (with a step) or p=0.5,0.8. Both ends are "
    "included.",
)
@click.option(
    "--pairs", is_flag=True, help="Instead of the summary: one row per pair, with all numbers."
)
@click.option(
    "--power",
    is_flag=True,
    help="Instead of the summary: the number of topics needed to detect each difference, if the "
    "true effect size is the lower limit of the 60 % confidence interval of the observed one.",
)
@click.option("--at-power", type=float, help="Power to reach; implies --power.  [default: 0.8]")
@click.option(
    "--at-topics",
    type=int,
    help="Also the smallest difference that this number of topics can detect; implies --power.",
)
@click.option(
    "--at-difference",
    type=float,
    help="Topics needed to detect a true difference of N, e.g. 0.02, instead of the observed one; "
    "implies --power.",
)
@click.option(
    "--flips",
    is_flag=True,
    help="Instead of the summary: the number of wrong judgments that would reverse each "
    "difference.",
)
@click.option(
    "--step",
    type=click.Choice(["any", "one"]),
    help="With --flips: a wrong judgment has any other grade, or one step up or down.  "
    "[default: any]",
)
@click.option(
    "--errors",
    metavar="RATE|QRELS",
    help="With --flips: also the probability that random errors reverse the difference, at an "
    "error rate, e.g. 0.1, or as measured against the judgments of another judge.",
)
@click.option(
    "--documents",
    is_flag=True,
    help="With --flips: the judgments of an example that reverses each difference.",
)
@click.option(
    "--collections",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False),
    help="Compare over several data sets, instead of QRELS and RUN...: FOLDER has a sub-folder for "
    "each, with judgments (a file with qrels in its name) and runs, by the same file names in all; "
    "or a file of scores for each.",
)
@click.option(
    *["--show", "view"],
    type=click.Choice(["tau", "means"]),
    help="With --collections, instead of means and Borda counts: Kendall's tau between data sets, "
    "or the mean of each run on each data set.",
)
@chart_options
@output_options
@paper_options(marks=True)
@weights_option
def command(
    asked: Scoring,
    collections: str | None,
    view: str | None,
    standardise: "Scale | None",
    reference: tuple[str, ...],
    no_bounds: bool,
    unjudged: str | None,
    effort: int | None,
    probable: bool,
    cheap: CheapOptions | None,
    over: str | None,
    no_continuity: bool,
    systems: str | None,
    flips: bool,
    step: str | None,
    errors: str | None,
    documents: bool,
    pairs: bool,
    power: bool,
    at_power: float | None,
    at_topics: int | None,
    at_difference: float | None,
    chart: ChartFile | None,
    out: Output,
    paper: dict[str, Any],
    **test_keywords: Any,
) -> None:
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
    a leaderboard shows for each run the ranks from which it is not significantly
    different. --pairs, csv and json have every pair, with the difference a − b; b is
    the baseline, if there is one. Metrics that only count documents (Judged,
    Unjudged, residuals) are shown but not tested.
    """
    test_keywords["continuity"] = not no_continuity
    if view is not None and collections is None:
        require("--show", "--collections")
    if collections is not None:
        refuse_others(WITH_COLLECTIONS, "--collections")
        view = "pairs" if pairs else view or "runs"
        _show_collections(collections, asked, test_keywords, view, out)
        return
    check_sources(asked)
    if cheap is not None:
        refuse(NOT_WITH_CHEAP, "--cheap")
        asked, baseline = asked.with_baseline(test_keywords["baseline"])
        show_cheap_scores(
            asked,
            cheap,
            pairs=True,
            baseline=baseline,
            alpha=test_keywords["alpha"],
            seed=test_keywords["seed"],
            out=out,
        )
        return
    for option, value in (("--step", step), ("--errors", errors), ("--documents", documents)):
        if value and not flips:
            require(option, "--flips")
    if flips:
        refuse(NOT_WITH_FLIPS, "--flips")
        asked, baseline = asked.with_baseline(test_keywords["baseline"])
        flipping = Flipping(step or "any", errors, documents, baseline, test_keywords["resamples"])
        _show_flips(asked, flipping, test_keywords["seed"], out)
        return
    if probable:
        predicted = asked.predicted(unjudged, test_keywords["seed"])
        correction: Correction = test_keywords["correction"] or "holm"
        _show_probable(predicted, test_keywords["alpha"], correction, chart, out)
        return
    power = power or not at_power is at_topics is at_difference is None
    if pairs:
        refuse(PAPER, "--pairs")
    if power:
        refuse([*PAPER, "topic_groups", "clusters", "systems", "margin"], "--power")
    if over is not None:
        refuse(NOT_WITH_OVER, "--over")
        if not asked.metrics:
            raise click.UsageError("--over needs a metric, as -m RBP --over p=0.5:0.95.")
    if asked.weights is not None:
        refuse(NOT_WITH_WEIGHTS, "--weights")
    without_bounds = {"--no-bounds": no_bounds, "--power": power, "--standardise": standardise}
    without_bounds |= {"--systems": systems is not None}
    without_bounds |= {"--weights": asked.weights is not None}
    for mode, chosen in (without_bounds | {"--scores": asked.matrices}).items():
        if chosen:
            refuse(["unjudged", "effort"], mode, "which computes no bounds")
    if not asked.matrices and systems is None:
        asked, test_keywords["baseline"] = asked.with_baseline(test_keywords["baseline"])
    named = test_keywords["clusters"]
    test_keywords["clusters"] = asked.clusters_given(named)
    bounds = not (no_bounds or power)
    source = Source(asked, standardise, reference, unjudged, effort, bounds, over, named, systems)
    found = source.compared(test_keywords)
    if over is not None:
        _show_sweep(found, over, chart, out)
        return
    if chart is not None:
        write_chart(chart, found.chart())
    if power:
        level = 0.8 if at_power is None else at_power
        table = found.power_table(level, at_topics, at_difference, digits=out.digits)
        print_notes([found.caption, *table.notes, *found.notes])
        if out.for_people:
            out.show(table)
        else:
            out.print(found.power(level, at_topics, at_difference), of=found)
    elif out.style in STYLES and not pairs:
        _print_outcome(found, [])
        show_for_paper(out, found, paper)
    elif out.for_people:
        table = found.table(digits=out.digits, pairs=pairs)
        _print_outcome(found, table.notes)
        out.show(table)
    else:
        _print_outcome(found, [])
        out.print(found.described, of=found)


def _print_outcome(found: "Comparison", of_table: "Sequence[Note]") -> None:
    """Print the sentence of two runs, or the caption of more, and the notes."""
    two_runs = len(found.scores.runs) == 2
    if found.tested and (two_runs or all_notes_are_printed()):
        metric = None if all_notes_are_printed() else str(found.tested[0])
        print_below_table(found.sentence(metric=metric))
    if found.tested and two_runs:  # the sentence has the test and the assumption
        print_notes(each for each in (*of_table, *found.notes) if each.kind != "assumption")
    else:
        print_notes([found.caption, *of_table, *found.notes])


class Flipping(NamedTuple):
    """The options of --flips."""

    step: str
    errors: str | None
    documents: bool
    baseline: str | None
    resamples: int | None


def _show_flips(asked: Scoring, flipping: Flipping, seed: int, out: Output) -> None:
    """Print how many judgments would have to be wrong."""
    from rankwise.agreement import flips

    found = flips(
        asked.collection(),
        metrics=asked.parsed_metrics(),
        baseline=flipping.baseline,
        step=flipping.step,
        errors=None if flipping.errors is None else _errors(asked, flipping.errors, seed),
        resamples=flipping.resamples or FLIP_DRAWS,
        seed=seed,
    )
    few = found.frame.height <= SENTENCES
    print_notes([*([found.sentence()] if few else []), *found.notes])
    if flipping.documents:
        frame = found.documents()
        if out.for_people:
            from rankwise.results import Table

            out.show(Table(frame, digits=out.digits))
        else:
            out.print(frame, of=found)
    elif out.for_people:
        out.show(found.table(digits=out.digits))
    else:
        out.print(found.frame, of=found)


def _errors(asked: Scoring, errors: str, seed: int) -> "float | Agreement":
    """An error rate, or the agreement with other judgments, in which the qrels come first."""
    try:
        return float(errors)
    except ValueError:
        from rankwise.agreement import agree

        collection = asked.collection()
        judges: Any = {"the qrels": collection.qrels, errors: errors}
        without_runs = replace(collection, qrels=judges, runs=None)
        return agree(without_runs, resamples=1, seed=seed)


def _show_sweep(found: "Comparison", over: str, chart: ChartFile | None, out: Output) -> None:
    """Print the comparison at each value of a parameter."""
    from rankwise.metrics import Range

    sweep = found.over(Range.parse(over).parameter)
    if chart is not None:
        write_chart(chart, sweep.chart())
    print_notes([sweep.caption, *sweep.notes])
    if out.for_people or out.style in STYLES:
        table = sweep.table(digits=out.digits)
        print_notes(table.notes)
        out.show(table)
    else:
        out.print(sweep.frame, of=sweep)


def _show_probable(
    found: "Prediction",
    alpha: float,
    correction: "Correction",
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Print the probability that each run of a pair is the better one."""
    table = found.pairs_table(digits=out.digits, alpha=alpha, correction=correction)
    if chart is not None:
        write_chart(chart, found.chart(pairs=True))
    print_notes(found.pair_notes)
    if out.for_people:
        out.show(table)
    else:
        frame = found.pairs(alpha=alpha, correction=correction)
        out.print(frame, of=found, notes=found.pair_notes)


@dataclass(frozen=True)
class Source:
    """Source of the scores of a comparison."""

    asked: Scoring
    standardise: "Scale | None"
    reference: tuple[str, ...]
    unjudged: str | None
    effort: int | None
    bounds: bool
    over: str | None
    clusters: str | None  # a file or a column
    systems: str | None

    @property
    def metrics(self) -> "Sequence[Metric]":
        if self.over is None:
            return self.asked.parsed_metrics()
        return self.asked.varied_metrics(self.over)

    def compared(self, keywords: dict[str, Any]) -> "Comparison":
        from rankwise.comparison import TestOptions, compare
        from rankwise.comparison.verdicts import EFFORT

        options = TestOptions(**keywords)  # checked before any work is done
        asked = self.asked
        if self.standardise or asked.matrices or self.systems or asked.weights:
            scores = asked.scores(metrics=None if asked.matrices else self.metrics)
            names = [str(metric) for metric in scores.metrics]
            if self.clusters in names and len(names) > 1:  # numbers, but no scores
                keep = [place for place, name in enumerate(names) if name != self.clusters]
                metrics = tuple(scores.metrics[place] for place in keep)
                scores = replace(scores, metrics=metrics, value=scores.value[keep])
            if self.standardise:
                scores = asked.standardised(scores, self.standardise, self.reference)
            if self.systems:
                scores = scores.of_systems(self.systems)
            return compare(scores, test=options)  # they know their groups
        return compare(
            asked.collection(),
            metrics=self.metrics,
            test=options,
            bounds=self.bounds,
            unjudged=self.unjudged or "retrieved",
            effort=EFFORT if self.effort is None else self.effort,
        )


def _show_collections(
    folder: str, asked: Scoring, keywords: dict[str, Any], view: str, out: Output
) -> None:
    """Print runs, pairs, tau between data sets, or means of several data sets."""
    from rankwise.comparison import TestOptions, compare_collections
    from rankwise.metrics import load_metrics

    for file in asked.metrics_from:
        load_metrics(file)
    found = compare_collections(folder, asked.metrics or None, test=TestOptions(**keywords))
    table = found.table(digits=out.digits, show=view)
    print_notes([found.caption, *found.notes])
    if out.for_people:
        out.show(table)
    else:
        out.print(table.frame, of=found)
