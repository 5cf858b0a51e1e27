"""Exceptions of rankwise.

RankwiseError            base class of all errors of rankwise
├── InputError           a file, frame or dict that is not valid
├── MetricError          a metric name, parameter or score that is not valid
│   ├── UnknownMetric    no metric has that name
│   └── WrongParameter   the metric has no such parameter, or not that value
└── CallError            an argument that is not valid, or arguments that conflict
    └── TooLittle        a valid call that needs more runs or topics than there are

A message says what is wrong, where, and what to do. For a misspelt word it suggests a similar valid
word, if there is one. The command line prints the message and exits with 2.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, count as counter
from numbers import Integral, Real
from typing import Any, NamedTuple

from rankwise.wording import PYTHON, Argument, Count, Part, Remedy, Wording, packed, said, unpacked

STORED_FAULTS = 10
SHOWN_FAULTS = 2  # examples in a message


class RankwiseError(Exception):
    """Base class of the errors that rankwise raises.

    `text` is the message, split into parts, so that the command line can show the names of options
    instead of arguments. `source` is the file, metric or option that is wrong. `remedy` is an
    argument that avoids the error, or None.
    """

    def __init__(self, *text: Part, source: str = "", remedy: Remedy | None = None) -> None:
        super().__init__(*text)
        self.text, self.source, self.remedy = text, source, remedy

    @property
    def reason(self) -> str:
        """The message without its source and its remedy."""
        return said(self.text)

    def __str__(self) -> str:
        return self.said(PYTHON)

    def packed(self) -> dict[str, Any]:
        """Return the error as a dict for JSON; `unpacked_error` returns the error from the dict."""
        about = {"kind": type(self).__name__, "source": self.source}
        return about | packed(self.text, self.remedy)

    def said(self, wording: Wording) -> str:
        """Return the message.

        `wording` selects how arguments are written: as in Python, or as command-line options.
        """
        where = f"{self.source}: " if self.source else ""
        return where + said(self.text, self.remedy, wording)


class MetricError(RankwiseError):
    """Error for a metric name or parameter that is not valid, or a metric that fails.

    A metric fails if it raises an exception, or returns a score that is not valid.
    """


class UnknownMetric(MetricError):
    """Error for a name that no metric has."""


class WrongParameter(MetricError):
    """Error for a parameter that a metric does not have, or a value that it does not take."""


class CallError(RankwiseError):
    """Error for an argument with a value that is not allowed, or arguments that conflict."""


class TooLittle(CallError):
    """Error for a valid call that needs more runs or topics than there are."""


def too_few_topics(metric: object, count: int, least: int) -> TooLittle:
    """Return the error for a metric with too few topics on which every run has a score."""
    have = f"{count} topic{' has' if count == 1 else 's have'} a score for every run"
    return TooLittle(f"{metric}: {have}; at least {least} are needed.")


class Fault(NamedTuple):
    """An error in one line of the input.

    `what` is the message, and `text` the line. `before` says where a duplicate occurred first.
    """

    line: int
    what: str
    text: str
    before: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Faults:
    """The first errors in the lines of an input, and the number of all errors.

    A file in another format has an error in every line, and storing all of them could take more
    memory than the file.
    """

    first: tuple[Fault, ...] = ()
    count: int = 0

    @classmethod
    def of(cls, found: Iterable[Fault], count: int | None = None) -> "Faults":
        """Return the first `STORED_FAULTS` of the faults `found`, sorted by line.

        `count` is the number of all faults if `found` has only some of them.
        """
        numbers = counter()  # each fault takes one
        counted = (fault for fault, _ in zip(found, numbers, strict=False))
        first = tuple(nsmallest(STORED_FAULTS, counted))
        return cls(first, next(numbers) if count is None else count)

    def __add__(self, other: "Faults") -> "Faults":
        return Faults.of(chain(self.first, other.first), self.count + other.count)

    def __bool__(self) -> bool:
        return self.count > 0

    def because(self, what: str) -> "Faults":
        """Return the faults; faults without a message get the message `what`."""
        said = (fault if fault.what else fault._replace(what=what) for fault in self.first)
        return Faults(tuple(said), self.count)


NO_FAULTS = Faults()


class InputError(RankwiseError):
    """Error for a file, frame or dict that is not valid.

    `source` is the name of the file, frame or dict. `what` is the message or, if there are
    `faults`, the last part of the message. `faults` lists the first errors, each with its line.
    `count` is the number of all errors, and `line` the line of the first error. A `hint` explains
    all errors together and comes first in the message. `unit` is what `line` counts: lines, rows,
    records, or for example the hits in a JSON response.

    `expected` is `run` if a run was expected but the file has judgments, and `qrels` if judgments
    were expected but the file has a run. In both cases `advice` says what to do, and the message
    has it after the hint.
    """

    def __init__(
        self,
        source: str,
        what: str | tuple[Part, ...],
        faults: Faults | Sequence[Fault] = NO_FAULTS,
        *,
        remedy: Remedy | None = None,
        hint: str = "",
        unit: str = "line",
        expected: str = "",
    ) -> None:
        found = faults if isinstance(faults, Faults) else Faults.of(faults)
        text = (what,) if isinstance(what, str) else what
        super().__init__(*text, source=source, remedy=remedy)
        self.faults, self.count = found.first, found.count
        self.hint, self.unit, self.expected = hint, unit, expected
        self.advice = "Give the qrels first, then the runs." if expected else ""

    @property
    def line(self) -> int | None:
        """The number of the line with the first error, or None if no line is known."""
        return self.faults[0].line if self.faults else None

    def without_remedy(self) -> "InputError":
        """Return the error without its remedy, for a function that lacks the suggested argument."""
        return _unpacked_input_error(self.packed() | {"remedy": None})

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling, because errors of worker processes are pickled."""
        return _unpacked_input_error, (self.packed(),)

    def packed(self) -> dict[str, Any]:
        names = ("faults", "count", "hint", "unit", "expected")
        return super().packed() | {name: getattr(self, name) for name in names}

    def said(self, wording: Wording) -> str:
        """Return the message: hint, first errors, number of further errors, and `what`."""
        if not self.faults:
            return super().said(wording)
        advice = said(self.text, self.remedy, wording)
        where = f"{self.source}:" if self.unit == "line" else f"{self.source}: {self.unit} "
        shown = [
            f"{where}{fault.line}: {shorten(fault.what + fault.before, 200)}: {shorten(fault.text)}"
            for fault in self.faults[:SHOWN_FAULTS]
        ]
        hidden = self.count - len(shown)
        if hidden:
            shown.append(f"{self.source}: and {Count(hidden, 'more error')}")
        first = [f"{self.source}: {self.hint} {self.advice}".rstrip()] if self.hint else []
        return "\n".join([*first, *shown, *([advice] if advice else [])])


