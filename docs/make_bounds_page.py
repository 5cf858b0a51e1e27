"""Writes docs/bounds.md: Figures 5 and 6 of Moffat and Zobel (2008) as tables, on TREC-8.

`RANKWISE_DATA=… python docs/make_bounds_page.py`; the data is not part of the project.
"""

import os
from pathlib import Path
from typing import Any

import assumptions_trial
import numpy as np
import polars as pl
import recognition_trial

from rankwise import Qrels, Run, parse, read_qrels, read_runs, score
from rankwise.arrays import ROUNDING
from rankwise.comparison.verdicts import difference_bounds
from rankwise.judging import pool
from rankwise.rankings.collection import Collection, Needs
from rankwise.scores.engine import score_judged
from rankwise.vocabulary import Assumption

SYSTEM_A, SYSTEM_B = "ok8amxc", "tno8d3"
PS = (0.5, 0.8, 0.95)
JUDGED_BY = [*(f"RBP(p={p})" for p in PS), "nDCG@10"]
ASSUMPTIONS: tuple[Assumption, ...] = ("retrieved", "open")

TEXT = """# How sure a score is

Made by `docs/make_bounds_page.py` from the 129 runs of TREC-8. RBP with its lower and upper
bound (`rankwise score --bounds --unjudged open --depth d`), means over 50 topics. The pool of
depth 10 is what the first ten documents of every run would have had judged; the full pool is
TREC's own, of depth 100.

## Bounds against depth (Moffat and Zobel 2008, Figure 5)

Run {a}, the first d documents of each ranking.

{by_depth}

Both bounds converge as d grows. At p = 0.5 ten documents are enough with either pool. At p = 0.95
the ends do not meet with a pool of depth 10, however deep one looks: what lies below the pool is
unjudged, and matters to so patient a user.

## Bounds against p (Figure 6)

Whole rankings, two runs.

{by_p}

With the shallow pool the ends part as p grows, and beyond some p it is open which run
is better: their intervals overlap. With the full pool they are within 0.001 up to p = 0.95.

## For other metrics

`rankwise metrics show NAME` says whether a metric's bounds are exact. Those of metrics that divide
by the number of relevant documents are wide wherever many documents are unjudged, which is the
honest answer. The same two runs with the full pool, whole rankings, `--unjudged retrieved` with all
129 runs in the call:

{others}

## Which assumption holds the truth

Bounds hold under an assumption, and so it must be one that holds. Judgments are cut down to a pool
(of every third run of TREC-8, 43 runs; or of the pooled runs of three simulated collections, where
all relevant documents are known), and it is counted how often the scores under all judgments lie
within the bounds: in how many percent of rankings / of means over topics, and in brackets how wide
the bounds of the means are. The first {depth} documents of each ranking.

{assumptions}

{about_assumptions}

## Verdicts on pairs

Two runs share their judgments: a relevant document helps both. So the difference of
two runs moves less than their two intervals suggest. Of the {pairs:,} pairs of the 129 runs, how
many are decided under any judgment of the unjudged documents: by the shared bounds, then in
brackets by the separate intervals. The first d documents of each ranking.

{verdicts}

{what_it_shows}

## How exact a verdict is

What two runs can differ by at most is given by a sum of *weights*, by a *formula*, or by a *search*
over judgments that stops when the effort is spent (`compare --effort`) and then prints how much
too wide the ends can be (`gap`). On {cases} short random rankings (three runs of up to eight
documents, up to four of them unjudged, one to three grades) every judgment can be tried: in how
many cases one run is better under all of them (*certain*), how many percent of these the intervals
that the search starts from recognise, and how many the verdicts. Then three pairs of runs of TREC-8
({pairs_tried}), their first {depth} documents with the pool of depth 10: the largest gap of the
means, and in how many percent of the topics both ends are exact.

{recognition}

Every verdict that is certain is recognised where all judgments can be tried. At depth {depth} the
ends are exact by weights and by formulas; ESL is where no documents tie, and O, P, P⁺ and R-measure
where all relevant documents have one grade, as here. ERR and its kin are within a thousandth. ERR
has no formula: what a document adds depends on the relevant ones above it in both runs, whose
orders differ, so that there is no order to take them one by one. AP, Q and others that add up
precisions come within a tenth, and so does RankEff; Bpref comes within a seventh. Compat and some
others may be far off: their bounds are loose where many documents are unjudged, and the gap says by
how much. No pair took more than {slowest} of the processor.

How far a search gets depends on how many unjudged documents two runs have. The same pairs, cut at
depth d, all with the default effort, which 50 topics share:

{by_depth_searched}

Up to some twelve unjudged documents per topic AP, Q, SP and ERR are exact in all topics; Bpref,
RankEff and Compat, for which a document that is judged not relevant differs from one that is not
judged, up to two. A single topic, or `--effort`, goes further.
"""

