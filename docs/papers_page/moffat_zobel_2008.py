"""Moffat and Zobel (2008): rank-biased precision."""

from typing import Any

import numpy as np

from papers_page.data import Data
from papers_page.figures import Row
from papers_page.page import Paper, Part
from rankwise import WeightedPrecision, parse, score_gains
from rankwise.comparison import TestOptions, compare
from rankwise.judging import depth_for, greatest_p, weight_left
from rankwise.rankings.judged import from_vectors
from rankwise.stats.correlation import dense_ranks, kendall

A = [int(rank in {1, 2, 6, 11, 17}) for rank in range(1, 21)]
RELEVANT = np.flatnonzero(A) + 1
A_UNSURE = [None if rank in {13, 14, 17} else grade for rank, grade in enumerate(A, start=1)]
PS = (0.5, 0.8, 0.95)


def rbp(p: float) -> WeightedPrecision:
    metric = parse(f"RBP(p={p})")
    assert isinstance(metric, WeightedPrecision)
    return metric


def average_precision(_: Data) -> list[Row]:
    more = A[:17] + [1, 1, 1]
    two = [1, 0, 0, 1] + [0] * 6
    third = [score_gains("AP", [*two, *[0] * place, 1, *[0] * (9 - place)]) for place in range(10)]
    cut = "truncated, not rounded; Table I has 0.6316"
    return [
        Row("AP of A, R = 5", "0.6315", score_gains("AP", A), cut),
        Row("AP of A, R = 6", "0.5263", score_gains("AP", A, judged=[1] * 6)),
        Row("AP of A, R = 7", "0.4511", score_gains("AP", A, judged=[1] * 7)),
        Row("AP* of A", "0.6315", score_gains("AP*", A), "the same number, truncated again"),
        Row("AP* of A with 18, 19 and 20 relevant too", "0.5324", score_gains("AP*", more)),
        Row("AP, relevant at 1 and 4, ranks 11–20 unjudged", "0.75", score_gains("AP", two)),
        Row("the same with one of the unjudged relevant: at most", "0.5909", max(third)),
    ]


def table_1(_: Data) -> list[Row]:
    shares = parse("AP").contributions(from_vectors([A]))
    assert shares is not None
    each = shares[shares > 0]
    whole = each.sum()
    return [
        Row("AP", "0.6316", float(whole)),
        Row(
            "total of each relevant document",
            "1.8164 0.8164 0.3164 0.1497 0.0588",
            (5 * each).tolist(),
        ),
        Row("× 1/5", "0.3633 0.1633 0.0633 0.0299 0.0118", each.tolist()),
        Row("in percent", "58 26 10 5 2", (100 * each / whole).tolist()),
    ]


def table_2(_: Data) -> list[Row]:
    printed = {
        0.5: "1.0000 0.5000 0.0313 0.0010 0.0000",
        0.8: "1.0000 0.8000 0.3277 0.1074 0.0281",
        0.95: "1.0000 0.9500 0.7738 0.5987 0.4401",
    }
    totals = dict(zip(PS, ("1.5322", "2.2632", "3.7626"), strict=True))
    scores = dict(zip(PS, ("0.7661", "0.4526", "0.1881"), strict=True))
    rows = []
    for p in PS:
        score = score_gains(rbp(p), A)
        weights = rbp(p).weight(RELEVANT) / (1 - p)
        rows += [
            Row(f"p = {p}: ranks 1, 2, 6, 11, 17", printed[p], weights.tolist()),
            Row(f"p = {p}: total", totals[p], score / (1 - p)),
            Row(f"p = {p}: × (1 − p)", scores[p], score),
        ]
    return rows


def persistence(_: Data) -> list[Row]:
    five = score_gains(rbp(0.95), [1] * 5)
    pages = [100 * weight_left(rbp(0.95), 10 * page) for page in (1, 2)]
    third = "0.95²⁰ = 0.358, which rounds to 36 %; the paper is approximate"
    return [
        Row("p = 0.95: enter a second page of ten, in percent", "roughly 60", pages[0]),
        Row("p = 0.95: enter a third page, in percent", "35", pages[1], third),
        Row(
            "p = 0.5: enter a second page, “one in a thousand”", "0.001", weight_left(rbp(0.5), 10)
        ),
        Row("p = 0.95, five relevant documents: RBP", "< 0.23", five),
        Row(
            "p = 0.95: weight of rank 100, in percent of the weight of rank 1",
            "0.6",
            float(100 * np.divide(*rbp(0.95).weight(np.array([100, 1])))),
        ),
    ]


def residuals(_: Data) -> list[Row]:
    printed = dict(zip(PS, ("0.7661 0.7663", "0.447 0.489", "0.17 0.60"), strict=True))
    rows = []
    for p in PS:
        found = rbp(p).bounds.of(rbp(p), from_vectors([A_UNSURE]), "open")
        assert found is not None
        ends = [float(end[0]) for end in found]
        rows.append(Row(f"A with 13, 14, 17 unjudged, p = {p}: low, high", printed[p], ends))
    depths = [depth_for(rbp(p), 0.0001) for p in PS]
    return [
        *rows,
        Row("p = 0.8, depth 20: residual", "0.012", weight_left(rbp(0.8), 20)),
        Row("depth for a residual < 0.0001, p = 0.5, 0.8, 0.95", "14 42 180", depths),
        Row("greatest p for which depth 100 is sufficient", "0.91", greatest_p(0.0001, 100)),
    ]


