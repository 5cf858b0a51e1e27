"""`which_metric`: comparison of metrics on a collection, to choose one of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Floats, Ints
from rankwise.correlation import correlate
from rankwise.errors import CallError, check_at_least, some_of
from rankwise.experiments.discrimination.discrimination import SWAPS, Experiment, discriminate
from rankwise.experiments.discrimination.sensitivity import Significance
from rankwise.experiments.stability.leave_out import Means
from rankwise.judging import Cuttable, Draw, check_share
from rankwise.metrics import Metric, parse_all
from rankwise.notes import Note, note
from rankwise.progress import track
from rankwise.rankings import Collection, QrelsLike, RunsLike, as_collection
from rankwise.results import Charted, Table
from rankwise.scores import (
    DEFAULT_METRICS,
    MetricsLike,
    Scores,
    check_shared_ties,
    over_common_topics,
    score_judged,
)
from rankwise.stats import (
    corrected,
    difference_p,
    drawn_topics,
    kendall,
    moments,
    resampled_means,
    tukey_pairs,
)
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Discriminator, Topics
from rankwise.wording import Argument

LEAST_RUNS, LEAST_METRICS, LEAST_TOPICS = 2, 2, 2
TOPIC_RESAMPLES = 200
OF_SLOW_TESTS = 50  # topic resamples, if the test itself resamples
RESAMPLING = ("bootstrap", "permutation", "randomised-tukey", "log-bootstrap", "area-bootstrap")


@dataclass(frozen=True, eq=False)
class Resampled:
    """A measure of each metric, for example its stability, with its standard error over topics.

    `resampled` has the measure on each resample of the topics.
    """

    value: Floats
    error: Floats
    resampled: Floats  # metrics × resamples

    def p_value(self, one: int, other: int) -> float:
        """Return the p-value of the difference of the measure between two metrics.

        `one` and `other` are the indices of the metrics. Both metrics use the same resampled
        topics.
        """
        gap = self.resampled[one] - self.resampled[other]
        return difference_p(float(self.value[one] - self.value[other]), gap)


@dataclass(frozen=True, eq=False, repr=False)
class MetricChoice(Charted):
    """Comparison of metrics by discriminative power, stability and agreement.

    `frame` has one row per metric, the most discriminative first:

    - `significant`: discriminative power, the percentage of pairs of runs that differ
      significantly.
    - `stability`: Kendall's tau between the system rankings under a sample of the judgments and
      under all judgments, averaged over samples.
    - `agreement`: mean Kendall's tau with the system rankings of the other metrics.
    - `significant_se`, `stability_se`, `agreement_se`: standard errors, by a bootstrap over topics.
      `stability_se` also includes the variance over samples.
    - `topics`: number of topics on which every run has a score.
    - `undefined`: number of topics on which at least one run has no score.

    `pairs` has one row per pair of metrics: the discriminative power of `a` minus the power of `b`
    in percentage points, its standard error, and its p-value. Both metrics use the same resampled
    topics. The p-values have Holm's correction over pairs of metrics. `sentence()` returns a
    recommendation in words.

    `chart` draws stability against discriminative power, one point per metric.
    """

    _everyday = ("pairs", "sentence")

    metrics: tuple[Metric, ...]
    power: Resampled
    stability: Resampled
    agreement: Resampled
    topics: tuple[Ints, Ints]  # per metric: with a score of every run; remaining
    alpha: float
    settings: str
    scored: dict[str, Any]  # the metrics and the topics, and the random seed
    found_notes: tuple[Note, ...]

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric, the most discriminative first; the class describes the columns."""
        columns: dict[str, Any] = {"metric": [str(metric) for metric in self.metrics]}
        estimates = {"significant": self.power, "stability": self.stability}
        for name, estimate in {**estimates, "agreement": self.agreement}.items():
            columns |= {name: estimate.value, f"{name}_se": estimate.error}
        columns |= {"topics": self.topics[0], "undefined": self.topics[1]}
        frame = pl.DataFrame(columns).fill_nan(None)
        return frame.sort("significant", descending=True, maintain_order=True)

    @property
    def pairs(self) -> pl.DataFrame:
        """One row per pair of metrics, with a test of the difference in discriminative power."""
        first, second = np.triu_indices(len(self.metrics), 1)
        rows = list(zip(first.tolist(), second.tolist(), strict=True))
        power = self.power
        p = corrected(np.array([power.p_value(*pair) for pair in rows]), "holm")
        gaps = np.array([power.resampled[a] - power.resampled[b] for a, b in rows])
        columns = {
            "a": [str(self.metrics[one]) for one, _ in rows],
            "b": [str(self.metrics[other]) for _, other in rows],
            "difference": power.value[first] - power.value[second],
            "se": moments(gaps).sd,
            "p": p,
        }
        unclear = pl.col("p").is_null() | (pl.col("p") > self.alpha)
        better = pl.when(pl.col("difference") > 0).then(pl.lit("a")).otherwise(pl.lit("b"))
        undecided = pl.when(unclear).then(pl.lit("no difference shown"))
        outcome = undecided.otherwise(better + " discriminates more")
        return pl.DataFrame(columns).fill_nan(None).with_columns(outcome=outcome)

    @property
    def notes(self) -> list[Note]:
        return [note("recommendation", self.sentence()), *self.found_notes]

    def sentence(self) -> str:
        """Return text on the most discriminative metric, and on those not significantly worse."""
        order = np.argsort(-self.power.value, kind="stable").tolist()
        best, rest = order[0], order[1:]
        if not self.power.value[best] > 0:
            return (
                "No metric shows a significant difference: choose the metric that fits your users."
            )
        p = corrected(np.array([self.power.p_value(best, other) for other in rest]), "holm")
        alike = [other for other, one in zip(rest, p, strict=True) if not one <= self.alpha]
        name = f"{self.metrics[best]} ({self._power(best)} of the pairs of runs)"
        if not alike:
            return (
                f"{name} shows more significant differences than every other metric here: choose "
                "it, unless another metric fits your users or the judgments better."
            )
        group = [best, *alike]
        listed = some_of([f"{self.metrics[one]} ({self._power(one)})" for one in alike])
        text = f"{name} shows the largest number of significant differences. These metrics do "
        text += f"not show significantly fewer: {listed}."
        if np.ptp(self.power.value[group]) == 0:
            text = f"{name} shows as many significant differences as {listed}."
        stable = max(group, key=lambda one: np.nan_to_num(self.stability.value[one], nan=-2))
        others = [one for one in group if one != stable]
        p = corrected(np.array([self.stability.p_value(stable, one) for one in others]), "holm")
        if np.isnan(self.stability.value[group]).any():
            return f"{text} Choose the metric that fits your users."
        if (p <= self.alpha).all():
            steady = f"{self.metrics[stable]} has the most stable system ranking"
            return f"{text} Of these metrics, {steady}."
        return (
            f"{text} The stability of these metrics does not differ significantly either: choose "
            "the metric that fits your users."
        )

    def _power(self, metric: int) -> str:
        return f"{self.power.value[metric]:.1f} % ± {self.power.error[metric]:.1f}"

    @property
    def caption(self) -> str:
        return self.settings

    @property
    def header(self) -> dict[str, Any]:
        return self.scored | {"settings": self.settings}

    def table(self, *, digits: int = 4, pairs: bool = False) -> Table:
        """Return a table with one row per metric, or per pair of metrics."""
        if pairs:
            percent = pl.col("difference", "se").cast(pl.Decimal(20, 1))
            return Table(self.pairs.with_columns(percent), digits=digits)
        frame, names = self.frame, ["significant", "stability", "agreement"]
        for name, decimals in zip(names, (1, digits, digits), strict=True):
            texts = [
                "–" if error is None else f"{value:.{decimals}f} ± {error:.{decimals}f}"
                for value, error in frame.select(name, f"{name}_se").rows()
            ]
            frame = frame.with_columns(pl.Series(name, texts)).drop(f"{name}_se")
        return Table(frame, right=names, digits=digits)


