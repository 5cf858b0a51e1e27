"""Everything that can be read: files, frames and dicts become `Qrels` and `Run`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import floor
from pathlib import Path
from typing import Any

from rankwise.errors import CallError, InputError
from rankwise.formats.columns import pick_columns
from rankwise.formats.format import COMPRESSED, File, Table
from rankwise.formats.gains import parse_gains
from rankwise.formats.known import FORMATS, recognise
from rankwise.formats.matrices import read_matrix
from rankwise.formats.objects import from_mapping, to_polars
from rankwise.formats.source import Lines, open_source
from rankwise.formats.trec import Kind, Parsed, parse_trec
from rankwise.lazy import pl
from rankwise.rankings.rows import NamedRun, Qrels, Run, without_repeats
from rankwise.vocabulary import Order

__all__ = [
    "Order",
    "Qrels",
    "Run",
    "distinct_names",
    "iter_runs",
    "read_matrix",
    "read_qrels",
    "read_runs",
    "run_loaders",
]


def read_qrels(
    source: Any, *, gains: str | Mapping[float, float] | None = None, lenient: bool = False
) -> Qrels:
    """Judgments from a path, `-`, a frame (polars, pandas, Arrow) or {topic: {document: grade}}.

    Grades are integers. Where they are not, `gains` says what each grade is worth, and
    the grades become 0 for those worth nothing and 1, 2, 3 … for the others in order of
    worth. Grades of 0 and below need no entry: they are worth nothing.

    >>> read_qrels({"1": {"a": 2, "b": 0}}).frame.rows()
    [('1', 'a', 2), ('1', 'b', 0)]
    >>> read_qrels({"1": {"a": 0.5, "b": 1}}, gains={0.5: 0.5, 1: 1}).frame.rows()
    [('1', 'a', 1), ('1', 'b', 2)]
    """
    if isinstance(source, Qrels):
        return source if gains is None else _with_gains(source, gains)
    value = "grade" if gains is None else "label"
    kind: Kind = "qrels" if gains is None else "labels"
    name, parsed = _read(source, kind, ["topic", "document", value], [], lenient, "the qrels")
    frame, table = parsed.frame, None
    if gains is not None:
        frame, table = _grades_from_labels(frame, parse_gains(gains), name)
    frame = frame.select("topic", "document", pl.col("grade").cast(pl.Int32))
    qrels = Qrels(frame, parsed.notes(name), gains=table)
    return without_repeats(qrels, name, parsed.lines, "grade", lenient, parsed.frame["iteration"])


def _with_gains(qrels: Qrels, gains: str | Mapping[float, float]) -> Qrels:
    if qrels.gains is not None:
        raise CallError("these qrels have gains already: read them anew to give them others.")
    labels = qrels.frame.rename({"grade": "label"}).with_columns(pl.col("label").cast(pl.Float64))
    frame, table = _grades_from_labels(labels, parse_gains(gains), "the qrels")
    return Qrels(frame.with_columns(pl.col("grade").cast(pl.Int32)), qrels.notes, gains=table)


def _grades_from_labels(
    frame: pl.DataFrame, table: dict[float, float], source: str
) -> tuple[pl.DataFrame, dict[int, float]]:
    found = frame["label"].unique().to_list()
    unknown = sorted(label for label in found if label > 0 and label not in table)
    if unknown:
        known = ", ".join(f"{label:g}" for label in table)
        what = f"no gain is given for grade {unknown[0]:g}; gains are given for {known}."
        raise InputError(source, what)
    table = {label: 0 for label in sorted(found) if label <= 0} | table
    if all(float(label).is_integer() for label in table):
        grades = {float(label): int(label) for label in table}
    else:
        worth = sorted({gain for gain in table.values() if gain > 0})
        grades = {
            float(label): worth.index(gain) + 1 if gain else min(0, floor(label))
            for label, gain in table.items()
        }
    frame = frame.select(
        "topic", "document", pl.col("label").replace_strict(grades, return_dtype=pl.Int64)
    ).rename({"label": "grade"})
    return frame, {grades[label]: gain for label, gain in table.items()}


def iter_runs(sources: Any, *, order: Order = "score", lenient: bool = False) -> Iterator[Run]:
    """One run after another, so that only one need be in memory; see `read_runs`.

    Their names may still collide: `distinct_names` settles that when all are known.
    """
    for loader in run_loaders(sources, order=order, lenient=lenient):
        yield from loader.read()


@dataclass(frozen=True)
class Loader:
    """A source of runs: what was given, and what reads all runs in it."""

    given: Any  # a File where it was a path, so that standard input is read once
    name: str | None
    read: Callable[[], list[Run]]
    as_trec_eval: bool = False

    def called(self, tag: str | None) -> tuple[str, str]:
        """The name of a run that came with this tag (or none), and its file."""
        if not isinstance(self.given, File):
            return self.name or "run", self.name or "run"
        return self.name or tag or _stem(self.given.name), self.given.name


def run_loaders(
    sources: Any, *, order: Order = "score", lenient: bool = False, as_trec_eval: bool = False
) -> Iterator[Loader]:
    """For each source what reads the runs in it, so that several can be read at once.

    `as_trec_eval` takes what trec_eval takes, lines of more than six fields, and the tag of
    the last line.
    """
    for name, source in _named_sources(sources):
        if isinstance(source, Run):
            run = source if name is None else replace(source, name=name)
            yield Loader(run, name, partial(list, [run]))
            continue
        given = opened(source)
        read = partial(_read_run, given, name, order, lenient, as_trec_eval)
        yield Loader(given, name, read, as_trec_eval)


def opened(given: Any) -> Any:
    """A path as the file it names; anything else as it is."""
    return File(open_source(given)) if isinstance(given, str | Path) else given


def read_runs(sources: Any, *, order: Order = "score", lenient: bool = False) -> list[Run]:
    """Runs from a path, a frame or a dict, or from a list or a {name: …} of them.

    A run is called by its tag; by its file's name where it has no tag or where another
    file has the same. A frame with a column `run` may hold several. `order="rank"` also
    reads the column of ranks.

    >>> [run] = read_runs({"1": {"a": 0.5, "b": 0.7}})
    >>> run.name, run.frame.rows()
    ('run', [('1', 'a', 0.5), ('1', 'b', 0.7)])
    """
    runs = list(iter_runs(sources, order=order, lenient=lenient))
    names = distinct_names([(run.name, run.file) for run in runs])
    return [replace(run, name=name) for run, name in zip(runs, names, strict=True)]


def distinct_names(runs: list[tuple[str, str]]) -> list[str]:
    """A name for each (tag, file): the tag, the file's name, or its path, the first that is alone.

    >>> distinct_names([("bm25", "a.run"), ("bm25", "b.run.gz"), ("splade", "c.run")])
    ['a', 'b', 'splade']
    """
    candidates = [[tag, _stem(file), file] for tag, file in runs]
    while True:
        times = Counter(candidate[0] for candidate in candidates)
        twice = [place for place, (name, *_) in enumerate(candidates) if times[name] > 1]
        if not twice:
            return [candidate[0] for candidate in candidates]
        movable = [candidates[place] for place in twice if len(candidates[place]) > 1]
        if not movable:
            raise _same_run_twice(*runs[twice[0]])
        for candidate in movable:
            candidate.pop(0)


def _same_run_twice(tag: str, file: str) -> CallError:
    if tag == file:  # it came without a file
        return CallError(f"two runs are called {tag!r}; name them: {{name: run, …}}.")
    return CallError(f"run {file!r} is given twice.")


def _stem(file: str) -> str:
    name = Path(file).name
    known = [suffix for form in FORMATS for suffix in form.suffixes]
    for suffix in (*COMPRESSED, *known, ".run", ".txt"):
        name = name.removesuffix(suffix)
    return name or file


def _named_sources(sources: Any) -> Iterator[tuple[str | None, Any]]:
    if isinstance(sources, Mapping) and not _is_one_run(sources):
        yield from ((str(name), source) for name, source in sources.items())
        return
    one = isinstance(sources, str | Path | Mapping | Run | NamedRun)
    one = one or to_polars(sources) is not None
    if not one and not isinstance(sources, Iterable):
        raise CallError(f"a {type(sources).__name__} is neither a run nor a list of runs.")
    source = None
    for source in [sources] if one else sources:
        if isinstance(source, NamedRun):
            yield source.name, source.given
        else:
            yield None, source
    if source is None:
        raise CallError("no run is given.")


def _is_one_run(given: Mapping[Any, Any]) -> bool:
    """{topic: {document: score}}, as opposed to {name: run}."""
    inner: Any = next((v for v in given.values() if not isinstance(v, Mapping) or v), {})
    return isinstance(inner, Mapping) and not isinstance(next(iter(inner.values()), 0), Mapping)


def _read_run(
    source: Any, name: str | None, order: Order, lenient: bool, as_trec_eval: bool
) -> list[Run]:
    wanted = ["topic", "document", "score", *(["rank"] if order == "rank" else [])]
    shown, parsed = _read(
        source, "run", wanted, ["run"], lenient, name or "the run", as_trec_eval=as_trec_eval
    )
    notes = parsed.notes(shown)
    is_file = isinstance(source, File)
    default = name or parsed.tag or (_stem(shown) if is_file else "run")
    runs = []
    for part_name, part, lines in _parts(parsed, default):
        alone = part.height == parsed.frame.height
        part_name = name if name is not None and alone else part_name
        file = shown if is_file else part_name
        run = Run(part, notes, name=part_name, file=file)
        notes = ()  # they are about the whole, so the first run has them all
        runs.append(without_repeats(run, shown, lines, "score", lenient))
    return runs


def _parts(parsed: Parsed, default: str) -> Iterator[tuple[str, pl.DataFrame, Lines | None]]:
    """The runs in a frame, by its column `run` if it has one: name, rows, line numbers."""
    if "run" not in parsed.frame.columns:
        yield default, parsed.frame, parsed.lines
        return
    numbered = parsed.frame.with_columns(pl.Series("line", parsed.lines))
    for (key,), part in numbered.partition_by("run", as_dict=True, maintain_order=True).items():
        yield str(key), part.drop("run", "line"), part["line"].to_numpy()


def _read(
    source: Any,
    kind: Kind,
    wanted: list[str],
    optional: list[str],
    lenient: bool,
    called: str,
    *,
    as_trec_eval: bool = False,
) -> tuple[str, Parsed]:
    """The name of a source for messages, and its wanted columns; of qrels also `iteration`."""
    subtopics = kind != "run"
    file = opened(source)
    if isinstance(file, File):
        called, form = file.name, recognise(file)
        if form is None:
            fields = [*wanted, "iteration"] if subtopics else wanted
            return called, parse_trec(
                file.source, kind, fields, lenient=lenient, as_trec_eval=as_trec_eval
            )
        table = form.read(file, "qrels" if subtopics else "run")
    else:
        table = Table(_frame_of(source, "qrels" if subtopics else "run", called))
    frame, lines, dropped = pick_columns(
        table.frame, table.lines, called, wanted, optional, lenient=lenient, subtopics=subtopics
    )
    return called, Parsed(frame, lines, dropped, table.name, table.notes)


def _frame_of(given: Any, kind: Kind, called: str) -> pl.DataFrame:
    """The rows of a Python object."""
    if isinstance(given, Mapping):
        return from_mapping(given, called, kind)
    found = to_polars(given)
    if found is None:
        what = f"a {type(given).__name__} cannot be read; give a path, a frame or a dict of dicts."
        raise InputError(called, what)
    return found
