"""Metrics × properties: Table 2 of the paper, the catalogue, and their display."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwise.errors import CallError
from rankwise.experiments.properties import search as found
from rankwise.experiments.properties.changes import NEVER_FALLS, Answer, shown
from rankwise.experiments.properties.levels import MOST_GRADES
from rankwise.experiments.properties.property_tables import PropertyTable, property_table
from rankwise.experiments.properties.rankings import (
    BELOW,
    LARGEST,
    SHAPE_DEPTHS,
    SHORT_DEPTH,
    SPARSE_DEPTH,
    Grades,
    at_depth,
    depth_of,
)
from rankwise.experiments.properties.search import PROPERTIES, SEVEN, Search
from rankwise.metrics import REGISTRY, Metric, MetricLike, family, listed, parameters_of, parse
from rankwise.notes import Note, detail, note, warning
from rankwise.progress import track
from rankwise.results import Result
from rankwise.wording import Argument, Remedy

STATUSES = ("refuted", "proved", "searched")
DEFAULT_DEPTH = 10
DEPTHS = range(2, 13)
DEFAULT_GRADES: Grades = (0, 1, 2, 3)

# Table 2: the paper's rows in its order, and what they are here. k stands for any cutoff.
TABLE_2 = {
    "DCG@k": "DCG",
    "SP@k": "SP",
    "RPrec@k": "Rprec",
    "SN-DCG@k": "SNDCG",
    "SN-AP@k": "APStar",
    "Prec@k": "P@1",
    "NDCG@k": "nDCG",
    "SDCG@k": "SDCG@1",
    "HIT@k": "Success@1",
    "RR@k": "RR",
    "Recall@k": "Recall",
    "AP@k": "AP",
    "RBP@k": "RBP",
}
# Where the table has a note, by its letter. It is shown if the search finds what it says.
MARKS = {
    "SN-DCG@k": {"complete": "d"},
    "SN-AP@k": {"complete": "d"},
    "Prec@k": {"realizable": "e"},
    "SDCG@k": {"realizable": "e"},
    "HIT@k": {"convergent": "b", "top-weighted": "b"},
    "RR@k": {"convergent": "b", "top-weighted": "b", "localized": "c", "complete": "c"},
    "Recall@k": {"realizable": "f"},
    "AP@k": {"realizable": "f"},
    "RBP@k": {"monotonic": "a", "convergent": "a", "localized": "a"},
}
NOTES = {
    "a": found.LOW_END,
    "b": NEVER_FALLS,
    "c": found.ZERO,
    "d": found.NOTHING_IN_K,
    "e": found.ONLY_ABOVE,
    "f": found.ONLY_BELOW,
}


class Wanted(NamedTuple):
    """A metric to test, its displayed name, and the letters of its notes in Table 2."""

    name: str
    metric: Metric
    marks: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Row:
    """One metric with its answers; `name` is the paper's in Table 2.

    `grades` has the grades tested: 0 and 1 for a binary metric.
    """

    name: str
    metric: Metric
    answers: dict[str, Answer]
    marks: Mapping[str, str]
    grades: Grades = (0, 1)

    def mark(self, name: str) -> str:
        """Return the letter of the note in Table 2, if the search confirms it."""
        letter = self.marks.get(name, "")
        return letter if letter and NOTES[letter] == self.answers[name].remark else ""

    @property
    def has_all_seven(self) -> bool:
        return all(self.answers[name].holds for name in SEVEN)


@dataclass(frozen=True, eq=False, repr=False)
class Properties(Result):
    """Numeric properties of metrics, one row per metric; `left_out` lists unsupported metrics.

    The evidence is shown too for metrics that the call names (`by_name`).
    """

    _everyday = ("evidence", "letters", "matrix")

    rows: tuple[Row, ...]
    depth: int
    left_out: tuple[str, ...] = ()
    by_name: bool = False

    @property
    def header(self) -> dict[str, Any]:
        """Metadata: metrics and search depth."""
        return {"metrics": [row.metric.record for row in self.rows], "depth": self.depth}

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric and property, with both cases of a counterexample."""
        records = [
            {
                "name": row.name,
                "metric": _name(row.metric),
                "property": name,
                "holds": answer.holds,
                "status": answer.status,
                "depth": self.depth,
                "grades": ",".join(map(str, row.grades)),
                "cases": answer.cases,
                **_case_columns(answer),
                "remark": answer.remark,
                "proof": answer.proof,
                "note": row.mark(name),
            }
            for row in self.rows
            for name, answer in row.answers.items()
        ]
        return pl.DataFrame(records, schema=SCHEMA)

    @property
    def caption(self) -> str:
        """Search depth, as a caption."""
        return f"Numeric properties, searched to depth {self.depth}:"

    def table(self, *, digits: int = 4, counterexamples: bool | None = None) -> PropertyTable:
        """Return Y and N, with the notes of Table 2 as superscripts; LaTeX is as in the paper.

        With `counterexamples`, or by default for metrics that the call names, also the rankings
        behind each N.
        """
        shown = self.by_name if counterexamples is None else counterexamples
        return property_table(self, digits, counterexamples=shown)

    def matrix(self) -> pl.DataFrame:
        """One row per metric, one column per property; null if nothing could be compared."""
        columns = {name: [row.answers[name].holds for row in self.rows] for name in PROPERTIES}
        names = [row.name for row in self.rows]
        kinds = {"metric": pl.String} | dict.fromkeys(PROPERTIES, pl.Boolean)
        return pl.DataFrame({"metric": names} | columns, schema=kinds)

    @property
    def letters(self) -> dict[str, str]:
        """Notes of Table 2 by their letters."""
        return NOTES

    def evidence(self) -> pl.DataFrame:
        """Evidence: two rankings and two scores, or the number of cases without a
        counterexample.
        """
        records = [
            (row.name, name, answer.holds, self._evidence(row, name))
            for row in self.rows
            for name, answer in row.answers.items()
        ]
        kinds = {"metric": pl.String, "property": pl.String, "holds": pl.Boolean}
        return pl.DataFrame(records, schema=kinds | {"evidence": pl.String}, orient="row")

    def _evidence(self, row: Row, name: str) -> str:
        answer = row.answers[name]
        if answer.counterexample is not None:
            return shown(answer.counterexample)
        if answer.proof:
            return f"proved: {answer.proof}"
        none = f"no counterexample in {answer.cases:,} cases"
        graded = f" of {_listed(row.grades)}" if len(row.grades) > 2 else ""
        if name == "bounded":  # shapes of rankings that go on: see rankings.shapes
            return f"{none}{graded}, shapes to k = {SHAPE_DEPTHS[-1]:,}"
        if not graded or name == "complete":
            return f"{none} to depth {self.depth}"
        deep = depth_of(self.depth, len(row.grades))
        return f"{none} to depth {self.depth},{graded} to {deep}"

    @property
    def notes(self) -> list[Note]:
        """Notes on the extent of the search, and on properties that exclude each other."""
        deep = self.depth
        searched = (
            f"searched: all binary rankings of 1 to {deep} documents, with R and N up to "
            f"{deep + 1}; up to {SPARSE_DEPTH} documents with at most one relevant; up to "
            f"{SHORT_DEPTH} documents with R or N up to {LARGEST}; for SWAP, up to "
            f"{depth_of(deep, 3)} documents, some unjudged"
        )
        notes = [note("searched", searched)]
        for grades in dict.fromkeys(row.grades for row in self.rows if len(row.grades) > 2):
            here = [row.name for row in self.rows if row.grades == grades]
            every, mixed = (depth_of(deep, len(grades) + more) for more in (0, 1))
            graded = (
                f"searched for {_several(here)}: also all rankings of {_listed(grades)} with 1 to "
                f"{every} documents and up to {BELOW} of each grade not retrieved; for SWAP, up to "
                f"{mixed} documents, some unjudged"
            )
            notes.append(note("searched", graded))
        both = [row for row in self.rows if _has(row, "monotonic") and _has(row, "convergent")]
        real = sum(_has(row, "realizable") for row in both)
        statuses = [answer.status for row in self.rows for answer in row.answers.values()]
        counts = ", ".join(f"{word} {statuses.count(word)}" for word in STATUSES)
        notes.append(detail("status", f"answers by status: {counts}"))
        clash = "monotonic and convergent together exclude realizable: no metric has all seven"
        both_here = f"(with both here: {len(both)}, realizable of these: {real})"
        notes.append(note("no-metric-has-all", f"{clash} {both_here}"))
        deeper = Remedy(Argument("depth", deep + 1), "find the counterexample")
        shallower = Remedy(Argument("depth", max(deep - 1, 1)), "search fewer documents")
        too_fine = "its weights differ by less than the precision of 64-bit numbers: N may be wrong"
        for row in self.rows:
            if row.has_all_seven:
                what = "cannot have all seven properties"
                notes.append(note("has-all", what, metric=row.name, remedy=deeper))
            if found.too_fine(row.metric, self.depth):
                notes.append(warning("too-fine", too_fine, metric=row.name, remedy=shallower))
        if self.left_out:
            names = ", ".join(self.left_out)
            what = (
                f"excluded because they need parameters (name them with their parameters): {names}"
            )
            notes.append(warning("excluded", what))
        return notes


