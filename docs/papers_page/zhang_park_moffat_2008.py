"""Zhang, Park and Moffat (2008): parameter sensitivity in rank-biased precision."""

from papers_page.data import Data
from papers_page.figures import Row
from papers_page.moffat_zobel_2008 import rbp
from papers_page.page import Paper, Part
from rankwise import CallError, score_gains
from rankwise.judging import weight_left
from rankwise.published import Published, curve, invert, significant_ranks
from rankwise.published.published_score import nearest_attainable

SMALL = 0.001  # a p′ near 0


def worked(_: Data) -> list[Row]:
    so_far = score_gains("RBP(p=0.8)", [1, 0, 0, 0, 1])
    rest = score_gains("RBP(p=0.8)", [0, 0, 0, 0, 0, 0, 1, 1])
    return [
        Row(
            "RBP of 11010001, p = 0.5", "0.816", score_gains("RBP(p=0.5)", [1, 1, 0, 1, 0, 0, 0, 1])
        ),
        Row(
            "p = 0.5: largest contribution of the ranks from 12 on, × 10⁴",
            "4.88",
            1e4 * weight_left(rbp(0.5), 11),
        ),
        Row(
            "p = 0.5: ranks to judge for a precision of 0.001", "11", significant_ranks(0.5, 0.001)
        ),
        Row(
            "RBP of 10001, p = 0.8",
            "0.2812",
            so_far,
            "0.2 + 0.2 × 0.8⁴ = 0.28192; a misprint in the paper",
        ),
        Row(
            "p = 0.8: largest contribution of ranks 7 and 8",
            "0.0943",
            rest,
            "0.094372; truncated, not rounded",
        ),
        Row("the two together; so r₆ must be 1", "< 0.4", so_far + rest),
    ]


def table_1(_: Data) -> list[Row]:
    printed = {
        0.5: "8 15 28",
        0.7: "15 28 54",
        0.8: "24 45 86",
        0.9: "51 94 182",
        0.95: "104 194 373",
        0.99: "528 986 1,001",
    }
    misprint = (
        "the rule for the other 17 figures, the least i with pⁱ < precision / 2, leads to 1,902"
    )
    return [
        Row(
            f"p = {p}",
            cells,
            [significant_ranks(p, precision) for precision in (1e-2, 1e-4, 1e-8)],
            misprint if p == 0.99 else "",
        )
        for p, cells in printed.items()
    ]


def gaps(_: Data) -> list[Row]:
    gap = nearest_attainable(0.2, 0.5)
    assert gap is not None
    return [
        Row("p = 0.2: con(1)", "0.8", score_gains("RBP(p=0.2)", [1])),
        Row("p = 0.2: rem(1)", "0.2", weight_left(rbp(0.2), 1)),
        Row("p = 0.2: no score between", "0.2 0.8", gap),
        Row("p = 0.2, S = 0.5", "infeasible", feasible(0.2, 0.5)),
    ]


def feasible(p: float, score: float) -> str:
    try:
        invert(p, score)
    except CallError:
        return "infeasible"
    return "feasible"


def convergence(_: Data) -> list[Row]:
    """The caption: both converge to 1 if S ≥ p, both to 0 if S ≤ 1 − p."""
    one = "S = p does not force a 1 at rank 1; S > p does"
    nought = "S = 1 − p does not force a 0 at rank 1; S < 1 − p does"
    printed = {
        (0.2, 0.2): ("both 1 and both 0", one),
        (0.2, 0.8): ("both 1 and both 0", nought),
        (0.5, 0.2): ("both 0", ""),
        (0.5, 0.5): (
            "both 1 and both 0",
            "S is at both limits and determines nothing: R_G converges to 1, R_L to 0",
        ),
        (0.5, 0.8): ("both 1", ""),
        (0.8, 0.2): ("both 0", nought),
        (0.8, 0.5): ("apart", ""),
        (0.8, 0.8): ("both 1", one),
    }
    return [
        Row(f"p = {p}, S = {score}", words, converging(p, score), remark)
        for (p, score), (words, remark) in printed.items()
    ]


def converging(p: float, score: float) -> str:
    near = curve(Published(p, score), [SMALL], "paper")
    ends = {round(near[name][0], 2) for name in ("R_G", "R_L")}
    return "apart" if len(ends) > 1 else f"both {ends.pop():g}"


PAPER = Paper(
    "Zhang, Park and Moffat 2008",
    "Parameter sensitivity in rank-biased precision. *Proceedings of the 13th Australasian "
    "Document Computing Symposium*.",
    (
        Part("Sections 2 and 3: worked examples", worked),
        Part("Table 1: significant ranks at a precision of 10⁻², 10⁻⁴ and 10⁻⁸", table_1),
        Part("Section 6: unattainable scores", gaps),
        Part(
            "Figure 3: limits of R_G and R_L as p′ approaches 0",
            convergence,
            "“Printed” is the statement of the caption: both converge to 1 if S ≥ p, and both to 0 "
            "if S ≤ 1 − p. At the limits this is not true. S = p is possible without rank 1, and S "
            "= 1 − p with rank 1 alone. If both rules apply, they contradict each other. The panel "
            "of p = 0.2 and S = 0.5 is missing, as in the paper.",
        ),
    ),
    "- Figures 1, 2 and 4 are plots without numbers. `rankwise study zhang-park-moffat-2008` draws "
    "2, 3 and 4.\n"
    "- The paper states that R_G and R_L are the extremes at any other p. This is not true: "
    "[inversion](inversion.md) has a counterexample, valid bounds, and the experiment on TREC-8 "
    "that the conclusion of the paper asks for.",
)
