"""Options for reading files: judgments, runs, and metrics of the user's own."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.options.base import OptionSet, option
from rankwise.cli.options.shared import Shared, Size

if TYPE_CHECKING:
    from rankwise.rankings import Collection

# Options of `rankwise.read`.
OF_COLLECTION = (
    *("order", "depth", "gains", "lenient", "complete_runs", "only_topics", "topics", "undefined"),
    *("topic_groups", "drop_self", "map_documents", "lengths"),
)


class MetricsFile(click.types.StringParamType):
    """A Python file that registers metrics; its value is the list of their names."""

    def convert(self, value: Any, param: Any, ctx: click.Context | None) -> Any:
        from rankwise.metrics import load_metrics

        is_called = ctx is not None and not ctx.resilient_parsing
        return load_metrics(value) if is_called else []


class OwnMetrics(OptionSet):
    """The option for metrics of the user's own."""

    metrics_from: tuple[list[str], ...] = option(
        "Python file defining extra metrics. It is executed: use trusted files only.",
        metavar="FILE",
        type=MetricsFile(),
    )


class Files(Shared):
    """Options for reading files that have errors, are large, or are tables."""

    lenient: bool = option("Skip malformed lines and duplicate documents, with a warning.")
    max_size: str | None = option(
        "Largest size of a decompressed file, e.g. 20G.  [default: the larger of 64M and 100 × the "
        "compressed size]",
        metavar="SIZE",
        type=Size(),
    )
    columns: str | None = option(
        "Column names in input tables, for example topic=search_term,document=sku. Columns named "
        "topic, document, grade, score, rank, run, judge, or a common variant of these, are "
        "recognised without this option.",
        metavar="NAMES",
    )

    def with_columns(self, given: Any, *, is_run: bool = True) -> Any:
        """Return a file with the names of its columns and, for a run, its subset and split."""
        has_part = is_run and (self.subset, self.split) != (None, None)
        if self.columns is None and not has_part:
            return given
        from rankwise.formats import Part, WithColumns, parse_columns
        from rankwise.rankings import NamedRun

        if isinstance(given, NamedRun):
            return given._replace(given=self.with_columns(given.given, is_run=is_run))
        if not isinstance(given, str):
            return given
        names = {} if self.columns is None else parse_columns(self.columns)
        known = WithColumns(given, names)
        return replace(known, part=Part(self.subset, self.split)) if has_part else known


class Reading(Files):
    """Options of commands that read rankings; `collection_of` combines them with files."""

    shared = "order"
    only_topics: str | None = option("Use only the topics in FILE, one per line.", metavar="FILE")
    drop_self: bool = option("Remove the query itself from its ranking (ArguAna, Quora).")
    map_documents: str | None = option(
        "Map passages to documents (MaxP: a document takes the rank of its best passage). REGEX "
        "extracts the document ID, e.g. '(.*)#'. FILE has two columns: passage and document.",
        metavar="REGEX|FILE",
    )

    def collection_of(self, qrels: Any, runs: Any, **others: Any) -> "Collection":
        """Return judgments and runs with the options for reading them; `others` take precedence."""
        from rankwise.rankings import Collection

        several = type(runs) in (list, tuple)  # not a NamedRun
        sources = [self.with_columns(run) for run in runs] if several else self.with_columns(runs)
        options = {name: getattr(self, name) for name in OF_COLLECTION}
        return Collection(self.with_columns(qrels, is_run=False), sources, **{**options, **others})
