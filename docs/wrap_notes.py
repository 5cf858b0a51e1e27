"""A hook of mkdocs: long lines of sessions are wrapped, as in a terminal; tables are not."""

import re
from textwrap import wrap
from typing import Any

WIDTH = 100
SESSION = re.compile(r"^```(?:console|python)\n.*?^```$", re.DOTALL | re.MULTILINE)
SENTENCE = re.compile(r"^( *)[a-zA-Z](?!.*   ).{100,}$", re.MULTILINE)
COMMAND = re.compile(r"^\$ rankwise [^'\"\n]{90,}$", re.MULTILINE)
ONLY_FOR_TESTS = " > table.txt 2>&1"  # in the gallery


def on_page_markdown(markdown: str, **_: Any) -> str:
    return SESSION.sub(lambda block: wrapped(block[0]), markdown.replace(ONLY_FOR_TESTS, ""))


def wrapped(session: str) -> str:
    session = COMMAND.sub(lambda command: " \\\n    ".join(lines(command[0], WIDTH - 6)), session)
    return SENTENCE.sub(lambda line: "\n".join(lines(line[0], WIDTH, f"{line[1]}  ")), session)


def lines(text: str, width: int, indent: str = "") -> list[str]:
    return wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
