"""What a published RBP score says at another p.

published.py  the score as printed, and what is impossible
paper.py      R_G, R_L and the full set of vectors of Zhang, Park and Moffat (2008)
sound.py      bounds that hold for every ranking
search.py     rankings that come near the bounds; attained.py: with residuals, for means
answers.py    invert and compare_published; layout.py: the vectors for people
program.py    what several scores say together, of any metrics with fixed weights
"""

from rankwise.published.answers import (
    Inversion,
    PublishedComparison,
    compare_published,
    curve,
    invert,
)
from rankwise.published.program import Implied, implied
from rankwise.published.published import Published, significant_ranks

__all__ = [
    "Implied",
    "Inversion",
    "Published",
    "PublishedComparison",
    "compare_published",
    "curve",
    "implied",
    "invert",
    "significant_ranks",
]
