"""All documents that runs retrieved, judged or not, each with a code that the runs share.

Scores need only the ranks of judged documents. What two runs have in common, and what to
judge next, needs to know which documents they are: only who asks for this table pays for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from rankwise.arrays import Bools, Ints
from rankwise.lazy import pl

ROW_COLUMNS = ("run", "topic", "code", "rank", "tie_first", "tie_last")
UNJUDGED = -1  # in place of the number of a judgment


class RetrievedByRun(NamedTuple):
    """What one run retrieved, in any order; `unjudged` has the names of what is not judged."""

    topic: Ints
    judgment: Ints
    unjudged: pl.Series
    rank: Ints
    tie_first: Ints
    tie_last: Ints


@dataclass(frozen=True, eq=False)
class Retrieved:
    """A row for each document of each ranking, by code, then run.

    `run` and `topic` are numbers; `rank`, `tie_first` and `tie_last` are as in
    JudgedRankings. A document of a topic has one `code` in all runs: if it is judged the
    number of its judgment, which is below `judgments`, and from there on in order of topic
    and name. `names` has the name for each code, also for those judged documents that no
    run retrieved. A part of the rows has the codes and names of the whole.
    """

    run: Ints = field(repr=False)
    topic: Ints = field(repr=False)
    code: Ints = field(repr=False)
    rank: Ints = field(repr=False)
    tie_first: Ints = field(repr=False)
    tie_last: Ints = field(repr=False)
    names: pl.Series = field(repr=False)
    judgments: int

    @property
    def codes(self) -> int:
        """How many codes there are, over all topics."""
        return len(self.names)

    @property
    def unjudged(self) -> Retrieved:
        """Only the rows of unjudged documents. They are the last: nothing is copied."""
        return self._only(slice(int(np.searchsorted(self.code, self.judgments)), None))

    def above(self, depth: int) -> Retrieved:
        """Only the rows down to this depth."""
        return self if self.rank.max(initial=0) <= depth else self._only(self.rank <= depth)

    def _only(self, rows: slice | Bools) -> Retrieved:
        return replace(self, **{name: getattr(self, name)[rows] for name in ROW_COLUMNS})

    def ranking(self, topics: int) -> Ints:
        """The number of each row's ranking, there being so many topics; see JudgedRankings."""
        return self.run * topics + self.topic

    @classmethod
    def of(cls, judged: pl.Series, runs: Sequence[RetrievedByRun]) -> Retrieved:
        """What all runs retrieved; `judged` has the names of the judged documents, by number."""

        def column(name: str) -> Ints:
            return np.concatenate([getattr(run, name) for run in runs])

        distinct, name = _numbered(pl.concat([run.unjudged for run in runs]))
        first, width = len(judged), max(1, len(distinct))
        key = column("judgment")
        unjudged = key == UNJUDGED
        key[unjudged] = first + column("topic")[unjudged] * width + name
        order = np.argsort(key, kind="stable")  # runs stay in order
        code = key[order]
        rest = code[np.searchsorted(code, first) :]
        new = np.diff(rest, prepend=-1) > 0
        names = pl.concat([judged, distinct.gather((rest[new] - first) % width)])
        rest[:] = first + np.cumsum(new) - 1
        run = np.repeat(np.arange(len(runs)), [len(run.topic) for run in runs])[order]
        places = {name: column(name)[order] for name in ("topic", "rank", "tie_first", "tie_last")}
        return cls(run=run, code=code, names=names, judgments=first, **places)


def _numbered(names: pl.Series) -> tuple[pl.Series, Ints]:
    """The distinct names in order, and which of them each is.

    Names are compared, not hashes of them: an Enum numbers what is equal alike.
    """
    distinct = names.unique().sort()
    return distinct, names.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.int64)
