"""Preference judgments: pairs of documents of a topic, one of them preferred.

Preferences give an order, not grades. In a pair, the document with more votes is preferred. A pair
with equal votes or without votes is decided by a chain of preferences, if a chain leads from one
document to the other and no chain leads back. All other pairs are undecided. In formats without
preferences, Bradley–Terry grades are written: one number per document, fitted to wins and losses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankwise.arrays import Bools, Floats, Ints
from rankwise.errors import CallError
from rankwise.lazy import pl
from rankwise.notes import Note, note
from rankwise.wording import Count

if TYPE_CHECKING:
    from rankwise.rankings.judged import JudgedRankings

PRIOR = 0.5  # prior wins, and as many losses, of each document against an average one
STEPS, TOLERANCE, DIGITS = 200, 1e-10, 4  # of the Bradley–Terry grades


@dataclass(frozen=True, eq=False, repr=False)
class Preferences:
    """Preference judgments of all topics, in columns.

    `votes` has columns topic, winner, loser and count: how often the winner was preferred to the
    loser. `pairs` has the topic, winner and loser of each decided pair.

    `documents` has one row per document. `grade` is the level of the document in the ideal ranking,
    highest at the top. `above` is the number of documents that are preferred to the document,
    directly or through a chain. `below` is the number of documents in the ideal ranking to which
    the document is preferred. Both ignore members of the same cycle. `in_cycle` is True for members
    of a cycle. `may_win` is True if the document has no win, and an undecided pair that it may win.
    """

    votes: pl.DataFrame
    pairs: pl.DataFrame
    documents: pl.DataFrame

    @classmethod
    def of(cls, votes: pl.DataFrame) -> Preferences:
        """Build the preferences from votes: decide pairs, and order the documents of each topic."""
        votes = votes.group_by("topic", "winner", "loser", maintain_order=True).agg(
            pl.col("count").sum()
        )
        by_topic = votes.partition_by("topic", as_dict=True, maintain_order=True).items()
        ordered = [order_documents(str(topic), rows) for (topic,), rows in by_topic]
        return cls(votes, *(pl.concat(parts) for parts in zip(*ordered, strict=True)))

    def of_topics(self, frame: pl.DataFrame) -> Preferences:
        """Return the preferences of the topics that occur in a frame."""
        parts = (self.votes, self.pairs, self.documents)
        return Preferences(*(part.join(frame, on="topic", how="semi") for part in parts))

    def notes(self, source: str) -> tuple[Note, ...]:
        """Return notes on the number of undecided pairs and on contradictions."""
        sizes = self.documents.group_by("topic").len()["len"].to_numpy().astype(np.int64)
        every = int((sizes * (sizes - 1) // 2).sum())
        topics = Count(len(sizes), "topic")
        documents = Count(self.documents.height, "document")
        open_pairs = every - self.pairs.height
        text = (
            f". For {open_pairs:,} of {every:,} pairs of documents, the preferences do not decide "
            "which document is better"
        )
        about = note("preferences", "has preferences between ", documents, " in ", topics, text)
        notes = [replace(about, source=source)]
        other = self.votes.rename({"winner": "loser", "loser": "winner", "count": "against"})
        both = self.votes.join(other, on=["topic", "winner", "loser"]).filter(
            pl.col("winner") < pl.col("loser"), pl.col("count") + pl.col("against") > 0
        )
        if both.height:
            pairs = Count(both.height, "pair of documents has", "pairs of documents have")
            ties = Count(both.filter(pl.col("count") == pl.col("against")).height, "tie")
            text = f" votes for both documents; the document with more votes is preferred ({ties})"
            notes.append(note("preferences-both-ways", pairs, text, source=source))
        cyclic = int(self.documents["in_cycle"].sum())
        if cyclic:
            members = Count(cyclic, "document is", "documents are")
            text = (
                " in cycles of preferences (such as a over b, b over c, c over a). Compat orders "
                "the documents of a cycle by their number of wins within the cycle"
            )
            notes.append(note("preferences-in-cycles", members, text, source=source))
        return tuple(notes)


def order_documents(topic: str, votes: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the decided pairs and the documents of one topic, as in `Preferences`.

    Documents are ordered by the number of documents to which they are preferred, directly or
    through a chain. Documents of a cycle are ordered by the number of its members that they beat
    directly. The level is the position in this order, counted from the bottom; ties share a level.
    If all pairs are decided, this is the order by wins of Clarke, Vtyurina and Smucker (ACM TOIS
    39(3), 2021). As in their paper, documents without a win are not in the ideal ranking; their
    level is 0.
    """
    names = pl.concat([votes["winner"], votes["loser"]]).unique(maintain_order=True)
    number = {name: at for at, name in enumerate(names)}
    balance = np.zeros((len(names), len(names)))
    winner, loser = (np.array([number[n] for n in votes[c]], np.int64) for c in ("winner", "loser"))
    balance[winner, loser] += votes["count"].to_numpy()
    beats = balance > balance.T
    reach = reachable(beats)
    in_chain, in_cycle = reach & ~reach.T, reach & reach.T
    wins_in_cycle = (beats & in_cycle).sum(axis=1)
    keys = np.stack([reach.sum(axis=1), wins_in_cycle], axis=1)
    _, level = np.unique(np.vstack([np.zeros((1, 2), np.int64), keys]), axis=0, return_inverse=True)
    grade = level.ravel()[1:]
    above = in_chain.sum(axis=0)
    documents = pl.DataFrame(
        {
            "topic": pl.repeat(topic, len(names), eager=True),
            "document": names,
            "grade": pl.Series(grade, dtype=pl.Int32),
            "above": above,
            "below": (in_chain & (grade > 0)).sum(axis=1),
            "may_win": (grade == 0) & (above < len(names) - 1),
            "in_cycle": in_cycle.any(axis=1),
        }
    )
    first, second = np.nonzero(beats | in_chain)
    topics = pl.repeat(topic, len(first), eager=True)
    pairs = {"topic": topics, "winner": names.gather(first), "loser": names.gather(second)}
    return pl.DataFrame(pairs), documents


