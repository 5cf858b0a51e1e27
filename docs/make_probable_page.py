"""Writes docs/probable.md: what is predicted from shallower pools of TREC-8, against what is known.

`RANKWISE_DATA=… python docs/make_probable_page.py`; the data is not part of the project.
"""

import os
from itertools import pairwise
from pathlib import Path

import numpy as np

from rankwise import Qrels, Run, read_qrels, read_runs, score
from rankwise.arrays import Floats
from rankwise.judging import pool
from rankwise.probable import Probable, estimate

METRICS = ["RBP(p=0.95)", "AP", "nDCG@10", "Q", "Bpref"]
BANDS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01]
DRAWS = 100

TEXT = """# What is probable

Made by `docs/make_probable_page.py` from the 129 runs of TREC-8, their first 100 documents.

Bounds say what is possible, and for metrics that divide by the number of relevant documents that
is nearly everything. `rankwise score --probable` says what is likely: the scores as they would be
if what some run has in its first 100 documents were judged, and nothing else.

How likely a document is to be relevant is learned from the judgments at hand by a logistic model:
its best rank in any run, the share of runs that have it, how good these runs are, and for each
topic its own level, its own fall with depth and its own fall with the share of runs. Topics with
few judgments borrow from the others. {draws} times the effects of the topics, what they share, and
then every document are drawn, and all runs are scored again. How wide a range must be is not left
to the model: it predicts the pool there is from its upper half and from its upper quarter, and
ranges are as many standard deviations wide as would have held 95 % of the runs there, in the metric
itself and in AP (the errors of all runs are shared, so that one metric's check alone is a small
sample), and wider by log(100 / d) / log 4 for a pool of depth d, as it is farther to depth 100 than
from that quarter.

## Checked where the answer is known

The judgments of TREC-8 are cut down to the pool of depth d of all runs, or of every second run
(the others have not contributed), and the scores under all judgments are predicted. *Held*: for how
many of the runs the 95 % range holds that score. *Width*: of the range, and in brackets of what is
possible under `--unjudged top=100`.

{ranges}

{verdict}

## How likely one run is better

Pairs of runs by the probability that the more probable one is better (on these topics), in how many
percent it is, and how many pairs there are.

{pairs}

{reliable}

## Where it may not be trusted

- A run of a new kind, with documents unlike those that were judged, is outside of what the model
  has seen. What was predicted and found of each run's documents in the check is compared, and runs
  for which it is far off are named in a note.
- Judgments that are no pool, as one relevant document for each topic, are refused.
- Relevant documents that no run has in its first 100 are not in it. `score --bounds --unjudged
  top=100,extra=N` says what N of them per topic could do.
- The check is one collection of one kind (newswire, 1999), and it is not independent: some twenty
  forms of the model were tried on these very figures before this one was kept, and that ranges also
  take AP's check, and grow with log(100 / d), was decided after RBP had held too few runs without.
  So the shares above are what it does on the data it was made on. The simulated collections of
  `tests/probable/` were not looked at for that; there 95 % ranges must hold 85 % of the runs in
  every metric, and 90 % over all.
- The widening is done again on the data at hand each time; that 95 % were held inside the pool does
  not prove that they are held beyond it.
"""


def cut_to_pool(qrels: Qrels, runs: list[Run], depth: int) -> Qrels:
    return read_qrels(pool(runs, depth, qrels=qrels).select("topic", "document", "grade"))


def ranges(found: Probable, truth: Floats) -> list[list[str]]:
    low, high = found.ranges
    totals = found.scores.totals
    rows = []
    for place, metric in enumerate(METRICS):
        held = (truth[place] >= low[place] - 1e-12) & (truth[place] <= high[place] + 1e-12)
        now, expected, true = (
            f"{cube[place].mean():.3f}" for cube in (totals["value"], found.expected, truth)
        )
        possible = (totals["high"] - totals["low"])[place].mean()
        width = f"{(high - low)[place].mean():.3f} ({possible:.3f})"
        rows.append([metric, now, expected, true, f"{held.mean():.0%}", width])
    return rows


