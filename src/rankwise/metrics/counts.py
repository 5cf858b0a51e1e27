"""Metrics that describe a run or the judgments: numbers and proportions of documents."""

import numpy as np

from rankwise.arrays import Floats
from rankwise.bounds import FoundCount, NonrelevantCount, RelevantCount, Unchanged
from rankwise.metrics.metric import Metric
from rankwise.metrics.parameters import cutoff, rel
from rankwise.metrics.registry import register
from rankwise.rankings import JudgedRankings


@register()
class Judged(Metric):
    """Proportion of the first k documents that are judged.

    The divisor is the number of retrieved documents if it is less than k. Negative grades count as
    judged.

    Use it beside any other metric: if it is low, the other metric is unreliable. It does not
    measure quality.

    >>> score_gains("Judged@4", [1, None, 0, 1])
    0.75
    """

    tells_unusable = True
    is_diagnostic = True
    bounds = Unchanged()
    cutoff: int | None = cutoff()

    def compute(self, judged: JudgedRankings) -> Floats:
        return np.diff(judged.row_start) / np.maximum(judged.length, 1)


@register({"unj_#": "Unjudged@#"})
class Unjudged(Metric):
    """Proportion of the first k documents without a usable judgment.

    The divisor is k even if fewer documents are retrieved, as in trec_eval's unj. Unlike Judged it
    treats a negative grade as no judgment.

    Use it as a warning beside any other metric. It does not measure quality.

    >>> score_gains("Unjudged@4", [1, None, 0])
    0.25
    """

    is_diagnostic = True
    bounds = Unchanged()
    cutoff: int = cutoff(required=True)

    def compute(self, judged: JudgedRankings) -> Floats:
        usable = judged.total(judged.grade >= 0)
        return (judged.length - usable) / self.cutoff


@register({"num_q": "NumQ"})
class NumQ(Metric):
    """Number of topics scored.

    >>> score_gains("NumQ", [1, None, 0])
    1.0
    """

    aggregate = "sum"
    is_diagnostic = True
    bounds = Unchanged()

    def compute(self, judged: JudgedRankings) -> Floats:
        return np.ones(judged.count)


class Total(Metric):
    """Counts of documents that are added up over topics."""

    score_range = (0.0, np.inf)
    aggregate = "sum"
    is_diagnostic = True


@register({"num_ret": "NumRet"})
class NumRet(Total):
    """Number of documents retrieved, judged or not.

    Use it to find short and missing rankings. It does not measure quality.

    >>> score_gains("NumRet", [1, None, 0])
    3.0
    """

    bounds = Unchanged()

    def compute(self, judged: JudgedRankings) -> Floats:
        return judged.length.astype(np.float64)


@register({"num_rel": "NumRel"})
class NumRel(Total):
    """Number of documents judged relevant for the topic, retrieved or not.

    Use it to describe the topics. It is the same for every run.

    >>> score_gains("NumRel", [1, None, 0], judged=[1, 1, 1, 0])
    3.0
    """

    counts_missed = True
    bounds = RelevantCount()
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        return judged.judged_count(self.rel).astype(np.float64)


@register({"num_rel_ret": "NumRelRet", "hits": "NumRelRet", "NumRet(rel=#)": "NumRelRet(rel=#)"})
class NumRelRet(Total):
    """Number of relevant documents retrieved (in the first k).

    Use it beside NumRel. To compare topics, use Recall.

    >>> score_gains("NumRelRet", [1, None, 0, 2])
    2.0
    """

    bounds = FoundCount()
    rel: int = rel()
    cutoff: int | None = cutoff()

    def compute(self, judged: JudgedRankings) -> Floats:
        return np.diff(judged.relevant(self.rel).row_start).astype(np.float64)


@register({"num_nonrel_judged_ret": "NumNonrelRet"})
class NumNonrelRet(Total):
    """Number of documents retrieved that are judged non-relevant. Lower is better.

    >>> score_gains("NumNonrelRet", [1, None, 0, -1])
    1.0
    """

    less_is_better = True
    bounds = NonrelevantCount()
    rel: int = rel()

    def compute(self, judged: JudgedRankings) -> Floats:
        return judged.total((judged.grade >= 0) & (judged.grade < self.rel))
