"""Join of runs and judgments into `JudgedRankings`; join_run.py joins a single run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from rankwise.arrays import Ints
from rankwise.errors import CallError, InputError, TooLittle, check_at_least, some_of
from rankwise.formats import File
from rankwise.native import Joining, judgments_of, kernel, run_of_dict
from rankwise.notes import Note, note, warning
from rankwise.rankings.filters import ALL, Selection
from rankwise.rankings.join_run import (
    SHOWN_TOPICS,
    Join,
    JudgedRun,
    Origin,
)
from rankwise.rankings.judged import SHOWN_TIED, JudgedRankings, TopicsOfRun
from rankwise.rankings.judgments import Judgments
from rankwise.rankings.loaders import Loader, distinct_names, opened
from rankwise.rankings.run import Qrels
from rankwise.threads import map_in_threads
from rankwise.wording import Argument, Count, Remedy, is_or_are

if TYPE_CHECKING:
    from rankwise.rankings.documents import UnjudgedOfRun

MANY_TIED = 0.1  # fraction of a run's judged topics above which a warning is given
NAMES_AT_ONCE = 1 << 25  # bytes of names that are coded together
SAME_NAMES = ". Check that the run and the qrels use the same document IDs"
HIGH_GRADE = 100  # with higher grades, a file may be preferences between documents named by numbers


def judge_singles(
    judgments: Judgments, run: Mapping[str, Mapping[str, float]]
) -> JudgedRankings | None:
    """Join one run, {topic: {document: score}}, to judgments.

    Scores are in single precision, as in trec_eval 9. Return None if the C extension is missing, or
    cannot read the judgments or the run.
    """
    native = judgments.native
    if native is None:
        return None
    text = run_of_dict(run, Joining(native.lookup, "score", single=True))
    if text is None:
        return None
    part = Join(judgments).numbered(text, native.topic)
    return assembled(judgments, [(Origin("run", "run", ()), part)], [], retrieved=False)


def check_depth(depth: Any, name: str = "depth") -> None:
    """Raise an error unless the depth is a whole number of at least 1."""
    if depth is None:
        raise CallError(Argument(name), " is missing. Give a whole number, 1 or more.")
    check_at_least(name, depth)


def read_judgments(
    qrels: Any,
    *,
    gains: str | Mapping[float, float] | None = None,
    lenient: bool = False,
    taken: Selection = ALL,
) -> Judgments:
    """Read judgments, apply the filters in `taken`, and prepare them for the join with runs."""
    if isinstance(qrels, Judgments):
        return qrels
    given = opened(qrels)

    def read() -> Qrels:
        from rankwise.rankings.reading import read_qrels

        return read_qrels(given, gains=gains, lenient=lenient)

    if taken is not ALL:
        return Judgments.of(taken.of_qrels(read()))
    text = None
    if gains is None and isinstance(given, dict):
        text = judgments_of(given)
    elif gains is None and isinstance(given, File) and given.may_be_trec:
        text = judgments_of(given.source)
        if text is not None and text.grade.max(initial=0) > HIGH_GRADE:
            from rankwise.formats import is_preference_text

            text = None if is_preference_text(given) else text
    elif gains is None and kernel() is not None:
        from rankwise.formats import arrow_rows

        rows = arrow_rows(given, "qrels")
        text = None if rows is None else judgments_of(rows)
    if text is None:
        return Judgments.of(read())
    return Judgments(text.topics, text.row_topic, text.grade, read, text=text)


def judged_runs(
    join: Join, loaders: Iterable[Loader], *, only_names: bool = False
) -> Iterator[tuple[Origin, JudgedRun]]:
    """Yield each run joined with the judgments; threads join a few runs ahead.

    With `only_names`, unjudged documents are stored without ranks. Those of a single run are not
    stored if the kernel reads the run, because the length of its rankings suffices to count them.
    """
    given = iter(loaders)
    first = list(islice(given, 2))
    single = only_names and len(first) < 2
    by_kernel = join._replace(unjudged=join.unjudged and not single)

    def join_next(loader: Loader) -> list[tuple[Origin, JudgedRun]]:
        if loader.pieces is not None:
            found = join.pieces(loader)
        elif clean := by_kernel.natively(loader):
            found = [clean]
        else:
            found = [(Origin.of(run, loader), join.by_name(run)) for run in loader.read()]
        if not only_names:
            return found
        return [(origin, part.without_places()) for origin, part in found]

    count = 0
    for some in map_in_threads(join_next, chain(first, given)):
        count += len(some)
        yield from some
    if not count:
        raise CallError("no run is given. Give one or more runs.")


def coded_runs(
    runs: Iterable[tuple[Origin, JudgedRun]], *, places: bool, deepest: int | None
) -> Iterator[tuple[Origin, JudgedRun]]:
    """Yield the runs; if runs have many unjudged documents, integers replace their names.

    Names are replaced for a few runs at a time, before the next runs are read, to save memory. At
    the same time, unjudged documents below rank `deepest` are dropped and, without `places`, the
    ranks of all unjudged documents.
    """
    batch: list[tuple[Origin, JudgedRun]] = []
    size, is_coded = 0, False
    for run in runs:
        batch.append(run)
        size += len(run[1].text_of_unjudged)
        if size >= NAMES_AT_ONCE:
            is_coded = True
            yield from _coded(batch, places, deepest)
            batch, size = [], 0
    yield from _coded(batch, places, deepest) if is_coded else batch


def _coded(
    batch: Sequence[tuple[Origin, JudgedRun]], places: bool, deepest: int | None
) -> Iterator[tuple[Origin, JudgedRun]]:
    from rankwise.rankings.documents import code_names

    is_read = [bool(part.text_of_unjudged) for _, part in batch]
    read = [part.unjudged for _, part in batch if part.text_of_unjudged and part.unjudged]
    coded = iter(code_names(read))
    for (origin, part), natively in zip(batch, is_read, strict=True):
        if natively:
            unjudged = next(coded)
            unjudged = unjudged if deepest is None else unjudged.above(deepest)
            part = part._replace(unjudged=unjudged if places else unjudged.without_places())
        yield origin, part


def incomplete(retrieved: Ints) -> bool:
    """Return whether a run is incomplete by the rule of Ahlgren and Grönqvist (2007).

    `retrieved` has the number of documents per topic. A run is incomplete if it has fewer than 950
    documents per topic on average, or no document for a topic.
    """
    full = 1000 * len(retrieved)
    return bool(retrieved.sum() < 0.95 * full or (retrieved == 0).any())


def about_incomplete(out: Sequence[str], of: int) -> Note:
    """Return a note on the excluded runs `out`.

    `of` is the number of all runs. It is an error if all were excluded.
    """
    if len(out) == of:
        rule = "Each has fewer than 950 documents per topic on average, or none for some topic"
        remedy = Remedy(Argument("complete_runs", False), "evaluate all runs")
        raise TooLittle(f"no run is complete. {rule}.", remedy=remedy)
    named = f" ({', '.join(out)})" if out else ""
    rule = "fewer than 950 documents per topic on average, or none for some topic"
    what = f"{len(out)} of {of} runs {is_or_are(len(out))} excluded as incomplete{named}"
    return note("incomplete-runs", f"{what}. A run is incomplete with {rule}")


def assembled(
    judgments: Judgments,
    judged: list[tuple[Origin, JudgedRun]],
    notes: Sequence[Note],
    *,
    retrieved: bool,
    count_unjudged: bool = True,
    within: int | None = None,
    deepest: int | None = None,
) -> JudgedRankings:
    """Combine the joined runs into one `JudgedRankings`.

    With `count_unjudged`, the distinct unjudged documents of each topic are counted; the runs must
    then have their unjudged documents. With `retrieved`, the table of retrieved documents is built,
    and the list `judged` is emptied to save memory. `within` restricts this table to unjudged
    documents in the top `within` of at least one run. If `deepest` is given, unjudged documents
    below this rank may be missing in the table, but they are counted.
    """
    parts = [part for _, part in judged]
    read = [(origin, topics_of(origin, part, judgments.topics)) for origin, part in judged]
    labels, read_notes = about_runs(read, judgments.notes, judgments.topics)
    rankings = replace(
        rankings_of(judgments, labels, parts),
        notes=(*notes, *read_notes),
        topics_of_runs=tuple(of_run for _, of_run in read),
    )
    if retrieved:
        if deepest is not None:
            count = unjudged_of_runs(parts, len(judgments.topics))
            rankings = replace(rankings, topic_unjudged=count)
        unjudged = [part.unjudged for part in parts if part.unjudged is not None]
        judged.clear()
        parts.clear()
        return _with_retrieved(rankings, judgments, unjudged, within)
    if not count_unjudged:
        return rankings
    return replace(rankings, topic_unjudged=unjudged_of_runs(parts, len(judgments.topics)))


def about_runs(
    read: Sequence[tuple[Origin, TopicsOfRun]], notes: Sequence[Note], topics: Sequence[str]
) -> tuple[list[str], list[Note]]:
    """Return the unique names of the runs, and the notes on reading judgments and runs.

    `notes` and `topics` are those of the judgments. It is an error if a run has none of the topics.
    """
    labels = distinct_names([(origin.name, origin.file) for origin, _ in read])
    named = {label: of_run for label, (_, of_run) in zip(labels, read, strict=True)}
    holding = [origin.name for origin, _ in read if origin.holds_self]
    said = [*notes, *about_self(holding), *about_tied(named)]
    for label, (origin, of_run) in zip(labels, read, strict=True):
        said += [*origin.notes, *about_topics(label, of_run, topics, origin.file)]
    return labels, said


def rankings_of(
    judgments: Judgments, labels: Sequence[str], parts: Sequence[JudgedRun]
) -> JudgedRankings:
    """Return the judged rows of several runs, named `labels`, as `JudgedRankings`."""
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts], dtype=np.int64)
        for name in ("topic", "rank", "row", "tie_first", "tie_last")
    }
    of_topics, row = judgments.of_runs(len(parts)), columns["row"]
    ranking, ends = columns["topic"], np.cumsum([len(part.row) for part in parts])
    for at, rankings_of_run in enumerate(np.split(ranking, ends[:-1])):
        rankings_of_run += at * len(judgments.topics)  # `rankings_of_run` is a view
    return JudgedRankings(
        runs=tuple(labels),
        topics=judgments.topics,
        ranking=ranking,
        rank=columns["rank"],
        grade=judgments.grades[row],
        judgment=judgments.number[row],
        subtopics=judgments.subtopics,
        preferences=judgments.preferences,
        tie_first=columns["tie_first"],
        tie_last=columns["tie_last"],
        length=np.concatenate([part.length for part in parts]),
        present=np.concatenate([part.present for part in parts]),
        topic=of_topics.columns[0],
        of_topics=of_topics,
        topic_grades=judgments.grades_by_topic,
        topic_start=judgments.topic_start,
        gains=judgments.gains,
    )


def _with_retrieved(
    found: JudgedRankings,
    judgments: Judgments,
    unjudged: "list[UnjudgedOfRun]",
    within: int | None,
) -> JudgedRankings:
    from rankwise.rankings.documents import Retrieved, RowsOfRun, in_some_top

    if within is not None:
        unjudged = in_some_top(unjudged, within)

    assert found.judgment is not None
    topics, judged = len(found.topics), []
    for run in range(len(found.runs)):
        rows = slice(*found.row_start[[run * topics, (run + 1) * topics]].tolist())
        topic = (found.ranking[rows] - run * topics).astype(np.int32)
        places = (found.rank[rows], found.tie_first[rows], found.tie_last[rows])
        judged.append(RowsOfRun(run, topic, found.judgment[rows], *places))
    return replace(found, retrieved=Retrieved.of(judgments.names, judged, unjudged))


def unjudged_of_runs(parts: Sequence[JudgedRun], topics: int) -> Ints | None:
    """Return the number of distinct unjudged documents of each topic, over all runs.

    Return None if the documents are not stored, or for a single run, whose rankings suffice to
    count them.
    """
    unjudged = [part.unjudged for part in parts if part.unjudged is not None]
    if len(unjudged) < 2:
        return None
    from rankwise.rankings.documents import distinct_by_topic

    return distinct_by_topic(unjudged, topics)


def topics_of(origin: Origin, part: JudgedRun, topics: Sequence[str]) -> TopicsOfRun:
    """Count a run's topics, for example those without judgments; `topics` are the judged topics."""
    judged = np.bincount(part.topic, minlength=len(part.present)) > 0
    # Topics in which all documents, two or more, are tied. Only judged documents are examined,
    # because without any the order of the documents changes no score.
    count = part.retrieved[part.topic]
    is_tied = (part.tie_first == 1) & (part.tie_last == count) & (count > 1)
    # Not np.unique, which would import numpy.ma.
    tied = np.flatnonzero(np.bincount(part.topic[is_tied]))
    # If a ranking is cut, a judged document may be below the cut.
    whole = part.length == part.retrieved
    return TopicsOfRun(
        judged=int(part.present.sum()),
        unknown=len(part.unknown_topics),
        none_judged=int((part.present & whole & ~judged).sum()),
        holds_self=origin.holds_self,
        first=part.some_topics,
        taken=origin.taken,
        tied=len(tied),
        first_tied=tuple(sorted(topics[code] for code in tied.tolist())[:SHOWN_TIED]),
    )


