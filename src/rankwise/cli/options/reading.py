"""Shared options: reading judgments and runs, and the random seed."""

import functools
import os
from collections.abc import Callable
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click

from rankwise.vocabulary import Order, Topics, Undefined

if TYPE_CHECKING:
    from rankwise.rankings import NamedRun

DEEPEST = 2**31 - 1
ONE_RUN = {"run", "baseline", "candidate"}  # names of arguments that are one run
F = TypeVar("F", bound=Callable[..., Any])


class Range(click.FloatRange):
    """A finite number within a range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def run_given(
    _ctx: click.Context | None, _parameter: click.Parameter | None, given: str
) -> "str | NamedRun":
    """Parse a run (a click callback): FILE, or NAME=FILE to rename it.

    An existing file whose name contains = is a file, and so is a path: names contain no /.
    """
    name, equals, file = given.partition("=")
    if not equals or "/" in name or Path(given).exists():
        return given
    if not name or not file:
        raise click.BadParameter(
            f"{given}: the name or the file is missing. Use FILE or NAME=FILE."
        )
    from rankwise.rankings import NamedRun

    return NamedRun(name, file)


def runs_given(
    ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]
) -> "tuple[str | NamedRun, ...]":
    """Parse several runs (a click callback); their names must differ."""
    runs = tuple(run_given(ctx, parameter, one) for one in given)
    names = [run[0] for run in runs if not isinstance(run, str)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise click.BadParameter(f"two runs are named {twice[0]}. Give each its own NAME=FILE.")
    return runs


def runs_argument(metavar: str, *, required: bool) -> Callable[[F], F]:
    """Add the argument RUN..., each FILE or NAME=FILE."""
    return click.argument("runs", metavar=metavar, nargs=-1, required=required, callback=runs_given)


order_option = click.option(
    "--order",
    type=click.Choice(get_args(Order)),
    default="score",
    show_default=True,
    help="Order rankings by score, by rank, or as in the file. Tied scores are ordered by "
    "document name, descending.",
)
depth_option = click.option(
    "--depth",
    type=click.IntRange(1, DEEPEST),
    help="Use the first N documents of each ranking only.",
)
gains_option = click.option(
    "--gains",
    metavar="TABLE",
    help="Gain of each grade, for example 0=0,0.5=0.4,1=1; or 3:2:1, from the highest grade down.",
)
complete_runs_option = click.option(
    "--complete-runs",
    is_flag=True,
    help="Exclude runs with fewer than 95 % of 1,000 documents per topic, or with an empty topic.",
)
metrics_from_option = click.option(
    "--metrics-from",
    multiple=True,
    metavar="FILE",
    help="Python file defining extra metrics. It is executed: use trusted files only.",
)
lenient_switch = click.option(
    "--lenient", is_flag=True, help="Skip malformed lines and duplicate documents, with a warning."
)


def _allow_size(_ctx: click.Context, _parameter: click.Parameter, size: str | None) -> None:
    """Set the limit for this process and its children."""
    if size is not None:
        from rankwise.formats import SETTING, parse_size

        parse_size(size)  # an error before any work is done
        os.environ[SETTING] = size


max_size_option = click.option(
    "--max-size",
    metavar="SIZE",
    expose_value=False,
    callback=_allow_size,
    help="Largest size of a decompressed file, e.g. 20G.  [default: the larger of 64M and 100 × "
    "the compressed size]",
)


def lenient_option(command: F) -> F:
    """Add --lenient and --max-size."""
    return lenient_switch(max_size_option(command))


only_topics_option = click.option(
    "--only-topics", metavar="FILE", help="Use only the topics in FILE, one per line."
)
drop_self_option = click.option(
    "--drop-self",
    is_flag=True,
    help="Remove the query itself from its ranking (ArguAna, Quora).",
)
map_documents_option = click.option(
    "--map-documents",
    metavar="REGEX|FILE",
    help="Map passages to documents (MaxP: a document takes the rank of its best passage). REGEX "
    "extracts the document ID, e.g. '(.*)#'; FILE has lines `passage document`.",
)
topic_groups_option = click.option(
    "--topic-groups",
    metavar="FILE",
    help="Also report by group of topics; FILE has lines `topic group`.",
)


clusters_option = click.option(
    "--clusters",
    metavar="FILE|COLUMN",
    help="Topics that belong together (a conversation, a document, a user, variants of one query): "
    "FILE has lines `topic cluster`; with --scores, also a column of its table. Intervals and "
    "tests allow for the dependence within clusters.",
)


systems_option = click.option(
    "--systems",
    metavar="FILE",
    help="Average the runs of each system (seeds, trials), topic by topic; FILE has lines `run "
    "system`. Intervals and tests allow for runs as well as topics.",
)


weights_option = click.option(
    "--weights",
    metavar="FILE",
    help="Weights of topics in means and tests, e.g. the frequency of queries; FILE has lines "
    "`topic weight`.",
)


lengths_option = click.option(
    "--lengths",
    metavar="FILE",
    help="Document lengths for TBG (words) and U (characters); lines `document length`.",
)


def selection_options(command: F) -> F:
    """Add --only-topics, --drop-self and --map-documents."""
    decorated: Any = command
    for option in (map_documents_option, drop_self_option, only_topics_option):
        decorated = option(decorated)
    return cast(F, decorated)


columns_option = click.option(
    "--columns",
    metavar="NAMES",
    help="Column names in tables, for example topic=search_term,document=sku. Columns named topic, "
    "document, grade, score, rank, run, judge, or a common variant of these, are found without it.",
)


def with_columns(given: Any, columns: str | None) -> Any:
    """Return a path with the names of its columns."""
    if columns is None or given is None:
        return given
    from rankwise.formats import WithColumns, parse_columns
    from rankwise.rankings import NamedRun

    if isinstance(given, NamedRun):
        return given._replace(given=with_columns(given.given, columns))

    return WithColumns(given, parse_columns(columns))


def columns_of_input(command: F) -> F:
    """Add --columns; the command gets the names with its QRELS and RUN...."""

    @functools.wraps(command)
    def named(*args: Any, columns: str | None, **given: Any) -> Any:
        for name in {"qrels", "without", *ONE_RUN} & given.keys():
            given[name] = with_columns(given[name], columns)
        if "runs" in given:
            given["runs"] = tuple(with_columns(run, columns) for run in given["runs"])
        return command(*args, **given)

    return cast(F, columns_option(named))


def part_options(command: F) -> F:
    """Add --subset and --split."""
    for name, example in (("split", "test"), ("subset", "en")):
        command = click.option(
            f"--{name}",
            metavar="NAME",
            help=f"{name.capitalize()} of MTEB predictions, e.g. {example}, if there are several.",
        )(command)
    return command


def with_part(given: Any, subset: str | None, split: str | None) -> Any:
    """Return a path with its subset and split."""
    if subset is None and split is None:
        return given
    from rankwise.formats import Part, WithColumns
    from rankwise.rankings import NamedRun

    if isinstance(given, NamedRun):
        return given._replace(given=with_part(given.given, subset, split))
    known = given if isinstance(given, WithColumns) else WithColumns(given, {})
    return replace(known, part=Part(subset, split))


def parts_of_runs(command: F) -> F:
    """Add --subset and --split; the command gets them with its RUN...."""

    @functools.wraps(command)
    def chosen(*args: Any, subset: str | None, split: str | None, **given: Any) -> Any:
        for name in ONE_RUN & given.keys():
            given[name] = with_part(given[name], subset, split)
        if "runs" in given:
            given["runs"] = tuple(with_part(run, subset, split) for run in given["runs"])
        return command(*args, **given)

    return cast(F, part_options(chosen))


rel_option = click.option(
    "--rel",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="Relevance threshold, also for metrics without their own `rel`: AP is then AP(rel=2).",
)
rel_of_metrics_option = click.option(
    "--rel",
    default=1.0,
    type=Range(min=0, min_open=True),
    help="Relevance threshold for metrics without their own `rel`; may be a fraction.  "
    "[default: 1]",
)
seed_option = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Random seed."
)

topics_option = click.option(
    "--topics",
    type=click.Choice(get_args(Topics)),
    default="all",
    show_default=True,
    help="Average over all judged topics (a topic missing from a run scores 0), or over the "
    "topics common to the judgments and all runs.",
)
undefined_option = click.option(
    "--undefined",
    type=click.Choice(get_args(Undefined)),
    default="skip",
    show_default=True,
    help="Topics on which a metric is undefined (AP without a relevant document): exclude them "
    "from the mean, or score them 0, as trec_eval does.",
)

READING = {
    "topics": topics_option,
    "undefined": undefined_option,
    "topic_groups": topic_groups_option,
    "order": order_option,
    "depth": depth_option,
    "gains": gains_option,
    "complete_runs": complete_runs_option,
    "lenient": lenient_option,
    "only_topics": only_topics_option,
    "drop_self": drop_self_option,
    "map_documents": map_documents_option,
}


ON_TOPICS = ("topics", "undefined", "topic_groups")


def reading_options(*without: str, also: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Add the options of `rankwise.read` except `without`; those on topics only if in `also`.

    The command gets them as one argument, `reading`: a `Collection` without judgments and runs.
    """
    names = [name for name in READING if name not in (*without, *ON_TOPICS) or name in also]

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def gathered(*args: Any, **given: Any) -> Any:
            from rankwise.rankings import Collection

            options = {name: given.pop(name) for name in names}
            return command(*args, reading=Collection(None, None, **options), **given)

        decorated: Any = gathered
        for name in reversed(names):
            decorated = READING[name](decorated)
        return cast(F, decorated)

    return decorate
