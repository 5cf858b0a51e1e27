"""Standardised scores: the distance of a score from the mean of reference systems, by topic.

Webber, Moffat and Zobel, "Score standardization for inter-collection comparison of retrieval
systems", SIGIR 2008.
"""

import numpy as np

from rankwise.arrays import Floats
from rankwise.stats.intervals import moments
from rankwise.vocabulary import Scale


def standardised(values: Floats, reference: Floats, scale: Scale = "normal") -> Floats:
    """Return z = (x − mean) / standard deviation, both over the reference systems of the topic.

    Both arrays have shape (systems, topics). `normal`, the paper's final form, returns Φ(z). Its
    values are from 0 to 1, with 0.5 at the mean of the reference, and outliers count less. The
    standard deviation has the divisor n − 1. The result is NaN for topics on which all reference
    systems have the same score, or fewer than two have a score.

    >>> standardised(np.array([[0.3], [0.5]]), np.array([[0.1], [0.3], [0.5]]), "z").tolist()
    [[0.0], [1.0]]
    """
    from scipy.special import ndtr

    by_topic = moments(reference.T)
    sd = np.where(by_topic.sd > 0, by_topic.sd, np.nan)
    z = (values - by_topic.mean) / sd
    return z if scale == "z" else np.asarray(ndtr(z))
