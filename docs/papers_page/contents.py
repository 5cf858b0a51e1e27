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
HEAD = """# What the papers print, and what rankwise gets

Every figure of five papers that can be checked with the 129 ad hoc runs and the judgments of
TREC-8 (1999), with matrices of the scores of 61 systems of TREC-5 (1996), or with nothing at all.
The data is not part of the project. With it in the folders `trec8` and `trec5` of a folder,

```
RANKWISE_DATA=folder python docs/make_papers_page.py
```

regenerates this page, in a minute. A figure is *equal* if what rankwise gets, rounded to the
digits that are printed, is what is printed. It stands here with two digits more. Where it is not
equal it is **bold**, and the remark says why; so is a figure that depends on a choice which the
paper does not state, even if one choice gives what is printed. The script fails at a difference
without a remark, and at a remark without a difference.
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