def reliability(found: Probable, truth: Floats) -> list[list[str]]:
    first, second = np.triu_indices(truth.shape[1], 1)
    frame, rows = found.pairs(), []
    for place, metric in enumerate(METRICS):
        p = frame.filter(frame["metric"] == str(found.scores.metrics[place]))["better"].to_numpy()
        better = truth[place][first] > truth[place][second]
        right = np.where(p < 0.5, truth[place][first] < truth[place][second], better)
        p = np.maximum(p, 1 - p)
        cells = []
        for low, high in pairwise(BANDS):
            inside = (p >= low) & (p < high)
            share = f"{100 * right[inside].mean():.0f} ({inside.sum():,})" if inside.any() else "–"
            cells.append(share)
        rows.append([metric, *cells])
    return rows


def off_by(found: Probable, truth: Floats) -> list[float]:
    """By how many points each band of a hundred pairs or more is off, too sure being above 0."""
    first, second = np.triu_indices(truth.shape[1], 1)
    frame, points = found.pairs(), []
    for place in range(len(METRICS)):
        p = frame.filter(frame["metric"] == str(found.scores.metrics[place]))["better"].to_numpy()
        true = truth[place][first] - truth[place][second]
        right, p = np.where(p < 0.5, true < 0, true > 0), np.maximum(p, 1 - p)
        for low, high in pairwise(BANDS):
            inside = (p >= low) & (p < high)
            if inside.sum() >= 100:
                points.append(100 * float(p[inside].mean() - right[inside].mean()))
    return points


def reliable(points: list[float]) -> str:
    """How far the probabilities may be taken at their word."""
    off = np.array(points)
    sure, unsure = np.sum(off > 5), np.sum(off < -5)
    return (
        f"Of the {len(off)} cells with a hundred pairs or more {sure + unsure} are off by more "
        "than five points from the mean probability of their pairs: too sure by up to "
        f"{off.max():.0f} points in {sure}, not sure enough by up to {-off.min():.0f} in {unsure}. "
        "Within five points everywhere they are not."
    )


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def verdict(rows: list[list[str]]) -> str:
    """Which ranges hold what they promise."""
    short = [f"{row[1]} of {row[0]} ({row[5]})" for row in rows if int(row[5][:-1]) < 90]
    if not short:
        return (
            "Every range holds 90 % of the runs or more, on the data that the model was chosen on "
            "(see below)."
        )
    what = "Ranges that hold less than 90 % of the runs, and should not be trusted"
    return f"{what}: {', '.join(short)}."


def main() -> None:
    data = Path(os.environ["RANKWISE_DATA"]) / "trec8"
    qrels = read_qrels(data / "trec8.qrels.gz")
    runs = read_runs(sorted((data / "runs").glob("*.gz")))
    truth = score(qrels, runs, METRICS, depth=100).totals["value"]
    pools = {f"depth {d}": cut_to_pool(qrels, runs, d) for d in (5, 10, 20)}
    pools["depth 20, half of the runs"] = cut_to_pool(qrels, runs[::2], 20)
    of_ranges, of_pairs, points = [], [], []
    for name, judgments in pools.items():
        found = estimate(judgments, runs, METRICS, draws=DRAWS, depth=100)
        of_ranges += [[name, *row] for row in ranges(found, truth)]
        of_pairs += [[name, *row] for row in reliability(found, truth)]
        points += off_by(found, truth)
    bands = [f"{low:g}–{min(high, 1):g}" for low, high in pairwise(BANDS)]
    text = TEXT.format(
        draws=DRAWS,
        ranges=table(
            ["pool", "metric", "mean now", "expected", "all judged", "held", "width"], of_ranges
        ),
        verdict=verdict(of_ranges),
        pairs=table(["pool", "metric", *bands], of_pairs),
        reliable=reliable(points),
    )
    Path(__file__).with_name("probable.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
