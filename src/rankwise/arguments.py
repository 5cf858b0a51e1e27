"""Check of the arguments of public functions against their annotations.

Every call of a public function starts with this check. It covers simple annotations, such as `int`,
`str | None`, `Sequence[float]` or a `Literal`. Arguments with other annotations are not checked
here.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from numbers import Integral, Real
from os import PathLike
from typing import Any, NamedTuple

import rankwise.vocabulary as vocabulary
from rankwise.errors import CallError, in_words, shorten
from rankwise.wording import Argument

LEAST = {"seed": 0}  # smallest allowed value, by the name of the argument
OF_RANKWISE = {"Agreement", "JudgedRankings", "Metric", "Possible", "Published", "Scores"}
OF_RANKWISE |= {"TestOptions"}
SEVERAL = r"(?:Iterable|Sequence)\[(?:%s)(?: \| None)?\]"
MODULE = re.compile(
    r"\b(?:collections\.abc|typing|pathlib(?:\._local)?|pl|rankwise(?:\.\w+)*)\.(?=[A-Z])"
)


class Kind(NamedTuple):
    """A kind of values: its name in messages, and whether a value is of this kind."""

    words: str
    fits: Callable[[Any], bool]


def _shown(value: object) -> str:
    is_short = value is None or isinstance(value, str | int | float | list | tuple | dict)
    return shorten(repr(value), 60) if is_short else f"a value of type {type(value).__name__}"


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _are(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a function that tests an iterable: its elements must pass `of`, or be None.

    Elements are tested only in lists and tuples, because an iterator can be read only once. Text
    and mappings fail the test.
    """

    def fit(value: object) -> bool:
        if isinstance(value, list | tuple):
            return all(each is None or of(each) for each in value)
        return isinstance(value, Iterable) and not isinstance(value, str | Mapping)

    return fit


# Kinds of values by a pattern of the annotation. A single text is accepted instead of several.
KINDS = {
    "None": Kind("None", lambda value: value is None),
    "bool": Kind("True or False", lambda value: type(value).__name__ in ("bool", "bool_")),
    "int": Kind("a whole number", lambda value: _is_number(value) and isinstance(value, Integral)),
    "float": Kind("a number", _is_number),
    "str": Kind("text", _is_text),
    "Path": Kind("a path", lambda value: isinstance(value, PathLike)),
    "DataFrame": Kind("a data frame", lambda value: hasattr(value, "columns")),
    r"tuple\[str, str\]": Kind(
        "two texts", lambda value: not _is_text(value) and _are(_is_text)(value)
    ),
    SEVERAL % "int|float": Kind("a list of numbers", _are(_is_number)),
    SEVERAL % "str|Test": Kind("a list of texts", lambda v: _is_text(v) or _are(_is_text)(v)),
    r"Mapping\[.*\]": Kind("a dict", lambda value: isinstance(value, Mapping)),
    r"Callable\[.*\]": Kind("a function", callable),
}


def check_arguments(
    function: Callable[..., Any], names: tuple[str, ...], args: tuple[Any, ...], named: Any
) -> None:
    """Raise an error for the first argument with a value of another type than annotated.

    `args` are the positional arguments, with their names in `names`, and `named` maps the other
    names to values. A value below its minimum in `LEAST` is an error too.
    """
    kinds_of = _kinds_by_name(function)
    for name, value in (*zip(names, args, strict=False), *named.items()):
        kinds = kinds_of.get(name)
        if not kinds:
            continue
        if not any(kind.fits(value) for kind in kinds):
            words = in_words([kind.words for kind in kinds], "or")
            raise CallError(Argument(name), f" must be {words}, not {_shown(value)}.")
        if name in LEAST and value < LEAST[name]:
            raise CallError(Argument(name), f" must be {LEAST[name]} or more, not {value!r}.")


def check_fields(instance: object) -> None:
    """Raise an error for the first field of a dataclass with a value of another type."""
    check_arguments(type(instance), (), (), vars(instance))


@cache
def _kinds_by_name(function: Callable[..., Any]) -> dict[str, list[Kind]]:
    return {name: _kinds(annotation) for name, annotation in function.__annotations__.items()}


def _kinds(annotation: Any) -> list[Kind]:
    """Return the kinds that an annotation allows; an empty list if one of them is unknown."""
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    kinds = [_kind(part) for part in _parts(MODULE.sub("", text))]
    return [kind for kind in kinds if kind] if all(kinds) else []


def _parts(text: str) -> list[str]:
    """Split a union at its outermost level.

    >>> _parts("Mapping[str, int | float] | None")
    ['Mapping[str, int | float]', 'None']
    """
    optional = re.fullmatch(r"(Optional|Union)\[(.*)\]", text)
    if optional:
        parts = re.split(r", (?![^\[]*\])", optional[2])
        return [*parts, *(["None"] if optional[1] == "Optional" else [])]
    return re.split(r" \| (?![^\[]*\])", text)


def _kind(part: str) -> Kind | None:
    if part.startswith("Literal["):
        return Kind(f"one of {part[8:-1]}", _is_text)
    if part in OF_RANKWISE:
        return Kind(part, lambda value: part in [of.__name__ for of in type(value).__mro__])
    if str(getattr(vocabulary, part, "")).startswith("typing.Literal"):
        return Kind("text", _is_text)
    return next((kind for pattern, kind in KINDS.items() if re.fullmatch(pattern, part)), None)
