"""Filters before the join: select topics, map passages to documents, remove self-retrieval.

Filtered files are read in Python, because the C kernel has no filters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from rankwise.errors import CallError, InputError, some_of
from rankwise.formats import File, read_names, read_pairs
from rankwise.lazy import pl
from rankwise.notes import Note, note, warning
from rankwise.rankings.loaders import Loader
from rankwise.rankings.run import Qrels, Run
from rankwise.vocabulary import Order
from rankwise.wording import Argument, Count, is_or_are

# A file with one topic per line, or the topics.
OnlyTopics: TypeAlias = str | Path | Iterable[str]
# A regular expression, a file with lines `passage document`, or {passage: document}.
DocumentMap: TypeAlias = str | Path | Mapping[str, str]
# A file with lines `topic group`, or {topic: group}.
TopicGroups: TypeAlias = str | Path | Mapping[str, str]

START = 1 << 13  # bytes at the start of a run in which self-retrieval is searched for
SAME_NAME = "with the same ID as their query"
SHOWN = 3  # names stored for messages, which show two of them


class Taken(NamedTuple):
    """Numbers of rows of a run, or of a part of a run, after each filter, and names for notes."""

    rows: int = 0  # rows of the selected topics
    passages: int = 0  # rows whose passage was mapped to a document
    documents: int = 0  # rows after mapping passages to documents
    themselves: int = 0  # rows removed because the document has the name of its topic
    topics: tuple[str, ...] = ()  # some topics of the run, selected or not
    names: tuple[str, ...] = ()  # names of some documents of the run before the mapping

    def plus(self, other: Taken) -> Taken:
        """Add the counts of another part of the run. No ranking may be in both parts."""
        return Taken(
            self.rows + other.rows,
            self.passages + other.passages,
            self.documents + other.documents,
            self.themselves + other.themselves,
            tuple(sorted({*self.topics, *other.topics})[:SHOWN]),
            tuple(dict.fromkeys([*self.names, *other.names]))[:SHOWN],
        )


@dataclass(frozen=True, eq=False, repr=False)
class Selection:
    """The filters to apply; the default keeps everything.

    `topics` has the topics of `only_topics`, and `called` names their source in messages.
    `documents` maps passages to documents by name; `pattern` extracts the document from the
    passage's name. `spared` is an artificial topic, whose rows in runs are not filtered.
    """

    topics: frozenset[str] | None = None
    called: str = "only_topics"
    drop_self: bool = False
    documents: Mapping[str, str] | None = field(default=None, repr=False)
    pattern: str | None = None
    spared: str | None = None

    @classmethod
    def of(
        cls,
        only_topics: OnlyTopics | None = None,
        drop_self: bool = False,
        map_documents: DocumentMap | None = None,
    ) -> Selection:
        topics, called, documents, pattern = None, "only_topics", None, None
        if isinstance(only_topics, str | Path):
            topics, called = frozenset(read_names(only_topics, "topic")), str(only_topics)
        elif only_topics is not None:
            topics = frozenset(str(topic) for topic in only_topics)
        if isinstance(map_documents, Mapping | Path) or (map_documents and _is_file(map_documents)):
            documents = read_pairs(map_documents, "passage", "document")
        elif map_documents is not None:
            pattern = _checked(map_documents)
        return cls(topics, called, drop_self, documents, pattern)

    @property
    def maps(self) -> bool:
        return self.documents is not None or self.pattern is not None

    @property
    def changes_qrels(self) -> bool:
        return self.topics is not None or self.drop_self

    def of_qrels(self, qrels: Qrels) -> Qrels:
        """Return the judgments of the selected topics.

        With `drop_self`, judgments of documents that have the name of their topic are removed.
        """
        if not self.changes_qrels:
            return qrels
        frame, notes = qrels.frame, list(qrels.notes)
        if self.topics is not None:
            frame, about = self.of_topics(frame)
            notes += about
        if self.drop_self:
            frame, count = _without_self(frame)
            notes += about_judgments_left_out(count)
        if frame.is_empty():
            what = "every judged document has the name of its topic, so no judgment is left. "
            raise InputError("the qrels", (what, "Remove ", Argument("drop_self", True), "."))
        subtopics = qrels.subtopics
        if subtopics is not None:
            subtopics = subtopics.join(frame, on=["topic", "document"], how="semi")
        preferences = qrels.preferences and qrels.preferences.of_topics(frame)
        return replace(
            qrels, frame=frame, subtopics=subtopics, preferences=preferences, notes=tuple(notes)
        )

    def of_topics(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Note]]:
        """Return the judgments of the selected topics, and notes on the number of topics."""
        assert self.topics is not None
        known = set(frame["topic"].unique().to_list())
        wanted = self.topics & known
        if not wanted:
            its, theirs = (some_of(sorted(some), 2) for some in (self.topics, known))
            raise InputError(
                self.called,
                f"no topic in common with the qrels. Selected topics: {its}. Topics of the qrels: "
                f"{theirs}. Check that both use the same topic IDs.",
            )
        lacking = sorted(self.topics - known)
        text = f"{len(wanted):,} of {len(known):,} topics {is_or_are(len(wanted))} selected"
        notes = [note("topics-selected", text)]
        if lacking:
            count = Count(len(lacking), "topic has", "topics have")
            what = f" no judgments ({some_of(lacking)})"
            notes.append(note("topics-unjudged", count, what, source=self.called))
        return frame.filter(pl.col("topic").is_in(sorted(wanted))), notes

    def of_runs(self, loaders: Iterable[Loader], order: Order) -> Iterable[Loader]:
        """Return loaders that apply the filters and do not use the C kernel.

        Loaders of streams still yield unfiltered pieces, because the join filters each piece with
        `part_of`.
        """

        def read(loader: Loader) -> list[Run]:
            parts = [self.part_of(run, order) for run in loader.read()]
            return [
                replace(run, notes=(*run.notes, *self.about(run.name, taken)))
                for run, taken in parts
            ]

        if not (self.maps or self.changes_qrels):
            return loaders
        return (
            replace(loader, given=None, read=partial(read, loader), selection=self)
            for loader in loaders
        )

    def part_of(self, run: Run, order: Order) -> tuple[Run, Taken]:
        """Apply all filters to a run, or to a part of a run that has complete rankings.

        Also return the number of rows after each filter.
        """
        spared = run.frame.clear()
        frame = run.frame
        if self.spared is not None:
            is_spared = frame["topic"] == self.spared
            spared, frame = frame.filter(is_spared), frame.filter(~is_spared)
        topics = tuple(frame["topic"].unique().sort().head(SHOWN).to_list())
        if self.topics is not None:
            frame = frame.filter(pl.col("topic").is_in(sorted(self.topics)))
        names = tuple(frame["document"].unique(maintain_order=True).head(SHOWN).to_list())
        taken = Taken(frame.height, topics=topics, names=names)
        if self.maps:
            frame, known = self._mapped(frame, order)
            taken = taken._replace(passages=known, documents=frame.height)
        if self.drop_self:
            frame, count = _without_self(frame)
            taken = taken._replace(themselves=count)
        return replace(run, frame=pl.concat([spared, frame])), taken

    def about(self, name: str, taken: Taken) -> list[Note]:
        """Return notes on the number of rows that the filters kept in a run.

        It is an error if no row is left, or if no passage was mapped to a document. The list is
        empty if the filters spare an artificial topic, because the counts are then only of a part
        of a run.
        """
        if self.spared is not None:
            return []
        if self.topics is not None and not taken.rows:
            its = some_of(taken.topics, 2)
            theirs = some_of(sorted(self.topics), 2)
            what = f"has none of the selected topics ({theirs}). Topics of the run: {its}."
            raise InputError(name, f"{what} Check that both use the same topic IDs.")
        notes = []
        if self.maps:
            self.check_passages(name, taken.passages, taken.names)
            others = "; all other passages keep their IDs" if taken.passages < taken.rows else ""
            mapped = f"{taken.passages:,} of {taken.rows:,} retrieved passages "
            mapped += f"{is_or_are(taken.passages)} mapped to documents{others}"
            best = "Only the best passage of each document is used, which leaves "
            text = f"{mapped}. {best}{taken.documents:,} retrieved documents"
            notes.append(note("passages-mapped", text, run=name))
        if self.drop_self:
            count = taken.themselves
            if count == (taken.documents if self.maps else taken.rows):
                what = "every document has the name of its topic, so no document is left. Remove "
                raise InputError(name, (what, Argument("drop_self", True), "."))
            removed = Count(count, "document")
            notes.append(note("self-removed", "removed ", removed, f" {SAME_NAME}", run=name))
        return notes

    def check_passages(self, name: str, passages: int, names: Sequence[str]) -> None:
        """Raise an error if no passage of a run could be mapped to a document."""
        if passages:
            return
        argument = Argument("map_documents")
        called = f" Documents of the run: {some_of(names, 2)}."
        if self.documents is not None:
            check = " Check that both use the same document IDs."
            raise InputError(name, ("no document of the run is in ", argument, ".", called, check))
        what = f" {self.pattern!r} is not a file, and as a pattern it matches no document."
        raise InputError(name, (argument, what, called))

    def _mapped(self, frame: pl.DataFrame, order: Order) -> tuple[pl.DataFrame, int]:
        """Return the rows with passages mapped to documents, and the number of rows mapped.

        Of several passages of a document, only the best is kept.
        """
        given = frame["document"]
        found = self.documents_of(given)
        named = frame.with_columns(document=found.fill_null(given)).with_row_index("row")
        if order == "score":
            named = named.sort("score", "row", descending=[True, False])
        elif order == "rank":
            named = named.sort("rank", "row")
        kept = named.unique(["topic", "document"], keep="first", maintain_order=True)
        return kept.sort("row").drop("row"), given.len() - found.null_count()

    def documents_of(self, passages: pl.Series) -> pl.Series:
        """Return the document of each passage, or null for a passage that is not mapped."""
        if self.documents is not None:
            table = pl.DataFrame(
                {"document": list(self.documents), "of": list(self.documents.values())},
                schema={"document": pl.String, "of": pl.String},
            )
            numbered = passages.alias("document").to_frame().with_row_index("row")
            return numbered.join(table, on="document", how="left").sort("row")["of"]
        assert self.pattern is not None
        found = passages.str.extract(self.pattern, re.compile(self.pattern).groups)
        return found.set(found == "", None)


ALL = Selection()


def _is_file(given: str) -> bool:
    # A pattern that is too long for a file name, or contains a NUL, raises an error.
    with suppress(OSError, TypeError, ValueError):
        return Path(given).is_file()
    return False


def _checked(pattern: str) -> str:
    """Return a regular expression after checking that it is valid and has at most one group."""
    called = Argument("map_documents")
    try:
        groups = re.compile(pattern).groups
        pl.Series(["a"]).str.extract(pattern, groups)
    except (re.error, TypeError, pl.exceptions.PolarsError) as error:
        what = f" {pattern!r} is neither a file nor a regular expression"
        raise CallError(called, f"{what}: {str(error).splitlines()[0]}.") from None
    if groups > 1:
        what = f" {pattern!r} has {groups} groups. Use one group, for the document ID."
        raise CallError(called, what)
    return pattern


def _without_self(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return the rows without documents named like their topic, and the number removed."""
    kept = frame.filter(pl.col("topic") != pl.col("document"))
    return kept, frame.height - kept.height


