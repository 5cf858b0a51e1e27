"""Judging depth: the rank below which documents change a score by less than a given amount."""

import math
from bisect import bisect_left
from collections.abc import Iterable

import polars as pl

from rankwise.errors import CallError
from rankwise.metrics import Metric, MetricLike, parse, parse_all
from rankwise.notes import Note, note
from rankwise.wording import Argument

DEEPEST = 10**12


def depth_for(metric: MetricLike, accuracy: float) -> int:
    """Return the smallest depth to which documents must be judged for an accuracy of a metric.

    Documents below this depth change the score by less than `accuracy`. For a metric that is a sum
    of rank weights, the change is at most the weight of all ranks below the depth. For RBP, the
    result is the smallest d with p^d < accuracy (Moffat and Zobel 2008, Section 4.4). Some other
    metrics, such as ERR, RR, RBP2 and INST, have a bound of their own. An error is raised for
    metrics without a judging depth, such as AP and nDCG.

    >>> [depth_for(f"RBP(p={p})", 0.0001) for p in (0.5, 0.8, 0.95)]
    [14, 42, 180]
    """
    wanted = parse(metric)
    if not accuracy > 0:
        raise CallError(Argument("accuracy"), f" must be above 0, not {accuracy}.")
    if (why := why_no_depth(wanted)) is not None:
        raise CallError(f"{wanted} has no judging depth that guarantees an accuracy: {why}")
    shallow, deep = -1, 1  # a depth that is too small, and one that may be large enough
    while weight_left(wanted, deep) >= accuracy:
        shallow, deep = deep, 2 * deep
        if deep > DEEPEST:
            text = (
                f"{wanted} needs more than {DEEPEST:,} documents for this accuracy. Give a larger "
            )
            raise CallError(text, Argument("accuracy"), ".")

    depths, start = range(deep), shallow + 1
    return bisect_left(depths, True, start, key=lambda d: weight_left(wanted, d) < accuracy)


def weight_left(metric: Metric, depth: int) -> float:
    """Return an upper bound on the amount by which documents below rank `depth` change a score.

    If no finite bound is known, the result is infinite. The bound assumes that no gain is larger
    than the largest gain in the metric's table of gains, or than 1 if the metric has no table.
    """
    weight = metric.most_below(depth)
    return math.inf if weight is None else weight


def why_no_depth(metric: Metric) -> str | None:
    """Return the reason why `depth_for` cannot compute a judging depth, or None if it can."""
    if metric.needs_relevant:
        return (
            "the score depends on the number of relevant documents in the topic, so a relevant "
            "document at any depth changes the score. Choose a metric with fixed weights, e.g. "
            "RBP(p=0.9)."
        )
    if metric.most_below(1) is None:
        return (
            "the metric is not a sum of fixed weights, so the effect of documents below a depth is "
            "unknown. "
            "Choose a metric with fixed weights, e.g. RBP(p=0.9)."
        )
    if math.isinf(weight_left(metric, 1)):
        return "its weights have no finite sum. Give the metric a cutoff."
    return None


def greatest_p(accuracy: float, depth: int) -> float:
    """Return the largest p for which documents below `depth` change RBP by less than `accuracy`.

    This is the largest p with p^depth < accuracy, rounded down to six decimals.

    >>> greatest_p(0.0001, 100)
    0.91201
    """
    if not 0 < accuracy < 1 or depth < 1:
        between, least = " must be between 0 and 1, and ", " must be 1 or more."
        raise CallError(Argument("accuracy"), between, Argument("depth"), least)
    return math.floor(accuracy ** (1 / depth) * 1e6 - 1e-6) / 1e6


def plan_depth(
    metrics: MetricLike | Iterable[MetricLike], accuracy: float = 0.0001
) -> tuple[pl.DataFrame, list[Note]]:
    """Return a table of judging depths, and notes on metrics without a judging depth.

    Documents below the `depth` change the score by at most the amount in the column `left below`,
    which is less than `accuracy`. An error is raised only if no metric has a judging depth.
    """
    rows, reasons = [], []
    for metric in parse_all(metrics):
        try:
            depth = depth_for(metric, accuracy)
        except CallError as error:
            reasons.append(note("no-depth", *error.text, source=error.source))
            continue
        rows.append((str(metric), accuracy, depth, weight_left(metric, depth)))
    if not rows:
        raise CallError(" ".join(dict.fromkeys(map(str, reasons))))
    schema = ["metric", "accuracy", "depth", "left below"]
    return pl.DataFrame(rows, schema=schema, orient="row"), reasons
