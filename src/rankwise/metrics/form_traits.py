"""Metric traits that give its score in another form; a metric has none unless it declares one."""

from typing import TYPE_CHECKING

from rankwise.metrics.identity import Named, metric
from rankwise.rankings import JudgedRankings

if TYPE_CHECKING:
    from rankwise.metrics.average_precision import AP
    from rankwise.metrics.forms import ExactForm, Normalised
    from rankwise.metrics.subtopics import OverSubtopics
    from rankwise.metrics.weighted import WeightedPrecision


@metric
class FormTraits(Named):
    """Forms of a metric on which verdicts, plans and reversals rest."""

    @property
    def weighted(self) -> "WeightedPrecision | None":
        """The metric as Σ weight(rank) × gain; None if it is no such sum."""
        return None

    @property
    def sum_of_weights(self) -> "WeightedPrecision | None":
        """The same where documents keep their ranks: verdicts are tight, and plans possible."""
        return None

    @property
    def normalised(self) -> "Normalised | None":
        """The metric as such a sum over that of the best order; None if it is no such ratio."""
        return None

    @property
    def mean_precision(self) -> "AP | None":
        """The metric as Σ precision / divisor(R); None if it is no such mean."""
        return None

    @property
    def over_subtopics(self) -> "OverSubtopics | None":
        """The metric as a mean over subtopics; None if it is no such mean."""
        return None

    def exact_form(self, judged: JudgedRankings) -> "ExactForm | None":
        """Return the form that makes verdicts tight under these judgments; None if there is none.

        Some metrics have one only where all relevant documents gain the same.
        """
        return None
