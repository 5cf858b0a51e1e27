"""Ahlgren and Grönqvist (2007): bpref-10, RankEff and MAP with incomplete judgments."""

import polars as pl

from rankwise.charts.overview import judged_by_rank
from rankwise.charts.scores import placed, system_scores
from rankwise.charts.stability import order_curves, score_curves
from rankwise.experiments.discrimination.result import discriminate
from rankwise.experiments.stability.result import Stability, stability
from rankwise.judging.collection import Overview
from rankwise.stats.correlation import dense_ranks, kendall
from rankwise.studies.material import Material
from rankwise.studies.paper import Figure, Paper

PAPER = Paper(
    "ahlgren-gronqvist-2007",
    "Ahlgren and Grönqvist: Evaluation of retrieval effectiveness with incomplete relevance "
    "data: theoretical and experimental comparison of three measures. IP&M 44(1), 2008.",
    "How error-prone MAP, bpref-10 and RankEff are, how alike, and how they hold as judgments "
    "are taken away.",
    parameters={"splits": 1000, "repeats": 10},
    complete_runs=True,
    own_data={"topics": 50, "relevant": 94.6, "judged": 1736.6},  # TREC-8
    names={"AP": "MAP", "Bpref(k=10,norm='full')": "bpref-10"},
)
METRICS = ("AP", "Bpref(k=10,norm='full')", "RankEff")


@PAPER.part(
    "Table 1",
    section="2 Test collections",
    digits=1,
    printed={"relevant": ("94.6",), "judged": ("1736.6",)},
)
def pools(data: Material) -> pl.DataFrame:
    """The judgments: topics, and the mean numbers of relevant and of judged documents."""
    pool = _overview(data).frame.row(0, named=True)
    counts = {name: pool[name] for name in ("relevant", "judged")}
    return pl.DataFrame([{"topics": len(data.judged.topics), **counts}])


@PAPER.part(
    "Table 2",
    section="2 Test collections",
    digits=1,
    printed={"retrieved": ("997.5",), "relevant": ("53.2",), "unjudged": ("555.3",)},
)
def top_1000(data: Material) -> pl.DataFrame:
    """The first 1,000 documents of each ranking: means over runs and topics. Runs with fewer
    than 95 % of all documents that they could have, or with an empty topic, are left out
    unless all runs were asked for."""
    return _top(data, 1000)


@PAPER.part(
    "Table 3",
    section="2 Test collections",
    digits=2,
    printed={"retrieved": ("99.97",), "relevant": ("21.0",), "unjudged": ("4.91",)},
)
def top_100(data: Material) -> pl.DataFrame:
    """The first 100 documents of each ranking: means over runs and topics. The paper's 4.91
    unjudged documents for TREC-8 come out with --order rank, which takes runs in the order of
    their rank column and not of their scores."""
    return _top(data, 100)


@PAPER.part("Figure 1", section="3 Motivation")
def judged_at_each_rank(data: Material) -> Figure:
    """The shares of relevant, judged and unjudged documents at each rank, over all runs and
    topics."""
    frame = _overview(data).by_rank
    return Figure(frame, judged_by_rank(frame))


@PAPER.part(
    "Table 5",
    section="6.1 Error rates",
    others=("6", "7"),
    digits_of={"% of best": 1, "% reach": 1},
    printed={
        "best": ("0.413", "0.455", "0.745"),
        "difference": ("0.030", "0.034", "0.038"),
        "variance": ("0.0081", "0.0072", "0.0252"),
    },
)
def error_rates(data: Material) -> pl.DataFrame:
    """The least difference δ such that of all differences of at least δ between two runs no
    more than 5 % change sign on another, disjoint set of topics; as a share of the best
    score; and the variance of the runs' means (which the paper's column σ holds) with its
    root."""
    scores = data.scores(*METRICS)
    splits = int(data.parameters["splits"])
    found = discriminate(scores, method="error-rate", count=splits, seed=data.seed)
    return found.frame.drop("method", "alpha")


@PAPER.part(
    "Table 8",
    section="6.2 Full pools: correlation between system rankings",
    digits=3,
    printed={"tau": ("0.932", "0.856", "0.823")},
)
def correlations(data: Material) -> pl.DataFrame:
    """Kendall's tau between the orders of runs by each pair of measures."""
    means = dense_ranks(data.scores(*METRICS).pivot().select(METRICS).to_numpy().T)
    pairs = [(0, 1), (0, 2), (1, 2)]
    taus = [float(kendall(means[a], means[b])) for a, b in pairs]
    names = {"measure": [METRICS[a] for a, _ in pairs], "other": [METRICS[b] for _, b in pairs]}
    return pl.DataFrame({**names, "tau": taus}).fill_nan(None)


@PAPER.part(
    "Figure 2",
    section="6.2 Full pools: correlation between system rankings",
    others=("3", "4"),
)
def systems(data: Material) -> Figure:
    """The mean of each run by each measure, the runs ordered by MAP."""
    scores = data.scores(*METRICS)
    return Figure(placed(scores), system_scores(scores))


@PAPER.part("Figure 5", section="6.3 Effects of gradually reducing relevance data")
def mean_scores_with_fewer_judgments(data: Material) -> Figure:
    """The mean over runs and topics with samples of the judgments; shaded, one standard
    deviation over samples to either side."""
    return Figure(_reduced(data).frame, score_curves(_reduced(data)))


@PAPER.part(
    "Figure 6", section="6.3 Effects of gradually reducing relevance data", others=("7", "8")
)
def orders_with_fewer_judgments(data: Material) -> Figure:
    """Kendall's tau between the orders of runs by samples of the judgments and by all of
    them."""
    return Figure(_reduced(data).frame, order_curves(_reduced(data)))


def _overview(data: Material) -> Overview:
    return Overview(data.judged, (100, 1000))


def _top(data: Material, cutoff: int) -> pl.DataFrame:
    found = _overview(data).frame.filter(of=f"top {cutoff}")
    return found.select("runs", pl.col("documents").alias("retrieved"), "relevant", "unjudged")


def _reduced(data: Material) -> Stability:
    def reduce() -> Stability:
        repeats = int(data.parameters["repeats"])
        return stability(
            *(data.qrels, data.runs, METRICS),
            by="sample",
            repeats=repeats,
            seed=data.seed,
            **data.scoring,
        )

    return data.once("reduced", reduce)
