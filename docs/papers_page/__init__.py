"""Parts of docs/papers.md: figures of five papers, compared with the figures of rankwise.

figures.py   a printed figure and a computed one: are they equal as printed?
data.py      TREC-5 and TREC-8, read once
page.py      a section a paper, a table a part
contents.py  the papers, and the whole page
one more file for each paper, with what it prints
"""
