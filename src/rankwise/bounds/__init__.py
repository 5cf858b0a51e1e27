"""Lower and upper bounds of scores under any judgment of the unjudged documents, with proofs.

Shared by all arguments:
base.py            `ScoreBounds`: the questions that every argument answers
grid.py            rankings laid out rank by rank, running sums over cuts, the scan over blocks
cuts.py            extremes over cuts where no running sum gives the score of every cut at once
undefined.py       topics that have no score under the current judgments, and means over them
unit_gains.py      gains between 0 and 1: ERR, NERR, INST, BPM
means.py           means of values that are only known to lie in a range: Q, NCU, infAP, G

One argument per file, and the metrics that rest on it:
weighted.py        fixed weights times gains: RBP, P, DCG and all weighted precisions; ScaledRBP
counts.py          counts: Recall, RelP, Rprec, the set metrics, Utility, NumRel; scores that stay
precisions.py      sums of precisions: AP, also in condensed lists, SP, AP*, YAAP, GAP, infAP
interpolated.py    the best precision from a recall on: IPrec, IPrecMean
ratio.py           a sum of weights over that of the best order: nDCG, SN-DCG, nRBP, Rndcg
blended.py         the blended ratio at each rank, at the first, in the mean: Q, O, P, P⁺, NCU
nonrelevant.py     relevant documents by how many others are above them: binG, G
preference.py      pairs of documents, one of them better: Bpref, RankEff, Accuracy, AgreedPairs
compatibility.py   overlap with the nearest ideal: Compat
first_relevant.py  the rank of the first relevant document, or of the n-th: RR, WRR, ESL
cascade.py         users who stop where they are satisfied: ERR, nERR, NERR, RBP2
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
        NormalisedReciprocal as NormalisedReciprocal,
        PatienceByRelevance as PatienceByRelevance,
        ReciprocalStops as ReciprocalStops,
    )
    from rankwise.bounds.compatibility import OverlapWithIdeal as OverlapWithIdeal, summed as summed
    from rankwise.bounds.counts import (
        FoundCount as FoundCount,
        FoundShare as FoundShare,
        LinearCounts as LinearCounts,
        NonrelevantCount as NonrelevantCount,
        PrecisionWithinReach as PrecisionWithinReach,
        RelevantCount as RelevantCount,
        SetCounts as SetCounts,
        Unchanged as Unchanged,
    )
    from rankwise.bounds.first_relevant import (
        BestInTop as BestInTop,
        FirstByGrade as FirstByGrade,
        FirstByGradeOverBest as FirstByGradeOverBest,
        MeanRankOverFound as MeanRankOverFound,
        NthRelevantRank as NthRelevantRank,
        SearchLengths as SearchLengths,
    )
    from rankwise.bounds.goal import GoalNearer as GoalNearer, GoalReached as GoalReached
    from rankwise.bounds.grid import Bounds as Bounds, running as running
    from rankwise.bounds.interpolated import (
        InterpolatedPrecision as InterpolatedPrecision,
        MeanInterpolatedPrecision as MeanInterpolatedPrecision,
    )
    from rankwise.bounds.nonrelevant import (
        GainBehindIdeal as GainBehindIdeal,
        NonrelevantAbove as NonrelevantAbove,
    )
    from rankwise.bounds.precisions import (
        InferredPrecision as InferredPrecision,
        MeanOfLevels as MeanOfLevels,
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
        MeanRatioAtRelevant as MeanRatioAtRelevant,
        MeanRatioAtSteps as MeanRatioAtSteps,
        RatioOfAnother as RatioOfAnother,
        RatioToBestOrder as RatioToBestOrder,
        RatioToIdeal as RatioToIdeal,
        greatest_ratio as greatest_ratio,
        levels_of as levels_of,
    )
    from rankwise.bounds.reading_time import ReadingTime as ReadingTime
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
    from rankwise.bounds.weighted import ScaledSum as ScaledSum, WeightedSums as WeightedSums
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
