"""Ahlgren and Grönqvist (2007): bpref-10, RankEff and MAP with incomplete judgments."""

from collections import Counter
from dataclasses import replace
from typing import Any

from papers_page.data import SAMPLES, Data
from papers_page.figures import Row
from papers_page.page import Paper, Part
from rankwise import Scores, properties, score_gains
from rankwise.experiments.discrimination.discrimination import discriminate
from rankwise.judging import sample_judgments
from rankwise.judging.samples import SHARES
from rankwise.stats.correlation import dense_ranks, kendall

M1, M2 = ([int(rank in {1, second}) for rank in range(1, 31)] for second in (14, 30))
SEEDS = range(10)
DROP = 0.9  # of tau


def worked(_: Data) -> list[Row]:
    six = [1, 1, 0, 0, 0, 0]
    judged = {"1": {str(place): int(place < 40) for place in range(240)}}
    grades = sample_judgments(judged, 0.95).frame["grade"]
    return [
        Row(
            "Section 4.2: RankEff of M₁ with all six judged documents retrieved",
            "1",
            score_gains("RankEff", six),
        ),
        Row(
            "RankEff of M₂ with two irrelevant documents not retrieved",
            "1",
            score_gains("RankEff", six[:4], judged=six),
        ),
        Row(
            "Table 4: bpref-10 of M₁, M₂",
            "0.500 0.500",
            [score_gains("bpref-10", m) for m in (M1, M2)],
        ),
        Row(
            "Table 4: RankEff of M₁, M₂",
            "0.786 0.500",
            [score_gains("RankEff", m) for m in (M1, M2)],
        ),
        Row(
            "Section 6.3: 95 % of 40 relevant and of 200 irrelevant documents",
            "38 190",
            [int((grades == grade).sum()) for grade in (1, 0)],
        ),
    ]


def swap(_: Data) -> list[Row]:
    found = properties(["RankEff", "AP", "bpref-10"]).matrix()["SWAP"]
    return [Row("RankEff, AP, bpref-10", "Yes Yes No", ["Yes" if one else "No" for one in found])]


def tables_1_to_3(data: Data) -> list[Row]:
    summary = {row["of"]: row for row in data.seen.frame.iter_rows(named=True)}
    pool = summary["pool"]

    def top(cutoff: int, printed: str) -> Row:
        found = summary[f"top {cutoff}"]
        what = f"Table {2 if cutoff == 1000 else 3}: first {cutoff:,} documents"
        names = ("runs", "documents", "relevant", "unjudged")
        return Row(
            f"{what}: runs, retrieved, relevant, unjudged", printed, [found[n] for n in names]
        )

    kept = len(data.seen.judged.runs)
    return [
        Row("Table 1: topics", "50", len(data.seen.judged.topics)),
        Row("Table 1: relevant, judged", "94.6 1736.6", [pool["relevant"], pool["judged"]]),
        Row("excluded runs", "7", len(data.runs) - kept),
        top(1000, "122 997.5 53.2 555.3"),
        top(100, "122 99.97 21.0 4.91"),
    ]


def error_rates(scores: Scores, seed: int = 0) -> list[dict[str, Any]]:
    return discriminate(scores, method="error-rate", resamples=1000, seed=seed).frame.to_dicts()


def table_5(data: Data) -> list[Row]:
    scores = data.trec8
    found = error_rates(scores)
    rankeff = replace(scores, metrics=scores.metrics[2:], value=scores.value[2:])
    best, delta, percent, variance = (
        [row[column] for row in found] for column in ("best", "difference", "% of best", "variance")
    )
    deltas = Counter(error_rates(rankeff, seed)[0]["difference"] for seed in SEEDS)
    seeds = ", ".join(f"{value:.3f} for {times}" for value, times in sorted(deltas.items()))
    random = f"the δ of RankEff depends on the random topic sets; of {len(SEEDS)} seeds: {seeds}"
    share = f"follows from δ; 100 × 0.038 / {best[2]:.3f} = {3.8 / best[2]:.1f}"
    edge = f"the value of RankEff is {variance[2]:.8f}, at the limit of rounding"
    return [
        Row("best: MAP, bpref-10, RankEff", "0.413 0.455 0.745", best),
        Row("δ", "0.030 0.034 0.038", delta, random),
        Row("δ in percent of the best", "7.3 7.5 5.1", percent, share),
        Row("σ", "0.0081 0.0072 0.0252", variance, edge),
    ]


