"""Judgments by subtopic, as in diversity qrels.

A document can have a grade for each subtopic (intent) of a topic. Metrics that do not use subtopics
take the highest of these grades. Diversity metrics use one ranking per subtopic, with the same
documents and their grades for this subtopic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankwise.arrays import Bools, Floats, Ints, joined_ranges
from rankwise.errors import CallError, InputError, did_you_mean
from rankwise.lazy import pl
from rankwise.rankings.documents import Retrieved
from rankwise.rankings.rejudge import Pools

if TYPE_CHECKING:
    from rankwise.rankings.judged import JudgedRankings

DIGITS = 12  # decimal digits of gains, so that rounding errors do not make gains different
SubtopicWeights = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class Subtopics:
    """Judgments by subtopic, and the weight of each subtopic.

    Parameters
    ----------
    qrels
        Judgments that have a subtopic: a path, a frame with a column `subtopic`, or rows.
    weights
        {topic: {subtopic: weight}}, or a file with lines `topic subtopic weight`. A subtopic
        without an entry has weight 0.

    Examples
    --------
    >>> from rankwise import Subtopics, score
    >>> rows = [("1", "x", "a", 1), ("1", "y", "b", 1)]
    >>> columns = ("topic", "subtopic", "document", "grade")
    >>> qrels = [dict(zip(columns, row)) for row in rows]
    >>> found = score(Subtopics(qrels, {"1": {"x": 3, "y": 1}}), {"1": {"a": 1}}, "P_IA@1")
    >>> found.to_dict()
    {'run': {'P_IA@1': 0.75}}
    """

    qrels: Any
    weights: Any

    def by_topic(self) -> SubtopicWeights:
        """Return the weights as {topic: {subtopic: weight}}; read them if they are in a file."""
        if isinstance(self.weights, Mapping):
            return {str(t): {str(s): w for s, w in of.items()} for t, of in self.weights.items()}
        from rankwise.formats import File, number_faults, open_source, split_lines

        file = File(open_source(self.weights))
        rows, faults = split_lines(
            file, r"^(\S+)\s+(\S+)\s+(\S+)$", ["topic", "subtopic", "weight"]
        )
        numbers = rows["weight"].cast(pl.Float64, strict=False)
        wrong = faults.because("not three fields") + number_faults(rows, "weight")
        if wrong:
            raise InputError(file.name, "A line is: topic subtopic weight.", wrong)
        table: dict[str, dict[str, float]] = {}
        for topic, subtopic, weight in zip(rows["topic"], rows["subtopic"], numbers, strict=True):
            if subtopic in table.get(topic, {}):
                what = f"subtopic {subtopic} of topic {topic} has two weights. Keep one."
                raise InputError(file.name, what)
            table.setdefault(topic, {})[subtopic] = weight
        return table


def check_weights(rows: pl.DataFrame, weights: SubtopicWeights) -> None:
    """Raise an error for weights that are negative, infinite or of unknown subtopics.

    It is also an error if a topic has no weight above 0.
    """
    known = rows.group_by("topic", maintain_order=True).agg(pl.col("subtopic").unique())
    for topic, subtopics in known.iter_rows():
        of_topic = weights.get(topic, {})
        unknown = sorted(set(of_topic) - set(subtopics))
        if unknown:
            near = did_you_mean(unknown[0], subtopics)
            raise InputError(
                "subtopic weights", f"topic {topic} has no subtopic {unknown[0]!r}.{near}"
            )
        wrong = [weight for weight in of_topic.values() if not 0 <= weight < np.inf]
        if wrong or sum(of_topic.values()) == 0:
            what = f"a weight of {wrong[0]:g}" if wrong else "no weight above 0"
            raise InputError(
                "subtopic weights",
                f"topic {topic} has {what}. Give each topic of the qrels weights of 0 or more, "
                "at least one of them above 0.",
            )


@dataclass(frozen=True, eq=False, repr=False)
class SubtopicGrades:
    """Grades of judged documents for each subtopic of their topic.

    `grades` has a row per judgment, in the order of `JudgedRankings.topic_grades`, and a column per
    subtopic of the topic. If a document is not judged for a subtopic, the grade is 0, or the
    document's negative grade. `count` has the number of subtopics per topic. `weights` has shape
    (topics, subtopics). `name_order` has the position of each document if all judged documents are
    sorted by name, bytewise. It is −1 for judgments that were added or changed later.
    """

    grades: Ints
    count: Ints
    weights: Floats
    name_order: Ints

    @classmethod
    def of(
        cls,
        rows: pl.DataFrame,
        weights: SubtopicWeights | None,
        judged: pl.DataFrame,
        topics: tuple[str, ...],
        plain: Ints,
    ) -> SubtopicGrades:
        """Return the grades by subtopic, with subtopics numbered by name within each topic.

        `judged` has the judgments in the order of the result, `plain` their highest grades.
        """
        numbered = judged.select("topic", "document").with_row_index("judgment")
        rows = rows.join(numbered, on=["topic", "document"])
        listed = rows.select("topic", "subtopic").unique().sort("topic", "subtopic")
        listed = listed.with_columns(place=pl.int_range(pl.len()).over("topic"))
        code = {topic: number for number, topic in enumerate(topics)}
        number = np.array([code[topic] for topic in listed["topic"]], np.int64)
        place = listed["place"].to_numpy().astype(np.int64)
        count = np.bincount(number, minlength=len(topics))
        weight = np.zeros((len(topics), int(count.max(initial=1))))
        weight[number, place] = 1.0
        if weights is not None:
            pairs = zip(listed["topic"], listed["subtopic"], strict=True)
            weight[number, place] = [weights.get(t, {}).get(s, 0.0) for t, s in pairs]
        rows = rows.join(listed, on=["topic", "subtopic"])
        grades = np.repeat(np.minimum(plain, 0)[:, None], weight.shape[1], axis=1)
        grades[rows["judgment"].to_numpy(), rows["place"].to_numpy()] = rows["grade"].to_numpy()
        order = np.empty(judged.height, np.int64)
        order[judged["document"].cast(pl.Binary).arg_sort().to_numpy()] = np.arange(judged.height)
        return cls(grades, count, weight, order)

    @classmethod
    def single(cls, judged: JudgedRankings) -> SubtopicGrades:
        """Return judgments without subtopics as judgments with one subtopic per topic."""
        ones = np.ones(len(judged.topic_start) - 1, np.int64)
        names = np.zeros(len(judged.topic_grades), np.int64)
        return cls(judged.topic_grades[:, None], ones, ones[:, None].astype(np.float64), names)

    def moved(
        self, origin: Ints, same: Bools, grade: Ints, topic_of: Ints | None = None
    ) -> SubtopicGrades:
        """Return the grades for other judgments; `origin` has the old index of each judgment.

        Where `same` is False, a judgment has the grade `grade` for every subtopic. If there are new
        topics, `topic_of` has the old topic for each topic.
        """
        kept = np.where(same, origin, 0)
        grades = np.where(same[:, None], self.grades[kept], grade[:, None])
        names = np.where(same, self.name_order[kept], -1)
        if topic_of is None:
            return replace(self, grades=grades, name_order=names)
        return SubtopicGrades(grades, self.count[topic_of], self.weights[topic_of], names)


def grades_of(judged: JudgedRankings) -> tuple[SubtopicGrades, Ints]:
    """Return the grades by subtopic of all judgments, and of all rows (judged documents).

    A topic without subtopics is treated as a topic with one subtopic.
    """
    if judged.subtopics is None:
        return SubtopicGrades.single(judged), judged.grade[:, None]
    if judged.judgment is None or len(judged.subtopics.grades) != len(judged.topic_grades):
        what = "this function does not support judgments of subtopics"
        raise CallError(f"{what}. Use metrics without subtopics, for example AP or nDCG@10.")
    rows = judged.subtopics.grades[judged.judgment]
    return judged.subtopics, np.where(judged.judgment[:, None] < 0, judged.grade[:, None], rows)


class BySubtopic(NamedTuple):
    """One ranking per subtopic, with the index of its original ranking and of the subtopic."""

    rankings: JudgedRankings
    origin: Ints
    place: Ints  # index of the subtopic within its topic
    weights: Floats  # shape (original rankings, subtopics)

    def table(self, values: Floats) -> Floats:
        """Return values of the rankings as a table of shape (original rankings, subtopics).

        If a topic has fewer subtopics than there are columns, its other columns are NaN.
        """
        table = np.full(self.weights.shape, np.nan)
        table[self.origin, self.place] = values
        return table

    def mean(self, values: Floats) -> Floats:
        """Return, per original ranking, the weighted mean over the subtopics with a value."""
        table = self.table(values)
        weights = np.where(np.isnan(table), 0.0, self.weights)
        return np.asarray((weights * np.nan_to_num(table)).sum(axis=1) / weights.sum(axis=1))


def by_subtopic(judged: JudgedRankings) -> BySubtopic:
    """Return the rankings once for each subtopic of their topic.

    Each subtopic becomes a topic without subtopics. A document that is judged for a topic counts as
    judged for all of its subtopics. An unjudged document counts as a different document in each
    subtopic, because it may be relevant to any of them.
    """
    every, row_grades = grades_of(judged)
    if judged.subtopics is None:
        rankings = np.arange(judged.count)
        return BySubtopic(judged, rankings, np.zeros_like(rankings), np.ones((judged.count, 1)))
    count, start = every.count[judged.topic], np.concatenate([[0], np.cumsum(every.count)])
    first = np.cumsum(count) - count
    origin = np.repeat(np.arange(judged.count), count)
    place = np.arange(len(origin)) - first[origin]
    rows = _repeated(judged.ranking, count, first)
    columns = (judged.rank, judged.tie_first, judged.tie_last)
    rank, tie_first, tie_last = (column[rows.origin] for column in columns)
    judged_topic = np.repeat(np.arange(len(every.count)), np.diff(judged.topic_start))
    pool = _repeated(judged_topic, every.count, start[:-1])
    grade = every.grades[pool.origin, pool.place]
    uncut, unjudged, elsewhere = judged.uncut, judged.topic_unjudged, judged.elsewhere
    retrieved = judged.retrieved
    if retrieved is not None:
        by_grade = np.lexsort((-grade, pool.ranking))
        number = np.full(every.grades.shape, -1)
        number[pool.origin[by_grade], pool.place[by_grade]] = np.arange(len(grade))
        retrieved = _retrieved(retrieved, every.count, start, number)
    if uncut is not None:
        above = _repeated(uncut.ranking, count, first).ranking
        uncut = uncut._replace(ranking=above, length=uncut.length[origin])
    expanded = replace(
        judged,
        topics=tuple(
            f"{topic}/{place + 1}"
            for topic, places in zip(judged.topics, every.count, strict=True)
            for place in range(places)
        ),
        ranking=rows.ranking,
        rank=rank,
        grade=row_grades[rows.origin, rows.place],
        tie_first=tie_first,
        tie_last=tie_last,
        judgment=None,
        **Pools.of(pool.ranking, grade, int(start[-1]))._asdict(),
        length=judged.length[origin],
        present=judged.present[origin],
        topic=start[judged.topic[origin]] + place,
        uncut=uncut,
        retrieved=retrieved,
        topic_unjudged=None if unjudged is None else np.repeat(unjudged, every.count),
        elsewhere=None if elsewhere is None else elsewhere[origin],
        lengths=None,
        subtopics=None,
    )
    return BySubtopic(expanded, origin, place, every.weights[judged.topic])


def by_global_gain(
    judged: JudgedRankings, gain: Callable[[Ints], Floats], best: float
) -> BySubtopic:
    """Return the rankings judged by global gain: a document's Σ weight × gain over subtopics.

    The weights are scaled to sum to 1. The new grade of a document is the index of its global gain
    in the sorted list of all global gains, and `gains` of the result maps grades to global gains.
    `best` is the largest possible global gain, that of the best grade for every subtopic.
    """
    every, row_grades = grades_of(judged)
    weights = every.weights / every.weights.sum(axis=1, keepdims=True)
    topic = np.repeat(np.arange(len(every.count)), np.diff(judged.topic_start))
    of_judgments = np.round((weights[topic] * gain(every.grades)).sum(axis=1), DIGITS)
    of_rows = np.round(
        (weights[judged.topic[judged.ranking]] * gain(row_grades)).sum(axis=1), DIGITS
    )
    levels = np.unique(np.concatenate([of_judgments, of_rows, [0.0, best]]))

    def graded(gains: Floats, plain: Ints) -> Ints:
        place = np.searchsorted(levels, gains)
        return np.where((plain < 0) & (place == 0), plain, place)

    grade = graded(of_judgments, judged.topic_grades)
    order = np.lexsort((-grade, topic))
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    judgment, retrieved = judged.judgment, judged.retrieved
    if retrieved is not None:
        code = np.arange(retrieved.codes)
        code[: len(number)] = number
        names = retrieved.names.gather(np.concatenate([order, code[len(order) :]]))
        rows = retrieved.recoded(code.astype(np.int32))
        retrieved = replace(retrieved, names=names, rows=rows)
    rankings = replace(
        judged,
        grade=graded(of_rows, judged.grade),
        judgment=None if judgment is None or (judgment < 0).any() else number[judgment],
        **Pools.of(topic, grade, len(every.count))._asdict(),
        gains={place: float(level) for place, level in enumerate(levels)},
        retrieved=retrieved,
        subtopics=None,
    )
    origin = np.arange(judged.count)
    return BySubtopic(rankings, origin, np.zeros_like(origin), np.ones((judged.count, 1)))


class _Repeated(NamedTuple):
    """Rows repeated for each subtopic, sorted by new ranking and then in the old order.

    `ranking` is the new ranking, `origin` the old row, and `place` the index of the subtopic.
    """

    ranking: Ints
    origin: Ints
    place: Ints


def _repeated(ranking: Ints, count: Ints, first: Ints) -> _Repeated:
    origin, new = joined_ranges(first[ranking], count[ranking])
    order = np.argsort(new, kind="stable")
    new, origin = new[order], origin[order]
    return _Repeated(new, origin, new - first[ranking[origin]])


def _retrieved(table: Retrieved, count: Ints, start: Ints, judgments: Ints) -> Retrieved:
    """Return the retrieved documents once for each subtopic, with new codes.

    `judgments` has the new index of each judgment (row) for each subtopic (column), or −1.
    """
    topic = np.zeros(table.codes, np.int64)
    topic[table.code] = table.topic
    code = np.full((len(topic), judgments.shape[1]), -1)
    code[: len(judgments)] = judgments
    known, judged = int(judgments.max(initial=-1)) + 1, 0
    # Documents that an assumption excludes count as judged, without a judgment.
    for first, last in ((len(judgments), table.judgments), (table.judgments, len(topic))):
        new, judged = _repeated(topic[first:last], count, start[:-1]), known
        code[first + new.origin, new.place] = known + np.arange(len(new.origin))
        known += len(new.origin)
    at, place = np.nonzero(code >= 0)
    names = np.empty(len(at), np.int64)
    names[code[at, place]] = at
    rows = _repeated(table.topic.astype(np.int64), count, start[:-1])
    codes = code[table.code[rows.origin], rows.place]
    order = np.lexsort((table.run[rows.origin], codes))
    at = rows.origin[order]
    new_rows = table.by_code.only(at)._replace(
        topic=rows.ranking[order].astype(np.int32), code=codes[order].astype(np.int32)
    )
    return Retrieved(table.names.gather(names), judged, new_rows)
