"""Join of one run with the judgments: by the C kernel, by document name, or piece by piece."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from rankwise.arrays import Bools, Ints, Shorts
from rankwise.errors import InputError
from rankwise.formats import File
from rankwise.native import Joining, JudgedText, kernel, run_of_dict, run_of_text
from rankwise.notes import Note, add_counts
from rankwise.rankings.filters import Taken, holds_self
from rankwise.rankings.judgments import Judgments
from rankwise.rankings.loaders import Loader
from rankwise.rankings.run import Run
from rankwise.threads import map_in_threads
from rankwise.vocabulary import Order

if TYPE_CHECKING:
    from rankwise.formats import ArrowRows
    from rankwise.rankings.documents import UnjudgedOfRun
    from rankwise.rankings.order import RankedRows

SHOWN_TOPICS = 2  # topics of each side that a message shows


class Origin(NamedTuple):
    """Name, file and notes of a run, which are needed after its rows are released."""

    name: str
    file: str
    notes: tuple[Note, ...]
    holds_self: bool = False  # whether the run has documents named like their topic
    taken: Taken | None = None  # row counts after each filter, if there are filters

    @classmethod
    def of(cls, run: Run, loader: Loader) -> "Origin":
        return cls(run.name, run.file or run.name, run.notes, holds_self(loader, [run]))


class JudgedRun(NamedTuple):
    """One run joined with the judgments.

    `topic` (an index), `rank`, `row` (the row of the judgment in the qrels), `tie_first` and
    `tie_last` have one entry per judged document that the run retrieved. `length` (down to the
    evaluation depth) and `retrieved` have the number of documents for each topic of the judgments.
    """

    topic: Ints | Shorts
    rank: Ints | Shorts
    row: Ints | Shorts  # row of the qrels with the judgment of the document
    tie_first: Ints | Shorts
    tie_last: Ints | Shorts
    length: Ints  # number of documents down to the depth
    retrieved: Ints  # number of documents
    unknown_topics: Sequence[str] = ()
    some_topics: tuple[str, ...] = ()  # some topics, judged or not, for messages
    unjudged: "UnjudgedOfRun | None" = None  # if requested

    @property
    def present(self) -> Bools:
        """Mask of the topics of the judgments for which the run has documents."""
        return self.retrieved > 0

    @property
    def text_of_unjudged(self) -> bytes:
        """Names of unjudged documents, one per line; empty if they are not stored as text."""
        names = None if self.unjudged is None else self.unjudged.names
        return names if isinstance(names, bytes) else b""

    def without_places(self) -> "JudgedRun":
        """Return the run without the ranks of its unjudged documents."""
        if self.unjudged is None:
            return self
        return self._replace(unjudged=self.unjudged.without_places())


class Join(NamedTuple):
    """The judgments, and options for joining runs with them.

    With `unjudged`, the unjudged documents of each run are stored, too.
    """

    judgments: Judgments
    order: Order = "score"
    depth: int | None = None
    unjudged: bool = False

    def natively(self, loader: Loader) -> tuple[Origin, JudgedRun] | None:
        """Join a run with the C kernel, or return None if the kernel cannot read the run.

        The kernel reads TREC text, tables, and {topic: {document: score}}, but no input with
        errors.
        """
        given = loader.given
        if kernel() is None:
            return None
        is_text = isinstance(given, File) and given.may_be_trec
        is_dict = isinstance(given, dict) and self.order != "rank"
        rows: ArrowRows | None = None
        if not is_text and not is_dict:
            from rankwise.formats import arrow_rows

            rows = arrow_rows(given.frame if isinstance(given, Run) else given, "run", self.order)
            if rows is None:
                return None
        native = self.judgments.native
        if native is None:
            return None
        joining = Joining(native.lookup, self.order, self.depth, self.unjudged)
        if is_text:
            text = run_of_text(given.source, joining)
        elif rows is None:
            text = run_of_dict(given, joining)
        else:
            from rankwise.native import run_of_rows

            text = run_of_rows(rows, joining)
        if text is None:
            return None
        part = self.numbered(text, native.topic)
        itself = text.holds_self or holds_self(loader, [])
        if isinstance(given, Run):
            return Origin(given.name, given.file or given.name, given.notes, itself), part
        name, file = loader.called(text.last_tag if loader.as_trec_eval else text.first_tag)
        return Origin(name, file, (), itself), part

    def numbered(self, text: JudgedText, our_topic: Ints) -> JudgedRun:
        """Convert the output of the C kernel, which numbers topics in its own order.

        `our_topic` has, for each topic number of the kernel, the index in the judgments.
        """
        ours, others = our_topic.astype(np.int32), None
        if self.unjudged:
            from rankwise.rankings.documents import UnjudgedOfRun

            their_topic, *places = text.unjudged
            others = UnjudgedOfRun(ours[their_topic], text.unjudged_names, *places)
        topic = ours[text.judged.topic]
        rows = slice(None) if (topic[1:] >= topic[:-1]).all() else np.argsort(topic, kind="stable")
        retrieved = np.zeros(len(self.judgments.topics), np.int64)
        retrieved[our_topic] = text.length
        return JudgedRun(
            topic=topic[rows],
            rank=text.judged.rank[rows],
            row=text.row[rows],
            tie_first=text.judged.tie_first[rows],
            tie_last=text.judged.tie_last[rows],
            length=retrieved if self.depth is None else np.minimum(retrieved, self.depth),
            retrieved=retrieved,
            unknown_topics=text.unknown_topics,
            some_topics=tuple(text.first_topics),
            unjudged=others,
        )

    def by_name(self, run: Run) -> JudgedRun:
        """Join a run with the judgments by document name, in Python."""
        from rankwise.rankings.order import rank_rows

        judgments, depth = self.judgments, self.depth
        rows, judging = judgments.find(run)
        ranked = rank_rows(run, self.order)
        code = judgments.codes(ranked.topics)  # index of each topic of the run in the judgments
        known = np.flatnonzero(code >= 0)
        retrieved, own = (np.zeros(len(judgments.topics), np.int64) for _ in range(2))
        retrieved[code[known]] = ranked.topic_length[known]
        own[code[known]] = known
        topic = judgments.row_topic[judging]
        places = ranked.places(rows, own[topic])
        rows_by_rank = np.argsort((topic << 32) + places.rank, kind="stable")  # nearly sorted: fast
        if depth is not None:
            rows_by_rank = rows_by_rank[places.rank[rows_by_rank] <= depth]
        return JudgedRun(
            topic=topic[rows_by_rank],
            rank=places.rank[rows_by_rank],
            row=judging[rows_by_rank],
            tie_first=places.tie_first[rows_by_rank],
            tie_last=places.tie_last[rows_by_rank],
            length=retrieved if depth is None else np.minimum(retrieved, depth),
            retrieved=retrieved,
            unknown_topics=[ranked.topics[at] for at in np.flatnonzero(code < 0)],
            some_topics=ranked.topics[: SHOWN_TOPICS + 1],
            unjudged=_unjudged_of(ranked, code, rows, depth) if self.unjudged else None,
        )

    def pieces(self, loader: Loader) -> list[tuple[Origin, JudgedRun]]:
        def join_piece(piece: Piece) -> list[tuple[Origin, JudgedRun]]:
            return [(origin, self.by_name(run)) for origin, run in piece]

        found: dict[str, PartsOfRun] = {}
        for piece in map_in_threads(join_piece, pieces_of(loader, self.order)):
            for origin, part in piece:
                if origin.name not in found:
                    found[origin.name] = PartsOfRun(loader, self.judgments.topics)
                found[origin.name].add(origin, part)
        return [(of_run.origin(len(found) == 1), of_run.joined()) for of_run in found.values()]


Piece: TypeAlias = "list[tuple[Origin, Run]]"


def pieces_of(loader: Loader, order: Order) -> Iterator[Piece]:
    """Yield the pieces of a stream of runs, after filtering; a piece has complete rankings."""
    assert loader.pieces is not None
    for runs in loader.pieces():
        piece = []
        for run in runs:
            part, taken = run, None
            if loader.selection is not None:
                part, taken = loader.selection.part_of(run, order)
            piece.append((Origin.of(part, loader)._replace(taken=taken), part))
        yield piece


class RunInPieces:
    """Name, topics and notes of a run that is joined piece by piece."""

    def __init__(self, loader: Loader, topics: Sequence[str]) -> None:
        self.loader, self.topics = loader, topics
        self.name = ""
        self.unknown_topics: set[str] = set()
        self.some_topics: tuple[str, ...] = ()
        self.present = np.zeros(len(topics), np.bool_)
        self.notes: tuple[Note, ...] = ()
        self.taken = Taken()
        self.holds_self = False

    def meet(self, origin: Origin, codes: Ints, part: JudgedRun) -> None:
        """Add a piece of the run; `codes` has the indices of the piece's judged topics.

        It is an error if an earlier piece has a topic of this piece.
        """
        self.name = origin.name
        again = [self.topics[code] for code in codes[self.present[codes]]]
        again += [name for name in part.unknown_topics if name in self.unknown_topics]
        if again:
            of_run = "" if self.name == (self.loader.name or "run") else f" of run {self.name}"
            raise InputError(
                self.loader.name or "the run",
                f"topic {again[0]}{of_run} occurs again after other topics. Sort the stream by "
                "topic, for example with ORDER BY. If every frame is a run, give a list of frames.",
            )
        self.present[codes] = True
        self.unknown_topics.update(part.unknown_topics)
        self.some_topics = (*self.some_topics, *part.some_topics)[: SHOWN_TOPICS + 1]
        self.notes = add_counts([*self.notes, *origin.notes])
        self.taken = self.taken.plus(origin.taken or Taken())
        self.holds_self |= origin.holds_self

    def origin(self, alone: bool) -> Origin:
        """Return the name, the file and the notes of the run.

        If the stream has no other run (`alone`), the run takes the name of the stream, if any.
        """
        name = (self.loader.name if alone else None) or self.name
        selection = self.loader.selection
        more = [] if selection is None else selection.about(name, self.taken)
        return Origin(name, name, (*self.notes, *more), self.holds_self, self.taken)


class PartsOfRun(RunInPieces):
    """One joined run, assembled from pieces with disjoint rankings."""

    def __init__(self, loader: Loader, topics: Sequence[str]) -> None:
        super().__init__(loader, topics)
        self.rows: list[tuple[Ints | Shorts, ...]] = []
        self.unjudged: list[UnjudgedOfRun] = []
        self.length, self.retrieved = (np.zeros(len(topics), np.int64) for _ in range(2))

    def add(self, origin: Origin, part: JudgedRun) -> None:
        self.meet(origin, np.flatnonzero(part.present), part)
        self.rows.append(part[:5])
        self.unjudged += [] if part.unjudged is None else [part.unjudged]
        self.length += part.length
        self.retrieved += part.retrieved

    def joined(self) -> JudgedRun:
        from rankwise.rankings.documents import UnjudgedOfRun

        columns: list[Any] = [np.concatenate(column) for column in zip(*self.rows, strict=True)]
        by_topic = np.argsort(columns[0], kind="stable")
        topic, rank, row, tie_first, tie_last = (column[by_topic] for column in columns)
        return JudgedRun(
            topic,
            rank,
            row,
            tie_first,
            tie_last,
            length=self.length,
            retrieved=self.retrieved,
            unknown_topics=sorted(self.unknown_topics),
            some_topics=self.some_topics,
            unjudged=UnjudgedOfRun.joined(self.unjudged) if self.unjudged else None,
        )


def _unjudged_of(
    ranked: "RankedRows", code: Ints, judged_rows: Ints, depth: int | None
) -> "UnjudgedOfRun":
    """Return the unjudged documents down to `depth`, only for topics that have judgments."""
    from rankwise.rankings.documents import UnjudgedOfRun

    lengths, _ = ranked.run.stretches
    own = np.repeat(ranked.stretch_topic, lengths)
    rest = (code >= 0)[own]
    rest[judged_rows] = False
    rows = np.flatnonzero(rest)
    places = ranked.places(rows, own[rows])
    keep = slice(None) if depth is None else places.rank <= depth
    kept = rows[keep]
    documents = ranked.run.frame["document"].gather(kept)
    return UnjudgedOfRun(code[own[kept]], documents, *(column[keep] for column in places))
