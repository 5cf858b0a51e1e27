"""`rankwise convert`: convert runs and judgments between formats."""

from rankwise.cli.help import with_options
from rankwise.cli.options.base import argument, option
from rankwise.cli.options.reading import Files
from rankwise.cli.options.writing import INDEX
from rankwise.cli.output import OutputFile, print_notes
from rankwise.cli.stdio import print_bytes
from rankwise.vocabulary import RowKind


class Options(Files):
    shared = "order subset split"
    source: str = argument("IN")
    target: str = argument("OUT", type=OutputFile())
    form: str | None = option(
        "Output format: trec, csv, tsv, parquet, arrow, jsonl, json, elasticsearch, opensearch, "
        "quepid, quepid-json, quepid-ltr, rre, vespa, mteb or sentence-transformers.  [default: by "
        "the suffix of OUT, or trec]",
        "--format",
        metavar="FORMAT",
    )
    kind: RowKind | None = option("What IN contains, if its format does not show it.")
    index: str | None = INDEX


@with_options(Options)
def command(options: Options) -> None:
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
    For Quepid, --format quepid writes judgments as csv and runs as snapshots;
    quepid-json writes judgments as JSON, quepid-ltr as learning-to-rank lines. For the
    Rated Ranking Evaluator, rre writes judgments as JSON.
    """
    from pathlib import Path

    from rankwise.formats import Part, WithColumns, parse_columns, write_whole
    from rankwise.rankings import converted

    columns = {} if options.columns is None else parse_columns(options.columns)
    given = WithColumns(options.source, columns, Part(options.subset, options.split))
    kind, form, index, order = options.kind, options.form, options.index, options.order
    content, notes = converted(given, options.target, kind, form, index, order, options.lenient)
    if options.target == "-":
        print_bytes(content, for_people=False)
    else:
        write_whole(Path(options.target), content)
    print_notes(notes)
