"""Predicted scores with ranges, and probabilities that one run is better."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtr

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError, in_words
from rankwise.notes import Note, note, warning
from rankwise.probable.documents import Documents, Pool
from rankwise.probable.model import Draws
from rankwise.results import Result, Table, draw
from rankwise.scores import Scores
from rankwise.stats import corrected, differences_of, student_t
from rankwise.vocabulary import ChartWidth, Correction
from rankwise.wording import Argument, Count, Remedy, percent

# Constants of the range, chosen on five collections and not to be tuned on the data at hand:
# docs/probable.md. A range reaches √((DEVIATIONS · sd)² + (share · W)²) to either side.
DEVIATIONS = 3.0
SHARE, SHARE_ABSENT = 0.10, 0.15  # of the width of the bounds; where a run did not contribute
# The larger share also holds where the judged documents tell little of the others: there are few
# runs, or most of the unjudged documents lie outside the range of the judged ones.
FEW_RUNS = 10
IN_RANGE = 0.5
FAR = 4.0  # times as deep as the pool: beyond that the share grows

HELD = (
    "contained the score under the deeper pool for 95–100 % of the runs on five collections and, "
    "in further tests under other conditions, for at least 89 %"
)
PAIRS_HELD = (
    "on five collections, over all metrics, this probability was within 6 percentage points of the "
    "observed frequency"
)


@dataclass(frozen=True, eq=False, repr=False)
class Prediction(Result):
    """Predicted scores under a pool of depth `top` of these runs.

    `frame` has one row per run and metric: the `value` under the current judgments, the
    `expected` value, and its range, `probable_low` to `probable_high`. `pool` has the current
    pool depth, and the runs that contributed to it.
    """

    _everyday = ("pairs", "scores")

    scores: Scores = field(repr=False)
    documents: Documents = field(repr=False)
    pool: Pool = field(repr=False)
    draws: Draws = field(repr=False)
    reach: int = 0  # the depth to be predicted: `top`, or the longest ranking
    seed: int = 0

    @property
    def header(self) -> dict[str, Any]:
        """Metadata: metrics, number of topics, assumption, pool and random seed."""
        pool = {"pool_depth": self.pool.depth, "contributed": int(self.pool.contributed.sum())}
        return self.scores.header | {"unjudged": f"top={self.top}", "seed": self.seed} | pool

    @property
    def top(self) -> int:
        """Depth of the predicted pool."""
        return self.documents.top

    @property
    def expected(self) -> Floats:
        """Expected means, metrics × runs, within the bounds."""
        totals = self.scores.totals
        found: Floats = np.clip(self.draws.expected, totals["low"], totals["high"])
        return found

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """Lower and upper ends of the ranges, metrics × runs, within the bounds."""
        low, high = (self.scores.totals[name] for name in ("low", "high"))
        weak = len(self.scores.runs) < FEW_RUNS or self.draws.in_range < IN_RANGE
        share = SHARE if self.pool.contributed.all() and not weak else SHARE_ABSENT
        share *= max(1.0, np.log(self.reach / self.pool.depth) / np.log(FAR))
        half = np.hypot(DEVIATIONS * self.draws.deviation, share * (high - low))
        ends = (self.draws.expected - half, self.draws.expected + half)
        return np.clip(ends[0], low, high), np.clip(ends[1], low, high)

    @property
    def frame(self) -> pl.DataFrame:
        low, high = self.ranges
        cubes = {"value": self.scores.totals["value"], "expected": self.expected}
        cubes |= {"probable_low": low, "probable_high": high}
        metrics, runs = self.expected.shape
        return pl.DataFrame(
            {
                "run": list(self.scores.runs) * metrics,
                "metric": [str(metric) for metric in self.scores.metrics for _ in range(runs)],
                **{name: pl.Series(cube.ravel(), nan_to_null=True) for name, cube in cubes.items()},
            }
        )

    def pairs(self, *, alpha: float = 0.05, correction: Correction = "holm") -> pl.DataFrame:
        """Return, for each pair of runs, the probability that `a` is better once the pool is
        judged.

        `expected` is the expected difference, and `better` the probability on these topics, over
        the missing judgments. `significant` is the paired t-test under the current judgments.
        """
        if not 0 < alpha < 1:
            raise CallError(f"alpha {alpha:g} is not between 0 and 1. Use for example 0.05.")
        if len(self.scores.runs) < 2:
            raise CallError(f"pairs need two runs or more; there is only {self.scores.runs[0]}.")
        first, second = np.triu_indices(len(self.scores.runs), 1)
        names = np.array(self.scores.runs, dtype=object)
        parts = []
        for place, metric in enumerate(self.scores.metrics):
            expected = self.expected[place]
            columns = {
                "metric": [str(metric)] * len(first),
                "a": pl.Series(names[first], dtype=pl.String),
                "b": pl.Series(names[second], dtype=pl.String),
                "expected": expected[first] - expected[second],
                "better": ndtr(self.odds(place)[first, second]),
                "significant": self._significant(place, first, second, alpha, correction),
            }
            parts.append(pl.DataFrame(columns))
        return pl.concat(parts)

    def _significant(
        self, place: int, first: Ints, second: Ints, alpha: float, correction: Correction
    ) -> Bools:
        p_values = student_t(differences_of(self.scores.value[place], first, second))
        return np.asarray(corrected(p_values, correction) <= alpha)

    def odds(self, place: int) -> Floats:
        """Expected advantage of each run over each other by a metric, runs × runs.

        The normal distribution function of it is the probability that the run is better.
        """
        return self.draws.odds(place, self.scores.metrics[place].sign)

    @property
    def scope(self) -> str:
        """Description of the claim."""
        runs = len(self.scores.runs)
        whose = f"each of these {runs} runs" if runs > 1 else "this run"
        what = f"if the first {self.top} documents of {whose} were judged"
        return f"predicted {what}; other documents and runs are not considered"

    @property
    def notes(self) -> list[Note]:
        columns = (
            f"'probable_low', 'probable_high': probable range of the score; in tests, it {HELD} "
            "(docs/probable.md)"
        )
        scope = note("expected", f"'expected': score {self.scope}")
        return [scope, note("range", columns), *self._about_model, *self._about_scores]

    @property
    def pair_notes(self) -> list[Note]:
        """Notes on the columns of `pairs`."""
        better = f"'better': probability that a is better; {PAIRS_HELD} (docs/probable.md)"
        significant = (
            "'significant': whether the difference is significant by the paired t-test under the "
            "current judgments, corrected for all pairs of a metric"
        )
        return [
            note("expected", f"'expected': difference of the means a − b, {self.scope}"),
            note("better", better),
            note("significant", significant),
            *self._about_model,
            *self._about_scores,
        ]

    @property
    def _about_model(self) -> list[Note]:
        """Notes on the pool that the model was fitted to, and on its known weaknesses."""
        depth, contributed = self.pool.depth, self.pool.contributed
        whose = "all" if contributed.all() else f"{contributed.sum()} of {len(contributed)}"
        fitted = (
            f"the model was fitted to a pool of depth {depth} of {whose} runs; seed {self.seed}"
        )
        notes = [note("model", fitted)]
        if len(contributed) < FEW_RUNS:
            few = f"predictions from fewer than {FEW_RUNS} runs were less reliable in some trials"
            here = Count(len(contributed), "run")
            given = "; this prediction uses "
            notes.append(warning("few-runs", f"{few} (docs/probable.md){given}", here))
        if self.draws.in_range < IN_RANGE:
            text = (
                f"only {percent(self.draws.in_range)} of the unjudged documents are ranked as "
                "high, in a fusion of all runs, as the judged documents of their topic; the model "
                "must extrapolate, and such predictions were less reliable"
            )
            notes.append(warning("similar-runs", f"{text} (docs/probable.md)"))
        if self.reach > FAR * depth:
            divided = [str(one) for one in self.scores.metrics if one.counts_missed]
            weak = f", especially for {in_words(divided)}" if divided else ""
            far = (
                f"scores are predicted for a pool of depth {self.reach}, more than {FAR:g} times "
                f"the current depth ({depth}); such predictions were the least reliable in "
                f"tests{weak}"
            )
            most = f"top={int(FAR * depth)}"
            shallower = Remedy(Argument("unjudged", most), "predict for a shallower pool")
            notes.append(warning("deep", far, remedy=shallower))
        return notes

    @property
    def _about_scores(self) -> list[Note]:
        return [*self.scores.about_undefined(), *self.scores.input_notes]

    def pairs_table(
        self, *, digits: int = 4, alpha: float = 0.05, correction: Correction = "holm"
    ) -> Table:
        """Return `pairs` as the command prints it."""
        frame = self.pairs(alpha=alpha, correction=correction)
        about = f"Differences of means a − b, {self.scope}. Better: probability that a is better"
        return Table(frame, [], f"{about}; {PAIRS_HELD}.", self.pair_notes, digits)

    @property
    def caption(self) -> str:
        """Caption in one line."""
        return f"Scores {self.scope}:"

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with one row per run and metric."""
        about = f"Means {self.scope}. From probable_low to probable_high: range"
        return Table(self.frame, [], f"{about}; {HELD}.", self.notes, digits)

    def chart(self, *, pairs: bool = False, width: ChartWidth | None = None) -> Any:
        """Draw the expected means with their ranges (Altair).

        With `pairs`, draw a map of the probability that each run is better than each other run.
        """
        return draw(self, pairs=pairs, width=width)
