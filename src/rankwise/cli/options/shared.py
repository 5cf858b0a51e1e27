"""Options of several commands, declared once; each command lists the options that it has."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from rankwise.cli.options.base import AtLeast1, Fraction, OptionSet, Range, argument, option
from rankwise.vocabulary import Correction, Mean, Order, Test, Topics, Undefined

if TYPE_CHECKING:
    from rankwise.rankings import NamedRun

DEEPEST = 2**31 - 1
PAPER = ("sort", "second", "caption", "label", "marks")


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


def refuse_repeated(files: Sequence[str]) -> None:
    """Raise an error if a file is given twice."""
    twice = next((file for file in files if files.count(file) > 1), None)
    if twice is not None:
        raise click.UsageError(f"{twice} is given twice. Give each file once.")


def complete_metrics(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the last of several metrics: `AP,nD` to `AP,nDCG`."""
    from rankwise.metrics import REGISTRY

    before, comma, last = incomplete.rpartition(",")
    names = [name for name in REGISTRY if name.lower().startswith(last.lower())]
    return [CompletionItem(before + comma + name) for name in sorted(names)]


class Size(click.types.StringParamType):
    """A number of bytes such as 20G, the limit of the size of a decompressed file."""

    name = "size"

    def convert(self, value: str, param: Any, ctx: Any) -> str:
        from rankwise.formats import SETTING, parse_size

        parse_size(value)
        if ctx is not None:  # without a context, a message only checks that the value is valid
            os.environ[SETTING] = value  # also for child processes
        return value


class AssumptionType(click.types.StringParamType):
    """An assumption about unjudged documents, checked before any work is done."""

    name = "assumption"

    def convert(self, value: str, param: Any, ctx: Any) -> str:
        from rankwise.rankings import Possible

        Possible.parse(value)
        return value


# Settings of options and arguments that commands describe in their own words.
RUNS: dict[str, Any] = {"nargs": -1, "callback": runs_given}
METRIC: dict[str, Any] = {
    "flags": "-m --metric",
    "metavar": "METRIC",
    "shell_complete": complete_metrics,
}
OF_ASSUMPTION: dict[str, Any] = {"metavar": "ASSUMPTION", "type": AssumptionType()}
ASSUMPTIONS = (
    "Assumption about unjudged documents: which of them can be relevant. `retrieved`: only "
    "documents that at least one of these runs retrieved. `top=K`: only documents in the first K "
    "of any run. `extra=N`: retrieved documents, and at most N others per topic. "
    "`open`: any document"
)
CLUSTERS_HELP = (
    "Topics that belong together (a conversation, a document, a user, variants of one query). "
    "FILE has two columns: topic and cluster. Intervals and tests account for the dependence "
    "within clusters"
)


THRESHOLD = "Relevance threshold: the lowest grade that counts as relevant, for example 2 or 0.5"
OF_THRESHOLD: dict[str, Any] = {
    "default": 1.0,
    "show_default": False,
    "type": Range(min=0, min_open=True),
}
ALPHA_HELP = "Significance level. Confidence intervals are two-sided, at level 1 − alpha."


class Shared(OptionSet, by_name=True):
    """Options that a command has if it names them in `shared`."""

    # Reading.
    qrels: str | None = argument("QRELS")
    runs: "tuple[str | NamedRun, ...]" = argument("RUN...", **RUNS)
    order: Order = option(
        "Order rankings by score, by rank, or as in the file. Ties are ordered by document ID "
        "(docno), descending.",
        default="score",
    )
    depth: int | None = option(
        "Use the first N documents of each ranking only.", type=click.IntRange(1, DEEPEST)
    )
    gains: str | None = option(
        "Gain of each grade: `grade=gain` pairs, for example 1=1,2=3,3=7, or only the gains from "
        "the highest grade down to grade 1, for example 7:3:1.",
        metavar="TABLE",
    )
    topics: Topics = option(
        "Average over all judged topics (a topic missing from a run scores 0), or over the topics "
        "common to the judgments and all runs.",
        default="all",
    )
    topic_groups: str | None = option(
        "Also report results for each group of topics. FILE has two columns: topic and group.",
        metavar="FILE",
    )
    complete_runs: bool | None = option(
        "Exclude runs with fewer than 950 documents per topic on average, or with no document for "
        "a topic.",
        is_flag=True,
    )
    lengths: str | None = option(
        "Document lengths for TBG (in words) and U (in characters). FILE has two columns: document "
        "and length.",
        metavar="FILE",
    )
    subset: str | None = option(
        "Subset of MTEB predictions, e.g. en, if there are several.", metavar="NAME"
    )
    split: str | None = option(
        "Split of MTEB predictions, e.g. test, if there are several.", metavar="NAME"
    )
    # Scoring.
    rel: float = option(
        f"{THRESHOLD}. A threshold in the name of a metric, as in AP(rel=2), takes precedence.  "
        "[default: 1]",
        **OF_THRESHOLD,
    )
    mean: Mean = option("Mean over topics. The geometric mean of AP is GMAP.", default="arithmetic")
    undefined: Undefined = option(
        "Topics on which a metric is undefined (AP without a relevant document): exclude them from "
        "the mean, or score them 0, as trec_eval does.",
        default="skip",
    )
    less_is_better: tuple[str, ...] = option(
        "With --scores: a metric for which lower is better, such as a latency. Not needed for the "
        "metrics of `rankwise metrics list`. Repeatable.",
        metavar="METRIC",
        needs="matrices",
    )
    # Tests.
    test: Test = option(
        "Two-sided paired test. Tests of one mean difference: t (Student's), permutation (random "
        "signs), bootstrap (studentised). Tests of all mean differences together: tukey (Tukey's "
        "HSD), randomised-tukey (by permutations), dunnett (every run against the baseline). Tests "
        "that do not compare means: wilcoxon (whether differences are symmetric around 0), sign "
        "(whether one run wins more often).",
        default="t",
    )
    correction: Correction | None = option(
        "Correction for multiple comparisons.  [default: holm; none for Tukey's and Dunnett's "
        "tests]"
    )
    alpha: float = option(ALPHA_HELP, default=0.05)
    power: float = option("Power of the test.", type=Fraction, default=0.8)
    seed: int = option("Random seed.", default=0, type=click.IntRange(min=0))
    # Unjudged documents.
    bounds: bool = option(
        "Add the lowest and highest value that each score could have, depending on how the "
        "unjudged documents would be judged."
    )
    unjudged: str | None = option(f"{ASSUMPTIONS}.  [default: retrieved]", **OF_ASSUMPTION)
    effort: int | None = option(
        "Limit on the search for tight bounds where no formula gives them: the number of documents "
        "visited.  [default: 50,000,000, a few seconds]",
        type=click.IntRange(min=0),
    )


ALPHA_BELOW_1 = option(ALPHA_HELP, default=0.05, type=Fraction)
# The relevance threshold of commands that vary judgments: a whole number.
WHOLE_REL = option(
    "Relevance threshold. Metrics without their own `rel` use it too: with 2, AP is AP(rel=2).",
    default=1,
    type=AtLeast1,
)
