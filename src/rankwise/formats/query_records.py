"""Results of retrieval pipelines: one record per query, with a list of its documents.

A record is `{"query_id": …, "contexts": [{"id": …, "score": …, "text": …}, …]}`. Its documents may
also be results of LangChain (`page_content`, `metadata`) or LlamaIndex (`node`, `score`), or lists
of names, as in ragas. A file is a list of records in JSON, or has one record per line. The caller
may name a nested value by its path, such as `document=contexts.metadata.sku`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, TypeGuard

import numpy as np

from rankwise.errors import NO_FAULTS, Fault, Faults, InputError, shorten, some_of
from rankwise.formats.base import File, Format, Table, WithColumns
from rankwise.formats.columns import SUBTOPICS, Columns, candidates_for, is_called, naming_columns
from rankwise.formats.json import parsed_lines
from rankwise.formats.rag_track import ANSWERS
from rankwise.formats.source import Kind
from rankwise.formats.tables import header_of, read_csv
from rankwise.formats.trec import is_number
from rankwise.lazy import pl
from rankwise.notes import note

Path = tuple[str, ...]
RETRIEVED, REFERENCE = "retrieved_context_ids", "reference_context_ids"  # of ragas
TEXTS_OF_NAMES = {RETRIEVED: "retrieved_contexts", REFERENCE: "reference_contexts"}
NAMED_LIST: dict[Kind, str] = {"run": RETRIEVED, "qrels": REFERENCE}
LISTS = {
    *("context", "contexts", "documents", "docs", "source_documents", "retrieved_documents"),
    *("nodes", "source_nodes", "passages", "chunks", "results", "hits"),
    *TEXTS_OF_NAMES,
    *TEXTS_OF_NAMES.values(),
}
IDS = ("id", "_id", "id_", "node_id", "chunk_id", "context_id")
QUESTIONS = ("query", "question", "user_input", "input")  # used as names of topics without an ID
INSIDE: tuple[Path, ...] = ((), ("metadata",), ("node",), ("node", "metadata"))
TEXTS: tuple[Path, ...] = (("text",), ("page_content",), ("content",), ("node", "text"))
LOOKED_AT = 20  # lines that are checked to recognise a file
RECORD_IS = "A record is one query with the list of its documents."


def is_query_record(found: Any, columns: Columns) -> bool:
    """Return whether an object is a dict with a query and a list of documents.

    Return False for a row with a single document, and for a dict {topic: documents}.
    """
    if not isinstance(found, Mapping):
        return False
    if any(_is_list(_follow(found, _path(found, n))[0]) for n in columns.get("document", ())):
        return True
    plain = [str(name) for name, value in found.items() if isinstance(value, str | int)]
    if any(is_called(name, "document", columns) for name in plain):
        return False
    named = any(is_called(n, "topic", columns) or n in (*QUESTIONS, *IDS) for n in plain)
    lists = [(name, value) for name, value in found.items() if _is_list(value)]
    return named and any(name in LISTS or _holds_objects(value) for name, value in lists)


def query_records_of(given: Any, columns: Columns) -> list[tuple[int, Any]] | None:
    """Return pairs (number, record) from JSON or a Python object; None for another structure.

    Numbers start at 1. `given` is one record, a list of records, or {topic: [documents]}, where
    documents are dicts or objects. It may also be an object with a list of records in a field, if
    `columns` has a path through this field.
    """
    if not isinstance(given, Mapping):
        is_it = _is_list(given) and any(is_query_record(one, columns) for one in given)
        return list(enumerate(given, 1)) if is_it else None
    if is_query_record(given, columns):
        return [(1, given)]
    lists = list(given.values())
    if not lists or not all(map(_is_list, lists)) or not any(map(_holds_objects, lists)):
        return None
    records = ({"topic": str(topic), "contexts": found} for topic, found in given.items())
    return list(enumerate(records, 1))


def _is_list(given: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(given, list | tuple)


def _holds_objects(values: Sequence[Any]) -> bool:
    return bool(values) and isinstance(_plain(values[0]), Mapping)


def _path(record: Any, name: str) -> Path:
    """Split a dotted name into keys, unless the record has the whole name as a key."""
    return (name,) if isinstance(record, Mapping) and name in record else tuple(name.split("."))


def _follow(value: Any, path: Path) -> tuple[Any, Path]:
    """Follow a path to its end or to the first list on it.

    Return the value there (None if a key is missing) and the remaining keys.
    """
    for at, key in enumerate(path):
        if _is_list(value):
            return value, path[at:]
        value = value.get(key) if isinstance(value, Mapping) else None
    return value, ()


def _plain(element: Any) -> Any:
    """Convert an object of LangChain or LlamaIndex, or its serialised form, to a dict.

    A pair (document, score), as from `similarity_search_with_score`, becomes a document with a
    score. Other elements are returned unchanged.
    """
    if hasattr(element, "model_dump"):
        return element.model_dump()
    if _is_list(element) and len(element) == 2 and isinstance(element[1], int | float | np.number):
        document = _plain(element[0])
        return {**document, "score": element[1]} if isinstance(document, Mapping) else element
    if isinstance(element, Mapping) and element.get("lc") == 1 and "kwargs" in element:
        return element["kwargs"]
    return element


def _is_name(value: Any) -> bool:
    is_text_or_int = isinstance(value, str | int | np.integer) and not isinstance(value, bool)
    return is_text_or_int and bool(str(value).strip())


@dataclass(frozen=True)
class Paths:
    """Paths of the values of a record.

    `documents` is the path of the list of documents. `document` is the path of a document's name
    within an element of this list. `values` has the paths of scores, ranks, grades and subtopics,
    which are in the elements or in a parallel list.
    """

    keys: dict[str, Path]  # paths of the topic and, if present, of the run or the judge
    documents: Path
    document: Path
    values: dict[str, Path]


def read_query_records(
    numbered: list[tuple[int, Any]], source: str, kind: Kind, columns: Columns, unit: str
) -> Table:
    """Read runs or judgments from pairs (number, record).

    `unit` says what the numbers count, for error messages: for example "line". In a run without
    scores and ranks, the first document of a list is the best. A query with an empty list has no
    rows; its topic is scored as an empty ranking.
    """
    numbered, inside = _unwrapped(numbered, columns)
    paths = _Finder(source, kind, columns, [record for _, record in numbered], inside).paths()
    rows, faults = list[dict[str, Any]](), list[Fault]()
    first = dict[tuple[str, ...], int]()
    for number, record in numbered:
        try:
            keys, found, wrong = _rows_of(record, paths)
            key = tuple(keys.values())
            if key in first:
                raise ValueError(f"topic {keys['topic']} twice, first at {unit} {first[key]}")
            first[key] = number
            rows += [{"number": number, **keys, **row} for row in found]
        except ValueError as error:
            wrong = [str(error)]
        faults += [Fault(number, what, shorten(repr(record))) for what in wrong]
    frame = pl.DataFrame(rows, strict=False, infer_schema_length=None)
    if "score" in paths.values and "score" not in columns and rows:
        _check_direction(frame, paths, source)
    if kind == "qrels" and rows and "grade" not in frame.columns:
        frame = frame.with_columns(grade=pl.lit(1.0))
    by_question = note(
        "topics-are-questions", "topics have no ID; the question of each topic is used as its ID"
    )
    return Table(
        frame.drop("number", strict=False),
        np.array([row["number"] for row in rows], np.int64),
        notes=(by_question,) if kind == "run" and paths.keys["topic"][-1] in QUESTIONS else (),
        faults=Faults.of(faults),
        line_is=RECORD_IS,
        unit=unit,
    )


def _unwrapped(
    numbered: list[tuple[int, Any]], columns: Columns
) -> tuple[list[tuple[int, Any]], Path]:
    """Return the records of a list inside a single object, and the path of this list.

    The list is recognised if the caller's path for `document` passes through it and through a
    second list. Otherwise, return the input and an empty path.
    """
    for name in columns.get("document", ()) if len(numbered) == 1 else ():
        root = numbered[0][1]
        path = _path(root, name)
        found, rest = _follow(root, path)
        if _is_list(found) and rest and any(_is_list(_follow(e, rest)[0]) for e in found):
            return list(enumerate(found, 1)), path[: len(path) - len(rest)]
    return numbered, ()


def _rows_of(record: Any, paths: Paths) -> tuple[dict[str, str], list[dict[str, Any]], list[str]]:
    """Return the names of a record's topic and run or judge, its valid rows, and its faults."""
    keys = {}
    for role, path in paths.keys.items():
        name, _ = _follow(record, path)
        if not _is_name(name):
            raise ValueError(f"{'.'.join(path)} is not the name of a {role}")
        keys[role] = str(name)
    elements = _elements(record, paths.documents)
    columns = {role: _values(record, path, paths, elements) for role, path in paths.values.items()}
    rows, wrong = list[dict[str, Any]](), list[str]()
    for at, element in enumerate(elements):
        place = f"{'.'.join(paths.documents)}[{at}]"
        name, _ = _follow(element, paths.document)
        values = {role: values[at] for role, values in columns.items()}
        odd = [role for role, v in values.items() if role != "subtopic" and not _is_number(v)]
        if not _is_name(name):
            wrong.append(f"{'.'.join((place, *paths.document))} is not the name of a document")
        elif odd:
            shown = "missing" if values[odd[0]] is None else repr(values[odd[0]])
            wrong.append(f"{place}: the {odd[0]} is {shown}, and must be a number")
        else:
            rows.append({"document": str(name), "rank": at + 1} | values)
    return keys, rows, wrong