def about_topics(
    name: str, counts: TopicsOfRun, topics: Sequence[str], file: str | None = None
) -> list[Note]:
    """Return notes on the run's topics without judgments or without a judged document.

    It is an error if the qrels have none of the run's topics. If no document of the run is judged,
    the note is a warning that the document IDs may differ from those in the qrels.
    """
    if not counts.judged:
        its, theirs = (some_of(some, SHOWN_TOPICS) for some in (counts.first, topics))
        raise InputError(
            file or name,
            f"no topic in common with the qrels. Topics of the run: {its}. Topics of the qrels: "
            f"{theirs}. Check that both use the same topic IDs.",
        )
    notes = []
    if counts.unknown:
        unknown = Count(
            counts.unknown, "topic without judgments is", "topics without judgments are"
        )
        notes.append(note("topics-unjudged", unknown, " ignored", run=name))
    if counts.none_judged:
        none = f"{counts.none_judged:,} of {counts.judged:,} topics"
        text = f"on {none}, no retrieved document is judged"
        if counts.none_judged < counts.judged:
            low = ", so scores there may be too low"
            notes.append(note("no-judged-documents", f"{text}{low}", run=name))
        else:
            notes.append(warning("no-judged-documents", text, SAME_NAMES, run=name))
    return notes


def about_tied(counts: Mapping[str, TopicsOfRun]) -> list[Note]:
    """Return a warning on runs that give all documents of a topic the same score.

    A run is not reported if this is so for at most 10 % of its judged topics.
    """
    runs = [
        f"in run {name} on all {of.judged:,} topics"
        if of.tied == of.judged
        else f"in run {name} on {of.tied:,} of {of.judged:,} topics ({some_of(of.first_tied)})"
        for name, of in counts.items()
        if of.tied > MANY_TIED * of.judged
    ]
    if not runs:
        return []
    what = "all retrieved documents have the same score"
    remedy = Remedy(Argument("order"), "choose another order")
    text = f"{what} {some_of(runs)}; tied documents are ordered by document ID. Check the scores"
    return [warning("all-tied", text, remedy=remedy)]


def about_self(holding: Sequence[str]) -> list[Note]:
    """Return a note on the runs that have a document with the name of its topic."""
    if not holding:
        return []
    what = f"a document has the same ID as its query in {some_of(holding)}"
    remedy = Remedy(Argument("drop_self", True), "remove the query from its own ranking")
    return [note("self-retrieved", what, remedy=remedy)]
