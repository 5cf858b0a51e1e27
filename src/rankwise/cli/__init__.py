"""The command line: one file a command, each loaded only when it is called."""

import sys
from importlib import import_module
from typing import Any

import click

from rankwise import __version__
from rankwise.cli.flags import as_flags
from rankwise.cli.streams import (
    flush_streams,
    give_up_output,
    prepare_streams,
    what_failed,
)
from rankwise.errors import RankwiseError, did_you_mean, visible

# As the shell has it of a program that was ended by a signal: 128 + SIGINT, 128 + SIGPIPE.
INTERRUPTED, READER_GONE = 130, 141

# A command's line in `rankwise --help` stands here, so that help loads no command.
COMMANDS = {
    "score": "Score runs against judgments.",
    "compare": "Say whether runs differ, and how sure that is.",
    "report": "Write one page that shows it all, to be sent.",
    "gate": "Fail when a candidate is worse than a baseline.",
    "explain": "Show what each document contributes to a score.",
    "correlate": "Say how alike metrics, or judgments, order systems.",
    "discriminate": "Say how well metrics tell systems apart.",
    "stability": "Say how scores and orders hold with fewer judgments.",
    "which-metric": "Say which metric to use: power, stability, agreement.",
    "properties": "Say which numeric properties a metric has.",
    "user-model": "Say whom a metric models, and how far users look.",
    "fit-p": "Find the p of RBP in a log of searches.",
    "study": "Run a paper's experiments on your data.",
    "overview": "Look at a collection: pools, runs, what is judged.",
    "plan": "Say how deep to judge, and which documents next.",
    "pool": "Write the pool of runs, or the judgments of it.",
    "reduce": "Write a random sample of judgments.",
    "preferred-rank": "Show for each topic how far down P and P+ look.",
    "invert": "Show what a published RBP score says at another p.",
    "implied": "Show what published scores say of other metrics.",
    "compare-published": "Say which of two published RBP scores is better.",
    "convert": "Write runs or judgments in another format.",
    "metrics": "List the metrics, or show one whole.",
    "simulate": "Write a simulated test collection.",
    "demo": "Score a simulated collection, with bounds.",
    "trec_eval": "Print what trec_eval 10 prints.",
}


class ReaderGone(Exception):
    """The reader of a pipe went away, as in `| head`."""


class Commands(click.Group):
    """A group that knows its commands by name and imports one when it is wanted."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would take it, and exit with 1
            raise ReaderGone from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"rankwise.cli.commands.{cmd_name.replace('-', '_')}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = did_you_mean(args[0], COMMANDS) or f" There are {', '.join(COMMANDS)}."
            raise click.UsageError(f"there is no command {args[0]!r}.{near}", ctx)
        return super().resolve_command(ctx, args)


def _show_version(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if not asked:
        return
    from rankwise.native import about_kernel

    click.echo(f"rankwise {__version__}, {about_kernel()}")
    ctx.exit()


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version, and whether the C kernel is at work, and exit.",
)
@click.pass_context
def root(ctx: click.Context) -> None:
    """How good are these rankings, and how sure is that?

    \b
    Example:
      rankwise score qrels.txt bm25.run splade.run -m nDCG@10 -m AP
    """
    if ctx.invoked_subcommand is None:  # `rankwise` alone
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line; whatever is wrong is one message and exit code 2."""
    prepare_streams()
    try:
        root(prog_name="rankwise", standalone_mode=False)
        flush_streams()
    except RankwiseError as error:
        _fail(as_flags(str(error)))
    except click.UsageError as error:
        called = error.ctx.command_path if error.ctx else "rankwise"
        _fail(f"{error.format_message()} See `{called} --help`.")
    except click.ClickException as error:
        _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except (ReaderGone, BrokenPipeError):
        give_up_output()
        sys.exit(READER_GONE)
    except OSError as error:
        give_up_output()
        _fail(what_failed(error))
    except MemoryError:
        _fail("there is not enough memory for this.")


def _fail(message: str) -> None:
    lines = (visible(line) for line in message.split("\n"))
    click.echo("rankwise: " + "\n".join(lines), err=True)
    sys.exit(2)
