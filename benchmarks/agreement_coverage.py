"""Coverage of the intervals of `rankwise judges agree`, by simulation with known agreement.

    python benchmarks/agreement_coverage.py [TRIALS]

Two judges see the same latent relevance of each document with noise of their own. The latent
relevance has a part that is common to the documents of a topic, and one judge's strictness
varies between topics, so that documents of a topic are not independent. The true value of each
statistic is that of 20,000 topics. The table says how often 95 % intervals hold it.
"""

import sys
import time

import numpy as np
import numpy.typing as npt

from rankwise.agreement.labels import Labels
from rankwise.agreement.statistics import Resampling, statistics_frame
from rankwise.lazy import pl

SHOWN = ["agreement", "kappa", "kappa quadratic", "alpha ordinal", "AC1", "F1 at", "overrating"]
DOCUMENTS = 60
CUTS = np.array([0.2, 0.9, 1.6])


def simulated(topics: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Topics × documents × judges: grades from 0 to 3."""
    shape = (topics, DOCUMENTS)
    latent = 0.5 * rng.standard_normal((topics, 1)) + rng.standard_normal(shape)
    strict = 0.5 * rng.standard_normal((topics, 1))
    seen = [latent + 0.4 * rng.standard_normal(shape)]
    seen.append(latent + strict + 0.2 + 0.6 * rng.standard_normal(shape))
    return np.stack([np.searchsorted(CUTS, one) for one in seen], axis=-1)


def labels_of(grades: npt.NDArray[np.int64]) -> Labels:
    """The labels, as if read from files."""
    topics, documents, _ = grades.shape
    topic = np.repeat(np.arange(topics), documents)
    return Labels(
        ("first", "second"),
        tuple(map(str, range(topics))),
        np.arange(4.0),
        np.arange(4),
        None,
        pl.DataFrame({"topic": topic.astype(str), "document": topic.astype(str)}),
        topic,
        grades.reshape(-1, 2),
    )


def chosen(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of the statistics that are shown; of F1 that at grade 2."""
    at = pl.col("grade").is_null() | (pl.col("grade") == 2)
    return frame.filter(pl.col("statistic").is_in(SHOWN) & at)


def main(trials: int) -> None:
    start = time.time()
    truth = chosen(
        statistics_frame(
            labels_of(simulated(20_000, np.random.default_rng(1))), Resampling(0.95, 1, 0)
        )
    )["value"].to_numpy()
    print("| topics | statistic | true value | interval over topics | naive interval |")
    print("|---|---|---|---|---|")
    for topics in (10, 22, 43, 100):
        held = np.zeros((2, len(truth)))
        rng = np.random.default_rng(topics)
        for trial in range(trials):
            frame = chosen(
                statistics_frame(labels_of(simulated(topics, rng)), Resampling(0.95, 1000, trial))
            )
            for place, (low, high) in enumerate([("low", "high"), ("naive_low", "naive_high")]):
                ends = frame.select(low, high).to_numpy()
                held[place] += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        for name, value, *shares in zip(frame["statistic"], truth, *(held / trials), strict=True):
            name = f"{name} 2" if name == "F1 at" else name
            print(f"| {topics} | {name} | {value:.3f} | {shares[0]:.1%} | {shares[1]:.1%} |")
    print(f"\n{trials:,} trials per row, {time.time() - start:.0f} s.", file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
