"""Types of the objects that functions accept as judgments and as runs."""

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
    """A table of a library that exports Arrow streams, such as pandas, pyarrow or DuckDB."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class Judged(Protocol):
    """An object whose method `qrels_iter` yields judgments, such as a dataset of ir_datasets."""

    def qrels_iter(self) -> Iterable[Any]: ...


class Retrieved(Protocol):
    """An object whose method `scoreddocs_iter` yields a run, such as a dataset of ir_datasets."""

    def scoreddocs_iter(self) -> Iterable[Any]: ...


class NamedRow(Protocol):
    """A named tuple, such as a judgment or a retrieved document of ir_datasets."""

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
