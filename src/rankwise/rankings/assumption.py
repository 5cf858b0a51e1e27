"""Assumptions about unjudged documents, under which bounds and verdicts hold."""

import re
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from rankwise.errors import CallError, did_you_mean
from rankwise.notes import Note, note
from rankwise.rankings.judged import JudgedRankings
from rankwise.vocabulary import Assumption
from rankwise.wording import Argument

UNJUDGED = Argument("unjudged")
KNOWN = "retrieved, own, open, top=K or extra=N"
Basis = Literal["retrieved", "own", "open"]
BASES: tuple[Basis, ...] = get_args(Basis)
# Largest K and N, because some bounds try every number of documents.
MOST = {"top": 1_000_000_000, "extra": 1_000_000}


@dataclass(frozen=True)
class Possible:
    """An assumption about unjudged documents.

    With `retrieved`, unjudged documents can be relevant only if at least one run of the call
    retrieved them; with `own`, only if the run itself retrieved them, so other runs do not change
    its bounds. With `open`, any document can be relevant, and each ranking is the top of a longer
    one. With `top=K`, unjudged documents can be relevant only in the top K of at least one run, as
    in a pool of depth K. With `extra=N`, at most N documents per topic that no run retrieved can
    also be relevant (with `own`, N documents that the run itself did not retrieve).

    >>> Possible.parse("top=100,extra=5")
    Possible(basis='retrieved', top=100, extra=5)
    >>> str(Possible.parse("retrieved,extra=5"))
    'extra=5'
    """

    basis: Basis = "retrieved"
    top: int | None = None
    extra: int = 0

    @classmethod
    def parse(cls, text: str) -> "Possible":
        names, numbers = [], dict[str, int]()
        for part in (part.strip() for part in str(text).split(",")):
            name, equals, value = part.partition("=")
            names.append(name)
            if name in BASES and not equals:
                continue
            if name not in MOST or len(value) >= 20 or not value.isascii() or not value.isdigit():
                raise cls._unknown(text, part)
            numbers[name] = int(value)
            if numbers[name] > MOST[name]:
                raise CallError(UNJUDGED, f" {text!r}: {name} is at most {MOST[name]:,}.")
        if len(names) > len({"basis" if name in BASES else name for name in names}):
            what = f"Use only one of {', '.join(BASES)}, and top and extra only once."
            raise CallError(UNJUDGED, f" {text!r}: an assumption is given twice. {what}")
        basis: Basis = next((name for name in BASES if name in names), "retrieved")
        found = cls(basis, numbers.get("top"), numbers.get("extra", 0))
        if found.top == 0:
            raise CallError(UNJUDGED, f" {text!r}: K in top=K must be 1 or more.")
        if found.basis == "open" and (found.top is not None or found.extra):
            what = "open already allows any document to be relevant. Use open alone."
            raise CallError(UNJUDGED, f" {text!r}: {what}")
        if found.basis == "own" and found.top is not None:
            what = "own is about a single run, but top=K about all runs. Use one of them."
            raise CallError(UNJUDGED, f" {text!r}: {what}")
        return found

    @staticmethod
    def _unknown(text: str, part: str) -> CallError:
        name, known = part.partition("=")[0], [*BASES, *MOST]
        near = "" if name in known else did_you_mean(name, known)
        if told := re.fullmatch(r"(top|extra)[ :@]?(\d+)", part):
            near = f" Did you mean {told[1]}={told[2]}?"
        what = f" {text!r}: {part!r} is not a known assumption. Use {KNOWN}"
        if name in MOST:
            letter, least = ("K", 1) if name == "top" else ("N", 0)
            value = part.partition("=")[2]
            given = f", not {value!r}" if value else f". Write for example {name}=10"
            rule = f"{letter} in {name}={letter} must be a whole number, {least} or more"
            return CallError(UNJUDGED, f" {text!r}: {rule}{given}.")
        numbers = "K and N are whole numbers, for example top=100."
        return CallError(UNJUDGED, f"{what}. {numbers}{near}")

    @classmethod
    def between_runs(cls, text: str) -> "Possible":
        """Parse an assumption for a comparison of runs, in which `own` is an error."""
        found = cls.parse(text)
        if found.basis == "own":
            what = " own applies to a single run, and not to comparisons of runs. "
            raise CallError(UNJUDGED, f"{what}Use retrieved, top=K, extra=N or open.")
        return found

    def __str__(self) -> str:
        given = ["own"] if self.basis == "own" else []
        given += [f"top={self.top}"] if self.top is not None else []
        given += [f"extra={self.extra}"] if self.extra else []
        return ",".join(given) or self.basis

    def words(self) -> str:
        """Return the assumption as a clause for messages about one or several runs.

        >>> Possible.parse("own").words()
        'an unjudged document can be relevant only if the run itself retrieved it'
        """
        if self.basis == "open":
            longer = "that each ranking can continue below its last document"
            return f"any unjudged document can be relevant, and {longer}"
        condition = "at least one of the given runs retrieved it"
        if self.basis == "own":
            condition = "the run itself retrieved it"
        elif self.top is not None:
            condition = f"at least one of the given runs has it in its top {self.top}"
        more = f", apart from at most {self.extra} other documents per topic" if self.extra else ""
        return f"an unjudged document can be relevant only if {condition}{more}"

    @property
    def of_rankings(self) -> Assumption:
        """The assumption for the bounds of each ranking: `open`, or `retrieved` for all others."""
        return "open" if self.basis == "open" else "retrieved"

    def applied(self, judged: JudgedRankings) -> JudgedRankings:
        """Return the rankings under this assumption.

        With `top`, unjudged documents that no run has in its top K get the grade −1: they have no
        gain, and bounds do not treat them as unjudged. `judged.retrieved` must then be set. `extra`
        is stored in the rankings. Other assumptions do not change the rankings.
        """
        if self.top is None:
            return replace(judged, extra=self.extra) if self.extra else judged
        from rankwise.rankings.rejudge import Rows, add_rows

        retrieved = judged.retrieved
        assert retrieved is not None
        unjudged = retrieved.unjudged
        best = np.full(retrieved.codes, np.iinfo(np.int64).max)
        np.minimum.at(best, unjudged.code, unjudged.rank)
        fixed = unjudged.only(best[unjudged.code] > self.top)
        ranking, unusable = fixed.ranking(len(judged.topics)), np.full(len(fixed.rank), -1)
        places = (fixed.rank, fixed.tie_first, fixed.tie_last)
        rank, first, last = (column.astype(np.int64) for column in places)
        rows = Rows(ranking, rank, unusable, first, last)
        known = retrieved.with_judged(np.unique(fixed.code))
        return replace(add_rows(judged, rows), retrieved=known, extra=self.extra)


def assumed(text: str) -> str:
    """Return an assumption as a clause for messages.

    >>> assumed("retrieved")
    'an unjudged document can be relevant only if at least one of the given runs retrieved it'
    """
    return Possible.parse(text).words()


def assumption_note(unjudged: str) -> Note:
    """Return the note on the assumption under which bounds hold.

    >>> print(assumption_note("own"))
    bounds assume that an unjudged document can be relevant only if the run itself retrieved it
    """
    return note("assumption", f"bounds assume that {assumed(unjudged)}")
