"""Ahlgren and Grönqvist (2007): bpref-10, RankEff and MAP with incomplete judgments."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from rankwise import correlate, discriminate, overview, stability
from rankwise.charts import judged_by_rank, order_curves, placed, score_curves, system_scores
from rankwise.errors import TooLittle
from rankwise.experiments.stability import Stability
from rankwise.judging import Overview
from rankwise.metrics import Bpref
from rankwise.studies.material import Material, once
from rankwise.studies.paper import Figure, Paper, Table


@once
def _overview(data: Material) -> Overview:
    return overview(data.collection, cutoffs=(100, 1000))


def _facts(data: Material) -> tuple[int, float, float, int]:
    """Return Table 1 (topics, relevant and judged documents per topic), and the number of runs."""
    pool = _overview(data).frame.row(0, named=True)
    relevant, judged = round(pool["relevant"], 1), round(pool["judged"], 1)
    return len(data.judged.topics), relevant, judged, len(data.judged.runs)


PAPER = Paper(
    "ahlgren-gronqvist-2007",
    "Ahlgren and Grönqvist: Evaluation of retrieval effectiveness with incomplete relevance "
    "data: Theoretical and experimental comparison of three measures. IP&M 44(1), 2008 "
    "(online 2007).",
    "Error rates and rank correlation of MAP, bpref-10 and RankEff, and their stability as "
    "judgments are removed.",
    parameters={"splits": 1000, "repeats": 10},
    complete_runs=True,
    names={"AP": "MAP", "Bpref(k=10,norm='full')": "bpref-10"},
    facts=_facts,
)
METRICS = ("AP", "Bpref(k=10,norm='full')", "RankEff")
SIZES = 5  # of topic sets, up to half of the topics
MOVED = 20  # runs of the table of rank changes


@PAPER.part("Table 1", section="2 Test collections", digits=1)
def pools(data: Material) -> pl.DataFrame:
    """The judgments: number of topics, and mean numbers of relevant and of judged documents."""
    pool = _overview(data).frame.head(1)
    topics = pl.lit(len(data.judged.topics), pl.Int64).alias("topics")
    return pool.select(topics, "relevant", "judged")


@PAPER.part("Table 2", section="2 Test collections", digits=1)
def top_1000(data: Material) -> Table:
    """The first 1,000 documents of each ranking: means over runs and topics."""
    table = PAPER.beside("Table 2", Table(_top(data, 1000)), PAPER.collection(data))
    if not data.collection.complete_runs:
        return Table(table.frame, f"{table.remark} Incomplete runs are included.".strip())
    rule = "Runs with fewer than 95 % of 1,000 documents per topic, or with none on some topic"
    return Table(table.frame, f"{rule}, are excluded. {table.remark}".strip())


@PAPER.part("Table 3", section="2 Test collections", digits=2)
def top_100(data: Material) -> Table:
    """The first 100 documents of each ranking: means over runs and topics."""
    by_rank = "The paper's 4.91 unjudged documents need rankings ordered by the rank column."
    differs = PAPER.collection(data) == "TREC-8" and data.collection.order != "rank"
    return Table(_top(data, 100), by_rank if differs else "")


@PAPER.part("Equation 6", section="5 Theoretical comparison of the measures")
def identity(data: Material) -> pl.DataFrame:
    """RankEff equals bpref if only the r highest-ranked judged non-relevant documents count, where
    r is the number of relevant documents of the topic. The table has the means over runs and topics
    of bpref, of this RankEff, and of RankEff over all judged documents. The last column has the
    largest difference between bpref and this RankEff in any ranking. Topics with fewer than r
    judged non-relevant documents are excluded.
    """
    judged, bpref = data.judged, Bpref()
    relevant, others = judged.judged_count(1), judged.judged_count(0, 1)
    presupposed = (relevant > 0) & (others >= relevant)
    if not presupposed.any():
        raise TooLittle(
            "no topic has at least as many judged non-relevant documents as relevant ones."
        )
    scored = bpref.compute(judged)[presupposed]
    # Equation (6): over the r highest-ranked judged non-relevant documents.
    rows = judged.relevant(1)
    below = np.maximum(relevant[rows.ranking] - bpref.above(judged), 0)
    over_highest = (rows.total(below) / np.maximum(relevant, 1) ** 2)[presupposed]
    over_all = data.scores("RankEff").value[0].ravel()[presupposed]
    means = {"bpref": scored, "RankEff, r highest": over_highest, "RankEff": over_all}
    row = {name: float(values.mean()) for name, values in means.items()}
    row["greatest difference"] = float(np.abs(scored - over_highest).max())
    return pl.DataFrame([row])


@PAPER.part("Figure 1", section="3 Motivation")
def judged_at_each_rank(data: Material) -> Figure:
    """Fractions of relevant, judged and unjudged documents at each rank, over all runs and
    topics.
    """
    frame = _overview(data).by_rank
    return Figure(frame, judged_by_rank(frame))


@PAPER.part(
    "Table 5",
    section="6.1 Error rates",
    others=("6", "7"),
    digits_of={"% of best": 1, "% reach": 1},
)
def error_rates(data: Material) -> pl.DataFrame:
    """The smallest difference δ for which at most 5 % of all differences of at least δ between two
    runs change sign on another, disjoint set of topics. δ is also given in percent of the best
    score. The table also has the variance of the runs' means (the paper's column σ) and the square
    root of this variance.
    """
    return _error_rates(data, ())


@PAPER.part("Table 5 by size", section="6.1 Error rates", digits_of={"% of best": 1, "% reach": 1})
def error_rates_by_size(data: Material) -> pl.DataFrame:
    """The same as Table 5, for sets of fewer topics. With more topics z, a smaller difference is
    usually enough.
    """
    half = len(data.judged.topics) // 2
    sizes = {round(half * (place + 1) / SIZES) for place in range(SIZES)} - {0}
    return _error_rates(data, tuple(sorted(sizes)))


@PAPER.part("Table 8", section="6.2 Full pools: correlation between system rankings", digits=3)
def correlations(data: Material) -> pl.DataFrame:
    """Kendall's tau between the system rankings by each pair of measures."""
    _check_two_runs(data)
    taus = correlate(data.scores(*METRICS)).frame
    return taus.select(measure="first", other="second", tau="value")


