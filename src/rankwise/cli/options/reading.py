"""Shared options: reading judgments and runs, metrics, and the random seed."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankwise.cli.completion import complete_metrics
from rankwise.cli.options.base import AtLeast1, OptionSet, Range, flag, option
from rankwise.vocabulary import Order, Topics, Undefined

if TYPE_CHECKING:
    from rankwise.rankings import Collection, NamedRun

DEEPEST = 2**31 - 1
METRIC = ("-m", "--metric")
# Options of `rankwise.read`; a command has some of them.
OF_COLLECTION = (
    *("order", "depth", "gains", "lenient", "complete_runs", "only_topics", "topics", "undefined"),
    *("topic_groups", "drop_self", "map_documents", "lengths"),
)


def run_given(
    _ctx: click.Context | None, _parameter: click.Parameter | None, given: str | None
) -> "str | NamedRun | None":
    """Parse a run (a click callback): FILE, or NAME=FILE to rename it.

    An existing file whose name contains = is FILE, and so is a path with a / before the =.
    """
    name, equals, file = (given or "").partition("=")
    if given is None or not equals or "/" in name or Path(given).exists():
        return given
    if not name or not file:
        raise click.BadParameter(
            f"{given!r}: the name or the file is missing. Write FILE or NAME=FILE."
        )
    from rankwise.rankings import NamedRun

    return NamedRun(name, file)


def runs_given(
    ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> "tuple[str | NamedRun | None, ...]":
    """Parse several runs (a click callback); raise an error if two have the same name."""
    runs = tuple(run_given(ctx, parameter, one) for one in given)
    names = [run[0] for run in runs if run is not None and not isinstance(run, str)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        what = f"two runs are named {twice[0]}. Give each run its own name: NAME=FILE."
        raise click.BadParameter(what)
    return runs


def metrics_option(help: str, **settings: Any) -> Any:
    """Declare -m, which may be given several times."""
    settings |= {"multiple": True, "metavar": "METRIC", "shell_complete": complete_metrics}
    return option(help, *METRIC, **settings)


class Size(click.types.StringParamType):
    """A number of bytes such as 20G, the limit of the size of a decompressed file."""

    name = "size"

    def convert(self, value: str, param: Any, ctx: Any) -> str:
        from rankwise.formats import SETTING, parse_size

        parse_size(value)
        if ctx is not None:  # without a context, a message only checks that the value is valid
            os.environ[SETTING] = value  # also for child processes
        return value


class MetricsFile(click.types.StringParamType):
    """A Python file that registers metrics; its value is the list of their names."""

    def convert(self, value: Any, param: Any, ctx: click.Context | None) -> Any:
        from rankwise.metrics import load_metrics

        is_called = ctx is not None and not ctx.resilient_parsing
        return load_metrics(value) if is_called else []


ORDER = option(
    "Order rankings by score, by rank, or as in the file. Ties are ordered by document ID "
    "(docno), descending.",
    choices=Order,
    default="score",
)
DEPTH = option("Use the first N documents of each ranking only.", type=click.IntRange(1, DEEPEST))
GAINS = option(
    "Gain of each grade: `grade=gain` pairs, for example 1=1,2=3,3=7, or only the gains from the "
    "highest grade down to grade 1, for example 7:3:1.",
    metavar="TABLE",
)
COMPLETE_RUNS = flag(
    "Exclude runs with fewer than 95 % of 1,000 documents per topic, or with an empty topic."
)
LENGTHS = option(
    "Document lengths for TBG (in words) and U (in characters). FILE has two columns: document and "
    "length.",
    metavar="FILE",
)
COLUMNS = option(
    "Column names in input tables, for example topic=search_term,document=sku. Columns named "
    "topic, document, grade, score, rank, run, judge, or a common variant of these, are "
    "recognised without this option.",
    metavar="NAMES",
)
REL = option(
    "Relevance threshold. Metrics without their own `rel` use it too: with 2, AP is AP(rel=2).",
    default=1,
    type=AtLeast1,
)
THRESHOLD = "Relevance threshold: the lowest grade that counts as relevant, for example 2 or 0.5"
OF_THRESHOLD: dict[str, Any] = {
    "default": 1.0,
    "show_default": False,
    "type": Range(min=0, min_open=True),
}
REL_OF_GRADES = option(f"{THRESHOLD}.  [default: 1]", **OF_THRESHOLD)
REL_OF_METRICS = option(
    f"{THRESHOLD}. A threshold in the name of a metric, as in AP(rel=2), takes precedence.  "
    "[default: 1]",
    **OF_THRESHOLD,
)
SEED = option("Random seed.", default=0, type=click.IntRange(min=0))
TOPICS = option(
    "Average over all judged topics (a topic missing from a run scores 0), or over the topics "
    "common to the judgments and all runs.",
    choices=Topics,
    default="all",
)
UNDEFINED = option(
    "Topics on which a metric is undefined (AP without a relevant document): exclude them from the "
    "mean, or score them 0, as trec_eval does.",
    choices=Undefined,
    default="skip",
)
TOPIC_GROUPS = option(
    "Also report results for each group of topics. FILE has two columns: topic and group.",
    metavar="FILE",
)


class Lenient(OptionSet):
    """Options for files that have errors or are large."""

    lenient: bool = flag("Skip malformed lines and duplicate documents, with a warning.")
    max_size: str | None = option(
        "Largest size of a decompressed file, e.g. 20G.  [default: the larger of 64M and 100 × the "
        "compressed size]",
        metavar="SIZE",
        type=Size(),
    )


class OwnMetrics(OptionSet):
    """The option for metrics of the user's own."""

    metrics_from: tuple[list[str], ...] = option(
        "Python file defining extra metrics. It is executed: use trusted files only.",
        multiple=True,
        metavar="FILE",
        type=MetricsFile(),
    )


class Parts(OptionSet):
    """Options that select a part of a file (subset and split of MTEB's predictions)."""

    subset: str | None = option(
        "Subset of MTEB predictions, e.g. en, if there are several.", metavar="NAME"
    )
    split: str | None = option(
        "Split of MTEB predictions, e.g. test, if there are several.", metavar="NAME"
    )


class TableColumns(OptionSet):
    """The option for the names of columns in tables."""

    columns: str | None = COLUMNS

    def with_columns(self, given: Any, *, is_run: bool = True) -> Any:
        """Return a file with the names of its columns and, for a run, its subset and split."""
        subset, split = getattr(self, "subset", None), getattr(self, "split", None)
        has_part = is_run and (subset, split) != (None, None)
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
        return replace(known, part=Part(subset, split)) if has_part else known


class Reading(Lenient, TableColumns):
    """Options of every command that reads rankings; `collection_of` combines them with files."""

    order: Order = ORDER
    only_topics: str | None = option("Use only the topics in FILE, one per line.", metavar="FILE")
    drop_self: bool = flag("Remove the query itself from its ranking (ArguAna, Quora).")
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
        options = {name: getattr(self, name) for name in OF_COLLECTION if hasattr(self, name)}
        return Collection(self.with_columns(qrels, is_run=False), sources, **{**options, **others})
