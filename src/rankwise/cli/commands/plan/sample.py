"""`rankwise plan sample`: a random sample of judgments."""

import click

from rankwise.cli.help import Command
from rankwise.cli.lines import lines_option, write_lines
from rankwise.cli.options.reading import (
    Range,
    columns_of_input,
    lenient_option,
    rel_option,
    seed_option,
)
from rankwise.cli.output import print_notes


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS")
@click.option(
    "--keep",
    required=True,
    type=Range(0, 1, min_open=True),
    help="Fraction of the judgments to keep, as 0.1.",
)
@seed_option
@rel_option
@lenient_option
@columns_of_input
@lines_option
def command(
    qrels: str, keep: float, seed: int, rel: int, lenient: bool, output: str | None
) -> None:
    """Write a random sample of judgments, drawn per topic.

    \b
    Examples:
      rankwise plan sample qrels.txt --keep 0.5 --seed 1 -o half.txt
      rankwise plan sample qrels.txt --keep 0.1 | rankwise score - bm25.run -m AP

    Relevant and non-relevant documents are sampled separately: of n documents,
    keep × n are kept, rounded (halves down), but at least 1 relevant and 10
    non-relevant ones, or all if there are fewer (Ahlgren and Grönqvist 2007).
    Apart from the relevance threshold, grades do not matter. With the same seed, a
    smaller sample is a subset of a larger one.
    """
    import polars as pl

    from rankwise.judging import sample_judgments
    from rankwise.rankings import read_qrels

    whole = read_qrels(qrels, lenient=lenient)
    part = sample_judgments(whole, keep, seed=seed, rel=rel)
    relevant = [frame.filter(pl.col("grade") >= rel).height for frame in (part.frame, whole.frame)]
    kept = f"kept {part.frame.height:,} of {whole.frame.height:,} judgments"
    found = f"{relevant[0]:,} of {relevant[1]:,} relevant"
    print_notes([*whole.notes, f"{kept}, {found}; seed {seed}"])
    write_lines(part.as_read, output)
