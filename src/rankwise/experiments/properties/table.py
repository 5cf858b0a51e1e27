"""Table of the properties of metrics: those in Table 2 of Moffat (2013), or all metrics."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass

import numpy as np
import polars as pl

from rankwise.errors import CallError, in_words
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
from rankwise.experiments.properties.search import (
    LOW_END,
    MOST_GRADES,
    NEVER_FALLS,
    NOTHING_IN_K,
    ONLY_ABOVE,
    ONLY_BELOW,
    PROPERTIES,
    SEVEN,
    ZERO,
    Answer,
    Search,
    shown,
    too_fine,
)
from rankwise.metrics import REGISTRY, Metric, MetricLike, family, listed, parse
from rankwise.notes import Note, detail, note, warning
from rankwise.progress import track
from rankwise.results import LATEX_NEEDS, Result, Table, latex_text, rendered
from rankwise.wording import Argument, Count, Remedy, is_or_are

SHORT = ("bound", "mono", "conv", "top", "local", "compl", "real", "swap")
PRINTED = ("Bounded", "Monoton.", "Converg.", "Top-wgt.", "Localiz.", "Complete", "Realizb.")
RAISED = dict(zip("abcdef", "ᵃᵇᶜᵈᵉᶠ", strict=True))
WORDS = {True: "Y", False: "N", None: "–"}
IN_FULL = {True: "Yes", False: "No", None: "–"}  # as the paper prints them


@dataclass(frozen=True, repr=False, eq=False)
class PropertyTable(Table):
    """Table of Y (has the property) and N; Markdown and LaTeX have the headings of Moffat (2013).

    With `counterexamples` a second table below has the evidence.
    """

    properties: "Properties | None" = None
    counterexamples: bool = False

    def rendered(self, style: str, *, width: int | None = None) -> str:
        assert self.properties is not None
        if style == "latex":
            content = _latex(self.properties)
        else:
            heads = dict(zip(SHORT, (*PRINTED, "SWAP"), strict=True)) if style != "table" else {}
            content = rendered(self.frame.rename(heads), style, width=width).decode()
        if not self.counterexamples:
            return content
        words = IN_FULL if style == "latex" else WORDS
        evidence = self.properties.evidence()
        holds = pl.Series("holds", [words[holds] for holds in evidence["holds"]])
        below = rendered(evidence.with_columns(holds), style, width=width).decode()
        return f"{content}\n{below}"


def _remarks(properties: "Properties", *, in_full: bool) -> list[str]:
    """Return the notes of Table 2 with their letters or, if `in_full`, the remark on each N."""
    if not in_full:
        used = {row.mark(name) for row in properties.rows for name in row.answers}
        return [f"{RAISED[letter]} {text}" for letter, text in NOTES.items() if letter in used]
    return [
        f"{row.name}, {name}: {answer.remark}"
        for row in properties.rows
        for name, answer in row.answers.items()
        if answer.remark and not answer.holds
    ]


def _latex(properties: "Properties") -> str:
    """Format Table 2 as printed, with SWAP as the eighth column and the notes below."""
    lines = [" & ".join(["Metric", *PRINTED, "SWAP"]) + r" \\", r"\midrule"]
    for row in properties.rows:
        cells = [latex_text(row.name.removesuffix("@k")) + "@$k$" * row.name.endswith("@k")]
        for name, answer in row.answers.items():
            mark = row.mark(name)
            cells.append(latex_text(IN_FULL[answer.holds]) + (f"$^{{{mark}}}$" if mark else ""))
        lines.append(" & ".join(cells) + r" \\")
    lines.append(r"\bottomrule")
    for remark in _remarks(properties, in_full=False):
        text = re.sub(r"\b([kR])\b", r"$\1$", remark)
        text = text.replace("≤", "$\\leq$").replace("≥", "$\\geq$").replace(">", "$>$")
        letter = next(plain for plain, raised in RAISED.items() if raised == remark[0])
        lines.append(f"\\multicolumn{{9}}{{l}}{{\\footnotesize $^{{{letter}}}${text[1:]}}} \\\\")
    body = "\n".join(lines)
    return f"{LATEX_NEEDS}\\begin{{tabular}}{{lcccccccc}}\n\\toprule\n{body}\n\\end{{tabular}}\n"


STATUSES = ("refuted", "proved", "searched")
ABOUT_STATUS = {
    "refuted": "refuted by a counterexample",
    "proved": "proved",
    "searched": "neither refuted nor proved (the search found no counterexample)",
}
DEFAULT_DEPTH = 10
DEPTHS = range(2, 13)
DEFAULT_GRADES: Grades = (0, 1, 2, 3)

# Table 2: the paper's rows in its order, and their names here. k stands for any cutoff.
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
# Letters of the table's notes. A note is shown if the search confirms it.
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
    "a": LOW_END,
    "b": NEVER_FALLS,
    "c": ZERO,
    "d": NOTHING_IN_K,
    "e": ONLY_ABOVE,
    "f": ONLY_BELOW,
}


@dataclass(frozen=True)
class Row:
    """One metric with the answer for each property.

    `name` is the name in the table; in Table 2 of Moffat (2013), the paper's name.

    `grades` has the grades tested: 0 and 1 for a binary metric.
    """

    name: str
    metric: Metric
    answers: dict[str, Answer]
    marks: Mapping[str, str]
    grades: Grades = (0, 1)

    def mark(self, name: str) -> str:
        """Return the letter of the note in Table 2; "" if the search does not confirm the note."""
        letter = self.marks.get(name, "")
        return letter if letter and NOTES[letter] == self.answers[name].remark else ""

    @property
    def has_all_seven(self) -> bool:
        return all(self.answers[name].holds for name in SEVEN)


@dataclass(frozen=True, eq=False, repr=False)
class Properties(Result):
    """Numeric properties of metrics; `rows` has one `Row` per metric.

    `left_out` lists metrics that were skipped because they need parameters. The evidence is
    displayed only for metrics named in the call (`by_name`).
    """

    _everyday = ("evidence", "letters", "matrix")
    _header = ("metrics", "depth")

    rows: tuple[Row, ...]
    depth: int
    left_out: tuple[str, ...] = ()
    by_name: bool = False

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(row.metric for row in self.rows)

    @property
    def frame(self) -> pl.DataFrame:
        """One row per metric and property, with the two rankings of a counterexample, if any."""
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
        return f"Numeric properties, searched to depth {self.depth}:"

    def table(self, *, digits: int = 4, counterexamples: bool | None = None) -> PropertyTable:
        """Return a table of Y (has the property) and N, with the notes of Table 2 as superscripts.

        The LaTeX form is as in Moffat (2013). With `counterexamples`, a second table has the
        evidence for each property. This is the default for metrics named in the call.
        """
        with_evidence = self.by_name if counterexamples is None else counterexamples
        columns = {"metric": [row.name for row in self.rows]}
        for head, name in zip(SHORT, PROPERTIES, strict=True):
            columns[head] = [
                WORDS[row.answers[name].holds] + RAISED.get(row.mark(name), "") for row in self.rows
            ]
        return PropertyTable(
            columns,
            notes=[note("remark", text) for text in _remarks(self, in_full=self.by_name)],
            digits=digits,
            properties=self,
            counterexamples=with_evidence,
        )

    def matrix(self) -> pl.DataFrame:
        """Return one row per metric and one column per property; null means nothing to compare."""
        columns = {name: [row.answers[name].holds for row in self.rows] for name in PROPERTIES}
        names = [row.name for row in self.rows]
        kinds = {"metric": pl.String} | dict.fromkeys(PROPERTIES, pl.Boolean)
        return pl.DataFrame({"metric": names} | columns, schema=kinds)

    @property
    def letters(self) -> dict[str, str]:
        """Notes of Table 2 of Moffat (2013) by their letters."""
        return NOTES

    def evidence(self) -> pl.DataFrame:
        """Return the evidence for each property.

        The evidence is a counterexample (two rankings and their scores), a proof, or the number of
        cases checked without finding a counterexample.
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
        if name == "bounded":  # also tested on the rankings of `shapes`
            return f"{none}{graded}, shapes to k = {SHAPE_DEPTHS[-1]:,}"
        if not graded or name == "complete":
            return f"{none} to depth {self.depth}"
        deep = depth_of(self.depth, len(row.grades))
        return f"{none} to depth {self.depth},{graded} to {deep}"

    @property
    def notes(self) -> list[Note]:
        notes = [note("searched", text) for text in self._searched()]
        statuses = [answer.status for row in self.rows for answer in row.answers.values()]
        counts = in_words(
            [
                f"{(n := statuses.count(status))} {is_or_are(n)} {ABOUT_STATUS[status]}"
                for status in STATUSES
            ]
        )
        total = Count(len(statuses), "property", "properties")
        notes.append(detail("status", f"of {total} (over all metrics), {counts}"))
        answers = [row.answers for row in self.rows]
        both = [one for one in answers if one["monotonic"].holds and one["convergent"].holds]
        real = sum(one["realizable"].holds is True for one in both)
        clash = (
            "no metric can be monotonic, convergent and realizable (Moffat 2013), so none can have "
            "all 7 properties. In this table, "
        )
        have = Count(len(both), "metric is", "metrics are")
        here = f" monotonic and convergent, and {real} of these {is_or_are(real)} also realizable"
        notes.append(note("no-metric-has-all", clash, have, here))
        deeper = Remedy(Argument("depth", self.depth + 1), "find the counterexample")
        shallower = Remedy(Argument("depth", max(self.depth - 1, 1)), "search shorter rankings")
        rounding = (
            "some weights of this metric are lost in the rounding of 64-bit numbers, so an N may "
            "be wrong"
        )
        for row in self.rows:
            if row.has_all_seven:
                what = "cannot have all seven properties"
                notes.append(note("has-all", what, metric=row.name, remedy=deeper))
            if too_fine(row.metric, self.depth):
                notes.append(warning("too-fine", rounding, metric=row.name, remedy=shallower))
        if self.left_out:
            why = "metrics that need parameters are excluded; name them with their parameters"
            notes.append(warning("excluded", f"{why}: {', '.join(self.left_out)}"))
        return notes

    def _searched(self) -> Iterator[str]:
        """Yield texts on the rankings that were searched for counterexamples."""
        deep = self.depth
        yield (
            "the search for counterexamples used binary rankings for topics with R relevant and N "
            f"non-relevant documents: all rankings of up to {_documents(deep)} with R and N at "
            f"most {deep + 1}, rankings of up to {_documents(SPARSE_DEPTH)} with at most one "
            f"relevant document, and rankings of up to {_documents(SHORT_DEPTH)} with R or N equal "
            f"to {SHORT_DEPTH} and the other number at most {LARGEST}. For SWAP, the search also "
            f"used rankings of up to {_documents(depth_of(deep, 3))} that may be unjudged"
        )
        for grades in dict.fromkeys(row.grades for row in self.rows if len(row.grades) > 2):
            here = [row.name for row in self.rows if row.grades == grades]
            names = ", ".join(here) if len(here) <= 3 else f"the {len(here)} graded metrics"
            every, mixed = (depth_of(deep, len(grades) + more) for more in (0, 1))
            yield (
                f"for {names}, the search for counterexamples also used all rankings of up to "
                f"{_documents(every)} of {_listed(grades)}, with up to {_documents(BELOW)} that "
                f"are not retrieved. For SWAP, it also used rankings of up to {_documents(mixed)} "
                "that may be unjudged"
            )


