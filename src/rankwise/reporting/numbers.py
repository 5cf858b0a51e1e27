"""Numbers of a report: scores, means with intervals, and comparisons of all pairs of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.comparison import (
    FAMILYWISE,
    FEW_TOPICS,
    RANK_SETS,
    Comparison,
    TestOptions,
    closing_sentences,
    compare_judged,
    compare_scored,
    sentences_of_pairs,
)
from rankwise.comparison.verdicts import EFFORT, difference_bounds, mean_of_topics
from rankwise.metrics import Metric, parse_all
from rankwise.native import release_memory
from rankwise.notes import Note, note
from rankwise.rankings import JudgedRankings, TopicGroups, assumed, table_of_groups
from rankwise.reporting.packing import Column, counts, floats
from rankwise.reporting.pair_states import STATES, pair_states
from rankwise.scores import (
    Scores,
    confidence,
    over_common_topics,
    score_judged,
)
from rankwise.vocabulary import Topics, Undefined

# Limit of pairs × topics × metrics for verdicts on all pairs; above it, only pairs with the
# baseline have verdicts. All pairs of the 129 runs of TREC-8 by four metrics are 1.7 million.
MOST_VERDICTS = 4_000_000
# Limit of pairs × groups × metrics for comparing all pairs by group; above it, only pairs with the
# baseline are compared. 129 runs, three groups and six metrics would take 8 MB of the page.
MOST_GROUPED = 50_000
# Limit of runs² × metrics for computing intervals with every run as baseline; above it only for the
# baseline of the report. All baselines of 129 runs by six metrics would take 25 s.
MOST_FAMILIES = 8_000
# Limit of pairs × metrics for sentences to copy; above it, only pairs with the baseline have one.
# The sentences of every baseline have the same limit, for runs × (runs − 1) × metrics.
MOST_SENTENCES = 2_000
OF_GROUPS = ("group-sizes", "small-groups")  # kinds of notes
JUDGED_AT = (10, 100)
USUAL_CUTOFF = 10  # depth of the judged fraction for metrics without a cutoff
UNIT = (0.0, 1.0)


@dataclass(frozen=True)
class Scoring:
    """Options of scoring and comparison; the names are those of `report`."""

    metrics: Sequence[Metric]
    options: TestOptions
    topics: Topics
    unjudged: str
    undefined: Undefined
    groups: TopicGroups | None = None

    def scores(self, judged: JudgedRankings) -> Scores:
        """Return the scores with bounds, over the topics that are averaged."""
        found = score_judged(judged, self.metrics, unjudged=self.unjudged)
        found = found.with_zeros() if self.undefined == "zero" else found
        return found if self.topics == "all" else over_common_topics(found)


def scored(scores: Scores, shown: int, alpha: float) -> dict[str, Any]:
    """Return a dict of scores, their means over topics, and the numbers of topics averaged.

    Scores and their bounds have shape (metrics, runs, first `shown` topics). Means, their bounds
    and their confidence limits have shape (metrics, runs).
    """
    means = confidence(scores, 1 - alpha).frame
    shape = (len(scores.metrics), len(scores.runs))

    def of_means(name: str) -> Column:
        # The frame of means is sorted by metric and then by run.
        if name not in means.columns:
            return floats(np.full(shape, np.nan))
        return floats(means[name].fill_null(np.nan).to_numpy().reshape(shape))

    names = ("value", "low", "high", "conf_low", "conf_high")
    return {
        "scores": {name: floats(cube[:, :, :shown]) for name, cube in scores.cubes.items()},
        "means": {name: of_means(name) for name in names},
        "counted": counts(means["topics"].to_numpy().reshape(shape)),
    }


def judged_shares(
    judged: JudgedRankings,
    metrics: Sequence[Metric],
    kept: Bools,
    shown: int,
    groups: Sequence[Sequence[int]],
) -> dict[str, Any]:
    """Return judged fractions, numbers of unjudged documents in the top 10, and empty rankings.

    Judged fractions are at 10, 100 and the cutoffs of the metrics, over all topics and by group.
    Empty rankings are the topics on which a run returned nothing.
    """
    cutoffs = sorted({*JUDGED_AT, *(metric.cutoff or USUAL_CUTOFF for metric in metrics)})
    by_cutoff = parse_all([f"Judged@{cutoff}" for cutoff in cutoffs])
    # Without the notes, runs that are sets are accepted too.
    at = score_judged(replace(judged, notes=()), by_cutoff)
    shares = {str(cutoff): share[:, kept] for cutoff, share in zip(cutoffs, at.value, strict=True)}
    unjudged = judged.top(10).unjudged_count.reshape(len(judged.runs), -1)
    return {
        "judged": {cutoff: floats(share.mean(axis=1)) for cutoff, share in shares.items()},
        "judged_in_groups": {
            cutoff: floats(np.array([share[:, list(topics)].mean(axis=1) for topics in groups]))
            for cutoff, share in shares.items()
        }
        if groups
        else None,
        "unjudged10": counts(unjudged[:, kept][:, :shown]),
        "empty": [
            np.flatnonzero(row).tolist()
            for row in (judged.length.reshape(len(judged.runs), -1) == 0)[:, kept][:, :shown]
        ],
    }


def metric_entries(scores: Scores) -> list[dict[str, Any]]:
    """Return, for each metric, the properties that the page needs."""
    return [
        {
            "name": str(metric),
            "less": metric.less_is_better,
            "diagnostic": metric.is_diagnostic,
            "sum": metric.aggregate == "sum",
            "range": _range(metric, None if scores.low is not None else cube),
            "cutoff": metric.cutoff or USUAL_CUTOFF,
            "ideal": metric.cutoff is not None and metric.normalised is not None,
            "graded": metric.rel is None and not metric.is_diagnostic and metric.takes_gains,
        }
        for metric, cube in zip(scores.metrics, scores.value, strict=True)
    ]


def _range(metric: Metric, imported: Floats | None) -> list[float | None]:
    """Return the lowest and the highest possible score, None where there is no limit.

    If the metric has no range, but all `imported` scores are between 0 and 1, return 0 and 1.
    """
    in_unit = imported is not None and bool(
        ((imported >= 0) & (imported <= 1) | np.isnan(imported)).all()
    )
    low, high = metric.score_range or (UNIT if metric.is_builtin else (-np.inf, np.inf))
    if in_unit and not np.isfinite([low, high]).any():
        low, high = UNIT
    return [float(end) if np.isfinite(end) else None for end in (low, high)]


@dataclass(frozen=True)
class Pairs:
    """Comparisons of all pairs of runs.

    `found` compares all pairs. `with_verdicts` and `by_group` (with topic groups) may have only the
    pairs with the baseline of the report, to save time or space.

    Other comparisons have one baseline each, because p-values and intervals are adjusted per
    baseline. `of_baseline` has the baseline of the report. `of_baselines` has every run as
    baseline, and is empty for many runs. `families` has intervals with every run as baseline or,
    for many runs, only with the baseline of the report; it is empty if the intervals of `found` can
    be used.
    """

    found: Comparison
    with_verdicts: Comparison
    by_group: Comparison
    of_baseline: Comparison
    families: Sequence[Comparison] = ()
    of_baselines: Sequence[Comparison] = ()

    @classmethod
    def of(cls, judged: JudgedRankings, scores: Scores, scoring: Scoring, baseline: str) -> Pairs:
        """Compare all pairs of runs.

        If there are many pairs, verdicts or comparisons by group are computed only for the pairs
        with the baseline.
        """
        runs, options = len(scores.runs), scoring.options
        pairs = runs * (runs - 1) // 2 * len(scores.metrics)
        whole = pairs * len(scores.topics) <= MOST_VERDICTS
        names = set() if scoring.groups is None else set(table_of_groups(scoring.groups).values())
        apart = whole and pairs * len(names) > MOST_GROUPED

        def verdicts_of(one: str | None, groups: TopicGroups | None) -> Comparison:
            compared = compare_judged(
                judged,
                scoring.metrics,
                replace(options, baseline=one),
                groups,
                topics=scoring.topics,
                undefined=scoring.undefined,
                unjudged=scoring.unjudged,
                effort=EFFORT,
            )
            release_memory()  # 240 MB of bounds for 129 runs of TREC-8
            return compared

        verdicts = verdicts_of(None if whole else baseline, None if apart else scoring.groups)
        if whole:
            verdicts = _with_reversals(verdicts, judged, scoring, baseline)
            release_memory()
        grouped = verdicts_of(baseline, scoring.groups) if apart else verdicts
        plain = replace(scores, low=None, high=None, outer=(), unjudged=None)
        families = _families(plain, options, baseline)
        ours = compare_scored(plain, replace(options, baseline=baseline), "all")
        each = _each_baseline(plain, options)
        if whole:
            return cls(verdicts, verdicts, grouped, ours, families, each)
        found = compare_scored(plain, replace(options, baseline=None), "all")
        return cls(found, verdicts, grouped, ours, families, each)

    @classmethod
    def of_scores(cls, scores: Scores, options: TestOptions, baseline: str) -> Pairs:
        """Return comparisons of all pairs without verdicts, because there are no judgments."""
        found = compare_scored(scores, replace(options, baseline=None), "all")
        ours = compare_scored(scores, replace(options, baseline=baseline), "all")
        each = _each_baseline(scores, options)
        return cls(found, found, found, ours, _families(scores, options, baseline), each)

    @property
    def notes(self) -> list[Note]:
        made = self.with_verdicts
        what = (
            "whether unjudged documents can reverse a difference is computed only for pairs with "
        )
        what += f"{made.options.baseline}; `rankwise compare` computes it for all pairs"
        others = note("verdicts-of-baseline", what)
        # The page corrects groups for one baseline at a time, so this note would be wrong.
        notes = [self._of_page(each) for each in made.notes if each.kind != "group-family"]
        if self.by_group is not made:
            notes += [each for each in self.by_group.notes if each.kind in OF_GROUPS]
        return [*([] if made.options.baseline is None else [others]), *notes]

    def _of_page(self, each: Note) -> Note:
        """Return a note as the page shows it.

        A note on unresolved pairs loses its remedy, because the page has no options. A summary
        starts with the pairs that it counts.
        """
        if each.kind == "unresolved":
            return replace(each, remedy=None)
        one = self.with_verdicts.options.baseline
        pairs = "among all pairs of runs, " if one is None else f"among the pairs with {one}, "
        return replace(each, text=(pairs, *each.text)) if each.kind == "summary" else each

    def columns(self) -> dict[str, Any]:
        """Return the numbers of the comparison for the page.

        Most arrays have shape (metrics, pairs). The first run of a pair precedes the second run in
        the order of the runs. Corrected p-values and intervals are also given for each baseline.
        """
        shape = (len(self.found.metrics), len(self.found.first))
        frame = self.found.frame

        def of_pairs(name: str) -> Floats:
            return frame[name].cast(float).fill_null(np.nan).to_numpy().reshape(shape)

        # Two runs are compared as second − first; their columns are reversed here.
        turned = self.found.first > self.found.second

        def either(name: str, other: str, sign: int = 1) -> Floats:
            return np.where(turned, sign * of_pairs(other), of_pairs(name))

        options = self.found.options
        return {
            "difference": floats(either("difference", "difference", -1)),
            "conf_low": floats(either("conf_low", "conf_high", -1)),
            "conf_high": floats(either("conf_high", "conf_low", -1)),
            "effect": floats(either("effect", "effect", -1)),
            "p": floats(of_pairs("p")),
            "wins": counts(np.nan_to_num(either("wins", "losses"))),
            "losses": counts(np.nan_to_num(either("losses", "wins"))),
            "topics": counts(np.nan_to_num(of_pairs("topics"))),
            "corrected": floats(self._corrected(of_pairs("p"))),
            "corrected_all": floats(of_pairs("corrected_p")),
            "across": self._across_metrics(of_pairs("p")),
            "test": options.test_name,
            "correction": options.applied,
            "family": options.family,
            "interval": self.found.intervals.words,
            "families": self._intervals_of_families(),
            "alpha": options.alpha,
            "few_topics": FEW_TOPICS,
            "ranks": self._ranks(),
            "verdicts": self._verdicts(),
            "sentences": self._sentences(),
        }

    def _sentences(self) -> dict[str, Any]:
        """Return, for each metric, sentences on pairs of runs in several families of tests.

        `pairs` has a sentence per pair: pairs with the baseline of the report are tested in the
        family of this baseline, other pairs in the family of all pairs. `without` has, per run, its
        pair with this baseline in the family of all pairs. `families` has the pairs of every
        baseline in its family, at index baseline × runs + run. `without` and `families` are None if
        there are many comparisons. `closings` has two sentences on the test, for pairs with a
        baseline and for all pairs. A missing sentence is None.
        """
        runs, metrics = self.found.scores.runs, self.found.tested
        two = len(runs) == 2
        ours = self.found if two else self.of_baseline
        few = not two and len(self.found.first) * len(metrics) <= MOST_SENTENCES
        first, second = np.triu_indices(len(runs), 1)
        pairs = [frozenset((runs[a], runs[b])) for a, b in zip(first, second, strict=True)]
        sentences = []
        for metric in self.found.scores.metrics:
            said: dict[frozenset[str], str] = {}
            for each in [self.found] * few + [ours]:
                if metric in metrics:
                    said |= sentences_of_pairs(each, self.with_verdicts, metric)
            sentences.append([said.get(pair) for pair in pairs] if said else None)
        closings = [" ".join(closing_sentences(e, self.with_verdicts)) for e in (ours, self.found)]
        without = families = None
        if few and self.of_baselines:
            baseline = str(ours.options.baseline)
            without = self._sentences_of(self.found, baseline)
            rows = [
                self._sentences_of(each, str(each.options.baseline)) for each in self.of_baselines
            ]
            families = [
                None if None in of_runs else [text for said in of_runs for text in said or ()]
                for of_runs in zip(*rows, strict=True)
            ]
        return {"pairs": sentences, "without": without, "families": families, "closings": closings}

    def _sentences_of(self, tested: Comparison, baseline: str) -> list[list[str | None] | None]:
        """Return, for each metric, a sentence per run on its pair with a baseline.

        A metric without tests has None instead.
        """
        runs, rows = self.found.scores.runs, list[list[str | None] | None]()
        for metric in self.found.scores.metrics:
            if metric not in tested.tested:
                rows.append(None)
                continue
            said = sentences_of_pairs(tested, self.with_verdicts, metric)
            rows.append([said.get(frozenset((run, baseline))) for run in runs])
        return rows

    def _across_metrics(self, p: Floats) -> dict[str, Column] | None:
        """Return whether each p-value is at most α after correction across all metrics.

        `all` has shape (metrics, pairs), for the family of all pairs. `baselines` has shape
        (metrics, baselines, runs), for the family of each baseline. Return None if p-values are
        already corrected across metrics, if they are not corrected, or for a single metric.
        """
        options = self.found.options
        if options.family != "metric" or options.applied == "none" or len(self.found.tested) < 2:
            return None
        together = replace(self, found=replace(self.found, options=replace(options, family="all")))
        of_all = together.found.options.correct(p)
        columns = {"all": of_all, "baselines": together._corrected(p)}
        return {name: counts((found <= options.alpha) * 1) for name, found in columns.items()}

    def _intervals_of_families(self) -> dict[str, Any] | None:
        """Return intervals of the differences run − baseline, of shape (metrics, baselines, runs).

        Return None if the intervals of all pairs can be used.
        """
        if not self.families:
            return None
        runs, metrics = self.found.scores.runs, self.found.metrics
        ends = np.full((2, len(metrics), len(self.families), len(runs)), np.nan)
        for place, family in enumerate(self.families):
            for end, name in zip(ends, ("conf_low", "conf_high"), strict=True):
                column = family.frame[name].fill_null(np.nan).to_numpy()
                end[:, place, family.first] = column.reshape(len(metrics), -1)
        return {
            "baselines": [runs.index(str(one.options.baseline)) for one in self.families],
            "low": floats(ends[0]),
            "high": floats(ends[1]),
            "interval": self.families[0].intervals.words,
        }

    def topic_bounds(self, shown: int) -> dict[str, Any] | None:
        """Return bounds of the difference of two runs by topic, of shape (metrics, `shown` topics).

        Return None for more than two runs, or without bounds.
        """
        found = self.with_verdicts
        if len(found.scores.runs) != 2 or found.unjudged is None:
            return None
        none = np.full((1, len(found.scores.topics)), np.nan)
        ends = [found.topic_bounds.get(name, (none, none)) for name in found.metrics]
        low, high = (np.concatenate([end[side] for end in ends])[:, :shown] for side in (0, 1))
        return {"a": int(found.first[0]), "low": floats(low), "high": floats(high)}

    def _ranks(self) -> dict[str, Column] | None:
        """Return confidence limits of the rank of each run, of shape (metrics, runs).

        The limits are given without and with the uncertainty from unjudged documents. Return None
        if ranks have no confidence intervals.
        """
        found = self.found
        if not found.has_ranks or not found.tested:
            return None
        board = found.leaderboard()
        shape = (len(found.metrics), len(found.scores.runs))
        ranks = {name: np.full(shape, np.nan) for name in RANK_SETS}
        for row in board.iter_rows(named=True):
            place = found.metrics.index(row["metric"]), found.scores.runs.index(row["run"])
            for name in RANK_SETS:
                ranks[name][place] = np.nan if row[name] is None else row[name]
        return {name: floats(column) for name, column in ranks.items()}

    def _corrected(self, p: Floats) -> Floats:
        """Return p-values corrected per baseline, of shape (metrics, baselines, runs)."""
        runs = len(self.found.scores.runs)
        square = np.full((len(p), runs, runs), np.nan)
        square[:, self.found.first, self.found.second] = p
        square[:, self.found.second, self.found.first] = p
        for baseline in range(runs):
            others = np.delete(np.arange(runs), baseline)
            square[:, baseline, others] = self.found.options.correct(square[:, baseline, others])
        return square

    def _verdicts(self) -> dict[str, Any]:
        made = self.with_verdicts
        shape = (len(made.metrics), len(made.first))
        none = np.full(made.frame.height, np.nan)
        columns = {
            name: none if made.unjudged is None else made.frame[name].fill_null(np.nan).to_numpy()
            for name in ("low", "high", "gap")
        }
        return {
            "a": counts(made.first),
            "b": counts(made.second),
            **{name: floats(column.reshape(shape)) for name, column in columns.items()},
            "state": counts(pair_states(made).reshape(shape)),
            "states": STATES,
            "assumed": "" if made.unjudged is None else assumed(made.unjudged),
        }


def _families(scores: Scores, options: TestOptions, baseline: str) -> list[Comparison]:
    """Return a comparison for each run as baseline or, if there are many runs, for `baseline`.

    The list is empty for one or two runs, for a family-wise test, and if intervals are not adjusted
    for the number of pairs. The tests are t-tests, the fastest, because only the intervals are
    used.
    """
    runs = len(scores.runs)
    by_t = TestOptions(
        correction=options.correction,
        family=options.family,
        alpha=options.alpha,
        interval=options.interval,
        seed=options.seed,
        clusters=options.clusters,
    )
    together = options.for_pairs(runs).is_simultaneous
    if runs < 3 or options.test in FAMILYWISE or not together:
        return []
    few = runs**2 * len(scores.metrics) <= MOST_FAMILIES
    return [
        compare_scored(scores, replace(by_t, baseline=one), "all")
        for one in (scores.runs if few else [baseline])
    ]


def _each_baseline(scores: Scores, options: TestOptions) -> list[Comparison]:
    """Return comparisons with each run as baseline; empty for one, two or many runs."""
    runs = len(scores.runs)
    if runs < 3 or runs * (runs - 1) * len(scores.metrics) > MOST_SENTENCES:
        return []
    return [compare_scored(scores, replace(options, baseline=one), "all") for one in scores.runs]


def _with_reversals(
    compared: Comparison, judged: JudgedRankings, scoring: Scoring, baseline: str
) -> Comparison:
    """Return the comparison after a second search for reversals of unresolved pairs.

    The second search is only for pairs with the baseline. It has fewer pairs than the first search,
    and therefore more effort for each pair.
    """
    at = compared.scores.runs.index(baseline)
    states = pair_states(compared).reshape(-1, len(compared.first))
    with_it = (compared.first == at) | (compared.second == at)
    reversible = dict(compared.reversible)
    for metric, of_pairs in zip(compared.scores.metrics, states, strict=True):
        some = np.flatnonzero(with_it & (of_pairs == STATES.index("unresolved")))
        if 0 < len(some) < len(compared.first):
            first, second = compared.first[some], compared.second[some]
            found = difference_bounds(judged, metric, first, second, scoring.unjudged)
            ends = found.by_topic.of_topics(np.isin(found.topics, compared.scores.topics))
            undefined = "zero" if metric.zero_if_undefined else scoring.undefined
            ends = ends.counting_undefined(undefined)
            known = reversible[str(metric)].copy()
            known[some] = mean_of_topics(ends, is_sum=metric.aggregate == "sum").reversible
            reversible[str(metric)] = known
    return replace(compared, reversible=reversible)
