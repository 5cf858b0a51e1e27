"""Notes on a comparison: significant differences, guaranteed winners, and limits of its tests.

A winner is guaranteed if it wins under any judgments that the assumption about unjudged documents
allows.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankwise.arrays import Ints
from rankwise.comparison.options import FAMILYWISE, REPEATS, UNADJUSTED, about_small_groups
from rankwise.comparison.pairs import FEW_TOPICS
from rankwise.comparison.sentences import of_these_keep, pair_counts
from rankwise.errors import some_of
from rankwise.metrics import Metric
from rankwise.notes import Note, detail, note, warning
from rankwise.rankings import assumption_note
from rankwise.scores import variances_between_runs
from rankwise.stats import effective_clusters
from rankwise.wording import Argument, Count, Remedy

if TYPE_CHECKING:
    from rankwise.comparison.comparison import Comparison

SHOWN_SYSTEMS = 6  # systems listed in a note
UNMARKED = " not marked as significant, although p ≤ α"
ABOUT_OUTCOME = {
    "equivalent": "{a} and {b} are equivalent",
    "better": "{a} is significantly better than {b}, and equivalence is not shown",
    "worse": "{a} is significantly worse than {b}, and equivalence is not shown",
    "inconclusive": "neither a difference nor equivalence is shown",
}


def summaries(comparison: "Comparison") -> list[Note]:
    """Return a note on the numbers of significant and of guaranteed differences, by metric.

    The list is empty for a single pair of runs, and for a comparison without bounds.
    """
    if len(comparison.first) < 2 or not comparison.has_verdicts:
        return []
    counts = [pair_counts(comparison, metric) for metric in comparison.tested]
    significant = _list_counts(comparison.tested, [found.significant for found in counts])
    first, any_ = counts[0], any(found.significant for found in counts)
    if len(counts) == 1:
        are = "is" if first.significant == 1 else "are"
        text = f"{significant} of {first.pairs:,} differences {are} significant"
        if first.guaranteed is None:
            text += f"; {comparison.tested[0]} has no bounds"
        elif any_:
            text += f"; {of_these_keep(first.guaranteed, first.significant)}"
        return [note("summary", text)]
    text = f"the number of significant differences (of {first.pairs:,}) is {significant}"
    if any_:
        guaranteed = _list_counts(comparison.tested, [found.guaranteed for found in counts])
        text += ". The number of significant differences that are guaranteed no matter how the "
        text += f"unjudged documents are judged is {guaranteed}"
    return [note("summary", text)]


def remarks(comparison: "Comparison") -> list[Note]:
    """Return all notes on a comparison and its scores, except those of `summaries`."""
    notes = []
    options, tested = comparison.options, comparison.tested
    names = ", ".join(str(metric) for metric in comparison.diagnostics)
    if names and tested:
        why = "they do not measure effectiveness"
        text = f"these metrics are shown but not tested, because {why}: {names}"
        notes.append(note("not-tested", text))
    if options.margin is not None and tested:
        notes += _about_equivalence(comparison, options.margin)
    notes += _about_the_family(comparison) + _about_wide_intervals(comparison)
    notes += _about_topics(comparison)
    if tested and (options.repeats or options.interval == "bootstrap"):
        notes.append(detail("seed", f"the random seed is {options.seed}"))
    if comparison.has_verdicts and comparison.unjudged is not None:
        notes += [assumption_note(comparison.unjudged), *_about_gaps(comparison)]
    less = (metric for metric in tested if metric.less_is_better)
    notes += [note("less-is-better", "lower scores are better", metric=metric) for metric in less]
    added = [str(metric) for metric in tested if metric.aggregate == "sum"]
    if added:
        what = "the means over topics of these metrics are compared, not their sums: "
        what += ", ".join(added)
        notes.append(detail("compared-by-means", what))
    if comparison.by_group:
        sizes = {name: len(part.scores.topics) for name, part in comparison.by_group.items()}
        each = ", ".join(f"{name} {size}" for name, size in sizes.items())
        notes.append(detail("group-sizes", f"the groups have these numbers of topics: {each}"))
        if tested:
            family = next(iter(comparison.by_group.values())).family
            apart = "each group separately" if options.test in FAMILYWISE else "all groups together"
            text = f"p-values of topic groups are corrected over {apart} ({family})"
            notes += [detail("group-family", text), *about_small_groups(sizes)]
    return [*notes, *(each for each in comparison.scores.notes if each.kind != "sd-runs")]


def _about_equivalence(comparison: "Comparison", margin: float) -> list[Note]:
    """Return a note per metric on equivalence, and one on small but significant differences."""
    notes, equivalence = [], comparison.equivalence()
    significant = comparison.tested_rows["significant"].fill_null(False)
    both = int((significant & (equivalence["outcome"] == "equivalent")).sum())
    if both:
        text = " significant, but shown to be smaller than the margin (equivalent)"
        count = Count(both, "difference is", "differences are")
        notes.append(note("small-differences", count, text))
    for (metric,), rows in equivalence.group_by("metric", maintain_order=True):
        outcomes = rows["outcome"].to_list()
        text = _count_outcomes(outcomes)
        if len(comparison.first) == 1:
            a, b = rows.select("a", "b").row(0)
            text = ABOUT_OUTCOME[outcomes[0]].format(a=a, b=b)
        test = f"equivalence test (TOST) with margin ±{margin:g}"
        notes.append(note("equivalence", f"{test}: {text}", metric=str(metric)))
    return notes


def _count_outcomes(outcomes: Sequence[str]) -> str:
    """Return a clause with the number of pairs of runs that have each outcome."""
    count = outcomes.count
    equivalent = Count(count("equivalent"), "pair of runs is", "pairs of runs are")
    inconclusive = Count(count("inconclusive"), "pair is", "pairs are")
    better, worse = (Count(count(one), "pair") for one in ("better", "worse"))
    differ = f"run a is significantly better than run b in {better}, and worse in {worse}"
    return f"{equivalent} equivalent; {differ}; {inconclusive} inconclusive"


def _about_the_family(comparison: "Comparison") -> list[Note]:
    """Return notes on the correction of p-values.

    A warning says that there are too few resamples for any significance. A note has the number of
    differences that stay significant after a correction across all metrics.
    """
    rows, options = comparison.tested_rows, comparison.options
    tested = len(comparison.first) if options.family == "metric" else rows["p"].count()
    resampled = options.test in REPEATS and rows.height
    coarse = options.too_coarse(tested) if resampled else None
    notes = [coarse] if coarse else []
    by_metric = options.family == "metric" and options.applied != "none"
    if by_metric and len(comparison.tested) > 1:
        together = replace(options, family="all")
        p, marked = comparison.p_values, rows["significant"].to_numpy()
        stay = int(((together.correct(p).ravel() <= options.alpha) & marked).sum())
        family = together.family_words(p, comparison.several)
        across = f"after correction across all {comparison.several} ({family})"
        remains = "remains" if stay == 1 else "remain"
        remain = f"{stay:,} of {marked.sum():,} significant differences {remains} significant"
        if marked.sum() == 1:
            still = "remains" if stay else "is no longer"
            remain = f"the one significant difference {still} significant"
        notes += [detail("family", f"{across}, {remain}")] if marked.any() else []
    return notes


def _about_wide_intervals(comparison: "Comparison") -> list[Note]:
    """Return notes on differences for which the test and the interval disagree.

    A difference that is not significant can have an interval without 0. There is no note on these
    differences if several pairs have unadjusted intervals, because another note already says that
    the intervals are unadjusted.
    """
    rows, alpha = comparison.tested_rows, comparison.options.alpha
    contains_0 = (pl.col("conf_low") <= 0) & (pl.col("conf_high") >= 0)
    wide = rows.filter(pl.col("significant"), contains_0).height
    narrow = rows.filter(pl.col("corrected_p") > alpha, ~contains_0).height
    label, notes = comparison.intervals.label, []
    test = f"Significance is decided by the test ({comparison.family})"
    why = f"{test}, not by the interval ({label}), which uses another method"
    if wide:
        count = Count(wide, "significant difference has", "significant differences have")
        text = f" a confidence interval that contains 0. {why}"
        notes.append(warning("test-and-interval", count, text))
    if narrow and not (UNADJUSTED in comparison.intervals.words and len(comparison.first) > 1):
        one = "difference that is not significant has"
        several = "differences that are not significant have"
        text = f" a confidence interval that does not contain 0. {why}"
        notes.append(note("interval-and-test", Count(narrow, one, several), text))
    return notes


def _about_topics(comparison: "Comparison") -> list[Note]:
    """Return notes on the topics of the tests.

    The notes count pairs with too few topics, with equal scores on every topic, or with the same
    difference on every topic. Other notes describe clusters of topics and several runs of a system.
    """
    rows, differ = comparison.tested_rows, pl.col("wins") + pl.col("losses") > 0
    notes = []

    def tell(kind: str, count: int, text: str, verb: tuple[str, str] = ("is", "are")) -> None:
        """Add a note on a number of comparisons, if there are any."""
        if count:
            words = Count(count, f"comparison {verb[0]}", f"comparisons {verb[1]}")
            notes.append(note(kind, words, text))

    untested = rows.filter(pl.col("topics") < 2).height
    tell(
        "untested", untested, " not tested: at least two topics with scores of both runs are needed"
    )
    if comparison.clusters is not None and comparison.tested:
        notes += _about_clusters(comparison, comparison.clusters)
    if comparison.scores.repetitions:
        notes += _about_runs(comparison)
    below_alpha = pl.col("corrected_p") <= comparison.options.alpha
    few = rows.filter(~pl.col("significant"), below_alpha, pl.col("topics") < FEW_TOPICS).height
    least = f"the smallest p-value of a sign or permutation test is {2.0 ** (2 - FEW_TOPICS):g}"
    tell(
        "few-topics", few, f"{UNMARKED}: at least six topics are needed. With five topics, {least}"
    )
    same = rows.filter(~differ, pl.col("topics") > 1).height
    tell("identical-scores", same, " between runs with identical scores on every topic")
    fixed = rows.filter(differ, pl.col("topics") > 1, pl.col("effect").is_null())
    why = "there is no effect size and no t-interval"
    if fixed["p"].null_count():
        why = "this test has no p-value. Use a permutation test or a sign test instead"
    text = f" the same difference on every topic. Without variance, {why}"
    tell("no-variance", fixed.height, text, ("has", "have"))
    if comparison.options.test in FAMILYWISE and comparison.tested:
        tested = [not metric.is_diagnostic for metric in comparison.scores.metrics]
        shared = np.isfinite(comparison.scores.value[tested]).all(axis=1).sum(axis=1).min()
        if shared != max(rows["topics"].to_list()):
            what = f"only the {shared} topics on which all runs have a score"
            text = f"p-values and intervals of the {comparison.options.test} test use {what}"
            notes.append(note("shared-topics", text))
    return notes


def _about_clusters(comparison: "Comparison", clusters: Ints) -> list[Note]:
    """Return notes on the number of clusters, and on comparisons with too few of them."""
    sizes = np.unique(clusters, return_counts=True)[1]
    if len(sizes) == 1:
        untested = Count(comparison.tested_rows.height, "comparison is", "comparisons are")
        return [note("one-cluster", untested, " not tested: all topics are in one cluster")]
    least, most = sizes.min(), sizes.max()
    what = f"{Count(len(sizes), 'cluster')} of {least} to {most} topics"
    if least == most:
        what = f"{Count(len(sizes), 'cluster')} of {Count(most, 'topic')}"
    effective = float(effective_clusters(sizes[None].astype(np.float64))[0])
    if least != most:
        what += f"; they count as {effective:.1f} clusters of equal size"
    within = "tests and intervals account for the dependence of topics within clusters"
    notes = [note("clusters", f"{within} ({what})")]
    rows = comparison.tested_rows.iter_rows(named=True)
    few = sum("clusters" in comparison.too_few(row) for row in rows)
    if few:
        text = f"{UNMARKED}: at least six clusters are needed"
        remedy = None
        if len(sizes) >= FEW_TOPICS:
            text = (
                f"{UNMARKED}: at least six clusters of equal size are needed, and these clusters "
                "of unequal size count as fewer"
            )
            remedy = Remedy(Argument("test", "permutation"), "allow for clusters of unequal size")
        count = Count(few, "comparison is", "comparisons are")
        notes.append(note("few-clusters", count, text, remedy=remedy))
    return notes


def _about_runs(comparison: "Comparison") -> list[Note]:
    """Return notes on the variation between the runs of each system, by metric.

    Another note lists the systems with a single run.
    """
    notes = []
    for place, metric in enumerate(comparison.scores.metrics):
        variances = variances_between_runs(comparison.scores, place)
        spreads = zip(
            comparison.scores.runs, variances.runs, np.sqrt(variances.between), strict=True
        )
        each = [f"{sd:.4f} for {name} ({runs} runs)" for name, runs, sd in spreads if runs > 1]
        if not each:
            continue
        more = f" … and {len(each) - SHOWN_SYSTEMS} more" if len(each) > SHOWN_SYSTEMS else ""
        what = "the standard deviation of the mean score between the runs of a system is "
        text = what + ", ".join(each[:SHOWN_SYSTEMS]) + more
        notes.append(note("between-runs", text, metric=metric))
    parts = zip(comparison.scores.runs, comparison.scores.repetitions, strict=True)
    single = [name for name, part in parts if len(part.runs) == 1]
    if single:
        what = "these systems have a single run, so their variance between runs is set to 0"
        notes.append(note("single-runs", f"{what}: {some_of(single)}"))
    return notes


def _about_gaps(comparison: "Comparison") -> list[Note]:
    """Return notes on bounds that are not tight, and on pairs without a verdict for this reason."""
    rows = comparison.tested_rows.filter(pl.col("low").is_not_null(), pl.col("gap") != 0)
    if not rows.height:
        return []
    widest = rows.group_by("metric", maintain_order=True).agg(pl.col("gap").max())
    by = ", ".join(f"{gap:.2g} for {metric}" for metric, gap in widest.rows())
    what = "bounds on differences are valid but not tight: the tight bound may differ by up to"
    notes = [note("bounds-not-tight", f"{what} {by}")]
    doubtful = rows.filter(~pl.col("proven")).height
    if doubtful:
        count = Count(doubtful, "comparison is", "comparisons are")
        text = " not resolved: judgments that reverse the difference may exist, but none were found"
        purpose = "search longer: a larger value examines more documents"
        remedy = Remedy(Argument("effort", python="compare(…, effort=…)"), purpose)
        notes.append(note("unresolved", count, text, remedy=remedy))
    return notes


def _list_counts(metrics: Sequence[Metric], counts: Sequence[int | None]) -> str:
    """Return counts by metric, for example "2 for AP, 1 for RR", or "2" for a single metric."""
    texts = ["unknown" if count is None else f"{count:,}" for count in counts]
    if len(texts) == 1:
        return texts[0]
    return ", ".join(f"{text} for {metric}" for metric, text in zip(metrics, texts, strict=True))
