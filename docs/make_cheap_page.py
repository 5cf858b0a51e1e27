"""Write the tables of docs/cheap.md: coverage of scores from cheap and expert labels.

    RANKWISE_DATA=… python docs/make_cheap_page.py [TRIALS [TABLE...]]

Expert labels are hidden at random, and the corrected scores are compared with the scores under
all expert labels. TREC 2019 Deep Learning: official judgments are expert, second opinions are
cheap, official runs. TREC 2025 RAG: human judgments are expert, a language model's are cheap; it
has no runs, so eight are simulated, each by ranking passages by their human grade plus noise.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rankwise import Judges, RankwiseError, Scores, read_qrels, read_runs, score
from rankwise.agreement import plan_expert, score_cheap
from rankwise.agreement.cheap_labels import FEWEST_TOPICS, CheapScores, estimates_by_topics

PAGE = Path(__file__).parent / "cheap.md"
SHARES = (0.05, 0.1, 0.25, 0.5)
SHOWN = (0.1, 0.5)  # on the page
METRICS = ["nDCG@10", "P(rel=2)@10", "AP(rel=2)"]
SUMS = ["P(rel=2)@10", "DCG@10"]
TOPICS = 100
TOP = 20  # ranks of which documents are sampled more often
COLUMNS = "| data | metric | expert | coverage: scores | coverage: differences | width | "
COLUMNS += "width: expert only | bias | bias: cheap only |"


class Data(NamedTuple):
    """Two judges of the same documents, and runs."""

    name: str
    expert: pl.DataFrame
    cheap: pl.DataFrame
    runs: dict[str, Any]


def data_sets(folder: Path) -> Iterator[Data]:
    opinions = sorted((folder / "dl19/judges/pairs").iterdir())
    cheap = read_qrels(Judges([str(file) for file in opinions], "first")).frame
    expert = read_qrels(str(folder / "dl19/dl19.qrels.gz")).frame
    files = sorted((folder / "dl19/runs").iterdir())[::4]
    runs = {run.name: run for run in read_runs([str(file) for file in files])}
    yield Data("dl19", *both(expert, cheap), runs)
    human = read_qrels(str(folder / "rag25/human.qrels.gz")).frame
    model = read_qrels(str(folder / "rag25/llm.qrels.gz")).frame
    human, model = both(human, model)
    rng = np.random.default_rng(25)
    made = {
        f"noise {noise:g}": human.select(
            "topic",
            "document",
            (pl.col("grade") + pl.Series(noise * rng.standard_normal(human.height))).alias("score"),
        )
        for noise in (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0)
    }
    yield Data("rag25", human, model, made)


def both(expert: pl.DataFrame, cheap: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return only the documents that both judges judged."""
    keys = ["topic", "document"]
    return expert.join(cheap, on=keys, how="semi"), cheap.join(expert, on=keys, how="semi")


def differences(values: Any) -> Any:
    first, second = np.triu_indices(len(values), 1)
    return values[first] - values[second]


class Tally:
    """Sums over trials, by metric."""

    def __init__(self) -> None:
        self.rows: dict[str, list[list[float]]] = {}

    def add(self, metric: str, numbers: list[float]) -> None:
        self.rows.setdefault(metric, []).append(numbers)

    def add_all(self, full: Scores, found: CheapScores, metrics: list[str]) -> None:
        """Add estimates of every metric; `full` has the scores under all expert labels."""
        for metric in metrics:
            truth = full.mean().filter(metric=metric)["value"].to_numpy()
            mine = (frame.filter(metric=metric) for frame in (found.frame, found.pairs()))
            self.add(metric, numbers(truth, *mine))

    def lines(self, name: str, share: float, more: str = "") -> Iterator[str]:
        for metric, rows in self.rows.items() if share in SHOWN else ():
            mean = np.nanmean(np.array(rows), axis=0)
            rates = [f"{100 * rate:.1f} %" for rate in mean[:2]]
            shown = ["–" if np.isnan(one) else f"{one:.3f}" for one in mean[2:4]]
            shown += [f"{one:+.3f}" for one in mean[4:]]
            cells = [name, metric, f"{100 * share:g} %{more}", *rates, *shown]
            yield "| " + " | ".join(cells) + " |"


