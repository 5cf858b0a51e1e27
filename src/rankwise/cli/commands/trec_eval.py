"""`rankwise trec_eval`: evaluation with the flags and the output format of trec_eval."""

import sys
from typing import Any

import click

from rankwise import __version__
from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, OptionSet, argument, option
from rankwise.cli.output import print_notes


def _refuse(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if value:
        raise click.UsageError(
            f"trec_eval's option {', '.join(param.opts)} is not supported. Remove it.", ctx
        )


# Options of trec_eval that are not supported, so that each gets an error of its own.
REFUSED: dict[str, Any] = {"callback": _refuse, "hidden": True, "expose_value": False}


def _show_version(ctx: click.Context, _parameter: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(f"rankwise {__version__}, as trec_eval 10.0")
        ctx.exit()


class Options(OptionSet):
    qrels: str = argument("QRELS")
    run: str = argument("RUN")
    by_topic: bool = option("Also print the scores of each topic.", "-q --query_eval_wanted")
    measures: tuple[str, ...] = option(
        "Measure, with parameters after a dot, or a group of measures such as `official`, `set`, "
        "`all_trec` or `all_prefs`. Repeatable.  [default: official]",
        "-m --measure",
        metavar="MEASURE[.PARAMS]",
    )
    complete: bool = option(
        "Average over all judged topics; a topic missing from the run scores 0.",
        "-c --complete_rel_info_wanted",
    )
    bare: bool = option("Do not print the means over topics.", "-n --nosummary")
    level: int = option(
        "Relevance threshold.", "-l --level_for_rel", default=1, metavar="N", type=AtLeast1
    )
    judged_only: bool = option(
        "Remove unjudged documents from the rankings (condensed lists).", "-J --Judged_docs_only"
    )
    documents: int = option(
        "Number of documents in the collection; only the measure `utility` uses it.",
        "-N --Number_docs_in_coll",
        default=0,
        metavar="N",
        type=click.IntRange(min=0),
        show_default=False,
    )
    depth: int | None = option(
        "Use the first N documents of each ranking only.",
        "-M --Max_retrieved_per_topic",
        metavar="N",
        type=AtLeast1,
    )
    form: str = option(
        "Format of QRELS. `qrels`: grades; `prefs`, `qrels_prefs`: preferences; `qrels_jg`: "
        "judgment groups.",
        "-R --Rel_info_format",
        choices=["qrels", "prefs", "qrels_prefs", "qrels_jg"],
        default="qrels",
    )
    zscores: str | None = option(
        "Print z-scores, from the means and standard deviations read from FILE; its lines are "
        "`topic measure mean deviation`.",
        "-Z --Zscore",
        metavar="FILE",
    )
    refused_t: None = option("", "-T --Results_format", **REFUSED)
    refused_d: None = option("", "-D --Debug_level", **REFUSED)
    refused_o: None = option("", "-o --Output_old_results_format", **REFUSED, is_flag=True)
    version: None = option(
        "Show the version and exit.",
        "-v --version",
        is_eager=True,
        expose_value=False,
        callback=_show_version,
        is_flag=True,
    )


@with_options(Options)
def command(options: Options) -> None:
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

    request = Request(
        options.measures,
        options.by_topic,
        not options.bare,
        options.complete,
        options.level,
        options.judged_only,
        options.documents,
        options.depth,
        options.zscores,
    )
    if options.form == "qrels":
        text, notes = trec_eval(options.qrels, options.run, request)
        print_notes(notes)
    else:
        text = preferences(options.qrels, options.run, request, options.form)
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
