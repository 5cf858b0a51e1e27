"""Sequential judging as a simulation: how many judgments until runs are told apart.

For `make_planning_page.py`. Judgments are hidden and given back in some order; after every batch
is looked at which of the pairs that all judgments show to be significantly different are decided.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rankwise.probable.calibration import calibrate, pair_odds
from rankwise.probable.checks import pool_depth
from rankwise.probable.prediction import Prediction, mean_over_topics, predict

from rankwise import Qrels, WeightedPrecision, compare, parse, read_runs, score
from rankwise.arrays import ROUNDING, Bools, Floats, Ints
from rankwise.judging.budget import best_to_separate, order_by_weight, worth_of_pairs
from rankwise.judging.resolution import Doubt, Stakes, resolve
from rankwise.judging.standing import Candidates, Standing, candidates_of
from rankwise.metrics import Metric
from rankwise.probable.documents import Documents
from rankwise.rankings.join import read_judged

DEPTH = 100
FIRST = 4  # the depth of the pool that all orders start from: the least that the model takes
BATCH = 500
DRAWS = 30
SURE = 1.645  # standard deviations: a probability of 95 %
WANTED = 0.95
MOST = 12_000  # judgments after which a rule is given up
BATCHES = (0, 2, 4, 6)  # after which it is counted which pairs stand the wrong way round


@dataclass(frozen=True, eq=False)
class World:
    """Runs, and what would be found of each document; a document is a code."""

    documents: Documents  # with the true grades
    start: Bools  # what is judged at first
    weights: WeightedPrecision
    candidates: Candidates
    standing: Standing  # of the runs by these weights, nothing being judged

    @classmethod
    def of(cls, files: list[Path], truth: Qrels, grades: "GradesOf", weights: str) -> "World":
        hidden = {topic: {"no document": 0} for topic in truth.frame["topic"].unique()}
        judged = read_judged(hidden, read_runs(files), depth=DEPTH, retrieved=True).cut_to_depth()
        documents = Documents.of(judged, DEPTH)
        documents = replace(documents, grade=grades(judged, truth).astype(np.int64))
        metric = parse(weights)
        assert isinstance(metric, WeightedPrecision)
        candidates = candidates_of(judged, metric)
        standing = Standing.of(judged, metric, candidates, "retrieved")
        start = documents.is_judged | (documents.best <= FIRST)
        return cls(documents, start, metric, candidates, standing)

    @property
    def asked(self) -> Bools:
        """Documents that some run has: all but the one of each topic that stands for none."""
        return self.documents.best <= DEPTH

    @property
    def gain(self) -> Floats:
        return (self.documents.grade > 0).astype(np.float64)

    def standing_of(self, known: Bools) -> Standing:
        return self.standing.after(self.candidates.among(np.flatnonzero(known)), self.gain)

    def model(self, known: Bools, metric: Metric) -> tuple[Documents, Prediction, Floats]:
        """What is probable once these are judged, and by how many deviations each run is ahead."""
        documents, rng = replace(self.documents, is_judged=known), np.random.default_rng(0)
        pool = pool_depth(documents, DEPTH)
        trust = calibrate(documents, (metric,), pool, draws=DRAWS, rng=rng)
        new = ~known & (documents.best <= DEPTH)
        ahead = predict(documents, (metric,), known, new, draws=DRAWS, rng=rng)
        odds, _ = pair_odds(ahead, trust.pair_scale_to(DEPTH, (metric,))[0], 0)
        return documents, ahead, odds


GradesOf = Callable[..., Floats]
Rule = Callable[[World, Metric], Iterator[Bools]]


def growing(world: World, order: Ints) -> Iterator[Bools]:
    """The start, and then a batch more of this order each time."""
    known = world.start.copy()
    yield known
    left = order[~known[order]]
    for start in range(0, len(left), BATCH):
        known = known.copy()
        known[left[start : start + BATCH]] = True
        yield known


def pooling(world: World, _: Metric) -> Iterator[Bools]:
    """Rank 5 of every run and topic, then rank 6, and so on."""
    order = np.argsort(world.documents.best, kind="stable")
    return growing(world, order[world.documents.best[order] <= DEPTH])


def move_to_front(world: World, _: Metric) -> Iterator[Bools]:
    """The next document of the run at the front, topic by topic in turn.

    A run goes to the back once its document is not relevant. Cormack, Palmer and Clarke, SIGIR
    1998.
    """
    documents, runs = world.documents, len(world.documents.judged.runs)
    topics = len(documents.judged.topics)
    starts = np.searchsorted(documents.ranking, np.arange(runs * topics + 1))
    lists = [documents.code[a:b].tolist() for a, b in pairwise(starts)]
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
    return growing(world, np.array(order))


def weight(world: World, _: Metric) -> Iterator[Bools]:
    return growing(world, order_by_weight(world.candidates, len(world.documents.topic)))


def separate(world: World, _: Metric) -> Iterator[Bools]:
    known = world.start.copy()
    yield known
    while True:
        worth = worth_of_pairs(world.standing_of(known))
        batch = best_to_separate(world.candidates, worth, known, BATCH)
        if not len(batch):
            return
        known = known.copy()
        known[batch] = True
        yield known


def probable(world: World, metric: Metric) -> Iterator[Bools]:
    known = world.start.copy()
    yield known
    while True:
        documents, ahead, odds = world.model(known, metric)
        stakes = Stakes.of(documents, ahead, metric)
        wanted = ~np.eye(len(documents.judged.runs), dtype=np.bool_)
        doubt = Doubt.of(odds, wanted, stakes.variances())
        chosen = resolve(stakes, doubt, BATCH, 2).chosen
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


def significant(files: list[Path], truth: Qrels, metric: str) -> Floats:
    """1 where the first run of a pair is significantly better, −1 the second, else 0."""
    scores = score(truth, read_runs(files), metric, depth=DEPTH)
    frame = compare(scores).frame
    found: Floats = np.where(frame["significant"], np.sign(frame["difference"].to_numpy()), 0.0)
    return found


def decided_certainly(world: World, known: Bools, _: Metric) -> Floats:
    """1 where the first run of a pair is certainly better by the weights, −1 the second."""
    low, high = world.standing_of(known).ends
    at = np.triu_indices(len(low), 1)
    return np.where(low[at] > ROUNDING, 1.0, np.where(high[at] < -ROUNDING, -1.0, 0.0))


def decided_probably(world: World, known: Bools, metric: Metric) -> Floats:
    """1 where the first run of a pair is better with a probability of 95 %, −1 the second."""
    odds = world.model(known, metric)[2]
    odds = odds[np.triu_indices(len(odds), 1)]
    return np.where(np.abs(odds) >= SURE, np.sign(odds), 0.0)


class Case(NamedTuple):
    """A metric, when a pair counts as decided, and the weights that two of the rules go by."""

    metric: str
    certain: bool
    weights: str


CASES = (
    Case("RBP(p=0.8)", True, "RBP(p=0.8)"),
    Case("RBP(p=0.95)", False, "RBP(p=0.95)"),
    Case("AP", False, "RBP(p=0.95)"),
    Case("nDCG@10", False, "RBP(p=0.95)"),
)


def needed(world: World, case: Case, rule: Rule, true: Floats) -> str:
    """The judgments after which 95 % of the truly significant pairs are decided rightly."""
    metric, differs = parse(case.metric), true != 0
    decide = decided_certainly if case.certain else decided_probably
    for known in rule(world, metric):
        found, judged = decide(world, known, metric), int((known & world.asked).sum())
        if np.mean(found[differs] == true[differs]) >= WANTED:
            wrong = int((found[differs] == -true[differs]).sum())
            return f"{judged:,}" + (f" ({wrong} wrong)" if wrong else "")
        if judged >= MOST:
            break
    return f"more than {judged:,}"


def wrong_pairs(files: list[Path], truth: Qrels, grades: GradesOf) -> list[list[str]]:
    """A row for each metric and rule: pairs that stand the wrong way round, as judging goes on.

    First by scores that take unjudged documents to be non-relevant, then by expected scores.
    """
    found = []
    for name in ("AP", "nDCG@10"):
        world, metric = World.of(files, truth, grades, "RBP(p=0.95)"), parse(name)
        everything = np.ones(len(world.start), np.bool_)
        true = signs(means(world, metric, everything))
        for title, rule in RULES.items():
            cells = []
            for batch, known in enumerate(rule(world, metric)):
                if batch in BATCHES:
                    ahead = world.model(known, metric)[1].expected[0]
                    both = (means(world, metric, known), ahead)
                    cells.append(" / ".join(str(int((signs(m) != true).sum())) for m in both))
                if batch == BATCHES[-1]:
                    break
            found.append([name, title, *cells])
    return found


def means(world: World, metric: Metric, known: Bools) -> Floats:
    """The mean of each run if these documents are judged."""
    return mean_over_topics(world.documents.scores((metric,), world.documents.grade, known))[0]


def signs(scores: Floats) -> Floats:
    """Which run of each pair has the greater mean."""
    first, second = np.triu_indices(len(scores), 1)
    return np.sign(scores[first] - scores[second])


def table(files: list[Path], truth: Qrels, grades: GradesOf) -> list[list[str]]:
    """A row for each rule, a column for each case; first how many pairs are significant."""
    columns = []
    for case in CASES:
        world = World.of(files, truth, grades, case.weights)
        true = significant(files, truth, case.metric)
        cells = [needed(world, case, rule, true) for rule in RULES.values()]
        columns.append([f"{int((true != 0).sum()):,}", *cells])
    return [list(row) for row in zip(["significant pairs", *RULES], *columns, strict=True)]