def held(truth: Any, frame: pl.DataFrame) -> float:
    low, high = frame["low"].to_numpy(), frame["high"].to_numpy()
    return float(((low <= truth) & (truth <= high)).mean())


def numbers(truth: Any, frame: pl.DataFrame, pairs: pl.DataFrame) -> list[float]:
    """Return coverage of scores and of differences, two mean widths, and two biases."""
    alone = np.nan
    if "expert_low" in frame.columns:
        alone = float((frame["expert_high"] - frame["expert_low"]).to_numpy().mean())
    width = float((frame["high"] - frame["low"]).to_numpy().mean())
    biases = [float((frame[name].to_numpy() - truth).mean()) for name in ("value", "cheap")]
    return [held(truth, frame), held(differences(truth), pairs), width, alone, *biases]


def by_topics(data: Data, trials: int, rng: np.random.Generator) -> Iterator[str]:
    """Draw collections of 100 topics from the available topics, which represent all topics."""
    full = [score(frame, data.runs, METRICS) for frame in (data.expert, data.cheap)]
    for share in SHARES:
        count, tally = round(share * TOPICS), Tally()
        if count < FEWEST_TOPICS:
            continue  # refused
        for place, metric in enumerate(METRICS):
            y, f = (scores.value[place] for scores in full)
            defined = np.isfinite(y).all(axis=0) & np.isfinite(f).all(axis=0)
            y, f = y[:, defined], f[:, defined]
            truth = y.mean(axis=1)
            runs = np.eye(len(y))
            pairs = differences(runs)
            for _ in range(trials):
                drawn = rng.integers(0, y.shape[1], TOPICS)
                few, many = drawn[:count], drawn[count:]
                known = (y[:, few], f[:, few], f[:, many])
                frame = estimates_by_topics(*known, runs, 0.05)
                by_pair = estimates_by_topics(*known, pairs, 0.05)
                tally.add(metric, numbers(truth, frame, by_pair))
        yield from tally.lines(data.name, share)


def by_documents(data: Data, trials: int, rng: np.random.Generator) -> Iterator[str]:
    """Use all topics; a random fraction of the documents has expert labels."""
    full = score(data.expert, data.runs, METRICS)
    for share in SHARES:
        tally = Tally()
        for trial in range(trials):
            chosen = pl.Series(rng.random(data.expert.height) < share)
            try:
                found = score_cheap(
                    data.expert.filter(chosen),
                    data.runs,
                    METRICS,
                    cheap=data.cheap,
                    by="documents",
                    resamples=50,
                    seed=trial,
                )
            except RankwiseError as error:
                print(error, file=sys.stderr)
                break
            tally.add_all(full, found, METRICS)
        if not tally.rows:
            yield f"| {data.name} | all | {100 * share:g} % | refused | | | | | |"
        yield from tally.lines(data.name, share)


def by_design(data: Data, trials: int, rng: np.random.Generator) -> Iterator[str]:
    """Use all topics; sample documents with known probabilities, top documents twice as often.

    The probability is `share` on average.
    """
    full = score(data.expert, data.runs, SUMS)
    keys = ["topic", "document"]
    places = data.expert.join(ranked(data), on=keys, how="left", maintain_order="left")["rank"]
    is_top = (places.fill_null(TOP + 1) <= TOP).to_numpy()
    for share in SHARES:
        tally, refused = Tally(), 0
        low = share / (1 + is_top.mean())
        chance = pl.Series("probability", np.where(is_top, 2 * low, low))
        table = data.expert.select(*keys).with_columns(chance)
        for _ in range(trials):
            chosen = pl.Series(rng.random(data.expert.height) < chance.to_numpy())
            expert = data.expert.filter(chosen)
            try:
                found = score_cheap(expert, data.runs, SUMS, cheap=data.cheap, inclusion=table)
            except RankwiseError:
                refused += 1
                continue
            tally.add_all(full, found, SUMS)
        if not tally.rows:
            yield f"| {data.name} | all | {100 * share:g} % | refused | | | | | |"
        yield from tally.lines(data.name, share, f" ({refused} refused)" if refused else "")


