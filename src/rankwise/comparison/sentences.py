"""Sentences on the results of a comparison, which a paper can quote."""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rankwise.arrays import ROUNDING
from rankwise.errors import in_words
from rankwise.rankings import assumed
from rankwise.results import format_cell, p_of_sentence
from rankwise.wording import Count, with_minus

if TYPE_CHECKING:
    import polars as pl

    from rankwise.comparison.comparison import Comparison
    from rankwise.metrics import Metric

MOST_NAMED = 3  # if there are more runs, a sentence has their number instead of their names
WIDTH_OF_A_POINT = 1e-12  # bounds closer than this count as equal


class SaysReversal(Protocol):
    """Interface of the result of `rankwise.flips`; this package must not import its class."""

    def reversal_of(self, metric: str, a: str, b: str) -> str:
        """Return a sentence on the number of wrong judgments that would reverse a difference.

        The difference is that of the runs `a` and `b` by the metric.
        """
        ...


def sentence_lines(
    comparison: "Comparison",
    metric: str | None = None,
    digits: int = 4,
    flips: SaysReversal | None = None,
    *,
    most: int | None = None,
) -> list[str]:
    """Return the results of a comparison as a list of texts, for one metric or for all.

    For two runs, or with a baseline, each pair has a sentence on its difference. If there are
    bounds, a second sentence says whether the unjudged documents can reverse the difference.
    `flips` is the result of `rankwise.flips`; if it is passed, a third sentence has the number of
    wrong judgments that would reverse the difference. For three or more runs without a baseline,
    each metric has one sentence with the number of significant differences. The last sentences name
    the test and the assumption about unjudged documents. `most` limits the pairs of each metric to
    those with the largest differences. `digits` is the number of decimals.
    """
    sentences = []
    for each in comparison.tested:
        if metric not in (None, str(each)):
            continue
        if comparison.topics_can_be_shown:
            sentences += _pairs(comparison, each, digits, flips, most)
        else:
            sentences.append(_counts(comparison, each))
    if not sentences:
        return []
    return sentences + closing_sentences(comparison, comparison, len(sentences))


def closing_sentences(tested: "Comparison", verdicts: "Comparison", count: int = 1) -> list[str]:
    """Return a sentence that names the test, and one on the assumption about unjudged documents.

    The test is that of the comparison `tested`, and the assumption is that of the bounds in the
    comparison `verdicts`. Without bounds there is no second sentence. `count` is the number of
    texts that these sentences follow: 1 gives "Test", any other number "Tests".
    """
    tests = "Test" if count == 1 else "Tests"
    closing = [f"{tests}: {tested.test_name}, {tested.family}, α = {tested.options.alpha:g}."]
    if verdicts.has_verdicts and verdicts.frame["verdict"].count():
        closing.append(f"Bounds assume that {assumed(verdicts.unjudged or 'retrieved')}.")
    return closing


def sentences_of_pairs(
    tested: "Comparison", verdicts: "Comparison", metric: "Metric"
) -> dict[frozenset[str], str]:
    """Return {names of two runs: sentences on their difference} for each pair in `tested`.

    The first sentence has the difference and its p-value in the comparison `tested`. The second
    says whether the unjudged documents can reverse the difference, according to the comparison
    `verdicts`. If `verdicts` has no bounds for the pair, there is no second sentence.
    """
    judged = {_pair(row): _unjudged(row, known) for row, known in _rows(verdicts, metric)}
    return {
        _pair(row): " ".join([_difference(tested, metric, row, 4), *judged.get(_pair(row), [])])
        for row, _ in _rows(tested, metric)
    }


def _pair(row: dict[str, Any]) -> frozenset[str]:
    return frozenset((row["a"], row["b"]))


def _rows(comparison: "Comparison", metric: "Metric") -> list[tuple[dict[str, Any], bool | None]]:
    """Return each row of a metric, and whether it is known that judgments can reverse its sign.

    The second value is None if there are no bounds.
    """
    rows = comparison.frame.filter(metric=str(metric)).to_dicts()
    reversible = comparison.reversible.get(str(metric), [None] * len(rows))
    return list(zip(rows, reversible, strict=True))


