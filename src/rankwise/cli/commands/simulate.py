"""`rankwise simulate`: a simulated test collection on disk."""

import click

from rankwise.cli.help import QuietCommand


@click.command(cls=QuietCommand)
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    required=True,
    help="Write the collection to this folder.",
    type=click.Path(file_okay=False),
)
@click.option(
    "--topics",
    default=50,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of topics.",
)
@click.option(
    "--systems",
    default=20,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of systems, each with one run.",
)
@click.option(
    "--depth",
    default=100,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of documents per ranking.",
)
@click.option(
    "--pool-depth",
    default=20,
    show_default=True,
    type=click.IntRange(min=1),
    help="Pool depth; most documents below it are unjudged.",
)
@click.option(
    "--subtopics",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Number of subtopics per topic: diversity qrels.",
)
@click.option(
    "--preferences",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Number of comparisons of two documents per topic: preferences.csv.",
)
@click.option(
    "--seed", default=1, show_default=True, type=click.IntRange(min=0), help="Random seed."
)
def command(
    folder: str,
    topics: int,
    systems: int,
    depth: int,
    pool_depth: int,
    subtopics: int,
    preferences: int,
    seed: int,
) -> None:
    """Write a simulated test collection that resembles a TREC track.

    \b
    Examples:
      rankwise simulate -o collection --topics 50 --systems 20 --seed 1

    Writes DIR/qrels.txt, DIR/runs/*.run and DIR/truth.txt, which has the grades of
    all relevant documents, also of the unjudged ones.
    """
    from rankwise.simulation import simulate

    made = simulate(
        topics=topics,
        systems=systems,
        depth=depth,
        pool_depth=pool_depth,
        seed=seed,
        subtopics=subtopics,
        preferences=preferences,
    )
    made.write(folder)
    click.echo(
        f"wrote {len(made.runs)} runs and {made.qrels.frame.height:,} judgments "
        f"to {folder} (seed {seed})",
        err=True,
    )
