"""How deep to judge: the depth below which a ranking cannot change a score by much."""

import math
from collections.abc import Iterable

import polars as pl

from rankwise.errors import CallError
from rankwise.metrics import Metric, MetricLike, parse, parse_all
from rankwise.notes import Note, note

DEEPEST = 10**12


def depth_for(metric: MetricLike, accuracy: float) -> int:
    """The least depth below which no documents can change a score by `accuracy`.

    A ranking judged so deep has a score that is out by less than that, whatever lies below.
    For sums of weights that is the weight of all ranks below; ERR, RR, RBP2, INST and the
    like have an argument of their own (`Metric.most_below`). RBP needs the least d with
    p^d < accuracy (Moffat and Zobel 2008, Section 4.4).

    >>> [depth_for(f"RBP(p={p})", 0.0001) for p in (0.5, 0.8, 0.95)]
    [14, 42, 180]
    """
    wanted = parse(metric)
    if not accuracy > 0:
        raise CallError(f"accuracy {accuracy} is not a number above 0.")
    if (why := why_no_depth(wanted)) is not None:
        raise CallError(f"{wanted} has no depth for an accuracy: {why}")
    shallow, deep = -1, 1  # too shallow, and deep enough
    while weight_left(wanted, deep) >= accuracy:
        shallow, deep = deep, 2 * deep
        if deep > DEEPEST:
            raise CallError(f"{wanted} needs more than {DEEPEST:,} documents for {accuracy}.")
    while deep - shallow > 1:
        middle = (shallow + deep) // 2
        enough = weight_left(wanted, middle) < accuracy
        shallow, deep = (shallow, middle) if enough else (middle, deep)
    return deep


def weight_left(metric: Metric, depth: int) -> float:
    """The most that documents below a depth can change the score, one gaining at most 1.

    With a table of gains its greatest takes the place of 1. Infinite where nothing is known.
    """
    found = metric.most_below(depth)
    return math.inf if found is None else found


def why_no_depth(metric: Metric) -> str | None:
    """Why no depth bounds what lies below it; None if one does."""
    if metric.needs_relevant:
        return (
            "it divides by what is known to be relevant, so that a relevant document found "
            "at any depth, or elsewhere, changes the worth of those above it."
        )
    if metric.most_below(1) is None:
        return "it is no sum of fixed weights, of which those below a depth could be added up."
    if math.isinf(weight_left(metric, 1)):
        return "its weights have no finite sum; give it a cutoff."
    return None


def greatest_p(accuracy: float, depth: int) -> float:
    """The p up to which RBP judged to a depth is accurate: p^depth < accuracy.

    Cut to six decimals, so that it can be used as it is.

    >>> greatest_p(0.0001, 100)
    0.91201
    """
    if not 0 < accuracy < 1 or depth < 1:
        raise CallError("the greatest p needs an accuracy between 0 and 1, and a depth from 1 on.")
    return math.floor(accuracy ** (1 / depth) * 1e6 - 1e-6) / 1e6


def plan_depth(
    metrics: MetricLike | Iterable[MetricLike], accuracy: float = 0.0001
) -> tuple[pl.DataFrame, list[Note]]:
    """The depth that each metric needs, and what is then left below; why others have none.

    An error only if none has a depth.
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
