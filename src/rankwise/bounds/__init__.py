"""Lower and upper bounds of scores under any judgment of the unjudged documents, with proofs.

Shared by all arguments:
base.py            `ScoreBounds`: the questions that every argument answers
grid.py            rankings laid out rank by rank, running sums over cuts, the scan over blocks
cuts.py            extremes over cuts where no running sum gives the score of every cut at once
undefined.py       topics that have no score under the current judgments, and means over them
unit_gains.py      gains between 0 and 1: ERR, NERR, INST, BPM
means.py           means of values that are only known to lie in a range: Q, NCU, infAP, G

One argument per file, and the metrics that rest on it:
weighted.py        fixed weights times gains: RBP, P, DCG and every other weighted precision
counts.py          counts: Recall, RelP, the set metrics, Utility, NumRel; scores that stay
precisions.py      sums of precisions: AP, SP, AP*, YAAP
condensed.py       the same in condensed lists: AP(judged_only=True)
graded_precision.py  a mean of AP at several thresholds: GAP
inferred.py        precisions expected from a sample: infAP
interpolated.py    the best precision from a recall on: IPrec, IPrecMean
reach.py           precision at a rank that moves with R: Rprec
ratio.py           a sum of weights over that of the best order: nDCG, SN-DCG, nRBP
ratio_means.py     means of that ratio at several ranks: nDCGRel, Rndcg
scaled.py          a sum of gains over the greatest gain of the topic: ScaledRBP
blended.py         the blended ratio at each rank, at the first, in the mean: Q, O, P, P⁺, NCU
nonrelevant.py     relevant documents by how many others are above them: binG, G
preference.py      pairs of documents, one of them better: Bpref, RankEff, Accuracy, AgreedPairs
compatibility.py  overlap with the nearest ideal: Compat
nth_relevant.py    the rank of the n-th relevant document: RR, Success; BestGain, RankPower
first_relevant.py  the first relevant document by rank and grade: WRR, NWRR
search_length.py   what is seen before the n-th relevant document: ESL
cascade.py         users who stop where they are satisfied: ERR, NERR, RBP2
reciprocal.py      expected reciprocal rank over that of the best order: nERR
stopping.py        utility where users stop: EBR, nEBR, iRBU, niRBU
goal.py            users with a goal: INST, BPM
reading_time.py    users whose time goes into documents: TBG, U
subtopics.py       means over subtopics, and ratios to a greedy ideal: P_IA, alpha_nDCG

An argument states in a protocol what it asks of a metric, and imports no metric.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.bounds.base import EXACT as EXACT, UNIT as UNIT, ScoreBounds as ScoreBounds
    from rankwise.bounds.blended import (
        MeanRatio as MeanRatio,
        MeanRatioToPreferred as MeanRatioToPreferred,
        RatioAtFirst as RatioAtFirst,
        RatioAtPreferred as RatioAtPreferred,
        RatioAtR as RatioAtR,
        RatioWhereUsersStop as RatioWhereUsersStop,
    )
    from rankwise.bounds.cascade import (
        GainPerDocumentSeen as GainPerDocumentSeen,
        PatienceByRelevance as PatienceByRelevance,
        ReciprocalStops as ReciprocalStops,
    )
    from rankwise.bounds.compatibility import OverlapWithIdeal as OverlapWithIdeal, summed as summed
    from rankwise.bounds.counts import (
        FoundCount as FoundCount,
        FoundShare as FoundShare,
        LinearCounts as LinearCounts,
        NonrelevantCount as NonrelevantCount,
        RelevantCount as RelevantCount,
        SetCounts as SetCounts,
        Unchanged as Unchanged,
    )
    from rankwise.bounds.first_relevant import (
        FirstByGrade as FirstByGrade,
        FirstByGradeOverBest as FirstByGradeOverBest,
    )
    from rankwise.bounds.goal import GoalNearer as GoalNearer, GoalReached as GoalReached
    from rankwise.bounds.graded_precision import MeanOfLevels as MeanOfLevels
    from rankwise.bounds.grid import Bounds as Bounds, running as running
    from rankwise.bounds.inferred import InferredPrecision as InferredPrecision
    from rankwise.bounds.interpolated import (
        InterpolatedPrecision as InterpolatedPrecision,
        MeanInterpolatedPrecision as MeanInterpolatedPrecision,
    )
    from rankwise.bounds.nonrelevant import (
        GainBehindIdeal as GainBehindIdeal,
        NonrelevantAbove as NonrelevantAbove,
    )
    from rankwise.bounds.nth_relevant import (
        BestInTop as BestInTop,
        MeanRankOverFound as MeanRankOverFound,
        NthRelevantRank as NthRelevantRank,
    )
    from rankwise.bounds.precisions import (
        MeanPrecisionOfFound as MeanPrecisionOfFound,
        PrecisionOdds as PrecisionOdds,
        PrecisionSums as PrecisionSums,
        UndividedPrecisions as UndividedPrecisions,
    )
    from rankwise.bounds.preference import (
        AllPreferencePairs as AllPreferencePairs,
        DecidedPairs as DecidedPairs,
        PreferencePairs as PreferencePairs,
        RetrievedPairs as RetrievedPairs,
    )
    from rankwise.bounds.ratio import (
        Levels as Levels,
        RatioOfAnother as RatioOfAnother,
        RatioToBestOrder as RatioToBestOrder,
        RatioToIdeal as RatioToIdeal,
        greatest_ratio as greatest_ratio,
        levels_of as levels_of,
    )
    from rankwise.bounds.ratio_means import (
        MeanRatioAtRelevant as MeanRatioAtRelevant,
        MeanRatioAtSteps as MeanRatioAtSteps,
    )
    from rankwise.bounds.reach import PrecisionWithinReach as PrecisionWithinReach
    from rankwise.bounds.reading_time import ReadingTime as ReadingTime
    from rankwise.bounds.reciprocal import NormalisedReciprocal as NormalisedReciprocal
    from rankwise.bounds.scaled import ScaledSum as ScaledSum
    from rankwise.bounds.search_length import SearchLengths as SearchLengths
    from rankwise.bounds.stopping import (
        DiscountedStops as DiscountedStops,
        ExpectedRatio as ExpectedRatio,
        NormalisedDiscountedStops as NormalisedDiscountedStops,
        NormalisedExpectedRatio as NormalisedExpectedRatio,
    )
    from rankwise.bounds.subtopics import (
        MeanOverSubtopics as MeanOverSubtopics,
        NoveltyGain as NoveltyGain,
        RatioToGreedyIdeal as RatioToGreedyIdeal,
        SumOfTwo as SumOfTwo,
        greatest_weighted_mean as greatest_weighted_mean,
        least_weighted_mean as least_weighted_mean,
    )
    from rankwise.bounds.undefined import (
        greatest_mean as greatest_mean,
        least_mean as least_mean,
        least_mean_of as least_mean_of,
    )
    from rankwise.bounds.weighted import WeightedSums as WeightedSums
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
