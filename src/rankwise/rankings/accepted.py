"""What is accepted as judgments and as runs, for type checkers and for readers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from rankwise.lazy import pl
from rankwise.rankings.rows import NamedRun, Qrels, Run


class ArrowFrame(Protocol):
    """A frame of pandas, pyarrow, DuckDB or any other that speaks Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


Frame: TypeAlias = pl.DataFrame | pl.LazyFrame | ArrowFrame
# {topic: {document: grade or score}}
Nested: TypeAlias = Mapping[Any, Mapping[Any, float]]

QrelsLike: TypeAlias = str | Path | Qrels | Frame | Nested
RunLike: TypeAlias = str | Path | Run | NamedRun | Frame | Nested
# One run, several, or {name: run}
RunsLike: TypeAlias = RunLike | Iterable[RunLike] | Mapping[str, RunLike]
Gains: TypeAlias = str | Mapping[float, float]