def gain(_: Data) -> list[Row]:
    hundred, thousand = (score_gains("DCG(b=2)", [1] * depth) for depth in (100, 1000))
    slip = "123.99 / 21.79 = 5.69, almost 6"
    return [
        Row("DCG, b = 2, all of 100 documents relevant", "21.79", hundred),
        Row("DCG, b = 2, all of 1,000 documents relevant", "123.99", thousand),
        Row("scaled DCG falls from one to the other by", "almost 5", thousand / hundred, slip),
    ]


def table_3(data: Data) -> list[Row]:
    rr, p10, ap = dense_ranks(data.trec5.value.mean(axis=2))
    pairs = len(rr) * (len(rr) - 1) // 2
    tied = pairs - int(np.count_nonzero(np.triu(p10[:, None] != p10)))

    def broken(other: np.ndarray) -> str:
        middle = float(kendall(other, p10, ties="a"))
        low, high = (middle + sign * tied / pairs for sign in (-1, 1))
        order = f"tau is {low:.3f} to {high:.3f}, depending on their order"
        return f"{tied} pairs are tied on P@10: {order}"

    league = "the paper has a league table without ties; "
    by_ties = "tau-b is equal, but the paper does not state how it orders ties; "
    shallow = "the paper computes RR with a pool of depth 10, and we have no matrix of it; "
    nearest = float(np.diff(np.sort(data.trec5.value[2].mean(axis=1))).min())
    turned = round((0.733 - float(kendall(rr, ap))) * pairs / 2)
    swapped = (
        f"reversing {turned} of {pairs:,} pairs of systems would explain the difference. By its "
        "tau of 0.997 with RR under the full pool, the paper's RR reverses three pairs. By AP the "
        f"two nearest systems differ by {nearest:.6f}, less than the rounding to four decimals"
    )
    return [
        Row("P@10 – P@10", "1.000", float(kendall(p10, p10))),
        Row("P@10 – RR", "0.839", float(kendall(p10, rr)), by_ties + broken(rr), depends=True),
        Row("P@10 – AP", "0.846", float(kendall(p10, ap)), league + broken(ap)),
        Row("RR – P@10", "0.841", float(kendall(rr, p10)), shallow + broken(rr)),
        Row("RR – AP", "0.733", float(kendall(rr, ap)), shallow + swapped),
    ]


def table_4(data: Data) -> list[Row]:
    printed = {"RR": "1020 759 1000 752", "P@10": "1141 897 1150 915", "AP": "1259 1077 1164 969"}
    tests: list[dict[str, Any]] = [{"test": "wilcoxon", "raw_ranks": True}, {"test": "t"}]
    asked = [
        TestOptions(correction="none", alpha=alpha, **test)
        for test in tests
        for alpha in (0.05, 0.01)
    ]
    found = [compare(data.trec5, test=one).frame for one in asked]

    def significant(metric: str) -> list[int]:
        return [int(frame.filter(metric=metric)["significant"].sum()) for frame in found]

    return [
        Row("comparisons of two systems", "1830", found[0].filter(metric="AP").height),
        *(Row(metric, cells, significant(metric)) for metric, cells in printed.items()),
    ]


def trec_8(data: Data) -> list[Row]:
    two = (
        "the ad hoc track has 129 runs, and Ahlgren and Grönqvist also count 129 (122 + 7); the "
        "paper does not state which two are missing"
    )
    return [Row("system runs of TREC-8", "127", len(data.runs), two)]


PAPER = Paper(
    "Moffat and Zobel 2008",
    "Rank-biased precision for measurement of retrieval effectiveness. *ACM Transactions on "
    "Information Systems* 27(1). A is its ranking `$$---$----$-----$---`.",
    (
        Part("Section 3.1: average precision", average_precision),
        Part("Table I: contribution of each relevant document to AP", table_1),
        Part("Table II: contribution of each relevant document to RBP", table_2),
        Part("Sections 4.2 and 4.5: persistence", persistence),
        Part("Section 4.4: residuals and depths", residuals),
        Part("Section 4.6: discounted cumulative gain", gain),
        Part(
            "Table III: Kendall's tau between rankings of 61 TREC-5 systems",
            table_3,
            "The first metric of a row uses a pool of depth 10, the second a pool of depth 100. "
            "P@10 is the same with both pools, because both contain the first ten documents.",
            needs="TREC-5",
        ),
        Part(
            "Table IV: pairs of TREC-5 systems that differ significantly",
            table_4,
            "Wilcoxon at 95 % and 99 %, then *t* at 95 % and 99 %; two-tailed. The Wilcoxon test "
            "drops differences of 0, uses the normal approximation and a continuity correction. It "
            "compares differences in floating point, where some equal differences are not tied "
            "(`--raw-ranks`). By default, `compare` ties equal differences, and computes exact "
            "p-values without ties. The numbers are then 1021 and 759 for RR, 1153 and 901 for "
            "P@10, and 1260 and 1079 for AP; see [decisions](decisions.md#tests).",
            needs="TREC-5",
        ),
        Part("Section 5: the runs of TREC-8", trec_8, needs="TREC-8"),
    ),
    "- The other cells of Tables III and IV, and the four taus in the text below Table III, need "
    "the TREC-5 runs or their scores by P@R, RBP and NDCG.\n"
    "- Figures 2, 4, 5 and 6 are plots of TREC-5. `rankwise study moffat-zobel-2008` draws them "
    "for other runs, and [bounds](bounds.md) has Figures 5 and 6 as tables for TREC-8.\n"
    "- The paper reports “similar results (not shown here)” on TREC-8, without numbers.\n"
    "- Two topics of TREC-5 have 433 and 7 relevant documents. The TREC-5 judgments are not among "
    "the data of this page.\n"
    "- 9.21 in Section 4.4 is −ln 0.0001, which rankwise does not compute.",
)
