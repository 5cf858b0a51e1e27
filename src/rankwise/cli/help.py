"""Help of a command: examples and the most used options in groups, or all with --help-all.

`--help` shows at most a dozen options; `--help-all` shows every option and the explanations. A
command without many options shows all of them at once.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from inspect import cleandoc
from textwrap import dedent, indent
from typing import Any

import click

from rankwise.cli.options.base import (
    LATER,
    OptionSet,
    check_conflicts,
    flag_of,
    name_option,
)
from rankwise.cli.options.files import check_outputs
from rankwise.errors import InputError, in_words

FEW = 15  # options that are shown at once
ALL_NOTES = "rankwise.all_notes"  # key of --notes, in a click context
GROUPS = {
    "Metrics": (
        "metrics metric rel gains gains_of_judge gain_tables mean undefined standardise "
        "reference metrics_from over recall_precision"
    ),
    "Statistics": (
        "confidence ranks interval test correction family alpha alphas margin clusters "
        "systems zeros no_continuity raw_ranks power with_topics difference resamples seed "
        "weights"
    ),
    "Judges": "judge judges show cheap inclusion step errors",
    "Unjudged documents": "bounds no_bounds unjudged effort probable",
    "Data": (
        "matrices less_is_better only_topics topics topics_file documents order "
        "depth columns subset split drop_self map_documents lengths complete_runs "
        "subtopic_weights lenient max_size engine master"
    ),
    "Output": (
        "output outputs folder style digits chart width no_title by_topic by_run pairs rows "
        "top view notes title appendix marks sort second caption label help_all"
    ),
}
OPTION = re.compile(r"--?[a-z]")  # how an option begins in an example
END_OF_COMMAND = re.compile(r"(?<!\\)\n")
# Keys of a click context: the words after the command, and the options before their conversion.
ARGUMENTS, AS_TYPED = "rankwise.arguments", "rankwise.as_typed"


class Command(click.Command):
    """A command with declared options, whose help shows the most used options first.

    It has the option --notes, unless it prints no notes.
    """

    def __init__(
        self, options: type[OptionSet], function: Callable[[Any], None], *, prints_notes: bool
    ) -> None:
        self.options = options
        params: list[click.Parameter] = []
        for name, declared in options.declared.items():
            if declared.is_argument:
                params.append(click.Argument([name], **declared.settings))
                continue
            flags = declared.flags or (f"--{name.replace('_', '-')}",)
            params.append(click.Option([*flags, name], **declared.settings))
        self.has_few = sum(isinstance(p, click.Option) and not p.hidden for p in params) <= FEW
        if prints_notes:
            about = "Print all notes. By default, warnings and at most two notes are printed."
            params.append(click.Option(["--notes"], is_flag=True, help=about))
        help_all = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            hidden=self.has_few,  # --help shows all
            help="Show all options, with explanations.",
        )
        params.append(help_all)
        self.shown = [p for p in params if isinstance(p, click.Option) and not p.hidden]
        names = {"help_option_names": ["-h", "--help"]}
        super().__init__(
            name=None,
            callback=function,
            params=params,
            help=function.__doc__,
            context_settings=names,
        )

    def invoke(self, ctx: click.Context) -> Any:
        """Check the options, and call the command with their values."""
        assert self.callback is not None
        try:
            check_outputs(ctx, ctx.meta.pop(AS_TYPED, {}))
            check_conflicts(self.options, ctx)
            ctx.find_root().meta[ALL_NOTES] = ctx.params.pop("notes", False)
            options = self.options(**ctx.params)
            for base in reversed(self.options.__mro__):
                if "check" in vars(base):
                    vars(base)["check"](options)
            self.callback(options)
            for action in ctx.meta.pop(LATER, []):
                action()
        except InputError as error:
            name_option(error, ctx)
            raise
        except click.UsageError as error:  # it names the command
            error.ctx = error.ctx or ctx
            raise

    def _unknown(self, name: str) -> str:
        """Return the message for an unknown option, with options of a similar name."""
        from difflib import get_close_matches

        options = [flag for param in self.params for flag in param.opts if flag.startswith("--")]
        if name == "--p" and any("-m" in param.opts for param in self.params):
            return f"No such option {name!r}. p is a parameter of the metric: -m 'RBP(p=0.8)'."
        if len(name) == 2:  # a letter
            chosen = [f"--{one.replace('_', '-')}" for one in self.options.everyday.split()]
            near = [flag for flag in options if flag in chosen and flag.startswith(f"-{name}")]
        else:
            near = [
                f"--{one}"
                for one in get_close_matches(name[2:], [f[2:] for f in options], cutoff=0.75)
            ]
        hint = f" Did you mean {in_words(near, 'or')}?" if near else ""
        return f"No such option {name!r}.{hint}"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and store them as typed, because a report states its command."""
        ctx.meta[ARGUMENTS] = list(args)
        ctx.allow_extra_args = True  # so that the message is ours
        try:
            extra = super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise click.UsageError(self._unknown(error.option_name), ctx) from error
        except click.BadOptionUsage as error:  # click's parser does not know the command
            name, message = error.option_name, error.message
            option = next((p for p in self.params if name in p.opts), None)
            if isinstance(option, click.Option) and not option.is_flag:  # else it has a value
                value = option.metavar or ", ".join(getattr(option.type, "choices", ["N"]))
                message = f"{name} needs a value: {value}."
            raise click.BadOptionUsage(name, message, ctx) from error
        if extra and not ctx.resilient_parsing:
            takes = [piece for param in self.params for piece in param.get_usage_pieces(ctx)]
            expected = f"takes {' and '.join(takes)} only" if takes else "takes no arguments"
            raise click.UsageError(f"{ctx.info_name} {expected}; remove {' '.join(extra)}.", ctx)
        ctx.meta[AS_TYPED], _, typed = self.make_parser(ctx).parse_args(ctx.meta[ARGUMENTS][:])
        for param in typed:
            is_value = isinstance(param, click.Option) and not (param.multiple or param.is_flag)
            if is_value and typed.count(param) > 1 and not ctx.resilient_parsing:
                raise click.UsageError(f"{flag_of(param)} is given twice. Give it once.", ctx)
        return extra

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.write_help(ctx, formatter, None if self.has_few else self.options.everyday.split())

    def write_help(
        self, ctx: click.Context, formatter: click.HelpFormatter, chosen: list[str] | None
    ) -> None:
        """Write the help with the `chosen` options, or with all options and explanations."""
        arguments = [argument_of(p) for p in self.params if isinstance(p, click.Argument)]
        formatter.write_usage(ctx.command_path, " ".join([*arguments, "[options]"]))
        summary, examples, prose = parts_of(self.help or "")
        if chosen is not None:
            described = [o for option in self.shown if option.name in chosen for o in option.opts]
            examples = [
                example
                for example in examples
                if all(word in described for word in example.split() if OPTION.match(word))
            ]
        formatter.write_paragraph()
        formatter.write_text(summary)
        if examples:
            formatter.write_paragraph()
            formatter.write(indent("\n".join(examples), "  ") + "\n")
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
            count = sum(option.name != "help_all" for option in self.shown)
            formatter.write_paragraph()
            formatter.write_text(f"--help-all lists all {count} options and explains the output.")

    def _groups(self, chosen: list[str] | None) -> Iterator[tuple[str, list[click.Option]]]:
        shown = [o for o in self.shown if o.name != "help_all"]
        if chosen is not None:
            shown = [o for o in shown if o.name in chosen]
            shown.sort(key=lambda option: chosen.index(option.name or ""))
        grouped = " ".join(GROUPS.values()).split()
        left = [option for option in shown if option.required or option.name not in grouped]
        if left:
            yield "Main options", left
        by_name = {option.name: option for option in shown if option not in left}
        for title, names in GROUPS.items():
            order = names.split() if chosen is None else chosen
            group = [by_name[n] for n in order if n in by_name and n in names.split()]
            if group:
                yield title, group


