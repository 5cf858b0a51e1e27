"""The click groups of the commands, and the handling of errors."""

import re
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from rankwise import __version__
from rankwise.cli import COMMANDS, GROUPS, HIDDEN, front_page, group_page
from rankwise.cli.flags import Flags
from rankwise.cli.interrupts import INTERRUPTED
from rankwise.cli.output import print_pending_notes, print_wrapped
from rankwise.cli.progress import each_with_progress
from rankwise.cli.stdio import output_failed
from rankwise.errors import InputError, RankwiseError, did_you_mean, visible
from rankwise.plugins import PluginWarning
from rankwise.progress import show_progress

CALLED = "rankwise.command"  # key of the command in a click context: messages name its options


# Advice for commands whose arguments are not QRELS RUN..., by the kind of file that was expected.
INSTEAD: dict[str, dict[str, str]] = {
    "agree": {"qrels": "Give runs with --runs."},
    "diff": {"run": "Give judgments with --qrels."},
    "pool": {"run": "Give judgments with --qrels."},
    "convert": dict.fromkeys(("qrels", "run"), "Remove --kind."),
}


# Patterns in messages of click, and their replacements.
PLAIN = {
    r"('[^']*') is not a valid integer( range)?": r"must be a whole number, not \1",
    r"('[^']*') is not a valid float( range)?": r"must be a number, not \1",
    r"(\S+) is not in the range 1<=x<=2147483647": r"must be 1 or more, not \1",
    r"(\S+) is not in the range x>(-?[\d.]*\d)": r"must be above \2, not \1",
    r"(\S+) is not in the range x>=(-?[\d.]*\d)": r"must be \2 or more, not \1",
    r"(\S+) is not in the range (-?[\d.]+)<=?x<=?(-?[\d.]*\d)": (
        r"must be between \2 and \3, not \1"
    ),
    r"Invalid value for '(?:-\w' / ')?(-[\w-]+)': must be": r"\1 must be",
    r"\(Did you mean one of: (.*), (.*)\?\)": r"Did you mean \1 or \2?",
    r"(Directory|File|Path) ('.*') does not exist": r"there is no folder \2",
    r"Directory ('.*') is a file": r"\1 is a file. Give a folder",
    r"\s*\n\t": " ",
}


class ReaderGone(Exception):
    """Error if the reader of the pipe has closed it, as in `| head`."""


class Commands(click.Group):
    """A group that imports a command only when it is called, and then prints its notes."""

    def __init__(self, family: str | None = None, **settings: Any) -> None:
        self.family = family
        self.lines = COMMANDS if family is None else GROUPS[family]
        self.names = {*self.lines, *(HIDDEN if family is None else ())}
        names = {"help_option_names": ["-h", "--help"]}
        super().__init__(**{"name": family, "context_settings": names, **settings})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments; a group such as `plan` without a subcommand shows its help."""
        bare = not args and self.family is not None and not ctx.resilient_parsing
        return super().parse_args(ctx, ["--help"] if bare else args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            done = super().invoke(ctx)
        except (SystemExit, click.exceptions.Exit):  # the exit code of gate
            print_pending_notes(ctx)
            raise
        except RankwiseError as error:
            print_pending_notes(ctx)
            if isinstance(error, InputError) and error.advice.startswith("Give the qrels first"):
                by_kind = INSTEAD.get(ctx.invoked_subcommand or "")
                error.advice = error.advice if by_kind is None else by_kind.get(error.expected, "")
            raise click.ClickException(error.said(Flags(ctx.meta.get(CALLED, root)))) from error
        except BrokenPipeError:  # click would exit with 1
            raise ReaderGone from None
        print_pending_notes(ctx)
        return done

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.lines)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.names:
            if ctx.resilient_parsing or cmd_name.startswith("-"):
                return None
            raise click.UsageError(f"Unknown command {cmd_name!r}.{self._near(cmd_name)}", ctx)
        if self.family is None and cmd_name in GROUPS:
            return Commands(cmd_name)
        module = cmd_name.replace("-", "_") if self.family is None else f"{self.family}.{cmd_name}"
        path = f"rankwise.cli.commands.{module.replace('-', '_')}"
        command = import_module(path).command
        assert isinstance(command, click.Command)
        ctx.meta[CALLED] = command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names of commands without importing the commands."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        names = [name for name in self.lines if name.startswith(incomplete)]
        return [CompletionItem(name, help=self.lines[name]) for name in names]

    def get_help(self, ctx: click.Context) -> str:
        page = front_page() if self.family is None else group_page(self.family)
        return page.rstrip("\n")

    def _near(self, name: str) -> str:
        """Return a suggestion for an unknown command."""
        groups = [group for group, lines in GROUPS.items() if name in lines]
        if self.family is None and groups:
            return f" Did you mean `rankwise {groups[0]} {name}`?"
        return did_you_mean(name, self.lines) or f" Commands: {', '.join(self.lines)}."


@click.group(cls=Commands, invoke_without_command=True)
@click.option("--version", is_flag=True)
@click.pass_context
def root(ctx: click.Context, version: bool) -> None:
    """Run a command, or print the version or the front page."""
    if version:
        from rankwise.native import about_kernel

        click.echo(f"rankwise {__version__}, {about_kernel()}")
        ctx.exit()
    if ctx.invoked_subcommand is None:  # options alone, or an argument that ends them
        click.echo(ctx.get_help())


def _show_warning(
    usual: Callable[..., None], message: Warning | str, category: type[Warning], *place: Any
) -> None:
    """Print the warning of a broken plug-in like the other warnings of a command."""
    if issubclass(category, PluginWarning):
        click.echo(f"warning: {visible(str(message))}", err=True)
    else:
        usual(message, category, *place)


def run() -> None:
    """Run a command, and end with a message if it fails.

    The exit code is 2 for an error, 130 after an interrupt, and 141 if the reader of the output
    closed the pipe.
    """
    try:
        with show_progress(each_with_progress), warnings.catch_warnings():
            warnings.showwarning = partial(_show_warning, warnings.showwarning)
            root(prog_name="rankwise", standalone_mode=False)
        # Output that cannot be written is then an error before the exit.
        sys.stdout.flush()
        sys.stderr.flush()
    except click.UsageError as error:
        called = error.ctx.command_path if error.ctx else "rankwise"
        message = _plain(error.format_message())
        stop = "" if message.endswith((".", "?")) else "."
        _fail(f"{message}{stop} See `{called} --help`.")
    except click.ClickException as error:
        _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        click.echo("rankwise: interrupted.", err=True)
        sys.exit(INTERRUPTED)
    except ReaderGone:
        output_failed(BrokenPipeError())
    except OSError as error:
        output_failed(error)
    except MemoryError:
        _fail("there is not enough memory for this.")


def _plain(message: str) -> str:
    """Return a message of click in plain words: without types, formulas and lists in brackets.

    >>> _plain("'abc' is not a valid float range.")
    "must be a number, not 'abc'."
    >>> _plain("Invalid value for '-d' / '--digits': 20 is not in the range 0<=x<=17.")
    '--digits must be between 0 and 17, not 20.'
    >>> _plain("No such option '--a'. (Did you mean one of: '--all', '--at'?)")
    "No such option '--a'. Did you mean '--all' or '--at'?"
    """
    for formula, words in PLAIN.items():
        message = re.sub(formula, words, message)
    return message


def _fail(message: str) -> None:
    for line in f"rankwise: {message}".split("\n"):
        print_wrapped(line)
    sys.exit(2)
