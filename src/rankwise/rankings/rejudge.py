"""Rankings under alternative judgments.

Scores under other judgments are needed for pools, samples, assumptions, explanations, predictions
and judging plans. This module builds the rankings for these scores, and does not cache them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankwise.arrays import Bools, Ints, Shorts, joined_ranges

if TYPE_CHECKING:
    from rankwise.rankings.judged import JudgedRankings


class Rows(NamedTuple):
    """Judged documents in rankings, in any order, with columns as in JudgedRankings."""

    ranking: Ints
    rank: Ints
    grade: Ints
    tie_first: Ints
    tie_last: Ints

    @classmethod
    def untied(cls, ranking: Ints, rank: Ints, grade: Ints) -> Rows:
        return cls(ranking, rank, grade, rank, rank)

    def in_order(self) -> Rows:
        """Return the rows sorted by ranking and rank."""
        order = np.lexsort((self.rank, self.ranking))
        return Rows(*(column[order] for column in self))


class Pools(NamedTuple):
    """Judged grades by topic, highest first, and the index of the first grade of each topic.

    The last entry of `topic_start` is the number of grades.
    """

    topic_grades: Ints
    topic_start: Ints

    @classmethod
    def of(cls, topic: Ints, grade: Ints, topics: int) -> Pools:
        """Sort the grades of judged documents by topic and decreasing grade."""
        sizes = np.bincount(topic, minlength=topics)
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        falling = (topic[1:] == topic[:-1]) & (grade[1:] <= grade[:-1])
        if ((topic[1:] > topic[:-1]) | falling).all():  # already sorted, as judgments usually are
            return cls(grade, start)
        return cls(grade[np.lexsort((-grade, topic))], start)


def add_rows(judged: JudgedRankings, rows: Rows) -> JudgedRankings:
    """Return the rankings with more judged rows.

    The lengths of the rankings and the judged grades of the topics do not change.
    """
    old = (judged.ranking, judged.rank, judged.grade, judged.tie_first, judged.tie_last)
    both = Rows(*(np.concatenate(pair) for pair in zip(old, rows, strict=True)))
    judgment = None
    if judged.needs_judgments and judged.judgment is not None:
        judgment = np.append(judged.judgment, np.full(len(rows.rank), -1))
        judgment = judgment[np.lexsort((both.rank, both.ranking))]
    return replace(judged, judgment=judgment, **both.in_order()._asdict())


def add_one_document(judged: JudgedRankings, grade: int, rank: Ints) -> JudgedRankings:
    """Return the rankings with one more judged document in each of their topics.

    `rank` has the rank of the new document in each ranking, or 0 if it is not retrieved there.
    """
    topics, count = np.unique(judged.topic), len(judged.topic_start) - 1
    topic = np.concatenate([_topic_of_judgments(judged), topics])
    grades = np.concatenate([judged.topic_grades, np.full(len(topics), grade)])
    elsewhere = judged.elsewhere
    if elsewhere is not None:
        elsewhere = np.maximum(elsewhere - (rank == 0), 0)
    length = np.maximum(judged.length, rank)
    pools = Pools.of(topic, grades, count)._asdict()
    longer = replace(judged, length=length, retrieved=None, elsewhere=elsewhere, **pools)
    here = np.flatnonzero(rank > 0)
    return add_rows(longer, Rows.untied(here, rank[here], np.full(len(here), grade)))


def add_missed(judged: JudgedRankings, length: Ints, grades: list[int]) -> JudgedRankings:
    """Return rankings of the new `length`, continued with judged documents not yet retrieved.

    Documents with the first of the `grades` come first, then those with the next grade, until the
    new length is reached. Any remaining ranks have unjudged documents.
    """
    end, rows = judged.length, [Rows.untied(*np.zeros((3, 0), np.int64))]
    for grade in grades:
        count = np.clip(judged.missed(grade), 0, np.maximum(length - end, 0))
        ranking, rank = joined_ranges(end + 1, count)
        rows.append(Rows.untied(ranking, rank, np.full(len(ranking), grade)))
        end = end + count
    added = Rows(*(np.concatenate(columns) for columns in zip(*rows, strict=True)))
    return replace(add_rows(judged, added), length=length)


def judge_one_at_a_time(one: JudgedRankings, changed: Rows) -> JudgedRankings:
    """Return copies of one ranking, each with the judgment of one document changed.

    `one` is a single ranking. Each row of `changed` has the rank and the new grade of a document,
    judged or unjudged in `one`. All other judgments stay the same. Each copy has a topic of its
    own, after the existing topics. `changed.ranking` is ignored.
    """
    count, known = len(changed.rank), len(one.rank)
    each = np.arange(count)
    copies = Rows(
        np.repeat(each, known),
        *(np.tile(c, count) for c in (one.rank, one.grade, one.tie_first, one.tie_last)),
    )
    unchanged = copies.rank != changed.rank[copies.ranking]
    own = changed._replace(ranking=each)
    rows = Rows(*(np.concatenate([a[unchanged], b]) for a, b in zip(copies, own, strict=True)))
    topics = len(one.topic_start) - 1
    here = slice(*one.topic_start[one.topic[0] : one.topic[0] + 2])
    pool = one.topic_grades[here]
    # Position of the judgment that a change replaces; any judgment of the same grade will do.
    place = np.searchsorted(-pool, -copies.grade[~unchanged])
    if one.subtopics is not None and one.judgment is not None:
        place = np.tile(one.judgment, count)[~unchanged] - here.start
    in_pool = np.ones((count, len(pool)), np.bool_)
    in_pool[copies.ranking[~unchanged], place] = False
    variant, at = np.nonzero(in_pool)
    topic = np.concatenate([_topic_of_judgments(one), topics + variant, topics + each])
    grades = np.concatenate([one.topic_grades, pool[at], changed.grade])
    judgment, subtopics = None, one.subtopics
    if subtopics is not None and one.judgment is not None:
        origin = np.concatenate([np.arange(len(one.topic_grades)), here.start + at, -1 - each])
        order = np.lexsort((-grades, topic))
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        of_variant = np.full((count, len(pool)), -1)
        of_variant[variant, at] = number[len(one.topic_grades) :][: len(at)]
        old = of_variant[copies.ranking, np.tile(one.judgment, count) - here.start][unchanged]
        judgment = np.concatenate([old, number[len(origin) - count :]])
        judgment = judgment[np.lexsort((rows.rank, rows.ranking))]
        topic_of = np.concatenate([np.arange(topics), np.full(count, one.topic[0])])
        same = origin[order] >= 0
        subtopics = subtopics.moved(origin[order], same, grades[order], topic_of)
    return replace(
        one,
        **rows.in_order()._asdict(),
        **Pools.of(topic, grades, topics + count)._asdict(),
        judgment=judgment,
        subtopics=subtopics,
        length=np.repeat(one.length, count),
        present=np.ones(count, np.bool_),
        topics=(*one.topics, *(f"variant {rank}" for rank in changed.rank.tolist())),
        topic=topics + each,
    )


def _topic_of_judgments(judged: JudgedRankings) -> Ints:
    sizes = np.diff(judged.topic_start)
    return np.repeat(np.arange(len(sizes)), sizes)


@dataclass(frozen=True, eq=False, repr=False)
class Rejudged:
    """Rankings that can be scored under other judgments, without joining runs and qrels again.

    Each document of a topic has a code, an integer. Judged documents have the first codes, in the
    order of `JudgedRankings.topic_grades`. `topic` and `grade` have one entry per code; the grade
    of an unjudged document is 0. `ranking`, `rank`, `tie_first`, `tie_last` and `code` have one
    entry per retrieved document, sorted by ranking and rank. They have only judged documents if the
    rankings do not include all retrieved documents.

    `in_any_run` and `others` are optional and serve to count the unjudged documents of each topic.
    `in_any_run` is a mask of the codes of documents that at least one run retrieved. `others` has
    the number of unjudged documents without a code, per topic.
    """

    judged: JudgedRankings
    topic: Ints
    grade: Ints
    ranking: Ints
    rank: Ints | Shorts
    tie_first: Ints | Shorts
    tie_last: Ints | Shorts
    code: Ints | Shorts
    in_any_run: Bools | None = None
    others: Ints | None = None

    @classmethod
    def of(cls, judged: JudgedRankings) -> Rejudged:
        """Build from joined rankings that have the column `judgment` or the table `retrieved`."""
        topic, table = _topic_of_judgments(judged), judged.retrieved
        if table is None:
            assert judged.judgment is not None
            columns = (judged.ranking, judged.rank, judged.tie_first, judged.tie_last)
            return cls(judged, topic, judged.topic_grades, *columns, judged.judgment)
        new = table.codes - table.judgments
        topics = np.concatenate([topic, np.zeros(new, np.int64)])
        topics[table.code] = table.topic
        grade = np.concatenate([judged.topic_grades, np.zeros(new, np.int64)])
        ranking = table.ranking(len(judged.topics))
        deepest = int(table.rank.max(initial=0))
        order = np.argsort(ranking * (deepest + 1) + table.rank)  # no two rows are equal
        none = np.zeros(0, np.int64)
        bare = replace(
            judged,
            **Rows(none, none, none, none, none)._asdict(),
            judgment=None,
            retrieved=None,
        )
        return cls(
            bare,
            topics,
            grade,
            ranking=ranking[order],
            rank=table.rank[order],
            tie_first=table.tie_first[order],
            tie_last=table.tie_last[order],
            code=table.code[order],
        )

    @property
    def is_judged(self) -> Bools:
        """Mask of the judged documents, by code."""
        return np.arange(len(self.topic)) < len(self.judged.topic_grades)

    def where_places(self, places: Bools | Ints) -> Rejudged:
        """Keep some retrieved documents, selected by index or mask; all others become unjudged."""
        names = ("ranking", "rank", "tie_first", "tie_last", "code")
        return replace(self, **{name: getattr(self, name)[places] for name in names})

    def keep(self, kept: Bools) -> JudgedRankings:
        """Return the rankings with only the judgments in the mask `kept`.

        A document whose judgment is removed is unjudged. Topics without judgments are not removed.
        """
        known = np.zeros(len(self.topic), np.bool_)
        known[: len(kept)] = kept
        return self.assign(known)

    def assign(self, known: Bools, grade: Ints | None = None) -> JudgedRankings:
        """Return the rankings with exactly the documents in the mask `known` (by code) judged.

        Documents have their current grades or, if `grade` is given, `grade[code]`.
        """
        return self.alternatives(known).graded(grade)

    def limited(self, open_codes: Bools, runs: slice) -> JudgedRankings:
        """Return the rankings of some runs, in which only some unjudged documents can be relevant.

        The mask `open_codes` selects these documents by code. All other unjudged documents get the
        grade −1: they have no gain, and bounds ignore them. Ties are broken by the current ranks.
        """
        judged, topics = self.judged, len(self.judged.topics)
        names = judged.runs[runs]
        first, last = runs.start * topics, (runs.start + len(names)) * topics
        length = judged.length[first:last]
        start = np.cumsum(length) - length
        here = slice(*np.searchsorted(self.ranking, [first, last]))
        code = self.code[here]
        place = start[self.ranking[here] - first] + self.rank[here] - 1
        known = code < len(judged.topic_grades)
        grade, is_open = np.full(length.sum(), -1), np.zeros(length.sum(), np.bool_)
        grade[place[known]] = self.grade[code[known]]
        is_open[place[~known & open_codes[code]]] = True
        rows = np.flatnonzero(~is_open)
        ranking = np.repeat(np.arange(len(length)), length)[rows]
        columns = Rows.untied(ranking, rows - start[ranking] + 1, grade[rows])
        rankings = np.arange(first, last)
        judgment = None
        if judged.needs_judgments:
            number = np.full(length.sum(), -1)
            number[place[known]] = code[known]
            judgment = number[rows]
        return replace(
            judged,
            runs=names,
            **columns._asdict(),
            judgment=judgment,
            length=length,
            present=judged.present[first:last],
            topic=judged.topic[first:last],
            topic_unjudged=np.bincount(self.topic[open_codes & ~self.is_judged], minlength=topics),
            lengths=None if judged.lengths is None else judged.lengths.where_rankings(rankings),
        )

    def alternatives(self, known: Bools) -> Alternatives:
        """Return an object that builds the rankings under many different grades.

        Under all of them, exactly the documents in the mask `known` (by code) are judged.
        """
        unjudged = self.judged.topic_unjudged
        if self.in_any_run is not None and self.others is not None:
            lost = self.topic[self.in_any_run & ~known]
            unjudged = self.others + np.bincount(lost, minlength=len(self.others))
        places = np.flatnonzero(known[self.code])
        base = replace(
            self.judged,
            ranking=self.ranking[places],
            rank=self.rank[places].astype(np.int64),
            grade=np.zeros(len(places), np.int64),
            tie_first=self.tie_first[places].astype(np.int64),
            tie_last=self.tie_last[places].astype(np.int64),
            judgment=None,
            retrieved=None,
            topic_unjudged=unjudged,
        )
        return Alternatives(base, self.topic[known], self.grade, known, self.code[places])


@dataclass(frozen=True, eq=False, repr=False)
class Alternatives:
    """Rankings in which a fixed set of documents is judged, and only their grades change."""

    base: JudgedRankings
    topic: Ints  # topic of each judged code
    grade: Ints  # current grade of each code
    known: Bools
    code: Ints | Shorts  # code of each row

    def graded(self, grade: Ints | None = None) -> JudgedRankings:
        """Return the rankings with the grade `grade[code]`, by default the current grade."""
        grades = self.grade if grade is None else grade
        pools = Pools.of(self.topic, grades[self.known], len(self.base.topic_start) - 1)
        rankings = replace(self.base, grade=grades[self.code], **pools._asdict())
        subtopics = self.base.subtopics
        if subtopics is None:
            return rankings
        codes = np.flatnonzero(self.known)
        origin = codes[np.lexsort((-grades[codes], self.topic))]
        judged = origin < len(subtopics.grades)
        same = judged & (grades[origin] == self.grade[origin])
        number = np.full(len(self.known), -1)
        number[origin] = np.arange(len(origin))
        subtopics = subtopics.moved(origin, same, grades[origin])
        return replace(rankings, judgment=number[self.code], subtopics=subtopics)