def command_of(ctx: click.Context) -> str:
    """Return the name of a command without `rankwise`, for example `metrics list`."""
    return ctx.command_path.partition(" ")[2]


def argument_of(argument: click.Argument) -> str:
    """Return an argument as the usage line shows it, independent of the version of click."""
    if argument.metavar:
        return argument.metavar
    name = (argument.name or "").upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def row_of(option: click.Option) -> tuple[str, str]:
    """Return the two columns of an option: its name and value, and its help with the default."""
    value = "" if option.is_flag else f" {option.metavar or _value(option.type)}"
    names = ", ".join([*sorted(option.opts, key=len), *option.secondary_opts])
    text = option.help or ""
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    words = text.replace("`", "")
    explained = [f"{choice}:" in words or f"{choice} (" in words for choice in choices]
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
    commands = END_OF_COMMAND.split(dedent(examples.partition("Examples:\n")[2]))
    return paragraphs[0], list(filter(None, commands)), [p for p in paragraphs[1:] if p != examples]


def _show_all(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing and isinstance(ctx.command, Command):
        formatter = ctx.make_formatter()
        ctx.command.write_help(ctx, formatter, None)
        click.echo(formatter.getvalue().rstrip("\n"))
        ctx.exit()


def with_options(
    options: type[OptionSet], *, kind: type[Command] = Command, prints_notes: bool = True
) -> Callable[[Callable[[Any], None]], Command]:
    """Return a decorator that turns a function of an `options` object into a command."""
    return partial(kind, options, prints_notes=prints_notes)
