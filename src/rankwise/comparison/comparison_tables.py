"""Tables of a comparison: two runs, a baseline, a leaderboard, pairs, power."""

from collections.abc import Callable, Collection, Mapping, Sequence
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, TypeAlias

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

# Notes that explain the marks and the columns of tables.
ARROWS = "↑ (↓) marks a score that is significantly better (worse) than that of {baseline}"
RANKS = detail(
    "ranks",
    "'worse' and 'better' are the numbers of runs that are significantly worse and significantly "
    "better than the run in this row. 'n.s. ranks' is the range of the ranks of this run and of "
    "all runs that do not differ significantly from this run",
)
SETS = detail(
    "rank-sets",
    "'ranks' is the confidence interval for the rank of the run, simultaneous for all runs",
)
BOTH_SETS = detail(
    "rank-sets-both",
    "'with unjudged' is a confidence interval for the rank that is valid no matter how the "
    "unjudged documents are judged. It is at least as wide as 'ranks'",
)
SPAN = detail(
    "span",
    "'4–9 (2)' means that the run does not differ significantly from the runs at ranks 4 to 9, "
    "except from 2 of these",
)

PAIRS = detail(
    "pairs",
    "'wins/ties/losses' are the numbers of topics on which run a is better than, equal to, and "
    "worse than run b",
)
ENDS = detail(
    "ends",
    "'low' and 'high' are bounds of the difference. 'guaranteed' is the run (A: run a, B: run b) "
    "that has the better mean on these topics no matter how the unjudged documents are judged",
)
TO_BASELINE = (
    "'difference' is the mean of the run minus the mean of {baseline}. 'wins/ties/losses' are the "
    "numbers of topics on which the run is better than, equal to, and worse than {baseline}"
)
ENDS_TO_BASELINE = detail(
    "ends",
    "'low' and 'high' are bounds of the difference. 'guaranteed' says whether the mean of the run "
    "on these topics is better or worse no matter how the unjudged documents are judged. A "
    "guarantee is not a significance test",
)
RESOLVE = detail(
    "undecided",
    "'undecided (n %)' means that 0 is between 'low' and 'high', so the unjudged documents may "
    "reverse the difference. The range from 'low' to 'high' must become at least n % narrower to "
    "exclude 0",
)

GUARANTEED = "guaranteed"
# Headers of columns in tables. A column "verdict" could be mistaken for the outcome of the test,
# and a column "topics" for the number of topics.
HEADERS = {"percent": "%", "topics": "wins/ties/losses", "verdict": GUARANTEED}
# A frame to display, the names of its right-aligned columns, and notes.
Layout: TypeAlias = tuple[pl.DataFrame, list[str], list[Note]]
RANK_SETS = ("lowest_rank", "highest_rank", "lowest_rank_both", "highest_rank_both")
MOST_DIFFERENCES = 12  # maximum number of differences below a table for a paper
STRONGER = 5  # ‡ marks a corrected p of at most α / 5: 0.01 beside 0.05
MANY_RUNS = (
    "a table of more than 26 runs without a baseline lists the runs by rank, and sort, second, "
    "caption and label do not apply to it. Name a baseline, or use at most 26 runs."
)
OF_GROUPS = (
    "marks, sort, second, caption and label do not apply to a table of topic groups, which has one "
    "row per pair. Remove them."
)


def captioned_table(
    frame: pl.DataFrame, right: list[str], caption: str, notes: list[Note], digits: int
) -> Table:
    """Return a table. Its caption is `caption`, followed by the text of the notes.

    `right` names the right-aligned columns.
    """
    return Table(frame, right, " ".join([caption, *(f"{each}." for each in notes)]), notes, digits)


