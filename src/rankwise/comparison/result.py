"""Comparison: what `compare` found, pair by pair, and the leaderboards that follow from it."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from rankwise.comparison.ways import FAMILYWISE, Ways, counted
from rankwise.errors import CallError
from rankwise.scores import Scores
from rankwise.stats.groups import significance_groups
from rankwise.stats.intervals import moments
from rankwise.stats.paired import Bools, Ints, differences_of
from rankwise.stats.power import smallest_effect, topics_needed
from rankwise.verdicts.weights import is_sum_of_weights


@dataclass(frozen=True, eq=False)
class Comparison:
    """Pairs of runs compared, metric by metric.

    `frame` has one row per `metric` and pair of runs `a` and `b`. The `difference` is
    `mean_a` − `mean_b` over the `topics` that both runs have a score for (`dropped` is how
    many they have not); `percent` is of `mean_b`; `conf_low` and `conf_high` are the
    confidence interval of the difference, `effect` its mean by the standard deviation of
    the differences (Cohen's d_z); `wins`, `ties` and `losses` count topics.
    `p` is the test's, `corrected_p` that within its family, and
    `significant` says whether this is at most α. Where bounds were asked for: `least` and
    `greatest` difference that the unjudged documents leave possible, who is better
    whatever they are (`verdict`: A, B, equal or undecided), and for the undecided the share
    of what is open that must be settled first (`to_settle`).
    """

    scores: Scores = field(repr=False)
    frame: pl.DataFrame
    first: Ints = field(repr=False)
    second: Ints = field(repr=False)
    ways: Ways
    family: str
    unjudged: str | None = None

    @property
    def has_verdicts(self) -> bool:
        return "verdict" in self.frame.columns

    @property
    def metrics(self) -> list[str]:
        return [str(metric) for metric in self.scores.metrics]

    @property
    def caption(self) -> str:
        """What a table of this must say: metrics, topics, test, correction, α."""
        counts = sorted(set(self.frame["topics"].to_list()))
        over = counted(counts[-1], "topic")
        over = over if len(counts) == 1 else f"{counts[0]} to {over}"
        against = f" against {self.ways.baseline}" if self.ways.baseline else ""
        return (
            f"{', '.join(self.metrics)} of {len(self.scores.runs)} runs{against} over {over}. "
            f"Two-sided {self.ways.test_name}, {self.family}, "
            f"α = {self.ways.alpha:g}."
        )

    @property
    def notes(self) -> list[str]:
        """What is odd about these pairs, and what the scores gave cause to say."""
        many = self.has_verdicts and len(self.first) > 1
        notes = [self._summary(metric) for metric in self.metrics] if many else []
        tested = len(self.first) if self.ways.family == "metric" else self.frame["p"].count()
        notes += [note for note in [self.ways.too_coarse(tested)] if note]
        few = self.frame.filter(pl.col("topics") < 2).height
        if few:
            notes.append(f"comparisons with fewer than two topics, not tested: {few}")
        same = self.frame.filter(pl.col("wins") + pl.col("losses") == 0, pl.col("topics") > 1)
        if same.height:
            notes.append(f"comparisons of runs that score the same on every topic: {same.height}")
        shared = np.isfinite(self.scores.value).all(axis=1).sum(axis=1).min()
        if self.ways.test in FAMILYWISE and shared < max(self.frame["topics"].to_list()):
            notes.append(f"{self.ways.test} tests on the topics that all runs score: {shared}")
        if self.ways.repeats or self.ways.interval == "bootstrap":
            notes.append(f"seed {self.ways.seed}")
        notes += self._about_verdicts()
        notes += [
            f"{metric}: less is better" for metric in self.scores.metrics if metric.less_is_better
        ]
        return [*notes, *self.scores.all_notes]

    def _about_verdicts(self) -> list[str]:
        outer = [str(m) for m in self.scores.metrics if not is_sum_of_weights(m)]
        what = "least and greatest difference hold, but may be wider than need be"
        return [f"{what}: {', '.join(outer)}"] if outer and self.has_verdicts else []

    def _summary(self, metric: str) -> str:
        """How many pairs are significant, and how many are safe from the unjudged documents."""
        rows = self.frame.filter(pl.col("metric") == metric)
        significant = pl.col("significant").fill_null(False)
        sure = pl.col("verdict").is_in(["A", "B"]).fill_null(False)
        counts = rows.select(
            of=pl.len(),
            significant=significant.sum(),
            both=(significant & sure).sum(),
            other=(~significant & sure).sum(),
            known=pl.col("verdict").is_not_null().sum(),
        ).row(0, named=True)
        found = f"{metric}: significant: {counts['significant']:,} of {counts['of']:,} differences"
        if not counts["known"]:
            return f"{found}; what the unjudged documents could change is not known"
        return (
            f"{found}; sure, whatever the unjudged documents are: {counts['both']:,} of these, "
            f"{counts['other']:,} of the others"
        )

    def leaderboard(self) -> pl.DataFrame:
        """For each metric the runs, best first, and what each is not told apart from.

        `worse` and `better` count the runs that are significantly worse or better than it;
        `from_rank` to `to_rank` span those that are neither. Where the span holds runs that
        do differ, because significance does not follow the order of the means, `inside`
        says how many. Being told apart is not handed on: of three runs, only the first and
        the last may differ. Only for all pairs.
        """
        if self.ways.baseline is not None:
            raise CallError("with a baseline the other pairs are not tested: leave it out.")
        significant = self.frame["significant"].fill_null(False).to_numpy()
        by_metric = significant.reshape(len(self.metrics), -1)
        return pl.concat(self._board(at, differ) for at, differ in enumerate(by_metric))

    def _board(self, at: int, significant: Bools) -> pl.DataFrame:
        means, sign = moments(self.scores.value[at]).mean, self.scores.metrics[at].sign
        groups = significance_groups(sign * means, self.first, self.second, significant)
        return pl.DataFrame(
            {
                "metric": [self.metrics[at]] * len(means),
                "rank": groups.rank,
                "run": list(self.scores.runs),
                "mean": pl.Series(means, nan_to_null=True),
                "worse": groups.worse,
                "better": groups.better,
                "from_rank": groups.from_rank,
                "to_rank": groups.to_rank,
                "inside": groups.inside,
            }
        ).sort("rank")

    def power(self, level: float = 0.8, topics: int | None = None) -> pl.DataFrame:
        """How many topics each difference takes, and what a number of topics can show.

        `needed`: the fewest topics over which a two-sided paired t-test at α, one test by
        itself, shows a true difference of this size and spread with the chance `level`
        (infinite where there is none). `smallest`: the smallest difference of this spread
        that `at_topics` show with that chance; these are the topics there are, if not said.
        """
        if not self.ways.alpha < level < 1:
            raise CallError(f"power {level:g} is not between alpha and 1, as 0.8 is.")
        if topics is not None and topics < 2:
            raise CallError(f"power needs two topics or more, not {topics}.")
        values = self.scores.value
        pairs = (differences_of(v, self.first, self.second) for v in values)
        spread = np.concatenate([moments(differences).sd for differences in pairs])
        at = self.frame["topics"].to_numpy() if topics is None else np.full(len(spread), topics)
        effect = self.frame["effect"].fill_null(np.nan).to_numpy()
        needed = topics_needed(effect, self.ways.alpha, level)
        smallest = smallest_effect(at, self.ways.alpha, level) * spread
        return self.frame.select("metric", "a", "b", "difference", "effect", "topics").with_columns(
            pl.Series("deviation", spread, nan_to_null=True),
            pl.Series("needed", needed, nan_to_null=True),
            pl.Series("at_topics", at),
            pl.Series("smallest", smallest, nan_to_null=True),
        )

    def __repr__(self) -> str:
        with pl.Config(tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
            return "\n".join([self.caption, str(self.frame), *self.notes])

    def _repr_html_(self) -> str:
        with pl.Config(tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True):
            return f"<p>{self.caption}</p>{self.frame._repr_html_()}"
