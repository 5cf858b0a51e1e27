"""Shards: rankings and judgments, restricted to a random subset of the documents."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from rankwise.arrays import Bools, Ints, Shorts
from rankwise.rankings import JudgedRankings, Rejudged

SHARES = (0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True, eq=False)
class Sharding:
    """Rankings with all retrieved documents, to be restricted to a subset of the documents.

    A code is the number of a pair of a topic and a document. `document` has the number of the
    document of each code, and `topic` the number of its topic. A shard has a document for all
    topics or for none. `code` has the codes of all rankings, concatenated. `start` has the first
    index of each ranking in `code`, and then the end of the last ranking.
    """

    rejudged: Rejudged
    document: Ints = field(repr=False)
    documents: int
    topic: Ints = field(repr=False)
    code: Shorts = field(repr=False)
    start: Ints = field(repr=False)

    @classmethod
    def of(cls, judged: JudgedRankings) -> "Sharding":
        table = judged.retrieved
        assert table is not None
        distinct = table.names.unique().sort()  # so that the order of files cannot change a shard
        document = table.names.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int64)
        topic = np.zeros(table.codes, np.int64)
        topic[table.code] = table.topic
        start = np.concatenate([[0], np.cumsum(judged.length)])
        code = np.empty(len(table.code), np.int32)
        code[start[table.ranking(len(judged.topics))] + table.rank - 1] = table.code
        rejudged = Rejudged.of(replace(judged, retrieved=None))
        return cls(rejudged, document, len(distinct), topic, code, start)

    def drawn(self, share: float, seed: int) -> Bools:
        """Return a mask, by code, of a random fraction of the documents.

        With the same seed, a smaller fraction is a subset of a larger one.
        """
        place = np.random.default_rng(seed).permutation(self.documents)
        return np.asarray((place < share * self.documents)[self.document])

    def blocks(self, kept: Bools, depth: int | None, runs: int | None) -> Iterator[JudgedRankings]:
        """Yield the rankings of a subset of the documents, for a few runs (None: all) at a time.

        Ranks are renumbered without gaps, and rankings end at `depth`.
        """
        judged, topics = self.rejudged.judged, len(self.rejudged.judged.topics)
        assert judged.judgment is not None
        of_judged = kept[: len(judged.topic_grades)]
        every = self.rejudged.where_places(np.zeros(0, np.int64)).keep(of_judged)
        every = replace(every, topic_unjudged=self._unjudged(kept, depth))
        runs = runs or len(judged.runs)
        for first in range(0, len(judged.runs), runs):
            names = judged.runs[first : first + runs]
            here = slice(first * topics, (first + len(names)) * topics)
            start = self.start[here.start : here.stop + 1]
            above = _kept_above(kept[self.code[start[0] : start[-1]]])
            start = start - start[0]
            length = np.diff(above[start])
            rows = slice(*np.searchsorted(judged.ranking, [here.start, here.stop]))
            ranking = judged.ranking[rows] - here.start
            # The rank in the shard is the number of documents kept from the top to here.
            top = start[ranking]
            rank = above[top + judged.rank[rows]] - above[top]
            seen = of_judged[judged.judgment[rows]]
            if depth is not None:
                seen &= rank <= depth
                length = np.minimum(length, depth)
            places = np.flatnonzero(seen)
            ranking, top = ranking[places], top[places]
            places += rows.start
            yield replace(
                every,
                runs=names,
                ranking=ranking,
                rank=rank[seen],
                grade=judged.grade[places],
                tie_first=above[top + judged.tie_first[places] - 1] - above[top] + 1,
                tie_last=above[top + judged.tie_last[places]] - above[top],
                length=length,
                present=judged.present[here],
                topic=judged.topic[here],
            )

    def _unjudged(self, kept: Bools, depth: int | None) -> Ints:
        """Return the number of unjudged documents per topic in the rankings of the shard."""
        judged = self.rejudged.judged
        in_some = kept.copy()
        if depth is not None:
            places = kept[self.code]
            above = _kept_above(places)
            top = np.repeat(above[self.start[:-1]], np.diff(self.start))
            in_some[:] = False
            in_some[self.code[places & (above[1:] - top <= depth)]] = True
        unjudged = slice(len(judged.topic_grades), None)
        return np.bincount(self.topic[unjudged][in_some[unjudged]], minlength=len(judged.topics))


def _kept_above(kept: Bools) -> Ints:
    """Return the number of kept entries before each entry, followed by the total."""
    return np.concatenate([[0], np.cumsum(kept)])