def paper_table(
    found: "Comparison",
    digits: int,
    marks: Marks | None,
    sort: str | None,
    caption: str | None,
    label: str | None = None,
    *,
    second: bool,
) -> PaperTable | Table:
    """Return a table for a paper: a row per run, a column per metric, marks of significance.

    The arguments are those of `Comparison.to_latex`. For more than 26 runs without a baseline and
    without `marks`, a leaderboard is returned. With topic groups, a table of pairs is returned.
    """
    scores, baseline, most = found.scores, found.options.baseline, len(ascii_lowercase)
    usual: Marks | None = "letters" if len(scores.runs) <= most else None
    kind = marks or ("arrows" if found.topics_can_be_shown else usual)
    if kind is None or found.by_group:
        if second or not sort is caption is label is None or (marks and found.by_group):
            raise CallError(OF_GROUPS if found.by_group else MANY_RUNS)
        return found.table(digits=digits)
    first = str(found.tested[0]) if found.tested else "given"
    order = row_order(scores, first if sort is None else sort, baseline)
    names = [scores.runs[place] for place in order]
    letters: dict[str, str] = {}
    if kind == "letters":
        if len(names) > most:
            what = f"there are {len(names)} runs, and letters can mark at most {most}."
            remedy = Remedy(Argument("marks", "arrows"), "mark differences from a baseline instead")
            raise CallError(what, remedy=remedy)
        letters = dict(zip(names, ascii_lowercase, strict=False))
    below, about_below = _differences(found, digits, names)
    about = [*_about_marks(found, kind), how_to_read(scores, second=second), *about_below]
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


def _differences(
    found: "Comparison", digits: int, names: Sequence[str]
) -> tuple[Details | None, list[str]]:
    """Return a table of differences in the order of `names`, and sentences that explain the table.

    The table has the difference of two runs, or of each run from the baseline. For three or more
    runs without a baseline, and for no rows or more than 12 rows, None and an empty list are
    returned.
    """
    rows = found.tested_rows
    if not found.topics_can_be_shown or not 0 < rows.height <= MOST_DIFFERENCES:
        return None, []
    rows = rows.sort(pl.col("a").cast(pl.Enum(names)), maintain_order=True)
    printed = {str(metric): metric.as_printed for metric in found.tested}
    texts = texts_of(rows, ["difference", "conf_low", "conf_high", "corrected_p"], digits)
    cells = [
        (run, printed[metric], "+" * ((change or 0) > 0) + difference, f"{low} to {high}", p)
        for run, metric, change, difference, low, high, p in zip(
            rows["a"], rows["metric"], rows["difference"], *texts, strict=True
        )
    ]
    head = ["run", "metric", "diff.", found.intervals.label, "p"]
    p = "" if rows["p"].equals(rows["corrected_p"]) else "; p: corrected"
    if len(names) == 2:  # the caption names the runs
        a, details = rows["a"][0], Details(head[1:], [row[1:] for row in cells])
    else:
        a, details = "run", Details(head, cells, names=2)
    return details, [f"Diff.: {a} − {rows['b'][0]}{p}."]


