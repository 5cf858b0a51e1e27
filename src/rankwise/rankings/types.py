"""Types accepted as judgments and as runs, for type checkers and readers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from rankwise.formats import WithColumns
from rankwise.lazy import pl
from rankwise.rankings.judges import Judges
from rankwise.rankings.run import NamedRun, Qrels, Run
from rankwise.rankings.subtopics import Subtopics


class ArrowFrame(Protocol):
    """A frame of pandas, pyarrow, DuckDB or any other library that supports Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class Judged(Protocol):
    """An object with judgments and a method `qrels_iter`, as a dataset of ir_datasets."""

    def qrels_iter(self) -> Iterable[Any]: ...


class Retrieved(Protocol):
    """An object with a run and a method `scoreddocs_iter`, as a dataset of ir_datasets."""

    def scoreddocs_iter(self) -> Iterable[Any]: ...


class NamedRow(Protocol):
    """A named tuple, as `qrels_iter` and `scoreddocs_iter` yield them."""

    def _asdict(self) -> dict[str, Any]: ...


Records: TypeAlias = Iterable[NamedRow] | Iterable[Mapping[str, Any]]
Frame: TypeAlias = pl.DataFrame | pl.LazyFrame | ArrowFrame
# {topic: {document: grade or score}}
Nested: TypeAlias = Mapping[Any, Mapping[Any, float]]
# {topic: [documents, best first]}, or {column: [values]}
Lists: TypeAlias = Mapping[Any, Sequence[Any]]
# {topic: {relevant documents}}
Sets: TypeAlias = Mapping[Any, AbstractSet[Any]]

OneJudgeLike: TypeAlias = (
    str | Path | Qrels | Frame | Nested | Lists | Sets | Records | Judged | WithColumns | NamedRun
)
# Judgments of one judge or of several: {judge: judgments}, a list of them, or `Judges`
QrelsLike: TypeAlias = (
    OneJudgeLike | Judges | Subtopics | Mapping[str, OneJudgeLike] | Sequence[OneJudgeLike]
)
RunLike: TypeAlias = (
    str | Path | Run | NamedRun | Frame | Nested | Lists | Records | Retrieved | WithColumns
)
# One run, several, or {name: run}
RunsLike: TypeAlias = RunLike | Iterable[RunLike] | Mapping[str, RunLike]
Gains: TypeAlias = str | Mapping[float, float]
