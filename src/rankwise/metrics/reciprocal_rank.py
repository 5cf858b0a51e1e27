"""Metrics that look for the first relevant document."""

from dataclasses import dataclass

import numpy as np

from rankwise.judged import Floats, JudgedRankings
from rankwise.metrics.base import Bounds, Metric, Unjudged
from rankwise.metrics.names import register
from rankwise.metrics.parameters import cutoff, flag, rel


@dataclass(frozen=True, kw_only=True)
class FirstRelevant(Metric):
    """A metric that depends only on the rank of the first relevant document."""

    rel: int = rel()
    judged_only: bool = flag()

    def score_at(self, rank: Floats) -> Floats:
        """The score where the first relevant document is at this rank; infinity is none."""
        raise NotImplementedError

    def compute(self, judged: JudgedRankings) -> Floats:
        return self.score_at(judged.first(judged.grade >= self.rel))

    def compute_bounds(self, judged: JudgedRankings, unjudged: Unjudged) -> Bounds:
        known = judged.first(judged.grade >= self.rel)
        unknown = judged.first_unjudged().astype(np.float64)
        cutoff: int | None = getattr(self, "cutoff", None)
        last = judged.length if unjudged == "retrieved" else (cutoff or np.inf)
        unknown[unknown > last] = np.inf
        return self.score_at(known), self.score_at(np.minimum(known, unknown))


@register({"MRR": "RR", "recip_rank": "RR", "recip_rank_cut_*": "RR@*"})
@dataclass(frozen=True, kw_only=True)
class RR(FirstRelevant):
    """Reciprocal rank: 1 / (rank of the first relevant document), 0 if there is none.

    Its mean over topics is MRR.

    Use it for known-item and question answering tasks, where one answer is enough. Do
    not use it where a second relevant document would please the user, or with few
    topics: it takes few values and varies a lot.
    Kantor and Voorhees, Information Retrieval 2(2), 2000.

    >>> score_gains("RR", [0, 0, 1, 0, 1])
    0.3333333333333333
    """

    cutoff: int | None = cutoff()

    def score_at(self, rank: Floats) -> Floats:
        return 1 / rank


@register({"HIT": "Success", "Hit": "Success", "success_*": "Success@*"})
@dataclass(frozen=True, kw_only=True)
class Success(FirstRelevant):
    """1 if there is a relevant document in the first k, else 0.

    Also known as HIT@k and, in some RAG papers, as Recall@k.

    Use it to ask how often a page of results helps at all. Do not use it to compare
    systems that nearly always succeed.

    >>> score_gains("Success@3", [0, 0, 1, 0, 1])
    1.0
    """

    cutoff: int = cutoff(required=True)

    def score_at(self, rank: Floats) -> Floats:
        return np.isfinite(rank).astype(np.float64)
