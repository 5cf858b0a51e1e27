"""Options of a command as a class that declares each option with its type, help and conflicts.

    class Options(Reading, Printed):
        shared = "qrels runs depth seed"
        everyday = "metrics by_topic output"
        metrics: tuple[str, ...] = option("Metric or metrics.", **METRIC)
        by_topic: bool = option("Add a row per topic.", not_with=PAPER)

    @with_options(Options)
    def command(options: Options) -> None: ...

The name of an attribute is the name of its option: `by_topic` is --by-topic. `everyday` names the
options that --help shows if there are many. A class inherits the options of its bases, and has
those that it names in `shared`; the command gets their values as one object. A class may define
`check`, which raises an error for invalid values before any work is done; the `check` of a base
runs first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from types import MappingProxyType, SimpleNamespace
from typing import Any, ClassVar, Literal, Self, get_args, get_origin

import click
from click.core import ParameterSource

from rankwise.errors import InputError, in_words

NO_BOUNDS = ("bounds", "unjudged", "effort")  # options of bounds
LATER = "rankwise.later"  # key of the actions after the output, in a click context
AtLeast1 = click.IntRange(min=1)


@dataclass(frozen=True)
class Declared:
    """An option or an argument, before a command gives it a name."""

    flags: tuple[str, ...]
    settings: dict[str, Any]
    not_with: tuple[str, ...] = ()  # names of options that it cannot be combined with
    because: dict[str, str] = field(default_factory=dict)  # reason by name of the other option
    needs: str | None = None  # name of the option without which it has no meaning
    is_argument: bool = False

    def __get__(self, options: "OptionSet | None", _kind: type) -> Any:
        """Return the default value: a command without this option reads it as an attribute."""
        if options is None:  # read from a class
            return self
        empty = () if "multiple" in self.settings else None
        return self.settings.get("default", False if "is_flag" in self.settings else empty)


def option(
    help: str,
    flags: str = "",
    *,
    choices: Sequence[str] | None = None,
    not_with: Iterable[str] = (),
    because: str = "",
    computes_no_bounds: bool = False,
    needs: str | None = None,
    **settings: Any,
) -> Any:
    """Declare an option; its name is that of the attribute, unless there are `flags`.

    Its type is that of the attribute: a bool is a flag, a Literal has choices, and a tuple of any
    length is repeatable. `flags` are separated by a space, as in `-o --output`. `because` is the
    reason why the option cannot be combined with the options `not_with`. `computes_no_bounds` adds
    the options of bounds to `not_with`.
    """
    if choices is not None:
        settings["type"] = click.Choice(choices)
    if settings.get("default") not in (None, ""):
        settings.setdefault("show_default", True)
    reasons = dict.fromkeys(not_with, because)
    if computes_no_bounds:
        reasons |= dict.fromkeys(NO_BOUNDS, "which computes no bounds")
    return Declared(tuple(flags.split()), settings | {"help": help}, tuple(reasons), reasons, needs)


def argument(metavar: str, **settings: Any) -> Any:
    """Declare an argument; it is optional if its name is in brackets."""
    required = not metavar.startswith("[")
    settings = {"metavar": metavar, "required": required, **settings}
    return Declared((), settings, is_argument=True)


class OptionSet(SimpleNamespace):
    """The values of a command's arguments and options."""

    everyday: ClassVar[str] = ""  # names of the options that --help shows, if there are many
    shared: ClassVar[str] = ""  # names of the options of `Shared` that the class has

    # Names of options by the condition that they need, or that they cannot be combined with. A
    # condition has alternatives, each an option or an option with values: `swaps by=run|topic`.
    only_with: ClassVar[Mapping[str, str]] = MappingProxyType({})
    never_with: ClassVar[Mapping[str, str]] = MappingProxyType({})

    # The declarations by name, those of the bases first.
    declared: ClassVar[Mapping[str, Declared]] = MappingProxyType({})

    def __init_subclass__(cls, *, by_name: bool = False) -> None:
        """Collect the declared options; any other attribute removes the inherited option.

        Of a base that is declared with `by_name`, a class inherits only the options that it names
        in `shared`.
        """
        for name, annotation in cls.__annotations__.items():
            declaration = vars(cls).get(name)
            if isinstance(declaration, Declared) and not declaration.is_argument:
                by_type = {"is_flag": True} if annotation is bool else _settings_of(annotation)
                setattr(cls, name, replace(declaration, settings=by_type | declaration.settings))
        if by_name:
            return
        bases = [base for base in cls.__bases__ if issubclass(base, OptionSet)]
        names = [name for base in bases for name in base.declared]
        for name in vars(cls):  # in the order in which they are declared
            names += cls.shared.split() if name == "shared" else [name]
        values = {name: getattr(cls, name) for name in names}
        cls.declared = {name: v for name, v in values.items() if isinstance(v, Declared)}

    def replaced(self, **values: Any) -> Self:
        """Return a copy with other values."""
        return type(self)(**{**vars(self), **values})


