"""Test collections: what is judged, how deep to judge, and what to judge next.

depth.py       the depth below which a ranking cannot change a score by much
standing.py    how sure the scores of runs and their order are, as documents get judged
plan.py        JudgmentPlan: documents to judge, and what that is expected to do
budget.py      which documents to judge next, by their weight
targeted.py    the same for runs of which much is open, or that may be the best
resolution.py  which documents to judge next, by what they probably clear up: any metric
pools.py       pools of runs
cutting.py     judgments cut down while the runs stay joined
samples.py     judgments cut down to a pool or a sample
collection.py  a collection at a glance: pools, and what of the runs is judged
"""

from rankwise.judging.budget import plan_judgments
from rankwise.judging.collection import Overview, overview
from rankwise.judging.depth import depth_for, greatest_p, plan_depth, weight_left, why_no_depth
from rankwise.judging.plan import JudgmentPlan
from rankwise.judging.pools import holes, pool
from rankwise.judging.samples import reduce
from rankwise.rankings.writing import write_template

__all__ = [
    "JudgmentPlan",
    "Overview",
    "depth_for",
    "greatest_p",
    "holes",
    "overview",
    "plan_depth",
    "plan_judgments",
    "pool",
    "reduce",
    "weight_left",
    "why_no_depth",
    "write_template",
]
