"""Rankings of the same systems, by metrics, by judgments or from the user, and their swaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt
import polars as pl

from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.metrics import Metric
from rankwise.notes import Note, note
from rankwise.scores import Scores
from rankwise.stats import dense_ranks, differences_of, moments, student_t
from rankwise.wording import Argument, Remedy

SHOWN = 5


@dataclass(frozen=True)
class Orders:
    """Several system rankings.

    `ranks` has one row per ranking and one column per system; higher values are better. Equal
    values are ties. NaN marks a system that the ranking lacks. `topics` has an array of scores for
    each ranking, of shape (systems, topics). It is empty for rankings without topics.
    """

    names: tuple[str, ...]
    systems: tuple[str, ...]
    ranks: Floats
    topics: tuple[Floats, ...] = ()
    notes: tuple[Note, ...] = ()
    metrics: tuple[Metric, ...] = ()  # the metrics that rank the systems, if any

    @property
    def tied(self) -> list[int]:
        """Number of tied systems in each ranking."""
        counts = [np.unique(row[np.isfinite(row)], return_counts=True)[1] for row in self.ranks]
        return [int(sizes[sizes > 1].sum()) for sizes in counts]


def rank_changes(orders: Orders) -> pl.DataFrame:
    """Return one row per system: its rank under each ranking (1 is best), and their range."""
    higher = orders.ranks[:, None, :] > orders.ranks[:, :, None]
    ranks = np.where(np.isnan(orders.ranks), np.nan, 1 + higher.sum(axis=2))
    known = pl.DataFrame(ranks.T, schema=list(orders.names)).fill_nan(None).cast(pl.Int64)
    change = known.max_horizontal() - known.min_horizontal()
    frame = pl.DataFrame({"system": orders.systems, **known.to_dict(), "change": change})
    return frame.sort("change", descending=True, nulls_last=True, maintain_order=True)


def from_scores(sources: Mapping[str, Scores]) -> Orders:
    """Rank the systems by their means under each metric, for each set of judgments."""
    first, *others = sources.values()
    systems = tuple(run for run in first.runs if all(run in other.runs for other in others))
    shared = set(first.notes).intersection(*(scores.notes for scores in others))
    notes = [each for each in first.notes if each in shared]
    for label, scores in sources.items():
        own = (each for each in scores.notes if each not in shared)
        # A note on the judgments names their file already, perhaps with its folder.
        notes += [
            each if each.source.endswith(label) else replace(each, text=(f"{label}: ", *each.text))
            for each in own
        ]
    left = {run for scores in sources.values() for run in scores.runs} - set(systems)
    if left:
        what = "systems without a score under some of the judgments are excluded: "
        what += _listed(sorted(left))
        notes.append(note("systems-not-common", what))
    names, means, topics = [], [], []
    for label, scores in sources.items():
        places = [scores.runs.index(run) for run in systems]
        table = scores.mean()["value"].to_numpy().reshape(len(scores.metrics), -1)
        values = scores.as_averaged(scores.value)
        for place, metric in enumerate(scores.metrics):
            names.append(_name(str(metric), label, sources))
            means.append(metric.sign * table[place][places])
            topics.append(values[place][places])
    metrics = dict.fromkeys(metric for scores in sources.values() for metric in scores.metrics)
    orders = _checked(names, systems, np.array(means), topics, notes)
    return replace(orders, metrics=tuple(metrics))


def _name(metric: str, label: str, sources: Mapping[str, Scores]) -> str:
    """Name a ranking after the metric, the judgments, or both, as needed to distinguish it."""
    if len(sources) == 1:
        return metric
    one_each = all(len(scores.metrics) == 1 for scores in sources.values())
    return label if one_each else f"{metric} {label}"


def from_given(
    orders: Mapping[str, Sequence[str] | Mapping[str, float]], *, same_systems: bool
) -> Orders:
    """Build rankings from lists of systems, best first, or from {system: score}."""
    values = {name: _values(name, order) for name, order in orders.items()}
    systems = tuple(dict.fromkeys(system for order in values.values() for system in order))
    _check_enough(list(values), systems)
    rows = [[order.get(system, np.nan) for system in systems] for order in values.values()]
    table = np.array(rows, dtype=np.float64)
    if not same_systems:
        return Orders(tuple(values), systems, dense_ranks(table))
    lacking = {name: [one for one in systems if one not in values[name]] for name in values}
    if any(lacking.values()):
        each = "; ".join(f"{name} lacks {_listed(some)}" for name, some in lacking.items() if some)
        remedy = Remedy(Argument("coefficient", "rbo"), "compare such rankings")
        what = f"the system rankings do not have the same systems: {each}."
        raise CallError(what, remedy=remedy)
    return _checked(list(values), systems, table, [], [])


def _values(name: str, order: Sequence[str] | Mapping[str, float]) -> dict[str, float]:
    if isinstance(order, Mapping):
        return {str(system): float(value) for system, value in order.items()}
    if isinstance(order, str):
        raise CallError(f"the ranking {name!r} is a text, {order!r}. Give a list of systems.")
    found = {str(system): float(len(order) - place) for place, system in enumerate(order)}
    if len(found) < len(order):
        raise CallError(f"the ranking {name!r} has a system twice.")
    return found


def _checked(
    names: Sequence[str],
    systems: tuple[str, ...],
    values: Floats,
    topics: Sequence[Floats],
    notes: Sequence[Note],
) -> Orders:
    """Exclude systems that lack a value in some ranking; keep rankings without any value."""
    _check_enough(names, systems)
    notes = list(notes)
    missing = np.isnan(values)
    empty = np.asarray(missing.all(axis=1))
    for place in np.flatnonzero(empty).tolist():
        what = "no system has a score; coefficients with this ranking are undefined"
        notes.append(note("no-score", what, source=names[place]))
    keep = np.asarray(~missing[~empty].any(axis=0))
    if not keep.all():
        left = [system for system, kept in zip(systems, keep, strict=True) if not kept]
        what = f"systems without a score in every ranking are excluded: {_listed(left)}"
        notes.append(note("systems-undefined", what))
        systems = tuple(system for system in systems if system not in left)
        _check_enough(names, systems)
    kept_topics = tuple(table[keep] for table in topics)
    return Orders(tuple(names), systems, dense_ranks(values[:, keep]), kept_topics, tuple(notes))


def _check_enough(names: Sequence[str], systems: Sequence[str]) -> None:
    if len(names) < 2:
        given = f" Only one is given ({names[0]})." if names else ""
        what = "a correlation needs two metrics, two files of judgments or two system rankings."
        raise CallError(f"{what}{given}")
    if len(systems) < 2:
        given = f"there is only one ({systems[0]})" if systems else "there is none"
        raise CallError(f"a correlation of system rankings needs two systems or more; {given}.")


def _listed(systems: Sequence[str]) -> str:
    more = len(systems) - SHOWN
    return ", ".join(systems[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")


Places = npt.NDArray[np.int64]
SIGNIFICANT = pl.Enum(["both", "one", "none"])
COLUMNS = [
    *["first", "second", "better_by_first", "better_by_second"],
    *["first_difference", "first_p", "second_difference", "second_p", "significant"],
]


def swapped(orders: Orders, alpha: float) -> pl.DataFrame:
    """Return one row per pair of systems that two rankings order differently (ties excluded).

    Differences are `better_by_first` − `better_by_second`, averaged over the common topics. The
    p-values are of Student's paired t-test, without correction for multiple comparisons. Pairs that
    are significant at alpha under both rankings come first, then pairs significant under one, then
    all other pairs. Within these three groups, pairs are sorted by p-value. For rankings without
    topics only the names are returned.
    """
    pairs = combinations(range(len(orders.names)), 2)
    table = pl.concat([_between(orders, first, second, alpha) for first, second in pairs])
    if not orders.topics:
        return table
    # Pairs significant under both are sorted by the larger p-value, other pairs by the smaller.
    ps = [pl.col("first_p"), pl.col("second_p")]
    both = pl.col("significant") == "both"
    weight = pl.when(both).then(pl.max_horizontal(ps)).otherwise(pl.min_horizontal(ps))
    return table.sort("significant", weight, maintain_order=True, nulls_last=True)


def _between(orders: Orders, first: int, second: int, alpha: float) -> pl.DataFrame:
    one, other = np.triu_indices(len(orders.systems), 1)
    by_first, by_second = (
        orders.ranks[place][one] - orders.ranks[place][other] for place in (first, second)
    )
    swaps = by_first * by_second < 0
    ahead = by_first[swaps] > 0
    better = np.where(ahead, one[swaps], other[swaps])
    worse = np.where(ahead, other[swaps], one[swaps])
    systems = pl.Series(orders.systems, dtype=pl.String)
    names = {"better_by_first": systems.gather(better), "better_by_second": systems.gather(worse)}
    table = pl.DataFrame(names).with_columns(
        first=pl.lit(orders.names[first]), second=pl.lit(orders.names[second])
    )
    if orders.topics:
        table = table.with_columns(_tested(orders, first, second, (better, worse), alpha))
    return table.select(name for name in COLUMNS if name in table.columns)


def _tested(
    orders: Orders, first: int, second: int, pair: tuple[Places, Places], alpha: float
) -> list[pl.Series]:
    """Return the mean difference and p-value of a pair under two rankings, and its significance."""
    columns = []
    count = np.zeros(len(pair[0]), dtype=np.int64)
    for name, place in {"first": first, "second": second}.items():
        differences = differences_of(orders.topics[place], *pair)
        p = student_t(differences)
        means = moments(differences).mean
        columns.append(pl.Series(f"{name}_difference", means, nan_to_null=True))
        columns.append(pl.Series(f"{name}_p", p, nan_to_null=True))
        count += p <= alpha
    levels = pl.Series(["none", "one", "both"], dtype=SIGNIFICANT)
    return [*columns, levels.gather(count).alias("significant")]
