"""`rankwise metrics discriminate`: discriminative power of metrics."""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.conflicts import require
from rankwise.cli.options.reading import Range, seed_option
from rankwise.cli.options.scoring import Scoring, scoring_options
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.notes import Note, detail
from rankwise.vocabulary import Discriminator

if TYPE_CHECKING:
    from rankwise.experiments.discrimination import Discrimination
    from rankwise.results import Table
    from rankwise.scores import Scores

METHODS = get_args(Discriminator)


@click.command(cls=Command)
@scoring_options(matrices=True, several_gains=True)
@click.option(
    *["--method", "methods"],
    multiple=True,
    default=["bootstrap"],
    show_default=True,
    type=click.Choice(METHODS),
    metavar="METHOD",
    help="How pairs of runs are tested; --help-all describes the methods. Repeatable.",
)
@click.option(
    *["--alpha", "alphas"],
    multiple=True,
    default=[0.05],
    show_default=True,
    type=Range(0, 1, min_open=True, max_open=True),
    help="Significance level, or largest swap rate. Repeatable.",
)
@click.option(
    "--resamples",
    type=click.IntRange(1),
    help="Number of resamples or permutations.  [default: 1000; permutation and "
    "randomised-tukey 10000]",
)
@click.option(
    *["--size", "sizes"],
    multiple=True,
    type=click.IntRange(1),
    help="Number of topics in each of the two sets, for the swap methods. Repeatable.  [default: "
    "swap: all topics; error-rate: half of them; disjoint-swap: five sizes up to half]",
)
@seed_option
@click.option(
    "--curve",
    is_flag=True,
    help="Instead of the summary: all p-values in order, or the swap rate of each bin.",
)
@chart_options
@output_options
def command(
    asked: Scoring,
    methods: "tuple[Discriminator, ...]",
    alphas: tuple[float, ...],
    resamples: int | None,
    sizes: tuple[int, ...],
    seed: int,
    curve: bool,
    chart: ChartFile | None,
    out: Output,
) -> None:
    """Measure the discriminative power of metrics.

    \b
    Examples:
      rankwise metrics discriminate qrels.txt runs/*.run -m AP,RR
      rankwise metrics discriminate qrels.txt runs/*.run -m AP,RR --method swap \\
          --method disjoint-swap --chart swaps.svg
      rankwise metrics discriminate --scores AP=ap.csv --scores RR=rr.csv \\
          --method t --method wilcoxon --alpha 0.05 --alpha 0.01
      rankwise metrics discriminate qrels.txt runs/*.run -m O,P+ \\
          --gains 3:2:1 --gains 10:5:1 --gains 1:1:1

    \b
    bootstrap         pairs with ASL ≤ alpha, and the difference needed (Sakai)
    log-bootstrap     the same for geometric means, paired by topic (with --mean
                      geometric, bootstrap is unpaired)
    area-bootstrap    unpaired, for the area over the worst quarter of topics
    swap              swap rate between topic sets drawn with replacement (Sakai)
    disjoint-swap     swap rate between disjoint topic sets of several sizes,
                      extrapolated to all topics (Voorhees and Buckley)
    error-rate        swap rate between disjoint topic sets, in bins of 0.002
                      (Ahlgren and Grönqvist)
    t, wilcoxon, sign, permutation
                      pairs with p ≤ alpha, not corrected
    tukey, randomised-tukey
                      pairs with p ≤ alpha, corrected for all pairs
    """
    import polars as pl

    from rankwise.experiments.discrimination import (
        SWAPS,
        Experiment,
        by_kind,
        discriminate,
        in_tables,
    )

    if sizes and not set(methods) & set(SWAPS):
        require("--size", f"--method {' or '.join(SWAPS)}")
    asked_for = [(method, sizes if method in SWAPS else ()) for method in dict.fromkeys(methods)]
    for method, of_method in asked_for:  # checked before any work is done
        Experiment(method, alphas, resamples, of_method, seed)
    scores = _scores(asked)
    found = [
        discriminate(
            scores,
            method=method,
            alpha=alphas,
            resamples=resamples,
            sizes=of_method,
            seed=seed,
        )
        for method, of_method in asked_for
    ]
    taus = {}
    if len(asked.gain_tables) > 1:
        from rankwise.experiments.discrimination import tau_with_first

        taus = tau_with_first(scores)
    tables = in_tables(found, curve=curve, taus=taus, digits=out.digits)
    notes = _all_notes(found, seed)
    print_notes(notes)
    print_notes(tables[0].notes)
    if chart:
        _draw(chart, found)
    if out.for_people:
        _show(tables, out)
    else:
        out.print(
            pl.concat(by_kind(found, curve=curve, taus=taus), how="diagonal"),
            of=found[0],
            notes=notes,
        )


def _scores(asked: Scoring) -> "Scores":
    gain_tables = asked.gain_tables
    if len(gain_tables) < 2:
        return asked.scores()
    from rankwise.experiments.discrimination import crossed

    metrics = crossed(asked.parsed_metrics(), gain_tables)
    return replace(asked, metrics=tuple(str(metric) for metric in metrics)).scores()


def _all_notes(found: "list[Discrimination]", seed: int) -> list[Note]:
    notes = dict.fromkeys(each for one in found for each in one.found_notes)
    drawn = [one.experiment.method for one in found if one.experiment.draws]
    return [*notes, *([detail("seed", f"seed {seed} ({', '.join(drawn)})")] if drawn else [])]


def _show(tables: "list[Table]", out: Output) -> None:
    if out.to_file and len(tables) > 1:
        kinds = "these methods have different tables"
        raise click.UsageError(f"-o {out.path}: {kinds}. Give one --method, or write a .csv file.")
    for place, table in enumerate(tables):
        if place:
            click.echo()
        out.show(table)


def _draw(chart: ChartFile, found: "list[Discrimination]") -> None:
    from rankwise.charts import discrimination_chart, stacked

    drawn = [discrimination_chart(one) for one in found]
    write_chart(chart, drawn[0] if len(drawn) == 1 else stacked(drawn))
