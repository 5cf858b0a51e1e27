"""Translation of argument names in messages to the options of a command."""

import click

from rankwise.cli.options.base import flag_of
from rankwise.wording import Argument


class Flags:
    """Wording that writes the arguments in messages as options of one command.

    >>> command = click.Command("x", params=[click.Option(["--lenient"], is_flag=True)])
    >>> Flags(command).use(Argument("lenient", True))
    'Use --lenient'
    >>> Flags(command).use(Argument("lenient", False))
    'Leave out --lenient'
    >>> Flags(command).use(Argument("depth", 5)) is None
    True
    """

    def __init__(self, command: click.Command) -> None:
        self.arguments = {
            p.name: flag_of(p) for p in command.params if isinstance(p, click.Argument)
        }
        options = [p for p in command.params if isinstance(p, click.Option)]
        # --alpha may set the parameter `alphas`, if it is repeatable.
        by_flag = {max(p.opts, key=len).strip("-").replace("-", "_"): p for p in options}
        self.options = by_flag | {p.name: p for p in options}

    def name(self, argument: Argument) -> str:
        """Return an argument as in the command or, if the command lacks it, as in Python."""
        written = self.arguments.get(argument.name) or self._written(argument)
        return written or (str(argument) if argument.name else _command(argument))

    def use(self, argument: Argument) -> str | None:
        """Write the advice to use an option; None if the command lacks the option or the value."""
        option = self.options.get(argument.name)
        if option is not None and argument.value is False and not option.secondary_opts:
            return f"Leave out {option.opts[-1]}"
        written = self._written(argument)
        if written is None and argument.command:
            written = _command(argument)
        return f"Use {written}" if written else None

    def _written(self, argument: Argument) -> str | None:
        """Return the option with its value; None if the command lacks the option or the value."""
        option, value = self.options.get(argument.name), argument.value
        if option is None:
            return None
        if option.is_flag or value is None:
            spellings = option.secondary_opts if value is False else option.opts
            return spellings[-1] if spellings else None
        try:
            option.type.convert(value, option, None)
        except click.BadParameter:
            return None
        from shlex import quote

        # Upper case is a placeholder, as in NAME; other text is quoted if a shell would change it.
        text = str(value)
        return f"{option.opts[-1]} {text if text.isupper() else quote(text)}"


def _command(argument: Argument) -> str:
    """Return the other command that has the argument, with the argument if it has a name."""
    words = ["rankwise", argument.command]
    if argument.name:
        words.append(f"--{argument.name.replace('_', '-')}")
    if argument.value not in (None, True):
        words.append(str(argument.value))
    return f"`{' '.join(words)}`"