def about_judgments_left_out(count: int) -> list[Note]:
    """Return a note on the number of judgments that `drop_self` removed; no note for 0."""
    judgments = Count(count, "judgment")
    removed = note("self-judgments-removed", "removed ", judgments, f" of documents {SAME_NAME}")
    return [removed] if count else []


def holds_self(loader: Loader, runs: Sequence[Run]) -> bool:
    """Return whether a run has documents named like their topic.

    Only the start of a text file is searched, because a topic that is retrieved as a document is
    usually at the top of its ranking. `runs` is empty if the kernel read the run; `loader.given`
    may then be a dict {topic: {document: score}}. With trec_eval's options, the answer is False.
    """
    given = loader.given
    if loader.as_trec_eval:  # trec_eval has no option to remove them
        return False
    if isinstance(given, File) and given.may_be_trec:
        rows = (line.split(None, 3) for line in given.source.head[:START].split(b"\n"))
        return any(row[0] == row[2] for row in rows if len(row) > 3)
    if isinstance(given, dict) and not runs:
        return any(isinstance(of, Mapping) and topic in of for topic, of in given.items())
    return any((run.frame["topic"] == run.frame["document"]).any() for run in runs)


def table_of_groups(given: TopicGroups) -> dict[str, str]:
    """Return {topic: group} from a mapping or from a file with lines `topic group`."""
    known = read_pairs(given, "topic", "group")
    if "all" in known.values():
        what = "has a group named all, which is the name for all topics together. Rename the group."
        raise InputError(_called(given), what)
    return known


