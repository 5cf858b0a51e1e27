"""`rankwise completion`: completion of commands, options, metric names after -m, and files.

The script that `rankwise completion SHELL` prints calls `rankwise` with the words of the command
line in environment variables; the function `complete` prints the possible words.
"""

import os

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
)

from rankwise.cli import COMPLETION_VARIABLE
from rankwise.cli.help import with_options
from rankwise.cli.options.base import OptionSet, argument

SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


class Options(OptionSet):
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
    # Not `BashComplete.source`, which requires that a bash is installed here.
    script = ShellComplete.source(_completion_of(options.shell))
    # Click's script for fish would cut `AP,nDCG` at the comma.
    click.echo(script.replace('string split ","', 'string split --max 1 ","').strip())


def complete() -> None:
    """Print the completions that a shell asks for."""
    shell = os.environ[COMPLETION_VARIABLE].partition("_")[0]
    if shell not in SHELLS:
        return
    completion = _completion_of(shell)
    words, incomplete = completion.get_completion_args()
    items = completion.get_completions(words, incomplete)
    if not items and not incomplete.startswith("-"):
        items = [CompletionItem(incomplete, type="file")]
    for item in items:
        click.echo(completion.format_completion(item))


def _completion_of(shell: str) -> ShellComplete:
    from rankwise.cli.root import root

    return SHELLS[shell](root, {}, "rankwise", COMPLETION_VARIABLE)