def _pairs(
    comparison: "Comparison",
    metric: "Metric",
    digits: int,
    flips: SaysReversal | None,
    most: int | None,
) -> list[str]:
    sentences, pairs = [], _rows(comparison, metric)
    if most is not None and len(pairs) > most:
        sentences.append(f"The {most} largest of {len(pairs):,} differences in {metric}:")
        pairs = sorted(pairs, key=lambda pair: -abs(pair[0]["difference"] or 0))[:most]
    for row, reversible in pairs:
        parts = [_difference(comparison, metric, row, digits), *_unjudged(row, reversible)]
        if flips is not None:
            parts.append(flips.reversal_of(str(metric), row["a"], row["b"]))
        sentences.append(" ".join(filter(None, parts)))
    return sentences


def _difference(
    comparison: "Comparison", metric: "Metric", row: dict[str, Any], digits: int
) -> str:
    if row["difference"] is None:
        return f"{row['a']} and {row['b']} have no topic with a defined {metric} in common."
    a, b = (
        f"{row[side]} ({with_minus(format_cell(row[f'mean_{side}'], digits))})" for side in "ab"
    )
    better = "better" if row["difference"] * metric.sign > 0 else "worse"
    if row["corrected_p"] is None:
        outcome = f"The difference between {a} and {b} in {metric} is not tested"
    elif comparison.too_few(row):
        what = f"no significance is claimed with {comparison.too_few(row)}"
        outcome = f"{a} is {better} than {b} in {metric}, but {what}"
    elif row["significant"]:
        outcome = f"{a} is significantly {better} than {b} in {metric}"
    else:
        outcome = f"{a} and {b} do not differ significantly in {metric}"
    numbers = [f"difference {with_minus(format(row['difference'], f'+.{digits}f'))}"]
    if row["conf_low"] is not None:
        level = comparison.intervals.label
        contains_0 = row["significant"] and row["conf_low"] <= 0 <= row["conf_high"]
        excludes_0 = _excludes_zero(row) and not row["significant"]
        if contains_0 or (excludes_0 and not comparison.too_few(row)):
            level += " (by another method than p)"
        ends = [with_minus(format_cell(row[end], digits)) for end in ("conf_low", "conf_high")]
        numbers.append(f"{level} [{', '.join(ends)}]")
    if row["corrected_p"] is not None:
        numbers.append(p_of_sentence(row["corrected_p"], digits))
    if row["effect"] is not None:
        numbers.append(f"d_z = {with_minus(format(row['effect'], '.2f'))}")
    sample = comparison.units(row["topics"], row["a"], row["b"])
    return f"{outcome}: {', '.join(numbers)} ({sample})."


def _excludes_zero(row: dict[str, Any]) -> bool:
    """Return whether a tested difference has an interval without 0."""
    tested = row["corrected_p"] is not None and row["conf_low"] is not None
    return tested and (row["conf_low"] > 0 or row["conf_high"] < 0)


def _unjudged(row: dict[str, Any], reversible: bool | None) -> list[str]:
    """Return a sentence on whether the unjudged documents can reverse the difference in `row`.

    `reversible` is whether judgments are known that reverse the difference. The list is empty
    without a verdict. The page of a report has the same sentences, written in JavaScript.
    """
    if row.get("verdict") is None or row["difference"] is None:
        return []
    fixed = abs(row["high"] - row["low"]) <= WIDTH_OF_A_POINT
    if row["verdict"] in ("A", "B"):
        better = f"On these topics, {row['a' if row['verdict'] == 'A' else 'b']} is guaranteed"
        if fixed:
            return [f"{better} to be better: unjudged documents cannot change the difference."]
        return [f"{better} to be better, no matter how the unjudged documents are judged."]
    if row["verdict"] == "equal":
        equal = "On these topics, both runs are guaranteed to be equal"
        return [f"{equal}, no matter how the unjudged documents are judged."]
    if fixed:
        return ["Unjudged documents cannot change the difference."]
    if reversible:
        return ["The unjudged documents can reverse the difference."]
    if row["proven"] and (row["low"] >= -ROUNDING or row["high"] <= ROUNDING):
        return [
            "The unjudged documents can make the two runs equal, but cannot reverse their order."
        ]
    return [
        "Whether the unjudged documents can reverse the difference is not resolved: judgments that "
        "reverse it may exist, but none were found."
    ]


