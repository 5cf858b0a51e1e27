"""Tables of a comparison: two runs, a baseline, a leaderboard, pairs, power."""

from collections.abc import Callable, Mapping, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from rankwise.arrays import ROUNDING
from rankwise.comparison.options import UNADJUSTED
from rankwise.errors import CallError
from rankwise.metrics import Metric
from rankwise.notes import Note, detail, note, warning
from rankwise.results import LABEL, Details, PaperTable, Table, format_cell, format_count, format_p
from rankwise.scores import ALL, captioned, how_to_read, paper_columns, row_order
from rankwise.vocabulary import Marks
from rankwise.wording import Argument, Remedy, percent

if TYPE_CHECKING:
    from rankwise.comparison.comparison import Comparison
    from rankwise.comparison.sweep import Sweep

# Notes that explain the arrows and the ranks.
ARROWS = "↑, ↓: significantly better, significantly worse than {baseline}"
RANKS = detail(
    "ranks",
    "'worse': number of runs that are significantly worse than this run; 'better': number of runs "
    "that are significantly better; 'n.s. ranks': ranks of the runs that do not differ "
    "significantly from it",
)
SETS = detail(
    "rank-sets",
    "'ranks': simultaneous confidence interval for the rank of each run",
)
BOTH_SETS = detail(
    "rank-sets-both",
    "'with unjudged': the same interval, valid no matter how the unjudged documents are judged; at "
    "least as wide as 'ranks'",
)
SPAN = detail(
    "span",
    "'4–9 (2)': the run does not differ significantly from the runs at ranks 4 to 9, except from 2 "
    "of them",
)

PAIRS = detail("pairs", "'topics': number of topics on which run a wins / ties / loses")
ENDS = detail(
    "ends",
    "'low', 'high': bounds of the difference; 'verdict': the run that wins no matter how the "
    "unjudged documents are judged (A: run a, B: run b)",
)
RESOLVE = detail(
    "undecided",
    "'undecided (n %)': 0 is between 'low' and 'high', so the unjudged documents may reverse the "
    "difference. This range must become at least n % narrower to exclude 0",
)

MOST_DIFFERENCES = 12  # maximum number of differences below a table for a paper
STRONGER = 5  # ‡ marks a corrected p of at most α / 5: 0.01 beside 0.05
MANY_RUNS = (
    "sort, second, caption and label do not apply to more than 26 runs without a baseline, which "
    "are listed by rank. Name a baseline, or use at most 26 runs."
)
OF_GROUPS = (
    "marks, sort, second, caption and label do not apply to a table of topic groups, which has one "
    "row per pair. Remove them."
)


class Layout(NamedTuple):
    """A frame to display, its columns of formatted numbers, and notes on them."""

    frame: pl.DataFrame
    right: list[str]
    notes: list[Note]


def comparison_table(found: "Comparison", digits: int, *, pairs: bool) -> Table:
    """Return the default table of a comparison, with a caption that names the test."""
    if pairs or found.by_group:
        layout = _pairs
    elif len(found.scores.runs) == 2:
        layout = _two_runs
    else:
        layout = _leaderboard if found.options.baseline is None else _baseline
    frame, right, notes = layout(found, digits)
    caption = " ".join([found.caption, *(f"{each}." for each in notes)])
    return Table(frame, right, caption, notes, digits)


def comparison_for_paper(
    found: "Comparison",
    *,
    digits: int,
    marks: Marks | None,
    sort: str | None,
    second: bool,
    caption: str | None,
    label: str | None = None,
) -> PaperTable | Table:
    """Return a table for a paper: a row per run, a column per metric, marks of significance.

    Without a baseline, more than 26 runs give a leaderboard. Topic groups give the table of pairs.
    """
    kind = marks or _usual_marks(found)
    if kind is None or found.by_group:
        if second or not sort is caption is label is None or (marks and found.by_group):
            raise CallError(OF_GROUPS if found.by_group else MANY_RUNS)
        return comparison_table(found, digits, pairs=False)
    scores, baseline = found.scores, found.options.baseline
    order = _paper_order(found, sort)
    letters = _letters([scores.runs[place] for place in order]) if kind == "letters" else {}
    below = _differences(found, digits, order)
    about = [*_about_marks(found, kind), how_to_read(scores, second=second)]
    about += [] if below is None else [_about_differences(found)]
    names = [scores.runs[place] for place in order]
    return PaperTable(
        [f"{name} (baseline)" if name == baseline else name for name in names],
        paper_columns(scores, order, _marks(found, kind, letters)),
        captioned(caption, " ".join([found.caption, *about])),
        list(letters.values()),
        digits,
        second,
        label or LABEL,
        below,
    )


