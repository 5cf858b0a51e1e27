"""Options of commands that compare runs by paired tests."""

from typing import TYPE_CHECKING, Any

from rankwise.cli.options.base import option
from rankwise.cli.options.baseline import WithBaseline
from rankwise.cli.options.scoring import Scored
from rankwise.cli.options.shared import CLUSTERS_HELP, Shared
from rankwise.vocabulary import Family, Interval, Zeros

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankwise.comparison import Comparison, TestOptions
    from rankwise.metrics import MetricLike


class Tests(Shared):
    """The test, the correction for multiple comparisons, and the confidence intervals."""

    shared = "test correction alpha seed"
    baseline: str | None = None  # options of some commands
    margin: float | None = None
    clusters: str | None = None
    family: Family = option(
        "Comparisons that are corrected together. `metric`: those of each metric. `all`: those of "
        "all metrics.",
        default="metric",
    )
    interval: Interval | None = option(
        "Confidence intervals. `max-t`: simultaneous over all comparisons, by the bootstrap. "
        "`bonferroni`: simultaneous, Student's t. `t`: Student's t, unadjusted. `bootstrap`: "
        "studentised bootstrap, unadjusted.  [default: max-t for several comparisons, bonferroni "
        "for runs of systems, t for one comparison or for data sets; Tukey's and Dunnett's tests "
        "have their own]"
    )
    zeros: Zeros = option(
        "Wilcoxon's test: treatment of topics on which two runs tie.", default="drop"
    )
    no_continuity: bool = option("Wilcoxon's test: do not apply the continuity correction.")
    raw_ranks: bool = option(
        "Wilcoxon's test: rank the differences without rounding, so that 0.3 − 0.2 and 0.2 − 0.1 "
        "do not tie, and use the normal approximation (Moffat and Zobel 2008)."
    )
    resamples: int | None = option(
        "Number of permutations or bootstrap resamples.  [default: 10,000 permutations, 1,000 "
        "resamples]"
    )

    def test_options(self) -> "TestOptions":
        """Return the options of the test."""
        from rankwise.comparison import TestOptions

        names = ["test", "correction", "family", "alpha", "interval", "zeros", "raw_ranks"]
        names += ["resamples", "seed", "baseline", "margin"]
        values = {name: getattr(self, name) for name in names}
        clusters = self.topic_clusters()
        return TestOptions(**values, continuity=not self.no_continuity, clusters=clusters)

    def topic_clusters(self) -> Any:
        """Return the clusters of topics, as `TestOptions` takes them."""
        return self.clusters


class Compared(WithBaseline, Scored, Tests):
    """Runs to compare, the tests, and bounds of the differences."""

    shared = "rel lengths undefined unjudged effort"
    clusters: str | None = option(f"{CLUSTERS_HELP}.", metavar="FILE")
    no_bounds: bool = option(
        "Do not check whether unjudged documents could reverse a difference.",
        computes_no_bounds=True,
    )

    def compared(self, metrics: "Sequence[MetricLike]", test: "TestOptions") -> "Comparison":
        """Compare the runs."""
        from rankwise.comparison import compare
        from rankwise.comparison.verdicts import EFFORT

        return compare(
            self.collection(),
            metrics=metrics,
            rel=self.rel,
            test=test,
            bounds=not self.no_bounds,
            unjudged=self.unjudged or "retrieved",
            effort=EFFORT if self.effort is None else self.effort,
        )
