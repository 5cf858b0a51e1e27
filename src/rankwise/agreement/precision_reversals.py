"""Judgments that reverse a difference in average precision: a lower bound and an example.

AP = N / div(R), where R is the number of relevant documents and div the divisor of the metric. N =
Σ x_i x_j / max(rank_i, rank_j) over all pairs i ≤ j of retrieved documents, where x_i is 1 for a
relevant document and 0 for any other document. Let p relevant documents of a topic become
non-relevant, and q judged non-relevant documents become relevant. Two lower bounds hold for the new
N_A − N_B:

1. Run by run. N_A is smallest if the p relevant documents at the best ranks of A become
   non-relevant, and if A did not retrieve the q documents that become relevant. N_B is largest if
   the q judged non-relevant documents at the best ranks of B become relevant, and if B did not
   retrieve the p documents that become non-relevant. If there are fewer than p relevant documents
   outside B, the other documents that become non-relevant are those at the worst ranks of B.
2. Document by document. The effect of changes δ (±1) on N_A − N_B is Σ δ_i G_i + Σ δ_i δ_j w_ij.
   G_i is the effect of document i alone, a_i and b_i are its ranks in A and B, and w_ij =
   1/max(a_i, a_j) − 1/max(b_i, b_j). The first sum reduces N_A − N_B by at most the sum of the
   largest single effects. In the second sum, a pair of changes of the same sign reduces N_A − N_B
   by at most 1/max(b_i, b_j), and a pair of changes of opposite sign by at most 1/max(a_i, a_j).
   Ranks in a run are distinct, so all pairs of n changes of the same sign reduce N_A − N_B by at
   most Σ (k − 1)/k, k = 2 … n.

The greater of the two bounds is divided by div(R − p + q).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rankwise.agreement.reversals import (
    IMPOSSIBLE,
    NOTHING,
    Changes,
    Reversal,
    fewest_changes,
    largest_first,
    largest_sums,
)
from rankwise.arrays import CANCELLATION, Bools, Floats, Ints
from rankwise.metrics import AP

MOST_CHANGES = 20  # changes of a topic that are bounded one by one; more: the score range
MOST_SEARCHED = 400  # pairs of runs for which an example and the second bound are computed


class RunSums(NamedTuple):
    """Bounds of N of one run after p documents become non-relevant and q become relevant.

    The docstring of the module defines N.
    """

    lowest: Floats  # topics × p: without the p relevant documents at the best ranks
    highest: Floats  # topics × p × q: without the p at the worst ranks, and with the q best others


@dataclass(frozen=True, eq=False)
class MeanPrecision:
    """Bounds of the number of changes that reverse a difference in AP.

    The docstring of the module has the method.
    """

    changes: Changes
    metric: AP
    scores: Floats  # runs × topics
    searched: bool

    @cached_property
    def relevant(self) -> Bools:
        """Whether each judged document is relevant."""
        return np.asarray(self.changes.grade >= self.metric.rel)

    @cached_property
    def target(self) -> Ints:
        """Per judged document, the index in `changes.levels` of a grade that changes its relevance.

        If no allowed grade changes its relevance, it is the index of the current grade.
        """
        target = self.changes.place.copy()
        levels = self.changes.levels
        for place, differs in self.changes.allowed(self.changes.place):
            crosses = differs & ((levels[place] >= self.metric.rel) != self.relevant)
            target = np.where(crosses, place, target)
        return target

    @cached_property
    def counts(self) -> tuple[Ints, Ints]:
        """Numbers of relevant and of judged non-relevant documents of each topic."""
        topic, topics = self.changes.rejudged.topic, len(self.changes.rejudged.judged.topics)
        relevant = np.bincount(topic, self.relevant, topics).astype(np.int64)
        return relevant, np.bincount(topic, minlength=topics) - relevant

    @cached_property
    def ranks(self) -> list[tuple[Ints, Ints]]:
        """Per run, indices of judgments and ranks of the judged documents down to the cutoff."""
        rejudged = self.changes.rejudged
        deepest = min(self.metric.cutoff or np.inf, rejudged.judged.depth or np.inf)
        return self.changes.by_run(rejudged.rank <= deepest, rejudged.rank.astype(np.int64))

    @cached_property
    def sums(self) -> list[RunSums]:
        return [self._sums_of(*ranks) for ranks in self.ranks]

    def _sums_of(self, code: Ints, rank: Ints) -> RunSums:
        hit = self.relevant[code]
        topic, topics = self.changes.rejudged.topic[code], len(self.counts[0])
        inverse = largest_first(topic[hit], 1 / rank[hit], topics, None)
        place = np.arange(1, inverse.shape[1] + 1)
        below, weighted = (
            np.cumsum(part[:, ::-1], axis=1)[:, ::-1] for part in (inverse, inverse * place)
        )
        numbers = np.arange(MOST_CHANGES + 1)
        first = np.minimum(numbers, inverse.shape[1] - 1)
        lowest = weighted[:, first] - numbers * below[:, first]
        lowest = np.where(numbers < inverse.shape[1], lowest, 0.0)
        others = largest_first(topic[~hit], 1 / rank[~hit], topics, MOST_CHANGES)
        retrieved = np.bincount(topic[hit], minlength=topics)
        dropped = np.maximum(numbers - (self.counts[0] - retrieved)[:, None], 0)
        highest = np.zeros((topics, len(numbers), len(numbers)))
        for added in range(len(numbers)):
            joined = -np.sort(-np.concatenate([inverse, others[:, :added]], axis=1), axis=1)
            running = np.cumsum(joined * np.arange(1, joined.shape[1] + 1), axis=1)
            running = np.concatenate([np.zeros((topics, 1)), running], axis=1)
            left = np.maximum((joined > 0).sum(axis=1)[:, None] - dropped, 0)
            highest[:, :, added] = np.take_along_axis(running, left, axis=1)
        return RunSums(lowest, highest)

    @cached_property
    def divisor(self) -> Floats:
        """AP's divisor after p documents become non-relevant and q become relevant: topics × p × q.

        It is NaN if the topic has fewer than p relevant or q judged non-relevant documents.
        """
        p, q = np.indices((MOST_CHANGES + 1, MOST_CHANGES + 1))
        relevant, others = (count[:, None, None] for count in self.counts)
        possible = (p <= relevant) & (q <= others)
        return np.where(possible, self.metric.divisor(relevant - p + q), np.nan)

    def reversal(self, a: int, b: int) -> Reversal:
        now = self.scores[a] - self.scores[b]
        sums = self.sums[a].lowest[:, :, None] - self.sums[b].highest
        pair = None
        if self.searched:
            pair = PairOfRankings(self, a, b)
            sums = np.maximum(sums, pair.lowest_difference())
        low = fewest_changes(self._falls(now, sums / self.divisor), float(now.sum()))
        if low is None:
            return IMPOSSIBLE
        if pair is None:
            return Reversal(low, None, NOTHING, NOTHING, searched=False)
        codes = pair.example(now)
        if codes is None:
            return Reversal(low, None, NOTHING, NOTHING)
        return Reversal(low, len(codes), codes, self.changes.levels[self.target[codes]])

    def _falls(self, now: Floats, lowest: Floats) -> Floats:
        """Return the largest reduction of A − B by 0, 1, 2 … changes, topics × numbers of changes.

        `now` is the current difference A − B on each topic. `lowest` is a lower bound of A − B
        after p documents become non-relevant and q become relevant, topics × p × q.
        """
        size = MOST_CHANGES + 1
        p, q = np.indices((size, size))
        left = self.counts[0][:, None, None] - p + q  # relevant documents
        lowest = np.where(left <= 0, 0.0, np.maximum(lowest, -1.0))
        lowest = np.where(np.isnan(self.divisor), np.inf, lowest)
        order = np.argsort((p + q).ravel(), kind="stable")
        count = int((p + q <= MOST_CHANGES).sum())
        flat = np.minimum.accumulate(lowest.reshape(len(lowest), -1)[:, order[:count]], axis=1)
        last = np.cumsum(np.arange(1, size + 1)) - 1  # the last p and q of each number of changes
        falls = np.maximum(now[:, None] - flat[:, last], 0.0)
        falls[:, 0] = 0.0
        return np.concatenate([falls, now[:, None] + 1], axis=1)


def _pairs_of_changes() -> Floats:
    """Return an upper bound of −Σ δ_i δ_j w_ij for each p and q (docstring of the module)."""
    size = MOST_CHANGES + 1
    equal = np.concatenate([[0.0], np.cumsum([(k - 1) / k for k in range(1, size)])])
    table = equal[:, None] + equal
    for p in range(1, size):
        for q in range(1, size):
            left = p * q
            for k in range(2, p + q + 1):
                count = min(k - 1, max(p, q), left)
                table[p, q] += count / k
                left -= count
    return table


PAIRS_OF_CHANGES = _pairs_of_changes()


class PairOfRankings:
    """The effect of each judgment on N_A − N_B, where run A is better than run B.

    The docstring of the module defines N.
    """

    def __init__(self, form: MeanPrecision, a: int, b: int) -> None:
        self.form = form
        rejudged = form.changes.rejudged
        topics, codes = len(rejudged.judged.topics), len(form.changes.grade)
        effects, inverses = [], []
        for code, rank in (form.ranks[run] for run in (a, b)):
            inverse = np.zeros(codes)
            inverse[code] = 1 / rank
            effect = np.zeros(codes)
            effect[code] = _single_effects(rejudged.topic[code], rank, form.relevant[code], topics)
            inverses.append(inverse)
            effects.append(effect)
        self.inverse_a, self.inverse_b = inverses
        self.effect = effects[0] - effects[1]
        sums = [form.sums[run].lowest[:, 0] for run in (a, b)]
        self.difference = sums[0] - sums[1]

    def lowest_difference(self) -> Floats:
        """Return the lower bound 2 of N_A − N_B (docstring of the module), topics × p × q."""
        form, topic = self.form, self.form.changes.rejudged.topic
        free = form.target != form.changes.place
        topics, parts = len(self.difference), []
        for some, sign in ((free & form.relevant, 1), (free & ~form.relevant, -1)):
            fall = sign * self.effect[some]
            positive = fall > 0
            parts.append(largest_sums(topic[some][positive], fall[positive], topics, MOST_CHANGES))
        most = parts[0][:, :, None] + parts[1][:, None, :] + PAIRS_OF_CHANGES
        return self.difference[:, None, None] - most

    def example(self, now: Floats) -> Ints | None:
        """Return changes (indices of judgments) that reverse the difference; None if not found.

        The search is greedy: each step makes the change that reduces the difference most.
        """
        topic = self.form.changes.rejudged.topic
        order = np.argsort(topic, kind="stable")
        bounds = np.searchsorted(topic[order], np.arange(len(now) + 1))
        states = [
            TopicState(self, order[start:stop], number)
            for number, (start, stop) in enumerate(pairwise(bounds.tolist()))
        ]
        falls = np.array([state.best_fall for state in states])
        ahead, enough, chosen = float(now.sum()), -CANCELLATION * len(now), []
        while ahead >= enough:
            best = int(falls.argmax())
            if falls[best] <= 0:
                return None
            ahead -= falls[best]
            chosen.append(states[best].change())
            falls[best] = states[best].best_fall
        return np.array(chosen, np.int64)


def _single_effects(topic: Ints, rank: Ints, hit: Bools, topics: int) -> Floats:
    """Return, per document, N if this document is relevant minus N if it is not.

    Rows must be sorted by topic and rank. With n relevant documents at better ranks, the difference
    is (n + 1) / rank + Σ 1/rank over the relevant documents at worse ranks.
    """
    start = np.searchsorted(topic, np.arange(topics))[topic]
    inverse = np.where(hit, 1 / rank, 0.0)
    running = np.concatenate([[0.0], np.cumsum(inverse)])
    stop = np.searchsorted(topic, np.arange(topics), side="right")[topic]
    below = running[stop] - running[np.arange(len(rank)) + 1]
    counts = np.concatenate([[0], np.cumsum(hit)])
    above = counts[np.arange(len(rank))] - counts[start]
    return np.asarray((above + 1) / rank + below)


class TopicState:
    """One topic while its judgments are changed one by one.

    All attributes are under the changes made so far. `effect` has the effect of each judgment on
    N_A − N_B, `difference` is N_A − N_B, and `relevant` is the number R of relevant documents. The
    docstring of the module defines N.
    """

    def __init__(self, pair: PairOfRankings, codes: Ints, topic: int) -> None:
        form = pair.form
        self.codes, self.metric = codes, form.metric
        self.inverse_a, self.inverse_b = pair.inverse_a[codes], pair.inverse_b[codes]
        self.effect = pair.effect[codes].copy()
        self.sign = np.where(form.relevant[codes], -1, 1)  # of a change; 0 if not possible
        self.sign[form.target[codes] == form.changes.place[codes]] = 0
        self.difference = float(pair.difference[topic])
        self.relevant = int(form.counts[0][topic])
        self._choose()

    def _value(self, difference: Floats, relevant: Ints) -> Floats:
        score = difference / self.metric.divisor(relevant)
        return np.where(relevant > 0, score, 0.0)

    def _choose(self) -> None:
        after = self.difference + self.sign * self.effect
        now = self._value(np.array(self.difference), np.array(self.relevant))
        falls = now - self._value(after, self.relevant + self.sign)
        falls[self.sign == 0] = 0.0
        self.best = int(falls.argmax()) if len(falls) else -1
        self.best_fall = float(falls[self.best]) if len(falls) else 0.0

    def change(self) -> int:
        """Make the change that reduces the topic's A − B most; return the judgment's index."""
        best, sign = self.best, self.sign[self.best]
        self.difference += float(sign * self.effect[best])
        self.relevant += int(sign)
        self.sign[best] = 0
        pairs = np.minimum(self.inverse_a, self.inverse_a[best])
        pairs = pairs - np.minimum(self.inverse_b, self.inverse_b[best])
        pairs[best] = 0.0
        self.effect += sign * pairs
        self._choose()
        return int(self.codes[best])
