"""What can go wrong, as a tree.

RankwiseError            everything that rankwise raises on purpose
├── InputError           a file, frame or dict that cannot be used as it is
├── MetricError          a metric that was asked for in the wrong way
│   ├── UnknownMetric    no metric has that name
│   └── WrongParameter   the metric has no such parameter, or not that value
└── CallError            arguments that do not fit together
    └── TooLittle        the call is right, but needs more runs or topics than there are

Every message says what was given, where, what is allowed and, if there is one, the
nearest right thing. The command line prints the message and exits with 2.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain
from typing import Any, NamedTuple

SHOWN_FAULTS = 10


class RankwiseError(Exception):
    """The root of all errors that rankwise raises on purpose."""


class MetricError(RankwiseError):
    """A metric that was asked for in the wrong way."""


class UnknownMetric(MetricError):
    """No metric has that name."""


class WrongParameter(MetricError):
    """The metric has no such parameter, or does not take that value."""


class CallError(RankwiseError):
    """Arguments that do not fit together."""


class TooLittle(CallError):
    """The call is right, but there are too few runs or topics for it."""


class Fault(NamedTuple):
    """One thing that is wrong with one line of input."""

    line: int
    what: str
    text: str


@dataclass(frozen=True, eq=False, repr=False)
class Faults:
    """What is wrong with the lines of an input: the first few, and how many there are.

    A file of another format is wrong in every line; to keep them all could take more memory
    than the file.
    """

    first: tuple[Fault, ...] = ()
    count: int = 0

    @classmethod
    def of(cls, found: Iterable[Fault], count: int | None = None) -> "Faults":
        """The first of them by line; `count` says how many there are where only some are given."""
        counted = _Counted(found)
        first = tuple(nsmallest(SHOWN_FAULTS, counted))
        return cls(first, counted.seen if count is None else count)

    def __add__(self, other: "Faults") -> "Faults":
        return Faults.of(chain(self.first, other.first), self.count + other.count)

    def __bool__(self) -> bool:
        return self.count > 0

    def because(self, what: str) -> "Faults":
        """The same lines, with this wrong with those of which nothing is said yet."""
        said = (fault if fault.what else fault._replace(what=what) for fault in self.first)
        return Faults(tuple(said), self.count)


class _Counted:
    """Things that are counted as they are taken."""

    def __init__(self, things: Iterable[Fault]) -> None:
        self.things, self.seen = things, 0

    def __iter__(self) -> Iterator[Fault]:
        for thing in self.things:
            self.seen += 1
            yield thing


NO_FAULTS = Faults()


class InputError(RankwiseError):
    """A file, frame or dict that cannot be used as it is.

    `source` names it as the caller did; `faults` holds the first that were found, by line, of
    `count`; `remedy` names an option that would help, where the caller has it. A `hint` at what
    is wrong with all of it comes before the faults. `unit` is what their numbers count, as a
    line, or a hit of a response in JSON.
    """

    def __init__(
        self,
        source: str,
        what: str,
        faults: Faults | Sequence[Fault] = NO_FAULTS,
        *,
        remedy: str = "",
        hint: str = "",
        unit: str = "line",
    ) -> None:
        found = faults if isinstance(faults, Faults) else Faults.of(faults)
        self.source = source
        self.what = what
        self.faults, self.count = found.first, found.count
        self.remedy, self.hint, self.unit = remedy, hint, unit
        super().__init__(self._listing() if found else f"{source}: {self._advice}")

    @property
    def _advice(self) -> str:
        return f"{self.what} {self.remedy}".strip()

    def without_remedy(self) -> "InputError":
        """The same, for a caller that does not have the option."""
        faults = Faults(self.faults, self.count)
        return InputError(self.source, self.what, faults, hint=self.hint, unit=self.unit)

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors of worker processes come back pickled."""
        faults = Faults(self.faults, self.count)
        return _raised_again, (self.source, self.what, faults, self.remedy, self.hint, self.unit)

    def _listing(self) -> str:
        where = f"{self.source}:" if self.unit == "line" else f"{self.source}: {self.unit} "
        shown = [
            f"{where}{fault.line}: {shorten(fault.what, 200)}: {shorten(fault.text)}"
            for fault in self.faults
        ]
        hidden = self.count - len(shown)
        if hidden:
            shown.append(f"{self.source}: and {hidden:,} more faults")
        first = [f"{self.source}: {self.hint}"] if self.hint else []
        return "\n".join([*first, *shown, *([self._advice] if self._advice else [])])


