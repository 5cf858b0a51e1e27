"""Writes docs/probable.md: what is predicted from shallower pools of TREC-8, against what is known.

`RANKWISE_DATA=… python docs/make_probable_page.py`; the data is not part of the project.
"""

import os
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from rankwise.probable.prediction import fitted
from rankwise.probable.unseen import unseen_relevant
from scipy.special import ndtr

from rankwise import Qrels, Run, compare, parse, read_qrels, read_runs, score, simulate
from rankwise.arrays import Bools, Floats, Ints
from rankwise.charts.drawing import rendered
from rankwise.charts.probable import ranges_checked, reliability as reliability_chart
from rankwise.charts.sizes import sized_specification
from rankwise.judging import pool
from rankwise.probable import Probable, estimate
from rankwise.probable.documents import Documents, Unseen
from rankwise.rankings.join import read_judged
from rankwise.simulation import Collection

METRICS = ["RBP(p=0.95)", "AP", "nDCG@10", "Q", "Bpref"]
BANDS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01]
STAYING = [0, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01]
DRAWS = 100
DRAWN = 50  # pairs of a band that is drawn
DRAWN_POOL = "depth 10, half of the groups"
ENOUGH = 100  # pairs of a band of which it is said by how much it is off
FIVE = 5.0  # points that a band may be off
SUREST = 0.99
LEAST_HELD = 0.9  # of the runs, by ranges of 95 %
REPEATS = 20  # draws of true scores
SIMULATED = [(12, 25, 50, 10), (40, 50, 100, 5), (40, 50, 100, 10), (40, 50, 100, 20)]
SEEDS = (201, 202, 203, 204)
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
then every document are drawn, and all runs are scored again. From the pool of depth 10 of 129 runs
({judged:,} judgments) the model is fitted in {fit:.1f} seconds (process time, when this page was
made); the draws take most of the {whole:.0f} seconds of the whole, for five metrics.

How wide a range must be is not left to the model. It is checked on the pool there is:

