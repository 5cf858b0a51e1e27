"""Probable: expected scores, ranges that were checked, and how likely one run is better."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from scipy.special import ndtr

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError, Warned
from rankwise.probable.calibration import Calibration, pair_odds
from rankwise.probable.checks import LEAST_RUNS
from rankwise.probable.documents import Documents
from rankwise.probable.prediction import Prediction, mean_over_topics
from rankwise.probable.significance import chance_of_significance, significant_now, t_values
from rankwise.results.base import Result, Table, drawn
from rankwise.results.tables import format_cell
from rankwise.scores.table import Scores
from rankwise.vocabulary import ChartWidth, Correction

# What docs/make_probable_page.py has measured, in its tables of pairs.
CHECKED_METRICS = "RBP, AP, nDCG@10, Q, Bpref"
TOO_SURE, NOT_SURE_ENOUGH = 11, 8  # points
MOSTLY_JUDGED = 0.8  # of the documents down to the depth of the pool: else runs did not contribute
STRANGE = 4.0  # standard deviations of a count: such runs find what the model does not expect


@dataclass(frozen=True, eq=False, repr=False)
class Probable(Result):
    """What scores would probably be if a pool of depth `top` were judged.

    `frame` has one row per run and metric: the `value` under the current judgments, the
    `expected` one, and `probable_low` and `probable_high`, a range of 95 %. `predicted` and
    `found` count the run's relevant documents in the lower half of the pool there is, predicted
    from the upper half, and as they are.
    """

    scores: Scores = field(repr=False)
    documents: Documents = field(repr=False)
    prediction: Prediction = field(repr=False)
    calibration: Calibration = field(repr=False)
    seed: int = 0

    @property
    def header(self) -> dict[str, Any]:
        """The metrics, how many topics, what can turn out relevant, and the random seed."""
        return self.scores.header | {"unjudged": f"top={self.top}", "seed": self.seed}

    @property
    def top(self) -> int:
        """How deep the pool would be."""
        return self.documents.top

    @property
    def expected(self) -> Floats:
        """Metrics × runs, within what is possible."""
        totals = self.scores.totals
        found: Floats = np.clip(self.prediction.expected, totals["low"], totals["high"])
        return found

    @property
    def ranges(self) -> tuple[Floats, Floats]:
        """The lower and upper ends, metrics × runs."""
        totals = self.scores.totals
        reach = self.calibration.reach_to(self.top, self.prediction.deviation)
        low = np.fmax(self.prediction.expected - reach, totals["low"])
        high = np.fmin(self.prediction.expected + reach, totals["high"])
        return np.minimum(low, self.expected), np.maximum(high, self.expected)

    @property
    def frame(self) -> pl.DataFrame:
        low, high = self.ranges
        metrics, runs = self.expected.shape
        cubes = {"value": self.scores.totals["value"], "expected": self.expected}
        cubes |= {"probable_low": low, "probable_high": high}
        checked = {"predicted": self.calibration.predicted, "found": self.calibration.found}
        cubes |= {name: np.tile(counts, (metrics, 1)) for name, counts in checked.items()}
        flat = {name: pl.Series(cube.ravel(), nan_to_null=True) for name, cube in cubes.items()}
        flat["found"] = flat["found"].cast(pl.Int64)
        return pl.DataFrame(
            {
                "run": list(self.scores.runs) * metrics,
                "metric": [str(metric) for metric in self.scores.metrics for _ in range(runs)],
                **flat,
            }
        )

    def pairs(self, *, alpha: float = 0.05, correction: Correction = "holm") -> pl.DataFrame:
        """For each pair of runs how likely `a` is better: of these topics, and of others alike.

        `better` is the probability on the topics at hand, over what is not judged yet;
        `better_elsewhere` over the sampling of topics as well. `significant`: whether they
        differ by the paired t-test under the judgments there are, and, if so, `stays`: how
        likely they would, in the same direction, once the pool is judged.
        """
        if not 0 < alpha < 1:
            raise CallError(f"alpha {alpha:g} is not between 0 and 1, as 0.05 is.")
        first, second = np.triu_indices(len(self.scores.runs), 1)
        names = np.array(self.scores.runs, dtype=object)
        parts = []
        for place, metric in enumerate(self.scores.metrics):
            here, elsewhere = (ndtr(odds[first, second]) for odds in self.odds(place))
            significant, stays = self._significance(place, first, second, alpha, correction)
            mean = metric.sign * mean_over_topics(self.scores.value[place])
            # It does not stay so where the other run turns out to be better.
            stays = np.minimum(stays, np.where(mean[first] > mean[second], here, 1 - here))
            parts.append(
                pl.DataFrame(
                    {
                        "metric": [str(metric)] * len(first),
                        "a": pl.Series(names[first], dtype=pl.String),
                        "b": pl.Series(names[second], dtype=pl.String),
                        "expected": self.expected[place][first] - self.expected[place][second],
                        "better": here,
                        "better_elsewhere": elsewhere,
                        "significant": significant,
                        "stays": pl.Series(stays, nan_to_null=True),
                    }
                )
            )
        return pl.concat(parts)

    def _significance(
        self, place: int, first: Ints, second: Ints, alpha: float, correction: Correction
    ) -> tuple[Bools, Floats]:
        """Which pairs are significant now, and how likely these stay so; NaN of others."""
        now = self.scores.value[place]
        slope, scale = (column[place] for column in self.calibration.t_to(self.top))
        significant = significant_now(now, first, second, alpha, correction)
        mean = mean_over_topics(now)
        draws = self.prediction.draws[:, place]
        t = np.stack([t_values(draw)[first, second] for draw in draws])
        centre = t.mean(axis=0)
        stays = chance_of_significance(
            slope * centre + scale * (t - centre),
            np.sign(mean[first] - mean[second]),
            topics=int(np.isfinite(draws[0]).all(axis=0).sum()),
            alpha=alpha,
            correction=correction,
        )
        return significant, np.where(significant, stays, np.nan)

    def odds(self, place: int) -> tuple[Floats, Floats]:
        """How many standard deviations each run is better than each other by a metric.

        On the topics at hand, and on others alike: runs × runs.
        """
        sign = self.scores.metrics[place].sign
        scale = self.calibration.pair_scale_to(self.top, self.scores.metrics)[place]
        here, elsewhere = pair_odds(self.prediction, scale, place)
        return sign * here, sign * elsewhere

    @property
    def strange(self) -> list[str]:
        """Runs whose relevant documents were not foreseen where that could be checked."""
        trust = self.calibration
        off = np.abs(trust.found - trust.predicted) / np.sqrt(np.maximum(trust.predicted, 1.0))
        return [run for run, far in zip(self.scores.runs, off, strict=True) if far > STRANGE]

    @property
    def notes(self) -> list[str]:
        counted = "predicted, found: relevant documents of each run in the lower half of that pool"
        checked = f"{counted}, as a model of the upper half has them, and as judged"
        parts = "half and from a quarter of it"
        if self.calibration.by_runs:
            parts = "half and from a quarter of it, and from half of the runs"
        depth = self.calibration.depth
        wide = f"as wide as it takes to predict the pool of depth {depth} from {parts}"
        world = f"expected, probable_low, probable_high: {self._world}; 95 % ranges, {wide}"
        return [world, checked, *self._about_model, *self.scores.about_undefined()]

    @property
    def _world(self) -> str:
        """What would be judged, in words."""
        return f"if what some run has in its first {self.top} were judged, and {self._elsewhere}"

    @property
    def _about_model(self) -> list[str]:
        """How far to trust what was predicted, and from which seed."""
        strange = self.strange
        notes = [
            "not certain: a run of a new kind, with documents unlike those judged, may lie outside"
        ]
        if strange:
            what = "runs of which far more or fewer documents were found relevant than predicted"
            notes.append(f"{what}: {', '.join(strange)}")
        if self.calibration.judged_share < MOSTLY_JUDGED:
            notes.append(self._about_holes)
        return [*notes, f"seed {self.seed}", *self.scores.input_notes]

    @property
    def _about_holes(self) -> str:
        """That runs have not contributed, and what that means for ranges."""
        trust = self.calibration
        of = (
            f"only {trust.judged_share:.0%} of the documents down to depth {trust.depth} are judged"
        )
        what = f"{of}, as some runs have not contributed"
        if trust.by_runs:
            return f"{what}: ranges are wider, as a check by halves of those that have asks for"
        few = f"fewer than {LEAST_RUNS} have, too few to check what that does"
        return Warned(f"{what}: {few}, and ranges may be too narrow")

    @property
    def _elsewhere(self) -> str:
        """What is relevant besides, in words."""
        if not self.prediction.most_unseen:
            return "nothing else"
        what = "relevant documents per topic that no run has there"
        return f"{self.prediction.unseen:.1f} {what} (estimated, and not reliable)"

    @property
    def pair_notes(self) -> list[str]:
        """How to read `pairs`."""
        better = "how likely a is the better run, over what is not judged"
        most = f"too sure by up to {TOO_SURE} points, not sure enough by up to {NOT_SURE_ENOUGH}"
        checked = f"on TREC-8 ({CHECKED_METRICS}) it was {most} (docs/probable.md)"
        test = "by the paired t-test under the current judgments, corrected for all pairs"
        return [
            f"better: {better}; better_elsewhere: over the sampling of topics as well",
            f"better can be off by some percentage points: {checked}",
            f"significant: {test}; stays: how likely it would be so too if the pool were judged",
            f"expected: the difference {self._world}",
            *self._about_model,
        ]

    def pairs_table(
        self, *, digits: int = 4, alpha: float = 0.05, correction: Correction = "holm"
    ) -> Table:
        """`pairs` as the command prints it."""
        frame = self.pairs(alpha=alpha, correction=correction)
        return Table(frame, [], "Which run is probably better.", self.pair_notes, digits)

    @property
    def caption(self) -> str:
        """What this is, in one line."""
        return f"Probable scores if a pool of depth {self.top} were judged:"

    def table(self, *, digits: int = 4) -> Table:
        """One row per run and metric."""
        counts = pl.Series([format_cell(count, 1) for count in self.frame["predicted"]])
        shown = self.frame.with_columns(predicted=counts)
        return Table(shown, ["predicted"], "Scores that are probable.", self.notes, digits)

    def chart(self, *, pairs: bool = False, width: ChartWidth | None = None) -> Any:
        """The expected means with their ranges, as an Altair chart.

        With `pairs`, a map of how likely every run is better than every other.
        """
        picture = "probable_pairs" if pairs else "probable_means"
        return drawn(f"probable.{picture}", self, width=width)
