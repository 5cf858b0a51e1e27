"""docs/papers.md: what five papers print, beside what rankwise gets.

figures.py   a printed figure and a computed one: are they equal as printed?
data.py      TREC-5 and TREC-8, read once
page.py      the page, and its parts
one file a paper, with what it prints
"""
