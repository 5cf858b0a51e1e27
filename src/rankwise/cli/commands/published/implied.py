"""`rankwise published implied`: ranges of other metrics, given published scores."""

import click

from rankwise.cli.commands.published.invert import number, rounding_note
from rankwise.cli.help import with_options
from rankwise.cli.options.base import option
from rankwise.cli.options.shared import METRIC
from rankwise.cli.output import Printed


class Options(Printed):
    known: tuple[str, ...] = option(
        "Published score of the system, e.g. P@10=0.42. Repeatable.",
        required=True,
        metavar="METRIC=SCORE",
    )
    metrics: tuple[str, ...] = option(
        "Metric whose range is computed. Repeatable.", required=True, **METRIC
    )
    precision: float = option(
        "Rounding of the published scores: 0.01 for a score printed as 0.41.", default=1e-4
    )


@with_options(Options)
def command(options: Options) -> None:
    """Compute the possible scores of a system by other metrics, from its published scores.

    \b
    Examples:
      rankwise published implied --known P@10=0.42 -m "RBP(p=0.8)"
      rankwise published implied --known "RBP(p=0.5)=0.61" \\
          --known "RBP(p=0.95)=0.33" --known P@10=0.42 \\
          -m "RBP(p=0.8)" -m DCG@20 --precision 0.01

    The columns `low` and `high` give bounds. They hold for scores of a single ranking
    and for means over topics. The columns `one low` and `one high`
    give the bounds from the most informative published score alone. Only metrics with
    fixed rank weights are supported: RBP, P@k, DCG@k, SDCG@k, InvSq and INSQ.
    """
    from rankwise.published import implied

    known = [_score(text) for text in options.known]
    names = [name for name, _ in known]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise click.UsageError(f"--known: {twice} is given twice. Remove one of them.")
    scores = {name: number("--known", score) for name, score in known}
    found = implied(options.metrics, scores, precision=options.precision)
    rounding = [each for _, score in known for each in rounding_note(score, options.precision)]
    options.out.result(found, notes=[found.caption.rstrip(":"), *rounding, *found.notes])


def _score(text: str) -> tuple[str, str]:
    """Split METRIC=SCORE at the last =, since the metric may contain one."""
    name, _, value = text.rpartition("=")
    try:
        float(value)
    except ValueError:
        what = f"--known {text} is not METRIC=SCORE. Write it as P@10=0.42."
        raise click.UsageError(what) from None
    return name.strip(), value.strip()
