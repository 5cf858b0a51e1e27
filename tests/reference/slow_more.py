"""More metrics as plain loops: sets, relatives of AP, Sakai's, gain, cascades."""

import math
from typing import Any

from scipy.special import zeta
from slow import Pool, Ranking, count_relevant, dcg, gains_of, is_relevant, least, slow, worth
from slow_cascades import unit_gains


def best_first(metric: Any, pool: Pool) -> list[float]:
    return sorted((worth(metric, grade) for grade in pool), reverse=True)


# Sets.


def set_counts(metric: Any, ranking: Ranking, pool: Pool) -> tuple[int, int, int]:
    depth = getattr(metric, "cutoff", None) or len(ranking)
    return count_relevant(metric, ranking), depth, count_relevant(metric, pool)


@slow
def SetP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    best = min(retrieved, relevant) if metric.relative else retrieved
    return found / best if best else 0.0


@slow
def SetR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, _, relevant = set_counts(metric, ranking, pool)
    return found / relevant if relevant else math.nan


@slow
def SetAP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    if not relevant:
        return math.nan
    return found / retrieved * found / relevant if retrieved else 0.0


@slow
def SetF(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    if not relevant:
        return math.nan
    if not found:
        return 0.0
    p, r = found / retrieved, found / relevant
    return (metric.beta + 1) * p * r / (metric.beta * p + r)


@slow
def Shaw(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    if not relevant:
        return math.nan
    return 1 / (retrieved / found + relevant / found - 1) if found else 0.0


@slow
def Utility(metric: Any, ranking: Ranking, pool: Pool) -> float:
    found, retrieved, relevant = set_counts(metric, ranking, pool)
    others = metric.documents - retrieved - (relevant - found)
    return (
        metric.a * found
        + metric.b * (retrieved - found)
        + metric.c * (relevant - found)
        + metric.d * others
    )


# Precision.


@slow
def RelP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    relevant = count_relevant(metric, pool)
    if not relevant:
        return math.nan
    return count_relevant(metric, ranking) / min(metric.cutoff, relevant)


def interpolated(metric: Any, ranking: Ranking, pool: Pool, recall: float) -> float:
    share = recall * count_relevant(metric, pool)
    wanted = int(share + 0.9) if metric.rounding == "up" else math.floor(share + 0.5)
    precisions = [
        count_relevant(metric, ranking[:depth]) / depth
        for depth in range(1, len(ranking) + 1)
        if count_relevant(metric, ranking[:depth]) >= max(wanted, 1)
    ]
    return max(precisions, default=0.0)


@slow
def IPrec(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    return interpolated(metric, ranking, pool, metric.recall)


@slow
def IPrecMean(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    steps = metric.points - 1
    levels = [0.2, 0.5, 0.8] if metric.points == 3 else [i / steps for i in range(steps + 1)]
    return sum(interpolated(metric, ranking, pool, x) for x in levels) / len(levels)


# Relatives of AP.


def precisions(metric: Any, ranking: Ranking) -> list[float]:
    return [
        count_relevant(metric, ranking[:rank]) / rank
        for rank, grade in enumerate(ranking, start=1)
        if is_relevant(metric, grade)
    ]


@slow
def SP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return sum(precisions(metric, ranking))


@slow
def APStar(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    found = precisions(metric, ranking)
    return sum(found) / len(found) if found else 0.0


@slow
def YAAP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    relevant = count_relevant(metric, pool)
    total = sum(precisions(metric, ranking))
    return math.log((1 + total) / (1 + relevant - total)) if relevant else math.nan


@slow
def infAP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    if not total:
        return math.nan
    score, epsilon = 0.0, 0.00001
    for above, grade in enumerate(ranking):
        if not is_relevant(metric, grade):
            continue
        rel = count_relevant(metric, ranking[:above])
        nonrel = sum(g is not None and 0 <= g < metric.rel for g in ranking[:above])
        pooled = sum(g is not None for g in ranking[:above])
        if above == 0:
            score += 1
        else:
            sampled = (rel + epsilon) / (rel + nonrel + 2 * epsilon)
            score += 1 / (above + 1) + above / (above + 1) * (pooled / above) * sampled
    return score / total


# First and n-th relevant documents.


@slow
def WRR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    for rank, grade in enumerate(ranking, start=1):
        if grade is not None and grade >= 1:
            return 1 / (rank - 1 / dict(metric.beta)[grade])
    return 0.0


@slow
def NWRR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    best = max(pool)
    if best < 1:
        return math.nan
    return WRR(metric, ranking, pool) * (1 - 1 / dict(metric.beta)[best])


@slow
def RankPower(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ranks = [r for r, grade in enumerate(ranking, start=1) if is_relevant(metric, grade)]
    if not count_relevant(metric, pool):
        return math.nan
    return min(sum(ranks) / len(ranks) / len(ranks), metric.give_up) if ranks else metric.give_up


# Preferences.


@slow
def RankEff(metric: Any, ranking: Ranking, pool: Pool) -> float:
    relevant = count_relevant(metric, pool)
    nonrelevant = sum(0 <= grade < metric.rel for grade in pool)
    if not relevant or not nonrelevant:
        return math.nan
    below = 0
    for place, grade in enumerate(ranking):
        if is_relevant(metric, grade):
            above = sum(g is not None and 0 <= g < metric.rel for g in ranking[:place])
            below += nonrelevant - above
    return below / (relevant * nonrelevant)


@slow
def Accuracy(metric: Any, ranking: Ranking, pool: Pool) -> float:
    good = pairs = 0
    for first, one in enumerate(ranking):
        for second, other in enumerate(ranking):
            if is_relevant(metric, one) and not is_relevant(metric, other):
                pairs += 1
                good += first < second
    if not count_relevant(metric, pool):
        return math.nan
    found = sum(is_relevant(metric, grade) for grade in ranking)
    return good / pairs if pairs else float(found > 0)


# Blended ratios.


def blended(metric: Any, ranking: Ranking, pool: Pool, rank: int) -> float:
    kept = [grade if is_relevant(metric, grade) else None for grade in ranking[:rank]]
    cg = sum(worth(metric, grade) for grade in kept)
    ideal = best_first(metric, [grade for grade in pool if is_relevant(metric, grade)])
    count = count_relevant(metric, ranking[:rank])
    return (metric.beta * cg + count) / (metric.beta * sum(ideal[:rank]) + rank)


def relevant_ranks(metric: Any, ranking: Ranking) -> list[int]:
    return [r for r, grade in enumerate(ranking, start=1) if is_relevant(metric, grade)]


@slow
def Q(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    if not total:
        return math.nan
    ranks = relevant_ranks(metric, ranking)
    return sum(blended(metric, ranking, pool, rank) for rank in ranks) / least(metric, total)


@slow
def O(metric: Any, ranking: Ranking, pool: Pool) -> float:  # noqa: E743
    if not count_relevant(metric, pool):
        return math.nan
    ranks = relevant_ranks(metric, ranking)
    return blended(metric, ranking, pool, ranks[0]) if ranks else 0.0


def preferred(metric: Any, ranking: Ranking) -> int | None:
    best = max((g for g in ranking if is_relevant(metric, g)), default=None)
    return None if best is None else ranking.index(best) + 1


@slow
def PMeasure(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    rank = preferred(metric, ranking)
    return blended(metric, ranking, pool, rank) if rank else 0.0


@slow
def PPlus(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    last = preferred(metric, ranking)
    if last is None:
        return 0.0
    ranks = [rank for rank in relevant_ranks(metric, ranking) if rank <= last]
    return sum(blended(metric, ranking, pool, rank) for rank in ranks) / len(ranks)


@slow
def NCU(metric: Any, ranking: Ranking, pool: Pool) -> float:
    relevant = [grade for grade in pool if is_relevant(metric, grade)]
    if not relevant:
        return math.nan
    score = 0.0
    for n, rank in enumerate(relevant_ranks(metric, ranking)):
        chance = 1 / len(relevant)
        if metric.stop == "graded":
            total = sum(worth(metric, grade) for grade in relevant)
            chance = worth(metric, ranking[rank - 1]) / total
        elif metric.stop == "rank-biased":
            chance = metric.gamma**n / sum(metric.gamma**i for i in range(len(relevant)))
        effort = metric.p**rank
        utility = blended(metric, ranking, pool, rank) if metric.utility == "blended" else effort
        score += chance * utility
    return score


# Utility where a user stops.


def chances(metric: Any, grades: Ranking | Pool) -> list[float]:
    most = worth(metric, metric.max_rel) if metric.max_rel else worth(metric, 3)
    least_grade = -1 if metric.rel is None else metric.rel
    counted = [g if g is not None and g >= least_grade else None for g in grades]
    return [min(worth(metric, grade), most) / (most + 1) for grade in counted]


def stopping(metric: Any, grades: Ranking | Pool) -> list[float]:
    """The probability to stop at each rank."""
    found, going_on = [], 1.0
    for chance in chances(metric, grades):
        found.append(going_on * chance)
        going_on *= 1 - chance
    return found


def best_order(metric: Any, pool: Pool) -> Pool:
    ordered = sorted(pool, key=lambda grade: chances(metric, [grade])[0], reverse=True)
    return ordered[: metric.cutoff]


@slow
def EBR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not count_relevant(metric, pool):
        return math.nan
    stops = enumerate(stopping(metric, ranking), start=1)
    return sum(stop * blended(metric, ranking, pool, rank) for rank, stop in stops if stop)


@slow
def nEBR(metric: Any, ranking: Ranking, pool: Pool) -> float:
    best = sum(stopping(metric, best_order(metric, pool)))
    return EBR(metric, ranking, pool) / best if best else math.nan


@slow
def iRBU(metric: Any, ranking: Ranking, pool: Pool) -> float:
    stops = enumerate(stopping(metric, ranking), start=1)
    return sum(stop * metric.p**rank for rank, stop in stops)


@slow
def niRBU(metric: Any, ranking: Ranking, pool: Pool) -> float:
    if not any(grade >= 1 for grade in pool):
        return math.nan
    best = iRBU(metric, list(best_order(metric, pool)), pool)
    return iRBU(metric, ranking, pool) / best if best else math.nan


# Gain.


def ideal_gains(metric: Any, pool: Pool) -> list[float]:
    return sorted(gains_of(metric, pool), reverse=True)


@slow
def SDCG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    top = metric.max_rel
    most = top if metric.dcg == "log2" else 2**top - 1
    nothing = gains_of(metric, [metric.min_rel])[0]
    gains = [max(min(gain, most) - nothing, 0) for gain in gains_of(metric, ranking)]
    return dcg(metric, gains) / dcg(metric, [most - nothing] * metric.cutoff)


@slow
def SNDCG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    gains = gains_of(metric, ranking)
    best = dcg(metric, sorted(gains, reverse=True))
    if not any(ideal_gains(metric, pool)):
        return math.nan
    return dcg(metric, gains) / best if best else 0.0


@slow
def G(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal, gains = ideal_gains(metric, pool), gains_of(metric, ranking)
    if not sum(ideal):
        return math.nan
    score = 0.0
    for rank, gain in enumerate(gains, start=1):
        padded = (ideal + [0.0] * rank)[:rank]
        cost = sum(max(one, 1) for one in padded)
        if gain:
            score += gain / math.log2(2 + cost - sum(gains[:rank]))
    return score / sum(ideal)


@slow
def binG(metric: Any, ranking: Ranking, pool: Pool) -> float:
    total = count_relevant(metric, pool)
    if not total:
        return math.nan
    score = 0.0
    for above, grade in enumerate(ranking):
        if is_relevant(metric, grade):
            score += 1 / math.log2(2 + above - count_relevant(metric, ranking[:above]))
    return score / total


@slow
def nDCGRel(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal, gains = ideal_gains(metric, pool), gains_of(metric, ranking)
    relevant = sum(gain > 0 for gain in ideal)
    if not relevant:
        return math.nan
    points = [
        dcg(metric, gains[:rank]) / dcg(metric, ideal[:rank])
        for rank, gain in enumerate(gains, start=1)
        if gain > 0
    ]
    end = dcg(metric, gains) / dcg(metric, ideal[: metric.cutoff])
    return (sum(points) + (relevant - len(points)) * end) / relevant


@slow
def Rndcg(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal, gains = ideal_gains(metric, pool), gains_of(metric, ranking)
    ends = [sum(g >= level for g in ideal) for level in sorted({g for g in ideal if g > 0})[::-1]]
    if not ends:
        return math.nan
    points = [dcg(metric, gains[:end]) / dcg(metric, ideal[:end]) for end in ends]
    if len(ranking) > ends[-1] + 1:
        points.append(dcg(metric, gains) / dcg(metric, ideal))
    return sum(points) / len(points)


# Weights that add up to 1.


def weighted(metric: Any, ranking: Ranking, weights: list[float]) -> float:
    gains = [
        worth(metric, grade) if metric.gains is not None else float(is_relevant(metric, grade))
        for grade in ranking
    ]
    if getattr(metric, "max_rel", None) is not None:
        gains = unit_gains(metric, ranking)
    return sum(weight * gain for weight, gain in zip(weights, gains, strict=True))


@slow
def InvSq(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return weighted(metric, ranking, [1 / (i * (i + 1)) for i in range(1, len(ranking) + 1)])


@slow
def INSQ(metric: Any, ranking: Ranking, pool: Pool) -> float:
    shift = 2 * metric.T - 1
    end = metric.cutoff
    total = (
        float(zeta(2, shift + 1))
        if end is None
        else sum(1 / (i + shift) ** 2 for i in range(1, end + 1))
    )
    return weighted(
        metric, ranking, [1 / (i + shift) ** 2 / total for i in range(1, len(ranking) + 1)]
    )


@slow
def RBPResidual(metric: Any, ranking: Ranking, pool: Pool) -> float:
    p = metric.p
    open_ranks = [i for i, grade in enumerate(ranking) if grade is None or grade < 0]
    if metric.tail == "if-unjudged" and not open_ranks:
        return 0.0
    return p ** len(ranking) + (1 - p) * sum(p**i for i in open_ranks)


def by_persistence(metric: Any, gains: list[float]) -> float:
    return sum(gain * metric.p**above for above, gain in enumerate(gains))


@slow
def ScaledRBP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    gains = [worth(metric, grade) for grade in pool]
    greatest = max([1.0, *gains, *dict(metric.gains or {}).values()])
    scaled = [worth(metric, grade) / greatest for grade in ranking]
    return (1 - metric.p) * by_persistence(metric, scaled)


@slow
def nRBP(metric: Any, ranking: Ranking, pool: Pool) -> float:
    ideal = by_persistence(metric, best_first(metric, pool)[: metric.cutoff])
    gains = [worth(metric, grade) for grade in ranking]
    return by_persistence(metric, gains) / ideal if ideal else math.nan


# Counts.


@slow
def Unjudged(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return sum(grade is None or grade < 0 for grade in ranking) / metric.cutoff


@slow
def NumQ(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return 1


@slow
def NumNonrelRet(metric: Any, ranking: Ranking, pool: Pool) -> float:
    return sum(grade is not None and 0 <= grade < metric.rel for grade in ranking)


@slow
def Compat(metric: Any, ranking: Ranking, pool: Pool) -> float:
    """Documents are numbers: those of the ranking by rank, then the rest of the pool."""
    rest = list(pool)
    for grade in ranking:
        if grade is not None:
            rest.remove(grade)
    grades = list(ranking) + rest
    relevant = [d for d, grade in enumerate(grades) if grade is not None and grade >= 1]
    if not relevant:
        return math.nan
    ideal = sorted(relevant, key=lambda d: (-(grades[d] or 0), d))
    shown = list(range(len(ranking)))
    depth = max(len(shown), len(ideal))

    def rbo(one: list[int], other: list[int]) -> float:
        weights = [metric.p**d for d in range(depth)]
        agree = [len(set(one[: d + 1]) & set(other[: d + 1])) / (d + 1) for d in range(depth)]
        return sum(w * a for w, a in zip(weights, agree, strict=True)) / sum(weights)

    score = rbo(shown, ideal)
    return score / rbo(ideal, ideal) if metric.normalize else score
