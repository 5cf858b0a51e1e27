"""What changed between two runs, and the most that any judgments could make of it.

alignment.py  the documents of runs by rank, and those that two runs share
measures.py   similarity measures by name: RBO, RBA, RBR, KTU, overlap, Jaccard, changed
changes.py    `diff`: runs in, `RunDiff` out
result.py     RunDiff: means, topics, groups, lists side by side, tables and charts
layout.py     the tables and sentences of a RunDiff
"""

from rankwise.similarity.changes import diff
from rankwise.similarity.result import RunDiff

__all__ = ["RunDiff", "diff"]
