"""`rankwise properties`: the seven numeric properties of metrics, and SWAP."""

import re
from typing import TYPE_CHECKING

import click

from rankwise.cli.options.reading import metrics_from_option
from rankwise.cli.output import Output, output_options, print_notes

if TYPE_CHECKING:
    import polars as pl

    from rankwise.experiments.properties import Properties, Row
    from rankwise.experiments.properties.table import Wanted

SHORT = ("bound", "mono", "conv", "top", "local", "compl", "real", "swap")
PRINTED = ("Bounded", "Monoton.", "Converg.", "Top-wgt.", "Localiz.", "Complete", "Realizb.")
RAISED = dict(zip("abcdef", "ᵃᵇᶜᵈᵉᶠ", strict=True))
WORDS = {True: "Y", False: "N", None: "–"}
IN_FULL = {True: "Yes", False: "No", None: "–"}  # as the paper prints them


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    *["-m", "--metric", "metrics"],
    multiple=True,
    metavar="METRIC",
    help="A metric; any cutoff is taken for k. Give it again for more.  "
    "[default: the thirteen of the paper]",
)
@click.option("--all", "everything", is_flag=True, help="All metrics of the catalogue.")
@click.option(
    "--depth",
    default=10,
    show_default=True,
    type=click.IntRange(2, 12),
    help="Try every ranking of up to N documents.",
)
@click.option(
    "--grades",
    default="0,1,2,3",
    show_default=True,
    metavar="LIST",
    help="Try these on metrics that tell them apart; 0,1 is the paper's binary reading.",
)
@click.option(
    "--counterexamples/--no-counterexamples",
    default=None,
    help="Also the two rankings behind each N, and how many cases are behind each Y.  "
    "[default: with -m]",
)
@metrics_from_option
@output_options
def command(
    metrics: tuple[str, ...],
    everything: bool,
    depth: int,
    grades: str,
    counterexamples: bool | None,
    metrics_from: tuple[str, ...],
    out: Output,
) -> None:
    """Say which numeric properties a metric has.

    \b
    Examples:
      rankwise properties
      rankwise properties -m nDCG -m Bpref
      rankwise properties -m Q --grades 0,1
      rankwise properties --metrics-from my_metrics.py -m Mine --depth 12
      rankwise properties --all --counterexamples --format json -o all.json

    The seven of Moffat (AIRS 2013): bounded, monotonic, convergent,
    top-weighted, localized, complete, realizable; and SWAP of Ahlgren and
    Grönqvist (2008). Each is decided by trying every ranking of 1s and 0s up to
    a depth, and of grades if the metric tells them apart: N has a counterexample,
    Y is true as far as was searched.
    """
    from rankwise.cli.progress import each_with_progress
    from rankwise.experiments.properties.table import Properties, classified

    if metrics and everything:
        raise click.UsageError("--all is every metric: give -m or --all.")
    wanted, left_out = chosen(metrics, everything, metrics_from)
    rows = tuple(classified(each_with_progress(wanted, "metrics"), depth, parsed(grades)))
    found = Properties(rows, depth, left_out)
    print_notes([*found.notes, *remarks(found, in_full=bool(metrics))], limit=40)
    if not out.for_people:
        out.print(found.frame)
    else:
        show(found, out, bool(metrics) if counterexamples is None else counterexamples)


def parsed(grades: str) -> list[int]:
    try:
        return [int(grade) for grade in grades.split(",")]
    except ValueError:
        raise click.UsageError(f"--grades {grades!r}: whole numbers, as in 0,1,2,3.") from None


def chosen(
    metrics: tuple[str, ...], everything: bool, metrics_from: tuple[str, ...]
) -> "tuple[list[Wanted], tuple[str, ...]]":
    """The metrics to look at; without -m and --all the user's own follow the paper's."""
    from rankwise.experiments.properties.table import settings_of, wanted
    from rankwise.metrics import load_metrics

    own = [name for file in metrics_from for name in load_metrics(file)]
    found, left_out = wanted("all" if everything else metrics or None)
    if own and not everything and not metrics:
        more, left_out = settings_of(own)
        found = [*found, *more]
    return found, left_out


def remarks(found: "Properties", *, in_full: bool) -> list[str]:
    """The notes of Table 2 by their letters; in full, whatever was found beside an N."""
    from rankwise.experiments.properties.table import NOTES

    used = {row.mark(name) for row in found.rows for name in row.answers}
    if not in_full:
        return [f"{RAISED[letter]} {text}" for letter, text in NOTES.items() if letter in used]
    return [
        f"{row.name}, {name}: {answer.remark}"
        for row in found.rows
        for name, answer in row.answers.items()
        if answer.remark and not answer.holds
    ]


def show(found: "Properties", out: Output, counterexamples: bool) -> None:
    from rankwise.report.tables import rendered

    if out.style == "latex":
        content = latex(found).encode()
    else:
        content = rendered(lettered(found, out.style), out.style, width=out.width)
    if counterexamples:
        content += b"\n" + rendered(worded(found, out.style), out.style, width=out.width)
    out.write(content)


def lettered(found: "Properties", style: str) -> "pl.DataFrame":
    """Y and N, with the notes of Table 2 as raised letters."""
    import polars as pl

    heads = SHORT if style == "table" else (*PRINTED, "SWAP")
    columns = {
        head: [
            WORDS[row.answers[name].holds] + RAISED.get(row.mark(name), "") for row in found.rows
        ]
        for head, name in zip(heads, found.table().columns[1:], strict=True)
    }
    return pl.DataFrame({"metric": [row.name for row in found.rows], **columns})


def worded(found: "Properties", style: str) -> "pl.DataFrame":
    import polars as pl

    words = IN_FULL if style == "latex" else WORDS
    frame = found.evidence()
    return frame.with_columns(pl.Series("holds", [words[holds] for holds in frame["holds"]]))


def latex(found: "Properties") -> str:
    """Table 2 as it is printed, with SWAP as the eighth column and the notes below."""
    from rankwise.report.tables import LATEX_NEEDS

    head = " & ".join(["Metric", *PRINTED, "SWAP"]) + " \\\\\n"
    body = "".join(latex_row(row) for row in found.rows)
    return (
        f"{LATEX_NEEDS}\\begin{{tabular}}{{lcccccccc}}\n\\toprule\n{head}\\midrule\n{body}\\bottomrule\n"
        f"{latex_notes(found)}\\end{{tabular}}\n"
    )


def latex_row(row: "Row") -> str:
    from rankwise.report.tables import latex_text

    cells = [latex_text(row.name.removesuffix("@k")) + "@$k$" * row.name.endswith("@k")]
    for name, answer in row.answers.items():
        mark = row.mark(name)
        cells.append(latex_text(IN_FULL[answer.holds]) + (f"$^{{{mark}}}$" if mark else ""))
    return " & ".join(cells) + " \\\\\n"


def latex_notes(found: "Properties") -> str:
    notes = ""
    for note in remarks(found, in_full=False):
        text = re.sub(r"\b([kR])\b", r"$\1$", note)
        text = text.replace("≤", "$\\leq$").replace("≥", "$\\geq$").replace(">", "$>$")
        letter = next(plain for plain, raised in RAISED.items() if raised == note[0])
        notes += f"\\multicolumn{{9}}{{l}}{{\\footnotesize $^{{{letter}}}${text[1:]}}} \\\\\n"
    return notes