@PAPER.part("Rank changes", section="6.2 Full pools: correlation between system rankings")
def rank_changes(data: Material) -> pl.DataFrame:
    """Ranks of the runs that change most between the measures, 1 being the best."""
    _check_two_runs(data)
    return correlate(data.scores(*METRICS)).rank_changes().head(MOVED)


@PAPER.part(
    "Figure 2", section="6.2 Full pools: correlation between system rankings", others=("3", "4")
)
def systems(data: Material) -> Figure:
    """The mean score of each run by each measure. Runs are sorted by MAP."""
    scores = data.scores(*METRICS)
    return Figure(placed(scores), system_scores(scores))


@PAPER.part("Figure 5", section="6.3 Effects of gradually reducing relevance data")
def mean_scores_with_fewer_judgments(data: Material) -> Figure:
    """The mean score over runs and topics, by the fraction of judgments in a sample. The shaded
    area is one standard deviation over samples to either side.
    """
    return Figure(_reduced(data).frame, score_curves(_reduced(data)))


@PAPER.part(
    "Figure 6", section="6.3 Effects of gradually reducing relevance data", others=("7", "8")
)
def orders_with_fewer_judgments(data: Material) -> Figure:
    """Kendall's tau between the system rankings by samples of the judgments and by all."""
    return Figure(_reduced(data).frame, order_curves(_reduced(data)))


@PAPER.part(
    "Figure 6 without contributions", section="6.3 Effects of gradually reducing relevance data"
)
def orders_without_contributions(data: Material) -> Figure:
    """The same as Figure 6, but each run is scored as if it had not contributed to the pool:
    without the judged documents that only this run has in its top 100. Tau compares with the system
    ranking by all judgments.
    """
    found = _reduced(data, alone=True)
    return Figure(found.frame, order_curves(found))


def _check_two_runs(data: Material) -> None:
    if len(data.judged.runs) < 2:
        raise TooLittle("ranks can only change between two runs or more; there is only one.")


def _error_rates(data: Material, sizes: Sequence[int]) -> pl.DataFrame:
    splits = int(data.parameters["splits"])
    found = discriminate(
        data.scores(*METRICS), method="error-rate", resamples=splits, sizes=sizes, seed=data.seed
    )
    return found.frame.drop("method", "alpha")


def _top(data: Material, cutoff: int) -> pl.DataFrame:
    found = _overview(data).frame.filter(of=f"top {cutoff}")
    return found.select("runs", pl.col("documents").alias("retrieved"), "relevant", "unjudged")


def _reduced(data: Material, *, alone: bool = False) -> Stability:
    """Score runs with samples of the judgments; if `alone`, each as if it were not in the pool."""
    if alone and len(data.judged.runs) < 2:
        raise TooLittle("there is only one run: without it the pool is empty.")
    found = _samples(data)
    return found if alone else found.with_own or found


@once
def _samples(data: Material) -> Stability:
    runs = data.judged.runs
    return stability(
        data.collection,
        metrics=METRICS,
        by="sample",
        resamples=int(data.parameters["repeats"]),
        seed=data.seed,
        groups={run: run for run in runs} if len(runs) > 1 else None,
    )
