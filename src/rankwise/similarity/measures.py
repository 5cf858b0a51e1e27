"""Similarity measures of two runs, such as RBO, by name, for all topics and pairs of runs."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError, did_you_mean
from rankwise.rankings import JudgedRankings
from rankwise.stats import (
    SharedItems,
    TiedRankings,
    overlap_weights,
    overlaps_of_sums,
    pair_sums,
    rank_biased_alignment,
    rank_biased_recall,
    tau_of_union,
    tied_overlaps,
)
from rankwise.threads import map_in_threads
from rankwise.vocabulary import TieTreatment

Codes = npt.NDArray[np.int32]

AT_A_TIME = 1 << 19  # number of documents of a run in a block, so that a block fits the cache


@dataclass(frozen=True, eq=False, repr=False)
class Lists:
    """The documents of all rankings of all runs, concatenated in rank order.

    A code is the number of a document of a topic, from 0 to `codes` − 1. The ranking of a run for a
    topic has the index i = run × topics + topic. `code[start[i] : start[i + 1]]` has its documents.
    `tie_first` and `tie_last` have the first and the last rank of each document's tie group.
    """

    runs: int
    topics: int
    codes: int
    start: Ints
    code: Codes
    tie_first: Codes
    tie_last: Codes

    @classmethod
    def of(cls, judged: JudgedRankings) -> "Lists":
        """Build from judged rankings that list all retrieved documents, down to their depth."""
        judged = judged.cut_to_depth()
        rows = judged.retrieved
        assert rows is not None
        topics, length = len(judged.topics), judged.length
        start = np.concatenate([[0], np.cumsum(length)])
        place = start[rows.ranking(topics)]
        place += rows.rank
        place -= 1
        columns = [np.empty(int(start[-1]), np.int32) for _ in range(3)]
        for column, values in zip(columns, (rows.code, rows.tie_first, rows.tie_last), strict=True):
            column[place] = values
        # A tie group may continue below the depth.
        np.minimum(columns[2], np.repeat(length.astype(np.int32), length), out=columns[2])
        return cls(len(judged.runs), topics, rows.codes, start, *columns)

    @property
    def length(self) -> Ints:
        """The number of documents of each ranking, runs × topics."""
        return np.diff(self.start).reshape(self.runs, self.topics)

    def blocks(self) -> list[range]:
        """Split the topics into blocks; the rankings of a run in one block fit the cache."""
        per_topic = len(self.code) / max(1, self.runs * self.topics)
        step = max(1, int(AT_A_TIME / max(1.0, per_topic)))
        return [range(at, min(at + step, self.topics)) for at in range(0, self.topics, step)]

    def of_run(self, run: int, topics: range) -> slice:
        """Return the slice of `code` with the rankings of a run for consecutive topics."""
        ends = (run * self.topics + topics.start, run * self.topics + topics.stop)
        return slice(*(int(self.start[at]) for at in ends))

    @cached_property
    def rank(self) -> Codes:
        """The rank of each entry of `code`."""
        rank = np.arange(1, len(self.code) + 1, dtype=np.int32)
        rank -= np.repeat(self.start[:-1].astype(np.int32), np.diff(self.start))
        return rank

    def rankings(self, *, ties: bool) -> TiedRankings:
        """Return the tie groups of all rankings; without `ties`, each document is its own group."""
        if ties:
            return TiedRankings(self.start, self.tie_first, self.tie_last)
        return TiedRankings(self.start, self.rank, self.rank)

    def shared_with(self, first: int, others: Ints, topics: range) -> Iterator[SharedItems]:
        """Yield, for each run of `others`, the documents that the run `first` shares with it.

        Only consecutive `topics` are used. `pair` is the index of the topic in `topics`. Rows are
        sorted by topic, then by rank in the other run.
        """
        rank_of = np.zeros(self.codes, np.int32)
        own = self.of_run(first, topics)
        rank_of[self.code[own]] = self.rank[own]
        for other in others.tolist():
            here = self.of_run(other, topics)
            rank_a = rank_of[self.code[here]]
            both = np.flatnonzero(rank_a)
            start = other * self.topics + topics.start
            length = np.diff(self.start[start : start + len(topics) + 1])
            topic = np.repeat(np.arange(len(topics)), length)
            yield SharedItems(topic[both], rank_a[both], self.rank[here][both])


AT_DEPTH = ("overlap", "Jaccard", "changed")
WHOLE = ("RBO", "RBA", "RBR", "KTU")


@dataclass(frozen=True)
class Measure:
    """A similarity measure. Measures such as overlap@10 use only the first `depth` documents."""

    name: str
    depth: int | None = None

    def __str__(self) -> str:
        return self.name if self.depth is None else f"{self.name}@{self.depth}"

    @classmethod
    def parse(cls, text: str) -> "Measure":
        """Parse the name of a measure, such as `RBO` or `overlap@10`."""
        match = re.fullmatch(r"([A-Za-z]+)(?:@([1-9][0-9]{0,8}))?", text.strip())
        before, at, depth = text.strip().partition("@")
        names = {name.lower(): name for name in (*WHOLE, *AT_DEPTH)}
        name = names.get(match[1].lower()) if match else None
        if match is None and at and (named := names.get(before.lower())) in AT_DEPTH:
            what = f"k in {named}@k must be a whole number, 1 or more, not {depth!r}."
            raise CallError(f"measure {text!r}: {what}")
        if match is None or name is None:
            known = [*WHOLE, *(f"{name}@k" for name in AT_DEPTH)]
            near = did_you_mean(text, known)
            raise CallError(f"unknown measure {text!r}. Measures: {', '.join(known)}.{near}")
        if (name in AT_DEPTH) != (match[2] is not None):
            needs = "needs a depth, as in" if name in AT_DEPTH else "takes no depth:"
            example = f"{name}@10" if name in AT_DEPTH else name
            raise CallError(f"measure {text!r}: {name} {needs} {example}.")
        return cls(name, None if match[2] is None else int(match[2]))


@dataclass(frozen=True, eq=False)
class Similarity:
    """Values of a measure, pairs of runs × topics; RBO, RBA and RBR also have bounds.

    The value is NaN if neither run has the topic. If only one run has the topic, the value is that
    of completely different rankings: 0, or 1 for `changed`. KTU is NaN in both cases, and if the
    rankings share no document or one of them has a single document.
    """

    value: Floats
    low: Floats | None = None
    high: Floats | None = None

    def of_topics(self, keep: Bools) -> "Similarity":
        """Return the values and bounds on the topics for which the mask `keep` is True."""
        ends = (None if end is None else end[:, keep] for end in (self.low, self.high))
        return Similarity(self.value[:, keep], *ends)


@dataclass(frozen=True, eq=False)
class PairOfRuns:
    """Two runs A and B on some topics: lengths of the rankings, and shared documents."""

    rankings: TiedRankings
    a: Ints  # for each topic, the index of A's ranking in `rankings`
    b: Ints
    length_a: Ints
    length_b: Ints
    shared: SharedItems
    p: float
    ties: TieTreatment

    def filled(self, values: Floats) -> Floats:
        """Return one value per topic, given the values of the topics that are in both runs.

        The value is 0 for a topic that only one run has, and NaN for a topic that neither run has.
        """
        filled = np.full(len(self.length_a), np.nan)
        filled[(self.length_a > 0) | (self.length_b > 0)] = 0.0
        filled[self.in_both_runs] = values
        return filled

    @cached_property
    def in_both_runs(self) -> Ints:
        """Indices of the topics that both runs have."""
        return np.flatnonzero((self.length_a > 0) & (self.length_b > 0))

    @cached_property
    def larger(self) -> npt.NDArray[np.integer]:
        """The larger of the two ranks of each shared document."""
        return np.maximum(self.shared.rank_a, self.shared.rank_b)

    def within(self, depth: int) -> Ints:
        """Return, per topic, the number of documents in the top `depth` of both rankings."""
        return np.bincount(self.shared.pair[self.larger <= depth], minlength=len(self.length_a))

    @cached_property
    def same_ranks(self) -> Ints:
        """For each topic, the number of top ranks before the first difference of the rankings."""
        topic, rank_a, rank_b = self.shared
        same = rank_a == rank_b  # in order of topic, then of rank
        topic, rank = topic[same], rank_b[same]
        count = np.bincount(topic, minlength=len(self.length_a))
        place = np.arange(1, len(topic) + 1) - (np.cumsum(count) - count)[topic]
        return np.bincount(topic[rank == place], minlength=len(self.length_a))


def _rbo(pair: PairOfRuns) -> Similarity:
    topics = pair.in_both_runs
    short, long = (side(pair.length_a, pair.length_b)[topics] for side in (np.minimum, np.maximum))
    if pair.ties != "name":
        number = np.zeros(len(pair.length_a), np.int64)
        number[topics] = np.arange(len(topics))
        shared = pair.shared._replace(pair=number[pair.shared.pair])
        a, b = pair.a[topics], pair.b[topics]
        overlap = tied_overlaps(pair.rankings, a, b, shared, pair.p, pair.ties)
    else:
        topic = pair.shared.pair
        larger, count = pair.larger, len(pair.length_a)
        weights = overlap_weights(pair.p, int(long.max(initial=1)))
        low = pair_sums(topic, weights[larger], count)[topics]
        both = np.bincount(topic, minlength=count)[topics]
        at_short = both
        if (short != long).any():
            end = np.minimum(pair.length_a, pair.length_b)
            at_short = np.bincount(topic[larger <= end[topic]], minlength=count)[topics]
        overlap = overlaps_of_sums(low, both, at_short, short, long, pair.p)
    columns = (overlap.extrapolated, overlap.low, overlap.low + overlap.residual)
    return Similarity(*(pair.filled(column) for column in columns))


def computed(measure: Measure, pair: PairOfRuns) -> Similarity:
    """Return the values of a similarity measure of two runs, one per topic.

    `overlap@k` is the number of documents in the first k of both rankings, divided by k or, if both
    rankings are shorter, by the length of the longer ranking. `Jaccard@k` divides this number by
    the number of documents in the first k of at least one ranking. `changed@k` is 1 for topics on
    which the first k documents or their order differ, and 0 for all other topics.
    """
    if measure.depth is not None:
        tops = [np.minimum(length, measure.depth) for length in (pair.length_a, pair.length_b)]
        longer = np.maximum(*tops)
        if measure.name == "changed":
            changed = (pair.same_ranks < longer).astype(np.float64)
            return Similarity(np.where(longer > 0, changed, np.nan))
        both = pair.within(measure.depth)
        divisor = longer if measure.name == "overlap" else tops[0] + tops[1] - both
        return Similarity(both / np.where(divisor, divisor, np.nan))
    if measure.name == "RBO":
        return _rbo(pair)
    if measure.name == "KTU":
        # NaN without a shared document, or if a ranking has fewer than two documents.
        return Similarity(tau_of_union(pair.length_a, pair.length_b, pair.shared))
    align = rank_biased_alignment if measure.name == "RBA" else rank_biased_recall
    bounds = align(pair.rankings, pair.a, pair.b, pair.shared, pair.p)
    low, high = (pair.filled(end[pair.in_both_runs]) for end in bounds)
    return Similarity(low, low, high)


def similarities(
    lists: Lists,
    first: Ints,
    second: Ints,
    measures: Sequence[Measure],
    p: float,
    ties: TieTreatment,
) -> tuple[dict[str, Similarity], Ints]:
    """Return the values of each measure by name, and the number of identical ranks at the top.

    `first` and `second` have the indices of the runs of each pair. All arrays have the shape pairs
    × topics. The work is split by first run and block of topics, and the blocks run in parallel, so
    that long runs need little additional memory.
    """
    needs_ranks = ties != "name" or any(measure.name in ("RBA", "RBR") for measure in measures)
    none = np.zeros(0, np.int64)
    rankings = lists.rankings(ties=ties != "name") if needs_ranks else None
    shape, length = (len(first), lists.topics), lists.length
    tables, same = np.full((len(measures), 3, *shape), np.nan), np.zeros(shape, np.int64)
    has_bounds = np.zeros(len(measures), np.bool_)
    blocks = [(run, topics) for run in np.unique(first).tolist() for topics in lists.blocks()]
    # Several blocks are computed in parallel. With a single block, its measures are.
    apply = map_in_threads if len(blocks) == 1 else map

    def of_block(block: tuple[int, range]) -> None:
        run, topics = block
        rows = np.flatnonzero(first == run).tolist()
        at, numbers = slice(topics.start, topics.stop), np.arange(topics.start, topics.stop)
        for row, shared in zip(rows, lists.shared_with(run, second[rows], topics), strict=True):
            other = int(second[row])
            pair = PairOfRuns(
                rankings or TiedRankings(none, none, none),
                run * lists.topics + numbers,
                other * lists.topics + numbers,
                length[run, at],
                length[other, at],
                shared,
                p,
                ties,
            )
            same[row, at] = pair.same_ranks
            for place, one in enumerate(apply(partial(computed, pair=pair), measures)):
                tables[place, 0, row, at] = one.value
                if one.low is not None:
                    has_bounds[place] = True
                    tables[place, 1:, row, at] = one.low, one.high

    deque(map_in_threads(of_block, blocks), maxlen=0)
    ends = (table if has else table[:1] for table, has in zip(tables, has_bounds, strict=True))
    return {str(m): Similarity(*table) for m, table in zip(measures, ends, strict=True)}, same