def by_plan(data: Data, trials: int) -> Iterator[str]:
    """Buy labels after 150 random ones: at random, from the top of the rankings, or by plan."""
    truth = differences(score(data.expert, data.runs, "nDCG@10").mean()["value"].to_numpy())
    keys = ["topic", "document"]
    ranks = ranked(data)
    for policy in ("random", "rank", "plan"):
        decided: dict[int, list[float]] = {}
        wrong: dict[int, list[float]] = {}
        for trial in range(trials):
            rng = np.random.default_rng(trial)
            shuffled = data.expert[rng.permutation(data.expert.height)]
            bought = shuffled.head(150)
            for step in range(4):
                found = score_cheap(
                    *(bought, data.runs, "nDCG@10"),
                    cheap=data.cheap,
                    by="documents",
                    resamples=50,
                    seed=trial,
                ).pairs()
                ends = found["low"].to_numpy(), found["high"].to_numpy()
                up, down = ends[0] > 0, ends[1] < 0
                decided.setdefault(bought.height, []).append(float((up | down).mean()))
                bad = (up & (truth < 0)) | (down & (truth > 0))
                wrong.setdefault(bought.height, []).append(float(bad.sum()))
                if step == 3:
                    break
                left = shuffled.join(bought, on=keys, how="anti")
                if policy == "rank":
                    left = left.join(ranks, on=keys, how="left").sort("rank").drop("rank")
                if policy == "plan":
                    plan = plan_expert(
                        *(bought, data.runs, "nDCG@10"), cheap=data.cheap, budget=150, seed=trial
                    ).frame
                    left = data.expert.join(plan, on=keys, how="semi")
                bought = pl.concat([bought, left.head(150).select(bought.columns)])
        cells = [
            f"{100 * np.mean(some):.0f} % ({np.mean(wrong[n]):.1f})" for n, some in decided.items()
        ]
        yield "| " + " | ".join([data.name, policy, *cells]) + " |"


def ranked(data: Data) -> pl.DataFrame:
    """Return the best rank of each document in any run."""
    parts = []
    for run in data.runs.values():
        frame = run if isinstance(run, pl.DataFrame) else run.frame
        rank = pl.col("score").rank("ordinal", descending=True).over("topic").alias("rank")
        parts.append(frame.select("topic", "document", rank))
    return pl.concat(parts).group_by("topic", "document").agg(pl.col("rank").min())


HEAD = f"{COLUMNS}\n{'|---' * COLUMNS.count(' | ')}|---|"
PLANS_HEAD = "| data | labels bought | 150 | 300 | 450 | 600 |\n|---|---|---|---|---|---|"
TABLES: dict[str, tuple[str, Callable[[Data, int, np.random.Generator], Iterator[str]]]] = {
    "topics": (HEAD, lambda data, trials, rng: by_topics(data, 10 * trials, rng)),
    "documents": (HEAD, by_documents),
    "designs": (HEAD, lambda data, trials, rng: by_design(data, 5 * trials, rng)),
    "plans": (PLANS_HEAD, lambda data, trials, _: by_plan(data, max(trials // 3, 2))),
}


def main(trials: int, names: list[str]) -> None:
    start = time.time()
    folder = Path(os.environ["RANKWISE_DATA"])
    every = list(data_sets(folder))
    text = PAGE.read_text(encoding="utf-8")
    for name in names or TABLES:
        head, rows = TABLES[name]
        lines = [head, *(row for d in every for row in rows(d, trials, np.random.default_rng(4)))]
        before, _, rest = text.partition(f"<!-- {name} -->\n")
        _, _, after = rest.partition("<!-- end -->\n")
        table = "\n".join(lines)
        text = f"{before}<!-- {name} -->\n\n{table}\n\n<!-- end -->\n{after}"
    PAGE.write_text(text, encoding="utf-8")
    print(f"{time.time() - start:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40, sys.argv[2:])