def which_metric(
    data: "QrelsLike | Collection",
    runs: "RunsLike | None" = None,
    metrics: "MetricsLike" = DEFAULT_METRICS,
    *,
    method: Discriminator = "tukey",
    alpha: float = 0.05,
    keep: float = 0.1,
    resamples: int = 100,
    topic_resamples: int | None = None,
    rel: float = 1,
    seed: int = 0,
) -> MetricChoice:
    """Compare metrics by discriminative power, stability and agreement.

    See `discriminate`, `stability` and `correlate` for these measures.

    Parameters
    ----------
    data, runs, metrics
        As for `score`; at least two runs and two metrics.
    method
        The significance test: `tukey` (familywise over all pairs), `bootstrap` (Sakai's) or one
        of the other tests of `discriminate`.
    alpha
        The significance level.
    keep, resamples
        Fraction of the judgments to keep and number of random samples, for stability.
    topic_resamples
        Number of bootstrap resamples of topics, for standard errors and for tests of differences
        between metrics. The default is 200, or 50 if the significance test itself resamples.
    rel
        Relevance threshold of metrics without their own `rel`, and of the documents that are
        counted as relevant when judgments are sampled.
    seed
        The random seed.

    Returns
    -------
    MetricChoice
        One row per metric, the most discriminative first.

    Examples
    --------
    >>> from rankwise import simulate
    >>> made = simulate(topics=20, systems=5, seed=1)
    >>> found = which_metric(made.qrels, made.runs, ["AP", "RR"])
    >>> found.frame.columns  # doctest: +NORMALIZE_WHITESPACE
    ['metric', 'significant', 'significant_se', 'stability', 'stability_se', 'agreement',
     'agreement_se', 'topics', 'undefined']
    """
    wanted = tuple(parse_all(metrics, rel))
    _check(wanted, method, keep, resamples, topic_resamples)
    collection = as_collection(data, runs)
    check_shared_ties(wanted, collection.depth)
    cuttable = Cuttable.of(collection)
    if len(cuttable.whole.runs) < LEAST_RUNS:
        raise CallError("a comparison of metrics needs two runs or more; there is only one.")
    scores = score_judged(cuttable.ranked, wanted)
    scores = scores if collection.topics == "all" else over_common_topics(scores)
    power = discriminate(scores, method=method, alpha=alpha, seed=seed)
    count = topic_resamples or (OF_SLOW_TESTS if method in RESAMPLING else TOPIC_RESAMPLES)
    draws = drawn_topics(len(scores.topics), count, np.random.default_rng(seed))
    # No two seeds share a sample.
    seeds = np.random.SeedSequence(seed).generate_state(resamples).tolist()
    level = cuttable.whole.level_of(rel)
    stability = _stability(cuttable, wanted, collection.topics, draws, keep, seeds, level)
    experiment = Experiment(method, (alpha,), None, (), seed)
    discriminative = _power(scores, experiment, power.frame["percent"].to_numpy(), draws)
    defined = scores.defined.all(axis=1).sum(axis=1)
    settings = (
        f"{len(scores.runs)} runs; 'significant' is the percentage of pairs of runs that differ "
        f"significantly ({method}, α = {alpha:g}); 'stability' is Kendall's tau between the system "
        f"rankings under a {100 * keep:g} % sample of the judgments and under all judgments "
        f"(mean of {resamples} samples, seed {seed}); 'agreement' is the mean tau with the other "
        f"metrics in the table; '±' is followed by the standard error ({count} resamples of the "
        "topics)"
    )
    return MetricChoice(
        wanted,
        discriminative,
        stability,
        _agreement(scores, draws),
        (defined, len(scores.topics) - defined),
        alpha,
        settings,
        scores.header | {"seed": seed},
        tuple(power.notes),
    )


