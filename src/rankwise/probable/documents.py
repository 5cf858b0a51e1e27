"""Documents of a deeper pool, and predictors of their relevance."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError
from rankwise.metrics import Metric
from rankwise.rankings import JudgedRankings, Rejudged
from rankwise.scores import Scores, score_judged, scores_of
from rankwise.wording import Argument, Count, Remedy

NEVER = np.iinfo(np.int32).max  # the best rank of a document that no run retrieved
FUSED = 100  # minimum number of ranks of each run that the fusion uses
FUSE, FLAT = 10, 2.0  # constant of reciprocal-rank fusion; power of a run's odds in its weight
ADDED = (1.0, 4.0)  # relevant and non-relevant documents added to a run, to smooth its odds
RUNS_AT_A_TIME = 16  # number of runs scored with bounds at once, to limit memory
CONTRIBUTED = 0.95  # smallest judged share of a run's documents at a rank, if the run was pooled
SHALLOWEST = 2  # the smallest pool depth in the trials
HOLES = Argument(
    "holes", SHALLOWEST, "rankwise.judging.holes(QRELS, RUNS, 2)", "plan next QRELS RUN..."
)
FEWEST = 4  # smallest number of contributing runs, if other runs did not contribute
SHARE_OF_RUNS = 1 / 3  # share of runs that must have contributed
NEARLY = 0.8  # if all runs contributed to this share of the depth, the smallest depth is used


@dataclass(frozen=True, eq=False)
class Documents:
    """All judged documents, and the unjudged documents in the top `top` of at least one run.

    `top` is the depth of the pool for which scores are predicted. Each document of a topic has a
    code: its index in `is_judged` and `best`, and in the arrays `topic` and `grade` of `rejudged`.
    `is_judged` says whether the document is judged, and `best` has its best rank in any run.
    """

    rejudged: Rejudged
    is_judged: Bools
    best: Ints
    top: int

    @classmethod
    def of(cls, judged: JudgedRankings, top: int) -> "Documents":
        """Build the object from rankings with `retrieved` and without an evaluation depth."""
        table = judged.retrieved
        assert table is not None
        best = np.full(table.codes, NEVER, np.int64)
        if len(table.code):  # the rows of a code are adjacent
            starts = np.flatnonzero(np.diff(table.code, prepend=np.int32(-1)))
            best[table.code[starts]] = np.minimum.reduceat(table.rank, starts)
        kept = (best[table.code] <= top) | (table.code < table.judgments)
        if not kept.all():  # all are kept if the rankings were joined with `Needs.within`
            judged = replace(judged, retrieved=table.only(kept))
        rejudged = Rejudged.of(judged)
        return cls(rejudged, rejudged.is_judged, best, top)

    @property
    def runs(self) -> tuple[str, ...]:
        return self.rejudged.judged.runs

    @property
    def topics(self) -> tuple[str, ...]:
        return self.rejudged.judged.topics

    @property
    def topic(self) -> Ints:
        """Index of the topic of each document."""
        return self.rejudged.topic

    @property
    def grade(self) -> Ints:
        """Grade of each document; 0 if unjudged."""
        return self.rejudged.grade

    @property
    def unjudged(self) -> Bools:
        """Mask of the unjudged documents in the top `top` of at least one run."""
        return ~self.is_judged & (self.best <= self.top)

    @property
    def in_fusion(self) -> Bools:
        """Mask of the documents in the top max(`top`, 100) of a run, which the rank fusion uses."""
        return self.best <= max(self.top, FUSED)

    @cached_property
    def run(self) -> Ints:
        """Index of the run of each retrieved document; the entries are those of `rejudged.code`."""
        return self.rejudged.ranking // len(self.topics)

    def columns(self, known: Bools) -> Floats:
        """Return three predictors of relevance per document.

        They are the constant 1, log(fused score) and log(best rank / 10).

        The fused score is a reciprocal-rank fusion with weighted runs. The weight of a run is a
        power of the odds that a document in its top `top` is relevant, estimated from the documents
        in the mask `known`.
        """
        code, rank, runs = self.rejudged.code, self.rejudged.rank, len(self.runs)
        first = np.flatnonzero((rank <= self.top) & known[code])
        relevant = np.bincount(self.run[first], self.grade[code[first]] > 0, runs)
        judged = np.bincount(self.run[first], minlength=runs)
        log_odds = np.log((relevant + ADDED[0]) / (judged - relevant + ADDED[1]))
        weight = np.exp(FLAT * (log_odds - log_odds.mean()))
        here = np.flatnonzero(rank <= max(self.top, FUSED))
        votes = weight[self.run[here]] / (FUSE + rank[here])
        fused = FUSE / runs * np.bincount(code[here], votes, len(self.topic))
        logs = [np.log(np.maximum(fused, 1e-12)), np.log(self.best / 10)]
        return np.stack([np.ones(len(fused)), *logs], axis=1)

    def scorer(
        self, metrics: tuple[Metric, ...], known: Bools, varying: Bools
    ) -> Callable[[Ints], Floats]:
        """Return a function that scores all runs, given the grade of each document (by code).

        The scores have shape (metrics, runs, topics). The returned function treats only documents
        in the mask `known` as judged. Only the grades of documents in the mask `varying` may differ
        between its calls. For metrics that score judged non-relevant documents like unjudged ones,
        documents that cannot be relevant are omitted, to save time.
        """
        telling = [metric.tells_unjudged for metric in metrics]
        gaining = known & (varying | (self.grade > 0))
        alternatives = {
            tells: self.rejudged.alternatives(known if tells else gaining) for tells in {*telling}
        }

        def scores(grade: Ints) -> Floats:
            judged = {tells: one.graded(grade) for tells, one in alternatives.items()}
            pairs = zip(metrics, telling, strict=True)
            found = [scores_of(metric, judged[tells]) for metric, tells in pairs]
            return np.array(found).reshape(len(metrics), len(self.runs), -1)

        return scores


def score_with_bounds(documents: Documents, metrics: tuple[Metric, ...]) -> Scores:
    """Score all runs, with bounds under the assumption `top=K`, where K is `documents.top`."""
    judged, parts = documents.rejudged.judged, []
    for first in range(0, len(judged.runs), RUNS_AT_A_TIME):
        runs = slice(first, first + RUNS_AT_A_TIME)
        limited = documents.rejudged.limited(documents.unjudged, runs)
        parts.append(score_judged(limited, metrics, unjudged="retrieved"))
    low, high = (
        np.concatenate([part.cubes[name] for part in parts], axis=1) for name in ("low", "high")
    )
    return replace(
        parts[0],
        runs=judged.runs,
        value=np.concatenate([part.value for part in parts], axis=1),
        low=low,
        high=high,
        present=np.concatenate([part.present for part in parts]),
        outer=tuple(str(m) for m in metrics if any(str(m) in part.outer for part in parts)),
        unjudged=f"top={documents.top}",
    )


class Pool(NamedTuple):
    """Pool depth, and the runs that contributed to the pool down to that depth."""

    depth: int
    contributed: Bools


def pool_of(documents: Documents, needed: int | None = None) -> Pool:
    """Return the depth of the judged pool, and the runs that contributed to it.

    A run contributed down to a depth if at least 95 % of its documents at each rank down to this
    depth are judged. The pool depth is the largest depth to which at least `needed` runs
    contributed. By default, `needed` is a third of the runs, but at least four, or all runs if
    there are fewer than four. If every run contributed down to at least 80 % of this depth, and
    down to rank 2, the pool depth is the largest depth to which all runs contributed. A pool depth
    below 2 is an error.
    """
    runs, top = len(documents.runs), documents.top
    rows = documents.rejudged
    here = np.flatnonzero(rows.rank <= top)
    place = documents.run[here] * top + rows.rank[here] - 1
    judged = np.bincount(place, documents.is_judged[rows.code[here]], runs * top)
    there = np.bincount(place, minlength=runs * top)
    whole = (judged >= CONTRIBUTED * there).reshape(runs, top)
    depths = np.logical_and.accumulate(whole, axis=1).sum(axis=1)
    if needed is None:
        needed = min(runs, max(FEWEST, int(np.ceil(SHARE_OF_RUNS * runs))))
    depth = int(np.sort(depths)[runs - needed])
    if depths.min() >= max(SHALLOWEST, NEARLY * depth):
        depth = int(depths.min())
    if depth < SHALLOWEST:
        pooled = int((depths >= SHALLOWEST).sum())
        have = f"{pooled} of the {runs} runs" if pooled else "none"
        raise CallError(
            "too few documents are judged for a prediction. The first "
            f"{SHALLOWEST} documents of at least {Count(needed, 'run')} must be judged on almost "
            f"every topic. They are judged for {have}.",
            remedy=Remedy(HOLES, f"list the unjudged documents down to rank {SHALLOWEST}"),
        )
    return Pool(depth, depths >= depth)
