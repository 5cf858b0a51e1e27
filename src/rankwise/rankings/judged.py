"""Judged rankings: the join of runs and judgments, in columns.

Almost every metric needs only documents that are both retrieved and judged. The table has one row
for each of these documents, for all rankings of all runs, sorted by ranking and rank. Ranks without
a row are those of unjudged documents.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints, joined_ranges, products_above, sums_within
from rankwise.notes import Note

if TYPE_CHECKING:
    from rankwise.rankings.documents import Retrieved
    from rankwise.rankings.filters import Taken
    from rankwise.rankings.lengths import Lengths
    from rankwise.rankings.preferences import NumberedPreferences
    from rankwise.rankings.subtopics import BySubtopic, SubtopicGrades

T = TypeVar("T")
SHOWN_TIED = 4  # number of topics; one more than messages show
ROW_COLUMNS = ("ranking", "rank", "grade", "tie_first", "tie_last")


class TopicsOfRun(NamedTuple):
    """Counts of a run's topics, for notes on how the topics match the judgments."""

    judged: int = 0  # topics that have judgments
    unknown: int = 0  # topics without judgments
    none_judged: int = 0  # topics with judgments, none of them for a retrieved document
    holds_self: bool = False  # whether the run has documents named like their topic
    first: tuple[str, ...] = ()  # some topics, for messages
    taken: "Taken | None" = None  # row counts after each filter, if there are filters
    tied: int = 0  # topics whose documents, two or more, all have the same score
    first_tied: tuple[str, ...] = ()  # some of these topics, for messages

    def plus(self, other: "TopicsOfRun") -> "TopicsOfRun":
        """Add the counts of another part of the run; the two parts have no topic in common."""
        return TopicsOfRun(
            self.judged + other.judged,
            self.unknown + other.unknown,
            self.none_judged + other.none_judged,
            self.holds_self or other.holds_self,
            self.first + other.first,
            self.taken and other.taken and self.taken.plus(other.taken),
            self.tied + other.tied,
            tuple(sorted(self.first_tied + other.first_tied)[:SHOWN_TIED]),
        )


@dataclass(frozen=True, eq=False, repr=False)
class OfTopics:
    """Cache of values that depend only on `columns`, the topics and their judgments."""

    columns: tuple[Any, ...] = ()
    kept: dict[Hashable, Any] = field(default_factory=dict)


class Uncut(NamedTuple):
    """Two columns of rankings before `JudgedRankings.top` cut them, to count unjudged documents.

    The cut rankings hold these columns, and not the rankings before the cut, because rankings cache
    their cut versions. A reference in both directions would delay the release of memory.
    """

    ranking: Ints
    length: Ints

    @property
    def unjudged_count(self) -> Ints:
        """Number of unjudged documents in each uncut ranking."""
        return self.length - np.bincount(self.ranking, minlength=len(self.length))


