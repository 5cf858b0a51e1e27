"""Runs and judgments, and how they meet: everything before a metric.

rows.py      Run and Qrels, in columns
accepted.py  what is taken for qrels and runs, as types
reading.py   Run and Qrels from whatever `formats` reads
writing.py   Run and Qrels as TREC text
order.py     rank_rows: what makes the order of a ranking, ties and all
lookup.py    judgments made ready to be looked up
join.py      runs meet their judgments
judged.py    JudgedRankings, what that makes, and what metrics see
selection.py what is taken of both before they meet
unjudged.py  the documents that nobody judged, by name
ideal.py     the judged documents of each topic in their best order
"""