def _differences(found: "Comparison", digits: int, order: Sequence[int]) -> Details | None:
    """Return a table of differences by metric, or None if it would be too long.

    The table has the difference of two runs, or the difference of each run from the baseline.
    """
    rows = found.tested_rows
    if not found.topics_can_be_shown or not 0 < rows.height <= MOST_DIFFERENCES:
        return None
    runs = found.scores.runs
    place = {runs[at]: number for number, at in enumerate(order)}
    printed = {str(metric): metric.as_printed for metric in found.tested}
    cells = [
        (row["a"], printed[row["metric"]], *_difference_cells(row, digits))
        for row in sorted(rows.iter_rows(named=True), key=lambda row: place[row["a"]])
    ]
    head = ["run", "metric", "diff.", found.intervals.label, "p"]
    if len(runs) == 2:  # the caption names the runs
        return Details(head[1:], [row[1:] for row in cells])
    return Details(head, cells, names=2)


def _about_differences(found: "Comparison") -> str:
    """Return a sentence on the sign of the differences and the correction of p-values."""
    rows = found.tested_rows
    a = rows["a"][0] if len(found.scores.runs) == 2 else "run"
    what = f"{a} − {rows['b'][0]}"
    p = "" if rows["p"].equals(rows["corrected_p"]) else "; p: corrected"
    return f"Diff.: {what}{p}."


def _difference_cells(row: dict[str, float | None], digits: int) -> tuple[str, str, str]:
    """Format the difference with its sign, its interval, and the corrected p."""
    difference = row["difference"]
    signed = format_cell(difference, digits)
    if difference is not None and difference > 0:
        signed = f"+{signed}"
    ends = [format_cell(row[end], digits) for end in ("conf_low", "conf_high")]
    return signed, " to ".join(ends), format_p(row["corrected_p"], digits)


def _usual_marks(found: "Comparison") -> Marks | None:
    """Return the default marks: arrows with a baseline, otherwise letters (None beyond 26 runs)."""
    if found.topics_can_be_shown:
        return "arrows"
    return "letters" if len(found.scores.runs) <= len(ascii_lowercase) else None


def _paper_order(found: "Comparison", sort: str | None) -> list[int]:
    """Return the order of rows like `row_order`, by default sorted by the first tested metric."""
    if sort is None:
        sort = str(found.tested[0]) if found.tested else "given"
    return row_order(found.scores, sort, found.options.baseline)


def _letters(names: Sequence[str]) -> dict[str, str]:
    if len(names) > len(ascii_lowercase):
        what = f"there are {len(names)} runs, and letters can mark at most {len(ascii_lowercase)}"
        remedy = Remedy(Argument("marks", "arrows"), "mark differences from a baseline instead")
        raise CallError(f"{what}.", remedy=remedy)
    return dict(zip(names, ascii_lowercase, strict=False))


