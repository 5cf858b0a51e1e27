"""Shell completion of commands, options, metric names after -m, and files.

The script that `rankwise completion SHELL` prints calls `rankwise` with the words of the command
line in environment variables; `complete` answers it.
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

SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


def completion_script(shell: str) -> str:
    """Return the script that adds completion to a shell."""
    # Not `BashComplete.source`, which requires that a bash is installed here.
    script = ShellComplete.source(_completion_of(shell))
    # Click's script for fish would cut `AP,nDCG` at the comma.
    return script.replace('string split ","', 'string split --max 1 ","')


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


def complete_metrics(
    _ctx: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the last of several metrics: `AP,nD` to `AP,nDCG`."""
    from rankwise.metrics import REGISTRY

    before, comma, last = incomplete.rpartition(",")
    names = [name for name in REGISTRY if name.lower().startswith(last.lower())]
    return [CompletionItem(before + comma + name) for name in sorted(names)]


def _completion_of(shell: str) -> ShellComplete:
    from rankwise.cli.root import root

    return SHELLS[shell](root, {}, "rankwise", COMPLETION_VARIABLE)
