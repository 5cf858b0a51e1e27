"""Is A better than B, by how much, and may one say so? `compare` answers it.

ways.py    the test, the correction, the family
pairs.py   the numbers of each pair
result.py  Comparison: the table, leaderboards, power
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import polars as pl

from rankwise.comparison.pairs import choose_pairs, pair_numbers
from rankwise.comparison.result import Comparison
from rankwise.comparison.ways import Asked, Ways
from rankwise.errors import CallError
from rankwise.inputs import Order
from rankwise.join import read_judged
from rankwise.judged import Bools, JudgedRankings
from rankwise.metrics import Assumption, Metric, parse_all
from rankwise.scores import (
    DEFAULT_METRICS,
    Scores,
    Topics,
    Undefined,
    over_common_topics,
    score_judged,
)
from rankwise.verdicts import Ends, difference_bounds

__all__ = ["Asked", "Comparison", "Ways", "compare", "compare_judged", "compare_scores"]


def compare(
    qrels: Any,
    runs: Any,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT_METRICS,
    *,
    topics: Topics = "all",
    order: Order = "score",
    depth: int | None = None,
    bounds: bool = True,
    unjudged: Assumption = "retrieved",
    gains: str | Mapping[float, float] | None = None,
    lenient: bool = False,
    undefined: Undefined = "skip",
    complete_runs: bool = False,
    **ways: Unpack[Asked],
) -> Comparison:
    """Compare runs in pairs, topic by topic: with a `baseline`, or all with all.

    `test`: t (the default), wilcoxon, sign, permutation, bootstrap, tukey,
    randomised-tukey. `correction`: holm (the default), bonferroni, bh, none, over a
    `family` of `all` comparisons or of each `metric`. `alpha`, `interval`, `seed` and the
    rest: see `rankwise.comparison.Ways`. `bounds`: also whether the `unjudged` documents
    could overturn it, under the assumption given. The other keywords are those of `score`.

    >>> qrels = {t: {"a": 1} for t in "1234"}
    >>> up = {t: {"a": 2, "b": 1} for t in "1234"}
    >>> down = {"1": {"a": 1}, **{t: {"b": 2, "a": 1} for t in "234"}}
    >>> found = compare(qrels, {"up": up, "down": down}, "RR")
    >>> found.frame.select("a", "b", "difference", "wins", "ties", "losses").rows()
    [('up', 'down', 0.375, 3, 1, 0)]
    >>> round(found.frame["p"][0], 4)
    0.0577
    """
    checked, wanted = Ways(**ways), parse_all(metrics)
    judged = read_judged(
        *(qrels, runs),
        order=order,
        depth=depth,
        gains=gains,
        lenient=lenient,
        complete_runs=complete_runs,
        unjudged=bounds,
    )
    return compare_judged(
        judged, wanted, checked, topics=topics, unjudged=unjudged, undefined=undefined
    )


def compare_judged(
    judged: JudgedRankings,
    metrics: Sequence[Metric],
    ways: Ways,
    *,
    topics: Topics = "all",
    unjudged: Assumption = "retrieved",
    undefined: Undefined = "skip",
) -> Comparison:
    """Compare rankings that are judged; with verdicts where they hold the unjudged documents."""
    if not metrics:
        raise CallError("no metric is given.")
    if topics not in ("all", "common"):
        raise CallError(f"topics {topics!r} is neither all nor common.")
    if undefined not in ("skip", "zero"):
        raise CallError(f"undefined {undefined!r} is neither skip nor zero.")
    scores = score_judged(judged, metrics)
    scores = scores.with_zeros() if undefined == "zero" else scores
    keep: Bools = np.ones(len(scores.topics), np.bool_)
    if topics == "common":
        keep = np.asarray(scores.present.all(axis=0))
        scores = over_common_topics(scores)
    found = _compared(scores, ways)
    if judged.unjudged is None:
        return found
    columns = pl.concat(
        _verdicts(judged, metric, found, keep, unjudged, undefined) for metric in scores.metrics
    )
    frame = pl.concat([found.frame, columns], how="horizontal")
    return replace(found, frame=frame, unjudged=unjudged)


def _verdicts(
    judged: JudgedRankings,
    metric: Metric,
    found: Comparison,
    keep: Bools,
    unjudged: Assumption,
    undefined: Undefined,
) -> pl.DataFrame:
    differences = difference_bounds(judged, metric, found.first, found.second, unjudged)
    names = Ends.__dataclass_fields__
    by_topic = differences.by_topic
    by_topic = by_topic.with_zeros() if undefined == "zero" else by_topic
    kept = Ends(*(getattr(by_topic, name)[:, keep] for name in names))
    ends = replace(differences, by_topic=kept).mean
    divisor = 1
    if metric.aggregate == "sum":  # a difference is of means here
        divisor = np.maximum(np.isfinite(kept.value).sum(axis=1), 1)
    return pl.DataFrame(
        {
            "least": pl.Series(ends.low / divisor, nan_to_null=True),
            "greatest": pl.Series(ends.high / divisor, nan_to_null=True),
            "verdict": _better(ends, metric),
            "to_settle": pl.Series(ends.to_settle, nan_to_null=True),
        }
    ).with_columns(verdict=pl.when(pl.col("least").is_not_null()).then("verdict"))


def _better(ends: Ends, metric: Metric) -> pl.Series:
    """The verdicts; where less is better, the run with the lesser score is the better one."""
    words = pl.Series(ends.verdict.astype(object), dtype=pl.String)
    return words.replace({"A": "B", "B": "A"}) if metric.less_is_better else words


def compare_scores(scores: Scores, **ways: Unpack[Asked]) -> Comparison:
    """Compare runs by scores that are there: standardised ones, or matrices made elsewhere.

    There is then no verdict on what unjudged documents could change. The keywords are
    those of `rankwise.comparison.Ways`.
    """
    return _compared(scores, Ways(**ways))


def _compared(scores: Scores, ways: Ways) -> Comparison:
    if scores.averaged == "geometric":
        raise CallError("the tests are of arithmetic means: leave out --mean geometric.")
    first, second = choose_pairs(scores, ways.baseline)
    p = np.stack([ways.p_values(values, first, second) for values in scores.value])
    fixed = ways.correct(p)
    names = pl.Series(scores.runs, dtype=pl.String)
    parts = []
    for metric, values, raw, final in zip(scores.metrics, scores.value, p, fixed, strict=True):
        numbers = pair_numbers(
            *(values, first, second),
            confidence=1 - ways.alpha,
            interval=ways.interval,
            rng=ways.rng(),
            sign=metric.sign,
        )
        parts.append(
            pl.DataFrame(
                {
                    "metric": pl.repeat(str(metric), len(first), eager=True),
                    "a": names.gather(first),
                    "b": names.gather(second),
                    **{
                        name: pl.Series(column, nan_to_null=True)
                        for name, column in numbers._asdict().items()
                    },
                    "p": pl.Series(raw, nan_to_null=True),
                    "corrected_p": pl.Series(final, nan_to_null=True),
                }
            ).with_columns(significant=pl.col("corrected_p") <= ways.alpha)
        )
    return Comparison(scores, pl.concat(parts), first, second, ways, ways.family_words(p))