def first_places(
    comparison: "Comparison", digits: int = 4, *, most: int | None = None
) -> list[str]:
    """Return a text for each metric: the best run, and the certainty that this run is the best.

    A text has the names (or the number, if there are many) of the runs that do not differ
    significantly from the best run. With bounds, it also says whether unjudged documents can change
    the first place. `most` limits the number of metrics. A metric for which no run has a score has
    no text.
    """
    texts = (_first_place(comparison, metric, digits) for metric in comparison.tested[:most])
    return [text for text in texts if text]


def _first_place(comparison: "Comparison", metric: "Metric", digits: int) -> str:
    board = comparison.leaderboard().filter(metric=str(metric))
    first = board.row(0, named=True)
    if first["mean"] is None:
        return ""
    as_good = (board["mean"] - first["mean"]).abs() <= ROUNDING
    [best, *equal] = board.filter(as_good)["run"].to_list()
    names = f"{best} and {_counted(equal) if len(equal) > 1 else equal[0]} are" if equal else best
    value = with_minus(format_cell(first["mean"], digits))
    title = f"{names}{'' if equal else ' is'} first of {board.height} runs by {metric}: {value}."
    pairs = [pair for pair in _rows(comparison, metric) if best in (pair[0]["a"], pair[0]["b"])]
    others = [row["b"] if row["a"] == best else row["a"] for row, _ in pairs]
    near = [run for run, (row, _) in zip(others, pairs, strict=True) if not row["significant"]]
    by_rank = {run: place for place, run in enumerate(board["run"])}
    tests = _near_to_first(sorted(near, key=by_rank.__getitem__), len(others))
    states = [_state(row, reversible, best) for row, reversible in pairs]
    return " ".join(
        [title, tests, *_certainty(states), *_no_information(comparison, board, metric)]
    )


def _near_to_first(near: list[str], others: int) -> str:
    """Return a sentence on the runs that do not differ significantly from the best run.

    `near` has the names of these runs. `others` is the number of all runs except the best.
    """
    if not near:
        return "All other runs are significantly worse."
    if len(near) == others:
        return "No other run is significantly different."
    are = "is" if len(near) == 1 else "are"
    rest = "the other run is" if others - len(near) == 1 else "all others are"
    names = _counted(near) if len(near) > MOST_NAMED else in_words(near, "and")
    return f"{names} {are} not significantly different, and {rest} significantly worse."


def _counted(runs: list[str]) -> str:
    return f"{len(runs):,} other runs"


def _state(row: dict[str, Any], reversible: bool | None, best: str) -> str:
    """Return the effect that unjudged documents can have on the lead of the best run over another.

    - `sure`: the best run is guaranteed to be better; `equal`: both are guaranteed to be equal.
    - `reversible`: judgments are known that reverse the difference.
    - `tie`: judgments can make both runs equal, but not reverse the difference.
    - `unresolved`: the bounds are not tight enough; `unknown`: there is no usable verdict.
    """
    if row.get("verdict") is None or row["difference"] is None:
        return "unknown"
    if row["verdict"] != "undecided":
        winner = {"A": row["a"], "B": row["b"]}.get(row["verdict"])
        return "equal" if winner is None else "sure" if winner == best else "unknown"
    if reversible:
        return "reversible"
    one_sided = row["low"] >= -ROUNDING or row["high"] <= ROUNDING
    return "tie" if row["proven"] and one_sided else "unresolved"


