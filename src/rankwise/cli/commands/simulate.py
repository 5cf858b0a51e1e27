"""`rankwise simulate`: a simulated test collection on disk."""

import click

from rankwise.cli.help import Command


@click.command(cls=Command)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    required=True,
    help="Where to write it.",
    type=click.Path(file_okay=False),
)
@click.option("--topics", default=50, show_default=True, type=click.IntRange(min=1))
@click.option("--systems", default=20, show_default=True, type=click.IntRange(min=1))
@click.option(
    "--depth",
    default=100,
    show_default=True,
    type=click.IntRange(min=1),
    help="Documents in each ranking.",
)
@click.option(
    "--pool-depth",
    default=20,
    show_default=True,
    type=click.IntRange(min=1),
    help="How deep the judged pool goes; what lies below is mostly unjudged.",
)
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0))
def command(folder: str, topics: int, systems: int, depth: int, pool_depth: int, seed: int) -> None:
    """Write a test collection that behaves like a TREC track.

    \b
    Examples:
      rankwise simulate -o collection --topics 50 --systems 20 --seed 1

    Writes DIR/qrels.txt, DIR/runs/*.run, and DIR/truth.txt: the grades of all
    relevant documents, judged or not.
    """
    from rankwise.simulation import simulate

    made = simulate(topics=topics, systems=systems, depth=depth, pool_depth=pool_depth, seed=seed)
    made.write(folder)
    click.echo(
        f"wrote {len(made.runs)} runs and {made.qrels.frame.height:,} judgments "
        f"to {folder} (seed {seed})",
        err=True,
    )
