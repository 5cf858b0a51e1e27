"""Verdicts that hold: how far the unjudged documents can move the difference of two runs.

Two runs share their judgments: a document that turns out relevant is relevant for both. So
the difference of their scores moves less than the two scores do, each by itself.

differences.py  the differences of pairs, their ends, and the verdicts
weighted_sums.py  exact ends, for metrics that are a sum of weights
normalised.py  ends for nDCG, which divides such a sum by what both runs share; exact ones too
any_metric.py  valid ends for all other metrics
pair_documents.py  the unjudged documents of pairs of runs, topic by topic
relevant_count.py  exact ends for metrics whose weights change with R only: Recall, Rprec, …
set_counts.py  exact ends for metrics of how many were found: SetAP, Shaw
first_relevant.py  exact ends for metrics that look for the first relevant document: RR, O, P⁺
exact.py        these formulas, for as many pairs as the effort allows
search.py       ends by branch and bound for all other metrics
trial_judgments.py  judgments tried, many at a time
shared.py       which of these a metric has: difference_bounds
"""

from rankwise.comparison.verdicts.differences import Differences, Ends
from rankwise.comparison.verdicts.shared import EFFORT, difference_bounds

__all__ = ["EFFORT", "Differences", "Ends", "difference_bounds"]