ABOUT_ASSUMPTIONS = """For metrics that look at their own ranking only (P, RBP, RR, DCG) `retrieved`
and `own` are the same and always hold, at the least width: nothing else can change their scores. So
it is, in these trials, for nDCG@10: its ideal needs ten documents, and the ranking has them.

For metrics that divide by all relevant documents of the topic (AP, with or without a cutoff, Rprec,
Recall, nDCG without a cutoff, Bpref) relevant documents that other runs have lower the score.
`retrieved` counts them, and always held; `own`, which leaves them out, held one ranking in four of
AP, fewer of nDCG and Recall, and no mean of these on TREC-8; of AP@10, Rprec and Bpref half to four
fifths of the rankings, though most means. So `retrieved` is the default for all metrics, and for AP
it is narrower than `open`, which holds but says nothing, by a quarter to a half. With rankings of
{depth} documents `top={depth}` is the same as `retrieved`; with a smaller K it is narrower, and a
claim that nothing below rank K is relevant. With a K as deep as the pool there is `top=K` holds
only what is judged already: it is a claim that the pool is complete, and on TREC-8 at depth 20 it
fails. Documents that no run retrieved (`extra=N`) hardly matter once everything that 43 runs
retrieved is open: the bounds are as wide already. `extra=N` is of use where the runs are judged and
N is the doubt that is left.

How much `retrieved` opens depends on the runs of the call, for one call asks about the documents
that its runs have. The same trial (TREC-8, depth 20) with this number of the 43 runs in a call:

{by_runs}

A run alone has no company, and its bounds are those of `own`: a note says so beside them. With two
runs nine means in ten were held, with three all, and of the rankings nine in ten from five runs on.
So give `score` the runs of other systems too, if there are any: a few are enough.

`own` stays for those who need bounds that other runs do not change: scores of runs that are made
apart and put together (`Scores.concat`, which refuses bounds that one call would have made
different), and streams of several runs, which `retrieved` has to hold in memory by name."""

WHAT_IT_SHOWS = """A pair is decided if one run is better; identical runs do not count.
Shared bounds decide every pair that separate intervals decide, and most often some more. For RBP
these are few, with the full pool and p = 0.95 next to none: most pairs are far apart, and those
that are close mostly have different documents unjudged. The gain is largest where much is
unresolved (d = 100 with the shallow pool). Where the rankings go on below d = 10 (`open`), what is
unresolved lies in the tails, and two runs do not share these. For nDCG@10 the gain is larger,
because separate intervals let the two runs have different ideals, and under shared judgments they
have one."""


def pooled(qrels: Qrels, runs: list[Run], depth: int) -> Qrels:
    """The judgments of documents that some run has in its first `depth`."""
    return read_qrels(pool(runs, depth, qrels=qrels).select("topic", "document", "grade"))


def interval(qrels: Qrels, run: Run, metric: str, **options: Any) -> str:
    """low – high of the mean; topics without any judged document are still scored."""
    return _interval(score(qrels, [run], metric, bounds=True, **options).mean(), run.name, metric)


def _interval(means: pl.DataFrame, run: str, metric: str) -> str:
    row = means.row(by_predicate=(pl.col("run") == run) & (pl.col("metric") == metric), named=True)
    return f"{row['low']:.4f} – {row['high']:.4f}"


def decided(qrels: Qrels, runs: list[Run], depth: int, unjudged: Assumption) -> list[str]:
    """For each metric how many pairs are decided by shared bounds, and by separate intervals."""
    judged = Collection(qrels, runs, depth=depth).judged(Needs(documents=True))
    first, second = np.triu_indices(len(runs), 1)
    cells = []
    for metric in JUDGED_BY:
        mean = difference_bounds(judged, parse(metric), first, second, unjudged).mean
        shared = np.isin(mean.verdict, ["A", "B"]).sum()
        means = score_judged(judged, [parse(metric)], bounds=True, unjudged=unjudged).totals
        low, high = means["low"][0], means["high"][0]
        separate = (low[first] - high[second] > ROUNDING) | (high[first] - low[second] < -ROUNDING)
        cells.append(f"{shared:,} ({separate.sum():,})")
    return cells


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    data = Path(os.environ["RANKWISE_DATA"]) / "trec8"
    qrels = read_qrels(data / "trec8.qrels.gz")
    runs = read_runs(sorted((data / "runs").glob("*.gz")))
    a, b = (next(run for run in runs if run.name == name) for name in (SYSTEM_A, SYSTEM_B))
    pools = {"10": pooled(qrels, runs, 10), "full": qrels}
    by_depth = [
        [str(depth), pool]
        + [interval(pools[pool], a, f"RBP(p={p})", depth=depth, unjudged="open") for p in PS]
        for pool in pools
        for depth in (5, 10, 20, 50, 100, 1000)
    ]
    by_p = [
        [f"{p:g}", pool]
        + [interval(pools[pool], run, f"RBP(p={p:g})", unjudged="open") for run in (a, b)]
        for pool in pools
        for p in np.round([*np.arange(0.5, 0.95, 0.1), 0.95, 0.98], 2)
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
    about_assumptions = ABOUT_ASSUMPTIONS.format(
        depth=assumptions_trial.DEPTH,
        by_runs=table(["runs", *assumptions_trial.MISSED], by_runs),
    )
    recognition, slowest = recognition_trial.rows(pools["10"], runs)
    searched = recognition_trial.by_depth(pools["10"], runs)
    text = TEXT.format(
        a=SYSTEM_A,
        by_depth=table(["d", "pool", *(f"p = {p}" for p in PS)], by_depth),
        by_p=table(["p", "pool", SYSTEM_A, SYSTEM_B], by_p),
        others=table(["metric", SYSTEM_A, SYSTEM_B], others),
        pairs=len(runs) * (len(runs) - 1) // 2,
        verdicts=table(["d", "pool", "unjudged", *JUDGED_BY], verdicts),
        what_it_shows=WHAT_IT_SHOWS,
        depth=assumptions_trial.DEPTH,
        assumptions=table(["pool", "assumption", *assumptions_trial.METRICS], assumptions),
        about_assumptions=about_assumptions,
        cases=recognition_trial.CASES,
        pairs_tried=", ".join(" and ".join(pair) for pair in recognition_trial.PAIRS),
        recognition=table(recognition_trial.HEADER, recognition),
        slowest=f"{max(2, np.ceil(slowest)):.0f} seconds",
        by_depth_searched=table(["d", "unjudged", *recognition_trial.SEARCHED], searched),
    )
    Path(__file__).with_name("bounds.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