def _check(
    metrics: Sequence[Metric], method: str, keep: float, resamples: int, of_topics: int | None
) -> None:
    if len(set(metrics)) < LEAST_METRICS:
        raise CallError("two metrics or more are needed. Give for example AP,nDCG@10.")
    for metric in metrics:
        if metric.is_diagnostic:
            raise CallError(f"{metric} counts documents and is not tested. Remove this metric.")
    if method in SWAPS:
        what = " does not test pairs of runs. Use another method, or the function discriminate."
        raise CallError(Argument("method", method), what)
    check_share(keep)
    check_at_least("resamples", resamples)
    check_at_least("topic_resamples", of_topics, 2)


def _power(scores: Scores, experiment: Experiment, percent: Floats, draws: Floats) -> Resampled:
    """Return the discriminative power of each metric, also on resampled topics."""
    pairs = len(scores.runs) * (len(scores.runs) - 1) / 2
    powers = []
    for metric, values in zip(scores.metrics, scores.value, strict=True):
        kept = np.isfinite(values).all(axis=0)
        table, frequency = values[:, kept], draws[:, kept]
        if experiment.method == "tukey":
            powers.append(tukey_pairs(table, frequency, experiment.alpha[0]) / pairs)
            continue
        counts = []
        for row in track(frequency, f"topics, {metric}"):
            drawn = np.repeat(np.arange(table.shape[1]), row.astype(np.int64))
            counts.append(np.nan)
            if len(drawn) >= LEAST_TOPICS:
                outcome = experiment.outcome(metric, table[:, drawn], scores.averaged)
                assert isinstance(outcome, Significance)
                counts[-1] = outcome.significant(experiment.alpha[0]) / pairs
        powers.append(np.array(counts))
    resampled = 100 * np.array(powers)
    return Resampled(percent, moments(resampled).sd, resampled)


