"""The tables of `rankwise compare`, for people: two runs, a baseline, a leaderboard, pairs."""

from typing import TYPE_CHECKING, NamedTuple

from rankwise.rendering import format_cell

if TYPE_CHECKING:
    import polars as pl

    from rankwise.comparison import Comparison

# How to read the arrows and the ranks.
ARROWS = "↑ ↓: significantly better, worse than {baseline}"
RANKS = "worse, better: how many runs are significantly so; not told apart: from these ranks"
SPAN = "4–9 (2): from ranks 4 to 9, but for 2 in between, which do differ significantly"

PAIRS = (
    "conf: interval over topics; least, greatest: what unjudged documents leave possible; "
    "topics: a better / even / b better; verdict: A is a, B is b"
)
SETTLE = (
    "undecided (n%): of the width from least to greatest n % at least must be judged away first"
)


class Layout(NamedTuple):
    """A frame for people, its columns of formatted numbers, and how to read it."""

    frame: "pl.DataFrame"
    right: list[str]
    notes: list[str]


def layout(found: "Comparison", digits: int, *, pairs: bool) -> Layout:
    """The table that suits what was compared."""
    if pairs:
        return _pairs(found, digits)
    if len(found.scores.runs) == 2:
        return _two_runs(found, digits)
    if found.ways.baseline is not None:
        return _baseline(found, digits)
    return _leaderboard(found)


def format_p(p: float | None, digits: int) -> str:
    """As 0.0312, or <0.0001 where that would show as 0."""
    if p is None or digits == 0:
        return format_cell(p, max(digits, 4))
    least = 10.0**-digits
    return f"<{least:.{digits}f}" if p < least else format_cell(p, digits)


def _two_runs(found: "Comparison", digits: int) -> Layout:
    """A column a metric, a row a number."""
    import polars as pl

    percent = f"{100 * (1 - found.ways.alpha):g} % interval"
    columns = {}
    for row in found.frame.to_dicts():
        cells = {
            "mean of A": format_cell(row["mean_a"], digits),
            "mean of B": format_cell(row["mean_b"], digits),
            "difference A − B": format_cell(row["difference"], digits),
            "  in % of B": format_cell(row["percent"], 1),
            f"  {percent}, low": format_cell(row["conf_low"], digits),
            f"  {percent}, high": format_cell(row["conf_high"], digits),
            "  effect size (mean / deviation)": format_cell(row["effect"], 2),
            "topics A better / even / B better": _topics(row),
            "p": format_p(row["p"], digits),
            "corrected p": format_p(row["corrected_p"], digits),
            f"significant at {found.ways.alpha:g}": _yes(row["significant"]),
        }
        if found.has_verdicts:
            cells |= {
                "unjudged: least difference": format_cell(row["least"], digits),
                "unjudged: greatest difference": format_cell(row["greatest"], digits),
                "better whatever they are": _verdict(row["verdict"], row["to_settle"]),
            }
        columns[row["metric"]] = cells
    a, b = found.frame.row(0)[1:3]
    labels = list(next(iter(columns.values())))
    table = {name: list(cells.values()) for name, cells in columns.items()}
    frame = pl.DataFrame({f"A: {a}, B: {b}": labels, **table})
    return Layout(frame, list(table), _verdict_notes(found))


def _verdict(verdict: str | None, to_settle: float | None) -> str:
    """A, B, equal, or undecided with the share of what is open that must be settled first."""
    if verdict is None or to_settle is None or verdict != "undecided":
        return format_cell(verdict, 0)
    share = "<1%" if to_settle < 0.01 else f"{to_settle:.0%}"
    return f"undecided ({share})"


def _verdict_notes(found: "Comparison") -> list[str]:
    undecided = found.has_verdicts and (found.frame["verdict"] == "undecided").any()
    return [SETTLE] if undecided else []


def _topics(row: dict[str, int]) -> str:
    return f"{row['wins']}/{row['ties']}/{row['losses']}"


def _yes(significant: bool | None) -> str:
    return "–" if significant is None else "yes" if significant else "no"


