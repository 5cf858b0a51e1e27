"""`rankwise completion`: a script that adds completion to a shell."""

import click

from rankwise.cli.completion import SHELLS, completion_script
from rankwise.cli.help import with_options
from rankwise.cli.options.base import OptionSet, argument


class Options(OptionSet):
    """Options of `rankwise completion`."""

    shell: str = argument("bash|zsh|fish", type=click.Choice(list(SHELLS)))


@with_options(Options, prints_notes=False)
def command(options: Options) -> None:
    """Print a script that completes commands, options, metrics and files.

    \b
    Examples:
      rankwise completion bash > ~/.local/share/bash-completion/completions/rankwise
      echo 'eval "$(rankwise completion zsh)"' >> ~/.zshrc
      rankwise completion fish > ~/.config/fish/completions/rankwise.fish

    Open a new shell afterwards. Bash 4.4 or later is required.
    """
    click.echo(completion_script(options.shell).strip())
