"""Moffat and Zobel (2008): rank-biased precision, on anybody's runs and judgments."""

from typing import Any

import numpy as np
import polars as pl

from rankwise.charts.bounds import bounds_by_depth, bounds_by_persistence
from rankwise.charts.stability import scores_by_run
from rankwise.comparison import compare
from rankwise.experiments.stability.result import Stability, stability
from rankwise.judging.cutting import Cuttable
from rankwise.metrics import parse, parse_all
from rankwise.rankings.join import incomplete
from rankwise.rankings.judged import JudgedRankings
from rankwise.scores.table import Scores, score_judged
from rankwise.stats.correlation import dense_ranks, kendall
from rankwise.studies.material import Material
from rankwise.studies.paper import Figure, Paper

PAPER = Paper(
    "moffat-zobel-2008",
    "Moffat and Zobel: Rank-Biased Precision for Measurement of Retrieval Effectiveness. "
    "ACM TOIS 27(1), 2008.",
    "How RBP and other metrics stand up to shallow pools, agree, and tell systems apart.",
    parameters={"pool_depth": 10},
    names={
        "Rprec": "P@R",
        "nDCG": "NDCG",
        **{f"RBP(p={p})": f"RBP, p = {p}" for p in ("0.5", "0.8", "0.95")},
    },
)
RBP = ("RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")
METRICS = ("RR", "P@10", "Rprec", "AP", *RBP, "nDCG")
REFERENCES = ("RR", "P@10", "Rprec", "AP")
TESTS: dict[str, dict[str, Any]] = {
    "Wilcoxon": {"test": "wilcoxon", "raw_ranks": True},
    "tied": {"test": "wilcoxon"},
    "t": {"test": "t"},
}
FULL = "all judgments"
DEPTHS = tuple(np.unique(np.geomspace(1, 1000, 40).round().astype(int)).tolist())
PERSISTENCES = tuple(np.round(np.arange(0.05, 1.0, 0.05), 2).tolist())


@PAPER.part("Figure 2", section="3 Average precision")
def average_precision_and_the_pool(data: Material) -> Figure:
    """Mean average precision of each system with all judgments, against that with the
    judgments of a shallow pool. On the dotted line nothing changes; below it are systems
    whose average precision falls when more documents are judged."""
    found = _pools(data, ("AP",))
    return Figure(found.by_run(), scores_by_run(found))


@PAPER.part("Figure 4", section="4.2 Rank-biased precision")
def rank_biased_precision_and_the_pool(data: Material) -> Figure:
    """The same for rank-biased precision at three values of p: its scores never fall when
    more documents are judged, and hardly change where p is small."""
    found = _pools(data, RBP)
    return Figure(found.by_run(), scores_by_run(found))


@PAPER.part("Figure 5", section="4.4 Bounding the residual error")
def bounds_and_depth(data: Material) -> Figure:
    """Upper and lower bounds of the mean RBP of the system that is best by RBP with p = 0.8, of
    those whose runs are complete, as more of its rankings is looked at, with the judgments of
    a shallow pool and with all."""
    rows = []
    for pool, judged in _judgments(data).items():
        system = _systems(data)[0]
        for depth in DEPTHS:
            cut = judged.top(depth)
            found = score_judged(cut, parse_all(RBP), bounds=True, unjudged="open").mean()
            mine = found.filter(run=system).select("metric", "low", "high")
            named = {"run": pl.lit(system), "pool": pl.lit(pool), "depth": pl.lit(depth)}
            rows.append(mine.with_columns(**named))
    frame = pl.concat(rows).sort("metric", maintain_order=True)
    frame = frame.select("run", "pool", "metric", "depth", "low", "high")
    return Figure(frame, bounds_by_depth(frame))


@PAPER.part("Figure 6", section="4.5 Choosing a value for p")
def bounds_and_persistence(data: Material) -> Figure:
    """Upper and lower bounds of the mean RBP of two systems with complete runs, the best and the
    one in the middle by RBP with p = 0.8, as a function of p with the judgments of a shallow pool
    (bands), and their RBP with all judgments (lines)."""
    metrics = [parse(f"RBP(p={p!r})") for p in PERSISTENCES]
    shallow, full = (
        score_judged(judged, metrics, bounds=True, unjudged="open").mean()
        for judged in _judgments(data).values()
    )
    p_of = {str(metric): p for metric, p in zip(metrics, PERSISTENCES, strict=True)}
    frame = (
        shallow.select("run", "metric", "low", "high")
        .join(full.select("run", "metric", "value"), on=["run", "metric"])
        .with_columns(pl.col("metric").replace_strict(p_of).alias("p"))
        .select("run", "p", "low", "high", "value")
    )
    chosen = pl.concat([frame.filter(run=system).sort("p") for system in _systems(data)])
    return Figure(chosen, bounds_by_persistence(chosen))


