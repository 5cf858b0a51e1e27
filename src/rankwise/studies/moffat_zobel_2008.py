"""Moffat and Zobel (2008): rank-biased precision, on the user's runs and judgments."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from rankwise import (
    CoefficientName,
    Collection,
    JudgedRankings,
    Scores,
    TestOptions,
    compare,
    correlate,
    overview,
    parse,
    stability,
    user_model,
)
from rankwise.charts import bounds_by_depth, bounds_by_persistence, scores_by_run
from rankwise.errors import TooLittle
from rankwise.experiments.stability import Stability
from rankwise.judging import Cuttable
from rankwise.metrics import AP
from rankwise.rankings import incomplete
from rankwise.studies.material import Material, once, scored
from rankwise.studies.paper import Figure, Paper


def _facts(data: Material) -> tuple[str, str, int, int]:
    topics = data.judged.topics
    return topics[0], topics[-1], len(topics), len(data.judged.runs)


PAPER = Paper(
    "moffat-zobel-2008",
    "Moffat and Zobel: Rank-Biased Precision for Measurement of Retrieval Effectiveness. "
    "ACM TOIS 27(1), 2008.",
    "Comparison of RBP with other metrics: shallow pools, correlation of system rankings, and "
    "significant differences.",
    parameters={"pool_depth": 10},
    names={
        "Rprec": "P@R",
        "nDCG": "NDCG",
        **{f"RBP(p={p})": f"RBP, p = {p}" for p in ("0.5", "0.8", "0.95")},
    },
    facts=_facts,
)
RBP = ("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
METRICS = ("RR", "P@10", "Rprec", "AP", *RBP, "nDCG")
REFERENCES = ("RR", "P@10", "Rprec", "AP")
TESTS = {
    "Wilcoxon": TestOptions("wilcoxon", "none", raw_ranks=True),
    "tied": TestOptions("wilcoxon", "none"),
    "t": TestOptions("t", "none"),
}
FULL = "all judgments"
DEPTHS = tuple(np.unique(np.geomspace(1, 1000, 40).round().astype(int)).tolist())
PERSISTENCES = tuple(np.round(np.arange(0.05, 1.0, 0.05), 2).tolist())
A = "11000100001000001000"  # the ranking of the paper's examples
PAGE = 10  # results on a page


@PAPER.part("Figure 1", section="2 Effectiveness metrics", digits=1)
def zones(data: Material) -> pl.DataFrame:
    """Zones of the figure, as means over topics for each run. Retrieved documents are relevant,
    judged non-relevant or unjudged. Judged documents that are not retrieved are relevant (missed)
    or not (spared).
    """
    frame = overview(data.collection).by_zone
    counts = [pl.col(name).mean() for name in frame.columns[2:]]
    return frame.group_by("run", maintain_order=True).agg(counts)


@PAPER.part("Recall and precision", section="2 Effectiveness metrics")
def recall_and_precision(data: Material) -> Figure:
    """Interpolated precision at eleven levels of recall, averaged over topics, for two systems
    with complete runs: the best and the median by RBP with p = 0.8.
    """
    chosen = _systems(data)
    judged = data.judged.where_runs([run in chosen for run in data.judged.runs])
    found = scored(judged, [f"IPrec@{tenth / 10:g}" for tenth in range(11)])
    return Figure(found.mean().select("run", "metric", "value"), found.chart())


@PAPER.part("Figure 2", section="3 Average precision")
def average_precision_and_the_pool(data: Material) -> Figure:
    """Mean average precision of each system with all judgments, against its mean average precision
    with the judgments of a shallow pool. Systems on the dotted line do not change. Below the line
    are systems whose average precision falls when more documents are judged."""
    found = _pools(data, ("AP",))
    return Figure(found.by_run(), scores_by_run(found))


@PAPER.part("Table I", section="4 Rank-biased precision", digits_of={"percent": 0})
def parts_of_average_precision(_data: Material) -> pl.DataFrame:
    """Contribution of each of five relevant documents to the average precision of the ranking
    $$---$----$-----$---, and its share of the total.
    """
    ranking = _of_example()
    found = AP().contributions(ranking)[ranking.grade > 0]
    ranks = ranking.rank[ranking.grade > 0]
    return pl.DataFrame({"rank": ranks, "AP": found, "percent": 100 * found / found.sum()})


@PAPER.part("Figure 3", section="4.1 Patient and impatient users")
def users(_data: Material) -> Figure:
    """Probability that a user of rank-biased precision sees each rank, if the user continues to the
    next document with probability p.
    """
    found = user_model(RBP)
    return Figure(found.by_rank(), found.chart())


@PAPER.part("Users", section="4.1 Patient and impatient users")
def how_far_users_look(_data: Material) -> pl.DataFrame:
    """Mean number of documents that a user sees, the probabilities to see the second and the
    third page of ten results (at p = 0.95 about 60 % and 35 %), and the depth below which
    documents change a score by less than 0.0001 (14, 42 and 180 in section 4.4).
    """
    frame = user_model((*RBP, "P@10", "InvSq"), page=PAGE).frame
    return frame.select("metric", "seen", "page 2", "page 3", "depth")


@PAPER.part("Table II", section="4.2 Rank-biased precision")
def parts_of_rank_biased_precision(_data: Material) -> pl.DataFrame:
    """Weight of each of the five relevant documents of Table I at three values of p, before
    multiplication by 1 − p.
    """
    ranking = _of_example()
    ranks = ranking.rank[ranking.grade > 0]
    columns = {}
    for name in RBP:
        weights = parse(name).weighted
        assert weights is not None
        columns[name] = weights.weight(ranks) / weights.weight(np.array([1]))
    return pl.DataFrame({"rank": ranks, **columns})


@PAPER.part("Figure 4", section="4.2 Rank-biased precision")
def rank_biased_precision_and_the_pool(data: Material) -> Figure:
    """The same as Figure 2, for rank-biased precision at three values of p: its scores never fall
    when more documents are judged, and hardly change if p is small.
    """
    found = _pools(data, RBP)
    return Figure(found.by_run(), scores_by_run(found))


@PAPER.part("Figure 5", section="4.4 Bounding the residual error")
def bounds_and_depth(data: Material) -> Figure:
    """Upper and lower bounds of the mean RBP by evaluation depth, with the judgments of a shallow
    pool and with all. The system is the best by RBP with p = 0.8, among the systems with complete
    runs.
    """
    rows = []
    system = _systems(data)[0]
    for pool, judged in _judgments(data, [system]).items():
        for depth in DEPTHS:
            found = scored(judged.top(depth), RBP, bounds=True).mean()
            named = {"run": pl.lit(system), "pool": pl.lit(pool), "depth": pl.lit(depth)}
            rows.append(found.select("metric", "low", "high").with_columns(**named))
    frame = pl.concat(rows).sort("metric", maintain_order=True)
    frame = frame.select("run", "pool", "metric", "depth", "low", "high")
    return Figure(frame, bounds_by_depth(frame))


@PAPER.part("Figure 6", section="4.5 Choosing a value for p")
def bounds_and_persistence(data: Material) -> Figure:
    """Upper and lower bounds of the mean RBP of two systems with complete runs, the best and the
    median by RBP with p = 0.8, as a function of p with the judgments of a shallow pool (bands),
    and their RBP with all judgments (lines).
    """
    metrics, systems = [parse(f"RBP(p={p!r})") for p in PERSISTENCES], _systems(data)
    shallow, full = (
        scored(judged, metrics, bounds=True).mean() for judged in _judgments(data, systems).values()
    )
    p_of = {str(metric): p for metric, p in zip(metrics, PERSISTENCES, strict=True)}
    frame = (
        shallow.select("run", "metric", "low", "high")
        .join(full.select("run", "metric", "value"), on=["run", "metric"])
        .with_columns(pl.col("metric").replace_strict(p_of).alias("p"))
        .select("run", "p", "low", "high", "value")
    )
    chosen = pl.concat([frame.filter(run=system).sort("p") for system in systems])
    return Figure(chosen, bounds_by_persistence(chosen))


@PAPER.part("Table III", section="5 RBP versus AP in retrieval experiments", digits=3)
def agreement_of_metrics(data: Material) -> pl.DataFrame:
    """Kendall's tau-b between the system rankings by each metric, with the judgments of a
    shallow pool and with all, and by four metrics with all judgments."""
    return _agreement(data, "kendall")


@PAPER.part("Table III by Spearman", section="5 RBP versus AP in retrieval experiments", digits=3)
def agreement_by_spearman(data: Material) -> pl.DataFrame:
    """The same as Table III, by Spearman's rank correlation, which according to the paper gave
    similar results.
    """
    return _agreement(data, "spearman")


@PAPER.part("Table III of pools", section="5 RBP versus AP in retrieval experiments", digits=3)
def agreement_of_pools(data: Material) -> pl.DataFrame:
    """Kendall's tau-b between the system rankings by the shallow pool and by all judgments, for
    Figure 2 (average precision) and Figure 4 (rank-biased precision)."""
    found = _pools(data, ("AP", *RBP))
    names = [str(metric) for metric in found.metrics]
    return pl.DataFrame({"metric": names, "tau": found.tau[:, 0, 0]}).fill_nan(None)


@PAPER.part("Table IV", section="5 RBP versus AP in retrieval experiments", digits=0)
def significant_differences(data: Material) -> pl.DataFrame:
    """Number of pairs of systems that differ significantly by each metric, two-sided: Wilcoxon's
    signed-rank test (zeros dropped, with continuity correction) and Student's t. The paper's
    Wilcoxon test ranks the differences with their rounding errors, which break ties. The test
    “tied” ranks them without rounding errors. Its p-values are exact for at most 50 topics without
    ties.
    """
    parts = []
    for pool, scores in _by_pools(data).items():
        columns: dict[str, Any] = {"metric": METRICS, "pool": [pool] * len(METRICS)}
        for (name, test), alpha in product(TESTS.items(), (0.05, 0.01)):
            frame = compare(scores, test=replace(test, alpha=alpha)).frame
            counts = frame.group_by("metric", maintain_order=True).agg(pl.col("significant").sum())
            columns[f"{name} {100 * (1 - alpha):g}%"] = counts["significant"]
        parts.append(pl.DataFrame(columns))
    pairs = len(data.judged.runs) * (len(data.judged.runs) - 1) // 2
    return pl.concat(parts).with_columns(pairs=pl.lit(pairs))


def _agreement(data: Material, coefficient: CoefficientName) -> pl.DataFrame:
    if len(data.judged.runs) < 2:
        raise TooLittle("a correlation of rankings needs two runs or more; there is only one.")
    by_pools = _by_pools(data)
    matrix = correlate(by_pools, coefficient=coefficient).matrix()
    table = matrix.select(f"{name} {FULL}" for name in REFERENCES)
    table = table.rename({f"{name} {FULL}": name for name in REFERENCES})
    rows = [{"metric": name, "pool": pool} for pool in by_pools for name in METRICS]
    both = pl.concat([pl.DataFrame(rows), table], how="horizontal")
    return both.sort(pl.col("metric").cast(pl.Enum(METRICS)), maintain_order=True)


@once
def _by_pools(data: Material) -> dict[str, Scores]:
    by_pool = _judgments(data, data.judged.runs)
    return {pool: scored(judged, METRICS) for pool, judged in by_pool.items()}


def _of_example() -> JudgedRankings:
    documents = {str(place): len(A) - place for place in range(len(A))}
    judged = {str(place): int(sign) for place, sign in enumerate(A)}
    return Collection({"A": judged}, {"A": {"A": documents}}).judged()


@once
def _cuttable(data: Material) -> Cuttable:
    return Cuttable.of(data.collection)


def _judgments(data: Material, runs: Sequence[str]) -> dict[str, JudgedRankings]:
    """Return rankings judged by the shallow pool of all runs, and by all judgments."""
    depth = int(data.parameters["pool_depth"])
    given = _cuttable(data)
    keep = [run in runs for run in data.judged.runs]
    shallow = given.where(given.pool_depth() <= depth)
    full = data.judged.where_runs(keep)
    return {f"pool depth {depth}": shallow.where_runs(keep), FULL: full}


def _pools(data: Material, metrics: tuple[str, ...]) -> Stability:
    """Score the runs by the shallow pool and by all judgments."""
    found = _all_pools(data)
    return found.where_metrics([str(metric) in metrics for metric in found.metrics])


@once
def _all_pools(data: Material) -> Stability:
    depth = int(data.parameters["pool_depth"])
    return stability(data.collection, metrics=METRICS, at=[depth])


def _systems(data: Material) -> list[str]:
    """Return the best and the median system by RBP with p = 0.8, among those with complete runs.

    An incomplete run has wide bounds, because the documents that it lacks could have any grade.
    """
    judged = data.judged
    lengths = judged.length.reshape(len(judged.runs), -1)
    short = {run for run, row in zip(judged.runs, lengths, strict=True) if incomplete(row)}
    every = data.scores("RBP(p=0.8)").pivot()["run"].to_list()
    order = [run for run in every if run not in short] or every
    return list(dict.fromkeys([order[0], order[len(order) // 2]]))
