"""Base classes of metrics with gains between 0 and 1."""

from rankwise.arrays import Bools, Floats, Ints
from rankwise.metrics.gains import check_range, check_unit, unit_gain_of
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import Gains, gains, whole
from rankwise.rankings import JudgedRankings


class Graded(Metric):
    """Metrics of gains between 0 and 1, set by `gains` or computed as grade / `max_rel`.

    If neither is set, the table of gains of the qrels is used. Without such a table, `max_rel` is
    the highest grade in the qrels.
    """

    gains: Gains | None = gains()
    max_rel: int | None = whole(1, None)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unit(self, self.gains)

    def rows_and_gains(self, judged: JudgedRankings) -> tuple[JudgedRankings, Floats]:
        rows = judged.relevant(self.lowest(judged))
        return rows, self.unit_gain(rows.grade, judged)

    @property
    def takes_gains(self) -> bool:
        return self.max_rel is None

    def lowest(self, judged: JudgedRankings) -> int:
        return 1 if self.gains is None and not self.takes_gains else super().lowest(judged)

    def unit_gain(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return unit_gain_of(self, grade, judged, self.gains, self.max_rel)

    def counts_as_relevant(self, grade: Ints, judged: JudgedRankings) -> Bools:
        return self.unit_gain(grade, judged) > 0


class Scaled(Graded):
    """Metrics with gains (grade − `min_rel`) / (`max_rel` − `min_rel`), at least 0 and at most 1.

    A table of gains, if there is one, replaces these gains (see `unit_gain_of`).
    """

    min_rel: int = whole(0, 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range(self, self.min_rel, self.max_rel)

    def unit_gain(self, grade: Ints, judged: JudgedRankings) -> Floats:
        return unit_gain_of(self, grade, judged, self.gains, self.max_rel, self.min_rel)
