"""Judgments of several judges: separate, or combined into one grade per document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from rankwise.arrays import Floats, Ints
from rankwise.errors import CallError, InputError, check_word, some_of
from rankwise.formats import NO_FILE, WithColumns
from rankwise.lazy import pl
from rankwise.rankings.loaders import distinct_names, stem
from rankwise.rankings.run import NamedRun, Qrels
from rankwise.vocabulary import Combination
from rankwise.wording import Argument, Count, Remedy

if TYPE_CHECKING:
    from rankwise.rankings.types import Gains

CHOICES = get_args(Combination)
QRELS = "the qrels"  # the source of errors
UNNAMED = "judge"  # default name of a single judge
COMBINE = Argument("judges", "majority", python="Judges(qrels, combine='majority')")


@dataclass(frozen=True, eq=False)
class Judges:
    """Judgments of several judges, and the rule that combines the grades of a document.

    Parameters
    ----------
    qrels
        {judge: judgments}, a list of files, or one table with a column `judge`.
    combine
        `majority` takes the most frequent grade. If several grades are most frequent, it takes the
        lower median of the document's grades if this is one of them, otherwise the lowest of them.
        `mean` takes the mean, `max` takes the highest grade, and `median` takes the lower median.
        `first` takes the grade of the first judge, in the order of `qrels`, who judged the
        document. `dawid-skene` takes the most probable grade in a model with error rates for each
        judge. With None, it is an error if two judges give a document different grades.

    Examples
    --------
    >>> from rankwise import Judges, read_qrels
    >>> both = {"ann": {"1": {"a": 2, "b": 0}}, "bob": {"1": {"a": 1}}}
    >>> read_qrels(Judges(both, "max")).frame.rows()
    [('1', 'a', 2), ('1', 'b', 0)]
    """

    qrels: Any
    combine: Combination | None = None

    def __post_init__(self) -> None:
        if self.combine is not None:
            check_word("combine", self.combine, CHOICES)


def holds_several(given: Any) -> bool:
    """Return whether an object is {judge: judgments}, a list of judgments, or `Judges`."""
    if isinstance(given, Judges):
        return True
    if isinstance(given, Mapping):
        return bool(given) and all(map(_is_whole, given.values()))
    if isinstance(given, NamedRun) or not isinstance(given, list | tuple):
        return False
    return bool(given) and all(_is_whole(one) and not isinstance(one, Mapping) for one in given)


def _is_whole(given: Any) -> bool:
    """Return whether an object can be all judgments of a judge; a row or a single topic cannot."""
    if isinstance(given, str | Path | Qrels | WithColumns | NamedRun | Judges):
        return True
    return _is_nested(given) or hasattr(given, "__arrow_c_stream__") or hasattr(given, "qrels_iter")


def _is_nested(given: Any) -> bool:
    """Return whether an object is a dict of dicts, such as {topic: {document: grade}}."""
    is_dict = isinstance(given, Mapping) and bool(given)
    return is_dict and all(isinstance(one, Mapping) for one in given.values())


def read_judges(
    given: Any, *, gains: Gains | None = None, lenient: bool = False
) -> dict[str, Qrels]:
    """Read judgments as {judge: judgments}; a single unnamed judge is called `judge`.

    The keys of a mapping, or file names, name the judges. If one of these sources is itself a table
    with several judges, their names are taken from the table.
    """
    from rankwise.rankings.reading import read_qrels, read_qrels_by_judge

    source = given.qrels if isinstance(given, Judges) else given
    if isinstance(source, list | tuple) and source and all(map(_is_nested, source)):
        raise CallError("a list of dicts is given as judgments. Give judges as {name: qrels}.")
    if not holds_several(source):
        return read_qrels_by_judge(source, gains=gains, lenient=lenient)
    judges: dict[str, Qrels] = {}
    for name, one in _named(source).items():
        if isinstance(one, Judges) and one.combine is not None:
            read = {name: read_qrels(one, gains=gains, lenient=lenient)}
        else:
            try:
                read = read_judges(one, gains=gains, lenient=lenient)
            except InputError as error:
                if not isinstance(source, Mapping) or not error.reason.startswith(NO_FILE):
                    raise
                what = f"{error.reason} The dict is read as {{judge: file}}, because its value for "
                form = f"{name!r} is text. Judgments are {{topic: {{document: grade}}}}."
                raise InputError(error.source, what + form) from None
        named = read if len(read) > 1 else {name: next(iter(read.values()))}
        for judge in named.keys() & judges.keys():
            raise _same_name(judge)
        judges |= named
    return judges


def _named(source: Mapping[Any, Any] | Sequence[Any]) -> dict[str, Any]:
    """Return {judge: judgments}.

    In a list, judges are called by the given names, otherwise by the names of files, and otherwise
    `judge 1`, `judge 2` and so on, by position.
    """
    if isinstance(source, Mapping):
        return {str(name): one for name, one in source.items()}
    names = []
    for place, one in enumerate(source, 1):
        plain = one.given if isinstance(one, WithColumns) else one
        if isinstance(one, NamedRun):
            names.append((one.name, one.name))
        elif isinstance(plain, str | Path):
            names.append((stem(str(plain)).removesuffix(".qrels"), str(plain)))
        else:
            names.append((f"judge {place}", f"judge {place}"))
    (name, file), times = Counter(names).most_common(1)[0]
    if times > 1:
        twice = CallError(f"{file} is given twice. Give each file once.")
        raise _same_name(name) if name == file else twice
    return {
        name: one.given if isinstance(one, NamedRun) else one
        for name, one in zip(distinct_names(names), source, strict=True)
    }


def _same_name(judge: str) -> CallError:
    return CallError(f"two judges are called {judge!r}. Give each judge its own name.")


def combined(judges: Mapping[str, Qrels], combine: Combination | None) -> Qrels:
    """Return judgments with one grade per document, combined from the grades of all judges.

    If a judge's judgments have gains, these gains are used in place of the grades.
    """
    from rankwise.rankings.reading import graded

    if combine is not None and len(judges) == 1:
        argument = Argument("judges", combine, python=f"combine={combine!r}")
        what = " combines the grades of several judges, but there is only one judge. Remove "
        raise CallError(argument, what, argument, ".")
    rows = stacked(judges)
    if combine is None:
        _check_no_contradiction(rows)
    used = {name: part["grade"].unique().to_numpy() for (name,), part in rows.group_by("judge")}
    apart = scales_apart({name: used[name] for name in judges if name in used})
    if apart is not None:
        what_to_do = "Map the grades of one judge to the other scale before combining them."
        raise InputError(QRELS, f"the grades are on different scales: {apart}. {what_to_do}")
    if combine == "dawid-skene":
        grades = _most_probable(rows)
    else:
        majority = combine == "majority"
        grades = _most_frequent(rows) if majority else _grouped(rows, combine or "first")
    notes = tuple(note for qrels in judges.values() for note in qrels.notes)
    result = graded(grades, None, QRELS)
    return replace(result, notes=(*notes, *result.notes))


def stacked(judges: Mapping[str, Qrels]) -> pl.DataFrame:
    """Return all judgments in one table: topic, document, grade and judge.

    If a judge's judgments have gains, `grade` has these gains.
    """
    parts = []
    for name, qrels in judges.items():
        grade = pl.col("grade").cast(pl.Float64)
        if qrels.gains is not None:
            gains = {float(label): float(gain) for label, gain in qrels.gains.items()}
            grade = grade.replace(gains)
        judge = pl.lit(name, dtype=pl.String).alias("judge")
        parts.append(qrels.frame.select("topic", "document", grade, judge))
    return pl.concat(parts)


_KEYS = ("topic", "document")
EQUAL = 1e-9  # probabilities closer than this are equal
STEPS, TOLERANCE = 2000, 1e-12
SMALLEST = 1e-10  # replaces probabilities of 0


def _grouped(rows: pl.DataFrame, combine: str) -> pl.DataFrame:
    grade = pl.col("grade")
    one_grade = {
        "first": grade.first(),
        "max": grade.max(),
        # Rounded, so that rounding errors do not make different grades.
        "mean": grade.mean().round(9),
        "median": grade.sort().get((pl.len() - 1) // 2),
    }
    return rows.group_by(*_KEYS, maintain_order=True).agg(grade=one_grade[combine])


def _most_frequent(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the most frequent grade per document; for ties see `majority` in `Judges`."""
    medians = _grouped(rows, "median").rename({"grade": "median"}).with_row_index("row")
    counts = rows.group_by(*_KEYS, "grade").agg(count=pl.len())
    ranked = counts.join(medians, on=_KEYS).sort(
        pl.col("row"),
        pl.col("count"),
        pl.col("grade") == pl.col("median"),
        pl.col("grade"),
        descending=[False, True, True, False],
    )
    best = ranked.unique("row", keep="first", maintain_order=True)
    return best.select(*_KEYS, "grade")


