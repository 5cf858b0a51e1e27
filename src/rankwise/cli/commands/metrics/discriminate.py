"""`rankwise metrics discriminate`: how well metrics discriminate between systems."""

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import click

from rankwise.cli.chart import ChartFile, chart_options, write_chart
from rankwise.cli.help import Command
from rankwise.cli.options.reading import Range, seed_option
from rankwise.cli.options.scoring import Scoring, scoring_options
from rankwise.cli.output import Output, output_options, print_notes
from rankwise.notes import Note, note
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
    help="How to discriminate between systems: one of those above. Give it again for more.",
)
@click.option(
    *["--alpha", "alphas"],
    multiple=True,
    default=[0.05],
    show_default=True,
    type=Range(0, 1, min_open=True, max_open=True),
    help="Significance level, or share of swaps that is allowed. Give it again for more.",
)
@click.option(
    "--resamples",
    type=click.IntRange(1),
    help="How many resamples or permutations.  [default: 1000; permutation and "
    "randomised-tukey 10000]",
)
@click.option(
    *["--size", "sizes"],
    multiple=True,
    type=click.IntRange(1),
    help="Topics in each of two sets. Give it again for more.  [default: swap, all topics; "
    "error-rate, half of them; disjoint-swap, five sizes up to half]",
)
@seed_option
@click.option(
    "--curve",
    is_flag=True,
    help="All p-values in order, or the swap rate of each bin, in place of the summary.",
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
    """Say how well metrics discriminate between systems.

    \b
    Examples:
      rankwise metrics discriminate qrels.txt runs/*.run -m AP -m RR
      rankwise metrics discriminate qrels.txt runs/*.run -m AP -m RR --method swap \\
          --method disjoint-swap --chart swaps.svg
      rankwise metrics discriminate --scores AP=ap.csv --scores RR=rr.csv \\
          --method t --method wilcoxon --alpha 0.05 --alpha 0.01
      rankwise metrics discriminate qrels.txt runs/*.run -m O -m P+ \\
          --gains 3:2:1 --gains 10:5:1 --gains 1:1:1

    \b
    bootstrap         pairs with ASL ≤ alpha, difference needed (Sakai)
    log-bootstrap     the same of geometric means, paired by topic; bootstrap of
                      geometric means is unpaired (--mean geometric)
    area-bootstrap    unpaired, of the area over the worst quarter of topics
    swap              swaps between topic sets drawn with replacement (Sakai)
    disjoint-swap     between disjoint sets of several sizes, extrapolated to
                      all topics (Voorhees and Buckley)
    error-rate        between disjoint sets, in bins of 0.002 (Ahlgren and
                      Grönqvist)
    t, wilcoxon, sign, permutation, tukey, randomised-tukey
                      pairs with p ≤ alpha, uncorrected; the Tukey tests hold
                      for all pairs together
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
        raise click.UsageError(f"--size goes with --method {', '.join(SWAPS)}.")
    asked_for = [(method, sizes if method in SWAPS else ()) for method in dict.fromkeys(methods)]
    for method, of_method in asked_for:  # what is wrong is said before any work is done
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
    if gain_tables and asked.matrices:
        raise click.UsageError("--gains goes with QRELS and RUN...: --scores are scores already.")
    if len(gain_tables) < 2:
        return asked.scores()
    from rankwise.experiments.discrimination import crossed

    metrics = crossed(asked.parsed_metrics(), gain_tables)
    return replace(asked, metrics=tuple(str(metric) for metric in metrics)).scores()


def _all_notes(found: "list[Discrimination]", seed: int) -> list[Note]:
    notes = dict.fromkeys(each for one in found for each in one.found_notes)
    drawn = [one.experiment.method for one in found if one.experiment.draws]
    return [*notes, *([note("seed", f"seed {seed} ({', '.join(drawn)})")] if drawn else [])]


def _show(tables: "list[Table]", out: Output) -> None:
    if out.to_file and len(tables) > 1:
        kinds = "these methods give tables of several kinds"
        raise click.UsageError(f"-o {out.path}: {kinds}; give one method, or --format csv.")
    for place, table in enumerate(tables):
        if place:
            click.echo()
        out.show(table)


def _draw(chart: ChartFile, found: "list[Discrimination]") -> None:
    from rankwise.charts import discrimination_chart, stacked

    drawn = [discrimination_chart(one) for one in found]
    write_chart(chart, drawn[0] if len(drawn) == 1 else stacked(drawn))
