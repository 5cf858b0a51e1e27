"""`rankwise published implied`: what several published scores say of other metrics."""

import click

from rankwise.cli.help import Command
from rankwise.cli.output import Output, output_options, print_notes


@click.command(cls=Command)
@click.option(
    *["--known", "known"],
    multiple=True,
    required=True,
    metavar="METRIC=SCORE",
    help="A score of the system, as printed. Give it again for more.",
)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    required=True,
    metavar="METRIC",
    help="The metric that was not printed. Give it again for more.",
)
@click.option(
    "--precision",
    type=float,
    default=1e-4,
    show_default=True,
    help="What the scores were rounded to: 0.01 for a score printed as 0.41.",
)
@output_options
def command(
    known: tuple[str, ...], metrics: tuple[str, ...], precision: float, out: Output
) -> None:
    """Show what published scores of a system say of other metrics.

    \b
    Examples:
      rankwise published implied --known P@10=0.42 -m "RBP(p=0.8)"
      rankwise published implied --known "RBP(p=0.5)=0.61" --known "RBP(p=0.95)=0.33" \\
          --known P@10=0.42 -m "RBP(p=0.8)" -m DCG@20 --precision 0.01

    low and high hold for every ranking and every mean over topics; one low and one
    high are what the score that says most would leave alone. Metrics are those
    with fixed weights: RBP, P@k, DCG@k, SDCG@k, InvSq, INSQ.
    """
    from rankwise.published import implied

    found = implied(metrics, dict(_score(text) for text in known), precision=precision)
    print_notes([found.caption.rstrip(":"), *found.notes])
    if out.for_people:
        out.show(found.table(digits=out.digits))
    else:
        out.print(found.frame, of=found)


def _score(text: str) -> tuple[str, float]:
    """The metric may have = in it: the score follows the last one."""
    name, _, value = text.rpartition("=")
    try:
        return name, float(value)
    except ValueError:
        pass
    raise click.UsageError(f"--known {text}: METRIC=SCORE, as P@10=0.42.")
