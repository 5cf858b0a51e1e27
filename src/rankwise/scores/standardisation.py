"""`standardise`: scores standardised topic by topic against reference runs."""

from dataclasses import replace
from typing import get_args

import numpy as np

from rankwise.errors import CallError, check_word
from rankwise.notes import note
from rankwise.scores.imported import given_like
from rankwise.scores.scores import Cube, Scores
from rankwise.stats import standardised
from rankwise.vocabulary import Scale
from rankwise.wording import Argument, Count


def standardise(
    scores: Scores, reference: Scores | None = None, *, scale: Scale = "normal"
) -> Scores:
    """Return each score standardised by the scores of the reference runs on the same topic.

    A score x becomes z = (x − mean) / standard deviation. Mean and standard deviation (with divisor
    n − 1) are over the reference runs. With `normal` the standardised score is Φ(z), with the
    standard normal distribution function Φ. Φ(z) is between 0 and 1, and 0.5 is the mean of the
    reference runs, for any topic and collection (Webber, Moffat and Zobel, SIGIR 2008). If all
    reference runs have the same score on a topic, the topic has no standardised score. Standardised
    AP is named std(AP), or z(AP) with scale `z`. The result has no bounds (`low`, `high`), because
    further judgments would also change the scores of the reference runs.

    Parameters
    ----------
    scores
        Scores, as returned by `score`.
    reference
        Scores of the reference runs. By default the runs are their own reference, and adding or
        removing a run changes all scores.
    scale
        `normal` is Φ(z), `z` is z.

    Returns
    -------
    Scores
        The standardised scores.

    Examples
    --------
    >>> from rankwise import score
    >>> qrels = {"1": {"a": 1}, "2": {"a": 1}}
    >>> runs = {"up": {t: {"a": 2, "b": 1} for t in "12"}, "down": {t: {"b": 1} for t in "12"}}
    >>> standardise(score(qrels, runs, "RR"), scale="z").mean()["value"].round(4).to_list()
    [0.7071, -0.7071]
    """
    check_word("scale", scale, get_args(Scale))
    if scores.averaged == "geometric":
        what = "the geometric mean of standardised scores is not defined. Remove "
        raise CallError(what, Argument("mean", "geometric"), ".")
    against = scores if reference is None else _same_topics(reference, scores)
    if len(against.runs) < 2:
        raise CallError(
            "standardised scores need two reference runs or more, to compute a standard deviation. "
            "Add runs."
        )
    pairs = zip(scores.value, against.value, strict=True)
    value = np.stack([standardised(own, theirs, scale) for own, theirs in pairs])
    lost = (np.isnan(value) & np.isfinite(scores.value)).any(axis=1).sum(axis=1).tolist()
    of = f"the mean and standard deviation of {len(against.runs)} reference runs"
    notes = [note("standardised", f"scores are standardised with {of}")]
    what = " excluded, because all reference runs have the same score there"
    for number in dict.fromkeys(filter(None, lost)):
        count = Count(number, "topic is", "topics are")
        pairs = zip(scores.metrics, lost, strict=True)
        names = ", ".join(str(metric) for metric, of_metric in pairs if of_metric == number)
        notes.append(note("topics-constant", count, what, metric=names))
    prefix = "std" if scale == "normal" else "z"
    return replace(
        scores,
        metrics=tuple(given_like(f"{prefix}({metric})", metric) for metric in scores.metrics),
        value=value,
        low=None,
        high=None,
        input_notes=(*scores.input_notes, *notes),
    )


def _same_topics(reference: Scores, scores: Scores) -> Scores:
    """Return the reference on the topics of the scores, in their order; NaN for missing topics."""
    if [str(metric) for metric in reference.metrics] != [str(metric) for metric in scores.metrics]:
        raise CallError("the reference runs have scores by other metrics. Use the same metrics.")
    place = {topic: at for at, topic in enumerate(reference.topics)}
    columns = np.array([place.get(topic, -1) for topic in scores.topics], np.int64)
    if (columns < 0).all():
        raise CallError("the reference runs have no topic in common with the scores.")
    value: Cube = np.where(columns >= 0, reference.value[:, :, columns], np.nan)
    present = reference.present[:, columns] & (columns >= 0)
    return replace(
        reference, topics=scores.topics, value=value, low=None, high=None, present=present
    )