def _marks(
    found: "Comparison", kind: Marks, letters: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """Return a dict from (metric, run) to its significance marks."""
    if kind != "letters" and not found.topics_can_be_shown:
        what = (
            " shows differences from a baseline. Name it with ",
            Argument("baseline"),
            ", or use ",
        )
        raise CallError(Argument("marks", kind), *what, Argument("marks", "letters"), ".")
    signs = {str(metric): metric.sign for metric in found.tested}
    marks: dict[tuple[str, str], str] = {}
    for row in found.tested_rows.filter("significant").iter_rows(named=True):
        a_is_better = signs[row["metric"]] * row["difference"] > 0
        if kind == "letters":
            better, worse = (row["a"], row["b"]) if a_is_better else (row["b"], row["a"])
            beaten = marks.get((row["metric"], better), "") + letters[worse]
            marks[row["metric"], better] = "".join(sorted(beaten))
        elif kind == "arrows":
            marks[row["metric"], row["a"]] = "↑" if a_is_better else "↓"
        else:
            strong = row["corrected_p"] <= found.options.alpha / STRONGER
            marks[row["metric"], row["a"]] = "‡" if strong else "†"
    return {cell: _shortened(mark) for cell, mark in marks.items()}


def _shortened(letters: str) -> str:
    """Abbreviate three or more consecutive letters, for example as b–f.

    >>> _shortened("abcfgi"), _shortened("↑")
    ('a–cfgi', '↑')
    """
    stretches: list[str] = []
    for letter in letters:
        follows = stretches and ord(letter) == ord(stretches[-1][-1]) + 1
        if follows:
            stretches[-1] += letter
        else:
            stretches.append(letter)
    return "".join(f"{one[0]}–{one[-1]}" if len(one) > 2 else one for one in stretches)


def _about_marks(found: "Comparison", kind: Marks) -> list[str]:
    if not found.tested:
        return []
    other = found.tested_rows["b"][0]  # the baseline, or the first of two runs
    if kind == "letters":
        return ["Raised letters: the run is significantly better than the runs with these letters."]
    if kind == "arrows":
        return [ARROWS.format(baseline=other) + "."]
    alpha = found.options.alpha
    levels = f"at {alpha:g}, {alpha / STRONGER:g}"
    return [f"†, ‡: significantly different from {other} {levels}."]


def power_table(
    found: "Comparison",
    level: float,
    topics: int | None,
    difference: float | None,
    digits: int,
) -> Table:
    """Return a table of the number of topics needed to detect each difference."""
    over = "the present topics" if topics is None else f"{topics} topics"
    planned = "the lower limit of the 60 % confidence interval of the effect size"
    if difference is not None:
        planned = f"a true difference of {difference:g} divided by sd"
    how = (
        f"'needed': number of topics that a paired t-test at level {found.options.alpha:g} needs "
        f"for power {level:g}, if 'planned_effect' is the true effect size; 'planned_effect': "
        f"{planned}; 'smallest': the smallest difference that such a test detects with {over}; "
        "'sd': standard deviation of the difference over topics"
    )
    frame = found.power(level, topics, difference)
    whole = [
        "–" if need is None else "∞" if need == float("inf") else f"{need:.0f}"
        for need in frame["needed"]
    ]
    shown = frame.with_columns(pl.Series("needed", whole)).drop("at_topics")
    return Table(shown, ["needed"], notes=[note("needed", how)], digits=digits)


def _two_runs(found: "Comparison", digits: int) -> Layout:
    """Return a table of two runs, with one column per metric and one row per number."""
    level = f"  {found.intervals.label}"
    a, b = found.frame.row(0)[1:3]
    corrected = not found.tested_rows["p"].equals(found.tested_rows["corrected_p"])
    columns = {}
    for metric, row in zip(found.scores.metrics, found.frame.to_dicts(), strict=True):
        label, shown = _style(metric)
        cells = {
            b: shown(row["mean_b"], digits),
            a: shown(row["mean_a"], digits),
            "difference": "+" * ((row["difference"] or 0) > 0) + shown(row["difference"], digits),
            f"  relative (% of {b})": format_cell(row["percent"], 1),
        }
        if found.tested:
            ends = [format_cell(row[end], digits) for end in ("conf_low", "conf_high")]
            cells |= {
                level: "–" if row["conf_low"] is None else ", ".join(ends),
                "  effect size (d_z)": format_cell(row["effect"], 2),
                "wins / ties / losses": _topics(row),
                "p": format_p(row["p"], digits),
            }
            cells |= {"corrected p": format_p(row["corrected_p"], digits)} if corrected else {}
            marked = None if row["p"] is None else row["significant"]
            yes = "–" if marked is None else "yes" if marked else "no"
            cells |= {f"significant at {found.options.alpha:g}": yes}
            if found.options.margin is not None:
                cells |= _equivalence_cells(found, metric, found.options.margin, digits)
        if found.has_verdicts:
            bounds = [format_cell(row[end], digits) for end in ("low", "high")]
            cells |= {
                "bounds of the difference": "–" if row["low"] is None else ", ".join(bounds),
                "unjudged documents": _reversal(found, metric, row),
            }
        columns[label] = cells
    labels = list(next(iter(columns.values())))
    table = {name: list(cells.values()) for name, cells in columns.items()}
    frame = pl.DataFrame({f"{a} − {b}": labels, **table})
    return Layout(frame, list(table), _interval_notes(found))


def _equivalence_cells(
    found: "Comparison", metric: Metric, margin: float, digits: int
) -> dict[str, str]:
    """Return the rows on equivalence in the table of two runs."""
    names = [f"margin ±{margin:g}", "  p (TOST)", "  p (non-inferiority)"]
    names.append("  P(better, equivalent, worse)")
    if metric.is_diagnostic:
        return dict.fromkeys(names, "–")
    row = found.equivalence().filter(metric=str(metric)).row(0, named=True)
    shares = [format_cell(row[f"prob_{one}"], 2) for one in ("better", "equivalent", "worse")]
    values = [row["outcome"], format_p(row["corrected_p_equivalent"], digits)]
    values += [format_p(row["p_noninferior"], digits), ", ".join(shares)]
    return dict(zip(names, values, strict=True))


def _reversal(found: "Comparison", metric: Metric, row: dict[str, Any]) -> str:
    """Return whether unjudged documents can reverse the difference of two runs, in words."""
    if row["verdict"] is None:
        return "–"
    if row["verdict"] != "undecided":
        return "guaranteed"
    known = found.reversible.get(str(metric))
    if known is not None and bool(known[0]):
        return "can be reversed"
    one_sided = row["low"] >= -ROUNDING or row["high"] <= ROUNDING
    return "can become equal" if row["proven"] and one_sided else "not resolved"


def _style(metric: Metric) -> tuple[str, Callable[[object, int], str]]:
    """Return the label of a metric and a function that formats its numbers.

    Diagnostic counts are sums, shown as whole numbers. Counts that are tested are compared by their
    means.
    """
    if metric.is_diagnostic and metric.aggregate == "sum":
        return f"{metric} (sum)", format_count
    return str(metric), format_cell


def _interval_notes(found: "Comparison") -> list[Note]:
    """Return a note on the kind of interval, as a warning if only the p-values are corrected."""
    said = found.intervals.note
    unadjusted = UNADJUSTED in said and found.options.applied != "none"
    shown = found.tested_rows["conf_low"].count()
    return [(warning if unadjusted else detail)("intervals", said)] if shown else []


def _verdict(verdict: str | None, to_resolve: float | None) -> str:
    """Format a verdict: A, B, equal, or undecided with the fraction `to_resolve`."""
    if verdict is None or to_resolve is None or verdict != "undecided":
        return format_cell(verdict, 0)
    share = "<1 %" if to_resolve < 0.01 else percent(to_resolve)
    return f"undecided ({share})"


def _verdict_notes(found: "Comparison") -> list[Note]:
    undecided = found.has_verdicts and (found.frame["verdict"] == "undecided").any()
    return [RESOLVE] if undecided else []


def _topics(row: dict[str, int]) -> str:
    if row["wins"] is None:  # a diagnostic
        return "–"
    return f"{row['wins']}/{row['ties']}/{row['losses']}"


def _baseline(found: "Comparison", digits: int) -> Layout:
    """Return a table with one row per run and one column per metric, with arrows."""
    signs = {str(metric): metric.sign for metric in found.tested}
    marks = {
        (row["metric"], row["a"]): "↑↓"[signs[row["metric"]] * row["difference"] < 0]
        for row in found.tested_rows.iter_rows(named=True)
        if row["significant"]
    }
    ranked = _ranked(found)
    baseline = found.options.baseline
    columns = {}
    for metric in found.scores.metrics:
        label, shown = _style(metric)
        columns[label] = [
            marks.get((str(metric), run), "") + shown(value, digits)
            for run, value in zip(ranked["run"], ranked[str(metric)], strict=True)
        ]
    arrows = note("arrows", ARROWS.format(baseline=baseline))
    right, notes = list(columns), [arrows] if found.tested else []
    frame = pl.DataFrame({"run": ranked["run"], **columns})
    if len(found.tested) == 1:
        details = _pair_columns(found, digits, found.tested).drop("b", "mean_a", "mean_b")
        frame = frame.join(details, left_on="run", right_on="a", how="left")
        frame = frame.sort(pl.col("run").cast(pl.Enum(ranked["run"])))
        right += [name for name in details.columns if name not in ("a", "verdict")]
        notes += [*_interval_notes(found), *_verdict_notes(found)]
    if "verdict" in frame.columns:
        words = frame["verdict"].str.replace("^A$", "better").str.replace("^B$", "worse")
        frame = frame.with_columns(words)
    names = [f"{run} (baseline)" if run == baseline else run for run in ranked["run"]]
    return Layout(frame.with_columns(pl.Series("run", names)), right, notes)


def _ranked(found: "Comparison") -> pl.DataFrame:
    """Return means with one column per metric, sorted by the first tested metric.

    Without tested metrics, runs stay in the order in which they were passed.
    """
    table = found.scores.mean().pivot("metric", index="run", values="value")
    if not found.tested:
        return table
    first = found.tested[0]
    more = not first.less_is_better
    by = pl.col(str(first))
    return table.sort(by, descending=more, nulls_last=True, maintain_order=True)


def _leaderboard(found: "Comparison", digits: int) -> Layout:
    """Return the runs of each metric, best first.

    The column `n.s. ranks` has the ranks of the runs that do not differ significantly from this
    run. Diagnostics are added as columns. Without tested metrics, only the diagnostics are listed,
    in the order of the runs.
    """
    ranked = _ranked(found)
    beside = pl.DataFrame({"run": ranked["run"]})
    for metric in found.diagnostics:
        label, shown = _style(metric)
        cells = [shown(value, digits) for value in ranked[str(metric)]]
        beside = beside.with_columns(pl.Series(label, cells))
    right = beside.columns[1:]
    if not found.tested:
        return Layout(beside, right, [])
    board = found.leaderboard()
    spans = [
        _span(first, last) + (f" ({inside})" if inside else "")
        for first, last, inside in board.select("from_rank", "to_rank", "inside").rows()
    ]
    frame = board.select("metric", "rank", "run", "mean", "worse", "better").with_columns(
        pl.Series("n.s. ranks", spans)
    )
    known = bool(board["lowest_rank"].count())
    if known:
        ranks = board.select("lowest_rank", "highest_rank").rows()
        level = f"ranks ({100 * (1 - found.options.alpha):g} %)"
        frame = frame.with_columns(pl.Series(level, [_span(*ends) for ends in ranks]))
    over_both = bool(board["lowest_rank_both"].count())
    if over_both:
        ranks = board.select("lowest_rank_both", "highest_rank_both").rows()
        spans = ["–" if None in ends else _span(*ends) for ends in ranks]
        frame = frame.with_columns(pl.Series("with unjudged", spans))
    if len(found.tested) == 1:
        frame = frame.drop("metric").rename({"mean": str(found.tested[0])})
    frame = frame.with_row_index("place").join(beside, on="run", how="left")
    frame = frame.sort("place").drop("place")
    odd = [SPAN] if (board["inside"] > 0).any() else []
    sets = [*([SETS] if known else []), *([BOTH_SETS] if over_both else [])]
    return Layout(frame, right, [RANKS, *odd, *sets])


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}–{last}"


