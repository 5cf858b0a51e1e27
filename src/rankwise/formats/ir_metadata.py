"""ir_metadata: what a run says of its making, in comments at its head (ir-metadata.org).

The text between `# ir_metadata.start` and `# ir_metadata.end` is YAML. What repro_eval
writes of it is read here: nested keys, lists, quoted and plain values. It saves a dependency
that would do nothing else.
"""

import re
from typing import Any, NamedTuple

START, END = "ir_metadata.start", "ir_metadata.end"
BLOCK_TEXT = re.compile(r"[|>][-+]?")
KEY = re.compile(r"""("[^"]*"|'[^']*'|[^\s"'\[{][^:]*?)\s*:(?:\s+(.*))?$""")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


class Line(NamedTuple):
    indent: int
    text: str


def metadata_text(comments: list[bytes]) -> str:
    """The YAML in the comments at the head of a run, without the signs of comments."""
    lines = [line.decode("utf-8", "replace") for line in comments]
    bare = [re.sub(r"^\s*# ?", "", line).rstrip() for line in lines]
    marks = [line.strip() for line in bare]
    if START not in marks:
        return ""
    start = marks.index(START) + 1
    end = marks.index(END, start) if END in marks[start:] else len(marks)
    return "\n".join(bare[start:end])


def parse_metadata(text: str) -> dict[str, Any]:
    """The keys and values of the text.

    >>> parse_metadata("tag: bm25\\nactor:\\n  name: Ada\\n  fields:\\n  - IR\\n  - NLP\\n")
    {'tag': 'bm25', 'actor': {'name': 'Ada', 'fields': ['IR', 'NLP']}}
    """
    lines = [
        Line(len(line) - len(line.lstrip()), line.strip())
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith("#") and line.strip() != "---"
    ]
    return _mapping(lines)


def _value(lines: list[Line]) -> Any:
    """What some lines below a key say: a list, a mapping, or words over several lines."""
    if not lines:
        return None
    if lines[0].text == "-" or lines[0].text.startswith("- "):
        return [_item(block) for block in _blocks(lines)]
    if KEY.match(lines[0].text):
        return _mapping(lines)
    return _scalar(" ".join(line.text for line in lines))


def _mapping(lines: list[Line]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for first, *below in _blocks(lines):
        key = KEY.match(first.text)
        if key is None:  # no YAML that we know: the text is kept as it is
            found[first.text] = None
        elif key[2] is None or BLOCK_TEXT.fullmatch(key[2]):
            words = "\n".join(line.text for line in below)
            found[_unquoted(key[1])] = words if key[2] else _value(below)
        else:
            words = " ".join([key[2], *(line.text for line in below)])
            found[_unquoted(key[1])] = _scalar(words)
    return found


def _item(lines: list[Line]) -> Any:
    """An entry of a list, whose first line starts with a hyphen."""
    first = lines[0].text.removeprefix("-").lstrip()
    inner = lines[0].indent + len(lines[0].text) - len(first)
    return _value([*([Line(inner, first)] if first else []), *lines[1:]])


def _blocks(lines: list[Line]) -> list[list[Line]]:
    """Each line of the lowest indent with the lines that belong to it.

    A list may stand as far left as the key that it belongs to.
    """
    indent, blocks = lines[0].indent if lines else 0, list[list[Line]]()
    in_list = bool(lines) and lines[0].text.startswith("-")
    for line in lines:
        listed = line.text.startswith("- ") and not in_list
        if blocks and (line.indent > indent or listed):
            blocks[-1].append(line)
        else:
            blocks.append([line])
    return blocks


def _scalar(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        inner = text[1:-1].strip()
        return [_scalar(part.strip()) for part in inner.split(",")] if inner else []
    if text[:1] in {'"', "'"}:
        return _unquoted(text)
    text = re.sub(r"\s+#.*$", "", text)
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    if NUMBER.fullmatch(text):
        return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
    return text


def _unquoted(text: str) -> str:
    if len(text) < 2 or text[0] not in "\"'" or text[-1] != text[0]:
        return text
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    return re.sub(r'\\(["\\])', r"\1", text[1:-1])
