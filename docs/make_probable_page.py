"""Writes docs/probable.md: what is predicted from shallower pools of TREC-8, against what is known.

`RANKWISE_DATA=… python docs/make_probable_page.py`; the data is not part of the project.
"""

import os
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwise import Qrels, Run, compare, parse, read_qrels, read_runs, score, simulate
from rankwise.arrays import Floats
from rankwise.charts.drawing import rendered
from rankwise.charts.probable import reliability as reliability_chart
from rankwise.charts.sizes import sized_specification
from rankwise.judging import pool
from rankwise.probable import Probable, estimate
from rankwise.probable.documents import Documents, Unseen
from rankwise.probable.unseen import unseen_relevant
from rankwise.rankings.join import read_judged

METRICS = ["RBP(p=0.95)", "AP", "nDCG@10", "Q", "Bpref"]
BANDS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01]
STAYING = [0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01]
DRAWS = 100
DRAWN = 50  # pairs of a band that is drawn
UNSEEN = ["collection", "runs", "found", "missed", "estimated", "off by", "AP", "estimated", "true"]
UNSEEN_OUTCOME = """The number is off by a third to three quarters of what was missed with few runs,
where runs are alike too few by far (5 runs), and with 80 runs several times too many, as far as
TREC-8 can tell: what all 129 runs missed nobody judged. AP comes nearer to the truth with it than
without in every row but that one, since any reasonable number is better than none. That is not
enough to rest a range on: it is off unless asked for, its label says that it is an estimate, and
ranges do not grow for its uncertainty beyond that of a Poisson draw. Chao's estimate from documents
that one and two runs have was off by more (17 to 23 per topic for 10 and 20 runs, twice as much as
the jackknife), and taking what the lower half of the pool brought for what lies below was no
better with 20 runs and worse with fewer."""

