"""Write docs/planning.md: methods for choosing documents to judge, compared on TREC-8.

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
from markdown_table import in_markdown

from rankwise import Qrels, WeightedPrecision, parse, read_qrels
from rankwise.arrays import Floats, Ints
from rankwise.judging.plan import heaviest
from rankwise.judging.planning import best_to_separate, worth_of_pairs
from rankwise.judging.state import Candidates, Standing, candidates_of
from rankwise.rankings.collection import Collection, Needs
from rankwise.rankings.judged import JudgedRankings

DEPTH = 100
STEP = 250  # judgments between two looks at what was found
STOPS = (1_000, 4_000, 8_000, 16_000)
METRICS = ("RBP(p=0.8)", "RBP(p=0.95)")

TEXT = """# Which documents to judge next

This page compares the methods of `rankwise plan next` with pooling, on the 129 runs of TREC-8, cut
at depth {depth}. `docs/make_planning_page.py` generates it.

- `rankwise plan next QRELS RUN... -m METRIC --budget N` lists the N unjudged documents with the
  largest weight. The weight of a document is the amount that it could add to the scores of all runs
  together. No other N documents leave a smaller residual, however they are judged.
- `--separate` lists the documents that separate runs. The value of a document for an undecided pair
  is a ratio: how much the document can change the difference, divided by the least change that the
  pair needs before it can be decided.

The trial hides all judgments and reveals them in three orders:

- **Pooling**: rank 1 of every run and topic, then rank 2, and so on.
- **Weight**: the plan by weight. It is made once, because new judgments do not change it.
- **Separate**: planned again after every {step} judgments, with the judgments known by then. The
  last column is a plan that is made once, without any judgments.

A document that TREC did not judge counts as judged and not relevant. The residual is the
unresolved part of a score, as a mean over runs and topics. A pair of runs, of {pairs:,}, is
undecided if the two runs could still change places under shared judgments
(`--unjudged retrieved`).

{tables}
## Results

{outcome}

## Sequential judging, by any metric

AP and nDCG@10 have no fixed weights. For these metrics, and with `--probable` for any metric,
`plan next` lists the documents that are expected to resolve the most pairs of runs.
[Decisions](decisions.md#plans) describes the method, and [Predicted scores](probable.md) the model.

The trial uses {subsets} random subsets of {few} runs and {topics} topics of TREC-8 and of TREC Deep
Learning 2019. All rules start from the same pool (depth {first8} on TREC-8, {first19} on DL19).
Each rule then judges {batch8} (DL19: {batch19}) documents at a time, and sees the judgments made
before. Only documents in the top {top8} of at least one run (DL19: {top19}) are judged. The rules:

- **Pooling**: the next rank of every run and topic.
- **Move-to-front**: for each topic in turn, the next document of the run at the front of a queue.
  The run goes to the back of the queue when its document is not relevant (Cormack, Palmer and
  Clarke, 1998).
- **Weight** and **separate**: as above, with the weights of RBP(p=0.95).
- **Probable**: `plan next --probable`.

The tables show the number of misordered pairs of runs, of {few_pairs}, after N judgments beyond the
first pool: mean over subsets ± standard error. The first number of a cell uses scores that count
unjudged documents as not relevant, the second the expected scores of the model.

{sequential}

{sequential_outcome}
"""

OUTCOME = """Judging by weight reduces the residual fastest, as it must. Its lead over pooling is
large at first and shrinks as the pool gets deeper. The reason is that pooling judges a document
that one run has at rank 1 before a document that a hundred runs have at rank 2. Judging by weight
also leaves fewer pairs undecided than pooling, at every stop at which any pair is decided.

`--separate` decides the most pairs if it plans again with the new judgments. Its residual is
larger: at p = 0.8 it ends above the residual of pooling, because `--separate` skips documents
that would separate no two runs. Planned only once, `--separate` decides hardly more pairs than
the plan by weight. So judge a part of the budget, then plan again.

At p = 0.95 no order decides any pair with the first 4,000 judgments (about 80 per topic).

The rule by which `--separate` weighs pairs was chosen among four rules on these runs and these
two metrics ([Decisions](decisions.md#plans)). So the lead of `--separate` is somewhat
overestimated. Weight and pooling had no parameter to choose."""


@dataclass(frozen=True, eq=False)
class Trial:
    """TREC-8 with hidden judgments: all documents are unjudged, and their gains are known."""

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
        """Return the mean residual and the number of undecided pairs at each stop."""
        found, standing, done = [], self.start, 0
        for batch in batches:
            standing = standing.after(self.candidates.among(batch), self.gain)
            done += len(batch)
            if done in STOPS:
                residual = standing.residual / len(self.judged.topics)
                found.append((residual, standing.undecided_count))
        return found


def gains(judged: JudgedRankings, truth: Qrels) -> Floats:
    """Return 1 for each relevant document and 0 for all others, judged or not."""
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
    for start, stop in pairwise((0, *STOPS)):
        yield order[start:stop]


def by_pooling(trial: Trial) -> Iterator[Ints]:
    """Yield rank 1 of all runs and topics, then rank 2, and so on; each rank by topic."""
    assert trial.judged.retrieved is not None
    rows = trial.judged.retrieved.unjudged
    best = np.full(rows.codes, DEPTH + 1)
    np.minimum.at(best, rows.code, rows.rank)
    return in_batches(np.argsort(best, kind="stable"))


def by_weight(trial: Trial) -> Iterator[Ints]:
    return in_batches(heaviest(trial.candidates.total(), STOPS[-1], trial.candidates.topic))


def by_separation(trial: Trial, *, seeing: bool) -> Iterator[Ints]:
    """Yield the documents that separate undecided runs; `seeing`: use new judgments."""
    standing, taken = trial.start, np.zeros(trial.candidates.count, np.bool_)
    gain = trial.gain if seeing else np.zeros(len(trial.gain))
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
    lines = []
    for stop, *found in zip(STOPS, *courses, strict=True):
        residuals = [f"{residual:.4f}" for residual, _ in found[:3]]
        lines.append([f"{stop:,}", *residuals, *(f"{undecided:,}" for _, undecided in found)])
    rows = in_markdown(["judged", *header, "separate, once"], lines, first="---:")
    return f"## {trial.metric}\n\n{rows}\n"


def sequential_tables(rows: pl.DataFrame) -> str:
    """Return a table per collection: mean misordered pairs ± standard error over subsets."""
    parts = []
    for world, title in (("trec8", "TREC-8"), ("dl19", "DL19")):
        mine = rows.filter(pl.col("world") == world)
        stops = mine["judged"].unique().sort().to_list()[::2]
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
    """Return a table of how often the model's rule is better or worse than each other rule."""
    lines = []
    for column, scores in (
        ("now", "unjudged as not relevant"),
        ("expected", "expected"),
    ):
        for rule in sequential_judging.RULES:
            if rule != "probable":
                fewer, more, cells = _compared(rows, rule, column)
                lines.append([scores, rule, str(fewer), str(more), str(cells)])
    return (
        "A cell is a collection, metric and stop (three each). The table counts the cells in which "
        "the rule of the model leaves fewer or more misordered pairs than another rule, by more "
        "than two standard errors of the paired difference over "
        f"{sequential_judging.SUBSETS} subsets:\n\n"
        + in_markdown(["scores", "other rule", "fewer", "more", "cells"], lines)
    )


def _compared(rows: pl.DataFrame, rule: str, column: str) -> tuple[int, int, int]:
    """Return the numbers of cells in which the model's rule is better, worse, and of all cells."""
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
    """Return the values for the section on sequential judging."""
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
