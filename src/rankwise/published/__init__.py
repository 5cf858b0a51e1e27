"""Published scores: ranges of RBP at another p, comparisons, and ranges of other metrics."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.published.inversion import (
        Inversion as Inversion,
        PublishedComparison as PublishedComparison,
        compare_published as compare_published,
        curve as curve,
        invert as invert,
    )
    from rankwise.published.linear_program import Implied as Implied, implied as implied
    from rankwise.published.outer import outer_range as outer_range
    from rankwise.published.published_score import (
        Published as Published,
        check_persistence as check_persistence,
        nearest_attainable as nearest_attainable,
        significant_ranks as significant_ranks,
    )
    from rankwise.published.vectors import bounding_vectors as bounding_vectors
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__, public=True)

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
