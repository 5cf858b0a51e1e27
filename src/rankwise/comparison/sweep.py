"""`Sweep`: a comparison for a range of values of a metric's parameter, for example p of RBP."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import polars as pl

from rankwise.comparison.comparison_notes import remarks
from rankwise.comparison.comparison_tables import captioned_table, pair_notes, texts_of
from rankwise.errors import CallError
from rankwise.notes import Note, detail, note
from rankwise.results import Result, Table, draw
from rankwise.vocabulary import ChartWidth
from rankwise.wording import Count

if TYPE_CHECKING:
    from rankwise.comparison.comparison import Comparison

PAIR = ["metric", "a", "b"]
ONE_BY_ONE = note(
    "tested-one-by-one",
    "the tests are not corrected across values of the parameter: do not report only the smallest "
    "p-value",
)


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Result):
    """A comparison of runs at several values of a parameter of the metrics, such as p of RBP.

    `frame` has one row per metric, pair of runs and value of the parameter: `metric` (without the
    parameter), `a`, `b`, `parameter` and `value`, followed by the columns of `Comparison.frame`.
    """

    comparison: "Comparison" = field(repr=False)
    parameter: str
    frame: pl.DataFrame

    @property
    def metrics(self) -> list[str]:
        """Names of the metrics, written without the parameter: RBP for RBP(p=0.8)."""
        return self.frame["metric"].unique(maintain_order=True).to_list()

    @property
    def pairs(self) -> list[pl.DataFrame]:
        """Parts of `frame`, one per metric and pair of runs; each is sorted by the parameter."""
        return self.frame.partition_by(PAIR, maintain_order=True)

    @property
    def caption(self) -> str:
        """Caption that starts with metric, parameter and range: "RBP for p from 0.5 to 0.95"."""
        values = self.frame["value"].to_list()
        ends = f"from {number(values[0])} to {number(values[-1])}"
        if len(set(values)) == 1:
            ends = f"= {number(values[0])}"
        rest = self.comparison.caption.removeprefix(", ".join(self.comparison.metrics))
        return f"{', '.join(self.metrics)} for {self.parameter} {ends}{rest}"

    @property
    def header(self) -> dict[str, Any]:
        """Metadata of the comparison; the key `over` has the name of the parameter."""
        return self.comparison.header | {"over": self.parameter}

    @property
    def notes(self) -> list[Note]:
        """Notes on the values of the parameter at which each run is better, and on the tests.

        With a single pair of runs, a note per metric lists the values at which each run is better,
        significantly better, and better no matter how the unjudged documents are judged. With more
        pairs, a note per metric counts three groups of pairs: those in which the same run is better
        at every value, those with a significant difference at every value, and those with a
        significant difference at no value.
        """
        pairs = self.pairs
        one = len(self.comparison.first) == 1
        told = [self._where(rows) for rows in pairs] if one else self._counted(pairs)
        apart = self.comparison.options.family == "metric"
        return [*told, *([ONE_BY_ONE] if apart else []), *remarks(self.comparison)]

    def _where(self, rows: pl.DataFrame) -> Note:
        """Return a note on the values of the parameter at which each run is better.

        The note also has the values at which the run is significantly better, and those at which
        the run is guaranteed to be better. `rows` is an element of `pairs`.
        """
        values = rows["value"].to_list()
        ahead = self.sign_of(rows) * rows["difference"]
        parts = []
        for side, leads in (("a", ahead > 0), ("b", ahead < 0)):
            if not leads.any():
                continue
            parts.append(f"{rows[side][0]} is better {self._at(values, leads)}")
            significant = self._at(values, leads & rows["significant"])
            parts.append(f"It is significantly better {significant}")
            if self.comparison.has_verdicts:
                certain = (rows["verdict"] == side.upper()).fill_null(False)
                parts.append(
                    f"At {self.parameter} = {spans(values, certain)}, it is better no matter how "
                    "the unjudged documents are judged"
                    if certain.any()
                    else "At all of these values, the unjudged documents may reverse the difference"
                )
        over = f"{rows['metric'][0]} over {self.parameter}"
        return note("sweep", ". ".join(parts) or "no difference", metric=over)

    def _at(self, values: Sequence[float], chosen: pl.Series) -> str:
        """Return the chosen values of the parameter in words, such as "at p = 0.5 to 0.9"."""
        at = f"at {self.parameter} = {spans(values, chosen)}"
        return at if chosen.any() else f"at no value of {self.parameter}"

    def _counted(self, pairs: Sequence[pl.DataFrame]) -> list[Note]:
        """Return notes with numbers of pairs of runs, one note per metric.

        A note counts the pairs in which the same run is better at every value of the parameter (or
        no run at any value), and the pairs with a significant difference at every value, or at
        none.
        """
        notes = []
        for metric, frames in groupby(pairs, lambda rows: str(rows["metric"][0])):
            of_metric = list(frames)
            leads = [(self.sign_of(rows) * rows["difference"]).sign() for rows in of_metric]
            same = sum(bool((sign == sign[0]).all()) for sign in leads)
            always = sum(bool(rows["significant"].all()) for rows in of_metric)
            never = sum(not rows["significant"].any() for rows in of_metric)
            of_pairs = f"{same:,} of {len(of_metric):,} pairs of runs"
            what = f"the same run is better at every value of {self.parameter} in {of_pairs}"
            shown = f"The difference is significant at every value in {Count(always, 'pair')}"
            shown += f", and at no value in {Count(never, 'pair')}" * bool(never)
            over = f"{metric} over {self.parameter}"
            notes.append(note("sweep", f"{what}. {shown}", metric=over))
        return notes

    def sign_of(self, rows: pl.DataFrame) -> int:
        """Return 1 if higher is better by the metric of `rows`, −1 if lower is better."""
        signs = {m.written(without=self.parameter): m.sign for m in self.comparison.tested}
        return signs[rows["metric"][0]]

    def table(self, *, digits: int = 4) -> Table:
        """Return a table with one row per metric, pair of runs and value of the parameter."""
        comparison, rows = self.comparison, self.frame
        numbers = ["mean_a", "mean_b", "difference", "conf_low", "conf_high"]
        numbers += ["low", "high"] if comparison.has_verdicts else []
        cells = [pl.Series("value", [number(value) for value in rows["value"]])]
        cells += texts_of(rows, [*numbers, "topics", "p", "corrected_p"], digits)
        right = [column.name for column in cells]
        cells += texts_of(rows, ["verdict"], digits) if comparison.has_verdicts else []
        names = ["metric"] * (len(self.metrics) > 1) + ["a", "b"]
        value = detail("value", f"'value' is the value of the parameter {self.parameter}")
        notes = [value, *pair_notes(comparison)]
        frame = pl.DataFrame([*(rows[name] for name in names), *cells])
        return captioned_table(frame, right, self.caption, notes, digits)

    def chart(self, *, width: ChartWidth | None = None) -> Any:
        """Draw each pair's difference against the parameter, as an Altair chart.

        The chart has the confidence interval and the bounds of each difference.
        There is one panel per metric and pair of runs.
        """
        return draw(self, width=width)


def swept(comparison: "Comparison", parameter: str) -> Sweep:
    """Return a comparison arranged by the values of a parameter.

    An error is raised if a metric has no value for the parameter, or is a diagnostic.
    """
    for metric in comparison.scores.metrics:
        if metric.value_of(parameter) is None:
            what = f"{metric} has no value for {parameter}"
            raise CallError(f"{what}. Use only metrics that have this parameter.")
        if metric.is_diagnostic:
            what = f"{metric} does not measure quality and is not tested. Remove this metric."
            raise CallError(what)
    frame = pl.concat(
        comparison.frame.filter(metric=str(metric)).select(
            pl.lit(metric.written(without=parameter)).alias("metric"),
            pl.col("a", "b"),
            pl.lit(parameter).alias("parameter"),
            pl.lit(metric.value_of(parameter), pl.Float64).alias("value"),
            pl.exclude("metric", "a", "b"),
        )
        for metric in comparison.scores.metrics
    )
    parts = frame.partition_by(PAIR, maintain_order=True)  # one part per pair, with all values
    several = f"values of {parameter}" if frame["metric"].n_unique() == 1 else "metrics and values"
    family = comparison.options.family_words(comparison.p_values, several)
    comparison = replace(comparison, several=several, family=family)
    return Sweep(comparison, parameter, pl.concat(part.sort("value") for part in parts))


def spans(values: Sequence[float], chosen: pl.Series) -> str:
    """Return the chosen values as text; adjacent chosen values become a range, none is "none".

    >>> spans([0.5, 0.6, 0.7, 0.8], pl.Series([True, True, False, True]))
    '0.5 to 0.6 and 0.8'
    """
    texts = []
    for is_chosen, group in groupby(zip(values, chosen, strict=True), lambda both: both[1]):
        span = [number(value) for value, _ in group]
        texts += [span[0] if len(span) == 1 else f"{span[0]} to {span[-1]}"] if is_chosen else []
    return " and ".join(texts) or "none"


def number(value: float) -> str:
    """Return a number as text without trailing zeros, for example 0.55 or 10."""
    return f"{value:.10g}"
