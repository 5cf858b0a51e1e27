"""`compare`: paired tests, corrections and verdicts for pairs of runs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints
from rankwise.comparison.comparison import Comparison
from rankwise.comparison.options import PERMUTED, TestOptions
from rankwise.comparison.pairs import choose_pairs, few_units, pair_numbers, pieces_of
from rankwise.comparison.verdicts.any_pair import EFFORT, deepest_of_verdicts, difference_bounds
from rankwise.comparison.verdicts.differences import Differences, Ends
from rankwise.errors import CallError, check_at_least
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note, note
from rankwise.progress import track
from rankwise.rankings import (
    Collection,
    JudgedRankings,
    Needs,
    Possible,
    QrelsLike,
    RunsLike,
    TopicGroups,
    as_collection,
    clusters_of_topics,
)
from rankwise.scores import (
    DEFAULT_METRICS,
    NUGGETS,
    MetricsLike,
    Scores,
    check_lengths,
    check_scores_alone,
    over_common_topics,
    score_judged,
    variances_between_runs,
)
from rankwise.stats import t_interval_of_any
from rankwise.threads import map_in_threads
from rankwise.vocabulary import (
    Correction,
    Family,
    Test,
    Topics,
    Undefined,
)
from rankwise.wording import Argument

__all__ = [
    "EFFORT",
    "Comparison",
    "TestOptions",
    "compare",
    "compare_judged",
    "compare_scored",
    "test_options",
]

# Number of pairs × topics for which bounds are computed at once. Each block of pairs gets its share
# of the search effort.
BOUNDED_AT_ONCE = 1 << 20

PAIR = ("metric", "a", "b")
COLUMNS: dict[str, Any] = {
    **dict.fromkeys(PAIR, pl.String),
    **dict.fromkeys(("mean_a", "mean_b", "difference", "percent"), pl.Float64),
    **dict.fromkeys(("conf_low", "conf_high", "effect"), pl.Float64),
    **dict.fromkeys(("wins", "ties", "losses", "topics", "dropped"), pl.Int64),
    **dict.fromkeys(("p", "corrected_p"), pl.Float64),
    "significant": pl.Boolean,
}
VERDICTS: dict[str, Any] = {
    **dict.fromkeys(PAIR, pl.String),
    **dict.fromkeys(("low", "high"), pl.Float64),
    "verdict": pl.String,
    **dict.fromkeys(("to_resolve", "gap"), pl.Float64),
    "proven": pl.Boolean,
}

# A function that takes a metric and pairs of runs, and returns bounds on the differences.
DifferencesOf: TypeAlias = Callable[[Metric, Ints, Ints], Differences]


def compare(
    data: "QrelsLike | Collection | Scores",
    runs: "RunsLike | None" = None,
    metrics: "MetricsLike" = DEFAULT_METRICS,
    *,
    rel: float = 1,
    baseline: str | None = None,
    test: Test | TestOptions = "t",
    correction: Correction | None = None,
    family: Family = "metric",
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int = 0,
    bounds: bool = True,
    unjudged: str = "retrieved",
    effort: int = EFFORT,
) -> Comparison:
    """Compare runs topic by topic: each run with a baseline, or all pairs of runs.

    `difference` is the mean score of run `a` minus that of run `b`. With a baseline, `b` is the
    baseline. For two runs without a baseline, `a` is the second run (new − old). For three or more
    runs without a baseline, `a` was passed before `b`. Diagnostics, which are metrics that do not
    measure quality (counts, Judged, …), are shown but not tested.

    Parameters
    ----------
    data, runs, metrics
        As for `score`. Without `runs` and `metrics`, `data` may also be `Scores`: standardised
        scores, imported scores, or scores of systems with several runs (`Scores.of_systems`).
        Bounds of differences are then not computed.
    rel
        As for `score`.
    baseline
        The run with which all other runs are compared. By default all pairs are compared.
    test
        One of these two-sided tests, paired by topic. `t`, `permutation` and `bootstrap` test each
        mean difference. `tukey`, `randomised-tukey` and, with a baseline, `dunnett` test all mean
        differences simultaneously. `wilcoxon` tests whether the differences are symmetric around 0,
        and `sign` whether one run wins more topics than the other. Pass `TestOptions` instead of a
        name to set the type of interval, an equivalence margin, clusters of topics, or a variant of
        Wilcoxon's test.
    correction
        `holm` (the default), `bonferroni`, `bh` (Benjamini and Hochberg) or `none`. A correction
        cannot be combined with Tukey's and Dunnett's tests, which control the familywise error rate
        themselves.
    family
        The tests that are corrected together: `metric` corrects the tests of each metric
        separately, `all` corrects the tests of all metrics together.
    alpha
        The significance level; confidence intervals have level 1 − alpha. With fewer than six
        topics no difference is marked as significant.
    resamples
        Number of permutations (default 10,000) or of bootstrap resamples (default 1,000) of the
        test. For a test without resampling: number of bootstrap resamples of the confidence
        intervals (default 1,000).
    seed
        The random seed.
    bounds
        Whether to compute bounds of each difference. The bounds show whether unjudged documents
        could reverse the difference.
    unjudged
        The assumption about unjudged documents for the bounds, as for `score`; `own` is not
        allowed.
    effort
        Approximate maximum number of documents examined, per metric, in a search for tighter
        bounds. The search is used for metrics without an exact formula. The column `gap` shows by
        how much the bounds may still be too wide. If pairs × topics is more than a million, the
        effort is divided among blocks of pairs.

    Returns
    -------
    Comparison
        A frame with one row per metric and pair; methods for a leaderboard, an analysis of power,
        tables and a chart.

    Examples
    --------
    >>> qrels = {t: {"a": 1} for t in "1234"}
    >>> up = {t: {"a": 2, "b": 1} for t in "1234"}
    >>> down = {"1": {"a": 1}, **{t: {"b": 2, "a": 1} for t in "234"}}
    >>> found = compare(qrels, {"down": down, "up": up}, "RR")
    >>> found.frame.select("a", "b", "difference", "wins", "ties", "losses").rows()
    [('up', 'down', 0.375, 3, 1, 0)]
    >>> round(found.frame["p"][0], 4)
    0.0577
    """
    options = test_options(test, baseline, correction, family, alpha, resamples, seed)
    if isinstance(data, Scores):
        check_scores_alone(runs, metrics)
        if unjudged != "retrieved":
            what = " needs rankings, but only scores are given. Remove "
            raise CallError(Argument("unjudged", unjudged), what, Argument("unjudged"), ".")
        return compare_scored(_without_bounds(data), options, "all")
    Possible.between_runs(unjudged)  # refuse a wrong assumption before any work is done
    collection = as_collection(data, runs)
    wanted = parse_all(metrics, rel)
    check_lengths(wanted, collection.lengths)
    check_at_least("effort", effort, 0)
    whole_ties = any(metric.ties == "share" for metric in wanted)
    deepest = deepest_of_verdicts(wanted, unjudged)
    judged = collection.judged(Needs(documents=bounds, whole_ties=whole_ties, deepest=deepest))
    return compare_judged(
        judged,
        wanted,
        options,
        collection.topic_groups,
        topics=collection.topics,
        undefined=collection.undefined,
        unjudged=unjudged,
        effort=effort,
    )


def test_options(
    test: Test | TestOptions,
    baseline: str | None,
    correction: Correction | None,
    family: Family,
    alpha: float,
    resamples: int | None,
    seed: int,
) -> TestOptions:
    """Combine arguments of `compare` into `TestOptions`.

    If `test` is already `TestOptions`, a `baseline` replaces the one in it, and an error is raised
    if any other argument differs from its default.
    """
    if not isinstance(test, TestOptions):
        return TestOptions(
            test,
            correction,
            family,
            alpha,
            resamples=resamples,
            seed=seed,
            baseline=baseline,
        )
    if (correction, family, alpha, resamples, seed) != (None, "metric", 0.05, None, 0):
        what = "test is a TestOptions, so correction, family, alpha, resamples and seed must be set"
        raise CallError(f"{what} in it, not as separate arguments.")
    return test if baseline is None else replace(test, baseline=baseline)


def _without_bounds(scores: Scores) -> Scores:
    """Drop the bounds of scores, and add a note on the missing bounds of differences.

    Tight bounds on a difference depend on the documents that both runs retrieved, which bounds on
    scores do not show.
    """
    if scores.low is None:
        return scores
    other_notes = tuple(each for each in scores.input_notes if each.kind != NUGGETS)
    if len(other_notes) < len(scores.input_notes):
        notes = (*other_notes, *_about_nuggets(scores))
    else:
        what = "bounds on differences are not computed, because only scores are given. To know "
        what += "whether unjudged documents can reverse a difference, give qrels and runs"
        notes = (*other_notes, note("no-verdicts", what))
    return replace(scores, low=None, high=None, outer=(), unjudged=None, input_notes=notes)


def _about_nuggets(scores: Scores) -> list[Note]:
    """Return a note on the change of means that nuggets without an assignment could cause.

    For two runs, the note has the bounds on the difference of the two means. For any other number
    of runs, it has the largest possible increase of a run's mean. Nuggets are assigned to each
    answer separately, so the lower bound of one run and the upper bound of the other can be reached
    together. Subtracting the bounds therefore gives exact bounds on the difference.
    """
    assert scores.low is not None and scores.high is not None
    parts = []
    for metric, low, high in zip(scores.metrics, scores.low, scores.high, strict=True):
        defined = np.flatnonzero(np.isfinite(low).all(axis=0))
        if not len(defined):
            continue
        lows, highs = low[:, defined].mean(axis=1), high[:, defined].mean(axis=1)
        ends = (lows[1] - highs[0], highs[1] - lows[0]) if len(lows) == 2 else ()
        range_of = " to ".join(f"{end:+.4f}" for end in ends)
        parts.append(f"{range_of or f'{(highs - lows).max():.4f}'} ({metric})")
    if not (scores.high > scores.low).any():
        return []
    two = f"the difference {scores.runs[-1]} − {scores.runs[0]} can be"
    what = two if len(scores.runs) == 2 else "the mean of a run can be higher by up to"
    some = "some nuggets have no assignment. Depending on their assignment,"
    text = f"{some} {what} {', '.join(parts)}"
    return [note(NUGGETS, text)]


def compare_judged(
    judged: JudgedRankings,
    metrics: Sequence[Metric],
    options: TestOptions,
    groups: TopicGroups | None = None,
    *,
    topics: Topics,
    undefined: Undefined,
    unjudged: str,
    effort: int,
) -> Comparison:
    """Score judged rankings, and compare the runs.

    `groups` defines groups of topics. `topics` and `undefined` are as for `Collection`, `unjudged`
    and `effort` as for `compare`. Bounds of differences are computed only if `judged` includes the
    unjudged documents (`Needs(documents=True)`).
    """
    scores = score_judged(judged, metrics)
    if groups is not None:
        scores = scores.with_groups(groups)
    scores = scores.counting_undefined(undefined)
    if judged.retrieved is None:
        return compare_scored(scores, options, topics)
    pairs = len(choose_pairs(judged.runs, options.baseline)[0])

    def differences(metric: Metric, first: Ints, second: Ints) -> Differences:
        share = effort * len(first) // pairs
        bounds = difference_bounds(judged, metric, first, second, unjudged, share)
        of_metric = "zero" if metric.zero_if_undefined else undefined
        return replace(bounds, by_topic=bounds.by_topic.counting_undefined(of_metric))

    return compare_scored(scores, options, topics, differences, unjudged)


def compare_scored(
    scores: Scores,
    options: TestOptions,
    topics: Topics,
    differences: DifferencesOf | None = None,
    unjudged: str | None = None,
) -> Comparison:
    """Compare runs by their scores, on all topics or only on the topics of all runs (`common`).

    The function `differences` computes the bounds of the differences of pairs of runs. If it is
    None, the result has no bounds. `unjudged` is the assumption about unjudged documents behind
    these bounds.
    """
    over, clusters = over_common_topics(scores) if topics == "common" else scores, None
    if options.clusters is not None:
        names, notes = clusters_of_topics(options.clusters, over.topics)
        clusters = np.unique(names, return_inverse=True)[1].ravel()
        over = replace(over, input_notes=(*over.input_notes, *notes))
    comparison = _compared(over, options, clusters)
    if over.groups:
        comparison = _with_groups(comparison)
    if differences is None:
        return comparison
    all_and_groups = [comparison, *comparison.by_group.values()]
    whole, *parts = _with_verdicts(all_and_groups, scores.topics, differences, unjudged)
    return replace(whole, by_group=dict(zip(comparison.by_group, parts, strict=True)))


def _with_groups(comparison: Comparison) -> Comparison:
    """Add a comparison of each topic group, with p-values corrected over all groups together.

    Tukey's and Dunnett's tests have no correction, and control errors within each group.
    """
    options, parts = comparison.options, {}
    for name, part in comparison.scores.by_group.items():
        clusters = comparison.clusters
        if clusters is not None:
            clusters = clusters[np.isin(comparison.scores.topics, part.topics)]
        parts[name] = _compared(part, options, clusters)
    p = np.concatenate([part.p_values for part in parts.values()], axis=1)
    words = options.family_words(p)
    together = np.split(options.correct(p), len(parts), axis=1)
    for (name, one), corrected in zip(parts.items(), together, strict=True):
        frame, values = one.frame, corrected.ravel()
        rows = frame["metric"].is_in([str(metric) for metric in one.tested]).arg_true()
        frame = frame.with_columns(
            frame["corrected_p"].scatter(rows, pl.Series(values, nan_to_null=True)),
            frame["significant"].scatter(rows, (values <= options.alpha) & ~one.few),
        )
        parts[name] = replace(one, frame=frame, family=words)
    return replace(comparison, by_group=parts)


def _with_verdicts(
    parts: Sequence[Comparison],
    topics: Sequence[str],
    differences: DifferencesOf,
    unjudged: str | None,
) -> list[Comparison]:
    """Return the comparisons in `parts` (all topics, then each topic group) with verdicts.

    Bounds by topic are computed once, and used for all topics and for the groups. Pairs are
    processed in blocks to save memory. `topics` are the topics of the bounds.
    """
    first, second = parts[0].first, parts[0].second
    keeps = [np.isin(topics, part.scores.topics) for part in parts]

    def verdicts(metric: Metric) -> list[pl.DataFrame]:
        """Return the verdicts on all pairs by one metric, with one frame per element of `parts`."""
        by_block = []
        for some in pieces_of(len(first), len(topics), BOUNDED_AT_ONCE):
            bounds = differences(metric, first[some], second[some])
            by_block.append([_verdicts(bounds, *of) for of in zip(parts, keeps, strict=True)])
        return [pl.concat(blocks) for blocks in zip(*by_block, strict=True)]

    by_metric = list(map_in_threads(verdicts, track(parts[0].tested, "metrics")))
    comparisons = []
    for place, part in enumerate(parts):
        tables = {str(m): of[place] for m, of in zip(part.tested, by_metric, strict=True)}
        rows = [pl.DataFrame(schema=VERDICTS), *(one.select(*VERDICTS) for one in tables.values())]
        frame = part.frame.join(pl.concat(rows), on=PAIR, how="left", maintain_order="left")
        arrays: dict[str, Any] = {
            field: {
                name: np.moveaxis(one[field].to_numpy(), -1, 0)  # the ends first
                for name, one in tables.items()
                if field in one
            }
            for field in ("reversible", "over_both", "topic_bounds")
        }
        assumption = None if unjudged is None else str(Possible.parse(unjudged))
        comparisons.append(replace(part, frame=frame, unjudged=assumption, **arrays))
    return comparisons


def _verdicts(bounds: Differences, part: Comparison, keep: Bools) -> pl.DataFrame:
    """Return bounds and verdicts for one comparison, with one row per pair of runs.

    `bounds` covers all topics. The mask `keep` marks the topics of the comparison. The column
    `over_both` (confidence limits, see `_intervals_of_any`) is added if the comparison has rank
    intervals and no clusters. The column `topic_bounds` (bounds of each topic) is added for two
    runs or a baseline.
    """
    bounds = replace(bounds, by_topic=bounds.by_topic.of_topics(keep))
    metric, by_topic, mean, divisor = bounds.metric, bounds.by_topic, bounds.mean, 1
    if metric.aggregate == "sum":  # the bounds are on sums, but differences are shown as means
        divisor = np.maximum(np.isfinite(by_topic.value).sum(axis=1), 1)
    names = pl.Series(part.scores.runs, dtype=pl.String)
    words = pl.Series(mean.verdict.astype(object), dtype=pl.String)
    columns = {
        "metric": pl.repeat(str(metric), len(words), eager=True),
        "a": names.gather(bounds.first),
        "b": names.gather(bounds.second),
        "low": pl.Series(mean.low / divisor, nan_to_null=True),
        "high": pl.Series(mean.high / divisor, nan_to_null=True),
        "verdict": words.replace({"A": "B", "B": "A"}) if metric.less_is_better else words,
        "to_resolve": pl.Series(mean.to_resolve, nan_to_null=True),
        "gap": pl.Series(mean.gap / divisor, nan_to_null=True),
        "proven": mean.proven,
        "reversible": mean.reversible,
    }
    if part.has_ranks and part.clusters is None:
        columns["over_both"] = _intervals_of_any(by_topic, part)
    if part.topics_can_be_shown:
        columns["topic_bounds"] = np.stack([by_topic.low, by_topic.high], axis=2)
    known = pl.when(pl.col("low").is_not_null())
    frame = pl.DataFrame(columns)
    return frame.with_columns(known.then(pl.col("verdict", "gap", "proven")).name.keep())


def _intervals_of_any(ends: Ends, part: Comparison) -> Floats:
    """Return simultaneous intervals that hold no matter how the unjudged documents are judged.

    For any differences by topic within the bounds, the Bonferroni-corrected t-interval of their
    mean lies within the returned interval. Complete judgments give one of these sets of
    differences. If a bound is unknown or infinite, the limits are −∞ and ∞. The limits have the
    shape (pairs, 2).
    """
    families = len(part.tested) if part.options.family == "all" else 1
    level = 1 - part.options.alpha / (max(len(part.first), 1) * families)
    defined = np.isfinite(ends.value)
    unknown = (np.isnan(ends.low + ends.high) & defined).any(axis=1)
    unknown |= (np.isinf(ends.low) | np.isinf(ends.high)).any(axis=1)
    low, high = t_interval_of_any(ends.low, ends.high, defined, level)
    unknown |= np.isnan(low + high)
    return np.stack([np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)], axis=1)


def _compared(scores: Scores, options: TestOptions, clusters: Ints | None) -> Comparison:
    """Test the difference of each pair of runs by each metric; diagnostics are not tested.

    The pairs are all pairs, or each run with the baseline. `clusters` has the cluster number of
    each topic.
    """
    if scores.averaged == "geometric":
        what = "the tests compare arithmetic means. Remove "
        raise CallError(what, Argument("mean", "geometric"), ".")
    pairs = choose_pairs(scores.runs, options.baseline)
    weighted = "" if scores.relative_weights is None else "weights of topics"
    only_t = "several runs of a system" if scores.repetitions else weighted
    options = options.for_pairs(len(pairs[0]), only_t=only_t)
    qualities = [place for place, m in enumerate(scores.metrics) if not m.is_diagnostic]
    count, permuted, names = len(qualities), options.test in PERMUTED, pl.Series(scores.runs)
    samples, tested, few = scores.pseudo_values, {}, {}
    for place in qualities:
        limit = scores.metrics[place].greatest_difference
        runs = variances_between_runs(scores, place, clusters) if scores.repetitions else None
        tested[place] = options.tested(
            samples[place], *pairs, metrics=count, limit=limit, clusters=clusters, runs=runs
        )
        few[place] = few_units(samples[place], *pairs, clusters, permuted=permuted)
    p = np.array([found.p for found in tested.values()]).reshape(count, len(pairs[0]))
    corrected = dict(zip(qualities, options.correct(p), strict=True))
    parts = [pl.DataFrame(schema=COLUMNS)]
    for place, (m, values) in enumerate(zip(scores.metrics, scores.value, strict=True)):
        if m.is_diagnostic:
            columns = _diagnostic_columns(m, values, *pairs)
        else:
            columns = pair_numbers(values, *pairs, sign=m.sign, samples=samples[place])._asdict()
            columns |= {"conf_low": tested[place].low, "conf_high": tested[place].high}
            columns |= {"p": tested[place].p, "corrected_p": corrected[place]}
            columns["significant"] = (corrected[place] <= options.alpha) & ~few[place]
        labels = {side: names.gather(runs) for side, runs in zip("ab", pairs, strict=True)}
        parts.append(pl.DataFrame({"metric": str(m), **labels, **columns}, nan_to_null=True))
    frame, counts = pl.concat(parts, how="diagonal"), np.array([*few.values()], np.bool_).ravel()
    return Comparison(scores, frame, *pairs, options, options.family_words(p), clusters, counts)


def _diagnostic_columns(
    metric: Metric, values: Floats, first: Ints, second: Ints
) -> dict[str, Floats | Ints]:
    """Return the columns of a diagnostic metric: means, or sums if the metric is a count.

    A sum is over the topics on which both runs have a value.
    """
    numbers = pair_numbers(values, first, second)
    if metric.aggregate == "sum":
        sides = values[first], values[second]
        both = np.isfinite(sides[0]) & np.isfinite(sides[1])
        a, b = (np.where(both, side, 0.0).sum(axis=1) for side in sides)
        numbers = numbers._replace(mean_a=a, mean_b=b, difference=a - b)
    names = ("mean_a", "mean_b", "difference", "percent", "topics", "dropped")
    return {name: getattr(numbers, name) for name in names}
