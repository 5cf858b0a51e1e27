"""What every verb returns: one base, and how frames become text.

base.py    Result: frame, notes, table, chart, and how it shows itself
tables.py  frames as aligned text, csv, json, LaTeX, markdown, html
paper.py   tables for papers: compact, the best in bold, marks, decimal points aligned
"""

from rankwise.results.base import Result, Table

__all__ = ["Result", "Table"]
