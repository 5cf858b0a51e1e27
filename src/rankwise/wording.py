"""Wording of messages, in which an argument is `lenient=True` in Python and --lenient in a command.

The text of a note or an error is a tuple of parts: words, counts, and arguments. It becomes a
sentence when it is printed, because only then is it known whether it is for Python or for the
command line.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol, TypeAlias


class Argument(NamedTuple):
    """An argument of a function, optionally with a value.

    `python` replaces the name and the value in messages of Python functions that have no argument
    with this name. `command` is the name of a command that has the option; messages of other
    commands need it. With an empty `name`, the message names the command itself.

    >>> print(Argument("lenient", True), Argument("mean", "geometric"), Argument("depth"))
    `lenient=True` `mean='geometric'` `depth`
    """

    name: str
    value: str | float | bool | None = None
    python: str = ""
    command: str = ""

    def __str__(self) -> str:
        value = "" if self.value is None else f"={self.value!r}"
        return f"`{self.python or self.name + value}`"


class Count(NamedTuple):
    """A number and its noun; `plural` is needed if the plural is not formed with s.

    >>> print(Count(1, "line"), Count(1002, "line"), Count(2, "run has", "runs have"))
    1 line 1,002 lines 2 runs have
    """

    number: int
    noun: str
    plural: str = ""

    def __str__(self) -> str:
        noun = self.noun if self.number == 1 else self.plural or f"{self.noun}s"
        return f"{self.number:,} {noun}"


def is_or_are(number: int) -> str:
    """Return the verb after a number, as in "1 of 50 topics is".

    >>> is_or_are(1), is_or_are(0)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"


def with_minus(number: str) -> str:
    """Replace the hyphen of a negative number with a minus sign."""
    return number.replace("-", "−")


def percent(fraction: float, digits: int = 0) -> str:
    """Format a fraction in percent.

    >>> percent(0.95), percent(0.1234, 1)
    ('95 %', '12.3 %')
    """
    return f"{100 * fraction:.{digits}f} %"


Part: TypeAlias = str | Count | Argument


class Wording(Protocol):
    """Notation of arguments in messages, for Python or for the command line."""

    def name(self, argument: Argument) -> str:
        """Return an argument as users write it, for example `lenient=True` or --lenient."""

    def use(self, argument: Argument) -> str | None:
        """Return the advice to use an argument; None if there is no such option or argument."""


class _Python:
    def name(self, argument: Argument) -> str:
        return str(argument)

    def use(self, argument: Argument) -> str | None:
        return f"Use {argument}"


PYTHON: Wording = _Python()


class Remedy(NamedTuple):
    """Advice: an argument to use, and its purpose.

    >>> print(Remedy(Argument("lenient", True), "skip malformed lines"))
    Use `lenient=True` to skip malformed lines.
    """

    argument: Argument
    purpose: str

    def __str__(self) -> str:
        return self.said(PYTHON)

    def said(self, wording: Wording) -> str:
        """Return the advice as a sentence; "" if there is no such option or argument."""
        advice = wording.use(self.argument)
        return f"{advice} to {self.purpose}." if advice else ""


def said(text: Iterable[Part], remedy: Remedy | None = None, wording: Wording = PYTHON) -> str:
    """Join the parts of a text, and append its remedy as a further sentence.

    >>> said([Argument("by", "run"), " takes no ", Argument("at"), "."])
    "`by='run'` takes no `at`."
    """
    parts = (wording.name(part) if isinstance(part, Argument) else str(part) for part in text)
    message, advice = "".join(parts), remedy.said(wording) if remedy else ""
    stop = "" if not advice or not message or message.endswith((".", "?", "…")) else "."
    return f"{message}{stop} {advice}".strip()


def packed(text: Iterable[Part], remedy: Remedy | None) -> dict[str, Any]:
    """Return a text and its remedy as lists and strings that JSON can store.

    >>> packed(["skipped ", Count(2, "line")], None)
    {'text': ['skipped ', ['Count', 2, 'line', '']], 'remedy': None}
    """
    parts = [part if isinstance(part, str) else [type(part).__name__, *part] for part in text]
    return {"text": parts, "remedy": remedy}


def unpacked(packed: Mapping[str, Any]) -> tuple[tuple[Part, ...], Remedy | None]:
    """Return the text and the remedy from the output of `packed`, also after JSON."""
    kinds: dict[str, type[Count] | type[Argument]] = {"Count": Count, "Argument": Argument}
    parts = (
        part if isinstance(part, str) else kinds[part[0]](*part[1:]) for part in packed["text"]
    )
    remedy = packed["remedy"]
    return tuple(parts), remedy and Remedy(Argument(*remedy[0]), remedy[1])
