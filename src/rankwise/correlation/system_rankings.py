"""System rankings by metrics, by judgments or from the user.

`swaps_between` lists the pairs of systems that two rankings order differently.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
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

    `ranks` has one row per ranking and one column per system, and the highest value for the best
    system. Equal values are ties. NaN marks a system that the ranking lacks. `topics` has an array
    of scores for each ranking, of shape (systems, topics). `topics` is empty for rankings that are
    not computed from scores by topic.
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


def from_scores(sources: Mapping[str, Scores]) -> Orders:
    """Rank the systems by their means under each metric and each set of judgments.

    `sources` maps the name of a set of judgments to the scores under these judgments. Only systems
    with scores under every set of judgments are ranked. A ranking has the name of the metric or, if
    there are several sets, the name of the set, with the metric if there is more than one.
    """
    first, *others = sources.values()
    systems = tuple(run for run in first.runs if all(run in other.runs for other in others))
    shared = set(first.notes).intersection(*(scores.notes for scores in others))
    notes = [each for each in first.notes if each in shared]
    for label, scores in sources.items():
        own = (each for each in scores.notes if each not in shared)
        # The source of a note on the judgments may be their file, which is not named twice.
        notes += [
            each if each.source.endswith(label) else replace(each, text=(f"{label}: ", *each.text))
            for each in own
        ]
    left = {run for scores in sources.values() for run in scores.runs} - set(systems)
    if left:
        what = "systems that have no scores under at least one set of judgments are excluded: "
        what += _listed(sorted(left))
        notes.append(note("systems-not-common", what))
    names, means, topics = [], [], []
    one_each = all(len(scores.metrics) == 1 for scores in sources.values())
    for label, scores in sources.items():
        places = [scores.runs.index(run) for run in systems]
        table = scores.mean()["value"].to_numpy().reshape(len(scores.metrics), -1)
        values = scores.as_averaged(scores.value)
        for place, metric in enumerate(scores.metrics):
            named = label if one_each else f"{metric} {label}"
            names.append(named if others else str(metric))
            means.append(metric.sign * table[place][places])
            topics.append(values[place][places])
    metrics = dict.fromkeys(metric for scores in sources.values() for metric in scores.metrics)
    orders = _checked(names, systems, np.array(means), topics, notes)
    return replace(orders, metrics=tuple(metrics))


def from_given(
    orders: Mapping[str, Sequence[str] | Mapping[str, float]], *, same_systems: bool
) -> Orders:
    """Build rankings from lists of systems, best first, or from {system: score}.

    With `same_systems`, an error is raised if a ranking lacks a system of another ranking.
    """
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
    """Build rankings of the systems that have a value in every ranking.

    A note lists the excluded systems. A ranking in which no system has a value excludes no system,
    and is kept, with a note. `values` has the shape (rankings, systems); higher is better.
    """
    _check_enough(names, systems)
    notes = list(notes)
    missing = np.isnan(values)
    empty = np.asarray(missing.all(axis=1))
    for place in np.flatnonzero(empty).tolist():
        what = "no system has a score, so the coefficients of this ranking are undefined"
        notes.append(note("no-score", what, source=names[place]))
    keep = np.asarray(~missing[~empty].any(axis=0))
    if not keep.all():
        left = [system for system, kept in zip(systems, keep, strict=True) if not kept]
        what = f"systems that have no score in at least one ranking are excluded: {_listed(left)}"
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


def swaps_between(orders: Orders, first: int, second: int, alpha: float) -> pl.DataFrame:
    """Return one row per pair of systems that two rankings order differently (ties excluded).

    `first` and `second` are indices of rankings. For the columns, see `Correlation.swaps`.
    """
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
    table = pl.DataFrame(names).select(
        pl.lit(orders.names[first]).alias("first"),
        pl.lit(orders.names[second]).alias("second"),
        pl.all(),
    )
    if not orders.topics:
        return table
    count = np.zeros(len(better), dtype=np.int64)
    for name, place in (("first", first), ("second", second)):
        differences = differences_of(orders.topics[place], better, worse)
        p, means = student_t(differences), moments(differences).mean
        columns = {f"{name}_difference": means, f"{name}_p": p}
        table = table.with_columns(
            pl.Series(column, values, nan_to_null=True) for column, values in columns.items()
        )
        count += p <= alpha
    levels = pl.Series(["none", "one", "both"], dtype=pl.Enum(["both", "one", "none"]))
    return table.with_columns(significant=levels.gather(count))