def _pairs(found: "Comparison", digits: int) -> Layout:
    """Return a table with one row per pair. With topic groups, rows on all topics come first."""
    frame = _pair_columns(found, digits, found.scores.metrics)
    right = [name for name in frame.columns if name not in ("metric", "a", "b", "verdict")]
    if found.by_group:
        parts = {ALL: found, **found.by_group}.items()
        frame = pl.concat(
            _pair_columns(part, digits, part.scores.metrics).select(
                pl.lit(name).alias("group"), pl.all()
            )
            for name, part in parts
        )
    notes = [PAIRS, *_interval_notes(found)] if found.tested else []
    ends = [ENDS, *_verdict_notes(found)] if found.has_verdicts else []
    return Layout(frame, right, [*notes, *ends])


def _pair_columns(found: "Comparison", digits: int, metrics: Sequence[Metric]) -> pl.DataFrame:
    """Return one row per pair for some of the metrics, with each number as formatted text."""
    rows = found.frame.filter(pl.col("metric").is_in([str(metric) for metric in metrics]))
    styles = {str(metric): _style(metric) for metric in metrics}
    labels = {metric: label for metric, (label, _) in styles.items()}

    def counted(name: str) -> pl.Series:
        pairs = rows.select("metric", name).rows()
        return pl.Series(name, [styles[metric][1](value, digits) for metric, value in pairs])

    def formatted(name: str, places: int) -> pl.Series:
        return pl.Series(name, [format_cell(value, places) for value in rows[name]])

    def formatted_p(name: str) -> pl.Series:
        return pl.Series(name, [format_p(value, digits) for value in rows[name]])

    counts = rows.select("wins", "ties", "losses").iter_rows(named=True)
    frame = rows.select("metric", "a", "b").with_columns(
        pl.col("metric").replace(labels),
        *(counted(name) for name in ("mean_a", "mean_b", "difference")),
        formatted("percent", 1).rename("%"),
        *(formatted(name, digits) for name in ("conf_low", "conf_high")),
        formatted("effect", 2),
        pl.Series("topics", [_topics(row) for row in counts]),
        formatted_p("p"),
        formatted_p("corrected_p"),
    )
    if found.options.margin is not None and found.tested:
        beside = found.equivalence().select("metric", "a", "b", "outcome", "prob_equivalent")
        keys = rows.select("metric", "a", "b")
        beside = keys.join(beside, on=["metric", "a", "b"], how="left", maintain_order="left")
        within = f"margin ±{found.options.margin:g}"
        shares = [format_cell(share, 2) for share in beside["prob_equivalent"]]
        frame = frame.with_columns(
            beside["outcome"].fill_null("–").alias(within), pl.Series("P(within)", shares)
        )
    if found.has_verdicts:
        ends = [formatted(name, digits) for name in ("low", "high")]
        both = rows.select("verdict", "to_resolve").rows()
        frame = frame.with_columns(*ends, pl.Series("verdict", [_verdict(*row) for row in both]))
    return frame.drop("metric") if len(metrics) == 1 else frame


