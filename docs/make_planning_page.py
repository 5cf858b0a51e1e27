"""Writes docs/planning.md: which documents to judge next, tried on TREC-8.

`RANKWISE_DATA=… python docs/make_planning_page.py`; the data is not part of the project.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import sequential_judging

from rankwise import Qrels, WeightedPrecision, parse, read_qrels
from rankwise.arrays import Floats, Ints
from rankwise.judging.budget import (
    best_to_separate,
    order_by_weight,
    worth_of_pairs,
)
from rankwise.judging.standing import Candidates, Standing, candidates_of
from rankwise.rankings.join import read_judged
from rankwise.rankings.judged import JudgedRankings

DEPTH = 100
STEP = 250  # judgments between two looks at what was found
STOPS = (0, 500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000)
METRICS = ("RBP(p=0.8)", "RBP(p=0.95)")

TEXT = """# Which documents to judge next

Made by `docs/make_planning_page.py` from the 129 runs of TREC-8, cut at depth {depth}.

`rankwise plan QRELS RUN... -m METRIC --budget N` lists the N unjudged documents that carry most
weight: a document's weight is what it could add to the scores of all runs together. No other N
documents leave a smaller residual, under any judgment of them. With `--separate` it lists those
that separate runs: for each undecided pair, how much a document can move the difference, over
what the pair needs at least before it can be decided.

The trial hides all judgments and gives them back, in three orders. **Pooling**: rank 1 of every
run and topic, then rank 2, and so on. **Weight**: the plan, made once, as nothing that is found
changes it. **Separate**: planned again after every {step} judgments, with what was found by then;
and, in the last column, planned once, knowing nothing. A document that TREC did not judge counts
as judged and not relevant. The residual is the mean over runs and topics of what is unresolved of a
score; undecided are the pairs of runs, of {pairs:,}, that could still change places under shared
judgments (`--unjudged retrieved`).

{tables}
## What it shows

{outcome}

## Sequential judging, by any metric

AP and nDCG@10 have no weights to go by. For them, and with `--probable` for any, `plan --budget`
lists the documents that are expected to clear up which runs are better: see
[decisions.md](decisions.md), and [probable.md](probable.md) for the model. This trial takes every
third run ({few} runs, {few_pairs:,} pairs), judges the pool of depth {first} ({start:,} documents,
the least that the model learns from), and then {batch} documents at a time, each rule seeing what
was found before. **Pooling**: rank {next} of every run and topic, then the next. **Move-to-front**:
topic by topic the next document of the run at the front, which goes to the back once its document
is not relevant (Cormack, Palmer and Clarke, 1998). **Weight** and **separate**: as above, by the
metric's own weights or, for AP and nDCG@10, by those of RBP(p=0.95). **Probable**: as
`plan --probable` has it for the metric.

Of the pairs that differ significantly under all judgments (t-test, Holm), 95 % are decided, and
rightly, after so many judgments, the first pool among them. Decided is for RBP(p=0.8) that one run
is better under any judgment of the documents left (*certain*), and for the others that it is better
with a probability of 95 %, as `compare --probable` tells it (*probable*).

{sequential}

Pairs, of {few_pairs:,}, that stand the wrong way round as judging goes on: by scores that take
unjudged documents to be non-relevant / by the expected scores of the model.

{wrong}

{sequential_outcome}
"""

OUTCOME = """By weight the residual falls fastest, as it must. The lead over pooling is large at
first and shrinks as the pool gets deep: pooling judges what one run has at rank 1 before what a
hundred runs have at rank 2. It also leaves fewer pairs undecided than pooling at every stop where
any is decided.

`--separate` decides the most pairs, if it may see what was found and plan again. It pays for that
with the residual, which in the end is above that of pooling at p = 0.8: it leaves documents alone
that would separate no two runs. Planned once, knowing nothing of what will be found, it decides
hardly more than the plan by weight. So judge a part of the budget, then plan again.

At p = 0.95 no order decides anything with the first 4,000 judgments, some 80 a topic.

How `--separate` weighs pairs was chosen among four ways on these same runs and two metrics
(decisions.md), so its lead here is somewhat flattered; weight and pooling had nothing to choose."""


SEQUENTIAL = """No rule is best at everything. Pairs that differ significantly are mostly far apart
and need no plan: by nDCG@10 all of them are decided by the first pool, and for the certain verdicts
of RBP(p=0.8) plain pooling and weight are best, as they settle the tops of all runs alike, while
`--separate` spends its judgments on the pairs that are hardest to decide. Move-to-front finds
relevant documents soonest, and is first to 95 % by RBP(p=0.95) and AP. Weight is slow there for a
reason of its own: it leaves what few runs have at high ranks unjudged, and the model can check
itself only as deep as the pool is whole, so that its doubt stays large.