def _called(given: TopicGroups, argument: str = "topic_groups") -> str:
    return argument if isinstance(given, Mapping) else str(given)


def groups_of_topics(
    given: TopicGroups, topics: Sequence[str]
) -> tuple[tuple[str | None, ...], list[Note]]:
    """Return the group of each topic, or None for a topic that is not listed, and notes.

    `given` is {topic: group} or a file with lines `topic group`.
    """
    called = _called(given)
    groups, lacking = _looked_up(table_of_groups(given), topics, called)
    count = Count(len(lacking), "topic is", "topics are")
    what = f" in no group ({some_of(lacking)}); only the results over all topics include them"
    return groups, [note("topics-ungrouped", count, what, source=called)] if lacking else []


def clusters_of_topics(
    given: TopicGroups, topics: Sequence[str]
) -> tuple[tuple[str, ...], list[Note]]:
    """Return the cluster of each topic, and notes.

    `given` is {topic: cluster} or a file with lines `topic cluster`. A topic that is not listed is
    a cluster of its own.
    """
    called = _called(given, "clusters")
    table = read_pairs(given, "topic", "cluster")
    known = {topic: f"cluster {name}" for topic, name in table.items()}
    found, lacking = _looked_up(known, topics, called)
    clusters = tuple(
        f"topic {topic}" if name is None else name
        for topic, name in zip(topics, found, strict=True)
    )
    count = Count(len(lacking), "topic is", "topics are")
    what = f" in no cluster ({some_of(lacking)}); each of these topics counts as a separate cluster"
    return clusters, [warning("topics-unclustered", count, what, source=called)] if lacking else []


def _looked_up(
    known: Mapping[str, str], topics: Sequence[str], called: str
) -> tuple[tuple[str | None, ...], list[str]]:
    """Return the group of each topic, or None, and the list of topics without a group.

    It is an error if no topic has a group.
    """
    groups = tuple(known.get(topic) for topic in topics)
    lacking = [topic for topic, group in zip(topics, groups, strict=True) if group is None]
    if len(lacking) == len(groups):
        its, theirs = some_of(list(known), 2), some_of(lacking, 2)
        what = "no topic in common with the judgments or scores. "
        what += f"Topics of {called}: {its}. Topics of the judgments or scores: {theirs}."
        raise InputError(called, what)
    return groups, lacking
