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
import probable_trial
import sequential_judging

from rankwise import Qrels, WeightedPrecision, parse, read_qrels
from rankwise.arrays import Floats, Ints
from rankwise.judging.planning import (
    best_to_separate,
    order_by_weight,
    worth_of_pairs,
)
from rankwise.judging.state import Candidates, Standing, candidates_of
from rankwise.rankings.collection import Collection, Needs
from rankwise.rankings.judged import JudgedRankings

DEPTH = 100
STEP = 250  # judgments between two looks at what was found
STOPS = (0, 500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000)
METRICS = ("RBP(p=0.8)", "RBP(p=0.95)")

TEXT = """# Which documents to judge next

Made by `docs/make_planning_page.py` from the 129 runs of TREC-8, cut at depth {depth}.

`rankwise plan next QRELS RUN... -m METRIC --budget N` lists the N unjudged documents that carry
most weight: a document's weight is what it could add to the scores of all runs together. No other N
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

AP and nDCG@10 have no weights to go by. For them, and with `--probable` for any metric,
`plan --budget` lists the documents that are expected to resolve most pairs of runs: see
[decisions.md](decisions.md), and [probable.md](probable.md) for the model. The trial takes
{subsets} random subsets of {few} runs and {topics} topics of TREC-8 and of TREC Deep Learning 2019.
All rules start from the same pool (depth {first8} on TREC-8, {first19} on DL19) and then judge
{batch8} (DL19: {batch19}) documents at a time, each rule seeing what was found before; only
documents in the top {top8} of at least one run (DL19: {top19}) are judged. **Pooling**: the next
rank of every run and topic. **Move-to-front**: topic by topic the next document of the run at the
front, which goes to the back once its document is not relevant (Cormack, Palmer and Clarke, 1998).
**Weight** and **separate**: as above, by the weights of RBP(p=0.95). **Probable**: as
`plan --probable`.

Pairs of runs, of {few_pairs}, that are in the wrong order after N judgments beyond the first
pool: mean over subsets ± standard error. First by scores that count unjudged documents as not
relevant, then by the expected scores of the model.

{sequential}

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


def sequential_tables(rows: pl.DataFrame) -> str:
    """A table for each collection: mean wrong pairs ± standard error over subsets."""
    parts = []
    for world, title in (("trec8", "TREC-8"), ("dl19", "DL19")):
        mine = rows.filter(pl.col("world") == world)
        stops = mine["judged"].unique().sort().to_list()
        lines = []
        for metric in sequential_judging.METRICS:
            for rule in sequential_judging.RULES:
                cells = []
                for stop in stops:
                    here = mine.filter(metric=metric, rule=rule, judged=stop)
                    both = [_with_error(here[name].to_numpy()) for name in ("now", "expected")]
                    cells.append("; ".join(both))
                lines.append([metric, rule, *cells])
        parts.append(in_markdown([title, "rule", *(f"+{stop:,}" for stop in stops)], lines))
    return "\n\n".join(parts)


def _with_error(counts: Ints) -> str:
    return f"{counts.mean():.1f} ± {counts.std(ddof=1) / np.sqrt(len(counts)):.1f}"


def sequential_outcome(rows: pl.DataFrame) -> str:
    """Say how often the model's rule is better or worse than each other, by paired differences."""
    sentences = []
    for column, scores in (
        ("now", "scores that count unjudged documents as not relevant"),
        ("expected", "expected scores"),
    ):
        counts = []
        for rule in sequential_judging.RULES:
            if rule != "probable":
                fewer, more, cells = _compared(rows, rule, column)
                counts.append(f"{rule}: fewer in {fewer}, more in {more} of {cells}")
        sentences.append(f"By {scores}, against {'; '.join(counts)}.")
    return (
        "Cells (collection × metric × stop) in which the model's rule leaves fewer or more wrong "
        "pairs than another rule, by more than two standard errors of the paired difference over "
        f"{sequential_judging.SUBSETS} subsets:\n\n- " + "\n- ".join(sentences)
    )


def _compared(rows: pl.DataFrame, rule: str, column: str) -> tuple[int, int, int]:
    """Cells in which the model's rule is better, and worse, and all cells."""
    keys = ["world", "metric", "judged", "subset"]
    ours = rows.filter(rule="probable").select(*keys, ours=column)
    both = rows.filter(rule=rule).join(ours, on=keys)
    t_values = []
    for _, part in both.group_by("world", "metric", "judged"):
        difference = (part["ours"] - part[column]).to_numpy()
        error = difference.std(ddof=1) / np.sqrt(len(difference))
        t_values.append(difference.mean() / max(error, 1e-12))
    return sum(t < -2 for t in t_values), sum(t > 2 for t in t_values), len(t_values)


def main() -> None:
    folder = Path(os.environ["RANKWISE_DATA"])
    data = folder / "trec8"
    truth = read_qrels(data / "trec8.qrels.gz")
    hidden = {topic: {"no document": 0} for topic in truth.frame["topic"].unique()}
    runs = sorted((data / "runs").iterdir())
    judged = Collection(hidden, runs, depth=DEPTH).judged(Needs(documents=True))
    tables = "\n".join(table_of(Trial.of(judged, truth, name)) for name in METRICS)
    text = TEXT.format(
        depth=DEPTH,
        step=STEP,
        pairs=len(runs) * (len(runs) - 1) // 2,
        tables=tables,
        outcome=OUTCOME,
        **sequential_parts(pl.DataFrame(sequential_rows(folder))),
    )
    Path(__file__).with_name("planning.md").write_text(text, encoding="utf-8")


def sequential_rows(folder: Path) -> list[dict[str, object]]:
    worlds = [probable_trial.collection(folder, name) for name in ("dl19", "trec8")]
    return [row for world in worlds for row in sequential_judging.trials(world)]


def sequential_parts(rows: pl.DataFrame) -> dict[str, object]:
    """What the text of the page says about sequential judging."""
    courses, few = sequential_judging.COURSES, sequential_judging.RUNS
    numbers = {
        f"{name}{at}": getattr(courses[world], name)
        for at, world in ((8, "trec8"), (19, "dl19"))
        for name in ("first", "batch", "top")
    }
    return {
        "subsets": sequential_judging.SUBSETS,
        "few": few,
        "topics": sequential_judging.TOPICS,
        "few_pairs": few * (few - 1) // 2,
        "sequential": sequential_tables(rows),
        "sequential_outcome": sequential_outcome(rows),
        **numbers,
    }


if __name__ == "__main__":
    main()