def _raised_again(
    source: str, what: str, faults: Faults, remedy: str, hint: str, unit: str
) -> InputError:
    return InputError(source, what, faults, remedy=remedy, hint=hint, unit=unit)


def shorten(text: str, width: int = 100) -> str:
    """The text on one line, cut where it is longer."""
    shown = visible(text[: width + 1])
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def visible(text: str) -> str:
    r"""The text with escapes in place of what does not print: it may come from anywhere, and
    a terminal obeys control characters.

    >>> visible("bm25\x1b[2J")
    'bm25\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class Warned(str):
    """A note that changes how a result is to be read: said first."""

    __slots__ = ()


def by_cause(notes: Iterable[str], runs: Iterable[str]) -> list[str]:
    """The notes, what is said of several runs in the same words but once.

    >>> by_cause(["a: 5 topics are new", "all is well", "b: 5 topics are new"], ["a", "b"])
    ['each of 2 runs (a, b): 5 topics are new', 'all is well']
    """
    known = set(runs)
    names: dict[str, list[str]] = {}
    for note in notes:
        run, colon, what = note.partition(": ")
        about = bool(colon) and run in known
        names.setdefault(type(note)(what if about else note), []).extend([run] * about)
    return [type(what)(_with_names(what, called)) for what, called in names.items()]


def _with_names(what: str, runs: Sequence[str]) -> str:
    if not runs:
        return what
    who = runs[0] if len(runs) == 1 else f"each of {len(runs)} runs ({some_of(runs)})"
    return f"{who}: {what}"


def nearest(given: str, allowed: Iterable[str], count: int = 3) -> list[str]:
    """The allowed words that look most like the given one, case aside, best first.

    >>> nearest("ngcd", ["AP", "nDCG", "RBP"])
    ['nDCG']
    """
    by_folded = {word.casefold(): word for word in reversed(list(allowed))}
    likeness = {word: _likeness(given.casefold(), folded) for folded, word in by_folded.items()}
    best = sorted((word for word in likeness if likeness[word] > 0.55), key=likeness.__getitem__)
    return best[::-1][:count]


def _likeness(one: str, other: str) -> float:
    """From 0 to 1: half for the letters in common in order, half for those in any order."""
    from difflib import SequenceMatcher

    in_order = SequenceMatcher(None, one, other).ratio()
    in_any = 2 * (Counter(one) & Counter(other)).total() / max(len(one) + len(other), 1)
    return (in_order + in_any) / 2


def did_you_mean(given: str, allowed: Iterable[str]) -> str:
    """A sentence with the nearest words, or nothing where none is near."""
    words = nearest(given, allowed)
    return f" Did you mean {' or '.join(words)}?" if words else ""


def check_word(name: str, given: object, allowed: Iterable[str]) -> None:
    """Refuse an argument that is none of the words allowed.

    >>> check_word("order", "scor", ["score", "rank"])
    Traceback (most recent call last):
    rankwise.errors.CallError: order 'scor' is not one of score, rank. Did you mean score?
    """
    words = list(allowed)
    if given not in words:
        near = did_you_mean(str(given), words)
        raise CallError(f"{name} {given!r} is not one of {', '.join(words)}.{near}")


def some_of(words: Sequence[str], count: int = 3) -> str:
    """The first few, to show what they look like.

    >>> some_of(["401", "402", "403"], 2)
    '401, 402, …'
    """
    return ", ".join([*words[:count], *(["…"] if len(words) > count else [])]) or "none"