def _documents(number: int) -> str:
    return str(Count(number, "document"))


CASE = {
    "ranking": pl.String,
    "R": pl.Int64,
    "N": pl.Int64,
    "score": pl.Float64,
    "judged": pl.String,
}
SCHEMA = {
    **dict.fromkeys(["name", "metric", "property"], pl.String),
    "holds": pl.Boolean,
    "status": pl.String,
    "depth": pl.Int64,
    "grades": pl.String,
    "cases": pl.Int64,
    **{f"first_{column}": kind for column, kind in CASE.items()},
    **{f"second_{column}": kind for column, kind in CASE.items()},
    **dict.fromkeys(["remark", "proof", "note"], pl.String),
}


def _case_columns(answer: Answer) -> dict[str, object]:
    if answer.counterexample is None:
        return {}
    return {
        f"{place}_{what}": None if value != value or value == "" else value
        for place, case in zip(("first", "second"), answer.counterexample, strict=True)
        for what, value in zip(CASE, case, strict=True)
    }


def _listed(grades: Grades) -> str:
    """Format grades: "grades 0–3" or "grades 0, 2, 5"."""
    if grades == tuple(range(grades[0], grades[-1] + 1)):
        return f"grades {grades[0]}–{grades[-1]}"
    return "grades " + ", ".join(map(str, grades))


