"""How scores and the system ranking hold as judgments are taken away.

result.py   `stability`, and what comes out of it
groups.py   runs scored without what only their own group found
means.py    mean scores over other judgments, and whether the order is kept
"""
