"""`rankwise demo`: scores, bounds and a report of a simulated collection."""

import sys

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import OptionSet, option
from rankwise.cli.output import OUTPUT, Output, OutputFile

METRICS = ("nDCG@10", "AP", "RBP(p=0.8)", "P@10")


class Options(OptionSet):
    seed: int = option("Random seed.", default=1, type=click.IntRange(min=0))
    output: str = option(
        "Write the report to FILE (atomically).",
        default="rankwise-demo.html",
        **OUTPUT | {"type": OutputFile((".html", ".htm"))},
    )


@with_options(Options, prints_notes=False)
def command(options: Options) -> None:
    """Score a simulated collection, with bounds, and write a report.

    \b
    Examples:
      rankwise demo
    """
    from rankwise.errors import CallError
    from rankwise.reporting import report
    from rankwise.scores import score
    from rankwise.simulation import simulate

    made = simulate(topics=50, systems=10, seed=options.seed)
    scores = score(made.qrels, made.runs, METRICS)
    click.echo(
        f"A simulated collection (seed {options.seed}): {len(made.runs)} systems, "
        f"{len(scores.topics)} topics,\n{made.qrels.frame.height:,} judged documents. "
        "Means over topics, best system first:\n"
    )
    sys.stdout.flush()
    Output().show(scores.table())
    click.echo(
        "\nNot every document is judged. Lower and upper bounds of each score, assuming\n"
        "that any unjudged document may be relevant and that rankings continue:\n"
    )
    sys.stdout.flush()
    bounded = score(made.qrels, made.runs, ["RBP(p=0.8)"], bounds=True, unjudged="open")
    Output().show(bounded.table())
    click.echo(
        "\nTo do the same with files:\n"
        f"  rankwise simulate -o collection --topics 50 --systems 10 --seed {options.seed}\n"
        "  rankwise score collection/qrels.txt collection/runs/*.run -m nDCG@10 -m AP\n"
        "  rankwise report collection/qrels.txt collection/runs/*.run -o report.html"
    )
    sys.stdout.flush()
    try:
        written = report(
            made.qrels, made.runs, METRICS, output=options.output, title="rankwise demo"
        )
    except CallError as error:
        click.echo(f"\nNo report was written: {error}")
        return
    where = written.path.resolve()
    click.echo(f"\nThe report (one file, opens in any browser, also offline):\n  {where}")
