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

    A score x becomes z = (x − mean) / standard deviation. The mean and the standard deviation (with
    divisor n − 1) are those of the reference runs on the topic. With scale `normal`, the
    standardised score is Φ(z), where Φ is the standard normal distribution function. Φ(z) is
    between 0 and 1, and a score equal to the mean of the reference runs becomes 0.5 on any topic
    (Webber, Moffat and Zobel, SIGIR 2008). If all reference runs have the same score on a topic,
    the standardised score is undefined. Standardised AP is named std(AP), or z(AP) with scale `z`.
    The result has no bounds (`low`, `high`), because further judgments would also change the scores
    of the reference runs.

    Parameters
    ----------
    scores
        Scores, as returned by `score`.
    reference
        Scores of the reference runs by the same metrics. By default, the reference runs are the
        runs of `scores`; adding or removing a run then changes all scores.
    scale
        `normal` returns Φ(z), `z` returns z.

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
            "standardised scores need the standard deviation of two reference runs or more. Add "
            "runs."
        )
    pairs = zip(scores.value, against.value, strict=True)
    value = np.stack([standardised(own, theirs, scale) for own, theirs in pairs])
    undefined = (np.isnan(value) & np.isfinite(scores.value)).any(axis=1).sum(axis=1).tolist()
    text = f"the mean and standard deviation of {len(against.runs)} reference runs"
    notes = [note("standardised", f"scores are standardised per topic, with {text}")]
    what = " excluded, because all reference runs have the same score there"
    for number in dict.fromkeys(filter(None, undefined)):
        count = Count(number, "topic is", "topics are")
        pairs = zip(scores.metrics, undefined, strict=True)
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
    """Return the reference scores on the topics of `scores`, in the same order; NaN if missing."""
    if [str(metric) for metric in reference.metrics] != [str(metric) for metric in scores.metrics]:
        raise CallError(
            "the reference runs and the scores have different metrics. Use the same for both."
        )
    place = {topic: at for at, topic in enumerate(reference.topics)}
    columns = np.array([place.get(topic, -1) for topic in scores.topics], np.int64)
    if (columns < 0).all():
        raise CallError(
            "the reference runs have no topic in common with the scores. Check that both use the "
            "same topic IDs."
        )
    value: Cube = np.where(columns >= 0, reference.value[:, :, columns], np.nan)
    present = reference.present[:, columns] & (columns >= 0)
    return replace(
        reference, topics=scores.topics, value=value, low=None, high=None, present=present
    )