The probable rule goes for pairs that are close, which are not those that differ significantly. So
it is not the first to decide these, and by certain verdicts it is the last. It is made for the
right order of runs. In this trial, with 1,000 and 2,000 judgments beyond the first pool, it leaves
fewer pairs the wrong way round than the other rules, by the scores that are printed and by expected
ones, by nDCG@10 about half as many. After 3,000 judgments move-to-front has caught up by AP and
pooling, then some ten documents deep, by nDCG@10, both by the scores that are printed.
This is one collection, one subset of runs and one order of topics, without error bars: it does not
show that the rule leads elsewhere, and differences of a few pairs are chance."""


@dataclass(frozen=True, eq=False)
class Trial:
    """TREC-8 with its judgments hidden: what is unjudged (all), and what would be found."""

    judged: JudgedRankings
    metric: WeightedPrecision
    candidates: Candidates
    gain: Floats  # of each document
    start: Standing

    @classmethod
    def of(cls, judged: JudgedRankings, truth: Qrels, name: str) -> "Trial":
        metric = parse(name)
        assert isinstance(metric, WeightedPrecision)
        candidates = candidates_of(judged, metric)
        start = Standing.of(judged, metric, candidates, "retrieved")
        return cls(judged, metric, candidates, gains(judged, truth), start)

    def course(self, batches: Iterator[Ints]) -> list[tuple[float, int]]:
        """The mean residual and the undecided pairs at each stop."""
        found, standing, done = [], self.start, 0
        for batch in batches:
            standing, done = (
                standing.after(self.candidates.among(batch), self.gain),
                done + len(batch),
            )
            if done in STOPS:
                found.append(
                    (standing.residual / len(self.judged.topics), standing.undecided_count)
                )
        return found


def gains(judged: JudgedRankings, truth: Qrels) -> Floats:
    """1 for each document that TREC found relevant; what TREC did not judge counts as not."""
    assert judged.retrieved is not None
    rows = judged.retrieved.unjudged
    code, first = np.unique(rows.code, return_index=True)
    topics = pl.Series(judged.topics).gather(rows.topic[first])
    wanted = pl.DataFrame({"topic": topics, "document": rows.names.gather(code)})
    both = wanted.join(truth.frame, on=["topic", "document"], how="left", maintain_order="left")
    gain = np.zeros(rows.codes)
    gain[code] = (both["grade"].fill_null(0) >= 1).to_numpy()
    return gain


def in_batches(order: Ints) -> Iterator[Ints]:
    yield order[:0]
    for start, stop in pairwise(STOPS):
        yield order[start:stop]


def by_pooling(trial: Trial) -> Iterator[Ints]:
    """Rank 1 of all runs and topics, then rank 2, and so on; a rank in order of topic."""
    assert trial.judged.retrieved is not None
    rows = trial.judged.retrieved.unjudged
    best = np.full(rows.codes, DEPTH + 1)
    np.minimum.at(best, rows.code, rows.rank)
    return in_batches(np.argsort(best, kind="stable"))


def by_weight(trial: Trial) -> Iterator[Ints]:
    return in_batches(order_by_weight(trial.candidates, STOPS[-1]))


def by_separation(trial: Trial, *, seeing: bool) -> Iterator[Ints]:
    """By what tells undecided runs apart; `seeing` what was found, or with no expectation."""
    standing, taken = trial.start, np.zeros(trial.candidates.count, np.bool_)
    gain = trial.gain if seeing else np.zeros(len(trial.gain))
    yield np.zeros(0, np.int64)
    for _ in range(STOPS[-1] // STEP):
        batch = best_to_separate(trial.candidates, worth_of_pairs(standing), taken, STEP)
        yield batch
        standing = standing.after(trial.candidates.among(batch), gain)
        taken[batch] = True


def table_of(trial: Trial) -> str:
    orders = [by_pooling(trial), by_weight(trial), by_separation(trial, seeing=True)]
    orders.append(by_separation(trial, seeing=False))
    courses = [trial.course(batches) for batches in orders]
    columns = ["pooling", "weight", "separate"]
    header = [f"residual: {columns[0]}", *columns[1:], f"undecided: {columns[0]}", *columns[1:]]
    lines = [["judged", *header, "separate, once"], ["---:"] * 8]
    for place, stop in enumerate(STOPS):
        residuals = [f"{course[place][0]:.4f}" for course in courses[:3]]
        undecided = [f"{course[place][1]:,}" for course in courses]
        lines.append([f"{stop:,}", *residuals, *undecided])
    rows = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"## {trial.metric}\n\n{rows}\n"


def in_markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    data = Path(os.environ["RANKWISE_DATA"]) / "trec8"
    truth = read_qrels(data / "trec8.qrels.gz")
    hidden = {topic: {"no document": 0} for topic in truth.frame["topic"].unique()}
    runs = sorted((data / "runs").iterdir())
    judged = read_judged(hidden, runs, depth=DEPTH, retrieved=True)
    few = runs[::3]
    world = sequential_judging.World.of(few, truth, gains, "RBP(p=0.8)")
    start = int((world.start & world.asked).sum())
    first, batch = sequential_judging.FIRST, sequential_judging.BATCH
    reached = [start + batch * place for place in sequential_judging.BATCHES]
    cases = [
        f"{case.metric}, {'certain' if case.certain else 'probable'}"
        for case in sequential_judging.CASES
    ]
    sequential = sequential_judging.table(few, truth, gains)
    wrong = sequential_judging.wrong_pairs(few, truth, gains)
    text = TEXT.format(
        few=len(few),
        few_pairs=len(few) * (len(few) - 1) // 2,
        first=first,
        next=first + 1,
        start=start,
        batch=batch,
        sequential=in_markdown(["", *cases], sequential),
        wrong=in_markdown(["metric", "rule", *(f"{count:,}" for count in reached)], wrong),
        sequential_outcome=SEQUENTIAL,
        depth=DEPTH,
        step=STEP,
        pairs=len(runs) * (len(runs) - 1) // 2,
        tables="\n".join(table_of(Trial.of(judged, truth, name)) for name in METRICS),
        outcome=OUTCOME,
    )
    Path(__file__).with_name("planning.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