def _elements(record: Any, path: Path) -> list[Any]:
    found, rest = _follow(record, path)
    if not _is_list(found) or rest:
        raise ValueError(f"{'.'.join(path)} is not a list")
    return [_plain(element) for element in found]


def _values(record: Any, path: Path, paths: Paths, elements: list[Any]) -> list[Any]:
    """Return the value of each document, from the elements or from a parallel list."""
    depth = len(paths.documents)
    if path[:depth] == paths.documents:
        return [_follow(element, path[depth:])[0] for element in elements]
    values = _elements(record, path)
    if len(values) != len(elements):
        lists = f"{'.'.join(paths.documents)} and {'.'.join(path)}"
        raise ValueError(f"{lists} have {len(elements)} and {len(values)} elements")
    return values


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and is_number(value) and math.isfinite(float(value))


def _check_direction(frame: pl.DataFrame, paths: Paths, source: str) -> None:
    """Raise an error if scores rise along the lists and never fall: they may be distances."""
    keys = list(paths.keys)
    step = frame.select(pl.col("score").cast(pl.Float64).diff().over(keys))["score"].drop_nulls()
    if (step > 0).any() and not (step < 0).any():
        name, listed = ".".join(paths.values["score"]), ".".join(paths.documents)
        what = f"{name} rises along the lists, as distances do, but higher scores rank first. "
        what += f"If higher values of {name} are better, write score={name}."
        remedy = naming_columns(f"rank={listed}", "rank by the order of the lists")
        raise InputError(source, what, remedy=remedy)


