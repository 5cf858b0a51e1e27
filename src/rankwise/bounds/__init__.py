"""Lower and upper bounds of scores under any judgments of the unjudged documents, with proofs.

Modules shared by all proofs:
base.py            `ScoreBounds`: the interface of all bounds
grid.py            rankings as grids, scans over ranks, means of values between known limits
undefined.py       topics whose score is undefined under the current judgments, and means over them

One proof per module, with the metrics that use it:
weighted.py        fixed weights times gains: RBP, P, DCG, other weighted precisions, ScaledRBP
counts.py          counts: Recall, RelP, Rprec, the set metrics, Utility, NumRel
precisions.py      sums of precisions: AP, also in condensed lists, SP, AP*, YAAP, GAP, infAP
interpolated.py    the highest precision at a recall level or beyond: IPrec, IPrecMean
ratio.py           DCG divided by the DCG of the best order: nDCG, SN-DCG, nRBP, Rndcg
blended.py         the blended ratio at a rank, or its mean: Q, O, P-measure, P⁺, NCU
nonrelevant.py     relevant documents discounted by non-relevant ones above them: binG, G
preference.py      pairs of documents of unequal relevance: Bpref, RankEff, Accuracy, AgreedPairs
compatibility.py   overlap with the nearest ideal ranking: Compat
first_relevant.py  the rank of the first or the n-th relevant document: RR, WRR, ESL
stopping.py        utility at the rank where users stop: EBR, nEBR, iRBU, niRBU
stopping_users.py  users who stop when satisfied, or near a goal: ERR, nERR, NERR, RBP2, INST, BPM
reading_time.py    users who spend time on documents: TBG, U
subtopics.py       means over subtopics, ratios to a greedy ideal ranking: P_IA, alpha_nDCG

docs/metrics.md describes the metrics. `retrieved` and `open` are assumptions about unjudged
documents: see `ScoreBounds.of`. A class of bounds lists in its docstring the attributes of a metric
that it reads. Attributes of `Bounded` and `Binary`, such as the relevance threshold `rel`, need not
be listed. No module here imports a metric. Where a docstring says that bounds are exact, this holds
for full rankings. For condensed lists see `ScoreBounds.condensed`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # fmt: off
    # isort: off
    from rankwise.bounds.base import EXACT as EXACT, UNIT as UNIT, ScoreBounds as ScoreBounds
    from rankwise.bounds.blended import (
        MeanRatio as MeanRatio, MeanRatioToPreferred as MeanRatioToPreferred,
        RatioAtFirst as RatioAtFirst, RatioAtPreferred as RatioAtPreferred, RatioAtR as RatioAtR,
        RatioWhereUsersStop as RatioWhereUsersStop,
    )
    from rankwise.bounds.compatibility import OverlapWithIdeal as OverlapWithIdeal, summed as summed
    from rankwise.bounds.counts import (
        FoundCount as FoundCount, FoundShare as FoundShare, LinearCounts as LinearCounts,
        NonrelevantCount as NonrelevantCount, PrecisionWithinReach as PrecisionWithinReach,
        RelevantCount as RelevantCount, SetCounts as SetCounts, Unchanged as Unchanged,
    )
    from rankwise.bounds.first_relevant import (
        BestInTop as BestInTop, FirstByGrade as FirstByGrade,
        FirstByGradeOverBest as FirstByGradeOverBest, MeanRankOverFound as MeanRankOverFound,
        NthRelevantRank as NthRelevantRank, SearchLengths as SearchLengths,
    )
    from rankwise.bounds.grid import Bounds as Bounds, running as running
    from rankwise.bounds.interpolated import (
        InterpolatedPrecision as InterpolatedPrecision,
        MeanInterpolatedPrecision as MeanInterpolatedPrecision,
    )
    from rankwise.bounds.nonrelevant import (
        GainBehindIdeal as GainBehindIdeal, NonrelevantAbove as NonrelevantAbove,
    )
    from rankwise.bounds.precisions import (
        InferredPrecision as InferredPrecision, MeanOfLevels as MeanOfLevels,
        MeanPrecisionOfFound as MeanPrecisionOfFound, PrecisionOdds as PrecisionOdds,
        PrecisionSums as PrecisionSums, UndividedPrecisions as UndividedPrecisions,
    )
    from rankwise.bounds.preference import (
        AllPreferencePairs as AllPreferencePairs, DecidedPairs as DecidedPairs,
        PreferencePairs as PreferencePairs, RetrievedPairs as RetrievedPairs,
    )
    from rankwise.bounds.ratio import (
        Levels as Levels, MeanRatioAtRelevant as MeanRatioAtRelevant,
        MeanRatioAtSteps as MeanRatioAtSteps, RatioOfAnother as RatioOfAnother,
        RatioToBestOrder as RatioToBestOrder, RatioToIdeal as RatioToIdeal,
        greatest_ratio as greatest_ratio, levels_of as levels_of,
    )
    from rankwise.bounds.reading_time import ReadingTime as ReadingTime
    from rankwise.bounds.stopping import (
        DiscountedStops as DiscountedStops, ExpectedRatio as ExpectedRatio,
        NormalisedDiscountedStops as NormalisedDiscountedStops,
        NormalisedExpectedRatio as NormalisedExpectedRatio,
    )
    from rankwise.bounds.stopping_users import (
        GainPerDocumentSeen as GainPerDocumentSeen, GoalNearer as GoalNearer,
        GoalReached as GoalReached, NormalisedReciprocal as NormalisedReciprocal,
        PatienceByRelevance as PatienceByRelevance, ReciprocalStops as ReciprocalStops,
    )
    from rankwise.bounds.subtopics import (
        MeanOverSubtopics as MeanOverSubtopics, NoveltyGain as NoveltyGain,
        RatioToGreedyIdeal as RatioToGreedyIdeal, SumOfTwo as SumOfTwo,
    )
    from rankwise.bounds.undefined import (
        greatest_mean as greatest_mean, least_mean as least_mean, least_mean_of as least_mean_of,
    )
    from rankwise.bounds.weighted import ScaledSum as ScaledSum, WeightedSums as WeightedSums
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
