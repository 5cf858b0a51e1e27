"""`rankwise trec_eval`: trec_eval's flags and output."""

import sys

import click

from rankwise import __version__
from rankwise.cli.help import Command
from rankwise.cli.output import print_notes

REFUSED = {
    "-T": "--Results_format",
    "-D": "--Debug_level",
    "-o": "--Output_old_results_format",
}


def _refuse(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if value:
        raise click.UsageError(f"trec_eval's option {', '.join(param.opts)} is not supported.", ctx)


def _refused(command: click.Command) -> click.Command:
    """Add trec_eval's unsupported options, for a better message than `No such option`."""
    for short, long in REFUSED.items():
        command.params.append(
            click.Option(
                [short, long, f"refused_{short[1]}"],
                is_flag=short == "-o",
                hidden=True,
                expose_value=False,
                callback=_refuse,
            )
        )
    return command


@_refused
@click.command(cls=Command)
@click.version_option(
    __version__, "-v", "--version", message="rankwise %(version)s, as trec_eval 10.0"
)
@click.argument("qrels", metavar="QRELS")
@click.argument("run", metavar="RUN")
@click.option("-q", "--query_eval_wanted", "by_topic", is_flag=True, help="Also print each topic.")
@click.option(
    *["-m", "--measure", "measures"],
    multiple=True,
    metavar="MEASURE[.PARAMS]",
    help="Measure, with parameters after a dot; or official, set or all_trec. Repeatable.  "
    "[default: official]",
)
@click.option(
    *["-c", "--complete_rel_info_wanted", "complete"],
    is_flag=True,
    help="Average over all judged topics; a topic missing from the run scores 0.",
)
@click.option("-n", "--nosummary", "bare", is_flag=True, help="Do not print the means over topics.")
@click.option(
    *["-l", "--level_for_rel", "level"],
    default=1,
    show_default=True,
    metavar="N",
    type=click.IntRange(min=1),
    help="Relevance threshold.",
)
@click.option(
    *["-J", "--Judged_docs_only", "judged_only"],
    is_flag=True,
    help="Remove unjudged documents from the rankings (condensed lists).",
)
@click.option(
    *["-N", "--Number_docs_in_coll", "documents"],
    default=0,
    metavar="N",
    type=click.IntRange(min=0),
    help="Number of documents in the collection, for utility.",
)
@click.option(
    *["-M", "--Max_retrieved_per_topic", "depth"],
    metavar="N",
    type=click.IntRange(min=1),
    help="Use the first N documents of each ranking only.",
)
@click.option(
    *["-R", "--Rel_info_format", "form"],
    default="qrels",
    show_default=True,
    type=click.Choice(["qrels", "prefs", "qrels_prefs", "qrels_jg"]),
    help="Format of QRELS: preferences, or judgment groups.",
)
@click.option(
    *["-Z", "--Zscore", "zscores"],
    metavar="FILE",
    help="Print z-scores, by the means in FILE: topic, measure, mean, standard deviation.",
)
def command(
    qrels: str,
    run: str,
    by_topic: bool,
    measures: tuple[str, ...],
    complete: bool,
    bare: bool,
    level: int,
    judged_only: bool,
    documents: int,
    depth: int | None,
    form: str,
    zscores: str | None,
) -> None:
    """Print what trec_eval 10 prints.

    \b
    Examples:
      rankwise trec_eval qrels.txt bm25.run
      rankwise trec_eval -qc -l2 -m map -m P.5,10 qrels.txt bm25.run
      zcat bm25.run.gz | rankwise trec_eval -m all_trec qrels.txt -
      rankwise trec_eval -R prefs -m all_prefs prefs.txt bm25.run

    As in trec_eval, topics missing from the run are excluded, and a measure that is
    undefined for a topic counts as 0. `rankwise score` does neither by default.
    """
    from rankwise.compat.trec_eval import Request, preferences, trec_eval

    options = (complete, level, judged_only, documents, depth, zscores)
    request = Request(measures, by_topic, not bare, *options)
    if form == "qrels":
        text, notes = trec_eval(qrels, run, request)
        print_notes(notes)
    else:
        text = preferences(qrels, run, request, form)
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
