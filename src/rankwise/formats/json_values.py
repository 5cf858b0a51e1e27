"""JSON documents of other tools: recognition, reading and error messages."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rankwise.errors import InputError, did_you_mean, shorten, some_of
from rankwise.formats.base import Format, Part, Table
from rankwise.formats.source import Kind
from rankwise.lazy import pl
from rankwise.notes import Note
from rankwise.wording import Remedy


@dataclass(frozen=True)
class Value:
    """A value in a JSON document or a similar Python object, with its path for error messages."""

    found: Any
    source: str
    place: str = ""  # requests[2].ratings[0]

    def __getitem__(self, key: str) -> Value:
        """Return a field; raise an error if it is missing."""
        fields = self._mapping()
        if key not in fields:
            names = [str(name) for name in fields]
            near = did_you_mean(key, names)
            others = f"its fields are {some_of(names, 8)}" if names else "it has no fields"
            raise self.wrong(f"has no field {key!r}; {others}.{near}")
        return self._field(key)

    def get(self, path: str) -> Value | None:
        """Return a field, or a nested field (`a.b`); return None if it is missing or null."""
        value = self
        for key in path.split("."):
            if value._mapping().get(key) is None:
                return None
            value = value._field(key)
        return value

    def items(self) -> Iterator[tuple[str, Value]]:
        for key in self._mapping():
            yield str(key), self._field(key)

    def items_of(self, key: str) -> Iterator[tuple[str, Value]]:
        """Yield (name, value) of the fields of the object in field `key`, if it exists."""
        value = self.get(key)
        return iter(()) if value is None else value.items()

    def each_of(self, key: str) -> Iterator[Value]:
        """Yield the elements of the list in field `key`, if it exists."""
        value = self.get(key)
        return iter(()) if value is None else value.each()

    def each(self) -> Iterator[Value]:
        if not isinstance(self.found, list | tuple):
            raise self.wrong(f"is {_kind(self.found)} where a list is expected.")
        for at, one in enumerate(self.found):
            yield Value(one, self.source, f"{self.place}[{at}]")

    def name(self) -> str:
        """Return the value as a name (nonempty text or an integer); raise an error otherwise."""
        if isinstance(self.found, bool) or not isinstance(self.found, str | int):
            raise self.wrong(f"is {_kind(self.found)} where a name is expected.")
        if not str(self.found).strip():
            raise self.wrong("is empty where a name is expected.")
        return str(self.found)

    def number(self) -> float:
        """Return the value as a finite number; text such as "0.5" is converted."""
        try:
            if isinstance(self.found, bool):
                raise ValueError
            number = float(self.found)
        except (TypeError, ValueError, OverflowError):
            given = shorten(repr(self.found))
            raise self.wrong(f"is {given} where a number is expected.") from None
        if not math.isfinite(number):
            raise self.wrong(f"is {self.found!r} where a finite number is expected.")
        return number

    def rating(self) -> float | None:
        """Return the value as a number, or None if it is null or empty text (not rated)."""
        if self.found is None or (isinstance(self.found, str) and not self.found.strip()):
            return None
        return self.number()

    def wrong(self, what: str, remedy: Remedy | None = None) -> InputError:
        return InputError(self.source, f"{self.place} {what}".strip(), remedy=remedy)

    def _mapping(self) -> Mapping[Any, Any]:
        if not isinstance(self.found, Mapping):
            raise self.wrong(f"is {_kind(self.found)} where an object with fields is expected.")
        return self.found

    def _field(self, key: Any) -> Value:
        place = f"{self.place}.{key}" if self.place else str(key)
        return Value(self.found[key], self.source, place)


def has(document: Any, *paths: str) -> bool:
    """Return whether a document has a value at each path.

    A path that ends in `[]` needs a list, one that ends in `{}` an object. A number is the index of
    an element.

    >>> has({"hits": {"hits": [{"_id": "a"}]}}, "hits.hits[]", "hits.hits.0._id")
    True
    """
    return all(_has(document, path.split(".")) for path in paths)


def _has(value: Any, keys: Sequence[str]) -> bool:
    for key in keys:
        name = key.rstrip("[]{}")
        if name.isdigit():
            if not isinstance(value, list) or len(value) <= int(name):
                return False
            value = value[int(name)]
        elif not isinstance(value, Mapping) or name not in value:
            return False
        else:
            value = value[name]
        if key.endswith("[]") and not isinstance(value, list):
            return False
        if key.endswith("{}") and not isinstance(value, Mapping):
            return False
    return True


def _kind(found: Any) -> str:
    if found is None:
        return "null"
    if isinstance(found, Mapping):
        return "an object"
    return "a list" if isinstance(found, list | tuple) else shorten(repr(found))


Rated = tuple[str, str, float | None]  # topic, document, rating


class Ranking(NamedTuple):
    """Documents of a topic, best first, each with its score or None.

    `run` is the name of the run, or None if it has none.
    """

    topic: str
    documents: list[tuple[str, float | None]]
    run: str | None = None


def judgments_frame(rows: Iterable[Rated]) -> pl.DataFrame:
    """Return columns topic, document and grade, without unrated documents."""
    schema = {"topic": pl.String, "document": pl.String, "grade": pl.Float64}
    return pl.DataFrame(list(rows), schema=schema, orient="row").drop_nulls("grade")


def rated(queries: Value, topic: str, ratings: str, document: str) -> Iterator[Rated]:
    """Yield the judgments of a list of queries, each with a list of ratings.

    `topic` and `ratings` are the names of the fields of a query with its name and its ratings.
    `document` is the name of the field of a rating with the document.
    """
    for query in queries.each():
        name = query[topic].name()
        for one in query[ratings].each():
            yield name, one[document].name(), one["rating"].rating()


def run_frame(rankings: Iterable[Ranking]) -> pl.DataFrame:
    """Return columns topic, document, rank, score and run.

    The column `score` is left out if any score is missing, or if scores rise anywhere in a ranking.
    The column `run` is left out if no run has a name.
    """
    schema = {"topic": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64}
    rows = [
        (topic, name, rank, score, run)
        for topic, documents, run in rankings
        for rank, (name, score) in enumerate(documents, 1)
    ]
    frame = pl.DataFrame(rows, schema=schema | {"run": pl.String}, orient="row")
    falls = pl.col("score") <= pl.col("score").shift(1).over("run", "topic")
    fits = frame.select((pl.col("score").is_not_null() & falls.fill_null(True)).all()).item()
    unknown = [*([] if fits else ["score"]), *(["run"] if frame["run"].is_null().all() else [])]
    return frame.drop(unknown)


@dataclass(frozen=True)
class Document:
    """A type of JSON document, or of Python object, and functions that read judgments or a run."""

    name: str  # for messages
    is_it: Callable[[Any], bool]
    judgments: Callable[[Value], Iterable[Rated]] | None = None
    run: Callable[[Value], Iterable[Ranking] | pl.DataFrame] | None = None
    notes: tuple[Note, ...] = ()  # notes on runs, for example that topics have no names
    part_of: Callable[[Value, Part], Value] | None = None  # for documents with subsets and splits

    def read(self, found: Value, kind: Kind, part: Part) -> Table:
        if kind == "qrels" and self.judgments is not None:
            return Table(judgments_frame(self.judgments(found)), unit="rating")
        if kind == "qrels" or self.run is None:
            wanted, other = ("a run", "judgments") if kind == "run" else ("judgments", "a run")
            what = f"{self.name} cannot be read as {wanted}: it has only {other}."
            raise InputError(found.source, what)
        rows = self.run(found if self.part_of is None else self.part_of(found, part))
        frame = rows if isinstance(rows, pl.DataFrame) else run_frame(rows)
        return Table(frame, notes=self.notes, unit="hit")

    def format(self) -> Format:
        return Format(
            self.name,
            lambda file: self.is_it(file.json),
            lambda file, kind: self.read(Value(file.json, file.name), kind, file.part),
            has_parts=self.part_of is not None,
        )


def by_topic(
    frame: pl.DataFrame, first: str, second: str
) -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
    """Yield each topic, in order of first occurrence, with its pairs of values of two columns."""
    for (topic,), rows in frame.partition_by("topic", as_dict=True, maintain_order=True).items():
        yield str(topic), rows.select(first, second).rows()


def json_bytes(content: Any) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
