"""Simulation of sequential judging: the number of misordered pairs of runs.

For `make_planning_page.py`. Judgments are hidden and given back by several rules, on random
subsets of runs and topics; after some batches the order of the runs is compared with the truth.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from probable_trial import World, judged_runs

from rankwise import Run, WeightedPrecision, parse
from rankwise.arrays import Bools, Floats, Ints
from rankwise.judging.plan import heaviest
from rankwise.judging.plan_by_model import Doubt, Stakes, resolve
from rankwise.judging.planning import best_to_separate, worth_of_pairs
from rankwise.judging.state import Candidates, Standing, candidates_of
from rankwise.metrics import Metric
from rankwise.probable.documents import Documents
from rankwise.probable.model import Draws, draw_scores, mean_over_topics
from rankwise.rankings.collection import Collection, Needs

DRAWS = 40
SUBSETS = 6
RUNS, TOPICS = 20, 25
WEIGHTS = "RBP(p=0.95)"
METRICS = ("AP", "nDCG@10")


class Course(NamedTuple):
    """Steps of judging a collection: first a pool, then batches."""

    top: int  # only documents that some run has in its first so many are judged
    first: int  # depth of the pool that all rules start from
    batch: int
    stops: tuple[int, ...]  # batches after which pairs are counted


COURSES = {"trec8": Course(50, 4, 250, (1, 2, 4)), "dl19": Course(10, 2, 100, (1, 2, 3))}


@dataclass(frozen=True, eq=False)
class Hidden:
    """Runs with the true grades of their documents, before any judgment."""

    documents: Documents
    start: Bools  # codes that are judged at first
    candidates: Candidates
    standing: Standing  # of the runs by WEIGHTS, nothing being judged

    @classmethod
    def of(cls, world: World, course: Course) -> "Hidden":
        hidden = {topic: {"no document": 0} for topic in world.grades["topic"].unique()}
        judged = Collection(hidden, world.runs).judged(Needs(documents=True))
        table, metric = judged.retrieved, parse(WEIGHTS)
        assert table is not None and isinstance(metric, WeightedPrecision)
        rows = pl.DataFrame({"code": table.code, "topic": table.topic}).unique(maintain_order=True)
        names = table.names.gather(rows["code"])
        topics = pl.Series(judged.topics).gather(rows["topic"])
        rows = rows.with_columns(document=names, topic=topics)
        both = rows.join(world.grades, on=["topic", "document"], how="left", maintain_order="left")
        grade = np.zeros(table.codes, np.int64)
        grade[both["code"].to_numpy()] = both["grade"].fill_null(0).to_numpy()
        documents = Documents.of(judged, course.top)
        documents = replace(documents, rejudged=replace(documents.rejudged, grade=grade))
        candidates = candidates_of(judged, metric)
        standing = Standing.of(judged, metric, candidates, "retrieved")
        start = documents.is_judged | (documents.best <= course.first)
        return cls(documents, start, candidates, standing)

    @property
    def asked(self) -> Bools:
        """Documents that may be judged."""
        return self.documents.best <= self.documents.top

    def model(self, known: Bools, metric: Metric) -> tuple[Documents, Draws]:
        """Predict the scores from the known judgments."""
        documents = replace(self.documents, is_judged=known)
        rng, new = np.random.default_rng(0), documents.unjudged
        return documents, draw_scores(documents, (metric,), known, new, draws=DRAWS, rng=rng)

    def wrong(self, known: Bools, metric: Metric) -> tuple[int, int]:
        """Return the misordered pairs: with unjudged as not relevant, and by expected scores."""
        everything, nothing = self.asked | self.start, np.zeros(len(known), np.bool_)

        def means(judged: Bools) -> Floats:
            scorer = self.documents.scorer((metric,), judged, nothing)
            return mean_over_topics(scorer(self.documents.grade))[0]

        true, now = signs(means(everything)), signs(means(known))
        expected = signs(self.model(known, metric)[1].expected[0])
        return int((now != true).sum()), int((expected != true).sum())


Rule = Callable[[Hidden, Metric, int], Iterator[Bools]]


def growing(world: Hidden, order: Ints, batch: int) -> Iterator[Bools]:
    """Judge one more batch of this order in each step."""
    known = world.start
    left = order[~known[order] & world.asked[order]]
    for start in range(0, len(left), batch):
        known = known.copy()
        known[left[start : start + batch]] = True
        yield known


def pooling(world: Hidden, _: Metric, batch: int) -> Iterator[Bools]:
    """Judge the next rank of every run and topic, then the next."""
    return growing(world, np.argsort(world.documents.best, kind="stable"), batch)


def move_to_front(world: Hidden, _: Metric, batch: int) -> Iterator[Bools]:
    """Judge the next document of the run at the front, for each topic in turn.

    A run goes to the back once its document is not relevant. Cormack, Palmer and Clarke, SIGIR
    1998.
    """
    documents, places = world.documents, world.documents.rejudged
    runs, topics = len(documents.runs), len(documents.topics)
    starts = np.searchsorted(places.ranking, np.arange(runs * topics + 1))
    lists = [places.code[a:b].tolist() for a, b in pairwise(starts)]
    queues = [[iter(lists[run * topics + topic]) for run in range(runs)] for topic in range(topics)]
    seen, order = world.start.copy(), []
    while any(queues):
        for queue in queues:
            while queue:
                code = next((code for code in queue[0] if not seen[code]), None)
                if code is None:
                    queue.pop(0)
                    continue
                seen[code] = True
                order.append(code)
                if documents.grade[code] <= 0:
                    queue.append(queue.pop(0))
                break
    return growing(world, np.array(order), batch)


def weight(world: Hidden, _: Metric, batch: int) -> Iterator[Bools]:
    """Judge by the amount that a document could add to the scores of all runs together."""
    every, candidates = len(world.start), world.candidates
    return growing(world, heaviest(candidates.total(), every, candidates.topic), batch)


def separate(world: Hidden, _: Metric, batch: int) -> Iterator[Bools]:
    """Judge the documents that help most to decide undecided pairs."""
    known, gain = world.start, (world.documents.grade > 0).astype(np.float64)
    while True:
        judged = world.candidates.among(np.flatnonzero(known))
        worth = worth_of_pairs(world.standing.after(judged, gain))
        chosen = best_to_separate(world.candidates, worth, known | ~world.asked, batch)
        if not len(chosen):
            return
        known = known.copy()
        known[chosen] = True
        yield known


def probable(world: Hidden, metric: Metric, batch: int) -> Iterator[Bools]:
    """Judge the documents expected to resolve the most pairs, as `plan next --probable`."""
    known = world.start
    while True:
        documents, draws = world.model(known, metric)
        stakes = Stakes.of(documents, draws, metric)
        wanted = ~np.eye(len(documents.runs), dtype=np.bool_)
        doubt = Doubt.of(draws.odds(0, metric.sign), wanted, stakes.variances())
        chosen = resolve(stakes, doubt, batch, 2).chosen
        if not len(chosen):
            return
        known = known.copy()
        known[stakes.code[chosen]] = True
        yield known


RULES: dict[str, Rule] = {
    "pooling": pooling,
    "move-to-front": move_to_front,
    "weight": weight,
    "separate": separate,
    "probable": probable,
}


def signs(scores: Floats) -> Floats:
    """Return which run of each pair has the greater mean."""
    first, second = np.triu_indices(len(scores), 1)
    return np.sign(scores[first] - scores[second])


def subset(world: World, course: Course, seed: int) -> World:
    """Return random runs with sufficient judgments, and random topics."""
    rng = np.random.default_rng(seed)
    there: list[Run] = judged_runs(world, course.top)
    runs = [there[at] for at in rng.choice(len(there), min(RUNS, len(there)), replace=False)]
    names = np.array(sorted(world.grades["topic"].unique()))
    return world.part(runs, rng.choice(names, min(TOPICS, len(names)), replace=False).tolist())


def trials(world: World) -> Iterator[dict[str, object]]:
    """Count misordered pairs on every subset, by metric and rule, at every stop."""
    course = COURSES[world.name]
    for seed in range(SUBSETS):
        hidden = Hidden.of(subset(world, course, seed), course)
        for name in METRICS:
            metric = parse(name)
            for title, rule in RULES.items():
                for batch, known in enumerate(rule(hidden, metric, course.batch), 1):
                    if batch in course.stops:
                        now, expected = hidden.wrong(known, metric)
                        row = {"world": world.name, "subset": seed, "metric": name, "rule": title}
                        judged = batch * course.batch
                        yield {**row, "judged": judged, "now": now, "expected": expected}
                    if batch == course.stops[-1]:
                        break
