"""`discriminate`: discriminative power of metrics, by several methods."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rankwise.errors import TooLittle
from rankwise.experiments.discrimination.discrimination_tables import in_tables
from rankwise.experiments.discrimination.methods import SWAPS, Experiment, Outcome
from rankwise.experiments.discrimination.significance import Significance
from rankwise.metrics import Metric
from rankwise.notes import Note, detail, note
from rankwise.rankings import Collection, QrelsLike, RunsLike
from rankwise.results import Result, Table, draw
from rankwise.scores import DEFAULT_METRICS, MetricsLike, Scores, scores_of_input
from rankwise.vocabulary import ChartWidth, Discriminator
from rankwise.wording import Count


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(Result):
    """Discriminative power of each metric; `outcomes` has the full distributions.

    `frame` has one row per metric and α. `curve`, which `chart` draws, has the sorted p-values of
    all pairs, or the swap rate of each bin of differences. `found_notes` has the notes on the
    scores and the method; `notes` adds the random seed.
    """

    _everyday = ("curve",)

    experiment: Experiment
    runs: tuple[str, ...]
    outcomes: dict[str, Outcome]
    metrics: tuple[Metric, ...] = ()
    topics: int = 0
    found_notes: tuple[Note, ...] = ()

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric and α, with the results of the method."""
        rows = [
            {"method": self.experiment.method, "metric": metric, "alpha": alpha, **row}
            for alpha in self.experiment.alpha
            for metric, outcome in self.outcomes.items()
            for row in outcome.summary(alpha)
        ]
        return pl.DataFrame(rows).fill_nan(None)

    @property
    def curve(self) -> pl.DataFrame:
        """Curves of all metrics, concatenated."""
        method = pl.lit(self.experiment.method).alias("method")
        parts = [
            outcome.curve(self.runs).select(method, pl.lit(metric).alias("metric"), pl.all())
            for metric, outcome in self.outcomes.items()
        ]
        return pl.concat(parts).fill_nan(None)

    @property
    def notes(self) -> list[Note]:
        """Notes on the scores, and the random seed."""
        method, seed = self.experiment.method, self.experiment.seed
        drawn = [detail("seed", f"seed {seed} ({method})")] if self.experiment.draws else []
        return [*self.found_notes, *drawn]

    @property
    def header(self) -> dict[str, Any]:
        """Metadata: metrics, number of topics, levels and random seed."""
        experiment = self.experiment
        metadata: dict[str, Any] = {"metrics": [metric.record for metric in self.metrics]}
        metadata |= {"topics": self.topics, "alpha": experiment.alpha}
        return metadata | {"seed": experiment.seed}

    @property
    def caption(self) -> str:
        """Method and number of runs, as a caption."""
        return f"{self.experiment.method} of {len(self.runs)} runs"

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with one row per metric and α."""
        return in_tables([self], digits=digits)[0]

    def chart(self, *, width: ChartWidth | None = None) -> Any:
        """Draw the curve of each metric (Altair)."""
        return draw(self, width=width)


def discriminate(
    data: "QrelsLike | Collection | Scores",
    runs: "RunsLike | None" = None,
    metrics: "MetricsLike" = DEFAULT_METRICS,
    *,
    method: Discriminator = "bootstrap",
    alpha: float | Sequence[float] = 0.05,
    resamples: int | None = None,
    sizes: Sequence[int] = (),
    seed: int = 0,
) -> Discrimination:
    """Measure the discriminative power of metrics: the pairs of runs that differ significantly.

    Topics without a score of every run are excluded. The topics drawn are the same for all
    metrics. With the geometric mean there are the bootstrap, which is then unpaired, and the
    swap methods.

    Parameters
    ----------
    data, runs, metrics
        As for `score`; or `Scores` alone, which may have geometric means.
    method
        `bootstrap` (Sakai's sensitivity; of geometric means unpaired), `log-bootstrap` (of
        geometric means, paired), `area-bootstrap` (of the area measure, unpaired), one of the
        tests `t`, `wilcoxon`, `sign`, `permutation`, `tukey` and `randomised-tukey`, or one of
        the swap methods `swap` (Sakai's, with replacement), `disjoint-swap` (Voorhees and
        Buckley's, extrapolated) and `error-rate` (Ahlgren and Grönqvist's).
    alpha
        Significance levels, or allowed swap rates.
    resamples
        Number of resamples, 1,000 (10,000 where the test permutes).
    sizes
        Number of topics in each of two sets, one size or several: for `swap` drawn with
        replacement (default: all topics), for `disjoint-swap` and `error-rate` disjoint.
    seed
        The random seed.

    Returns
    -------
    Discrimination
        One row per metric and alpha, with curves, tables and a chart.

    Examples
    --------
    >>> qrels = {t: {"a": 1} for t in "1234"}
    >>> up = {t: {"a": 2, "b": 1} for t in "1234"}
    >>> down = {t: {"b": 2, "a": 1} for t in "123"} | {"4": {"c": 3, "b": 2, "a": 1}}
    >>> found = discriminate(qrels, {"up": up, "down": down}, "RR", method="t")
    >>> found.frame.rows()
    [('t', 'RR', 0.05, 1, 1, 100.0)]
    """
    experiment = Experiment(method, _levels(alpha), resamples, tuple(sizes), seed)
    return _run(experiment, scores_of_input(data, runs, metrics))


def _levels(alpha: float | Sequence[float]) -> tuple[float, ...]:
    return (alpha,) if isinstance(alpha, float | int) else tuple(dict.fromkeys(alpha))


def _run(experiment: Experiment, scores: Scores) -> Discrimination:
    """Return the outcome for each metric, over the topics for which every run has a score."""
    if len(scores.runs) < 2:
        raise TooLittle("a comparison needs at least two runs; there is one.")
    # What is undefined is left out in another way here than in means, and said so below.
    notes = replace(scores, value=np.nan_to_num(scores.value)).notes
    outcomes = {}
    for metric, values in zip(scores.metrics, scores.value, strict=True):
        kept = np.isfinite(values).all(axis=0)
        if not kept.all():
            of = f"{(~kept).sum()} of {len(kept)}"
            what = f"topics without a score for every run, excluded: {of}"
            notes.append(note("topics-undefined", what, metric=metric))
        if experiment.method in SWAPS and np.nanmax(np.abs(values), initial=0) > 1:
            what = "some scores are above 1, but the bins of differences end at 0.2"
            notes.append(note("beyond-bins", what, metric=metric))
        outcome = experiment.outcome(metric, values[:, kept], scores.averaged)
        outcomes[str(metric)] = outcome
        if isinstance(outcome, Significance) and np.isnan(outcome.p).any():
            count, what = int(np.isnan(outcome.p).sum()), " of runs not tested: the difference is"
            text = (Count(count, "pair"), f"{what} the same on every topic")
            notes.append(note("no-variance", *text, metric=metric))
    topics = len(scores.topics)
    return Discrimination(experiment, scores.runs, outcomes, scores.metrics, topics, tuple(notes))
