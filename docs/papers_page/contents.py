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

Made by `docs/make_papers_page.py`, from the 129 ad hoc runs and the judgments of TREC-8 (1999)
and from matrices of the scores of 61 systems of TREC-5 (1996); neither is part of the project.
With them in the folders `trec8` and `trec5`,

```
RANKWISE_DATA=folder python docs/make_papers_page.py
```

makes the page anew. A figure is *equal* if what rankwise gets, rounded to the digits that are
printed, is what is printed. It stands with two digits more; where it is not equal it is **bold**,
and the remark says why. The script fails at a difference without a remark, and at a remark
without a difference.
"""


def whole_page() -> str:
    data = Data()
    assert data.folder  # the page is made whole or not at all
    return "\n\n".join([HEAD.rstrip(), *(paper.section(data) for paper in PAPERS)]) + "\n"
