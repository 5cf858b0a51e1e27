"""`Collection`: judgments and runs, with the options for reading them, for all functions."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from rankwise.errors import CallError, check_word
from rankwise.native import release_memory
from rankwise.notes import Note
from rankwise.progress import track
from rankwise.rankings.batches import Stream
from rankwise.rankings.filters import ALL, Selection
from rankwise.rankings.join import (
    about_incomplete,
    assembled,
    check_depth,
    coded_runs,
    incomplete,
    judged_runs,
    read_judgments,
)
from rankwise.rankings.join_run import Join, JudgedRun, Origin
from rankwise.rankings.loaders import RunReading, as_stream, run_loaders, sources_to_read_again
from rankwise.vocabulary import Order, Topics, Undefined
from rankwise.wording import Argument

if TYPE_CHECKING:
    from rankwise.rankings.filters import DocumentMap, OnlyTopics, TopicGroups
    from rankwise.rankings.judged import JudgedRankings
    from rankwise.rankings.judgments import Judgments
    from rankwise.rankings.lengths import DocumentLengths
    from rankwise.rankings.loaders import Loader
    from rankwise.rankings.run import Qrels, Run
    from rankwise.rankings.types import Gains, QrelsLike, RunsLike

JoinedRun: TypeAlias = tuple[Origin, JudgedRun]


class Needs(NamedTuple):
    """Data that a function needs in addition to the judged documents.

    `documents` asks for every retrieved document, judged or not, with its name. `unjudged_counts`
    asks for the number of distinct unjudged documents of each topic, over all runs. `whole_ties`
    asks for rankings that are not cut to the evaluation depth, for metrics that share weight among
    tied documents. With `within`, only unjudged documents in the top `within` of at least one run
    are needed. With `deepest`, unjudged documents below this rank are needed only for
    `unjudged_counts`.
    """

    documents: bool = False
    unjudged_counts: bool = False
    whole_ties: bool = False
    within: int | None = None
    deepest: int | None = None


JUDGED = Needs()


class Sources(NamedTuple):
    """The runs of a collection, and whether all of them are streams.

    A stream is read in batches of rows. If only some sources of a mapping are streams,
    `are_streams` is False.
    """

    runs: Any
    are_streams: bool


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """Judgments and runs, with the options for reading them; created by `rankwise.read`.

    Files are not read before a function needs them. A collection created by `rankwise.read` caches
    runs and judgments, so that several functions read the files only once. A stream is never cached
    and can be read only once. The fields are the arguments of `rankwise.read`, and `keep`, which is
    True if the collection caches its runs.
    """

    # Other packages may also give `Judgments` as `qrels`, and loaders (see `run_loaders`) as
    # `runs`.

    qrels: QrelsLike | Judgments | None
    runs: RunsLike | Iterable[Loader] | None
    order: Order = "score"
    depth: int | None = None
    gains: Gains | None = None
    lenient: bool = False
    complete_runs: bool = False
    only_topics: OnlyTopics | None = None
    topics: Topics = "all"
    undefined: Undefined = "skip"
    topic_groups: TopicGroups | None = None
    drop_self: bool = False
    map_documents: DocumentMap | None = None
    lengths: DocumentLengths | None = None
    keep: bool = False
    _joined: dict[int | None, list[JoinedRun]] = field(default_factory=dict, init=False)
    _judged: dict[Needs, JudgedRankings] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        check_word("order", self.order, get_args(Order))
        if self.depth is not None:
            check_depth(self.depth)
        check_word("topics", self.topics, get_args(Topics))
        check_word("undefined", self.undefined, get_args(Undefined))

    def __repr__(self) -> str:
        state = "read" if self._joined else "not read yet"
        return f"Collection of judgments and runs, {state}"

    @cached_property
    def filters(self) -> Selection:
        if self.only_topics is None and self.map_documents is None and not self.drop_self:
            return ALL
        return Selection.of(self.only_topics, self.drop_self, self.map_documents)

    @cached_property
    def judgments(self) -> Judgments:
        """The judgments of the selected topics, in the form in which they are joined with runs."""
        if self.qrels is None:
            raise CallError("no judgments are given. Give qrels as the first argument.")
        return read_judgments(
            self.qrels, gains=self.gains, lenient=self.lenient, taken=self.filters
        )

    def check_all_topics(self, result: str) -> None:
        """Raise an error for `topics="common"`.

        The subject of its message is `result`, such as "a plan for a budget".
        """
        if self.topics != "all":
            raise CallError(
                result, " uses all topics. Remove ", Argument("topics", self.topics), "."
            )

    def qrels_by_name(self) -> Qrels:
        """Return the judgments of the selected topics, with documents by name."""
        return self.judgments.by_name

    def judges(self) -> dict[str, Qrels]:
        """Return the judgments of each judge after filtering, as {judge: judgments}."""
        from rankwise.rankings.judges import read_judges

        if self.qrels is None:
            raise CallError("no judgments are given. Give qrels as the first argument.")
        judges = read_judges(self.qrels, gains=self.gains, lenient=self.lenient)
        return {name: self.filters.of_qrels(qrels) for name, qrels in judges.items()}

    def runs_by_name(self) -> list[Run]:
        """Read the runs, and return them after filtering, with document names."""
        return [run for loader in self.loaders() for run in loader.read()]

    @cached_property
    def sources(self) -> Sources:
        """The runs as given, with a `Stream` in place of each iterator of row batches."""
        runs: Any = self.runs
        if runs is None:
            raise CallError("no run is given. Give qrels and runs.")
        if not isinstance(runs, Mapping):
            runs = as_stream(runs)
            return Sources(runs, isinstance(runs, Stream))
        if not runs or not all(
            isinstance(one, Iterator) or hasattr(one, "read_next_batch") for one in runs.values()
        ):
            return Sources(runs, False)
        runs = {name: as_stream(one) for name, one in runs.items()}
        return Sources(runs, all(isinstance(one, Stream) for one in runs.values()))

    def may_hold_several_runs(self) -> bool:
        """Return whether the streams of this collection may contain more than one run."""
        runs = self.sources.runs
        streams = [runs] if isinstance(runs, Stream) else list(runs.values())
        return len(streams) > 1 or streams[0].names_runs()

    def loaders(self) -> Iterable[Loader]:
        """Return one loader per source of runs; it applies the filters when it reads runs."""
        sources, are_streams = self.sources
        if isinstance(sources, Iterator) or are_streams:
            if "_started" in self.__dict__:
                what = "these runs are a stream, which can be read only once."
                raise CallError(f"{what} Use them in a single call, or give files or frames.")
            self.__dict__["_started"] = True
        loaders: Iterable[Loader] = run_loaders(sources, RunReading(self.order, self.lenient))
        if self.filters is not ALL:
            loaders = self.filters.of_runs(loaders, self.order)
        is_several = isinstance(sources, list | tuple) and not hasattr(sources, "_fields")
        return track(loaders, "runs", len(sources) if is_several else None)

    def texts(self, kind: Literal["topic", "document"], wanted: Container[str]) -> dict[str, str]:
        """Return the texts of topics or documents that are stored with the runs, as {name: text}.

        Only runs in JSON with one record per query can have texts (docs/formats.md).
        """
        sources, are_streams = self.sources
        if isinstance(sources, Iterator) or are_streams:
            return {}
        from rankwise.formats import texts_in

        texts: dict[str, str] = {}
        for source in sources_to_read_again(sources):
            texts |= texts_in(source, kind, wanted)
        return texts

    def joined_runs(self, needs: Needs = JUDGED) -> Iterator[JoinedRun]:
        """Yield each run, including runs that `complete_runs` excludes, joined with the judgments.

        If the collection caches its runs, unjudged documents are stored even if they are not
        needed, so that no later function reads the files again.
        """
        cut = None if needs.whole_ties else self.depth
        if cut in self._joined:
            yield from self._joined[cut]
            return
        keep = self.keep and not self.sources.are_streams
        places = keep or needs.documents
        named = places or needs.unjudged_counts
        join = Join(self.judgments, self.order, cut, unjudged=named)
        runs = judged_runs(join, self.loaders(), only_names=named and not places)
        # `coded_runs` shares names between runs. It is not used if runs may be excluded, because
        # documents of an excluded run would be counted with the shared names.
        if named and not self.complete_runs:
            runs = coded_runs(runs, places=places, deepest=needs.deepest)
        if not keep:
            yield from runs
            return
        self._joined[cut] = list(runs)
        yield from self._joined[cut]

    def judged(self, needs: Needs = JUDGED) -> JudgedRankings:
        """Return all rankings, joined with the judgments.

        With `complete_runs`, incomplete runs are excluded.
        """
        # If the rankings are not cut, the documents down to the depth are selected by rank.
        if needs.unjudged_counts and needs.whole_ties and self.depth is not None:
            needs = needs._replace(documents=True)
        if self.keep or self.lengths is not None:  # all documents are stored or needed anyway
            needs = needs._replace(deepest=None)
        if needs in self._judged:
            return self._judged[needs]
        judged = self._assemble(needs)
        if self.keep and not self.sources.are_streams:
            self._judged[needs] = judged
        return judged

    def _assemble(self, needs: Needs) -> JudgedRankings:
        documents = needs.documents or self.lengths is not None
        runs = list(self.joined_runs(needs._replace(documents=documents)))
        notes: list[Note] = []
        if self.complete_runs:
            dropped = [origin.name for origin, run in runs if incomplete(run.retrieved)]
            notes.append(about_incomplete(dropped, len(runs)))
            runs = [(origin, run) for origin, run in runs if not incomplete(run.retrieved)]
        judged = assembled(
            self.judgments,
            runs,
            notes,
            retrieved=documents,
            count_unjudged=needs.unjudged_counts,
            within=needs.within,
            deepest=needs.deepest,
        )
        release_memory()
        if needs.whole_ties:
            judged = replace(judged, depth=self.depth)
        if self.lengths is None:
            return judged
        from rankwise.rankings.lengths import with_lengths

        measured = with_lengths(judged, self.lengths)
        is_needed = needs.documents or needs.unjudged_counts
        return measured if is_needed else replace(measured, retrieved=None)


def read(
    qrels: QrelsLike | None,
    runs: RunsLike | None = None,
    *,
    order: Order = "score",
    depth: int | None = None,
    gains: Gains | None = None,
    lenient: bool = False,
    complete_runs: bool = False,
    only_topics: OnlyTopics | None = None,
    topics: Topics = "all",
    undefined: Undefined = "skip",
    topic_groups: TopicGroups | None = None,
    drop_self: bool = False,
    map_documents: DocumentMap | None = None,
    lengths: DocumentLengths | None = None,
) -> Collection:
    """Read judgments and runs, for `score`, `compare` and other functions.

    Files are read once, when a function first needs them.

    Parameters
    ----------
    qrels
        Judgments: a path (`-` is standard input), a frame, {topic: {document: grade}} or `Qrels`.
        Judgments of several judges are {judge: judgments}, or `Judges`, which also sets the rule
        for combining their grades.
    runs
        One run, a list of runs, or {name: run}. A run is a path, a frame, {topic: {document:
        score}} or a `Run`. An iterator of frames or of Arrow record batches is read as one table,
        whose rows must be grouped by topic. It can be read only once, and is not held in memory as
        a whole.
    order
        Order of a ranking: by `score`, by the run's own `rank`, or as in the `file`.
    depth
        Evaluate only the first `depth` documents of each ranking.
    gains
        Gain of each grade: `{1: 1, 2: 3}`, or as text `"1=1,2=3"` or `"3:1"` (gains separated by
        colons, from the highest grade down to grade 1).
    lenient
        Skip malformed lines and duplicate documents, with a warning.
    complete_runs
        Exclude runs with fewer than 950 documents per topic on average, or without any document for
        a topic (Ahlgren and Grönqvist 2007).
    only_topics
        The topics to evaluate: names, or a file with one name per line.
    topics
        Average over `all` judged topics, where a topic missing from a run is scored as an empty
        ranking, or over the topics `common` to the judgments and all runs.
    undefined
        Topics for which a metric is undefined: `skip` them in means, or count them as `zero`, as
        trec_eval does.
    topic_groups
        {topic: group}, or a file with lines `topic group`. `score`, `compare` and some other
        functions then also give results for each group.
    drop_self
        Exclude documents that have the name of their topic, as in ArguAna and Quora, where each
        topic is itself a document of the collection.
    map_documents
        Map passages to documents; a document takes the rank of its best passage (MaxP). One of
        {passage: document}, a file with lines `passage document`, or a regular expression such as
        `"(.*)#"`. The document is the first group of the match, or the whole match if the
        expression has no group.
    lengths
        Lengths of documents, for the metrics TBG (in words) and U (in characters): {document:
        length}, a frame with the columns `document` and `length`, or a file with lines `document
        length`.

    Returns
    -------
    Collection
        The first argument of `score`, `compare` and the other functions.

    Examples
    --------
    >>> from rankwise import compare, read, score
    >>> runs = {"up": {"1": {"a": 2, "b": 1}}, "down": {"1": {"b": 2, "a": 1}}}
    >>> data = read({"1": {"a": 1, "b": 0}}, runs, depth=1)
    >>> score(data, metrics="RR").to_dict()
    {'up': {'RR': 1.0}, 'down': {'RR': 0.0}}
    """
    return Collection(
        qrels,
        runs,
        order=order,
        depth=depth,
        gains=gains,
        lenient=lenient,
        complete_runs=complete_runs,
        only_topics=only_topics,
        topics=topics,
        undefined=undefined,
        topic_groups=topic_groups,
        drop_self=drop_self,
        map_documents=map_documents,
        lengths=lengths,
        keep=True,
    )


def as_collection(data: QrelsLike | Collection, runs: RunsLike | None) -> Collection:
    """Return `data` if it is a collection; otherwise, a collection of `data` (qrels) and `runs`."""
    if not isinstance(data, Collection):
        return Collection(data, runs)
    if runs is not None:
        raise CallError(
            "a collection already has runs, and the second argument would be other runs. Give the "
            "other arguments by name, for example metrics='AP'."
        )
    return data
