"""Loaders, which read a run only when it is needed, and names of runs.

Modules that are not needed for TREC text are imported inside functions, to save time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankwise.errors import CallError
from rankwise.forks import check_fork
from rankwise.formats import (
    COMPRESSED,
    WHOLE,
    File,
    Part,
    WithColumns,
    files_of,
    has_rows,
    is_dataset_id,
    open_source,
)
from rankwise.rankings.batches import Stream
from rankwise.rankings.run import NamedRun, Run
from rankwise.vocabulary import Order

if TYPE_CHECKING:
    from rankwise.formats import Columns, ColumnsGiven
    from rankwise.rankings.filters import Selection


class RunReading(NamedTuple):
    """Options for reading runs.

    `as_trec_eval` accepts lines of more than six fields and uses the tag of the last line, as
    trec_eval does.
    """

    order: Order = "score"
    lenient: bool = False
    as_trec_eval: bool = False


DEFAULT = RunReading()


@dataclass(frozen=True, eq=False, repr=False)
class Loader:
    """A source of runs, and the function that reads all of its runs."""

    given: Any  # the source; an opened File instead of a path, so that a pipe is read once
    name: str | None
    read: Callable[[], list[Run]]
    as_trec_eval: bool = False
    pieces: Callable[[], Iterator[list[Run]]] | None = None  # reads a stream in pieces
    selection: Selection | None = None  # filters for the pieces

    def called(self, tag: str | None) -> tuple[str, str]:
        """Return the name and the file of a run with this tag; without a file, the name twice."""
        if not isinstance(self.given, File):
            return (self.name or tag or "run",) * 2
        said = None
        if self.given.source.head.startswith(b"#") and not self.as_trec_eval:
            from rankwise.formats import tag_of_metadata

            said = tag_of_metadata(self.given.source)
        return self.name or said or tag or stem(self.given.name), self.given.name


def run_loaders(
    sources: Any,
    options: RunReading = DEFAULT,
    columns: ColumnsGiven | None = None,
    part: Part = WHOLE,
) -> Iterator[Loader]:
    """Yield a loader for each source of runs; several loaders can read at the same time."""
    column_names: Columns = {}
    if columns is not None:
        from rankwise.formats import parse_columns

        column_names = parse_columns(columns)
    for name, source in _each_file(_named_sources(sources, column_names)):
        if isinstance(source, Loader):
            yield source
            continue
        if isinstance(source, Run):
            run = source if name is None else replace(source, name=name)
            yield Loader(run, name, partial(list, [run]))
            continue
        source = as_stream(source)
        if isinstance(source, Stream):
            from rankwise.rankings.reading import pieces_of_stream, runs_of_stream

            settings = (source, name, options, column_names)
            whole, parts = partial(runs_of_stream, *settings), partial(pieces_of_stream, *settings)
            yield Loader(source, name, whole, pieces=parts)
            continue
        given = opened(source, column_names, part)
        yield Loader(given, name, partial(_read, given, name, options), options.as_trec_eval)


def sources_to_read_again(sources: Any) -> Iterator[Any]:
    """Open the sources of runs, and yield all except pipes and standard input."""
    for _, source in _each_file(_named_sources(sources, {})):
        path = source.given if isinstance(source, WithColumns) else source
        if not isinstance(path, str | Path) or Path(path).is_file():
            yield opened(source)


def as_stream(given: Any) -> Any:
    """Return a `Stream` for input in batches of rows; otherwise return the input itself.

    Arrow record batch readers, and iterators of frames or record batches, are streams. A list of
    frames is a list of runs.
    """
    if hasattr(given, "read_next_batch"):
        return Stream(given)
    if not isinstance(given, Iterator):
        return given
    first = list(islice(given, 1))
    whole = chain(first, given)
    is_batch = first and (_is_frame(first[0]) or hasattr(first[0], "__arrow_c_array__"))
    return Stream(whole) if is_batch else whole


def _read(given: Any, name: str | None, options: RunReading) -> list[Run]:
    from rankwise.rankings.reading import runs_in

    return runs_in(given, name, options)


def opened(given: Any, columns: Columns | None = None, part: Part = WHOLE) -> Any:
    """Return a path as an open `File`, with its column names and the subset and split to read.

    An Arrow stream that can be read only once becomes an `ArrowSource`. Other input is returned
    unchanged, or in `WithColumns` if column names, a subset or a split are given.
    """
    check_fork()
    if isinstance(given, WithColumns):
        given, columns, part = given.given, given.columns, given.part
    if isinstance(given, str | Path) and not is_dataset_id(given):
        return File(open_source(given), columns or {}, part)
    if hasattr(given, "__arrow_c_stream__"):
        from rankwise.formats import ArrowSource, is_arrow_source

        given = ArrowSource(given) if is_arrow_source(given) else given  # can be read only once
    return WithColumns(given, columns or {}, part) if columns or part != WHOLE else given


def distinct_names(runs: list[tuple[str, str]]) -> list[str]:
    """Return unique names for runs (tag, file): the tag or, if not unique, the file name or path.

    >>> distinct_names([("bm25", "a.run"), ("bm25", "b.run.gz"), ("splade", "c.run")])
    ['a', 'b', 'splade']
    """
    tags = [tag for tag, _ in runs]
    if len(set(tags)) == len(tags):
        return tags
    candidates = [[tag, stem(file), file] for tag, file in runs]
    while True:
        times = Counter(candidate[0] for candidate in candidates)
        twice = [place for place, (name, *_) in enumerate(candidates) if times[name] > 1]
        if not twice:
            return [candidate[0] for candidate in candidates]
        movable = [candidates[place] for place in twice if len(candidates[place]) > 1]
        if not movable:
            tag, file = runs[twice[0]]
            if tag == file:  # the run has no file
                what = f"two runs are named {tag!r}. Give each run its own name: {{name: run, …}}."
                raise CallError(what)
            raise CallError(f"run {file!r} is given twice. Give each run once.")
        for candidate in movable:
            candidate.pop(0)


def stem(file: str) -> str:
    """Return the name of a run from its file: the file name without known suffixes."""
    from rankwise.formats import known_suffixes

    name = Path(file).name
    for suffix in (*COMPRESSED, *known_suffixes(), ".run", ".txt"):
        name = name.removesuffix(suffix)
    return name or file


def _named_sources(sources: Any, columns: Columns) -> Iterator[tuple[str | None, Any]]:
    if isinstance(sources, Mapping) and not _is_one_run(sources, columns):
        yield from ((str(name), source) for name, source in sources.items())
        return
    sources = [sources] if isinstance(sources, NamedRun) else as_stream(sources)
    is_one = isinstance(sources, str | Path | Mapping | Run | WithColumns | Stream)
    if is_one or _is_frame(sources) or has_rows(sources, "run"):
        yield None, sources
        return
    if not isinstance(sources, Iterable):
        what = (
            f"a value of type {type(sources).__name__} cannot be read as runs. Give paths, frames"
        )
        raise CallError(f"{what} or dicts of dicts.")
    several = iter(sources)
    first = list(islice(several, 1))
    if not first:
        raise CallError("no run is given. Give one or more runs.")
    if not isinstance(first[0], str | Path | NamedRun):
        from rankwise.formats import is_query_record, is_record

        if is_record(first[0], columns) or is_query_record(first[0], columns):
            yield None, chain(first, several)
            return
    for source in chain(first, several):
        yield (source.name, source.given) if isinstance(source, NamedRun) else (None, source)


def _each_file(named: Iterator[tuple[str | None, Any]]) -> Iterator[tuple[str | None, Any]]:
    """Yield the sources, with folders and patterns replaced by the files that they match."""
    for name, source in named:
        path = source.given if isinstance(source, WithColumns) else source
        if not isinstance(path, str | Path) or is_dataset_id(path):
            yield name, source
            continue
        files = files_of(path)
        if name is not None and len(files) > 1:
            raise CallError(
                f"{name} is the name of one run, but {path} has {len(files):,} files. Give one "
                "file, or remove the name."
            )
        for file in files:
            yield name, replace(source, given=file) if isinstance(source, WithColumns) else file


def _is_frame(given: Any) -> bool:
    """Return whether the object is a frame of polars, Arrow (including pandas) or Hugging Face."""
    names = ("collect_schema", "__arrow_c_stream__", "to_polars")
    return any(hasattr(given, name) for name in names)


def _is_one_run(given: Mapping[Any, Any], columns: Columns) -> bool:
    """Return whether a mapping is a single run, and not {name: run}.

    A single run is {topic: {document: score}}, {topic: [documents]}, {column: values}, or the JSON
    of a known tool.
    """
    from rankwise.formats import document_of, is_list, is_query_record, is_table_of_columns

    if is_table_of_columns(given, columns) or document_of(given) or is_query_record(given, columns):
        return True
    inner: Any = next((v for v in given.values() if not isinstance(v, Mapping) or v), {})
    if isinstance(inner, Mapping):
        value = next(iter(inner.values()), 0)
        return not isinstance(value, Mapping) and not is_list(value)
    first = next(iter(inner), None) if is_list(inner) else None
    is_row = isinstance(first, tuple) and hasattr(first, "_fields")  # a row that has its own topic
    if is_query_record(first, columns):  # {name: [records]}
        return False
    return is_list(inner) and not is_row and not isinstance(first, Run | Path)