def _agreement(scores: Scores, draws: Floats) -> Resampled:
    """Return each metric's mean tau with the other metrics, also on resampled topics."""
    values = correlate(scores).values
    count = len(values)
    others = ~np.eye(count, dtype=np.bool_)
    means = np.swapaxes(resampled_means(scores.value, draws), 1, 2)  # metrics × resamples × runs
    less = np.array([metric.less_is_better for metric in scores.metrics])
    means = np.where(less[:, None, None], -means, means)
    tau = np.ones((count, count, len(draws)))
    for one in range(count):
        for other in range(one):
            tau[one, other] = tau[other, one] = kendall(means[one], means[other])
    mean = np.array([row[of].mean() for row, of in zip(values, others, strict=True)])
    resampled = (tau.sum(axis=1) - 1) / (count - 1)
    return Resampled(mean, moments(resampled).sd, resampled)


def _stability(
    cuttable: Cuttable,
    metrics: Sequence[Metric],
    topics: Topics,
    draws: Floats,
    keep: float,
    seeds: Sequence[int],
    rel: int,
) -> Resampled:
    """Return the mean tau between the system rankings under samples and under all judgments.

    The standard error combines the variances over topics and over samples of the judgments.
    """
    every = np.vstack([np.ones(draws.shape[1]), draws])  # the topics as they are, then resampled
    names = cuttable.judgments.names
    scored = Means(metrics)

    def means(kept: Bools) -> Floats:
        scores = scored.scores(cuttable.blocks(kept, scored.block))
        scores = scores if topics == "all" else over_common_topics(scores)
        return np.swapaxes(resampled_means(scores.value, every), 1, 2)

    full = means(cuttable.all_judgments)

    def sampled(seed: int) -> Floats:
        draw = Draw.of(cuttable.topic, cuttable.grade, names, rel=rel, seed=seed)
        return kendall(full, means(draw.kept(keep)))

    tau = np.array(list(map_in_threads(sampled, track(seeds, "samples"))))
    value, resampled = tau[:, :, 0].mean(axis=0), tau[:, :, 1:].mean(axis=0)
    of_samples = tau[:, :, 0].var(axis=0, ddof=1) / len(seeds) if len(seeds) > 1 else 0.0
    return Resampled(value, np.sqrt(moments(resampled).sd ** 2 + of_samples), resampled)
