"""Write docs/bounds.md: Figures 5 and 6 of Moffat and Zobel (2008) as tables, on TREC-8.

`RANKWISE_DATA=… python docs/make_bounds_page.py`; the data is not part of the project.
"""

import os
from functools import partial
from pathlib import Path

import assumptions_trial
import numpy as np
import polars as pl
import recognition_trial
from markdown_table import in_markdown

from rankwise import Qrels, Run, parse, read, read_qrels, read_runs, score
from rankwise.arrays import ROUNDING
from rankwise.comparison.verdicts import difference_bounds
from rankwise.rankings.collection import Collection, Needs
from rankwise.scores.engine import score_judged
from rankwise.vocabulary import Assumption

SYSTEM_A, SYSTEM_B = "ok8amxc", "tno8d3"
PS = (0.5, 0.8, 0.95)
JUDGED_BY = [*(f"RBP(p={p})" for p in PS), "nDCG@10"]
ASSUMPTIONS: tuple[Assumption, ...] = ("retrieved", "open")

TEXT = """# Bounds on TREC-8

This page shows how wide bounds are on real data, how often they contain the score under complete
judgments, and how tight verdicts are. `docs/make_bounds_page.py` generates it from the 129 runs of
TREC-8. The first two sections have RBP with its lower and upper bound, as means over 50 topics
(`rankwise score --bounds --unjudged open --depth d`). In the pool of depth 10, only the first ten
documents of every run are judged. The full pool is the pool of TREC, of depth 100.

## Bounds against depth (Moffat and Zobel 2008, Figure 5)

Run {a}, the first d documents of each ranking.

{by_depth}

Both bounds converge as d grows. At p = 0.5 ten documents are enough with either pool. With a pool
of depth 10 the bounds do not converge at p = 0.95, at any depth of the ranking: documents below the
pool are unjudged, and at p = 0.95 they still carry weight.

## Bounds against p (Figure 6)

Complete rankings of two runs.

{by_p}

With the shallow pool the bounds diverge as p grows. Beyond some p the intervals of the two runs
overlap, so it is undecided which run is better. With the full pool the bounds differ by at most
0.001 up to p = 0.95.

## Bounds of other metrics

`rankwise metrics show NAME` shows whether the bounds of a metric are exact. The bounds of metrics
that divide by the number of relevant documents are wide if many documents are unjudged, because
these scores are that uncertain. The table has the same two runs with the full pool and complete
rankings, under `--unjudged retrieved` with all 129 runs in the call:

{others}

## Coverage of the assumptions

Bounds are valid only if their assumption is true. This trial reduces the judgments to a pool: of
every third run of TREC-8 (43 runs), or of the pooled runs of three simulated collections, where all
relevant documents are known. It then counts how often the score under all judgments is within the
bounds. A cell has the percentage of rankings / of means over topics, and in brackets the width of
the bounds of the means. Rankings are cut at {depth} documents.

{assumptions}

**Metrics that depend only on their own ranking (P, RBP, RR, DCG).**
`retrieved` and `own` are the same. They always contain the score, at the smallest width, because no
other document can change the score. In these trials the same holds for nDCG@10: its ideal ranking
needs ten documents, and the ranking has them.

**Metrics that divide by all relevant documents of the topic (AP, with or without a cutoff, Rprec,
Recall, nDCG without a cutoff, Bpref).** Relevant documents of other runs lower the score.

- `retrieved` counts these documents, and its bounds always contained the score. It is the default
  for all metrics. For AP it is narrower than `open`, by a quarter to a half.
- `own` ignores these documents. On TREC-8 its bounds contained one AP score of a ranking in four,
  fewer scores of Recall, and no mean of these metrics.
- `open` always contained the score, but its bounds for AP are not informative.
- `top=K`: with rankings of {depth} documents, `top={depth}` is the same as `retrieved`. With a
  smaller K, the bounds are narrower, and assume that no document below rank K is relevant. If K is
  the depth of the pool, the assumption is that the pool is complete. On TREC-8 at depth 20 this
  assumption fails.
- `extra=N`: documents that no run retrieved hardly matter here, because the documents of 43 runs
  already make the bounds wide. `extra=N` is useful if the documents of the runs are judged, and at
  most N relevant documents may be missing.

The width under `retrieved` depends on the runs in the call, because only their documents can be
relevant. The same trial (TREC-8, depth 20) with different numbers of the 43 runs in a call:

{by_runs}

With a single run, the bounds are the bounds under `own`, and a note states this. With three runs
all means, and with five runs nine scores of rankings in ten, were within the bounds. So pass the
runs of other systems to `score` too, if you have any; a few are enough.

`own` is available for bounds that do not depend on other runs. One use is scores of runs that are
computed separately and combined with `Scores.concat`, which refuses bounds that would be different
in a single call. Another use is streams of several runs, for which `retrieved` must keep document
names in memory.

## Verdicts on pairs

Two runs share their judgments, and a relevant document helps both. So the bounds of the difference
between two runs are narrower than their two intervals suggest. The table shows how many of the
{pairs:,} pairs of the 129 runs are decided under any judgment of the unjudged documents: by shared
bounds, and in brackets by separate intervals. It uses the first d documents of each ranking.

{verdicts}

A pair is decided if one run is better; identical runs do not count.

- Shared bounds decide every pair that separate intervals decide, and usually some more.
- For RBP the gain is small, and with the full pool and p = 0.95 almost zero. Most pairs are far
  apart, and close pairs mostly have different unjudged documents. The gain is largest if many
  documents are unjudged (d = 100 with the shallow pool).
- Under `open` at d = 10, the unresolved part is in the tails of the rankings, which two runs do not
  share.
- For nDCG@10 the gain is larger. Separate intervals allow different ideal rankings for the two
  runs; under shared judgments they have the same ideal ranking.

## Tightness of verdicts

The bounds of a difference come from a sum of *weights*, from a *formula*, or from a *search* over
judgments. The search stops when its effort is spent (`compare --effort`). It then reports how much
too wide the bounds can be (`gap`).

The first columns are for {cases} short random rankings (three runs of up to eight documents, up to
four of them unjudged, one to three grades). Here every judgment can be tried:

- *certain*: the number of cases in which one run is better under all judgments.
- *by intervals*: the percentage of these cases that the initial intervals of the search recognise.
- *recognised*: the percentage that the verdicts recognise.

The last two columns are for three pairs of runs of TREC-8 ({pairs_tried}), with their
first {depth} documents and the pool of depth 10: the largest gap of the means, and the percentage
of topics with exact bounds.

{recognition}

If all judgments can be tried, every certain verdict is recognised. At depth {depth}:

- The bounds are exact by weights and by formulas.
- The bounds of ERR, INST and related metrics have a gap of at most 0.001.
- AP, Q and most other sums of precisions have a gap of at most 0.1, and so has RankEff. Bpref has a
  gap of at most one seventh.
- Accuracy, Compat and some others may have a large gap: their bounds are loose if many documents
  are unjudged.

No pair took more than {slowest} of processor time.

The tightness of a search depends on the number of unjudged documents in the two runs. This table
has the same pairs, cut at depth d, with the default effort, which 50 topics share:

{by_depth_searched}

AP, Q, SP and ERR are exact on all topics with up to about twelve unjudged documents per topic. For
Bpref, RankEff and Compat the limit is two, because a document judged not relevant differs from an
unjudged document in these metrics. With a single topic, or a larger `--effort`, the limits are
higher.
"""