def reachable(beats: Bools) -> Bools:
    """Return a matrix: `[i, j]` is True if a chain of preferences leads from i to j ≠ i."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    graph, found = csr_matrix(beats), np.zeros_like(beats)
    for start in range(len(beats)):
        found[start, breadth_first_order(graph, start, return_predecessors=False)] = True
        found[start, start] = False
    return found


@dataclass(frozen=True, eq=False, repr=False)
class NumberedPreferences:
    """Preferences with documents identified by the index of their judgment (see JudgedRankings).

    `winner` and `loser` have the decided pairs, sorted by topic. `pair_start` has the first pair of
    each topic, followed by the number of pairs. `undecided` has the number of undecided pairs of
    each topic. Per document, `earliest` is its best possible rank in the ideal ranking; `below` and
    `may_win` are as in `Preferences`.
    """

    winner: Ints
    loser: Ints
    pair_start: Ints
    undecided: Ints
    earliest: Ints
    below: Ints
    may_win: Bools

    @classmethod
    def of(
        cls, preferences: Preferences, judged: pl.DataFrame, topics: tuple[str, ...]
    ) -> NumberedPreferences:
        """Number the documents of preferences; `judged` has the judgments in order of index."""
        code = pl.DataFrame({"topic": topics}).with_row_index("code")
        numbered = (
            judged.select("topic", "document").with_row_index("judgment").join(code, on="topic")
        )
        about = numbered.join(
            preferences.documents, on=["topic", "document"], how="left", maintain_order="left"
        ).with_columns(pl.col("above", "below").fill_null(0), pl.col("may_win").fill_null(False))
        winners = numbered.rename({"document": "winner", "judgment": "first"})
        losers = numbered.select(
            "topic", pl.col("document").alias("loser"), pl.col("judgment").alias("second")
        )
        pairs = (
            preferences.pairs.join(winners, on=["topic", "winner"])
            .join(losers, on=["topic", "loser"])
            .sort("code", "first", "second")
        )
        count = np.bincount(pairs["code"].to_numpy(), minlength=len(topics))
        size = np.bincount(numbered["code"].to_numpy(), minlength=len(topics))
        return cls(
            pairs["first"].to_numpy().astype(np.int64),
            pairs["second"].to_numpy().astype(np.int64),
            np.concatenate([[0], np.cumsum(count)]).astype(np.int64),
            size * (size - 1) // 2 - count,
            about["above"].to_numpy().astype(np.int64) + 1,
            about["below"].to_numpy().astype(np.int64),
            about["may_win"].to_numpy().astype(np.bool_),
        )


def preferences_of(judged: JudgedRankings) -> tuple[NumberedPreferences, Ints]:
    """Return the preferences, and the index of the judgment of each row (judged document).

    It is an error if the rankings do not have both.
    """
    found, judgment = judged.preferences, judged.judgment
    if found is None or judgment is None or len(found.earliest) != len(judged.topic_grades):
        raise CallError(
            "the judgments are preferences, and grades are needed here. Convert the judgments: "
            "rankwise convert prefs.csv graded.qrels."
        )
    return found, judgment


class PairCounts(NamedTuple):
    """Numbers of pairs for each ranking. A pair is two documents, one of them preferred."""

    agreed: Floats  # the preferred document is ranked higher, or only this document is retrieved
    missing: Floats  # neither document is retrieved
    decided: Floats
    undecided: Floats  # pairs that further judgments may decide


def pair_counts(judged: JudgedRankings) -> PairCounts:
    """Count pairs per ranking.

    If the judgments are grades, the document of a pair with the higher grade is preferred. Pairs
    with a negative grade are ignored.
    """
    if judged.preferences is None:
        return _pairs_of_grades(judged)
    preferences, judgment = preferences_of(judged)
    agreed, missing = np.zeros(judged.count), np.zeros(judged.count)
    numbered = judgment >= 0
    row_start = np.searchsorted(judged.ranking[numbered], np.arange(judged.count + 1))
    judgments, ranks = judgment[numbered], judged.rank[numbered]
    not_retrieved = int(ranks.max(initial=0)) + 1
    rank_of = np.full(len(preferences.earliest), not_retrieved)
    for ranking, topic in enumerate(judged.topic):
        rows = slice(row_start[ranking], row_start[ranking + 1])
        rank_of[judgments[rows]] = ranks[rows]
        pairs = slice(preferences.pair_start[topic], preferences.pair_start[topic + 1])
        winner, loser = rank_of[preferences.winner[pairs]], rank_of[preferences.loser[pairs]]
        agreed[ranking] = np.count_nonzero(winner < loser)
        missing[ranking] = np.count_nonzero(np.minimum(winner, loser) == not_retrieved)
        rank_of[judgments[rows]] = not_retrieved
    decided = np.diff(preferences.pair_start)[judged.topic].astype(np.float64)
    return PairCounts(
        agreed, missing, decided, preferences.undecided[judged.topic].astype(np.float64)
    )


def _pairs_of_grades(judged: JudgedRankings) -> PairCounts:
    """Count pairs of documents with different grades; ignore negative grades."""
    agreed, missing, decided = (np.zeros(judged.count) for _ in range(3))
    grades = judged.keep_of_topics("grades seen", lambda: np.unique(judged.topic_grades))
    for grade in grades[grades > 0].tolist():
        here, lower = judged.grade == grade, (judged.grade >= 0) & (judged.grade < grade)
        found, found_lower = judged.total(here), judged.total(lower)
        every, every_lower = judged.judged_count(grade, grade + 1), judged.judged_count(0, grade)
        agreed += judged.total(here * (every_lower[judged.ranking] - judged.running(lower)))
        missing += (every - found) * (every_lower - found_lower)
        decided += every * every_lower
    new = judged.unjudged_count + judged.unjudged_below
    return PairCounts(agreed, missing, decided, new * judged.judged_count(0) + new * (new - 1) / 2)


def bradley_terry(
    winner: Ints, loser: Ints, count: Floats, documents: int, prior: float = PRIOR
) -> Floats:
    """Return the log strength θ of each document: P(i is preferred to j) = 1 / (1 + e^(θj − θi)).

    With P(i, j) for this probability, Newton's method maximises Σ count log P(winner, loser) +
    prior Σ (log P(i, 0) + log P(0, i)), where 0 is an average document with θ = 0.

    Without a prior, θ is infinite for a document that never loses or never wins. It is also not
    unique if groups of documents were never compared with each other (Hunter, Annals of Statistics
    32(1), 2004). With the prior, which is from Whelan (arXiv:1712.05311, 2017), the function is
    strictly concave.
    """
    from scipy.sparse import coo_matrix, diags
    from scipy.sparse.linalg import spsolve

    def value(strength: Floats) -> float:
        lost = np.logaddexp(0, strength[loser] - strength[winner])
        own = np.logaddexp(0, strength) + np.logaddexp(0, -strength)
        return float(-(count * lost).sum() - prior * own.sum())

    strength = np.zeros(documents)
    for _ in range(STEPS):
        against = count * _logistic(strength[loser] - strength[winner])
        own = _logistic(strength)
        slope = prior * (1 - 2 * own) + np.bincount(winner, against, documents)
        slope = slope - np.bincount(loser, against, documents)
        if np.abs(slope).max(initial=0) < TOLERANCE:
            break
        weight = against * _logistic(strength[winner] - strength[loser])
        curve = np.bincount(winner, weight, documents) + np.bincount(loser, weight, documents)
        pairs = coo_matrix((weight, (winner, loser)), shape=(documents, documents))
        matrix = diags(curve + 2 * prior * own * (1 - own)) - pairs - pairs.T
        step, now = spsolve(matrix.tocsc(), slope), value(strength)
        while value(strength + step) < now and np.abs(step).max() > TOLERANCE:
            step = step / 2
        strength = strength + step
    return strength


def _logistic(x: Floats) -> Floats:
    return np.exp(-np.logaddexp(0, -x))


def bradley_terry_grades(preferences: Preferences) -> pl.DataFrame:
    """Return a grade for each document: the probability that it is preferred to another document.

    The probability is a mean over all other documents of the topic that have preferences.
    """
    documents = preferences.documents.select("topic", "document")
    number = documents.with_row_index("number")
    votes = preferences.votes.filter(pl.col("count") > 0)
    winner, loser = (
        votes.join(
            number.rename({"document": role}), on=["topic", role], how="left", maintain_order="left"
        )["number"]
        .to_numpy()
        .astype(np.int64)
        for role in ("winner", "loser")
    )
    strength = bradley_terry(winner, loser, votes["count"].to_numpy(), documents.height)
    grade, start = np.zeros(documents.height), 0
    for size in documents["topic"].rle().struct.field("len"):
        own = strength[start : start + size]
        chance = _logistic(own[:, None] - own).sum(axis=1) - 0.5  # excludes the document itself
        grade[start : start + size] = chance / max(size - 1, 1)
        start += size
    return documents.with_columns(grade=pl.Series(grade.round(DIGITS)))