def table_8(data: Data) -> list[Row]:
    ap, bpref, rankeff = dense_ranks(data.trec8.value.mean(axis=2))
    return [
        Row("MAP – bpref-10", "0.932", float(kendall(ap, bpref))),
        Row("MAP – RankEff", "0.856", float(kendall(ap, rankeff))),
        Row("bpref-10 – RankEff", "0.823", float(kendall(bpref, rankeff))),
    ]


def figure_6(data: Data) -> list[Row]:
    frame = data.sampled.frame.sort("keep", descending=True)
    below = frame.filter(frame["tau"] < DROP)["keep"][0]
    return [
        Row(
            "percentage of judgments kept, and removed, at which the tau of RankEff is first below "
            "0.9",
            "10 90",
            [round(100 * below), round(100 * (1 - below))],
        )
    ]


PAPER = Paper(
    "Ahlgren and Grönqvist 2007",
    "Evaluation of retrieval effectiveness with incomplete relevance data: theoretical and "
    "experimental comparison of three measures. *Information Processing and Management* 44(1), "
    "2008, online 2007.",
    (
        Part("Worked examples", worked),
        Part(
            "Appendix: the SWAP property",
            swap,
        ),
        Part(
            "Tables 1 to 3: TREC-8",
            tables_1_to_3,
            "Runs with fewer than 95 % of 50 × 1,000 documents, or without documents for a topic, "
            "are excluded. Documents are ordered by the ranks in the run files. If they are "
            "ordered by score, only the last figure changes.",
            needs="TREC-8",
        ),
        Part(
            "Table 5: error rates, TREC-8",
            table_5,
            "There are 1,000 random pairs of disjoint sets of 25 topics. δ is the smallest "
            "difference, in steps of 0.002, for which at most 5 % of all differences of at least δ "
            "change sign. The column σ, “standard deviation”, contains the population variance. "
            "Documents are ordered by score, here and in Table 8.",
            needs="TREC-8",
        ),
        Part("Table 8: Kendall's tau between system rankings, TREC-8", table_8, needs="TREC-8"),
        Part(
            "Section 6.3.2: fewer judgments, TREC-8",
            figure_6,
            f"The tau is a mean over {SAMPLES} random samples at each of {len(SHARES)} sizes from "
            "1 to 95 %. The paper does not mention more than one sample.",
            needs="TREC-8",
            slow=True,
        ),
    ),
    "- Table 1, TREC-12: the paper has 100 topics with 60.7 relevant and 1288.0 judged documents "
    "on average. For the public qrels of the TREC 2003 Robust Track (listed at "
    "trec.nist.gov/data/qrels_eng), 60.740 and 1287.960 were reported, which round to the printed "
    "figures. These qrels are not among the data of this page, so the figures are not checked here "
    "and not in the totals above.\n"
    "- TREC-10 and TREC-12 (other rows of Tables 1, 2, 3 and 8, Tables 6 and 7, Figures 1, 3, 4, "
    "5, 7 and 8): their runs are not among the data of this page.\n"
    "- Documents and gigabytes of Table 1: the collection is not among the data of this page.\n"
    "- Figures 2 and 6 (TREC-8) are plots without numbers. `rankwise study ahlgren-gronqvist-2007` "
    "draws them.\n"
    "- RankEff of M₂ in Section 4.2 under the first definition: the paper then amends the "
    "definition, and rankwise implements only the amended definition.",
)