def properties(
    metrics: MetricLike | Iterable[MetricLike] | None = None,
    *,
    depth: int = DEFAULT_DEPTH,
    grades: Iterable[int] = DEFAULT_GRADES,
) -> Properties:
    """Determine by search which of eight numeric properties a metric has.

    Seven properties are from Moffat, Seven numeric properties of effectiveness metrics, AIRS 2013.
    The eighth is SWAP (Ahlgren and Grönqvist 2008): the score rises if a relevant document changes
    places with a non-relevant document above it. docs/properties.md has the definitions. A "no" has
    a counterexample and is final (`status` refuted). A "yes" means that the search found no
    counterexample, or that the property follows from the metric's formula.

    Parameters
    ----------
    metrics
        Metrics to test, or "all" for the whole catalogue. The default is the thirteen metrics of
        the paper (AIRS 2013). A cutoff is replaced by the length of the ranking. A metric class is
        tested with default or typical parameters; a class without them is skipped, with a warning.
    depth
        All binary rankings up to this length are tested, in all collections of at most depth + 1
        relevant and depth + 1 non-relevant documents. Only a few longer rankings are tested.
    grades
        Metrics that distinguish grades are also tested on rankings with these grades. Graded
        rankings are shorter, so that they are not more numerous than binary rankings. (0, 1) tests
        binary rankings only, as the paper does.

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
    if depth not in DEPTHS:
        raise CallError(
            Argument("depth"), f" must be from {DEPTHS[0]} to {DEPTHS[-1]}, not {depth}."
        )
    search, rows = Search(depth, checked_grades(grades)), []
    for name, metric in track(list(chosen.items()), "metrics"):
        answers, levels = search.answers(metric)
        marks = MARKS.get(name, {}) if metrics is None else {}
        rows.append(Row(name, metric, answers, marks, levels))
    by_name = metrics is not None and not _is_all(metrics)
    return Properties(tuple(rows), depth, left_out, by_name)


def checked_grades(grades: Iterable[int]) -> Grades:
    """Check and sort the grades, which must include 0."""
    distinct = tuple(grades)
    whole = all(isinstance(grade, int | np.integer) and grade >= 0 for grade in distinct)
    if not whole or len(set(distinct)) != len(distinct) or not 2 <= len(distinct) <= MOST_GRADES:
        allowed = f" must be 2 to {MOST_GRADES} different whole numbers, 0 or more, not "
        raise CallError(Argument("grades"), allowed, f"{', '.join(map(str, distinct))}.")
    if 0 not in distinct:
        missing = f" {', '.join(map(str, distinct))}: grade 0 (not relevant) is missing. Add it."
        raise CallError(Argument("grades"), missing)
    return tuple(sorted(int(grade) for grade in distinct))


def wanted(
    metrics: MetricLike | Iterable[MetricLike] | None,
) -> tuple[dict[str, Metric], tuple[str, ...]]:
    """Return {name in the table: metric}, and the metrics skipped for lack of parameters."""
    if metrics is None:
        return {name: parse(ours) for name, ours in TABLE_2.items()}, ()
    requested = listed(metrics)
    if _is_all(metrics):
        by_family = sorted(REGISTRY, key=lambda name: (family(REGISTRY[name]), name.lower()))
        requested = [REGISTRY[name] for name in by_family]
    if not requested:
        raise CallError("no metric is given.")
    chosen: dict[str, Metric] = {}
    left_out = []
    for one in requested:
        registered = next((name for name, each in REGISTRY.items() if each is one), None)
        metric = parse(one) if registered is None else _setting(REGISTRY[registered])
        if metric is not None:
            chosen[_name(metric)] = metric
        elif registered is not None:
            left_out.append(registered)
    return chosen, tuple(left_out)


def _is_all(metrics: MetricLike | Iterable[MetricLike]) -> bool:
    return isinstance(metrics, str) and metrics == "all"


def _name(metric: Metric) -> str:
    """Return the name with k for any cutoff: nDCG@k."""
    if "cutoff" not in metric.parameters or metric.at != "cutoff":
        return str(metric)
    return str(at_depth(metric, 1)).removesuffix("@1") + "@k"


def _setting(metric: type[Metric]) -> Metric | None:
    """Return the metric with typical parameters (and cutoff 1); None if other parameters are
    needed.
    """
    typical = dict(metric.typical_parameters)
    needed = {name for name, each in metric.parameters.items() if each.default is MISSING}
    missing = needed - typical.keys()
    return None if missing - {"cutoff"} else metric(**typical, **dict.fromkeys(missing, 1))
