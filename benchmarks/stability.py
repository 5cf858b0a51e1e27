"""How long `stability --by sample` takes: 28 levels × 10 samples × 3 metrics on TREC-8.

For scale, beside it stands what it saves: to write the judgments of each level and score the
runs with them, timed for one sample of one level and scaled up to all. The two must agree.
"""

import argparse
import os
import sys
from pathlib import Path

import numpy as np
from comparison import fastest, within
from core import TOLERANCE, Disagreement, Verdict, print_verdicts, shown

from rankwise import score, stability
from rankwise.judging import sample_judgments
from rankwise.judging.samples import SHARES

METRICS = ["AP", "Bpref(k=10)", "RankEff"]
REPEATS, TARGET, SEED = 10, 90.0, 1
TRIED = SHARES.index(0.5)


def by_sample(trec8: Path, runs: int) -> list[Verdict]:
    """Mean scores and tau at each level, files to table"""
    qrels, files = trec8 / "trec8.qrels.gz", sorted((trec8 / "runs").iterdir())[:runs]
    what = f"stability by sample, {len(SHARES) + 1} levels × {REPEATS} × {len(METRICS)}"
    seconds, found = fastest(
        what,
        lambda: stability(qrels, files, METRICS, by="sample", resamples=REPEATS, seed=SEED),
        1,
    )
    plain, scores = fastest(
        "one level by judgments of its own",
        lambda: score(sample_judgments(qrels, SHARES[TRIED], seed=SEED), files, METRICS),
        1,
    )
    theirs = scores.mean()["value"].to_numpy().reshape(len(METRICS), -1)
    gap = float(np.abs(found.value[:, TRIED, 0] - theirs).max())
    if not gap <= TOLERANCE:
        raise Disagreement(f"means at {SHARES[TRIED]:g} differ by {gap:g}")
    steps = (len(SHARES) + 1) * REPEATS
    print(f"  level by level it would take {shown(plain * steps)} ({shown(plain)} each)")
    return [within(f"{what}, {len(files)} TREC-8 runs", seconds, TARGET)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="13 of the 129 runs")
    options = parser.parse_args()
    folder = os.environ.get("RANKWISE_DATA")
    if not folder:
        print_verdicts([Verdict("stability by sample", "RANKWISE_DATA is not set", None)])
        return
    try:
        print_verdicts(by_sample(Path(folder) / "trec8", 13 if options.quick else 129))
    except Disagreement as error:
        sys.exit(f"this times what is wrong: {error}")


if __name__ == "__main__":
    main()
