"""`rankwise convert`: convert runs and judgments between formats."""

from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.help import Command
from rankwise.cli.options.reading import (
    columns_option,
    lenient_option,
    order_option,
    part_options,
)
from rankwise.cli.options.writing import index_option
from rankwise.cli.output import folder_is_there, print_notes
from rankwise.cli.stdio import print_bytes
from rankwise.vocabulary import RowKind

if TYPE_CHECKING:
    from rankwise.vocabulary import Order


@click.command(cls=Command)
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT", callback=folder_is_there)
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    help="Output format: trec, csv, tsv, parquet, arrow, jsonl, json, elasticsearch, opensearch, "
    "quepid, quepid-json, quepid-ltr, rre, vespa, mteb or sentence-transformers.  [default: by "
    "the suffix of OUT, or trec]",
)
@click.option(
    "--kind",
    type=click.Choice(get_args(RowKind)),
    help="Contents of IN, if the format does not tell.",
)
@index_option
@columns_option
@part_options
@order_option
@lenient_option
def command(
    source: str,
    target: str,
    form: str | None,
    kind: RowKind | None,
    index: str | None,
    columns: str | None,
    subset: str | None,
    split: str | None,
    order: "Order",
    lenient: bool,
) -> None:
    """Write runs or judgments in another format.

    \b
    Examples:
      rankwise convert bm25.run bm25.parquet
      rankwise convert ratings.csv qrels.json --format opensearch
      rankwise convert qrels.txt request.json --format elasticsearch --index shop
      rankwise convert Task_predictions.json bm25.run.gz
      rankwise convert prefs.csv graded.qrels
      rankwise convert bm25.parquet - | head

    IN is any file that `rankwise score` reads. OUT is a file, or - for standard
    output. Preference judgments are converted to grades with a Bradley-Terry model.
    Quepid imports judgments as csv (quepid) or JSON (quepid-json, rre), and runs as
    snapshots (quepid).
    """
    from pathlib import Path

    from rankwise.formats import write_whole
    from rankwise.rankings import converted

    content, notes = converted(
        source,
        target,
        kind=kind,
        format=form,
        index=index,
        order=order,
        lenient=lenient,
        columns=columns,
        subset=subset,
        split=split,
    )
    if target == "-":
        print_bytes(content, for_people=False)
    else:
        write_whole(Path(target), content)
    print_notes(notes)