def _settings_of(annotation: Any) -> dict[str, Any]:
    """Return the settings of an option that follow from the type of its attribute."""
    if annotation in (int, float):
        return {"type": annotation}
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return {"type": click.Choice(arguments)}
    if origin is tuple and arguments[1] is Ellipsis:
        return {"multiple": True} | _settings_of(arguments[0])
    return _settings_of(arguments[0]) if type(None) in arguments else {}


def after_output(action: Callable[[], None]) -> None:
    """Call an action after the command has printed its output."""
    click.get_current_context().meta.setdefault(LATER, []).append(action)


def check_conflicts(options: type[OptionSet], ctx: click.Context) -> None:
    """Raise an error for options that cannot be combined, or that lack an option they need."""
    declared = options.declared
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name not in declared or not _is_set(parameter, ctx):
            continue
        for other in ctx.command.params:
            if other.name in declared[name].not_with:
                refuse([other.name], flag_of(parameter), declared[name].because[other.name])
        needed = declared[name].needs
        if needed is not None and not ctx.params[needed]:
            partner = next(each for each in ctx.command.params if each.name == needed)
            require(flag_of(parameter), flag_of(partner, with_value=True))

    for condition, names in options.never_with.items():
        for parameter, values in _alternatives(condition, ctx):
            if _holds(parameter, values, ctx):
                shown = f" {ctx.params[parameter.name or '']}" if values else ""
                refuse(names.split(), flag_of(parameter) + shown)
    for condition, names in options.only_with.items():
        alternatives = _alternatives(condition, ctx)
        if not any(_holds(parameter, values, ctx) for parameter, values in alternatives):
            words = [
                f"{flag_of(parameter)} {in_words(values, 'or')}"
                if values
                else flag_of(parameter, with_value=True)
                for parameter, values in alternatives
            ]
            for parameter in ctx.command.params:
                if parameter.name in names.split() and _is_set(parameter, ctx):
                    require(flag_of(parameter), in_words(words, "or"))


def _alternatives(condition: str, ctx: click.Context) -> list[tuple[click.Parameter, list[str]]]:
    """Return the options in a condition such as `by=run method=a|b`, each with its allowed values.

    The list of values is empty if the condition names none: the option may then have any value.
    """
    by_name = {parameter.name: parameter for parameter in ctx.command.params}
    parts = [part.partition("=") for part in condition.split()]
    return [(by_name[name], values.split("|") if values else []) for name, _, values in parts]


def _holds(parameter: click.Parameter, values: list[str], ctx: click.Context) -> bool:
    """Return whether an option has any of these values or, without `values`, if it is given."""
    value = ctx.params[parameter.name or ""]
    if not values:
        return value not in (None, False, ())
    several = value if isinstance(value, tuple | list) else [value]
    return any(each in values for each in several)


def name_option(error: InputError, ctx: click.Context) -> None:
    """Let the error for a file of the wrong kind name the option whose value is the file."""
    needs = {"qrels": "judgments, not a run", "run": "a run, not judgments"}.get(error.expected)
    for parameter in ctx.command.params:
        value = ctx.params.get(parameter.name or "")
        values = value if isinstance(value, tuple | list) else [value]
        files = [str(each).rpartition("=")[2] for each in values]
        if needs and error.source in files and not isinstance(parameter.type, click.Choice):
            if isinstance(parameter, click.Argument):  # the usual advice is right
                return
            error.advice = f"{flag_of(parameter)} needs {needs}."


def refuse(names: Iterable[str], mode: str, reason: str = "") -> None:
    """Raise an error if any of these parameters was set together with the option `mode`.

    A parameter that was set to its default value raises no error.
    """
    ctx = click.get_current_context()
    wanted = set(names)
    for parameter in ctx.command.params:
        if parameter.name in wanted and _is_set(parameter, ctx):
            is_choice = isinstance(parameter.type, click.Choice)
            value = f" {ctx.params[parameter.name]}" if is_choice else ""
            because = f", {reason}" if reason else ""
            raise click.UsageError(
                f"{flag_of(parameter)}{value} cannot be combined with {mode}{because}. "
                "Remove one of them."
            )


def require(option: str, other: str) -> None:
    """Raise the error that `option` was given without `other`."""
    raise click.UsageError(f"{option} applies only with {other}. Add {other}, or remove {option}.")


def _is_set(parameter: click.Parameter, ctx: click.Context) -> bool:
    """Return whether the user gave the parameter a value other than its default."""
    name = parameter.name or ""
    if name not in ctx.params or ctx.get_parameter_source(name) is ParameterSource.DEFAULT:
        return False
    return ctx.params[name] not in (parameter.get_default(ctx), ())


def flag_of(parameter: click.Parameter, *, with_value: bool = False) -> str:
    """Return the name of an option or an argument, as the user writes it."""
    if isinstance(parameter, click.Argument):
        return parameter.human_readable_name.strip("[].")
    name, is_flag = max(parameter.opts, key=len), getattr(parameter, "is_flag", False)
    return f"{name} {parameter.metavar or 'N'}" if with_value and not is_flag else name


class Range(click.FloatRange):
    """A finite number within a range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


Positive = Range(0, min_open=True)
Fraction = Range(0, 1, min_open=True, max_open=True)
