"""Probable: expected scores, ranges that were checked, and how likely one run is better."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from scipy.special import ndtr

from rankwise.arrays import Floats, Ints
from rankwise.probable.calibration import Calibration, pair_variances
from rankwise.probable.documents import Documents
from rankwise.probable.prediction import Prediction
from rankwise.results.base import Result, Table
from rankwise.scores.table import Scores

STRANGE = 4.0  # standard deviations of a count: such runs find what the model does not expect


@dataclass(frozen=True, eq=False, repr=False)
class Probable(Result):
    """What scores would probably be if a pool of depth `top` were judged.

    `frame` has one row per run and metric: the `value` under the current judgments, the
    `expected` one, and `probable_low` and `probable_high`, a range of 95 %.
    """

    scores: Scores = field(repr=False)
    documents: Documents = field(repr=False)
    prediction: Prediction = field(repr=False)
    calibration: Calibration = field(repr=False)

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
        reach = self.calibration.reach_to(self.top)[:, None] * self.prediction.deviation
        low = np.fmax(self.prediction.expected - reach, totals["low"])
        high = np.fmin(self.prediction.expected + reach, totals["high"])
        return np.minimum(low, self.expected), np.maximum(high, self.expected)

    @property
    def frame(self) -> pl.DataFrame:
        low, high = self.ranges
        metrics, runs = self.expected.shape
        cubes = {"value": self.scores.totals["value"], "expected": self.expected}
        cubes |= {"probable_low": low, "probable_high": high}
        flat = {name: pl.Series(cube.ravel(), nan_to_null=True) for name, cube in cubes.items()}
        return pl.DataFrame(
            {
                "run": list(self.scores.runs) * metrics,
                "metric": [str(metric) for metric in self.scores.metrics for _ in range(runs)],
                **flat,
            }
        )

    def pairs(self) -> pl.DataFrame:
        """For each pair of runs how likely `a` is better: of these topics, and of others alike.

        `better` is the probability on the topics at hand, over what is not judged yet;
        `better_elsewhere` over the sampling of topics as well.
        """
        first, second = np.triu_indices(len(self.scores.runs), 1)
        names = np.array(self.scores.runs, dtype=object)
        parts = []
        for place, metric in enumerate(self.scores.metrics):
            here, elsewhere = self._better(place, first, second)
            parts.append(
                pl.DataFrame(
                    {
                        "metric": [str(metric)] * len(first),
                        "a": pl.Series(names[first], dtype=pl.String),
                        "b": pl.Series(names[second], dtype=pl.String),
                        "expected": self.expected[place][first] - self.expected[place][second],
                        "better": here,
                        "better_elsewhere": elsewhere,
                    }
                )
            )
        return pl.concat(parts)

    def _better(self, place: int, first: Ints, second: Ints) -> tuple[Floats, Floats]:
        metric = self.scores.metrics[place]
        expected = metric.sign * self.prediction.expected[place]
        difference = expected[first] - expected[second]
        scale = self.calibration.pair_scale[place]
        holes = scale**2 * pair_variances(self.prediction.means[:, place])[first, second]
        by_topic = self.prediction.by_topic[place]
        varying = by_topic[first] - by_topic[second]
        count = np.maximum(np.isfinite(varying).sum(axis=1), 2)
        topics = np.nanvar(varying, axis=1, ddof=1) / count
        both = []
        for variance in (holes, holes + topics):
            with np.errstate(divide="ignore", invalid="ignore"):
                standard = np.where(difference == 0, 0.0, difference / np.sqrt(variance))
            both.append(ndtr(standard))
        return both[0], both[1]

    @property
    def strange(self) -> list[str]:
        """Runs whose relevant documents were not foreseen where that could be checked."""
        trust = self.calibration
        off = np.abs(trust.found - trust.predicted) / np.sqrt(np.maximum(trust.predicted, 1.0))
        return [run for run, far in zip(self.scores.runs, off, strict=True) if far > STRANGE]

    @property
    def notes(self) -> list[str]:
        depth, strange = self.calibration.depth, self.strange
        world = f"if what some run has in its first {self.top} were judged, and nothing else"
        checked = f"as wide as it takes to predict the pool of depth {depth} from half and from a"
        notes = [
            f"expected, probable_low, probable_high: {world}; 95 % ranges, {checked} quarter of it",
            "not certain: a run of a new kind, with documents unlike those judged, may lie outside",
        ]
        if strange:
            what = "runs of which more or fewer documents were relevant than foreseen in that check"
            notes.append(f"{what}: {', '.join(strange)}")
        return [*notes, *self.scores.input_notes]

    @property
    def pair_notes(self) -> list[str]:
        """How to read `pairs`."""
        better = "how likely a is the better run, over what is not judged"
        return [f"better: {better}; better_elsewhere: over the sampling of topics as well"]

    def pairs_table(self, *, digits: int = 4) -> Table:
        """`pairs` as the command prints it."""
        return Table(self.pairs(), [], "Which run is probably better.", self.pair_notes, digits)

    @property
    def caption(self) -> str:
        """What this is, in one line."""
        return f"Probable scores if a pool of depth {self.top} were judged:"

    def table(self, *, digits: int = 4) -> Table:
        """One row per run and metric."""
        return Table(self.frame, [], "Scores that are probable.", self.notes, digits)
