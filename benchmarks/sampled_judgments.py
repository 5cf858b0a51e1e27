"""Coverage of intervals from sampled judgments, where everything is judged: TREC-8, or DL19.

RANKWISE_DATA=... python benchmarks/sampled_judgments.py [COLLECTION] [REPETITIONS] [RUNS]

The pool is that of the runs down to rank 100, and its judged documents are its documents: a
document that TREC did not judge is not in it. A stratified sample is drawn, the runs are scored
from it, and the intervals are compared with the scores by the whole pool, over the topics with a
relevant document in the sample. Prints Markdown.
"""

import os
import sys
from pathlib import Path

import numpy as np
import polars as pl

from rankwise import read_qrels
from rankwise.judging import SAMPLED_METRICS, sample_pool, score_sampled

DESIGNS = ("20=1,100=0.2", "10=1,100=0.1", "10=0.5,100=0.1")


def main(collection: str, repeats: int, count: int) -> None:
    data = Path(os.environ["RANKWISE_DATA"], collection)
    qrels = read_qrels(str(next(data.glob("*.qrels*")))).frame
    files = sorted(map(str, (data / "runs").iterdir()))
    runs = files[:: max(1, len(files) // count)][:count]
    metrics = [*SAMPLED_METRICS, "infNDCG@10"]
    print("| design | judged | metric | topics | bias | rmse | mean se | coverage of 95 % |")
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for design in DESIGNS:
        last = design.rpartition(",")[2].partition("=")[0]
        whole = sample_pool(runs, f"{last}=1", qrels=qrels).drop_nulls("grade")
        keys = ["metric", "run", "topic"]
        truth = score_sampled(whole, runs, metrics).by_topic.select(*keys, truth="value")
        parts, judged = [], []
        for seed in range(repeats):
            sample = judged_only(sample_pool(runs, design, qrels=qrels, seed=seed), qrels)
            judged.append(int(sample["sampled"].sum()) / sample.height)
            scores = score_sampled(sample, runs, metrics)
            defined = scores.by_topic.drop_nulls("value").join(truth, on=keys)
            means = defined.group_by("metric", "run").agg(pl.col("truth").mean())
            parts.append(scores.frame.join(means, on=["metric", "run"]))
        every = pl.concat(parts).with_columns(off=pl.col("value") - pl.col("truth"))
        inside = pl.col("truth").is_between(pl.col("low"), pl.col("high"))
        for metric in metrics:
            rows = every.filter(metric=metric).with_columns(inside=inside)
            off, topics = rows["off"].to_numpy(), rows["topics"].to_numpy().mean()
            print(
                f"| `{design}` | {np.mean(judged):.1%} | {metric} | {topics:.1f} | "
                f"{off.mean():+.4f} | "
                f"{np.sqrt((off**2).mean()):.4f} | {rows['se'].to_numpy().mean():.4f} | "
                f"{rows['inside'].to_numpy().mean():.3f} |",
                flush=True,
            )
    print(f"\n{collection}: {repeats} samples of each design, {len(runs)} runs, seeds from 0.")


def judged_only(sample: pl.DataFrame, qrels: pl.DataFrame) -> pl.DataFrame:
    """Leave out documents that TREC did not judge, and correct the probabilities."""
    known = sample.join(qrels.select("topic", "document"), on=["topic", "document"], how="semi")
    chance = pl.col("sampled").mean().over("topic", "stratum")
    return known.with_columns(probability=pl.when(chance > 0).then(chance).otherwise(1.0))


if __name__ == "__main__":
    words = sys.argv[1:]
    given = dict(zip(("collection", "repeats", "count"), words, strict=False))
    main(
        given.get("collection", "trec8"), int(given.get("repeats", 20)), int(given.get("count", 10))
    )
