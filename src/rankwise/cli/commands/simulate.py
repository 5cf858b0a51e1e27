"""`rankwise simulate`: a simulated test collection on disk."""

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, OptionSet, option
from rankwise.wording import Count


class Options(OptionSet):
    folder: str = option(
        "Write the collection to this folder.",
        "-o --output",
        metavar="DIR",
        required=True,
        type=click.Path(file_okay=False),
    )
    topics: int = option("Number of topics.", default=50, type=AtLeast1)
    systems: int = option("Number of systems, each with one run.", default=20, type=AtLeast1)
    depth: int = option("Number of documents per ranking.", default=100, type=AtLeast1)
    pool_depth: int = option(
        "Pool depth; most documents below it are unjudged.", default=20, type=AtLeast1
    )
    subtopics: int = option(
        "Number of subtopics per topic, for diversity metrics.",
        default=0,
        type=click.IntRange(min=0),
    )
    preferences: int = option(
        "Number of preference judgments per topic, written to preferences.csv.",
        default=0,
        type=click.IntRange(min=0),
    )
    seed: int = option("Random seed.", default=1, type=click.IntRange(min=0))


@with_options(Options, prints_notes=False)
def command(options: Options) -> None:
    """Write a simulated test collection that resembles a TREC track.

    \b
    Examples:
      rankwise simulate -o collection --topics 50 --systems 20 --seed 1

    Writes DIR/qrels.txt, DIR/runs/*.run and DIR/truth.txt, which has the grades of
    all relevant documents, including unjudged ones.
    """
    from rankwise.simulation import simulate

    made = simulate(
        topics=options.topics,
        systems=options.systems,
        depth=options.depth,
        pool_depth=options.pool_depth,
        seed=options.seed,
        subtopics=options.subtopics,
        preferences=options.preferences,
    )
    made.write(options.folder)
    click.echo(
        f"wrote {Count(len(made.runs), 'run')} and {made.qrels.frame.height:,} judgments to "
        f"{options.folder} (seed {options.seed})",
        err=True,
    )
