"""How to spend judgments: how deep to judge, and which documents to judge next.

depth.py     the depth below which a ranking cannot change a score by much
standing.py  how sure the scores of runs and their order are, as documents get judged
budget.py    which documents to judge next
"""

from rankwise.planning.budget import JudgmentPlan, plan_judgments
from rankwise.planning.depth import depth_for, greatest_p, plan_depth, weight_left, why_no_depth

__all__ = [
    "JudgmentPlan",
    "depth_for",
    "greatest_p",
    "plan_depth",
    "plan_judgments",
    "weight_left",
    "why_no_depth",
]
