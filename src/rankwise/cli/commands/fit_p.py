"""`rankwise fit-p`: the p of RBP that fits a log of searches."""

from pathlib import Path

import click

from rankwise.cli.output import Output, output_options, print_notes


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("log", metavar="LOG")
@click.option(
    "--column",
    default="rank",
    show_default=True,
    help="The column of the last rank that was seen.",
)
@click.option(
    "--page",
    type=click.IntRange(min=1),
    help="Results on a page: a search whose last rank ends a page may have gone on.",
)
@output_options
def command(log: str, column: str, page: int | None, out: Output) -> None:
    """Find the p of RBP in a log: how far down users looked.

    \b
    Examples:
      rankwise fit-p log.csv
      rankwise fit-p log.csv --column last_click --page 10

    LOG is a csv file with one row per search. p is found by maximum likelihood,
    with an interval, one for all users and as a mixture of users; fit says how well
    one p explains the log.
    """
    from rankwise.experiments.persistence import fit_persistence

    last = _column(log, column)
    goes_on = None if page is None else [rank % page == 0 for rank in last]
    found = fit_persistence(last, goes_on)
    print_notes(found.notes)
    out.print(found.frame, of=found)


def _column(log: str, name: str) -> list[int]:
    import polars as pl

    from rankwise.errors import InputError, did_you_mean

    if not Path(log).is_file():
        raise InputError(log, "there is no such file.")
    try:
        frame: pl.DataFrame = pl.read_csv(log, infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        raise InputError(log, f"is no csv file: {str(error).splitlines()[0]}") from None
    if name not in frame.columns:
        near = did_you_mean(name, frame.columns) or f" It has {', '.join(frame.columns)}."
        raise InputError(log, f"has no column {name!r}.{near}")
    if not frame[name].dtype.is_integer() or frame[name].has_nulls():
        raise InputError(log, f"column {name!r} is not of whole numbers, one for each search.")
    return frame[name].to_list()
