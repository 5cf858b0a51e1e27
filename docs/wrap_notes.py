"""A hook of mkdocs: long notes of a session are wrapped, as in a terminal; tables are not."""

import re
from textwrap import fill
from typing import Any

NOTE = re.compile(r"^(?:note|rankwise\b[^:\n]*): .{90,}$", re.MULTILINE)
SESSION = re.compile(r"^```console\n.*?^```$", re.DOTALL | re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    return SESSION.sub(lambda block: NOTE.sub(lambda note: wrapped(note[0]), block[0]), markdown)


def wrapped(note: str) -> str:
    return fill(note, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
