"""`rankwise metrics discriminate`: discriminative power of metrics."""

from typing import TYPE_CHECKING, Any, ClassVar, get_args

import click

from rankwise.cli.chart import Charted
from rankwise.cli.help import with_options
from rankwise.cli.options.base import AtLeast1, Fraction, option
from rankwise.cli.options.scoring import ScoredOrRead
from rankwise.cli.output import Output, Printed, print_notes
from rankwise.notes import detail
from rankwise.vocabulary import Discriminator

if TYPE_CHECKING:
    from rankwise.experiments.discrimination import Discrimination
    from rankwise.results import Table
    from rankwise.scores import Scores

METHODS = get_args(Discriminator)
DRAWING = [name for name in METHODS if name not in ("t", "wilcoxon", "sign", "tukey")]


class Options(ScoredOrRead, Charted, Printed):
    shared = "mean seed"
    only_with: ClassVar = {
        "methods=swap|disjoint-swap|error-rate": "sizes",
        f"methods={'|'.join(DRAWING)}": "resamples",
    }
    everyday = "metrics matrices methods alphas resamples curve seed chart style output"
    gains: str | None = None
    gain_tables: tuple[str, ...] = option(
        "Gain of each grade, e.g. 0=0,0.5=0.4,1=1 or 3:2:1. With several tables, each graded "
        "metric is computed with each of them.",
        "--gains",
        metavar="TABLE",
    )
    methods: "tuple[Discriminator, ...]" = option(
        "Method of measuring discriminative power; --help-all describes the methods. Repeatable.",
        "--method",
        choices=METHODS,
        multiple=True,
        default=["bootstrap"],
        metavar="METHOD",
    )
    alphas: tuple[float, ...] = option(
        "Significance level or, for the swap methods, the largest swap rate allowed. Repeatable.",
        "--alpha",
        default=[0.05],
        type=Fraction,
    )
    resamples: int | None = option(
        "Number of resamples or permutations.  [default: 1000; for permutation and "
        "randomised-tukey 10000]",
        type=AtLeast1,
    )
    sizes: tuple[int, ...] = option(
        "Number of topics in each of the two sets, for the swap methods. Repeatable.  [default: "
        "swap: all topics; error-rate: half of them; disjoint-swap: five sizes up to half]",
        "--size",
        type=AtLeast1,
    )
    curve: bool = option(
        "Instead of the summary: all p-values in descending order or, for the swap methods, the "
        "swap rate of each bin of differences."
    )

    def check(self) -> None:
        self.gains = self.gain_tables[0] if len(self.gain_tables) == 1 else None


@with_options(Options)
def command(options: Options) -> None:
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
    bootstrap         pairs with achieved significance level ≤ alpha, and the
                      difference that this requires (Sakai)
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
        tau_with_first,
    )

    settings: list[dict[str, Any]] = [
        {
            "method": method,
            "alpha": options.alphas,
            "resamples": options.resamples if method in DRAWING else None,
            "sizes": options.sizes if method in SWAPS else (),
            "seed": options.seed,
        }
        for method in dict.fromkeys(options.methods)
    ]
    for setting in settings:  # checked before any work is done
        Experiment(**setting)
    scores = _scores(options)
    results = [discriminate(scores, **setting) for setting in settings]
    taus = tau_with_first(scores) if len(options.gain_tables) > 1 else {}
    tables = in_tables(results, curve=options.curve, taus=taus, digits=options.out.digits)
    notes = list(dict.fromkeys(each for one in results for each in one.found_notes))
    drawn = [one.experiment.method for one in results if one.experiment.draws]
    if drawn:
        notes.append(detail("seed", f"the random seed is {options.seed} ({', '.join(drawn)})"))
    print_notes([*notes, *tables[0].notes])
    options.draw(lambda: _chart(results))
    if options.out.for_people:
        _show(tables, options.out)
    else:
        frames = by_kind(results, curve=options.curve, taus=taus)
        options.out.print(pl.concat(frames, how="diagonal"), of=results[0], notes=notes)


def _scores(options: Options) -> "Scores":
    if len(options.gain_tables) < 2:
        return options.scores()
    from rankwise.experiments.discrimination import crossed

    metrics = crossed(options.parsed_metrics(), options.gain_tables)
    return options.replaced(metrics=tuple(str(metric) for metric in metrics)).scores()


def _show(tables: "list[Table]", out: Output) -> None:
    if out.to_file and len(tables) > 1:
        kinds = "these methods have different tables"
        raise click.UsageError(f"-o {out.path}: {kinds}. Give one --method, or write a .csv file.")
    for place, table in enumerate(tables):
        if place:
            click.echo()
        out.show(table)


def _chart(results: "list[Discrimination]") -> Any:
    from rankwise.charts import discrimination_chart, stacked

    charts = [discrimination_chart(each) for each in results]
    return charts[0] if len(charts) == 1 else stacked(charts)