- *By depth*: the pool is predicted from its upper half and from its upper quarter. Ranges are as
  many standard deviations wide as would have held 95 % of the runs there, in the metric itself and
  in AP (the errors of all runs are shared, so that one metric's check alone is a small sample), and
  wider by log(100 / d) over log(d / s) for a pool of depth d, s being the shallowest depth of the
  check (a quarter, but 2 at the least), as it is farther to depth 100 than it was from there.
- *By runs*: the runs that have contributed (95 % of their documents down to depth d are judged) are
  split at random, and the pool is predicted from that of each half. Runs that have not contributed
  get as many standard deviations as hold 95 % of the runs whose half was hidden, if that is more.
  The other half is scored with all of its own documents judged, and what is wrong about it comes
  with the relevant documents that only others have. Draws may agree on these and be wrong. So 1.96
  times the root mean square of that error is added to every range, in quadrature, the square in
  proportion to how much is missing: the share of documents down to depth d that are not judged,
  over the share that was hidden.
- Beside the draws there is a chance of 1 % that scores stay as they are.

A probability that one run is better takes the standard deviation of the difference over the draws,
times what the pool of depth d, predicted from depth d / 2 of half of the runs, asks for: the root
mean square of the standardised errors of pairs that are in doubt there, which lie within three
times as many standard deviations. It is taken times the fourth root of log(100 / d) over log 4 for
going down to depth 100, or to the cutoff of a metric that has one, where that is farther. With
fewer than four contributing runs the check by depth stands in for it.

## Checked where the answer is known

The judgments of TREC-8 are cut down to the pool of depth d of all runs, of every second run, or of
every second of the {groups} groups (the others have not contributed; a group is the first three
letters of a run's name), and the scores under all judgments are predicted. *Held*: for how many of
the runs the 95 % range holds that score. *Width*: of the range, and in brackets of what is possible
under `--unjudged top=100`.

{ranges}

{verdict}

![Ranges of all runs, and their true means](ranges.svg)

Drawn are the ranges from the pool of {drawn_pool} (blue), and the means under all judgments (dots).

## How likely one run is better

Pairs of runs by the probability that the more probable one is better (on these topics), in how many
percent it is, and how many pairs there are.

{pairs}

{reliable}

{later}

What else was tried, on the first five pools: the check by depth alone, its largest root mean square
over all pairs, grown with the square root of the distance, which stood here before (36 of 135 cells
off, too sure in 11 by up to 10 points, not sure enough in 25 by up to 15); one temperature per
metric that makes what the check found most likely (fewer cells off, but too sure in more); the
check by halves with no growth and with the square root of the distance (29 cells off, nearly all
too sure, and 16, most of them not sure enough). Of five exponents of the distance the fourth root
had the best logarithmic score on these five pools, and again on five others (depth 5 of every
second run, depth 10 of the others, and three of the four pools of half of the groups); simulated
collections ask for no growth at all.

![How often the more probable run is better, against that probability](reliability.svg)

Drawn are bands with 50 pairs or more; on the grey line a probability may be taken at its word.

## Simulated collections

Nothing was chosen by these (`rankwise simulate`, {seeds} seeds each), where the truth is known: the
share of runs whose range holds it, by metric; the lowest share of one collection and metric; and by
how many points the probabilities of pairs are off in the band that is farthest off of those with a
hundred pairs or more, all metrics together (*+* is too sure).

{simulated}

{simulated_outcome}

## Whether a significant result stays significant

Pairs that differ significantly under the pool (paired t-test, Holm), by the probability that they
would under all judgments too, in the same direction (`stays` of `compare --probable`): in how many
percent they do, and how many pairs there are, over all five metrics.

{staying}

Results that are said to stay with 95 % or more do, in 99 to 100 % of cases. Below that it is right
within some fifteen points, but from depth 5 not sure enough by up to twenty, and from depth 10 of
half of the groups too sure by up to twenty. That t is stretched the farther the more was decided
after it had been too sure without, by up to thirty points from depth 5 and 10.

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
- Where relevant documents go on deeper than the pool shows, scores that divide by their number are
  expected too high for all runs alike. Among the simulated collections above, those with a pool of
  depth 20 of all runs have ranges of AP and Q that hold too few; on TREC-8 it does not happen.
- The check is one collection of one kind (newswire, 1999), and it is not independent: some twenty
  forms of the model were tried on these very figures before this one was kept, and that ranges also
  take AP's check, and grow with log(100 / d), was decided after RBP had held too few runs without;
  so was the slope of t, of two ways. The check by runs was made since from the pool of depth 10 of
  every second run the range of nDCG@10 held 63 % of the runs: all draws had ten relevant documents
  for topics that have fewer. Eight ways to widen by it were tried, and all held 98 % there; the one
  kept was chosen by its width, on all pools of halves but that of depth 20 of the other groups, and
  by simulated collections (other seeds than those above). That the floor is in proportion to what
  is missing came last, since of four or five runs that have all contributed half tell little.
  So the shares above are what it does on the data it was made on. In the simulated collections of
  `tests/probable/` 95 % ranges must hold 85 % of the runs in every metric, and 90 % over all.
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


def ranges_drawn(found: Probable, truth: Floats) -> pl.DataFrame:
    """The range of each run and metric, and what it should hold."""
    low, high = found.ranges
    parts = []
    for place, metric in enumerate(METRICS):
        columns = {"low": low[place], "high": high[place], "true": truth[place]}
        parts.append(pl.DataFrame({"metric": [metric] * truth.shape[1], **columns}))
    held = (pl.col("true") >= pl.col("low") - 1e-12) & (pl.col("true") <= pl.col("high") + 1e-12)
    return pl.concat(parts).with_columns(held=held)


class Pool(NamedTuple):
    """Of which runs, and how deep."""

    runs: list[Run]
    depth: int


class Pairs(NamedTuple):
    """The probability that the more probable run of each pair is better, and whether it is."""

    probability: Floats
    right: Bools

    @property
    def bands(self) -> list[Bools]:
        """Which pairs are in each band."""
        p = self.probability
        return [(p >= low) & (p < high) for low, high in pairwise(BANDS)]

    @property
    def off(self) -> Floats:
        """By how many points each pair is off: in the mean over many, too sure is above 0."""
        return 100 * (self.probability - self.right)

    @property
    def bands_off(self) -> list[float]:
        """By how many points each band of a hundred pairs or more is off."""
        return [float(self.off[inside].mean()) for inside in self.bands if inside.sum() >= ENOUGH]


def better(found: Probable) -> Floats:
    """How likely the first run of each pair is better: metrics × pairs."""
    at = np.triu_indices(len(found.scores.runs), 1)
    return np.array([ndtr(found.odds(place)[0][at]) for place in range(len(METRICS))])


def pairs_of(better: Floats, truth: Floats) -> list[Pairs]:
    """For each metric."""
    first, second = np.triu_indices(truth.shape[1], 1)
    pairs = []
    for p, true in zip(better, truth, strict=True):
        above = true[first] - true[second]
        pairs.append(Pairs(np.maximum(p, 1 - p), np.where(p < 0.5, above < 0, above > 0)))
    return pairs


def together(pairs: list[Pairs]) -> Pairs:
    return Pairs(*(np.concatenate(part) for part in zip(*pairs, strict=True)))


def reliability(pairs: list[Pairs]) -> list[list[str]]:
    """A row for each metric, and one for all."""
    rows = []
    for name, some in zip([*METRICS, "all"], [*pairs, together(pairs)], strict=True):
        shares = [
            f"{100 * some.right[inside].mean():.0f} ({inside.sum():,})" if inside.any() else "–"
            for inside in some.bands
        ]
        rows.append([name, *shares])
    return rows


def bands_drawn(pool: str, pairs: list[Pairs]) -> list[dict[str, Any]]:
    """The probability of the pairs of each band, and in how many the run is better."""
    rows = []
    for metric, some in zip(METRICS, pairs, strict=True):
        for inside in some.bands:
            if inside.sum() >= DRAWN:
                point = {
                    "probability": float(some.probability[inside].mean()),
                    "share": float(some.right[inside].mean()),
                }
                rows.append({"pool": pool, "metric": metric, **point})
    return rows


def off_by_chance(found: Probable, rng: np.random.Generator) -> Ints:
    """How many cells would be off by more than five points, were the predictions perfect.

    True means are drawn as they say, the errors of runs as alike as those of the draws.
    """
    scales = found.calibration.pair_scale_to(found.top, found.scores.metrics)
    draws = np.moveaxis(found.prediction.means, 1, 0)
    said, counts = better(found), []
    for _ in range(REPEATS):
        truth = []
        for some, scale in zip(draws, scales, strict=True):
            chance = rng.standard_normal(len(some)) / np.sqrt(len(some) - 1)
            truth.append(some.mean(axis=0) + scale * chance @ (some - some.mean(axis=0)))
        cells = [off for pairs in pairs_of(said, np.array(truth)) for off in pairs.bands_off]
        counts.append(int((np.abs(cells) > FIVE).sum()))
    return np.array(counts)


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


def said_off(cells: list[float]) -> str:
    """How many are off by more than five points, which way, and by how much at most."""
    off = np.array(cells)
    ways = [("too sure", off), ("not sure enough", -off)]
    said = [
        f"{way} in {(far > FIVE).sum()} (by up to {far.max():.0f})"
        for way, far in ways
        if far.max() > FIVE
    ]
    if not said:
        return "none is off by more than five points"
    return f"{(np.abs(off) > FIVE).sum()} are off by more than five points: {', '.join(said)}"


def reliable(pools: list[list[Pairs]], chance: Ints) -> str:
    """How far the probabilities may be taken at their word."""
    cells = [off for pairs in pools for some in pairs for off in some.bands_off]
    bands = [off for pairs in pools for off in together(pairs).bands_off]
    everything = together([some for pairs in pools for some in pairs])
    overall = np.array(everything.bands_off)
    sure = everything.right[everything.probability >= SUREST].mean()
    return (
        f"Of the {len(cells)} cells of one metric with a hundred pairs or more "
        f"{said_off(cells)}. Of the {len(bands)} of all metrics of one pool {said_off(bands)}. "
        f"Over all pools and metrics the {len(overall)} bands are off by {-overall.min():.1f} "
        f"points (not sure enough) to {overall.max():.1f} (too sure), and from 0.99 on "
        f"{sure:.2%} of the pairs are as said.\n\n"
        "Pairs share runs, so that a hundred pairs are far fewer that are independent. Were the "
        "predictions perfect, with true scores drawn as they say, "
        f"{chance.min()} to {chance.max()} cells would be off by more than five points by chance "
        f"({chance.mean():.0f} in the mean of {len(chance)} such draws): that no cell is cannot be "
        "had with 129 runs, and `compare --probable` says beside the probabilities how far off "
        "they were."
    )


class Found(NamedTuple):
    """What was predicted, against the truth."""

    probable: Probable
    truth: Floats
    pairs: list[Pairs]

    @classmethod
    def of(cls, probable: Probable, truth: Floats) -> "Found":
        return cls(probable, truth, pairs_of(better(probable), truth))

    @property
    def held(self) -> Floats:
        """The share of runs whose range holds the truth, for each metric."""
        low, high = self.probable.ranges
        inside = (self.truth >= low - 1e-12) & (self.truth <= high + 1e-12)
        return np.asarray(inside.mean(axis=1))


def later(pools: dict[str, Found]) -> str:
    """The pools of the other halves."""
    cells = [off for found in pools.values() for some in found.pairs for off in some.bands_off]
    lowest = min(float(found.held.min()) for found in pools.values())
    names = "; ".join(pools)
    return (
        f"In the pools of the other halves ({names}; the first was looked at when all was settled) "
        f"ranges hold {lowest:.0%} of the runs or more, and of {len(cells)} cells "
        f"{said_off(cells)}."
    )


def judged_as_true(made: Collection, runs: list[Run], depth: int) -> Qrels:
    """The pool of this depth of these runs."""
    known = made.truth.frame.select("topic", "document", "grade")
    pooled = pool(runs, depth).select("topic", "document")
    pooled = pooled.join(known, on=["topic", "document"], how="left")
    return read_qrels(pooled.with_columns(pl.col("grade").fill_null(0)))


def simulated() -> tuple[list[list[str]], list[Found]]:
    """A row for each kind of collection, and everything that was found."""
    rows, everything = [], []
    for systems, topics, top, depth in SIMULATED:
        for step, who in ((1, "all"), (2, "half")):
            kind = []
            for seed in SEEDS:
                made = simulate(
                    topics=topics, systems=systems, depth=top, pool_depth=top, seed=seed
                )
                truth = score(judged_as_true(made, made.runs, top), made.runs, METRICS)
                known = judged_as_true(made, made.runs[::step], depth)
                found = estimate(known, made.runs, METRICS, top=top, draws=DRAWS)
                kind.append(Found.of(found, truth.totals["value"]))
            held = np.array([found.held for found in kind])
            off = together([some for found in kind for some in found.pairs]).bands_off
            farthest = max(off, key=abs)
            name = f"{systems} runs, {topics} topics, depth {depth} of {top}"
            shares = [f"{share:.0%}" for share in held.mean(axis=0)]
            rows.append([name, who, *shares, f"{held.min():.0%}", f"{farthest:+.0f}"])
            everything += kind
    return rows, everything


def said_of_simulated(found: list[Found]) -> str:
    held = np.array([one.held for one in found])
    short = [one for one, low in zip(found, held.min(axis=1) < LEAST_HELD, strict=True) if low]
    off = np.array(together([some for one in found for some in one.pairs]).bands_off)
    said = (
        f"Over all, ranges hold {held.mean():.0%}; in {len(short)} of the {len(found)} collections "
        f"those of some metric hold less than {LEAST_HELD:.0%} of the runs. Probabilities are off "
        f"by {off.min():+.0f} to {off.max():+.0f} points, by band over all collections."
    )
    if not short:
        return said
    place = METRICS.index("AP")
    above = [(one.probable.expected[place] - one.truth[place]).mean() for one in short]
    return (
        f"{said} Where ranges hold too little, the mean expected AP is {min(above):+.3f} to "
        f"{max(above):+.3f} off: an error that all runs share, of which the check inside the pool "
        "did not show enough."
    )


def seconds_to_fit(judgments: Qrels, runs: list[Run]) -> tuple[int, float]:
    """How many judgments there are, and the process time of the model of them."""
    judged = read_judged(judgments, runs, depth=100, retrieved=True).cut_to_depth()
    documents = Documents.of(judged, 100)
    start = process_time()
    fitted(documents, documents.is_judged)
    return int(documents.is_judged.sum()), process_time() - start


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


def pools_of(runs: list[Run]) -> tuple[dict[str, Pool], dict[str, Pool]]:
    """The pools of the tables, and those of the other halves."""
    group = [run.name.removeprefix("input.")[:3].lower() for run in runs]
    place = {name: number for number, name in enumerate(sorted(set(group)))}
    halves = [
        [run for run, own in zip(runs, group, strict=True) if place[own] % 2 == which]
        for which in (0, 1)
    ]
    shown = {f"depth {depth}": Pool(runs, depth) for depth in (5, 10, 20)}
    shown |= {f"depth {depth}, half of the runs": Pool(runs[::2], depth) for depth in (20, 10)}
    shown |= {f"depth {depth}, half of the groups": Pool(halves[0], depth) for depth in (20, 10)}
    others = {f"depth {depth}, other groups": Pool(halves[1], depth) for depth in (20, 10)}
    others["depth 10, other runs"] = Pool(runs[1::2], 10)
    return shown, others


def draw(name: str, picture: Any) -> None:
    drawn = rendered(sized_specification(picture, None), "svg")
    Path(__file__).with_name(f"{name}.svg").write_bytes(drawn)


def main() -> None:
    data = Path(os.environ["RANKWISE_DATA"]) / "trec8"
    qrels = read_qrels(data / "trec8.qrels.gz")
    runs = read_runs(sorted((data / "runs").glob("*.gz")))
    full = score(qrels, runs, METRICS, depth=100)
    truth, then = full.totals["value"], compare(full).frame
    shown, others = pools_of(runs)
    of_ranges, of_pairs, of_staying, drawn_bands, every_pair = [], [], [], [], []
    rng, chance, whole = np.random.default_rng(1), np.zeros(REPEATS, np.int64), {}
    for name, (some, depth) in shown.items():
        judgments, start = cut_to_pool(qrels, some, depth), process_time()
        found = estimate(judgments, runs, METRICS, draws=DRAWS, depth=100)
        whole[name] = process_time() - start
        pairs = pairs_of(better(found), truth)
        of_ranges += [[name, *row] for row in ranges(found, truth)]
        of_pairs += [[name, *row] for row in reliability(pairs)]
        drawn_bands += bands_drawn(name, pairs)
        every_pair.append(pairs)
        if name == DRAWN_POOL:
            draw("ranges", ranges_checked(ranges_drawn(found, truth)))
        chance += off_by_chance(found, rng)
        now = compare(score(judgments, runs, METRICS, depth=100)).frame
        of_staying.append([name, *staying(found, now, then)])
    last = {
        name: Found.of(
            estimate(cut_to_pool(qrels, some, depth), runs, METRICS, draws=DRAWS, depth=100), truth
        )
        for name, (some, depth) in others.items()
    }
    judged, fit = seconds_to_fit(cut_to_pool(qrels, runs, 10), runs)
    draw("reliability", reliability_chart(pl.DataFrame(drawn_bands)))
    bands, of_simulated = named(BANDS), simulated()
    text = TEXT.format(
        draws=DRAWS,
        judged=judged,
        fit=fit,
        whole=whole["depth 10"],
        groups=len({run.name.removeprefix("input.")[:3].lower() for run in runs}),
        ranges=table(
            ["pool", "metric", "mean now", "expected", "all judged", "held", "width"], of_ranges
        ),
        verdict=verdict(of_ranges),
        drawn_pool=DRAWN_POOL,
        pairs=table(["pool", "metric", *bands], of_pairs),
        reliable=reliable(every_pair, chance),
        later=later(last),
        seeds=len(SEEDS),
        simulated=table(
            ["collection", "contributed", *METRICS, "lowest", "pairs"], of_simulated[0]
        ),
        simulated_outcome=said_of_simulated(of_simulated[1]),
        staying=table(["pool", *named(STAYING)], of_staying),
        unseen=table(UNSEEN, missed_by_some(qrels, runs)),
        unseen_outcome=UNSEEN_OUTCOME,
    )
    Path(__file__).with_name("probable.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