def _baseline(found: "Comparison", digits: int) -> Layout:
    """A row a run, a column a metric, with arrows; the baseline is marked."""
    import polars as pl

    signs = {str(metric): metric.sign for metric in found.scores.metrics}
    marks = {
        (row["metric"], row["a"]): "↑↓"[signs[row["metric"]] * row["difference"] < 0]
        for row in found.frame.iter_rows(named=True)
        if row["significant"]
    }
    ranked = found.scores.pivot()
    baseline = found.ways.baseline
    names = [f"{run} (baseline)" if run == baseline else run for run in ranked["run"]]
    columns = {
        metric: [
            marks.get((metric, run), "") + format_cell(value, digits)
            for run, value in zip(ranked["run"], ranked[metric], strict=True)
        ]
        for metric in found.metrics
    }
    right = list(columns)
    if len(right) == 1:
        details = _pair_columns(found, digits).drop("b", "mean_a", "mean_b")
        frame = pl.DataFrame({"run": ranked["run"], **columns})
        frame = frame.join(details, left_on="run", right_on="a", how="left")
        frame = frame.sort(pl.col("run").cast(pl.Enum(ranked["run"])))
        right += [name for name in details.columns if name not in ("a", "verdict")]
    else:
        frame = pl.DataFrame({"run": ranked["run"], **columns})
    notes = [ARROWS.format(baseline=baseline)]
    if len(right) > 1 and "verdict" in frame.columns:
        words = frame["verdict"].str.replace("^A$", "better").str.replace("^B$", "worse")
        frame = frame.with_columns(words)
        notes += _verdict_notes(found)
    return Layout(frame.with_columns(pl.Series("run", names)), right, notes)


def _leaderboard(found: "Comparison") -> Layout:
    """For each metric the runs, best first, and the ranks that each is not told apart from."""
    import polars as pl

    board = found.leaderboard()
    spans = [
        _span(first, last) + (f" ({inside})" if inside else "")
        for first, last, inside in board.select("from_rank", "to_rank", "inside").rows()
    ]
    frame = board.select("metric", "rank", "run", "mean", "worse", "better").with_columns(
        pl.Series("not told apart", spans)
    )
    if len(found.metrics) == 1:
        frame = frame.drop("metric").rename({"mean": found.metrics[0]})
    odd = [SPAN] if (board["inside"] > 0).any() else []
    return Layout(frame, [], [RANKS, *odd])


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}–{last}"


def _pairs(found: "Comparison", digits: int) -> Layout:
    frame = _pair_columns(found, digits)
    right = [name for name in frame.columns if name not in ("metric", "a", "b", "verdict")]
    return Layout(frame, right, [PAIRS, *_verdict_notes(found)])


def _pair_columns(found: "Comparison", digits: int) -> "pl.DataFrame":
    """A row a pair, in the digits that each number deserves."""
    import polars as pl

    def formatted(name: str, places: int) -> pl.Series:
        return pl.Series(name, [format_cell(value, places) for value in found.frame[name]])

    def formatted_p(name: str) -> pl.Series:
        return pl.Series(name, [format_p(value, digits) for value in found.frame[name]])

    counts = found.frame.select("wins", "ties", "losses").iter_rows(named=True)
    frame = found.frame.select("metric", "a", "b").with_columns(
        *(formatted(name, digits) for name in ("mean_a", "mean_b", "difference")),
        formatted("percent", 1).rename("%"),
        *(formatted(name, digits) for name in ("conf_low", "conf_high")),
        formatted("effect", 2),
        pl.Series("topics", [_topics(row) for row in counts]),
        formatted_p("p"),
        formatted_p("corrected_p"),
    )
    if found.has_verdicts:
        ends = [formatted(name, digits) for name in ("least", "greatest")]
        both = found.frame.select("verdict", "to_settle").rows()
        frame = frame.with_columns(*ends, pl.Series("verdict", [_verdict(*row) for row in both]))
    return frame.drop("metric") if len(found.metrics) == 1 else frame