def interval(qrels: Qrels, run: Run, metric: str, depth: int | None = None) -> str:
    """Return “low – high” of the mean; topics without judged documents are included."""
    collection = read(qrels, [run], depth=depth)
    scores = score(collection, metrics=metric, bounds=True, unjudged="open")
    return _interval(scores.mean(), run.name, metric)


def _interval(means: pl.DataFrame, run: str, metric: str) -> str:
    row = means.row(by_predicate=(pl.col("run") == run) & (pl.col("metric") == metric), named=True)
    return f"{row['low']:.4f} – {row['high']:.4f}"


def decided(qrels: Qrels, runs: list[Run], depth: int, unjudged: Assumption) -> list[str]:
    """Return, per metric, the number of pairs decided by shared bounds (separate intervals)."""
    judged = Collection(qrels, runs, depth=depth).judged(Needs(documents=True))
    first, second = np.triu_indices(len(runs), 1)
    cells = []
    for metric in JUDGED_BY:
        mean = difference_bounds(judged, parse(metric), first, second, unjudged).mean
        shared = np.isin(mean.verdict, ["A", "B"]).sum()
        means = score_judged(judged, [parse(metric)], unjudged=unjudged).totals
        low, high = means["low"][0], means["high"][0]
        separate = (low[first] - high[second] > ROUNDING) | (high[first] - low[second] < -ROUNDING)
        cells.append(f"{shared:,} ({separate.sum():,})")
    return cells