def _marks(
    found: "Comparison", kind: Marks, letters: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """Return {(metric, run): marks of significance} for the scores with marks.

    `letters` has the letter of each run, for marks of the kind `letters`.
    """
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
    levels = f"{found.options.alpha:g}, {found.options.alpha / STRONGER:g}"
    about = {
        "letters": "Raised letters: the run is significantly better than the runs with these "
        "letters.",
        "arrows": f"{ARROWS.format(baseline=other)}.",
        "daggers": f"†, ‡: significantly different from {other} at {levels}.",
    }
    return [about[kind]]


def two_runs_layout(found: "Comparison", digits: int) -> Layout:
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
    return frame, list(table), _interval_notes(found)


def _equivalence_cells(
    found: "Comparison", metric: Metric, margin: float, digits: int
) -> dict[str, str]:
    """Return {row label: text} with the rows on equivalence, for the table of two runs."""
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
    """Return the effect that unjudged documents can have on the difference of two runs, in words.

    `row` is a row of `Comparison.frame`. The text is "guaranteed", "can be reversed", "can become
    equal", "not resolved", or "–" without bounds.
    """
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

    Diagnostic counts are sums, shown as whole numbers. Other counts are tested and shown as means.
    """
    if metric.is_diagnostic and metric.aggregate == "sum":
        return f"{metric} (sum)", format_count
    return str(metric), format_cell


def _interval_notes(found: "Comparison") -> list[Note]:
    """Return a note on the intervals.

    The note is a warning if p-values are corrected, but intervals are not adjusted.
    """
    if not found.tested_rows["conf_low"].count():
        return []
    level, words = 100 * (1 - found.options.alpha), found.intervals.words
    unadjusted = UNADJUSTED in words and found.options.applied != "none"
    text = f"intervals are {level:g} % confidence intervals {words}"
    return [(warning if unadjusted else detail)("intervals", text)]


def _verdict(verdict: str | None, to_resolve: float | None) -> str:
    """Format a verdict: A, B, equal, undecided with `to_resolve` in per cent, or –."""
    if verdict is None or to_resolve is None or verdict != "undecided":
        return format_cell(verdict, 0)
    share = "<1 %" if to_resolve < 0.01 else percent(to_resolve)
    return f"undecided ({share})"


def pair_notes(found: "Comparison") -> list[Note]:
    """Return the notes on the columns of a table with a row per pair of runs."""
    notes = [PAIRS, *_interval_notes(found)] if found.tested else []
    return [*notes, *([ENDS] if found.has_verdicts else []), *_verdict_notes(found)]


def _verdict_notes(found: "Comparison") -> list[Note]:
    undecided = found.has_verdicts and (found.frame["verdict"] == "undecided").any()
    return [RESOLVE] if undecided else []


def _topics(row: dict[str, int]) -> str:
    if row["wins"] is None:  # a diagnostic
        return "–"
    return f"{row['wins']}/{row['ties']}/{row['losses']}"


def baseline_layout(found: "Comparison", digits: int) -> Layout:
    """Return a table with one row per run and one column per metric, best run first.

    Arrows mark significant differences from the baseline. If only one metric is tested, columns
    with the differences, their tests and their bounds are added.
    """
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
        right += [name for name in details.columns if name not in ("a", GUARANTEED)]
        about = detail("pairs", TO_BASELINE.format(baseline=baseline))
        notes += [about, *_interval_notes(found)]
        notes += [*([ENDS_TO_BASELINE] if found.has_verdicts else []), *_verdict_notes(found)]
    if GUARANTEED in frame.columns:
        words = frame[GUARANTEED].str.replace("^A$", "better").str.replace("^B$", "worse")
        frame = frame.with_columns(words)
    names = [f"{run} (baseline)" if run == baseline else run for run in ranked["run"]]
    return frame.with_columns(pl.Series("run", names)), right, notes


def _ranked(found: "Comparison") -> pl.DataFrame:
    """Return the means with one row per run and one column per metric.

    Rows are sorted by the first tested metric, best run first. Without tested metrics, runs stay in
    the order in which they were passed.
    """
    table = found.scores.mean().pivot("metric", index="run", values="value")
    if not found.tested:
        return table
    first = found.tested[0]
    more = not first.less_is_better
    by = pl.col(str(first))
    return table.sort(by, descending=more, nulls_last=True, maintain_order=True)


def leaderboard_layout(found: "Comparison", digits: int) -> Layout:
    """Return one row per tested metric and run, best run first.

    The column `n.s. ranks` has the range of ranks of the runs that do not differ significantly from
    the run of the row. Diagnostics are added as columns. Without tested metrics, the table has one
    row per run and only the diagnostics.
    """
    ranked = _ranked(found)
    beside = {"run": ranked["run"].to_list()}
    for metric in found.diagnostics:
        label, shown = _style(metric)
        beside[label] = [shown(value, digits) for value in ranked[str(metric)]]
    right = list(beside)[1:]
    if not found.tested:
        return pl.DataFrame(beside), right, []
    board = found.leaderboard()
    frame = board.select("metric", "rank", "run", "mean", "worse", "better")
    notes = [RANKS, *([SPAN] if (board["inside"] > 0).any() else [])]
    level = f"ranks ({100 * (1 - found.options.alpha):g} %)"
    for label, first, last, about in (
        ("n.s. ranks", "from_rank", "to_rank", []),
        (level, *RANK_SETS[:2], [SETS]),
        ("with unjudged", *RANK_SETS[2:], [BOTH_SETS]),
    ):
        if board[first].count():
            spans = [_span(*ends) for ends in board.select(first, last).rows()]
            if not about:
                inside = [f" ({count})" if count else "" for count in board["inside"]]
                spans = [span + within for span, within in zip(spans, inside, strict=True)]
            frame, notes = frame.with_columns(pl.Series(label, spans)), [*notes, *about]
    if len(found.tested) == 1:
        frame = frame.drop("metric").rename({"mean": str(found.tested[0])})
    frame = frame.join(pl.DataFrame(beside), on="run", how="left", maintain_order="left")
    return frame, right, notes


def _span(first: int | None, last: int | None) -> str:
    if first is None:
        return "–"
    return f"{first}" if first == last else f"{first}–{last}"


def pairs_layout(found: "Comparison", digits: int) -> Layout:
    """Return a table with one row per metric and pair of runs.

    With topic groups, the rows for all topics come first, followed by the rows of each group.
    """
    frame = _pair_columns(found, digits, found.scores.metrics)
    right = [name for name in frame.columns if name not in ("metric", "a", "b", GUARANTEED)]
    if found.by_group:
        parts = {ALL: found, **found.by_group}.items()
        frame = pl.concat(
            _pair_columns(part, digits, part.scores.metrics).select(
                pl.lit(name).alias("group"), pl.all()
            )
            for name, part in parts
        )
    return frame, right, pair_notes(found)


def _pair_columns(found: "Comparison", digits: int, metrics: Sequence[Metric]) -> pl.DataFrame:
    """Return one row per metric and pair of runs for the given metrics, with numbers as text.

    For a single metric there is no column `metric`.
    """
    labels = {str(metric): _style(metric)[0] for metric in metrics}
    rows = found.frame.filter(pl.col("metric").is_in([*labels]))
    counts = {name for name, label in labels.items() if name != label}
    names = ["mean_a", "mean_b", "difference", "percent", "conf_low", "conf_high", "effect"]
    texts = texts_of(rows, [*names, "topics", "p", "corrected_p"], digits, counts)
    keys = rows.select("metric", "a", "b")
    frame = keys.with_columns(pl.col("metric").replace(labels), *texts)
    if found.options.margin is not None and found.tested:
        beside = found.equivalence().select("metric", "a", "b", "outcome", "prob_equivalent")
        beside = keys.join(beside, on=["metric", "a", "b"], how="left", maintain_order="left")
        within = beside["outcome"].fill_null("–").alias(f"margin ±{found.options.margin:g}")
        shares = [format_cell(share, 2) for share in beside["prob_equivalent"]]
        frame = frame.with_columns(within, pl.Series("P(within)", shares))
    if found.has_verdicts:
        frame = frame.with_columns(texts_of(rows, ["low", "high", "verdict"], digits))
    return frame.drop("metric") if len(metrics) == 1 else frame


def texts_of(
    rows: pl.DataFrame, names: Sequence[str], digits: int, counts: Collection[str] = ()
) -> list[pl.Series]:
    """Return columns of `Comparison.frame` as text, with the names in `HEADERS` where it has one.

    The column `topics` becomes wins, ties and losses. `counts` are the metrics whose means and
    differences are whole numbers.
    """
    columns = []
    for name in names:
        if name == "topics":
            texts = [_topics(row) for row in rows.iter_rows(named=True)]
        elif name == "verdict":
            texts = [_verdict(*row) for row in rows.select("verdict", "to_resolve").rows()]
        elif name in ("p", "corrected_p"):
            texts = [format_p(value, digits) for value in rows[name]]
        else:
            places = {"percent": 1, "effect": 2}.get(name, digits)
            values = zip(rows["metric"], rows[name], strict=True)
            texts = [(format_count if m in counts else format_cell)(v, places) for m, v in values]
        columns.append(pl.Series(HEADERS.get(name, name), texts, pl.String))
    return columns
