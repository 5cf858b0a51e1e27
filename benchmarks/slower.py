"""Compare two runs of `core.py --json`: what got slower, or takes more memory, than by chance.

    python benchmarks/core.py --json base.json      (before a change)
    make bench-compare BASE=base.json               (after it)

Sides of one race take turns, so the speed of the machine cancels: what is compared is the time
of a side of ours divided by the geometric mean of the peers and limits of the same turn. Each
side is tested by the one-sided test of Mann and Whitney over the turns, corrected by Holm over
all sides and both measures. Ends with 1 where something got worse.
"""

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from math import comb, exp, log
from pathlib import Path
from statistics import fmean, median
from typing import Any

from core import print_table

ALPHA = 0.05
Key = tuple[str, str, str, str]  # part, race, side, measure


@dataclass(frozen=True)
class Change:
    """A side of ours in both runs: the median of a measure, their ratio, and its p-value."""

    key: Key
    before: float
    now: float
    ratio: float
    p: float


def measured(repeats: list[dict[str, Any]]) -> dict[Key, tuple[list[float], list[float]]]:
    """Return, for each side of ours and measure, the logarithms by turn and the plain figures."""
    turns: dict[tuple[str, str, int], list[dict[str, Any]]] = defaultdict(list)
    for repeat in repeats:
        turns[repeat["part"], repeat["race"], repeat["turn"]].append(repeat)
    found: dict[Key, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for (part, race, _), sides in sorted(turns.items()):
        others = [log(side["seconds"]) for side in sides if not side["ours"]]
        for side in sides:
            if not side["ours"]:
                continue
            for measure, reference in (("seconds", fmean(others or [0])), ("megabytes", 0)):
                logs, plain = found[part, race, side["side"], measure]
                logs.append(log(side[measure]) - reference)
                plain.append(side[measure])
    return found


def changes(base: list[dict[str, Any]], now: list[dict[str, Any]]) -> list[Change]:
    """Compare the sides that both runs have; p-values are corrected by Holm."""
    from scipy.stats import mannwhitneyu

    before, after = measured(base), measured(now)
    found = []
    for key in sorted(before.keys() & after.keys()):
        (old, old_plain), (new, new_plain) = before[key], after[key]
        p = float(mannwhitneyu(new, old, alternative="greater").pvalue)
        ratio = exp(median(new) - median(old))
        found.append(Change(key, median(old_plain), median(new_plain), ratio, p))
    return _corrected(found)


def _corrected(found: list[Change]) -> list[Change]:
    """Holm's correction."""
    least, corrected = 0.0, []
    for place, change in enumerate(sorted(found, key=lambda change: change.p)):
        least = max(least, min(1.0, change.p * (len(found) - place)))
        corrected.append(Change(change.key, change.before, change.now, change.ratio, least))
    return sorted(corrected, key=lambda change: (change.p, -change.ratio))


def too_few(base: list[dict[str, Any]], now: list[dict[str, Any]]) -> str:
    """Return a sentence if no side has the repeats to be found slower; else nothing."""
    before, after = measured(base), measured(now)
    keys = before.keys() & after.keys()
    if not keys:
        return "the two runs have no side in common."
    least = min(
        len(keys) / comb(len(before[key][0]) + len(after[key][0]), len(after[key][0]))
        for key in keys
    )
    if least <= ALPHA:
        return ""
    return f"too few repeats: no p-value can be below {least:.2f}. Give --repeats 8 or more."


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("base", type=Path, help="JSON of the run before")
    parser.add_argument("now", type=Path, help="JSON of the run after")
    options = parser.parse_args()
    base, now = (json.loads(path.read_text())["repeats"] for path in (options.base, options.now))
    if problem := too_few(base, now):
        sys.exit(problem)
    found = changes(base, now)
    rows = []
    for change in found:
        part, race, side, measure = change.key
        unit = "s" if measure == "seconds" else "MB"
        figures = [f"{figure:,.3g} {unit}" for figure in (change.before, change.now)]
        verdict = "WORSE" if change.p <= ALPHA else ""
        name = ", ".join(filter(None, [side, race, part]))
        rows.append([name[:70], *figures, f"{change.ratio:.2f} ×", f"{change.p:.3f}", verdict])
    header = ["work (median over turns)", "before", "now", "beside peers", "p", ""]
    print_table(header, rows, sys.stdout)
    worse = sum(change.p <= ALPHA for change in found)
    print(f"\nWorse by more than noise (Holm, {ALPHA:g}): {worse} of {len(found)}.")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