table = partial(in_markdown, rest="---")


def main() -> None:
    data = Path(os.environ["RANKWISE_DATA"]) / "trec8"
    qrels = read_qrels(data / "trec8.qrels.gz")
    runs = read_runs(sorted((data / "runs").glob("*.gz")))
    a, b = (next(run for run in runs if run.name == name) for name in (SYSTEM_A, SYSTEM_B))
    pools = {"10": assumptions_trial.cut(qrels, runs, 10), "full": qrels}
    by_depth = [
        [str(depth), pool] + [interval(pools[pool], a, f"RBP(p={p})", depth) for p in PS]
        for pool in pools
        for depth in (5, 10, 100, 1000)
    ]
    by_p = [
        [f"{p:g}", pool] + [interval(pools[pool], run, f"RBP(p={p:g})") for run in (a, b)]
        for pool in pools
        for p in (0.5, 0.8, 0.95, 0.98)
    ]
    names = ("P@10", "nDCG@10", "AP", "nDCG", "Recall@1000", "Bpref", "RankEff")
    among = score(qrels, runs, names, bounds=True).mean()
    others = [[name, *(_interval(among, run.name, name) for run in (a, b))] for name in names]
    verdicts = [
        [str(depth), pool, unjudged, *decided(pools[pool], runs, depth, unjudged)]
        for pool in pools
        for depth in (10, 100)
        for unjudged in ASSUMPTIONS
    ]
    assumptions = assumptions_trial.on_trec8(qrels, runs[::3]) + assumptions_trial.on_simulated()
    by_runs = assumptions_trial.by_runs_in_a_call(qrels, runs[::3])
    recognition, slowest = recognition_trial.rows(pools["10"], runs)
    searched = recognition_trial.by_depth(pools["10"], runs)
    text = TEXT.format(
        a=SYSTEM_A,
        by_depth=table(["d", "pool", *(f"p = {p}" for p in PS)], by_depth),
        by_p=table(["p", "pool", SYSTEM_A, SYSTEM_B], by_p),
        others=table(["metric", SYSTEM_A, SYSTEM_B], others),
        pairs=len(runs) * (len(runs) - 1) // 2,
        verdicts=table(["d", "pool", "unjudged", *JUDGED_BY], verdicts),
        depth=assumptions_trial.DEPTH,
        assumptions=table(["pool", "assumption", *assumptions_trial.METRICS], assumptions),
        by_runs=table(["runs", *assumptions_trial.MISSED], by_runs),
        cases=recognition_trial.CASES,
        pairs_tried=", ".join(" and ".join(pair) for pair in recognition_trial.PAIRS),
        recognition=table(recognition_trial.HEADER, recognition),
        slowest=f"{max(2, np.ceil(slowest)):.0f} seconds",
        by_depth_searched=table(["d", "unjudged", *recognition_trial.SEARCHED], searched),
    )
    Path(__file__).with_name("bounds.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
