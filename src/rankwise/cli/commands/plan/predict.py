"""`rankwise plan predict`: scores, and the better run of each pair, under a deeper pool."""

from typing import ClassVar

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import Fraction, option
from rankwise.cli.options.scoring import Scored
from rankwise.cli.options.shared import OF_ASSUMPTION
from rankwise.cli.output import Printed
from rankwise.vocabulary import Correction, Topics


class Options(Scored, Charted, Printed):
    shared = "rel seed"
    only_with: ClassVar = {"pairs": "alpha correction"}
    everyday = "metrics pairs unjudged alpha correction seed chart style output"
    # The coverage of predictions was measured for all topics and complete rankings only.
    topics: Topics = "all"
    complete_runs: bool | None = False
    only_topics: str | None = None
    drop_self: bool = False
    map_documents: str | None = None
    unjudged: str | None = option(
        "`top=K`: predict for a pool of the first K documents of each run.  [default: top=100]",
        **OF_ASSUMPTION,
    )
    pairs: bool = option(
        "Instead of the scores: for each pair of runs, the probability that the first is better."
    )
    alpha: float = option(
        "Significance level of the t-tests of --pairs.", type=Fraction, default=0.05
    )
    correction: Correction = option(
        "Correction of the t-tests of --pairs for multiple comparisons.", default="holm"
    )


@with_options(Options)
def command(options: Options) -> None:
    """Predict scores from the current judgments, as if a deeper pool were judged.

    \b
    Examples:
      rankwise plan predict qrels.txt runs/*.run -m AP
      rankwise plan predict qrels.txt runs/*.run -m AP --pairs --chart pairs.svg
      rankwise plan predict qrels.txt runs/*.run -m nDCG@10 --unjudged top=20

    A model learns from the current judgments how likely a document is to be relevant,
    given its ranks in all runs. `value` is the score under the current judgments.
    `expected` is the predicted score if the first 100 documents of each run were judged
    (the deeper pool). `probable_low` to `probable_high` is a range that probably
    contains the score under the deeper pool. With --pairs, `better` is the probability
    that the first run is better under the deeper pool, and `significant` tells whether a
    paired t-test is significant under the current judgments. `rankwise plan next` lists
    the documents to judge.
    """
    from rankwise.probable import predict
    from rankwise.rankings import Possible

    out = options.out
    possible = Possible.parse(options.unjudged or "top=100")
    if possible.top is None or possible.extra:
        raise click.UsageError(
            f"--unjudged {options.unjudged} does not name a pool depth. Use top=K, e.g. top=100."
        )
    found = predict(
        options.collection(),
        metrics=options.parsed_metrics(),
        top=possible.top,
        seed=options.seed,
    )
    options.draw(lambda: found.chart(pairs=options.pairs))
    if not options.pairs:
        out.result(found)
        return
    alpha, correction = options.alpha, options.correction
    out.result(
        found,
        table=lambda: found.pairs_table(digits=out.digits, alpha=alpha, correction=correction),
        frame=lambda: found.pairs(alpha=alpha, correction=correction),
        notes=found.pair_notes,
    )
