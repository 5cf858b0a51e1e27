"""Runs and judgments, and how they meet: everything before a metric.

rows.py      Run and Qrels, in columns
reading.py   Run and Qrels from whatever `formats` reads
order.py     the rows of a run in the order of their rankings
lookup.py    judgments made ready to be looked up
join.py      runs meet their judgments
judged.py    JudgedRankings, what that makes, and what metrics see
unjudged.py  the documents that nobody judged, by name
ideal.py     the judged documents of each topic in their best order
"""
