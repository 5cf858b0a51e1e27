"""Standardised scores: distance from the mean of reference systems, in standard deviations.

Webber, Moffat and Zobel, "Score standardization for inter-collection comparison of retrieval
systems", SIGIR 2008.
"""

import numpy as np

from rankwise.arrays import Floats
from rankwise.stats.intervals import moments
from rankwise.vocabulary import Scale


def standardised(values: Floats, reference: Floats, scale: Scale = "normal") -> Floats:
    """Return scores standardised per topic: z = (x − mean) / standard deviation, or Φ(z).

    The mean and the standard deviation (divisor n − 1) are those of the reference systems on the
    topic. Both arrays have shape (systems, topics). Scale `z` returns z. Scale `normal`, the final
    form of Webber, Moffat and Zobel (2008), returns Φ(z), the standard normal distribution function
    of z. Its values are from 0 to 1, with 0.5 at the mean of the reference, and outliers count
    less. The result is NaN for topics on which all reference systems have the same score, or fewer
    than two have a score.

    >>> standardised(np.array([[0.3], [0.5]]), np.array([[0.1], [0.3], [0.5]]), "z").tolist()
    [[0.0], [1.0]]
    """
    from scipy.special import ndtr

    by_topic = moments(reference.T)
    sd = np.where(by_topic.sd > 0, by_topic.sd, np.nan)
    z = (values - by_topic.mean) / sd
    return z if scale == "z" else np.asarray(ndtr(z))
