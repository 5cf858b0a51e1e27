"""How many relevant documents no run has: by the jackknife over the runs."""

import numpy as np

from rankwise.arrays import Bools, Floats
from rankwise.probable.documents import Documents


def unseen_relevant(documents: Documents, relevant: Bools) -> Floats:
    """For each topic how many relevant documents no run has in its first `top`, expected.

    `relevant` says of each code whether it is. Leaving one run out of m loses the relevant
    documents that it alone has; so one more would bring about as many as runs have alone on
    average, and (m − 1) / m times those that one run alone has are missing in all (Burnham and
    Overton's first-order jackknife, Biometrika 65(3), 1978). It takes runs to find documents
    independently, with chances of their own. Runs do not: where many are alike it promises too
    many, where few are, too few.
    """
    runs = len(documents.judged.runs)
    here = relevant[documents.code] & (documents.rank <= documents.top)
    found_by = np.bincount(documents.code[here], minlength=len(documents.topic))
    alone = np.bincount(
        documents.topic[relevant & (found_by == 1)], minlength=len(documents.judged.topics)
    )
    return np.asarray(alone * (runs - 1) / runs)
