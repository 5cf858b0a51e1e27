"""Options that several commands take: how judgments and runs are read, and where chance starts."""

from collections.abc import Callable
from math import isfinite
from typing import Any, TypeVar, cast, get_args

import click

from rankwise.vocabulary import Order

F = TypeVar("F", bound=Callable[..., Any])
DEEPEST = 2**31 - 1


class Range(click.FloatRange):
    """A number within a range; nan, which compares with nothing, and inf are none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


order_option = click.option(
    "--order",
    type=click.Choice(get_args(Order)),
    default="score",
    show_default=True,
    help="What orders a ranking. Equal scores are ordered by document name, descending.",
)
depth_option = click.option(
    "--depth", type=click.IntRange(1, DEEPEST), help="Look at the first N documents only."
)
gains_option = click.option(
    "--gains",
    metavar="TABLE",
    help="What each grade of the qrels is worth, as 0=0,0.5=0.4,1=1 or 3:2:1.",
)
complete_runs_option = click.option(
    "--complete-runs",
    is_flag=True,
    help="Leave out runs with fewer than 95 % of 1,000 documents a topic, or with a topic "
    "that has none; say which.",
)
metrics_from_option = click.option(
    "--metrics-from", multiple=True, metavar="FILE", help="A Python file with metrics of your own."
)
lenient_option = click.option(
    "--lenient", is_flag=True, help="Drop bad lines and repeated documents; say so."
)
only_topics_option = click.option(
    "--only-topics", metavar="FILE", help="Look at these topics only, one a line."
)
drop_self_option = click.option(
    "--drop-self",
    is_flag=True,
    help="Leave out documents named like their topic, as in ArguAna and Quora.",
)
map_documents_option = click.option(
    "--map-documents",
    metavar="REGEX|FILE",
    help="Documents in place of the passages that runs retrieve, of which the best counts: what "
    "REGEX, or its group, matches in a passage's name, as '(.*)#'; or lines `passage document`.",
)
topic_groups_option = click.option(
    "--topic-groups", metavar="FILE", help="Lines `topic group`: also by group of topics."
)


def selection_options(command: F) -> F:
    """--only-topics, --drop-self and --map-documents."""
    decorated: Any = command
    for option in (map_documents_option, drop_self_option, only_topics_option):
        decorated = option(decorated)
    return cast(F, decorated)


rel_option = click.option(
    "--rel",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="The least grade that counts as relevant.",
)
seed_option = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Where chance starts."
)
