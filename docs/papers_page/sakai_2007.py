"""Sakai (2007): metrics for finding one highly relevant document."""

from math import sqrt
from statistics import NormalDist

from papers_page.data import Data
from papers_page.figures import Row
from papers_page.page import Paper, Part
from rankwise import score_gains
from rankwise.stats.correlation import sakai_least_tau

S, A, B = 3, 2, 1
ONE_OF_EACH = [S, A, B]
X, Y, Z = [B, 0], [0, S], [B, S]
OTHER_GAINS = "O(gains={1:1,2:1.5,3:2})"


def figure_2(_: Data) -> list[Row]:
    third = [0, 0, S]
    return [
        Row("NWRR, S at rank 3", "1/5", score_gains("NWRR", third, judged=[S])),
        Row("O, one S in all", "2/3", score_gains("O", third, judged=[S])),
        Row("O, three S or more", "1/3", score_gains("O", third, judged=[S, S, S])),
    ]


def figure_3(_: Data) -> list[Row]:
    def scores(metric: str, *systems: list[int]) -> list[float]:
        return [score_gains(metric, system, judged=ONE_OF_EACH) for system in systems]

    def better(metric: str) -> str:
        x, y = scores(metric, X, Y)
        return "X" if x > y else "Y"

    inverse = ONE_OF_EACH[::-1]
    return [
        Row("O of X and Y", "0.50 0.57", scores("O", X, Y)),
        Row("O of Z, equal to O of X", "0.50", scores("O", Z)[0]),
        Row("P of X, Y and Z", "0.50 0.57 0.86", scores("P-measure", X, Y, Z)),
        Row("better by NWRR", "X", better("NWRR")),
        Row("better by O", "Y", better("O")),
        Row("better by O with gains 2, 1.5, 1", "X", better(OTHER_GAINS)),
        Row("P of the inverse of the ideal", "1", scores("P-measure", inverse)[0]),
        Row("P⁺ of the inverse of the ideal", "0.74", scores("P-plus", inverse)[0]),
    ]


def threshold(_: Data) -> list[Row]:
    tau = sakai_least_tau(30, 0.01)
    z = 0.33 / sqrt((4 * 30 + 10) / (9 * 30 * 29))
    up = f"rounded up, because at 0.33 p is {2 * NormalDist().cdf(-z):.4f}"
    return [Row("n = 30: tau is significant at 0.01 if it is greater than", "0.34", tau, up)]


def appendix(_: Data) -> list[Row]:
    first = [S] * 10 + [A] * 6 + [B] * 36
    second = [S] * 5 + [A] * 288 + [B] * 61
    others = [A] * 137 + [B] * 28
    gap = [0] * (424 - 3 - len(others))
    early, late = [0, B, *others, *gap, S], [0, B, *gap, *others[::-1], S]
    slip = "3 × 10 + 2 × 6 + 36 = 78; BR(913) rounds to 0.004 with both"
    ends = [score_gains("P-plus", ranking, judged=second) for ranking in (late, early)]
    where = (
        "depends on the ranks of the other documents, which the paper does not state: all just "
        "above rank 424, or all just below rank 2"
    )
    return [
        Row("topic 020: ideal cumulative gain at 913", "48", gained(first), slip),
        Row(
            "topic 020: O, P and P⁺",
            "0.004 0.004 0.004",
            [score_gains(m, [0] * 912 + [S], judged=first) for m in ("O", "P-measure", "P-plus")],
        ),
        Row("topic 034: cumulative gain at 424, ideal", "306 652", [gained(late), gained(second)]),
        Row("topic 034: relevant documents down to 424", "167", score_gains("NumRelRet", late)),
        Row("topic 034: P", "0.440", score_gains("P-measure", late, judged=second)),
        Row("topic 034: P⁺", "0.454", f"{ends[0]:.3f} to {ends[1]:.3f}", where),
        Row("topic 034: O", "0.250", score_gains("O", late, judged=second)),
    ]


def gained(ranking: list[int]) -> float:
    """Return the sum of the gains, as DCG with a base so large that no rank is discounted."""
    return score_gains(f"DCG(b={len(ranking)})", ranking)


PAPER = Paper(
    "Sakai 2007",
    "On the properties of evaluation metrics for finding one highly relevant document. *IPSJ "
    "Digital Courier* 3. Grades S, A and B have gains 3, 2 and 1.",
    (
        Part("Figure 2: O and NWRR", figure_2),
        Part(
            "Figure 3 and Section 3.3: O, P and P⁺",
            figure_3,
            "One S, one A and one B are judged. X has the B at rank 1, Y the S at rank 2, Z both.",
        ),
        Part("Section 4.1: Kendall's tau", threshold),
        Part("Appendix: two topics of NTCIR", appendix),
    ),
    "- Tables 1 to 9 and Figures 8 to 10 use NTCIR data, which is not among the data of this page. "
    "`rankwise study sakai-2007` makes them for other graded judgments. Tables 3, 4 and 6 also "
    "have percentages, which are quotients of their numbers; rankwise does not compute them.",
)
