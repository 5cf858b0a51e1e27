"""The proofs: how low and high a score can be under any judgment of the unjudged documents.

What all of them share:
grid.py            rankings laid out rank by rank, running sums over cuts, the scan over blocks
cuts.py            extremes over cuts where no running sum gives the score of every cut at once
undefined.py       topics that have no score under the current judgments, and means over them

One argument a file, and the metrics that rest on it:
precisions.py      sums of precisions: AP, SP, AP*, YAAP
condensed.py       the same in condensed lists: AP(judged_only=True)
inferred.py        precisions expected from a sample: infAP
interpolated.py    the best precision from a recall on: IPrec
reach.py           precision at a rank that moves with R: Rprec
ratio.py           a sum of weights over that of the best order: nDCG, SN-DCG, nRBP
scaled.py          a sum of gains over the greatest gain of the topic: ScaledRBP
blended.py         the blended ratio at each rank, at the first, in the mean: Q, O, P, P⁺, NCU
means.py           means of values that are only known to lie in a range: Q, NCU, infAP, G
nonrelevant.py     relevant documents by how many others are above them: binG, G
preference.py      pairs of a relevant document and one that is not: Bpref, RankEff, Accuracy
overlap.py         overlap with the nearest ideal: Compat
first_relevant.py  the first relevant document by rank and grade: NWRR
search_length.py   what is seen before the n-th relevant document: ESL
reciprocal.py      expected reciprocal rank over that of the best order: nERR
stopping.py        utility where users stop: EBR, nEBR, niRBU
goal.py            users with a goal: INST, BPM
reading_time.py    users whose time goes into documents: TBG, U

A proof takes grids and arrays, and functions where it needs a metric's formula; it knows no
metric. A bound that is one line (P, RBP, Recall, the set metrics) stands with its formula.
"""
