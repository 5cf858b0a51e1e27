"""`rankwise published implied`: ranges of other metrics, given published scores."""

import click

from rankwise.cli.completion import complete_metrics
from rankwise.cli.help import Command
from rankwise.cli.output import Output, output_options, print_notes


@click.command(cls=Command)
@click.option(
    *["--known", "known"],
    multiple=True,
    required=True,
    metavar="METRIC=SCORE",
    help="Published score of the system, e.g. P@10=0.42. Repeatable.",
)
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    required=True,
    metavar="METRIC",
    shell_complete=complete_metrics,
    help="Metric whose range is wanted. Repeatable.",
)
@click.option(
    "--precision",
    type=float,
    default=1e-4,
    show_default=True,
    help="Rounding of the published scores: 0.01 for a score printed as 0.41.",
)
@output_options
def command(
    known: tuple[str, ...], metrics: tuple[str, ...], precision: float, out: Output
) -> None:
    """Compute the range of other metrics, given published scores of a system.

    \b
    Examples:
      rankwise published implied --known P@10=0.42 -m "RBP(p=0.8)"
      rankwise published implied --known "RBP(p=0.5)=0.61" --known "RBP(p=0.95)=0.33" \\
          --known P@10=0.42 -m "RBP(p=0.8)" -m DCG@20 --precision 0.01

    low and high are bounds for any ranking and any mean over topics. one low and
    one high are the bounds from the single most informative score. Supported are
    metrics with fixed weights: RBP, P@k, DCG@k, SDCG@k, InvSq and INSQ.
    """
    from rankwise.published import implied

    found = implied(metrics, dict(_score(text) for text in known), precision=precision)
    print_notes([found.caption.rstrip(":"), *found.notes])
    if out.for_people:
        out.show(found.table(digits=out.digits))
    else:
        out.print(found.frame, of=found)


def _score(text: str) -> tuple[str, float]:
    """Split METRIC=SCORE at the last =, since the metric may contain one."""
    name, _, value = text.rpartition("=")
    try:
        return name, float(value)
    except ValueError:
        pass
    raise click.UsageError(f"--known {text}: no score. Give it as METRIC=SCORE, e.g. P@10=0.42.")
