"""`rankwise discriminate`: how well metrics tell systems apart."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankwise.cli.chart import chart_option, write_chart
from rankwise.cli.options.reading import Range, seed_option
from rankwise.cli.options.scoring import Scoring, scoring_options
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    import polars as pl

    from rankwise.experiments.discrimination.result import Discrimination
    from rankwise.scores.table import Scores

# As rankwise.experiments.discrimination.methods.METHODS has them; help must not load that.
METHODS = [
    *["bootstrap", "swap", "disjoint-swap", "error-rate"],
    *["ttest", "wilcoxon", "sign", "permutation", "tukey", "randomised-tukey"],
]
# How to read the columns of each method; those of the tests say what they are.
OF_BEST = "% of best: the difference as a share of it"
REACH = "% reach: the comparisons of two runs that differ by as much"
COLUMNS = {
    "bootstrap": "difference: what makes a pair significant: the greatest that any pair needs for "
    "ASL ≤ alpha",
    "swap": "difference: the least from which on no bin of 0.01 has more than alpha swaps; "
    f"best: the best mean of a run on a topic set; {OF_BEST}; {REACH}",
    "disjoint-swap": "difference: the least from which on no bin of 0.01 has more than alpha "
    f"swaps; best: the best mean of a run on a topic set (extrapolated: over all topics); "
    f"{OF_BEST}; {REACH}",
    "error-rate": "difference: the least such that of all from it on no more than alpha are "
    f"swaps; best: the best mean of a run over all topics; {OF_BEST}; variance, sd: of the "
    f"runs' means; {REACH}",
}
NO_DIFFERENCE = "–: even the greatest differences swap more often than alpha, so none is enough"
TAU = "tau: Kendall's, with the order of runs by the first --gains; –: a metric without gains"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@scoring_options(matrices=True, several_gains=True)
@click.option(
    *["--method", "methods"],
    multiple=True,
    default=["bootstrap"],
    show_default=True,
    type=click.Choice(METHODS),
    metavar="METHOD",
    help="How to tell systems apart: one of those above. Give it again for more.",
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
    "--count",
    type=click.IntRange(1),
    help="How many resamples or permutations.  [default: 1000; permutation and "
    "randomised-tukey 10000]",
)
@click.option(
    *["--size", "sizes"],
    multiple=True,
    type=click.IntRange(1),
    help="Topics in each of two disjoint sets: one for error-rate, any number for "
    "disjoint-swap.  [default: half of the topics; five up to that]",
)
@seed_option
@click.option(
    "--curve",
    is_flag=True,
    help="All p-values in order, or the swap rate of each bin, in place of the summary.",
)
@chart_option
@output_options
def command(
    asked: Scoring,
    methods: tuple[str, ...],
    alphas: tuple[float, ...],
    count: int | None,
    sizes: tuple[int, ...],
    seed: int,
    curve: bool,
    chart: str | None,
    out: Output,
) -> None:
    """Say how well metrics tell systems apart.

    \b
    Examples:
      rankwise discriminate qrels.txt runs/*.run -m AP -m RR
      rankwise discriminate qrels.txt runs/*.run -m AP -m RR --method swap \\
          --method disjoint-swap --chart swaps.svg
      rankwise discriminate --scores AP=ap.csv --scores RR=rr.csv \\
          --method ttest --method wilcoxon --alpha 0.05 --alpha 0.01
      rankwise discriminate qrels.txt runs/*.run -m O -m P+ \\
          --gains 3:2:1 --gains 10:5:1 --gains 1:1:1

    \b
    bootstrap         pairs with ASL ≤ alpha, difference needed (Sakai)
    swap              swaps between topic sets drawn with replacement (Sakai)
    disjoint-swap     between disjoint sets of several sizes, extrapolated to
                      all topics (Voorhees and Buckley)
    error-rate        between disjoint sets, in bins of 0.002 (Ahlgren and
                      Grönqvist)
    ttest, wilcoxon, sign, permutation, tukey, randomised-tukey
                      pairs with p ≤ alpha, uncorrected; the Tukey tests hold
                      for all pairs together
    """
    from rankwise.cli.progress import each_with_progress
    from rankwise.experiments.discrimination.methods import DISJOINT, Experiment
    from rankwise.experiments.discrimination.result import run_experiment

    if sizes and not set(methods) & set(DISJOINT):
        raise click.UsageError("--size goes with --method disjoint-swap and error-rate.")
    experiments = [
        Experiment(
            method, alphas, count, sizes if method in DISJOINT else (), seed, each_with_progress
        )
        for method in dict.fromkeys(methods)
    ]
    scores = _scores(asked)
    found = [run_experiment(experiment, scores) for experiment in experiments]
    frames = _frames(found, scores, asked.gain_tables, curve)
    _print_all_notes(found, seed)
    if not curve:
        print_notes(_how_to_read(methods, frames))
    if chart:
        _draw(chart, found)
    _print(frames, out)


def _scores(asked: Scoring) -> "Scores":
    gain_tables = asked.gain_tables
    if gain_tables and asked.matrices:
        raise click.UsageError("--gains goes with QRELS and RUN...: --scores are scores already.")
    if len(gain_tables) < 2:
        return asked.scores()
    from rankwise.experiments.discrimination.gain_settings import crossed

    metrics = crossed(asked.parsed_metrics(), gain_tables)
    return replace(asked, metrics=tuple(str(metric) for metric in metrics)).scores()


def _print_all_notes(found: "list[Discrimination]", seed: int) -> None:
    notes = dict.fromkeys(note for one in found for note in one.notes)
    drawn = [one.experiment.method for one in found if one.experiment.draws]
    print_notes([*notes, *([f"seed {seed} ({', '.join(drawn)})"] if drawn else [])])


def _how_to_read(methods: tuple[str, ...], frames: "list[pl.DataFrame]") -> list[str]:
    several = len(set(methods)) > 1
    notes = [
        f"{method}: {COLUMNS[method]}" if several else COLUMNS[method]
        for method in dict.fromkeys(methods)
        if method in COLUMNS
    ]
    if any("best" in frame.columns and frame["difference"].has_nulls() for frame in frames):
        notes.append(NO_DIFFERENCE)
    return [*notes, *([TAU] if "tau" in frames[0].columns else [])]


def _frames(
    found: "list[Discrimination]", scores: "Scores", gain_tables: tuple[str, ...], curve: bool
) -> "list[pl.DataFrame]":
    """A frame for each kind of table; the tests are of one kind."""
    import polars as pl

    taus = {}
    if len(gain_tables) > 1:
        from rankwise.experiments.discrimination.gain_settings import tau_with_first

        taus = tau_with_first(scores)
    kinds: dict[tuple[str, ...], list[pl.DataFrame]] = {}
    for one in found:
        frame = one.curve if curve else one.table
        if taus and not curve:
            tau = pl.col("metric").replace_strict(taus, default=None, return_dtype=pl.Float64)
            frame = frame.with_columns(tau.alias("tau"))
        kinds.setdefault(tuple(frame.columns), []).append(frame)
    return [pl.concat(frames) for frames in kinds.values()]


def _print(frames: "list[pl.DataFrame]", out: Output) -> None:
    import polars as pl

    if not out.for_people:
        out.print(pl.concat(frames, how="diagonal"))
        return
    if out.to_file and len(frames) > 1:
        kinds = "these methods give tables of several kinds"
        raise click.UsageError(f"-o {out.path}: {kinds}; give one method, or --format csv.")
    for place, frame in enumerate(frames):
        if place:
            click.echo()
        out.print(_short(frame))


def _short(frame: "pl.DataFrame") -> "pl.DataFrame":
    """Percentages with one decimal, alpha with those it has."""
    import polars as pl

    percents = [name for name in frame.columns if name.startswith("%") or name == "percent"]
    decimals = dict.fromkeys(percents, 1)
    if "alpha" in frame.columns:
        given = [f"{alpha:f}".rstrip("0") for alpha in frame["alpha"]]
        decimals["alpha"] = max(len(alpha.partition(".")[2]) for alpha in given)
    return frame.with_columns(
        pl.col(name).cast(pl.Decimal(20, count)) for name, count in decimals.items()
    )


def _draw(chart: str, found: "list[Discrimination]") -> None:
    from rankwise.charts.discrimination import discrimination_chart, stacked

    drawn = [discrimination_chart(one) for one in found]
    write_chart(chart, drawn[0] if len(drawn) == 1 else stacked(drawn))
