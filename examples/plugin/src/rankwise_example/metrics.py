"""A metric of another package."""

import numpy as np

from rankwise import JudgedRankings, Metric, register
from rankwise.metrics.parameters import rel


@register({"last_rel": "LastRelevant"})
class LastRelevant(Metric):
    """Rank of the last relevant document that is retrieved; 0 if there is none.

    Use it as an example. Do not use it to compare systems: a longer run can only look worse.
    """

    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> np.ndarray:
        found = judged.relevant(self.rel)
        last = found.place == judged.total(judged.grade >= self.rel)[found.ranking]
        return found.total(found.rank * last)
