"""Help of a command: examples, then the everyday options in groups, or all with --help-all.

`--help` shows at most a dozen options; `--help-all` shows every option and the explanations. A
command without many options shows all of them at once.
"""

from collections.abc import Iterator
from inspect import cleandoc
from textwrap import dedent
from typing import Any

import click

FEW = 15  # options that are shown at once
ALL_NOTES = "rankwise.all_notes"  # key of --notes, in a click context
GROUPS = {
    "Metrics": (
        ["metrics", "metric", "rel", "gains", "gains_of_judge", "gain_tables", "mean"]
        + ["undefined", "standardise"]
        + ["reference", "metrics_from", "over", "recall_precision"]
    ),
    "Statistics": (
        [
            "confidence",
            "ranks",
            "interval",
            "test",
            "correction",
            "family",
            "alpha",
            "alphas",
            "margin",
        ]
        + ["clusters", "systems", "zeros"]
        + ["no_continuity", "raw_ranks", "power", "at_power", "at_topics", "at_difference"]
        + ["resamples", "seed", "weights"]
    ),
    "Judges": (
        ["judge", "judges", "by_judge", "show", "cheap", "cheap_by", "inclusion", "flips", "step"]
        + ["errors"]
    ),
    "Unjudged documents": ["bounds", "no_bounds", "unjudged", "effort", "probable"],
    "Data": (
        ["matrices", "less_is_better", "collections", "only_topics", "topics", "topics_file"]
        + ["documents", "order", "depth", "columns", "subset", "split", "drop_self"]
        + ["map_documents", "lengths", "complete_runs"]
        + ["subtopic_weights"]
        + ["lenient", "max_size", "engine", "master"]
    ),
    "Output": (
        ["output", "outputs", "folder", "style", "digits", "chart", "width", "no_title"]
        + ["by_topic", "by_run", "pairs", "rows", "top", "view"]
        + ["notes", "title", "appendix", "marks", "sort", "second", "caption", "label"]
        + ["help_all"]
    ),
}
EVERYDAY = {
    "score": (
        ["metrics", "by_topic", "topic_groups", "confidence", "bounds", "unjudged", "probable"]
        + ["cheap", "rel", "output", "style", "chart"]
    ),
    "compare": (
        ["metrics", "baseline", "topic_groups", "matrices", "test", "correction", "margin"]
        + ["power", "unjudged", "no_bounds", "output", "chart"]
    ),
    "diff": (
        ["metrics", "maximum", "qrels", "measures", "changed", "topic", "topic_groups", "by_topic"]
        + ["highest_grade", "output", "style", "chart"]
    ),
    "report": (
        ["metrics", "baseline", "title", "topics_file", "documents", "output", "probable"]
        + ["unjudged", "test", "correction"]
    ),
    "gate": (
        ["max_drop", "significant", "min", "max_unjudged", "inconclusive", "metrics"]
        + ["topic_groups", "matrices", "style", "outputs"]
    ),
    "agree": (
        ["runs", "show", "metrics", "reference", "gains_of_judge", "columns", "alpha"]
        + ["resamples", "rows", "chart", "style", "output"]
    ),
    "explain": ["topic", "metric", "rows", "relevant", "order", "gains", "style", "output"],
    "overview": ["by", "cutoffs", "pool_depth", "rel", "sort", "chart", "style", "output"],
    "plan next": (
        ["metrics", "budget", "holes", "probable", "pair", "separate", "unjudged", "tool"]
        + ["cheap", "output", "style"]
    ),
    "calibrate": (
        ["metrics", "matrices", "tests", "systems", "at_topics", "difference", "experiments"]
        + ["alpha", "seed", "chart", "style", "output"]
    ),
    "plan topics": (
        ["metrics", "matrices", "difference", "interval_width", "margin", "systems", "variances"]
        + ["budget", "power", "alpha", "style", "output"]
    ),
    "metrics choose": [
        "metrics",
        "method",
        "keep",
        "resamples",
        "topic_resamples",
        "pairs",
        "alpha",
        "seed",
        "output",
        "style",
    ],
    "metrics correlate": (
        ["metrics", "matrices", "with_qrels", "orders", "coefficient", "swaps", "ranks"]
        + ["chart", "style", "output"]
    ),
    "metrics discriminate": (
        ["metrics", "matrices", "methods", "alphas", "resamples", "curve", "seed", "chart"]
        + ["style", "output"]
    ),
    "metrics stability": (
        ["metrics", "by", "at", "resamples", "groups", "by_run", "seed", "chart", "style"]
        + ["output"]
    ),
    "published invert": (
        ["p", "score", "residual", "precision", "topics", "at", "method", "graded"]
        + ["all_vectors", "chart", "style", "output"]
    ),
}

ARGUMENTS = "rankwise.arguments"  # of a context: the words after the command


