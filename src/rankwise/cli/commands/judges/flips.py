"""`rankwise judges flips`: the number of wrong judgments that would reverse a difference."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, option
from rankwise.cli.options.baseline import WithBaseline
from rankwise.cli.options.scoring import Scored
from rankwise.cli.output import Printed
from rankwise.vocabulary import Topics

if TYPE_CHECKING:
    from rankwise.agreement import Agreement

SENTENCES = 4  # largest number of rows for which a sentence is printed, too


class Options(WithBaseline, Scored, Printed):
    shared = "rel lengths undefined seed"
    topics: Topics = "all"
    everyday = "metrics baseline step errors wrong_judgments resamples seed style output"
    step: Literal["any", "one"] = option(
        "How far a wrong judgment can be from the correct one. `any`: any other grade. `one`: the "
        "next higher or lower grade.",
        default="any",
    )
    errors: str | None = option(
        "Add the probability that random errors reverse the difference. RATE is an error rate, "
        "e.g. 0.1; QRELS are judgments by another judge, whose disagreements give the error rates.",
        metavar="RATE|QRELS",
    )
    wrong_judgments: bool = option(
        "Instead of the summary: for each difference, wrong judgments that would reverse it.",
        "--documents",
    )
    resamples: int = option(
        "Number of simulations of random errors.", type=AtLeast1, default=200, needs="errors"
    )


@with_options(Options)
def command(options: Options) -> None:
    """Count the wrong judgments that would reverse the difference between two runs.

    \b
    Examples:
      rankwise judges flips qrels.txt a.run b.run -m nDCG@10
      rankwise judges flips qrels.txt runs/*.run -m AP --baseline bm25
      rankwise judges flips qrels.txt a.run b.run -m nDCG@10 --errors llm.qrels
      rankwise judges flips qrels.txt a.run b.run -m P@10 --step one --documents

    The column `wrong judgments` has the smallest number of judgments that must be wrong
    for the other run to be at least as good. It is exact for metrics that are sums of
    weights (P, RBP, DCG), and otherwise a range. `of` is the number of judgments.
    Unjudged documents stay unjudged.
    """
    from rankwise.agreement import flips
    from rankwise.results import Table

    options = options.with_baseline()
    out = options.out
    found = flips(
        options.collection(),
        metrics=options.parsed_metrics(),
        baseline=options.baseline,
        step=options.step,
        errors=None if options.errors is None else _errors(options, options.errors),
        resamples=options.resamples,
        seed=options.seed,
    )
    sentence = [found.sentence()] if found.frame.height <= SENTENCES else []
    listed = options.wrong_judgments
    out.result(
        found,
        table=partial(Table, found.documents(), digits=out.digits) if listed else None,
        frame=found.documents if listed else None,
        notes=[*sentence, *found.notes],
    )


def _errors(options: Options, errors: str) -> "float | Agreement":
    """Return `errors` as a rate, or the agreement of the qrels with the judgments in that file."""
    try:
        return float(errors)
    except ValueError:
        from rankwise.agreement import agree

        collection = options.collection()
        judges: Any = {"the qrels": collection.qrels, errors: errors}
        without_runs = replace(collection, qrels=judges, runs=None)
        return agree(without_runs, resamples=1, seed=options.seed)
