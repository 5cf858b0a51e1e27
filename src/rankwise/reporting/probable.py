"""Predictions in a report: ranges of the means, and the probable winner of each pair."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from rankwise.arrays import Floats
from rankwise.errors import CallError
from rankwise.notes import Note
from rankwise.probable import HELD, PAIRS_HELD, Prediction, is_predictable, predict_judged
from rankwise.rankings import JudgedRankings, Possible
from rankwise.reporting.numbers import Scoring
from rankwise.reporting.packing import floats
from rankwise.wording import PYTHON, Argument

DEPTH = 100  # of the pool that is predicted, unless the assumption names another


def probable_columns(judged: JudgedRankings, scoring: Scoring) -> tuple[dict[str, Any], list[Note]]:
    """Return the columns of the predictions, and notes.

    Expected means and ranges have shape (metrics, runs), probabilities (metrics, pairs). They are
    NaN for metrics without a prediction, such as counts.
    """
    if (scoring.topics, scoring.undefined) != ("all", "skip"):
        raise CallError(
            Argument("probable", True),
            " cannot be combined with ",
            Argument("topics", "common"),
            " or ",
            Argument("undefined", "zero"),
            ". Remove them.",
        )
    known = [place for place, metric in enumerate(scoring.metrics) if is_predictable(metric)]
    if not known:
        names = ", ".join(map(str, scoring.metrics))
        what = f"predictions are not available for {names}. Use other metrics, or remove "
        raise CallError(what, Argument("probable", True), ".")
    wanted = tuple(scoring.metrics[place] for place in known)
    top = Possible.parse(scoring.unjudged).top or DEPTH
    found = predict_judged(judged, wanted, top=top, seed=scoring.options.seed)
    low, high = found.ranges
    numbers = {"expected": found.expected, "low": low, "high": high, "better": _better(found)}

    def spread(part: Floats) -> Floats:
        whole = np.full((len(scoring.metrics), part.shape[1]), np.nan)
        whole[known] = part
        return whole

    columns = {name: floats(spread(part)) for name, part in numbers.items()}
    labels = {"held": f"Such ranges {HELD}", "pairs_held": PAIRS_HELD}
    return {**columns, "top": found.top, "doubts": doubts(found), **labels}, found.notes


def doubts(prediction: Prediction) -> list[str]:
    """Return the warnings about a prediction, without advice."""
    warnings = [each for each in prediction.notes if each.severity == "warning"]
    return [without_citation(replace(each, remedy=None).said(PYTHON)) for each in warnings]


def without_citation(text: str) -> str:
    """Remove the name of a documentation file, which readers of the page do not have."""
    return text.replace(" (docs/probable.md)", "")


def _better(prediction: Prediction) -> Floats:
    first, second = np.triu_indices(len(prediction.scores.runs), 1)
    odds = [
        prediction.odds(place)[first, second] for place in range(len(prediction.scores.metrics))
    ]
    return np.asarray(ndtr(np.array(odds)))
