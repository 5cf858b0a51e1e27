"""Standard errors and tests of `metrics choose`, tried on simulated topics.

python benchmarks/metric_choice.py [REPETITIONS]

Two metrics score the same systems on the same topics: score = system + topic + normal error, the
errors of the two metrics correlated. The topics are drawn anew in each repetition, so that the
standard deviation of the discriminative power is known; its bootstrap standard error is compared
with it. With equal errors the test between the two metrics should reject in 5 %.
"""

import sys

import numpy as np

from rankwise.stats import difference_p, drawn_topics, tukey_pairs

SYSTEMS, RESAMPLES, ALPHA, SEED = 30, 200, 0.05, 0
CASES = ((50, 0.15, 0.15), (50, 0.15, 0.18), (25, 0.15, 0.15), (100, 0.15, 0.15))


def main(repeats: int) -> None:
    rng = np.random.default_rng(SEED)
    effect = np.linspace(-0.15, 0.15, SYSTEMS)[:, None]
    pairs = SYSTEMS * (SYSTEMS - 1) / 2
    print(
        "| topics | error sd | mean power | sd of power | mean bootstrap se | se / sd | rejected |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for topics, one, other in CASES:
        power, errors, gaps, rejected = [], [], [], 0
        for _ in range(repeats):
            shared = rng.normal(0, 1, (SYSTEMS, topics))
            tables = [
                effect
                + rng.normal(0, 0.2, topics)
                + sd * (np.sqrt(0.5) * shared + np.sqrt(0.5) * rng.normal(0, 1, shared.shape))
                for sd in (one, other)
            ]
            draws = np.vstack([np.ones(topics), drawn_topics(topics, RESAMPLES, rng)])
            found = [100 * tukey_pairs(table, draws, ALPHA) / pairs for table in tables]
            power.append(found[0][0])
            errors.append(found[0][1:].std(ddof=1))
            gaps.append(found[0][0] - found[1][0])
            p = difference_p(float(gaps[-1]), found[0][1:] - found[1][1:])
            rejected += p <= ALPHA
        sd, error = np.std(power, ddof=1), np.mean(errors)
        print(
            f"| {topics} | {one:g} and {other:g} | {np.mean(power):.1f} % | {sd:.2f} | "
            f"{error:.2f} | {error / sd:.2f} | {rejected / repeats:.3f} |"
        )
    print(
        f"\n{repeats:,} repetitions of each, {RESAMPLES} resamples, {SYSTEMS} systems, seed {SEED}."
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
