"""Coverage of the bounds under each assumption, and their width.

For `make_bounds_page.py`: judgments are cut down, and the scores under all of them must lie within
the bounds that each assumption gives.
"""

import numpy as np
import polars as pl

from rankwise import Qrels, Run, read, read_qrels, score, simulate
from rankwise.arrays import Floats
from rankwise.judging import pool

METRICS = ["P@10", "RBP(p=0.95)", "nDCG@10", "AP", "Recall@100"]
ASSUMPTIONS = ["retrieved", "own", "open", "top=20", "top=50", "extra=50"]
MISSED = ["nDCG@10", "AP", "Recall@100"]
IN_A_CALL = (1, 2, 3, 5, 10)
DEPTH = 100
SEEDS = (1, 2, 3)


def held(
    known: Qrels, truth: Qrels, runs: list[Run], unjudged: str, metrics: list[str] = METRICS
) -> Floats:
    """Return coverage of rankings, coverage of means and width of means; shape (metrics, 3)."""
    true = score(read(truth, runs, depth=DEPTH), metrics=metrics)
    found = score(read(known, runs, depth=DEPTH), metrics=metrics, bounds=True, unjudged=unjudged)
    assert found.low is not None and found.high is not None
    there = np.array([true.topics.index(topic) for topic in found.topics])
    value = true.value[:, :, there]
    inside = (value >= found.low - 1e-9) & (value <= found.high + 1e-9) | np.isnan(value)
    totals, mean = found.totals, true.totals["value"]
    means = (mean >= totals["low"] - 1e-9) & (mean <= totals["high"] + 1e-9)
    width = (totals["high"] - totals["low"]).mean(axis=1)
    return np.stack([inside.mean(axis=(1, 2)), means.mean(axis=1), width], axis=1)


def rows(name: str, cases: list[tuple[Qrels, Qrels, list[Run]]]) -> list[list[str]]:
    """Return one row per assumption, over all cases."""
    found = []
    for unjudged in ASSUMPTIONS:
        cells = np.mean([held(*case, unjudged) for case in cases], axis=0)
        found.append([name, f"`{unjudged}`", *(_cell(*cell) for cell in cells.tolist())])
    return found


def _cell(rankings: float, means: float, width: float) -> str:
    shares = (f"{100 * np.floor(1000 * share) / 1000:.4g}" for share in (rankings, means))
    return f"{' / '.join(shares)} ({width:.3f})"


def cut(qrels: Qrels, some: list[Run], depth: int) -> Qrels:
    """Return the judgments of the documents in the pool of these runs."""
    return read_qrels(pool(some, depth, qrels=qrels).select("topic", "document", "grade"))


def by_runs_in_a_call(qrels: Qrels, runs: list[Run]) -> list[list[str]]:
    """Return the coverage under `retrieved`, one row per number of runs in a call."""
    known, found = cut(qrels, runs, 20), []
    for size in (*IN_A_CALL, len(runs)):
        calls = [runs[at : at + size] for at in range(0, len(runs) - size + 1, size)]
        cells = np.mean([held(known, qrels, some, "retrieved", MISSED) for some in calls], axis=0)
        found.append([str(size), *(_cell(*cell) for cell in cells.tolist())])
    return found


def on_trec8(qrels: Qrels, runs: list[Run]) -> list[list[str]]:
    """Run the trial on TREC-8, with pools of all runs and of every second run."""
    cases = {"TREC-8, depth 20": cut(qrels, runs, 20)}
    cases["TREC-8, depth 20, half of the runs"] = cut(qrels, runs[::2], 20)
    return [row for name, known in cases.items() for row in rows(name, [(known, qrels, runs)])]


def on_simulated() -> list[list[str]]:
    """Run the trial on simulated collections, where all relevant documents are known."""
    cases = []
    for seed in SEEDS:
        made = simulate(topics=25, systems=12, depth=DEPTH, pool_depth=10, seed=seed)
        unknown = made.qrels.frame.join(made.truth.frame, on=["topic", "document"], how="anti")
        everything = pl.concat([made.truth.frame, unknown.select(made.truth.frame.columns)])
        cases.append((made.qrels, read_qrels(everything), made.runs))
    return rows("simulated, depth 10", cases)