def unpacked_error(packed: Mapping[str, Any]) -> RankwiseError:
    """Return the error from the output of `packed`, also after JSON."""
    if packed["kind"] == "InputError":
        return _unpacked_input_error(packed)
    kinds = (CallError, TooLittle, MetricError, UnknownMetric, WrongParameter)
    kind = {each.__name__: each for each in kinds}.get(packed["kind"], RankwiseError)
    text, remedy = unpacked(packed)
    return kind(*text, source=packed["source"], remedy=remedy)


def _unpacked_input_error(packed: Mapping[str, Any]) -> InputError:
    faults = Faults(tuple(Fault(*fault) for fault in packed["faults"]), packed["count"])
    text, remedy = unpacked(packed)
    more = {name: packed[name] for name in ("hint", "unit", "expected")}
    return InputError(packed["source"], text, faults, remedy=remedy, **more)


def shorten(text: str, width: int = 100) -> str:
    """Return the text on one line, truncated to `width` characters."""
    shown = visible(text[: width + 1])
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def visible(text: str) -> str:
    r"""Return the text with escapes for characters that do not print.

    The text may come from an untrusted file, and a terminal obeys control characters.

    >>> visible("bm25\x1b[2J")
    'bm25\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


ALIKE = 0.59  # minimum similarity of a suggested word
ALIKE_OF_LISTED = 0.65  # minimum similarity, if the message lists all words
NEXT = 0.05  # maximum difference in similarity between the first suggestion and a further one


def _likeness(one: str, other: str) -> float:
    """Return the similarity of two words, from 0 to 1.

    The similarity is the mean of two fractions: of letters in common in the same order, and of
    letters in common in any order. The first fraction is 1 if `other` starts with `one` and `one`
    has at least three letters. If the second fraction is low, it is returned alone.
    """
    from difflib import SequenceMatcher

    in_any = 2 * (Counter(one) & Counter(other)).total() / max(len(one) + len(other), 1)
    if len(one) > 2 and other.startswith(one):
        return (1 + in_any) / 2
    if in_any <= ALIKE:  # the fraction in the same order is not larger, and is slow to compute
        return in_any
    return (SequenceMatcher(None, one, other).ratio() + in_any) / 2


def did_you_mean(given: str, allowed: Iterable[str], alike: float = ALIKE) -> str:
    """Return a sentence with at most three similar words, ignoring case; empty if there is none.

    `alike` is the minimum similarity of a suggested word.

    >>> did_you_mean("ngcd", ["AP", "nDCG", "RBP"])
    ' Did you mean nDCG?'
    """
    by_folded = {word.casefold(): word for word in reversed(list(allowed))}
    likeness = {word: _likeness(given.casefold(), folded) for folded, word in by_folded.items()}
    best = sorted((word for word in likeness if likeness[word] > alike), key=likeness.__getitem__)
    words = [word for word in best[::-1][:3] if likeness[word] > likeness[best[-1]] - NEXT]
    return f" Did you mean {in_words(words, 'or')}?" if words else ""


def in_words(words: Sequence[str], last: str = "and") -> str:
    """Join words as in a sentence: a, b and c.

    >>> in_words(["AP", "RR", "P@10"])
    'AP, RR and P@10'
    """
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def check_word(name: str, given: object, allowed: Iterable[str]) -> None:
    """Raise an error if an argument is not one of the allowed words.

    >>> check_word("order", "scor", ["score", "rank"])
    Traceback (most recent call last):
    rankwise.errors.CallError: `order` 'scor' is not one of score, rank. Did you mean score?
    """
    words = list(allowed)
    if given not in words:
        near = did_you_mean(str(given), words, ALIKE_OF_LISTED)
        wrong = f" {given!r} is not one of {', '.join(words)}.{near}"
        raise CallError(Argument(name), wrong)


def check_between(name: str, value: float, example: float = 0.05, *, python: str = "") -> None:
    """Raise an error for a number that is not between 0 and 1; the message has the `example`.

    `python` is the name of the argument in Python, if the option has another name.

    >>> check_between("alpha", 5)
    Traceback (most recent call last):
    rankwise.errors.CallError: `alpha` must be between 0 and 1, for example 0.05, not 5.
    """
    if not (isinstance(value, Real) and 0 < value < 1):
        wrong = f" must be between 0 and 1, for example {example:g}, not {_shown(value)}."
        raise CallError(Argument(name, python=python), wrong)


def check_above_0(name: str, value: float | None, *, python: str = "") -> None:
    """Raise an error for a number that is infinite or not above 0; None is accepted."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 < value < float("inf")):
        raise CallError(Argument(name, python=python), f" must be above 0, not {_shown(value)}.")


def check_at_least(name: str, value: int | None, least: int = 1, *, python: str = "") -> None:
    """Raise an error unless the value is a whole number, `least` or more; None is accepted.

    >>> check_at_least("resamples", 0)
    Traceback (most recent call last):
    rankwise.errors.CallError: `resamples` must be a whole number, 1 or more, not 0.
    """
    if value is not None and (not isinstance(value, Integral) or value < least or value is True):
        wrong = f" must be a whole number, {least} or more, not {value!r}."
        raise CallError(Argument(name, python=python), wrong)


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else repr(value)


def some_of(words: Sequence[str], count: int = 3) -> str:
    """Return the first `count` words, separated by commas, or `none` if there are no words.

    >>> some_of(["401", "402", "403"], 2)
    '401, 402, …'
    """
    return ", ".join([*words[:count], *(["…"] if len(words) > count else [])]) or "none"
