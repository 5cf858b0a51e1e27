"""`rankwise explain`: contribution of each document to a score."""

from typing import TYPE_CHECKING

from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, argument, option
from rankwise.cli.options.reading import OwnMetrics, Reading
from rankwise.cli.options.shared import METRIC, run_given
from rankwise.cli.output import Printed

if TYPE_CHECKING:
    from rankwise.rankings import NamedRun


class Options(Reading, OwnMetrics, Printed):
    shared = "qrels depth gains subset split"
    everyday = "topic metric rows relevant order gains style output"
    run: "str | NamedRun" = argument("RUN", callback=run_given)
    topic: str = option("Topic to explain.", metavar="TOPIC", required=True)
    metric: str = option("Metric, e.g. AP or nDCG@10.", required=True, **METRIC)
    rows: int | None = option("Show the first N rows only.", type=AtLeast1)
    relevant: bool = option("Show only documents that contribute to the score.")


@with_options(Options)
def command(options: Options) -> None:
    """Show what each document contributes to a score.

    \b
    Examples:
      rankwise explain qrels.txt bm25.run --topic 401 -m AP --rows 20

    The table has one row per document: rank, name, grade (– if unjudged), weight of the
    rank relative to rank 1 (for metrics with fixed weights), contribution, share of the
    score, and, for an unjudged document, the change of the score if the document is
    given the highest grade of the qrels. In AP, a document contributes to the precision at each
    relevant document from its own rank on (Moffat and Zobel 2008, Table I). For
    metrics that are not a sum over documents, the contribution is the loss of score
    if the document were not relevant.

    For a metric with a cutoff, the table ends at the cutoff, followed by at most 10 relevant
    documents that are missing there. --rows, csv and json have all ranks.
    """
    from rankwise.scores import explain

    found = explain(
        options.collection_of(options.qrels, options.run),
        metric=options.metric,
        topic=options.topic,
    )
    digits, relevant, rows = options.out.digits, options.relevant, options.rows
    table = found.table(digits=digits, relevant=relevant, rows=rows)
    about_table = table.notes if options.out.for_people else ()
    options.out.result(
        found,
        table=lambda: table,
        frame=lambda: found.documents(relevant=relevant, rows=rows),
        notes=[found.scored(digits), *about_table, *found.notes],
    )
