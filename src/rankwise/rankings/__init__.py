"""Runs and judgments, and how they meet: everything before a metric.

accepted.py   what is taken for qrels and runs, as types
sources.py    what was given as runs: which there are and what they are called
reading.py    Run and Qrels from whatever `formats` reads
streams.py    runs that come in batches of rows
rows.py       Run and Qrels, in columns
writing.py    Run and Qrels as files
selection.py  what is taken of both before they meet
order.py      rank_rows: what makes the order of a ranking, ties and all
lookup.py     judgments made ready to be looked up
by_topic.py   judgments of some topics at a time
run_join.py   one run meets the judgments
join.py       all runs do
judged.py     JudgedRankings, what that makes, and what metrics see
rejudge.py    the same rankings under other judgments
retrieved.py  all documents that runs retrieved, judged or not, by name
lengths.py    how long documents are
ideal.py      the judged documents of each topic in their best order
possible.py   which unjudged documents can turn out relevant
"""