@dataclass(frozen=True)
class _Finder:
    """A search for the paths of values, by the caller's names or by known names."""

    source: str
    kind: Kind
    columns: Columns
    records: list[Any]
    inside: Path  # path of the list of records

    def paths(self) -> Paths:
        documents, document = self._documents()
        keys = {"topic": self._named("topic") or self._topic()}
        role = "run" if self.kind == "run" else "judge"
        names = candidates_for(role, self._plain_names())
        if owner := self._named(role) or self._only(role, [(name,) for name in names]):
            keys[role] = owner
        return Paths(keys, documents, document, self._values(documents))

    def _named(self, role: str) -> Path | None:
        """Return the caller's path for a role, starting at the record, or None.

        It is an error if no record has a value there.
        """
        for name in self.columns.get(role, ()):
            path = tuple(name.split("."))
            path = path[len(self.inside) :] if path[: len(self.inside)] == self.inside else path
            for candidate in ((".".join(path),), path):
                if any(_follow(record, candidate)[0] is not None for record in self.records):
                    return candidate
        if role not in self.columns:
            return None
        given = " or ".join(f"{role}={name}" for name in self.columns[role])
        raise InputError(self.source, f"no record has a value for {given}; {self._fields()}")

    def _fields(self) -> str:
        return f"the fields are {some_of(self._names(), 12)}."

    def _names(self) -> list[str]:
        maps = [record for record in self.records if isinstance(record, Mapping)]
        return list(dict.fromkeys(str(name) for one in maps for name in one))

    def _plain_names(self) -> list[str]:
        """Return the fields that have no list or object in any record."""
        maps = [record for record in self.records if isinstance(record, Mapping)]
        plain = str | int | None
        nested = {str(n) for one in maps for n, v in one.items() if not isinstance(v, plain)}
        return [name for name in self._names() if name not in nested]

    def _topic(self) -> Path:
        plain = self._plain_names()
        ids = [name for name in candidates_for("topic", plain) if name not in QUESTIONS]
        for names in (ids, [n for n in IDS if n in plain], [n for n in QUESTIONS if n in plain]):
            if found := self._only("topic", [(name,) for name in names]):
                return found
        what = f"no field names the topic; {self._fields()}"
        raise InputError(self.source, what, remedy=naming_columns("topic=NAME", "name it"))

    def _only(self, role: str, paths: Sequence[Path]) -> Path | None:
        """Return the path if there is only one, or None; raise an error for several paths."""
        if len(paths) < 2:
            return paths[0] if paths else None
        names = [".".join(path) for path in paths]
        what = f"{', '.join(names[:-1])} and {names[-1]} may each be the {role}."
        remedy = naming_columns(f"{role}={names[0]}", "name the right one")
        raise InputError(self.source, what, remedy=remedy)

    def _documents(self) -> tuple[Path, Path]:
        """Return the path of the list of documents, and of the name in an element of the list."""
        if path := self._named("document"):
            for record in self.records:
                found, rest = _follow(record, path)
                if _is_list(found):
                    return path[: len(path) - len(rest)], rest
            raise InputError(self.source, f"{'.'.join(path)} is in no list of documents.")
        names, own = self._names(), NAMED_LIST[self.kind]
        if own in names and (self.kind == "qrels" or not self._lists_of_objects()):
            return (own,), ()
        found_paths = [path for name in self._lists_of_objects() for path in self._names_in(name)]
        found_paths += [(own,)] if own in names else []
        if path := self._only("document", found_paths):
            return path[:1], path[1:]
        here = [name for name in names if name in LISTS]
        if here and not any(map(self._elements, here)):
            return (here[0],), ()
        if "nuggets" in names:
            what = "holds nugget assignments, which are scores of answers"
            read = "Use it as scores: give it to compare, gate, report or rankwise.read_scores."
            raise InputError(self.source, f"{what}. {read}")
        what = f"no list has documents with an ID; {self._fields()}"
        remedy = naming_columns("document=LIST.NAME", "name the list and the ID in it")
        raise InputError(self.source, what, remedy=remedy)

    def _lists_of_objects(self) -> list[str]:
        return [
            name
            for name in self._names()
            if any(isinstance(e, Mapping) for e in self._elements(name))
        ]

    def _elements(self, name: str) -> list[Any]:
        found = [one.get(name) for one in self.records if isinstance(one, Mapping)]
        return [_plain(element) for one in found if _is_list(one) for element in one]

    def _names_in(self, name: str) -> list[Path]:
        """Return the paths of document names in a list; of paths with equal names, the first."""
        elements = self._elements(name)
        distinct: dict[tuple[Any, ...], Path] = {}
        for path in _paths_in(elements, "document"):
            values = tuple(_follow(element, path)[0] for element in elements)
            if any(map(_is_name, values)):
                distinct.setdefault(tuple(map(str, values)), (name, *path))
        return list(distinct.values())

    def _values(self, documents: Path) -> dict[str, Path]:
        """Return the paths of scores and ranks of a run, or of grades and subtopics, if known."""
        roles = ("score", "rank") if self.kind == "run" else ("grade", "subtopic")
        found = {role: self._value(role, documents) for role in roles}
        if self.kind == "run" and "rank" in self.columns and "score" not in self.columns:
            found["score"] = None
        if found.get("rank") == documents:
            found["rank"] = None  # the order of the list
        is_named = "document" in self.columns or documents == (REFERENCE,)
        if self.kind == "qrels" and found["grade"] is None and not is_named:
            what = f"no field of {'.'.join(documents)} has the grade."
            remedy = naming_columns(f"grade={'.'.join(documents)}.NAME", "name it")
            raise InputError(self.source, what, remedy=remedy)
        return {role: path for role, path in found.items() if path is not None}

    def _value(self, role: str, documents: Path) -> Path | None:
        if role in self.columns:
            return self._named(role)
        if len(documents) > 1:
            return None
        elements = self._elements(documents[0])
        paths = [
            path
            for path in _paths_in(elements, role)
            if any(_follow(element, path)[0] is not None for element in elements)
        ]
        return self._only(role, [(*documents, *path) for path in paths])


