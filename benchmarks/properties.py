"""How long `rankwise metrics properties` takes, beside a plain loop over rankings for scale.

Every timing is of a fresh process, from after its imports. The loop scores the same rankings
of one metric one by one, to a lesser depth.
"""

import argparse
import subprocess
import sys

from core import Verdict, print_verdicts, progress, shown

SEARCH = """
import time
from rankwise.experiments.properties import properties
start = time.perf_counter()
found = properties({metrics}, depth={depth})
print(time.perf_counter() - start, found.frame["cases"].sum(), found.frame["holds"].sum())
"""
LOOP = """
import time
from rankwise import score_gains
from rankwise.experiments.properties.rankings import Spaces
cases = [
    (space.documents[b].tolist(), [1] * space.counts[c][1] + [0] * space.counts[c][0])
    for space in Spaces.to({depth}).every
    for b, c in zip(*space.valid.nonzero())
]
start = time.perf_counter()
for ranking, judged in cases:
    score_gains(f"AP@{{len(ranking)}}", ranking, judged=judged)
print(time.perf_counter() - start, len(cases), 0)
"""


def timed(program: str, repeats: int) -> tuple[float, int, int]:
    """The least seconds of the repeats, each in a fresh process; cases; how many Y."""
    lines = [
        subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True).stdout
        for _ in range(repeats)
    ]
    seconds, cases, held = zip(*(line.split() for line in lines), strict=True)
    return min(map(float, seconds)), int(cases[0]), int(held[0])


def thirteen(repeats: int) -> list[Verdict]:
    """The thirteen metrics of Table 2, to depth 10"""
    progress("  the search")
    seconds, cases, held = timed(SEARCH.format(metrics=None, depth=10), repeats)
    print(f"  {shown(seconds)} for {cases:,} comparisons, {held} of 104 answers are Y")
    progress("  a loop over rankings")
    plain, rankings, _ = timed(LOOP.format(depth=5), 1)
    each = plain / rankings
    print(f"  a loop scores AP alone in {each * 1e6:,.0f} µs a ranking ({rankings:,} to depth 5)")
    target = "properties of 13 metrics: < 30 s"
    return [Verdict(target, shown(seconds), seconds < 30)]


def catalogue(repeats: int) -> list[Verdict]:
    """The whole catalogue, to depth 10"""
    progress("  the search")
    seconds, cases, _ = timed(SEARCH.format(metrics="'all'", depth=10), repeats)
    print(f"  {shown(seconds)} for {cases:,} comparisons")
    return []


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one repeat")
    repeats = 1 if parser.parse_args().quick else 3
    verdicts: list[Verdict] = []
    for number, part in enumerate([thirteen, catalogue], 1):
        print(f"\n{number}. {part.__doc__}", flush=True)
        verdicts += part(repeats)
    print_verdicts(verdicts)


if __name__ == "__main__":
    main()
