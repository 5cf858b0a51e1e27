"""`rankwise plan sample`: a random sample of judgments."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, Range, argument, option, refuse
from rankwise.cli.options.reading import Files
from rankwise.cli.options.shared import RUNS
from rankwise.cli.options.writing import TABLES, Lines, write_lines
from rankwise.cli.output import STYLE_OF_SUFFIX, Output, print_notes

if TYPE_CHECKING:
    from rankwise.rankings import NamedRun


class Options(Files, Lines):
    shared = "qrels seed"
    runs: "tuple[str | NamedRun, ...]" = argument("[RUN...]", **RUNS)
    keep: float | None = option(
        "Fraction of the judgments to keep, e.g. 0.1.", type=Range(0, 1, min_open=True)
    )
    design: str | None = option(
        "Instead of --keep: a stratified sample of the pool of the runs. 10=1,50=0.2 samples all "
        "documents down to rank 10 of any run, and a fifth of the others down to rank 50. QRELS "
        "may be `none`.",
        metavar="K=RATE,...",
        not_with=["rel"],
    )
    rel: int = option("Relevance threshold.", default=1, type=AtLeast1)


@with_options(Options)
def command(options: Options) -> None:
    """Write a random sample of judgments, or of a pool with inclusion probabilities.

    \b
    Examples:
      rankwise plan sample qrels.txt --keep 0.5 --seed 1 -o half.txt
      rankwise plan sample qrels.txt --keep 0.1 | rankwise score - bm25.run -m AP
      rankwise plan sample none runs/*.run --design 10=1,100=0.1 -o sample.csv
      rankwise plan sample qrels.txt runs/*.run --design 10=1,100=0.1 -o sample.csv

    With --design, the table has the columns `topic`, `document`, `stratum`,
    `probability` (of being sampled), `sampled` and `grade`. The grade is empty if the
    document was not sampled, or is still to be judged. `rankwise judges sampled
    sample.csv runs/*.run` estimates scores from it.

    With --keep, relevant and non-relevant documents are sampled separately. Of n
    documents, keep × n are kept (halves are rounded down), but at least 1 relevant and
    10 non-relevant documents, or all if there are fewer (Ahlgren and Grönqvist 2007).
    Apart from the relevance threshold, grades do not matter. With the same seed, a
    smaller sample is a subset of a larger one.
    """
    import polars as pl

    if options.keep is not None:
        refuse(["design"], "--keep")
    elif options.design is None:
        raise click.UsageError(
            "The size of the sample is missing. Give --keep FRACTION, or runs and --design "
            "K=RATE,...."
        )
    if options.design is not None:
        _write_design(options, options.design)
        return
    assert options.keep is not None
    if options.runs:
        raise click.UsageError(
            "--keep samples judgments and needs no runs. Remove the runs, or use --design."
        )
    from rankwise.judging import sample_judgments
    from rankwise.rankings import read_qrels

    whole = read_qrels(options.with_columns(options.qrels), lenient=options.lenient)
    part = sample_judgments(whole, options.keep, seed=options.seed, rel=options.rel)
    relevant = [
        frame.filter(pl.col("grade") >= options.rel).height for frame in (part.frame, whole.frame)
    ]
    kept = f"kept {part.frame.height:,} of {whole.frame.height:,} judgments"
    found = f"{relevant[0]:,} of {relevant[1]:,} relevant"
    print_notes([*whole.notes, f"{kept}, {found}; the random seed is {options.seed}"])
    write_lines(part.as_read, options.output)


def _write_design(options: Options, design: str) -> None:
    """Write the sample of a pool as a table."""
    from rankwise.judging import sample_pool
    from rankwise.rankings import Collection

    if not options.runs:
        raise click.UsageError(
            "--design samples the pool of runs, and runs are missing. Give RUN...."
        )
    runs = [options.with_columns(run) for run in options.runs]
    qrels = None if options.qrels == "none" else options.with_columns(options.qrels)
    collection = Collection(None, runs, lenient=options.lenient)
    documents = sample_pool(collection, design, qrels=qrels, seed=options.seed)
    drawn = int(documents["sampled"].sum())
    left = drawn - documents["grade"].count()
    counts = (
        f"sampled {drawn:,} of {documents.height:,} documents, {left:,} of them without a grade"
    )
    print_notes([f"{counts}; the random seed is {options.seed}"])
    suffix = Path(options.output or "").suffix
    style = STYLE_OF_SUFFIX[suffix] if suffix in TABLES else "csv"
    Output(style, options.output).print(documents)
