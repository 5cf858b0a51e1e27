"""`rankwise demo`: the main job on a simulated collection, in one go."""

import sys

import click

METRICS = ("nDCG@10", "AP", "RBP(p=0.8)", "P@10")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seed", default=1, show_default=True, type=click.IntRange(min=0))
def command(seed: int) -> None:
    """Score a simulated collection, with bounds.

    \b
    Example:
      rankwise demo
    """
    from rankwise.cli.output import Output
    from rankwise.scores.table import score
    from rankwise.simulation import simulate

    made = simulate(topics=50, systems=10, seed=seed)
    scores = score(made.qrels, made.runs, METRICS)
    click.echo(
        f"A simulated collection (seed {seed}): {len(made.runs)} systems, "
        f"{len(scores.topics)} topics,\n{made.qrels.frame.height:,} judged documents. "
        "Means over topics, best system first:\n"
    )
    sys.stdout.flush()
    Output().show(scores.table())
    click.echo(
        "\nNot every document is judged. The lower and upper bound of each score, if any\n"
        "document can turn out relevant, and rankings go on below their end:\n"
    )
    sys.stdout.flush()
    bounded = score(made.qrels, made.runs, ["RBP(p=0.8)"], bounds=True, unjudged="open")
    Output().show(bounded.table())
    click.echo(
        "\nThe same from files:\n"
        f"  rankwise simulate -o collection --topics 50 --systems 10 --seed {seed}\n"
        "  rankwise score collection/qrels.txt collection/runs/*.run -m nDCG@10 -m AP"
    )