@dataclass(frozen=True, eq=False)
class JudgedRankings:
    """All rankings of all runs, joined with the judgments.

    A ranking is one run's list for one topic. After a join, its index is (index of the run) ×
    (number of topics) + (index of the topic). If a run does not have a topic, the ranking has
    length 0 and is not `present`.

    Rows, one for each retrieved and judged document, sorted by ranking and rank:
      `ranking`, `rank` (from 1), `grade`, `tie_first` and `tie_last` (the first and last rank of
      the documents with the same score). After a join, `judgment` is an index into `topic_grades`.
      It is −1 for an unjudged document with an assumed grade, the same for every subtopic.
    Rankings: `length`, `present`, and `topic`, an index.
    Topics: `topic_grades[topic_start[t]:topic_start[t + 1]]`, all judged grades of topic t, highest
      first.

    If `depth` is set, the rankings are not cut to it yet, because a metric with `ties=share` needs
    the whole tie group at the depth: it averages the weights of tied documents before it truncates
    the ranking. All other metrics use `cut_to_depth`. If requested, `retrieved` has all retrieved
    documents, judged or not; the method `top` does not cut this table. `topic_unjudged[t]` is the
    number of distinct unjudged documents that at least one run retrieved for topic t.
    `elsewhere[r]` is the number of unjudged documents that may be relevant and that ranking r did
    not retrieve.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    ranking: Ints = field(repr=False)
    rank: Ints = field(repr=False)
    grade: Ints = field(repr=False)
    tie_first: Ints = field(repr=False)
    tie_last: Ints = field(repr=False)
    length: Ints = field(repr=False)
    present: Bools = field(repr=False)
    topic: Ints = field(repr=False)
    topic_grades: Ints = field(repr=False)
    topic_start: Ints = field(repr=False)
    judgment: Ints | None = field(default=None, repr=False)
    subtopics: "SubtopicGrades | None" = field(default=None, repr=False)
    preferences: "NumberedPreferences | None" = field(default=None, repr=False)
    gains: Mapping[int, float] | None = None
    notes: tuple[Note, ...] = ()
    topics_of_runs: tuple[TopicsOfRun, ...] = ()  # set by a join
    uncut: "Uncut | None" = field(default=None, repr=False)  # columns before `top` cut the rankings
    cutoff: int | None = None  # the cutoff of `top`
    depth: int | None = None  # evaluation depth, if the rankings are not cut to it yet
    retrieved: "Retrieved | None" = field(default=None, repr=False)
    topic_unjudged: Ints | None = field(default=None, repr=False)
    elsewhere: Ints | None = field(default=None, repr=False)
    lengths: "Lengths | None" = field(default=None, repr=False)  # lengths of documents, if given
    extra: int = 0  # documents per topic that may be relevant and that no run retrieved
    # Values cached by `keep`. The field is no argument, so `replace` starts with an empty cache.
    _kept: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)
    of_topics: OfTopics = field(default=OfTopics(), repr=False)  # values cached by `keep_of_topics`

    def __post_init__(self) -> None:
        topics = (self.topic, self.topic_grades, self.topic_start, self.gains)
        # The same objects, not only equal ones.
        if list(map(id, self.of_topics.columns)) != list(map(id, topics)):
            object.__setattr__(self, "of_topics", OfTopics(topics))
        rows = {len(getattr(self, name)) for name in ROW_COLUMNS}
        rows |= set() if self.judgment is None else {len(self.judgment)}
        rankings = {len(column) for column in (self.length, self.present, self.topic)}
        rankings |= set() if self.lengths is None else {len(self.lengths.start)}
        if len(rows) > 1 or len(rankings) > 1:
            raise ValueError(f"columns of unequal length: {rows} rows, {rankings} rankings")

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the columns without cached values."""
        caches = ("_kept", "of_topics")
        return {name: value for name, value in vars(self).items() if name not in caches}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state, _kept={}, of_topics=OfTopics())
        self.__post_init__()

    @property
    def count(self) -> int:
        """Number of rankings."""
        return len(self.length)

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value of `key`; the first time, call `make` to compute the value.

        The value must not contain a reference to these rankings: a reference in both directions
        would delay the release of memory.
        """
        if key in self._kept:
            cached: T = self._kept[key]
            return cached
        value = make()
        if value is not self:
            self._kept[key] = value
        return value

    def keep_of_topics(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return a cached value like `keep`, for values that depend on topics and judgments only.

        Rankings share the cache if their arrays `topic`, `topic_grades` and `topic_start`, and
        their `gains`, are the same objects.
        """
        if key not in self.of_topics.kept:
            self.of_topics.kept[key] = make()
        cached: T = self.of_topics.kept[key]
        return cached

    # Sums and products per ranking, or cumulative ones per row.

    def total(self, values: npt.NDArray[Any]) -> Floats:
        """Return, per ranking, the sum of `values` over its rows (judged documents)."""
        return np.bincount(self.ranking, values, self.count).astype(np.float64, copy=False)

    def running(self, values: npt.NDArray[Any]) -> Floats:
        """Return, per row, the sum of `values` over this row and those above it in its ranking."""
        if values.dtype.kind not in "bui":
            return sums_within(values, self.row_start).astype(np.float64)
        sums = np.cumsum(values, dtype=np.float64)  # whole numbers are exact
        before = np.concatenate([np.zeros(1), sums])[self.row_start[:-1]]
        return sums - before[self.ranking]

    def running_product(self, values: Floats) -> Floats:
        """Return, per row, the product of `values` over all rows above it in its ranking.

        The product is 1 for the first row of a ranking.
        """
        return products_above(values, self.row_start)

    def first(self, mask: Bools) -> Floats:
        """Return, per ranking, the best rank of a row where `mask` is True; infinity if none."""
        ranks = np.full(self.count, np.inf)
        rows = np.flatnonzero(mask)[::-1]  # reversed: the last write wins, which is the first row
        ranks[self.ranking[rows]] = self.rank[rows]
        return ranks

    @property
    def row_start(self) -> Ints:
        """Index of the first row of each ranking, followed by the total number of rows."""
        return self.keep(
            "row_start",
            lambda: np.append(0, np.cumsum(np.bincount(self.ranking, minlength=self.count))),
        )

    @property
    def place(self) -> Ints:
        """Position of each row among the rows (judged documents) of its ranking, from 1."""
        rows = np.arange(1, len(self.ranking) + 1)
        return self.keep("place", lambda: rows - self.row_start[:-1][self.ranking])

    def rows_of(self, rankings: Ints) -> tuple[Ints, Ints]:
        """Return the rows of some rankings as two arrays, with one entry per row.

        The first array has the position of the row's ranking in the argument `rankings`, the second
        the index of the row.
        """
        return joined_ranges(self.row_start[rankings], np.diff(self.row_start)[rankings])

    def rows_where(self, mask: Bools, *, judgments: bool = False) -> "JudgedRankings":
        """Return the rankings with only some of their rows; the other documents count as unjudged.

        The column `judgment` is dropped unless the judgments have subtopics or are preferences, or
        `judgments` is True.
        """
        judgments |= self.needs_judgments
        if mask.all():
            return self if judgments or self.judgment is None else replace(self, judgment=None)
        rows = np.flatnonzero(mask)  # indices are several times faster than a mask
        columns = {name: getattr(self, name)[rows] for name in ROW_COLUMNS}
        judgment = self.judgment[rows] if judgments and self.judgment is not None else None
        return replace(self, judgment=judgment, **columns)

    @property
    def needs_judgments(self) -> bool:
        """Whether metrics need the column `judgment`, because of subtopics or preferences."""
        return self.subtopics is not None or self.preferences is not None

    def where_runs(self, keep: Sequence[bool]) -> "JudgedRankings":
        """Return the rankings of the runs for which `keep` is True, with all judgments.

        `retrieved`, `topic_unjudged` and `elsewhere`, which may depend on other runs, are dropped.
        """
        runs = np.flatnonzero(keep)
        width = len(self.topics)
        rankings = (runs[:, None] * width + np.arange(width)).ravel()
        names = tuple(self.runs[run] for run in runs)
        found = replace(self.where_rankings(rankings), runs=names)
        return replace(found, topic_unjudged=None, elsewhere=None)

    def level_of(self, rel: float) -> int:
        """Return the relevance threshold `rel` as a grade.

        An integer is already a grade. A fraction is a threshold on gains: the result is the
        smallest grade, at least 1, with a gain of at least `rel`. The table `gains` has the gain of
        each grade; a grade that it lacks is its own gain. If no gain is large enough, the result is
        one more than the highest judged grade.
        """
        if float(rel).is_integer():
            return int(rel)
        gains, judged = self.gains or {}, np.unique(self.topic_grades).tolist()
        levels = [grade for grade in {*gains, *judged} if gains.get(grade, grade) >= rel]
        return max(1, min(levels, default=max(judged, default=0) + 1))

    def where_rankings(self, rankings: Ints) -> "JudgedRankings":
        """Return the rankings with these indices, with all judgments and without `retrieved`.

        Runs may then have different topics, so use `topic` to find the topic of a ranking.
        """
        number = np.full(self.count, -1)
        number[rankings] = np.arange(len(rankings))
        rows = self.rows_where(number[self.ranking] >= 0)
        return replace(
            rows,
            ranking=number[rows.ranking],
            length=self.length[rankings],
            present=self.present[rankings],
            topic=self.topic[rankings],
            retrieved=None,
            elsewhere=None if self.elsewhere is None else self.elsewhere[rankings],
            lengths=None if self.lengths is None else self.lengths.where_rankings(rankings),
        )

    def relevant(self, rel: int) -> "JudgedRankings":
        """Return the rankings with only the rows of grade `rel` or more."""
        return self.keep(("relevant", rel), lambda: self.rows_where(self.grade >= rel))

    def top(self, cutoff: int | None) -> "JudgedRankings":
        """Return the rankings cut after `cutoff` documents, or unchanged if `cutoff` is None."""
        if cutoff is None:
            return self
        return self.keep(
            ("top", cutoff),
            lambda: replace(
                self.rows_where(self.rank <= cutoff),
                length=np.minimum(self.length, cutoff),
                uncut=Uncut(self.ranking, self.length),
                cutoff=cutoff,
            ),
        )

    def cut_to_depth(self) -> "JudgedRankings":
        """Return the rankings cut to `depth`, as if documents below it were not retrieved."""
        depth = self.depth
        if depth is None:
            return self

        return self.keep(
            "cut_to_depth",
            lambda: replace(
                self.rows_where(self.rank <= depth),
                length=self.seen_length,
                depth=None,
                retrieved=None if self.retrieved is None else self.retrieved.above(depth),
            ),
        )

    @property
    def seen_length(self) -> Ints:
        """Number of documents of each ranking, down to `depth` if it is set."""
        return self.length if self.depth is None else np.minimum(self.length, self.depth)

    @property
    def unjudged_count(self) -> Ints:
        """Number of unjudged documents of each ranking."""
        return self.length - np.diff(self.row_start)

    @property
    def unjudged_below(self) -> Ints:
        """Number of unjudged documents of each ranking that are below the cutoff set by `top`.

        If `elsewhere` is set, unjudged documents outside the ranking are counted too.
        """
        here = self.unjudged_count
        below = np.zeros_like(here) if self.uncut is None else self.uncut.unjudged_count - here
        return below if self.elsewhere is None else below + self.elsewhere

    def missed(self, grade: int) -> Ints:
        """Return the number of documents with grade `grade` that each ranking does not retrieve."""
        found = np.bincount(self.ranking[self.grade == grade], minlength=self.count)
        return self.judged_count(grade, grade + 1) - found

    def condensed(self) -> "JudgedRankings":
        """Return condensed lists: only documents with a grade of 0 or more, with ties broken."""

        def condense() -> JudgedRankings:
            usable = replace(self.rows_where(self.grade >= 0), lengths=None)
            lengths = np.diff(usable.row_start)
            first = usable.place
            return replace(usable, rank=first, tie_first=first, tie_last=first, length=lengths)

        return self.keep("condensed", condense)

    def by_subtopic(self) -> "BySubtopic":
        """Return a copy of each ranking for each subtopic, with the judgments for this subtopic."""
        from rankwise.rankings.subtopics import by_subtopic

        # Rankings without subtopics are not cached: they must not refer to themselves.
        if self.subtopics is None:
            return by_subtopic(self)
        return self.keep("by_subtopic", lambda: by_subtopic(self))

    def usable(self) -> "JudgedRankings":
        """Return the rankings without documents of negative grade, and with ties broken."""
        unusable = self.grade < 0
        rank = self.rank - self.running(unusable).astype(np.int64)
        length = self.length - self.total(unusable).astype(np.int64)
        closed = replace(self, rank=rank, tie_first=rank, tie_last=rank, length=length)
        closed = replace(closed, lengths=None)  # lengths refer to the old ranks
        return closed.rows_where(~unusable)

    def in_best_order(self) -> "JudgedRankings":
        """Return one ranking per topic: its judged documents by decreasing grade."""

        def arrange() -> JudgedRankings:
            sizes = np.diff(self.topic_start)
            topic = np.repeat(np.arange(len(sizes)), sizes)
            rank = np.arange(1, len(topic) + 1) - self.topic_start[:-1][topic]
            return replace(
                self,
                ranking=topic,
                rank=rank,
                grade=self.topic_grades,
                judgment=np.arange(len(topic)),
                tie_first=rank,
                tie_last=rank,
                length=sizes,
                present=sizes > 0,
                topic=np.arange(len(sizes)),
                lengths=None,
            )

        return self.keep("in_best_order", arrange)

    # Values derived from the judgments of a topic, one per ranking.

    def judged_count(self, low: int, high: int | None = None) -> Ints:
        """Return, per ranking, the number of judged documents of its topic with grade ≥ `low`.

        If `high` is given, only grades below `high` are counted.
        """

        def count() -> Ints:
            hit = self.topic_grades >= low
            if high is not None:
                hit &= self.topic_grades < high
            sums = np.concatenate([[0], np.cumsum(hit)])
            return np.diff(sums[self.topic_start])[self.topic]

        return self.keep_of_topics(("judged_count", low, high), count)