TEXT = """# What is probable

Made by `docs/make_probable_page.py` from the 129 runs of TREC-8, their first 100 documents.

Bounds say what is possible, and for metrics that divide by the number of relevant documents that
is nearly everything. `rankwise score --probable` says what is likely: the scores as they would be
if what some run has in its first 100 documents were judged, and nothing else.

How likely a document is to be relevant is learned from the judgments at hand by a logistic model:
its best rank in any run, the share of runs that have it, how good these runs are, and for each
topic its own level, its own fall with depth and its own fall with the share of runs. Topics with
few judgments borrow from the others. {draws} times the effects of the topics, what they share, and
then every document are drawn, and all runs are scored anew. How wide a range must be is not left to
the model: it predicts the pool there is from its upper half and from its upper quarter, and ranges
are as many standard deviations wide as would have held 95 % of the runs there, in the metric itself
and in AP (the errors of all runs are shared, so that one metric's check alone is a small sample),
and wider by log(100 / d) over log(d / s) for a pool of depth d, s being the shallowest depth of the
check (a quarter, but 2 at the least), as it is farther to depth 100 than it was from there. Beside
the draws there is a chance of 1 % that scores stay as they are, for all draws may agree on what is
not so. A probability that one run is better is made less sure by the square root of log(100 / d)
over log(d / s).

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

One temperature per metric was tried as well: the scale of differences that makes what the check
found most likely, in place of their mean square, and grown with the distance in three ways. From
the first four pools 14 to 19 cells were off instead of 23 (in a trial with other draws). But what
was won was lost on the fifth, of depth 10 and half of the runs, which had not been looked at: 12 of
27 cells instead of 6 of 29, all too sure, and over all five 24 to 28 instead of 29, most of them
too sure instead of not sure enough. So the scale stays as it is: to be too sure is the worse
fault.

![How often the more probable run is better, against that probability](reliability.svg)

Drawn are bands with 50 pairs or more; on the grey line a probability may be taken at its word.

## Whether a significant result stays significant

Pairs that differ significantly under the pool (paired t-test, Holm), by the probability that they
would under all judgments too, in the same direction (`stays` of `compare --probable`): in how many
percent they do, and how many pairs there are, over all five metrics.

{staying}

Results that are said to stay with 95 % or more do, in 99 to 100 % of cases. Below that it is right
within some ten points from pools of depth 10 and 20, and from depth 5 not sure enough by up to
twenty. That t is stretched the farther the more was decided after it had been too sure without, by
up to thirty points from depth 5 and 10.

## Relevant documents that no run has

With `--unseen` each draw also has relevant documents that no run has in its first 100, as many as
the jackknife estimates from those that one run alone has. It can be checked where it is known what
some runs have missed: of all relevant documents of TREC-8, per topic, what m of the 129 runs (taken
at random) found, missed, and would have missed by the estimate, everything they have being judged;
then the mean AP of these runs by what they found, with the estimate, and by all judgments. Below,
the same on simulated collections, where all relevant documents are known.

{unseen}

{unseen_outcome}

## Where it may not be trusted

- A run of a new kind, with documents unlike those that were judged, is outside of what the model
  has seen. What was predicted and found of each run's documents in the check is compared, and runs
  for which it is far off are named in a note.
- Judgments that are no pool, as one relevant document for each topic, are refused.
- Relevant documents that no run has in its first 100 are not in it, unless `--unseen` estimates
  them. `score --bounds --unjudged top=100,extra=N` says what N of them per topic could do.
- The check is one collection of one kind (newswire, 1999), and it is not independent: some twenty
  forms of the model were tried on these very figures before this one was kept, and that ranges also
  take AP's check, and grow with log(100 / d), was decided after RBP had held too few runs without;
  so were the square root for pairs and the slope of t, of three ways and of two. The pool of depth
  10 and half of the runs was looked at last: there the range of nDCG@10 held 57 % of the runs. All
  draws had ten relevant documents for topics that have fewer, so that ranges of runs whose tops are
  judged had next to no width. The chance of 1 % that scores stay as they are, decided then, brings
  ranges of simulated collections of which half of the runs have contributed from 86 % of the runs
  held to 90 % and more, and this one to 63 % only. A warning says so wherever runs have not
  contributed.
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


def bands_drawn(pool: str, found: Probable, truth: Floats) -> list[dict[str, Any]]:
    """The probability of the pairs of each band, and in how many the run is better."""
    first, second = np.triu_indices(truth.shape[1], 1)
    frame, rows = found.pairs(), []
    for place, metric in enumerate(METRICS):
        p = frame.filter(frame["metric"] == str(found.scores.metrics[place]))["better"].to_numpy()
        true = truth[place][first] - truth[place][second]
        right, p = np.where(p < 0.5, true < 0, true > 0), np.maximum(p, 1 - p)
        for low, high in pairwise(BANDS):
            inside = (p >= low) & (p < high)
            if inside.sum() >= DRAWN:
                point = {
                    "probability": float(p[inside].mean()),
                    "share": float(right[inside].mean()),
                }
                rows.append({"pool": pool, "metric": metric, **point})
    return rows


def staying(found: Probable, now: pl.DataFrame, then: pl.DataFrame) -> list[str]:
    """Of pairs that are significant now, in how many percent they are then, by band."""
    pairs = found.pairs()
    same = then["significant"] & (then["difference"].sign() == now["difference"].sign())
    chance = pairs["stays"].drop_nulls().to_numpy()
    kept = same.filter(pairs["significant"]).to_numpy()
    cells = []
    for low, high in pairwise(STAYING):
        inside = (chance >= low) & (chance < high)
        cells.append(f"{100 * kept[inside].mean():.0f} ({inside.sum():,})" if inside.any() else "–")
    return cells


def missed(name: str, qrels: Qrels, runs: list[Run], top: int) -> list[str]:
    """What these runs found of the relevant documents, what they missed, and the estimate."""
    judged = read_judged(qrels, runs, depth=top, retrieved=True).cut_to_depth()
    documents = Documents.of(judged, top)
    relevant = documents.is_judged & (documents.grade > 0)
    topics = len(judged.topics)
    there = relevant & (documents.best <= top)
    found, lost = (
        np.bincount(documents.topic[x], minlength=topics) for x in (there, relevant & ~there)
    )
    expected = unseen_relevant(documents, there)
    off = np.abs(expected - lost).mean()
    counts = [f"{x.mean():.1f}" for x in (found, lost, expected)]
    metric = (parse("AP"),)
    topic = np.repeat(np.arange(topics), np.round(expected).astype(np.int64))
    usual = np.full(len(topic), int(np.median(documents.grade[relevant])))
    scores = [
        documents.scores(
            metric, documents.grade, there | (documents.grade <= 0) & documents.is_judged
        ),
        documents.scores(metric, documents.grade, there, Unseen(topic, usual)),
        documents.scores(metric, documents.grade, documents.is_judged),
    ]
    return [name, str(len(runs)), *counts, f"{off:.1f}", *(f"{np.nanmean(s):.3f}" for s in scores)]


def missed_by_some(qrels: Qrels, runs: list[Run]) -> list[list[str]]:
    rows, rng = [], np.random.default_rng(1)
    for count in (5, 10, 20, 40, 80):
        some = [runs[place] for place in sorted(rng.choice(len(runs), count, replace=False))]
        rows.append(missed("TREC-8", qrels, some, 100))
    for seed in (1, 2, 3):
        made = simulate(topics=30, systems=20, depth=50, pool_depth=50, seed=seed)
        name = f"simulated, seed {seed}"
        rows += [missed(name, made.truth, made.runs[:count], 50) for count in (5, 20)]
    return rows


class Off(NamedTuple):
    """By how many points a band is off, too sure being above 0, and how sure that is."""

    points: float
    error: float


def off_by(found: Probable, truth: Floats) -> list[Off]:
    """Of each band of a hundred pairs or more; the error is that of drawing the runs again."""
    first, second = np.triu_indices(truth.shape[1], 1)
    rng, runs = np.random.default_rng(1), truth.shape[1]
    drawn = np.stack([np.bincount(rng.integers(0, runs, runs), minlength=runs) for _ in range(200)])
    weight = (drawn[:, first] * drawn[:, second]).astype(np.float64)
    frame, bands = found.pairs(), []
    for place in range(len(METRICS)):
        p = frame.filter(frame["metric"] == str(found.scores.metrics[place]))["better"].to_numpy()
        true = truth[place][first] - truth[place][second]
        right, p = np.where(p < 0.5, true < 0, true > 0), np.maximum(p, 1 - p)
        for low, high in pairwise(BANDS):
            inside = (p >= low) & (p < high)
            if inside.sum() >= 100:
                off, some = 100 * (p - right)[inside], weight[:, inside]
                again = some @ off / np.maximum(some.sum(axis=1), 1e-9)
                bands.append(Off(float(off.mean()), float(again.std())))
    return bands


def reliable(bands: list[Off]) -> str:
    """How far the probabilities may be taken at their word."""
    off, error = (np.array(column) for column in zip(*bands, strict=True))
    sure, unsure = np.sum(off > 5), np.sum(off < -5)
    beyond = np.sum(np.abs(off) - 5 > 2 * error)
    return (
        f"Of the {len(off)} cells with a hundred pairs or more {sure + unsure} are off by more "
        "than five points from the mean probability of their pairs: too sure by up to "
        f"{off.max():.0f} points in {sure}, not sure enough by up to {-off.min():.0f} in {unsure}. "
        "Within five points everywhere they are not, and `compare --probable` says so beside "
        "them.\n\nPairs share runs, so that the hundred pairs of a cell are far fewer that are "
        f"independent: drawn again, runs put {beyond} of these {sure + unsure} cells beyond five "
        "points by more than two standard errors. More cannot be told from 129 runs."
    )


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def named(bands: list[float]) -> list[str]:
    return [f"{low:g}–{min(high, 1):g}" for low, high in pairwise(bands)]


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
    for depth in (20, 10):
        pools[f"depth {depth}, half of the runs"] = cut_to_pool(qrels, runs[::2], depth)
    then = compare(score(qrels, runs, METRICS, depth=100)).frame
    of_ranges, of_pairs, of_staying, points, drawn_bands = [], [], [], [], []
    for name, judgments in pools.items():
        found = estimate(judgments, runs, METRICS, draws=DRAWS, depth=100)
        of_ranges += [[name, *row] for row in ranges(found, truth)]
        of_pairs += [[name, *row] for row in reliability(found, truth)]
        points += off_by(found, truth)
        drawn_bands += bands_drawn(name, found, truth)
        now = compare(score(judgments, runs, METRICS, depth=100)).frame
        of_staying.append([name, *staying(found, now, then)])
    picture = reliability_chart(pl.DataFrame(drawn_bands))
    here = Path(__file__).parent
    (here / "reliability.svg").write_bytes(rendered(sized_specification(picture, None), "svg"))
    bands = named(BANDS)
    text = TEXT.format(
        draws=DRAWS,
        ranges=table(
            ["pool", "metric", "mean now", "expected", "all judged", "held", "width"], of_ranges
        ),
        verdict=verdict(of_ranges),
        pairs=table(["pool", "metric", *bands], of_pairs),
        reliable=reliable(points),
        staying=table(["pool", *named(STAYING)], of_staying),
        unseen=table(UNSEEN, missed_by_some(qrels, runs)),
        unseen_outcome=UNSEEN_OUTCOME,
    )
    (here / "probable.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
