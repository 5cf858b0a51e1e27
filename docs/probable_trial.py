"""Trials of `rankwise.predict`: predict a deeper pool, and compare with the true scores.

For `make_probable_page.py` and the tests. Everything goes through the public functions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from rankwise import Run, predict, read_qrels, read_runs, score
from rankwise.arrays import ROUNDING, Floats
from rankwise.errors import CallError
from rankwise.judging import pool
from rankwise.probable import Prediction

METRICS = ("AP", "nDCG", "nDCG@10", "Q", "Bpref", "RBP(p=0.95)", "P@10", "Recall@100")
DOCUMENTS = 3000  # per topic of a simulated collection
STRENGTH = 1.5  # how clearly systems see relevance, in standard deviations, at most about twice
LENGTH = 100  # documents of a run that trials on real collections keep
JUDGED = 0.95  # share of the first K documents that must be judged for a run to take part
NARROW = 0.004  # mean width of the bounds below which there is nothing to predict
DRAWS = 100


@dataclass(frozen=True, eq=False)
class World:
    """Runs and judgments of a collection (columns topic, document, grade)."""

    name: str
    runs: list[Run]
    grades: pl.DataFrame

    def part(self, runs: list[Run], topics: list[str]) -> "World":
        here = pl.col("topic").is_in(topics)
        some = [Run(run.frame.filter(here), name=run.name) for run in runs]
        return World(self.name, some, self.grades.filter(here))

    def judged_to(self, runs: list[Run], depth: int) -> pl.DataFrame:
        """Judge the pool of these runs; a document without a grade counts as not relevant."""
        documents = pool(runs, depth).select("topic", "document")
        found = documents.join(self.grades, on=["topic", "document"], how="left")
        return found.with_columns(pl.col("grade").fill_null(0))


@dataclass(frozen=True, eq=False)
class Trial:
    """A prediction and the scores under the deeper pool; shape (metrics, runs)."""

    predicted: Prediction
    truth: Floats

    def held(self) -> Floats:
        """Return the fraction of runs whose range contains the true score, by metric."""
        low, high = self.predicted.ranges
        inside = (self.truth >= low - ROUNDING) & (self.truth <= high + ROUNDING)
        return np.asarray(inside.mean(axis=1))

    def widths(self) -> tuple[Floats, Floats]:
        """Return the mean width of the ranges and of the bounds, by metric."""
        low, high = self.predicted.ranges
        totals = self.predicted.scores.totals
        return (high - low).mean(axis=1), (totals["high"] - totals["low"]).mean(axis=1)

    def rows(self, kind: str, number: int) -> list[dict[str, object]]:
        """Return one row per metric whose bounds are not narrow."""
        expected, now = self.predicted.expected, self.predicted.scores.totals["value"]
        width, bounds = self.widths()
        found: list[dict[str, object]] = []
        for place, metric in enumerate(self.predicted.scores.metrics):
            if bounds[place] <= NARROW:
                continue
            off, off_now = (one[place] - self.truth[place] for one in (expected, now))
            row = {"kind": kind, "trial": number, "metric": str(metric)}
            row |= {"held": float(self.held()[place]), "share": float(width[place] / bounds[place])}
            row |= {"bias": float(off.mean()), "rmse": float(np.sqrt((off**2).mean()))}
            found.append({**row, "rmse_now": float(np.sqrt((off_now**2).mean()))})
        return found

    def pairs(self) -> tuple[Floats, Floats]:
        """Return, per pair, the probability of the likelier winner, and whether it is better."""
        first, second = np.triu_indices(self.truth.shape[1], 1)
        better = self.predicted.pairs()["better"].to_numpy().reshape(len(self.truth), -1)
        ahead = (self.truth[:, first] > self.truth[:, second]) == (better > 0.5)
        kept = np.isfinite(better) & (self.truth[:, first] != self.truth[:, second])
        return np.maximum(better, 1 - better)[kept], ahead[kept].astype(np.float64)


def trial(
    world: World, *, depth: int, top: int, contributing: int | None = None, seed: int = 0
) -> Trial:
    """Predict depth `top` from the pool of depth `depth` of the first, or of all, runs."""
    known = world.judged_to(world.runs[:contributing], depth)
    found = predict(known, world.runs, METRICS, top=top, resamples=DRAWS, seed=seed)
    deeper = pl.concat([known, world.judged_to(world.runs, top)]).unique(["topic", "document"])
    truth = score(read_qrels(deeper), world.runs, METRICS).totals["value"]
    return Trial(found, truth)


def collection(folder: Path, name: str) -> World:
    """Return a collection of the data folder, with its runs cut."""
    qrels = read_qrels(folder / name / f"{name}.qrels.gz")
    grades = qrels.frame.select("topic", "document", "grade")
    topics = grades["topic"].unique().to_list()
    runs = []
    for run in read_runs(sorted((folder / name / "runs").iterdir())):
        frame = run.frame.select("topic", "document", "score").filter(pl.col("topic").is_in(topics))
        order = frame.sort("score", "document", descending=True)
        runs.append(Run(order.group_by("topic", maintain_order=True).head(LENGTH), name=run.name))
    return World(name, runs, grades)


@cache
def judged_runs(world: World, top: int) -> list[Run]:
    """Return the runs with nearly all of their first `top` documents judged."""
    known = world.grades.select("topic", "document", judged=pl.lit(1))
    found = []
    for run in world.runs:
        first = run.frame.group_by("topic", maintain_order=True).head(top)
        share = first.join(known, on=["topic", "document"], how="left")["judged"].count()
        if share >= JUDGED * first.height:
            found.append(run)
    return found


@dataclass(frozen=True)
class Shape:
    """Parameters of a simulated collection: relevant documents, similarity of systems."""

    relevant: float = 30.0  # per topic, on average
    graded: bool = True
    shared: float = 0.7  # standard deviations of what all systems see alike,
    family: float = 0.5  # what related systems do,
    own: float = 0.5  # and what one system does
    systems: tuple[int, ...] = (20, 30)
    length: int = 100
    contributing: float = 1.0
    depths: tuple[int, ...] = (10, 25, 50)
    top: int = 100


SHAPES = {
    "few relevant documents (6 per topic), binary": Shape(relevant=6, graded=False),
    "many relevant documents (150 per topic), binary": Shape(relevant=150, graded=False),
    "graded": Shape(),
    "systems unlike each other": Shape(shared=0.1, family=0.2, own=1.2),
    "similar systems": Shape(shared=1.0, family=0.5, own=0.15),
    "half of the runs contributed": Shape(contributing=0.5),
    "3, 5 or 8 runs": Shape(systems=(3, 5, 8)),
    "8 runs, 4 contributed": Shape(systems=(8,), contributing=0.5),
    "topics without a known relevant document": Shape(relevant=1.5, graded=False, own=1.0),
    "runs of 300 documents": Shape(length=300),
    "runs of 30 documents": Shape(length=30, depths=(5, 10, 20), top=50),
}


def simulated(shape: Shape, seed: int, topics: int = 25) -> World:
    """Simulate a collection: systems rank by grades with noise that they partly share."""
    rng = np.random.default_rng(seed)
    systems = int(rng.choice(shape.systems))
    quality = rng.uniform(0.3, 1.4, systems)
    family = rng.integers(0, max(1, systems // 4), systems)
    lists: list[list[pl.DataFrame]] = [[] for _ in range(systems)]
    grades = []
    for number in range(topics):
        topic, names = str(number), np.array([f"{number}-{n}" for n in range(DOCUMENTS)])
        count = min(int(1 + rng.gamma(1.5, shape.relevant / 1.5)), DOCUMENTS // 2)
        grade = np.zeros(DOCUMENTS, np.int64)
        levels = rng.choice([1, 2, 3], count, p=[0.55, 0.3, 0.15]) if shape.graded else 1
        grade[rng.choice(DOCUMENTS, count, replace=False)] = levels
        shared = shape.shared * rng.standard_normal(DOCUMENTS)
        by_family = shape.family * rng.standard_normal((family.max() + 1, DOCUMENTS))
        own = shape.own * rng.standard_normal((systems, DOCUMENTS))
        seen = STRENGTH * rng.uniform(0.6, 1.4) * quality[:, None] * np.sqrt(grade)
        order = np.argsort(-(seen + shared + by_family[family] + own), axis=1)
        grades.append(
            pl.DataFrame({"topic": [topic] * DOCUMENTS, "document": names, "grade": grade})
        )
        for system in range(systems):
            chosen = names[order[system, : shape.length]]
            points = np.arange(len(chosen), 0, -1.0)
            rows = {"topic": [topic] * len(chosen), "document": chosen, "score": points}
            lists[system].append(pl.DataFrame(rows))
    runs = [Run(pl.concat(parts), name=f"s{at:02}") for at, parts in enumerate(lists)]
    return World("simulated", runs, pl.concat(grades))


def simulated_trial(shape: Shape, seed: int) -> Trial:
    world, rng = simulated(shape, seed), np.random.default_rng(seed)
    contributing = None if shape.contributing == 1 else int(shape.contributing * len(world.runs))
    depth = int(rng.choice(shape.depths))
    return trial(world, depth=depth, top=shape.top, contributing=contributing, seed=seed)


DEPTHS: dict[str, dict[int, tuple[int, ...]]] = {
    "trec8": {20: (5, 10, 14), 50: (12, 25, 35), 100: (25,)},
    "dl19": {10: (4, 5, 7)},
}
PLAIN = ("all contributed", "half contributed")


@dataclass(frozen=True)
class Setting:
    """A kind of trial on a real collection."""

    kind: str
    depth: int
    top: int
    contributing: float = 1.0
    runs: tuple[int, int] = (20, 40)
    topics: int = 25


def settings(name: str) -> Iterator[Setting]:
    """Return all kinds of trials of a collection."""
    for top, depths in DEPTHS[name].items():
        for depth in depths:
            yield Setting("all contributed", depth, top)
            yield Setting("half contributed", depth, top, 0.5)
    top = 50 if name == "trec8" else 10
    yield Setting("10 topics", top // 2, top, topics=10)
    yield Setting("50 topics, or all", top // 2, top, topics=50)
    yield Setting("3 runs", top // 2, top, runs=(3, 3))
    yield Setting("5 or 8 runs", top // 2, top, runs=(5, 8))
    yield Setting("8 runs, 4 contributed", top // 2, top, 0.5, (8, 8))
    yield Setting("depth 2 or 3", 2, 10)
    yield Setting("depth 2 or 3", 3, 10)
    yield Setting("as deep, half contributed", top, top, 0.5)
    if name == "trec8":
        yield Setting("10 or 20 times as deep", 5, 50)
        yield Setting("10 or 20 times as deep", 5, 100)


def real_trial(world: World, setting: Setting, seed: int) -> Trial | None:
    """Run a trial on random topics and runs; None if `predict` refuses it."""
    rng = np.random.default_rng(seed)
    there = judged_runs(world, setting.top)
    count = min(len(there), int(rng.integers(setting.runs[0], setting.runs[1] + 1)))
    runs = [there[place] for place in rng.choice(len(there), count, replace=False)]
    names = np.array(sorted(world.grades["topic"].unique()))
    topics = rng.choice(names, min(setting.topics, len(names)), replace=False).tolist()
    contributing = None if setting.contributing == 1 else int(setting.contributing * count)
    part = world.part(runs, topics)
    try:
        return trial(
            part, depth=setting.depth, top=setting.top, contributing=contributing, seed=seed
        )
    except CallError:
        return None


REPEATS = {"trec8": 4, "dl19": 3}  # of each plain setting; of those of other shapes one
REPEATS_SIMULATED = 2
FRESH = ("similar systems", "3, 5 or 8 runs")  # with collections that no rule was found on
FRESH_SEEDS = range(101, 107)
BANDS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])


def run_all(folder: Path) -> Iterator[dict[str, object]]:
    """Run every trial; yield a row per metric, per band of pairs, and per refused trial."""
    number = 0
    for name in ("trec8", "dl19"):
        world = collection(folder, name)
        for setting in settings(name):
            for _ in range(REPEATS[name] if setting.kind in PLAIN else 1):
                number += 1
                found = real_trial(world, setting, number)
                yield from _rows(found, name, setting.kind, number)
    for kind, shape in SHAPES.items():
        for seed in range(1, REPEATS_SIMULATED + 1):
            number += 1
            yield from _rows(simulated_trial(shape, seed), "simulated", kind, number)
    for kind in FRESH:
        for seed in FRESH_SEEDS:
            number += 1
            found = simulated_trial(SHAPES[kind], seed)
            yield from _rows(found, "simulated", f"{kind}, fresh collections", number)


def _rows(found: Trial | None, name: str, kind: str, number: int) -> Iterator[dict[str, object]]:
    if found is None:
        yield {"world": name, "kind": kind, "trial": number, "what": "refused"}
        return
    for row in found.rows(kind, number):
        yield {"world": name, "what": "ranges", **row}
    said, right = found.pairs()
    band = np.searchsorted(BANDS, said, "right") - 1
    sums = [np.bincount(band, x, len(BANDS)) for x in (np.ones(len(said)), said, right)]
    for at, (count, mean, hits) in enumerate(np.transpose(sums).tolist()):
        row = {"world": name, "kind": kind, "trial": number, "what": "pairs", "band": at}
        yield {**row, "count": count, "said": mean, "right": hits}
