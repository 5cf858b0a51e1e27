"""Write docs/papers.md: the figures of five papers, compared with the figures of rankwise.

`RANKWISE_DATA=… python docs/make_papers_page.py`; the data is not part of the project. It
fails where a figure differs from the printed one and nobody says why.
"""

from pathlib import Path

from papers_page.contents import whole_page
from papers_page.figures import PageError

if __name__ == "__main__":
    try:
        page = whole_page()
    except PageError as error:
        raise SystemExit(f"docs/papers.md is left as it is. {error}") from None
    Path(__file__).with_name("papers.md").write_text(page, encoding="utf-8")
