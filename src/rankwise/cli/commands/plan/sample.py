"""`rankwise plan sample`: a random sample of judgments."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankwise.cli.help import Command
from rankwise.cli.lines import TABLES, lines_option, write_lines
from rankwise.cli.options.conflicts import refuse
from rankwise.cli.options.reading import (
    Range,
    columns_of_input,
    lenient_option,
    rel_option,
    runs_argument,
    seed_option,
)
from rankwise.cli.output import STYLE_OF_SUFFIX, Output, print_notes

if TYPE_CHECKING:
    from rankwise.rankings import NamedRun


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS")
@runs_argument("[RUN...]", required=False)
@click.option(
    "--keep",
    type=Range(0, 1, min_open=True),
    help="Fraction of the judgments to keep, e.g. 0.1.",
)
@click.option(
    "--design",
    metavar="K=RATE,...",
    help="Instead: sample the pool of the runs by strata, e.g. 10=1,50=0.2: all documents down to "
    "rank 10 of any run, a fifth of those down to rank 50. QRELS may be `none`.",
)
@seed_option
@rel_option
@lenient_option
@columns_of_input
@lines_option
def command(
    qrels: str,
    runs: "tuple[str | NamedRun, ...]",
    keep: float | None,
    design: str | None,
    seed: int,
    rel: int,
    lenient: bool,
    output: str | None,
) -> None:
    """Write a random sample of judgments, or of a pool with inclusion probabilities.

    \b
    Examples:
      rankwise plan sample qrels.txt --keep 0.5 --seed 1 -o half.txt
      rankwise plan sample qrels.txt --keep 0.1 | rankwise score - bm25.run -m AP
      rankwise plan sample none runs/*.run --design 10=1,100=0.1 -o sample.csv
      rankwise plan sample qrels.txt runs/*.run --design 10=1,100=0.1 -o sample.csv

    With --design, the table has topic, document, stratum, probability of being
    sampled, sampled, and grade: empty if the document was not sampled, or is still
    to be judged. `rankwise score sample.csv runs/*.run --sampled` reads it.

    With --keep, relevant and non-relevant documents are sampled separately: of n
    documents, keep × n are kept, rounded (halves down), but at least 1 relevant and 10
    non-relevant ones, or all if there are fewer (Ahlgren and Grönqvist 2007).
    Apart from the relevance threshold, grades do not matter. With the same seed, a
    smaller sample is a subset of a larger one.
    """
    import polars as pl

    if (keep is None) == (design is None):
        raise click.UsageError("Give --keep FRACTION, or --design K=RATE,... and runs.")
    if design is not None:
        refuse(["rel"], "--design")
        _write_design(qrels, runs, design, seed, lenient, output)
        return
    assert keep is not None
    if runs:
        raise click.UsageError("--keep samples judgments: leave out the runs, or use --design.")
    from rankwise.judging import sample_judgments
    from rankwise.rankings import read_qrels

    whole = read_qrels(qrels, lenient=lenient)
    part = sample_judgments(whole, keep, seed=seed, rel=rel)
    relevant = [frame.filter(pl.col("grade") >= rel).height for frame in (part.frame, whole.frame)]
    kept = f"kept {part.frame.height:,} of {whole.frame.height:,} judgments"
    found = f"{relevant[0]:,} of {relevant[1]:,} relevant"
    print_notes([*whole.notes, f"{kept}, {found}; seed {seed}"])
    write_lines(part.as_read, output)


def _write_design(
    qrels: str,
    runs: "tuple[str | NamedRun, ...]",
    design: str,
    seed: int,
    lenient: bool,
    output: str | None,
) -> None:
    """Write the sample of a pool as a table."""
    from rankwise.judging import sample_pool
    from rankwise.rankings import Collection

    if not runs:
        raise click.UsageError("--design samples the pool of runs: give RUN...")
    collection = Collection(None, list(runs), lenient=lenient)
    found = sample_pool(collection, design, qrels=None if qrels == "none" else qrels, seed=seed)
    drawn = int(found["sampled"].sum())
    left = drawn - found["grade"].count()
    text = f"sampled {drawn:,} of {found.height:,} documents, {left:,} without a grade; seed {seed}"
    print_notes([text])
    suffix = Path(output or "").suffix
    Output(STYLE_OF_SUFFIX[suffix] if suffix in TABLES else "csv", output).print(found)