def sweep_table(sweep: "Sweep", digits: int) -> Table:
    """Return a table with one row per pair of runs and parameter value.

    If there is one pair, a note names the two runs.
    """
    found, rows = sweep.comparison, sweep.frame
    numbers = ["mean_a", "mean_b", "difference", "conf_low", "conf_high"]
    numbers += ["low", "high"] if found.has_verdicts else []
    cells = [pl.Series("value", [f"{value:.10g}" for value in rows["value"]])]
    cells += [pl.Series(n, [format_cell(value, digits) for value in rows[n]]) for n in numbers]
    counts = rows.select("wins", "ties", "losses").iter_rows(named=True)
    cells.append(pl.Series("topics", [_topics(row) for row in counts]))
    tests = ("p", "corrected_p")
    cells += [pl.Series(n, [format_p(value, digits) for value in rows[n]]) for n in tests]
    right = [column.name for column in cells]
    if found.has_verdicts:
        both = rows.select("verdict", "to_resolve").rows()
        cells.append(pl.Series("verdict", [_verdict(*row) for row in both]))
    names = ["metric"] * (len(sweep.metrics) > 1) + ["a", "b"] * (len(found.first) > 1)
    value = detail("value", f"'value': the value of the parameter {sweep.parameter}")
    notes = [value, PAIRS, *_interval_notes(found)]
    if len(found.first) == 1:
        notes.insert(0, note("runs", f"run a is {rows['a'][0]}, run b is {rows['b'][0]}"))
    notes += [ENDS, *_verdict_notes(found)] if found.has_verdicts else []
    caption = " ".join([sweep.caption, *(f"{each}." for each in notes)])
    frame = pl.DataFrame([*(rows[name] for name in names), *cells])
    return Table(frame, right, caption, notes, digits)
