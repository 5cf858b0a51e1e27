"""How scores and the system ranking hold as judgments are taken away.

result.py   `stability`, and what comes out of it
groups.py   runs scored without what only their own group found
means.py    mean scores over other judgments, and whether the order is kept
"""

from rankwise.experiments.stability.groups import LeftOut, leave_groups_out
from rankwise.experiments.stability.result import Stability, stability

__all__ = ["LeftOut", "Stability", "leave_groups_out", "stability"]