class Command(click.Command):
    """A command whose help shows the everyday options first.

    It has the option --notes, unless it prints no notes.
    """

    prints_notes = True

    def __init__(self, *args: Any, **settings: Any) -> None:
        names = {"help_option_names": ["-h", "--help"]}
        super().__init__(*args, **{"context_settings": names, **settings})
        has_many = len(self._options()) > FEW
        if self.prints_notes:
            self.params.append(_notes)
        self.params.append(_help_all if has_many else _help_all_too)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were typed: a report states its command."""
        ctx.meta[ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)

    def _options(self) -> list[click.Option]:
        return [p for p in self.params if isinstance(p, click.Option) and not p.hidden]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self._write(ctx, formatter, self._chosen(ctx))

    def format_all(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help with every option and every explanation."""
        self._write(ctx, formatter, None)

    def _chosen(self, ctx: click.Context) -> list[str] | None:
        """Return the names of the options to show, None for all."""
        if _help_all not in self.params:
            return None
        return EVERYDAY[command_of(ctx)]

    def _write(
        self, ctx: click.Context, formatter: click.HelpFormatter, chosen: list[str] | None
    ) -> None:
        arguments = [argument_of(p) for p in self.params if isinstance(p, click.Argument)]
        formatter.write_usage(ctx.command_path, " ".join([*arguments, "[options]"]))
        summary, examples, prose = parts_of(self.help or "")
        formatter.write_paragraph()
        formatter.write_text(summary)
        if examples:
            formatter.write_paragraph()
            formatter.write("\n".join(f"  {line}" for line in examples) + "\n")
        if chosen is None:
            for paragraph in prose:
                formatter.write_paragraph()
                if paragraph.startswith("\b\n"):  # laid out already
                    formatter.write(paragraph[2:] + "\n")
                else:
                    formatter.write_text(paragraph)
        for title, options in self._groups(chosen):
            with formatter.section(title):
                formatter.write_dl([row_of(option) for option in options])
        if chosen is not None:
            count = len(self._options())
            formatter.write_paragraph()
            formatter.write_text(f"--help-all lists all {count} options and explains the output.")

    def _groups(self, chosen: list[str] | None) -> Iterator[tuple[str, list[click.Option]]]:
        shown = [o for o in self._options() if o is not _help_all]
        if chosen is not None:
            shown = [o for o in shown if o.name in chosen]
            shown.sort(key=lambda option: chosen.index(option.name or ""))
        grouped = {name for names in GROUPS.values() for name in names}
        left = [option for option in shown if option.required or option.name not in grouped]
        if left:
            yield "Main options", left
        for title, names in GROUPS.items():
            group = [o for o in shown if o.name in names and o not in left]
            if group:
                yield title, group


def command_of(ctx: click.Context) -> str:
    """Return the name of a command below `rankwise`: `score`, `metrics list`."""
    return ctx.command_path.partition(" ")[2]


def argument_of(argument: click.Argument) -> str:
    """Return an argument as the line of usage shows it; click's own differs between versions."""
    if argument.metavar:
        return argument.metavar
    name = (argument.name or "").upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def row_of(option: click.Option) -> tuple[str, str]:
    """Return an option with its value, and its help with the choices and the default."""
    value = "" if option.is_flag else f" {option.metavar or _value(option.type)}"
    names = ", ".join(sorted(option.opts, key=len))
    text = option.help or ""
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    explained = [f"{choice}:" in text or f"{choice} (" in text for choice in choices]
    if not all(explained):
        text, _, default = text.partition("  [")
        text = f"{text} One of {', '.join(choices)}."
        text = f"{text}  [{default}" if default else text
    if option.show_default and option.default not in (None, ""):
        values = option.default if isinstance(option.default, list) else [option.default]
        text = f"{text}  [default: {', '.join(map(str, values))}]"
    if option.required:
        text = f"{text}  [required]"
    return f"{names}{value}", text


def _value(kind: object) -> str:
    numbers = (click.types.IntParamType, click.types.FloatParamType)
    return "NAME" if isinstance(kind, click.Choice) else "N" if isinstance(kind, numbers) else "X"


def parts_of(text: str) -> tuple[str, list[str], list[str]]:
    """Split a command's docstring into its summary, its examples and its other paragraphs."""
    paragraphs = cleandoc(text).split("\n\n")
    examples = next((p for p in paragraphs if p.startswith("\b\nExamples:")), "")
    lines = dedent(examples.partition("Examples:\n")[2]).split("\n") if examples else []
    return paragraphs[0], lines, [p for p in paragraphs[1:] if p != examples]


def _show_all(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing and isinstance(ctx.command, Command):
        formatter = ctx.make_formatter()
        ctx.command.format_all(ctx, formatter)
        click.echo(formatter.getvalue().rstrip("\n"))
        ctx.exit()


def _help_all_option(*, hidden: bool) -> click.Option:
    return click.Option(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_all,
        hidden=hidden,
        help="Show all options, with explanations.",
    )


_help_all = _help_all_option(hidden=False)
_help_all_too = _help_all_option(hidden=True)  # of a command whose --help shows all


def _print_all(ctx: click.Context, _parameter: click.Parameter, chosen: bool) -> None:
    ctx.find_root().meta[ALL_NOTES] = chosen


_notes = click.Option(
    ["--notes"],
    is_flag=True,
    expose_value=False,
    callback=_print_all,
    help="Print all notes; by default the warnings and two notes.",
)


class QuietCommand(Command):
    """A command that prints no notes."""

    prints_notes = False
