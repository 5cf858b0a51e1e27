"""Errors for options that cannot be used together."""

from collections.abc import Iterable

import click
from click.core import ParameterSource


def refuse(names: Iterable[str], mode: str, reason: str = "") -> None:
    """Raise an error if one of these parameters was set together with the option `mode`.

    A parameter that was given its default value is not refused.
    """
    ctx = click.get_current_context()
    wanted = set(names)
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name not in wanted or ctx.get_parameter_source(name) is ParameterSource.DEFAULT:
            continue
        if ctx.params[name] not in (parameter.get_default(ctx), ()):
            because = f", {reason}" if reason else ""
            raise click.UsageError(
                f"{_flag(parameter, ctx)} cannot be combined with {mode}{because}. "
                "Remove one of them."
            )


def refuse_others(names: Iterable[str], mode: str) -> None:
    """Raise an error if any parameter but these was set together with the option `mode`."""
    ctx, kept = click.get_current_context(), set(names)
    refuse({str(each.name) for each in ctx.command.params} - kept, mode)


def require(option: str, other: str) -> None:
    """Raise an error: `option` was given without `other`."""
    raise click.UsageError(f"{option} applies only with {other}. Add it, or remove {option}.")


def _flag(parameter: click.Parameter, ctx: click.Context) -> str:
    if isinstance(parameter, click.Argument):
        return parameter.human_readable_name.strip("[]")
    flag = max(parameter.opts, key=len)
    is_choice = isinstance(parameter.type, click.Choice)
    return f"{flag} {ctx.params[parameter.name or '']}" if is_choice else flag
