"""Grammar of metric names: `Name(param=value, …)@cutoff`, read in one pass over the text."""

import re
from typing import Any, NamedTuple

from rankwise.errors import UnknownMetric, shorten

LONGEST = 1000  # characters, white space aside
FORM = "write Name(param=value)@cutoff"

_TOKEN = re.compile(r"""\s+|'[^']*'|"[^"]*"|[^\s(){},@'"]+|.""")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORDS: dict[str, Any] = {"True": True, "False": False, "None": None}


class Written(NamedTuple):
    """A metric as it is written; `params` is the text between the brackets."""

    name: str
    params: str
    at: str | None


def split(text: str, *, at_spaces: bool = False) -> list[str]:
    """Split metrics or parameters at commas (and spaces) outside brackets.

    White space within a part is removed.

    >>> split("AP, RBP( p = .80, rel=2 ) nDCG @ 10", at_spaces=True)
    ['AP', 'RBP(p=.80,rel=2)', 'nDCG@10']
    >>> split("gains={1:1,2:3},rel=2")
    ['gains={1:1,2:3}', 'rel=2']
    """
    parts: list[list[str]] = [[]]
    depth, gap = 0, False
    for token in _TOKEN.findall(text):
        if token.isspace():
            gap = at_spaces and depth == 0
            continue
        if token == "," and depth == 0:
            parts.append([])
            gap = False
            continue
        # `P @ 5` and `RBP (p=0.5)` are one metric each.
        if gap and parts[-1] and token not in ("(", "@") and parts[-1][-1] != "@":
            parts.append([])
        parts[-1].append(token)
        depth = max(depth + (token in ("(", "{")) - (token in (")", "}")), 0)
        gap = False
    return ["".join(part) for part in parts]


def read_metric(text: str) -> Written:
    """Parse one metric; `text` has no white space.

    >>> read_metric("RBP(p=0.8,rel=2)@10")
    Written(name='RBP', params='p=0.8,rel=2', at='10')
    """
    if len(text) > LONGEST:
        what = f"has {len(text):,} characters, more than the {LONGEST:,} that are read"
        raise UnknownMetric(f"{shorten(text, 60)!r} {what}; {FORM}.")
    name, bracket, rest = text.partition("(")
    params, after = "", ""
    if bracket:
        params, closed, after = rest.rpartition(")")
    else:
        name, sign, after = text.partition("@")
        closed, after = ")", sign + after
    at = after[1:] if after else None
    if not name or not closed or at == "" or "@" in name or after[:1] not in ("", "@"):
        raise UnknownMetric(f"{text!r} cannot be read; {FORM}.")
    return Written(name, params, at)


def read_value(text: str) -> Any:
    """Parse a number, True, False or None; otherwise return the text, such as exp-log2.

    >>> [read_value(text) for text in ("10", ".5", "'exp-log2'", "3:2:1")]
    [10, 0.5, 'exp-log2', '3:2:1']
    """
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if not _NUMBER.fullmatch(text):
        return text
    return int(text) if text.lstrip("+-").isdecimal() else float(text)