def _paths_in(elements: list[Any], role: str) -> list[Path]:
    """Return the paths in elements that end in one of the known names of a role."""
    paths: list[Path] = []
    for inside in INSIDE:
        maps = [_follow(element, inside)[0] for element in elements]
        names = list(dict.fromkeys(str(n) for one in maps if isinstance(one, Mapping) for n in one))
        if role == "subtopic":
            known = [name for name in names if name.lower() in SUBTOPICS and not inside]
        else:
            known = candidates_for(role, names)
        known += [name for name in names if role == "document" and name in IDS]
        paths += [(*inside, name) for name in known]
    return paths


def texts_in(
    given: Any, kind: Literal["topic", "document"], wanted: Container[str]
) -> dict[str, str]:
    """Return {name: text} for the `wanted` topics or documents whose text is in a run's records.

    `given` is the run: a `File`, `WithColumns`, or a Python object. The result is empty if the run
    is not in the form of query records.
    """
    columns = given.columns if isinstance(given, File | WithColumns) else {}
    plain = given.given if isinstance(given, WithColumns) else given
    if isinstance(plain, File):
        is_it = not plain.may_be_trec and not ANSWERS.recognises(plain) and _recognises(plain)
        records = _of_file(plain)[0] if is_it else None
    else:
        plain = list(plain) if isinstance(plain, Iterator) else plain
        records = query_records_of(plain, columns)
    if not records:
        return {}
    numbered, inside = _unwrapped(records, columns)
    paths = _Finder("", "run", columns, [record for _, record in numbered], inside).paths()
    read = _topic_texts if kind == "topic" else _document_texts
    found = {n: t for _, record in numbered for n, t in read(record, paths) if n in wanted}
    return {name: " ".join(text.split()) for name, text in found.items()}


