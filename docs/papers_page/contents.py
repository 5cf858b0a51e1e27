"""The five papers in the order of the page, and the page as a whole."""

from papers_page import (
    ahlgren_gronqvist_2007,
    moffat_2013,
    moffat_zobel_2008,
    sakai_2007,
    zhang_park_moffat_2008,
)
from papers_page.data import Data

PAPERS = (
    moffat_zobel_2008.PAPER,
    zhang_park_moffat_2008.PAPER,
    ahlgren_gronqvist_2007.PAPER,
    moffat_2013.PAPER,
    sakai_2007.PAPER,
)
HEAD = """# Five papers, figure by figure

This page compares the figures of five papers with the figures of rankwise. It has every figure that
can be checked with the 129 ad hoc runs and the judgments of TREC-8 (1999), with the score matrices
of 61 systems of TREC-5 (1996), or without data. The data is not part of the project. Put it into
the folders `trec8` and `trec5` of one folder. Then this command regenerates the page, in a minute:

```
RANKWISE_DATA=folder python docs/make_papers_page.py
```

A figure is *equal* if the figure of rankwise, rounded to the printed digits, is the printed figure.
This page shows it with two more digits. A figure that is not equal is **bold**, and the remark
states the reason. A figure is also bold if it depends on a choice that the paper does not state,
even if one choice leads to the printed figure. The script fails at a difference without a remark,
and at a remark without a difference.
"""


COUNTS = "| paper | figures | equal as printed | explained |\n|---|---:|---:|---:|"


def whole_page() -> str:
    data = Data()
    assert data.folder  # the page is made whole or not at all: fail before the work
    sections = {paper.title: paper.section(data) for paper in PAPERS}
    lines = [
        f"| [{title}](#{title.lower().replace(',', '').replace(' ', '-')}) "
        "| {} | {} | {} |".format(*section.counts)
        for title, section in sections.items()
    ]
    sums = zip(*(section.counts for section in sections.values()), strict=True)
    lines.append("| all | {} | {} | {} |".format(*map(sum, sums)))
    overview = "\n".join([COUNTS, *lines])
    texts = [section.text for section in sections.values()]
    return "\n\n".join([HEAD.rstrip(), overview, *texts]) + "\n"