def from_vectors(
    vectors: Sequence[Sequence[float | None]],
    judged: Sequence[Sequence[float]] | None = None,
) -> JudgedRankings:
    """Return judged rankings from lists of grades, best rank first; None is an unjudged document.

    Each list is the ranking of a separate topic. `judged` has, for each ranking, the grades of
    all judged documents of its topic, by default those in the ranking. If any grade is a fraction,
    all grades are used as gains.
    """
    flat = [0.0 if value is None else value for vector in vectors for value in vector]
    rows = np.array([value is not None for vector in vectors for value in vector], np.bool_)
    pools = judged or [[value for value in vector if value is not None] for vector in vectors]
    levels = {float(value) for values in (flat, *pools) for value in values}
    code: dict[float, int] = {}
    if not all(level.is_integer() for level in levels):
        from rankwise.rankings.reading import grades_of_labels

        code = grades_of_labels({level: max(level, 0) for level in levels})
    lengths = np.array([len(vector) for vector in vectors], dtype=np.int64)
    graded = np.array([code.get(value, value) for value in flat]).astype(np.int64)
    ranking = np.repeat(np.arange(len(vectors)), lengths)
    rank = np.arange(1, len(flat) + 1) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    by_topic = [sorted((int(code.get(v, v)) for v in pool), reverse=True) for pool in pools]
    sizes = np.array([len(pool) for pool in by_topic], dtype=np.int64)
    return JudgedRankings(
        runs=("given",),
        topics=tuple(str(place + 1) for place in range(len(vectors))),
        ranking=ranking[rows],
        rank=rank[rows],
        grade=graded[rows],
        tie_first=rank[rows],
        tie_last=rank[rows],
        length=lengths,
        present=np.ones(len(vectors), np.bool_),
        topic=np.arange(len(vectors)),
        topic_grades=np.array([grade for pool in by_topic for grade in pool], dtype=np.int64),
        topic_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        gains={grade: max(level, 0) for level, grade in code.items()} or None,
    )