SCHEMA = {
    "name": pl.String,
    "metric": pl.String,
    "property": pl.String,
    "holds": pl.Boolean,
    "status": pl.String,
    "depth": pl.Int64,
    "grades": pl.String,
    "cases": pl.Int64,
    **{
        f"{place}_{what}": kind
        for place in ("first", "second")
        for what, kind in [("ranking", pl.String), ("R", pl.Int64), ("N", pl.Int64)]
        + [("score", pl.Float64), ("judged", pl.String)]
    },
    "remark": pl.String,
    "proof": pl.String,
    "note": pl.String,
}


def _case_columns(answer: Answer) -> dict[str, object]:
    if answer.counterexample is None:
        return {}
    return {
        f"{place}_{what}": None if value != value or value == "" else value
        for place, case in zip(("first", "second"), answer.counterexample, strict=True)
        for what, value in zip(("ranking", "R", "N", "score", "judged"), case, strict=True)
    }


def _listed(grades: Grades) -> str:
    """Format grades: "grades 0–3" or "grades 0, 2, 5"."""
    if grades == tuple(range(grades[0], grades[-1] + 1)):
        return f"grades {grades[0]}–{grades[-1]}"
    return "grades " + ", ".join(map(str, grades))


def _several(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"the {len(names)} metrics that know them"


def _has(row: Row, name: str) -> bool:
    return row.answers[name].holds is True


def properties(
    metrics: MetricLike | Iterable[MetricLike] | None = None,
    *,
    depth: int = DEFAULT_DEPTH,
    grades: Iterable[int] = DEFAULT_GRADES,
) -> Properties:
    """Determine by search which of the seven numeric properties, and SWAP, a metric has.

    "No" has a counterexample and is final (`status` refuted); "yes" holds within the search, or
    is proved from the metric's formula. docs/properties.md has the definitions. Moffat, Seven
    numeric properties of effectiveness metrics, AIRS 2013; SWAP: Ahlgren and Grönqvist 2008.

    Parameters
    ----------
    metrics
        The metrics; "all" is the catalogue; the default is the thirteen of the paper. A cutoff is
        replaced by the depth k of the ranking. A class is tested with its default parameters; a
        class that needs other parameters is skipped, with a note.
    depth
        Test all binary rankings of up to `depth` documents, in all collections of up to depth + 1
        relevant and as many other documents.
    grades
        Metrics that distinguish these grades are also tested on graded rankings: about as many as
        there are binary ones, so less deep. (0, 1) tests binary rankings only, as the paper does.

    Returns
    -------
    Properties
        One row per metric and property, with the counterexamples.

    Examples
    --------
    >>> answers = properties("AP").rows[0].answers
    >>> [name for name, answer in answers.items() if not answer.holds]
    ['localized', 'complete', 'realizable']
    >>> [(case.ranking, case.score) for case in answers["localized"].counterexample]
    [('1', 1.0), ('1', 0.5)]
    """
    chosen, left_out = wanted(metrics)
    rows = tuple(_classified(track(chosen, "metrics"), depth, grades))
    by_name = metrics is not None and not _is_all(metrics)
    return Properties(rows, depth, left_out, by_name)


def _classified(metrics: Iterable[Wanted], depth: int, grades: Iterable[int]) -> Iterator[Row]:
    """Return one row per metric."""
    if depth not in DEPTHS:
        raise CallError(f"depth {depth} is not between {DEPTHS[0]} and {DEPTHS[-1]}.")
    search = Search(depth, checked_grades(grades))
    for name, metric, marks in metrics:
        answers, levels = search.answers(metric)
        yield Row(name, metric, answers, marks, levels)


def checked_grades(grades: Iterable[int]) -> Grades:
    """Check and sort the grades; 0 is included."""
    distinct = tuple(grades)
    whole = all(isinstance(grade, int | np.integer) and grade >= 0 for grade in distinct)
    if not whole or len(set(distinct)) != len(distinct) or not 2 <= len(distinct) <= MOST_GRADES:
        allowed = f"2 to {MOST_GRADES} different whole numbers"
        raise CallError(f"grades {', '.join(map(str, distinct))}: they are {allowed}, 0 and more.")
    if 0 not in distinct:
        raise CallError(f"grades {', '.join(map(str, distinct))}: 0, not relevant, is missing.")
    return tuple(sorted(int(grade) for grade in distinct))


def wanted(
    metrics: MetricLike | Iterable[MetricLike] | None,
) -> tuple[list[Wanted], tuple[str, ...]]:
    """Return the metrics by displayed name, each once; and those that need parameters."""
    if metrics is None:
        rows = TABLE_2.items()
        return [Wanted(name, parse(ours), MARKS.get(name, {})) for name, ours in rows], ()
    requested = listed(metrics)
    if _is_all(metrics):
        by_family = sorted(REGISTRY, key=lambda name: (family(REGISTRY[name]), name.lower()))
        requested = [REGISTRY[name] for name in by_family]
    if not requested:
        raise CallError("no metric is given.")
    chosen: dict[str, Wanted] = {}
    left_out = []
    for one in requested:
        registered = next((name for name, each in REGISTRY.items() if each is one), None)
        metric = parse(one) if registered is None else _setting(REGISTRY[registered])
        if metric is not None:
            chosen[_name(metric)] = Wanted(_name(metric), metric)
        elif registered is not None:
            left_out.append(registered)
    return list(chosen.values()), tuple(left_out)


def _is_all(metrics: MetricLike | Iterable[MetricLike]) -> bool:
    return isinstance(metrics, str) and metrics == "all"


def _name(metric: Metric) -> str:
    """Return the name with k for any cutoff: nDCG@k."""
    if not metric.takes("cutoff") or metric.at != "cutoff":
        return str(metric)
    return str(at_depth(metric, 1)).removesuffix("@1") + "@k"


def _setting(metric: type[Metric]) -> Metric | None:
    """Return the metric with typical parameters; None if it needs more than these and a cutoff."""
    typical = dict(metric.typical_parameters)
    needed = {field.name for field in parameters_of(metric) if field.default is MISSING}
    missing = needed - typical.keys()
    return None if missing - {"cutoff"} else metric(**typical, **dict.fromkeys(missing, 1))
