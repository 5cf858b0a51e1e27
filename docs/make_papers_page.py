"""Writes docs/papers.md: what five papers print, beside what rankwise gets.

`RANKWISE_DATA=… python docs/make_papers_page.py`; the data is not part of the project. It
fails where a figure differs from the printed one and nobody says why.
"""

from pathlib import Path

from papers_page.contents import whole_page

if __name__ == "__main__":
    Path(__file__).with_name("papers.md").write_text(whole_page(), encoding="utf-8")