def _topic_texts(record: Any, paths: Paths) -> Iterator[tuple[str, str]]:
    text = next((record[name] for name in QUESTIONS if isinstance(record.get(name), str)), None)
    if text is not None and paths.keys["topic"][-1] not in QUESTIONS:
        yield str(_follow(record, paths.keys["topic"])[0]), text


def _document_texts(record: Any, paths: Paths) -> Iterator[tuple[str, str]]:
    elements = _elements(record, paths.documents)
    beside = TEXTS_OF_NAMES.get(paths.documents[-1], "")
    texts = record.get(beside) if isinstance(record, Mapping) else None
    for at, element in enumerate(elements):
        own = (_follow(element, path)[0] for path in TEXTS)
        text = next((found for found in own if isinstance(found, str)), None)
        if text is None and _is_list(texts) and len(texts) == len(elements):
            text = texts[at]
        if isinstance(text, str):
            yield str(_follow(element, paths.document)[0]), text


def expanded(table: Table, source: str, kind: Kind, columns: Columns) -> Table:
    """Return a table with one row per document, from a table with a list of documents per row.

    A table without lists of documents is returned unchanged.
    """
    if not any(isinstance(dtype, pl.List) for dtype in table.frame.dtypes):
        return table
    records = query_records_of(table.frame.to_dicts(), columns)
    if records is None:
        return table
    found = read_query_records(records, source, kind, columns, "row")
    return replace(found, notes=(*table.notes, *found.notes), faults=table.faults + found.faults)


def _recognises(file: File) -> bool:
    if file.has_json_lines:
        lines = islice(file.source.lines(), LOOKED_AT)
        return any(is_query_record(found, file.columns) for _, found in parsed_lines(lines)[0])
    if file.suffix == ".csv":
        return not TEXTS_OF_NAMES.keys().isdisjoint(header_of(file))
    return query_records_of(file.json, file.columns) is not None


def _of_file(file: File) -> tuple[list[tuple[int, Any]], Faults]:
    """Return the records of a file with their numbers, and faults for malformed lines."""
    if file.has_json_lines:
        return parsed_lines(file.source.lines())
    if file.suffix == ".csv":
        rows = read_csv(file)
        numbered = zip(rows.numbers.tolist(), rows.frame.iter_rows(named=True), strict=True)
        found = [(at, {name: _listed(cell) for name, cell in row.items()}) for at, row in numbered]
        return found, rows.faults
    return query_records_of(file.json, file.columns) or [], NO_FAULTS


def _listed(cell: Any) -> Any:
    """Convert a cell of ragas' CSV to a list if it has the text of a Python list."""
    if not isinstance(cell, str) or not cell.startswith("["):
        return cell
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell


def _read(file: File, kind: Kind) -> Table:
    unit = "line" if file.has_json_lines or file.suffix == ".csv" else "record"
    records, faults = _of_file(file)
    if not records:
        return Table(pl.DataFrame(), faults=faults, line_is=RECORD_IS)
    table = read_query_records(records, file.name, kind, file.columns, unit)
    return replace(table, faults=faults + table.faults)


QUERY_RECORDS = Format("records of queries", _recognises, _read)