def _most_probable(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the most probable grade of each document by the model of Dawid and Skene.

    Of equally probable grades, the lowest is returned.
    """
    keys = rows.select(*_KEYS).unique(maintain_order=True).with_row_index("number")
    document = rows.join(keys, on=_KEYS, how="left", maintain_order="left")["number"].to_numpy()
    judge = np.unique(rows["judge"].to_numpy(), return_inverse=True)[1]
    grades, grade = np.unique(rows["grade"].to_numpy(), return_inverse=True)
    found = dawid_skene(document.astype(np.int64), judge, grade)
    best = (found > found.max(axis=1, keepdims=True) - EQUAL).argmax(axis=1)
    return keys.select(*_KEYS, grade=pl.Series(grades[best]))


def dawid_skene(document: Ints, judge: Ints, grade: Ints) -> Floats:
    """Return the probability of each grade for each document, of shape (documents, grades).

    The model has an error matrix per judge: the probability of giving grade j if the true grade is
    k. The matrices, the frequencies of grades and the true grades are estimated together by
    expectation–maximisation. The first estimate of a document's true grade is the fraction of
    judges that gave each grade. Iterations end when the log-likelihood rises by less than 1e-12 per
    document, or after 2,000 iterations. The arguments have one entry per judgment; documents,
    judges and grades are numbered from 0.

    Dawid and Skene, Applied Statistics 28(1), 1979.

    >>> document, judge = np.repeat([0, 1, 2, 3], 3), np.tile([0, 1, 2], 4)
    >>> grade = np.array([1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1])  # the third judge is always wrong
    >>> dawid_skene(document, judge, grade).argmax(axis=1).tolist()
    [1, 0, 1, 0]
    """
    documents, judges, grades = (int(one.max(initial=-1)) + 1 for one in (document, judge, grade))
    votes = np.zeros((documents, grades))
    np.add.at(votes, (document, grade), 1)
    truth = votes / votes.sum(axis=1, keepdims=True)
    before = -np.inf
    for _ in range(STEPS):
        shares = truth.mean(axis=0)
        errors = np.zeros((judges, grades, grades))  # axes: judge, grade given, true grade
        np.add.at(errors, (judge, grade), truth[document])
        errors /= np.maximum(errors.sum(axis=1, keepdims=True), SMALLEST)
        logs = np.log(np.maximum(shares, SMALLEST)) + np.zeros((documents, grades))
        np.add.at(logs, document, np.log(np.maximum(errors[judge, grade], SMALLEST)))
        highest = logs.max(axis=1, keepdims=True)
        truth = np.exp(logs - highest)
        likelihood = float((highest[:, 0] + np.log(truth.sum(axis=1))).mean())
        truth /= truth.sum(axis=1, keepdims=True)
        if likelihood - before < TOLERANCE:
            break
        before = likelihood
    return truth


def _check_no_contradiction(rows: pl.DataFrame) -> None:
    apart = rows.group_by("topic", "document", maintain_order=True).agg(
        count=pl.col("grade").n_unique(),
        grades=pl.col("grade"),
        judges=pl.col("judge"),
    )
    apart = apart.filter(pl.col("count") > 1)
    if apart.is_empty():
        return
    topic, document, _, grades, judges = apart.row(0)
    each = ", ".join(f"{judge} {grade:g}" for grade, judge in zip(grades, judges, strict=True))
    raise InputError(
        QRELS,
        (
            *("judges disagree on ", Count(apart.height, "document"), ", first on document "),
            f"{document} of topic {topic} (grades: {each}). Choose how to combine the grades: ",
            f"{', '.join(CHOICES)}.",
        ),
        remedy=Remedy(COMBINE, "take the most frequent grade"),
    )


def scales_apart(used: Mapping[str, Floats]) -> str | None:
    """Return a text that names two judges without a common grade above 0, or None.

    `used` has the grades of each judge. Judges with at most one grade above 0 are ignored, because
    their scale is unknown.
    """
    above = {name: set(grades[grades > 0].tolist()) for name, grades in used.items()}
    for (first, some), (second, others) in combinations(above.items(), 2):
        if not some & others and min(len(some), len(others)) > 1:
            texts = [some_of([f"{g:g}" for g in sorted(grades)], 5) for grades in (some, others)]
            return f"{first} {texts[0]} and {second} {texts[1]}"
    return None


def check_several(judges: Mapping[str, Qrels]) -> None:
    if len(judges) > 1:
        return
    name = next(iter(judges), "none")
    named = "" if name == UNNAMED else f" ({name})"
    another = Argument("judge", "FILE", python="{'judge': qrels, …}")
    raise CallError(
        f"two judges or more are needed; only one is given{named}. Give two files of judgments, or "
        "a table with a column of judges.",
        remedy=Remedy(another, "add the judgments of another judge"),
    )