def _certainty(states: list[str]) -> list[str]:
    """Return a sentence on the effect that judging more documents can have on the first place.

    `states` are the results of `_state` for all other runs. The list is empty if any is `unknown`.
    """
    total, count = len(states), states.count
    sure, equal, unresolved = count("sure"), count("equal"), count("unresolved")
    open_ = count("reversible") + count("tie")
    if count("unknown"):
        return []
    if sure + equal == total:
        shared = f", which is shared with {Count(equal, 'run')}" if equal else ""
        what = "On these topics, no judgments of the unjudged documents change the first place"
        return [f"{what}{shared}."]
    if unresolved == total:
        what = "Whether judging more documents can change the first place is not resolved"
        return [f"{what}: the bounds of all {total} comparisons with the best run are too wide."]

    def few(number: int) -> str:
        if number < total:
            return f"{number} of {total} comparisons with the best run"
        return f"{'both' if total == 2 else f'all {total}'} comparisons with the best run"

    clauses = []
    if open_:
        clauses.append(f"judging can reverse {'or equalise ' * bool(count('tie'))}{few(open_)}")
    if unresolved:
        are = "is" if unresolved == 1 else "are"
        clauses.append(f"{unresolved if open_ else few(unresolved)} {are} not resolved")
    if equal:
        clauses.append(
            f"{Count(equal, 'run')} {'stays' if equal == 1 else 'stay'} equal to the best run"
        )
    if not sure:
        return [f"Unjudged documents may change the first place: {'; '.join(clauses)}."]
    ahead = "No matter how the unjudged documents are judged, the best run stays ahead of "
    ahead += str(Count(sure, "run"))
    return [f"{'; '.join([ahead, *clauses])}."]


def _no_information(comparison: "Comparison", board: "pl.DataFrame", metric: "Metric") -> list[str]:
    """Return a sentence if rank intervals that account for unjudged documents exclude no rank.

    The list is empty if some rank is excluded, or if the intervals without unjudged documents
    exclude no rank either.
    """
    lowest, highest = (board[f"{end}_rank_both"] for end in ("lowest", "highest"))
    is_open = lowest.count() and (lowest == 1).all() and (highest == board.height).all()
    by_topics = board.select((board["lowest_rank"] == 1) & (board["highest_rank"] == board.height))
    if not is_open or by_topics.to_series().all():
        return []
    gap = max(comparison.frame.filter(metric=str(metric))["gap"].drop_nulls().to_list(), default=0)
    loose = f" (each may be too wide by up to {gap:.2g})" if gap else ""
    return [f"The bounds of {metric} are not informative{loose}: they exclude no rank of any run."]


def of_these_keep(count: int, significant: int) -> str:
    """Return a clause with the number of significant differences that no judgments can reverse.

    `count` is this number, out of `significant` differences (at least 1).
    """
    if not count:
        which = "it is not" if significant == 1 else "none of these is"
        them = "it" if significant == 1 else "each of them"
        return f"{which} guaranteed: the unjudged documents may reverse {them}"
    all_or_some = "all" if count == significant else f"{count:,}"
    these = "one of these is" if count == 1 else f"{all_or_some} of these are"
    these, them = "it is" if significant == 1 else these, "it" if count == 1 else "them"
    return f"{these} guaranteed: no judgments of the unjudged documents can reverse {them}"


class PairCounts(NamedTuple):
    """Numbers of pairs of runs: all, significant, and significant with a guaranteed winner.

    `guaranteed` is None if the metric has no bounds.
    """

    pairs: int
    significant: int
    guaranteed: int | None


def pair_counts(comparison: "Comparison", metric: "Metric") -> PairCounts:
    rows = comparison.frame.filter(metric=str(metric))
    significant = rows.filter(rows["significant"].fill_null(False))
    if not comparison.has_verdicts or not rows["verdict"].count():
        return PairCounts(rows.height, significant.height, None)
    guaranteed = significant.filter(significant["verdict"].is_in(["A", "B"])).height
    return PairCounts(rows.height, significant.height, guaranteed)


def _counts(comparison: "Comparison", metric: "Metric") -> str:
    counts = pair_counts(comparison, metric)
    are = "is" if counts.significant == 1 else "are"
    text = f"{counts.significant} of {counts.pairs} differences in {metric} {are} significant"
    if counts.guaranteed is None and comparison.has_verdicts:
        text += f"; {metric} has no bounds for unjudged documents"
    elif counts.guaranteed is not None and counts.significant:
        text += f"; {of_these_keep(counts.guaranteed, counts.significant)}"
    return f"{text}."