@PAPER.part("Table III", section="5 RBP versus AP in retrieval experiments", digits=3)
def agreement_of_metrics(data: Material) -> pl.DataFrame:
    """Kendall's tau-b between the orders of systems by each metric, with the judgments of a
    shallow pool and with all, and by four metrics with all judgments."""
    found = _pools(data, METRICS)
    value = dense_ranks(found.value[:, :, 0])  # metrics × levels × runs
    places = [METRICS.index(name) for name in REFERENCES]
    rows = []
    for metric, name in enumerate(METRICS):
        for level, pool in enumerate((_shallow(data), FULL)):
            taus = kendall(value[metric, level], value[places, -1])
            rows.append({"metric": name, "pool": pool, **dict(zip(REFERENCES, taus, strict=True))})
    return pl.DataFrame(rows).fill_nan(None)


@PAPER.part("Table IV", section="5 RBP versus AP in retrieval experiments", digits=0)
def significant_differences(data: Material) -> pl.DataFrame:
    """How many pairs of systems differ significantly by each metric, two-tailed: Wilcoxon's
    signed-rank test (zeros dropped, with continuity correction) and Student's t. The paper's
    Wilcoxon ranks the differences as floating point has them, which breaks ties by rounding
    error; “tied” does not, and has exact p-values where nothing ties."""
    parts = []
    for pool, judged in _judgments(data).items():
        scores = score_judged(judged, parse_all(METRICS))
        columns = {
            f"{name} {100 * (1 - alpha):g}%": _significant(scores, test, alpha)
            for name, test in TESTS.items()
            for alpha in (0.05, 0.01)
        }
        parts.append(pl.DataFrame({"metric": METRICS, "pool": [pool] * len(METRICS), **columns}))
    pairs = len(data.judged.runs) * (len(data.judged.runs) - 1) // 2
    return pl.concat(parts).with_columns(pairs=pl.lit(pairs))


def _significant(scores: Scores, test: dict[str, Any], alpha: float) -> list[int]:
    """For each metric the pairs that differ, each tested for itself."""
    asked: dict[str, Any] = {**test, "correction": "none", "alpha": alpha}
    frame = compare(scores, **asked).frame
    counts = frame.group_by("metric", maintain_order=True).agg(pl.col("significant").sum())
    return counts["significant"].to_list()


def _shallow(data: Material) -> str:
    return f"pool depth {data.parameters['pool_depth']}"


def _judgments(data: Material) -> dict[str, JudgedRankings]:
    """The rankings judged by the shallow pool of all runs, and by all judgments."""
    depth = int(data.parameters["pool_depth"])

    def cut() -> dict[str, JudgedRankings]:
        given = Cuttable.read(data.qrels, data.runs, **data.scoring)
        return {_shallow(data): given.where(given.pool_depth() <= depth), FULL: data.judged}

    return data.once("judgments", cut)


def _pools(data: Material, metrics: tuple[str, ...]) -> Stability:
    """The runs by the shallow pool and by all judgments: read and scored once for all parts."""
    depth = int(data.parameters["pool_depth"])
    found = data.once(
        "pools", lambda: stability(data.qrels, data.runs, METRICS, at=[depth], **data.scoring)
    )
    return found.where_metrics([str(metric) in metrics for metric in found.metrics])


def _systems(data: Material) -> list[str]:
    """The best by RBP with p = 0.8, and the one in the middle, of those that are complete.

    Documents that a short run did not return could be anything: its bounds are wide.
    """
    judged = data.judged
    lengths = judged.length.reshape(len(judged.runs), -1)
    short = {run for run, row in zip(judged.runs, lengths, strict=True) if incomplete(row)}
    every = data.scores("RBP(p=0.8)").pivot()["run"].to_list()
    order = [run for run in every if run not in short] or every
    return list(dict.fromkeys([order[0], order[len(order) // 2]]))
